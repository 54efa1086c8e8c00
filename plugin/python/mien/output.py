"""Files that get their name when they are whole, as libmien writes them (core/src/io/output.h).

Until then they are "path.part", locked: a second writer of the name, of whatever program of mien, is
refused at once. No link is followed, and the destination is looked at first.
"""

from __future__ import annotations

import os
import stat
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # Windows keeps others out by itself
    fcntl = None  # type: ignore[assignment]

_EXTRA = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_NONBLOCK", "O_BINARY"))


def _lock(fd: int) -> bool:
    """True when nobody else has it, or when the file system knows no locks."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        pass
    return True


class Output:
    """`file` is open for writing; `commit` or `discard` ends it."""

    def __init__(self, path: Any):
        self.path = os.fspath(path)
        self.part = self.path + ".part"
        if os.path.isdir(self.path):
            raise OSError(f"cannot write {self.path}: that is a folder")
        if os.path.lexists(self.path) and not os.path.islink(self.path) and not os.path.isfile(self.path):
            raise OSError(f"cannot write {self.path}: what has that name is not a file")
        self.file: BinaryIO = os.fdopen(self._open(), "wb")

    def _is_same(self, fd: int) -> bool:
        try:
            return os.path.samestat(os.fstat(fd), os.lstat(self.part))
        except OSError:
            return False

    def _open(self) -> int:
        for _ in range(16):
            try:
                fd = os.open(self.part, os.O_RDWR | os.O_CREAT | os.O_EXCL | _EXTRA, 0o666)
            except FileExistsError:
                self._drop_left()
                continue
            if _lock(fd) and self._is_same(fd):
                return fd
            os.close(fd)
        raise OSError(f"cannot write {self.path}: other programs begin and end it all the time")

    def _drop_left(self) -> None:
        """What an earlier program left goes; what another is writing stays."""
        try:
            if not stat.S_ISREG(os.lstat(self.part).st_mode):
                raise OSError(f"cannot write {self.part}: that is a link, or not a file")
            fd = os.open(self.part, os.O_RDWR | _EXTRA)
        except FileNotFoundError:
            return
        try:
            if not _lock(fd):
                raise OSError(f"cannot write {self.path}: another program is writing it")
            if self._is_same(fd):
                os.unlink(self.part)
        finally:
            os.close(fd)

    def _sync_folder(self) -> None:
        """The name, too, must be on the disk; folders that cannot be synced are as they are."""
        try:
            fd = os.open(os.path.dirname(self.path) or ".", os.O_RDONLY)
        except OSError:
            return
        try:
            os.fsync(fd)
        except OSError:
            pass
        os.close(fd)

    def commit(self) -> None:
        """Puts it on the disk and gives it its name; when that fails nothing is left."""
        try:
            self.file.flush()
            os.fsync(self.file.fileno())
            if not self._is_same(self.file.fileno()):
                raise OSError(f"cannot write {self.path}: it was removed or replaced meanwhile")
            os.replace(self.part, self.path)
        except OSError:
            self.discard()
            raise
        self.file.close()
        self._sync_folder()

    def discard(self) -> None:
        """Leaves nothing."""
        if self.file.closed:
            return
        if self._is_same(self.file.fileno()):
            os.unlink(self.part)
        try:
            self.file.close()
        except OSError:  # what could not be written is not wanted any more
            pass


def write_text(path: Any, text: str, mode: int | None = None) -> None:
    """A whole file of text; `mode`: its permissions, those of any new file otherwise."""
    out = Output(path)
    try:
        out.file.write(text.encode())
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(out.file.fileno(), mode)
    except BaseException:
        out.discard()
        raise
    out.commit()
