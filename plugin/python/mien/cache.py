"""Caches: positions over time in a file."""

from __future__ import annotations

import ctypes
from typing import Any, List, Optional

import numpy as np

from . import _abi
from ._library import MienError, call, lib
from ._structs import Callbacks, Info, floats, made, text


class Cache:
    """Writes a .pc2 or .usda file. Nothing carries its name until it is whole.

    with mien.Cache("out.pc2", rig) as cache: cache.append(state.positions)

    An exception inside leaves no file, or with keep=True the frames so far in "out.pc2.part". While it is
    open, another writer of that name is refused.
    """

    def __init__(self, path: Any, rig: Any, keep: bool = False, **definition: Any):
        """Keywords are the fields of mien_cache_def: frame_rate, first_frame, welded."""
        d = made(_abi.mien_cache_def, definition, [])
        d.rig = rig._handle
        callbacks, out = Callbacks(), ctypes.c_void_p()
        call("mien_cache_create", text(path), ctypes.byref(d), ctypes.byref(callbacks.host), ctypes.byref(out))
        self._handle: Optional[ctypes.c_void_p] = out
        self._rig, self._keep = rig, keep

    def append(self, positions: Any) -> None:
        """One frame: every vertex of the rig (nvert, 3), m."""
        if not self._handle:
            raise MienError("the cache is finished")
        keep: List[Any] = []
        call("mien_cache_append", self._handle, floats(positions, 3, keep))

    def finish(self) -> None:
        """Gives the file its name; `with` does so by itself."""
        handle, self._handle = self._handle, None
        if not handle:
            return
        try:
            call("mien_cache_finish", handle)
        finally:
            lib.mien_cache_free(handle)

    def abandon(self) -> None:
        """Leaves no file."""
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and lib:
            if self._keep:
                lib.mien_cache_suspend(handle, None)
            lib.mien_cache_free(handle)

    def __enter__(self) -> "Cache":
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.finish()
        else:
            self.abandon()

    def __del__(self):
        self.abandon()


class CacheReader:
    """A whole .pc2 in memory; `points` is (nframe, npoint, 3), m."""

    def __init__(self, path: Any):
        callbacks, out = Callbacks(), ctypes.c_void_p()
        call("mien_cache_load", text(path), ctypes.byref(callbacks.host), ctypes.byref(out))
        self._handle = out
        self.info = Info(self, lib.mien_cache_get_info(out).contents)

    @property
    def points(self) -> np.ndarray:
        """All frames (nframe, npoint, 3), m: a view of the reader's memory."""
        return self.info.points

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and lib:
            lib.mien_cache_free(handle)
