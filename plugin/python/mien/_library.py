"""Finds and loads libmien, and turns its results into exceptions."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any, Iterator, Optional

from . import _abi


class MienError(Exception):
    """What libmien refused, in its own words. Nothing was changed."""

    def __init__(self, text: str, result: "Optional[_abi.Result]" = None, where: str = "", line: int = 0):
        super().__init__(text)
        self.result, self.where, self.line = result, where, line


class ArgumentError(MienError, ValueError):
    """A count, an index or a value out of range."""


class OptionsError(MienError, ValueError):
    """Options that do not go together."""


class OutOfMemory(MienError, MemoryError):
    pass


class FileError(MienError, OSError):
    """A file could not be opened, read or written."""


class FormatError(MienError, ValueError):
    """A file is damaged or uses a feature that is not read."""


class MismatchError(MienError, ValueError):
    """Two objects do not belong together."""


class NotFiniteError(MienError, ValueError):
    """NaN or infinity in the input."""


class Cancelled(MienError):
    """The progress function asked to stop."""


_ERRORS = {
    _abi.Result.ERR_ARGUMENT: ArgumentError,
    _abi.Result.ERR_OPTIONS: OptionsError,
    _abi.Result.ERR_MEMORY: OutOfMemory,
    _abi.Result.ERR_IO: FileError,
    _abi.Result.ERR_FORMAT: FormatError,
    _abi.Result.ERR_MISMATCH: MismatchError,
    _abi.Result.ERR_NOT_FINITE: NotFiniteError,
    _abi.Result.ERR_CANCELLED: Cancelled,
}


def _candidates() -> Iterator[str]:
    given = os.environ.get("MIEN_LIBRARY")
    if given:
        yield given
        return
    here = os.path.dirname(os.path.abspath(__file__))
    name = {"win32": "mien.dll", "darwin": "libmien.dylib"}.get(sys.platform, "libmien.so")
    for folder in (os.path.join(here, "lib"), here):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            yield path
    yield "libmien.so.0" if sys.platform.startswith("linux") else name


def _mode() -> int:
    """A process may have a CHOLMOD of its own, as Blender 5 in Debian, of another version than the one that
    comes with libmien: libmien then has to look into its own libraries first."""
    deep = getattr(os, "RTLD_DEEPBIND", 0)
    return ctypes.DEFAULT_MODE | deep if deep and hasattr(ctypes.CDLL(None), "cholmod_version") else ctypes.DEFAULT_MODE


def _load() -> ctypes.CDLL:
    tried, mode = [], _mode()
    for path in _candidates():
        try:
            return ctypes.CDLL(path, mode)
        except OSError as error:
            tried.append(f"{path}: {error}")
    raise ImportError("libmien could not be loaded:\n  " + "\n  ".join(tried))


def _prepare(library: ctypes.CDLL) -> None:
    for name, (result, arguments) in _abi.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{library._name} has no {name}: it is of another version") from None
        function.restype, function.argtypes = result, arguments
    version = library.mien_version()
    if version != _abi.VERSION:
        raise ImportError(f"this module was made for libmien {_abi.VERSION}, {library._name} is {version}")


lib = _load()
_prepare(lib)


def raise_for(result: int, error: "_abi.mien_error", callbacks: Any = None) -> int:
    """The result when it is one, an exception when it is a refusal."""
    raised = getattr(callbacks, "raised", None)
    if raised is not None:
        callbacks.raised = None
        raise raised
    if result >= 0:
        return result
    code = _abi.Result(result)
    text = error.text.decode("utf-8", "replace") or lib.mien_result_name(result).decode()
    where = (error.where or b"").decode("utf-8", "replace")
    raise _ERRORS.get(code, MienError)(text, code, where, error.line)


def call(name: str, *arguments: object, callbacks: object = None) -> int:
    """Calls a function that takes a mien_error last; raises what it says."""
    error = _abi.mien_error()
    return raise_for(getattr(lib, name)(*arguments, ctypes.byref(error)), error, callbacks)
