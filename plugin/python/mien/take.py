"""Take: a performance."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._library import call, lib
from ._structs import Callbacks, Info, Rigid, from_rigid, made, struct_array, text, to_rigid


class Take:
    """Shape weights and head motion over time. Never changes; any thread may use it."""

    unmatched = 0  # channels that found no shape when the take was bound to a rig

    def __init__(self, handle: ctypes.c_void_p):
        self._handle = handle
        self.info = Info(self, lib.mien_take_get_info(handle).contents)

    @classmethod
    def load(cls, path: Any, **host: Any) -> "Take":
        """Reads a Live Link Face CSV, a head-motion CSV or the weight animation of a .glb."""
        callbacks, out = Callbacks(**host), ctypes.c_void_p()
        host_at = ctypes.byref(callbacks.host)
        call("mien_take_load", text(path), host_at, ctypes.byref(out), callbacks=callbacks)
        return cls(out)

    @classmethod
    def create(
        cls,
        channels: Sequence[str],
        times: Any,
        weights: Any,
        head: Optional[Sequence[Any]] = None,
        name: str = "take",
    ) -> "Take":
        """channels: shape names; times (n,) s; weights (n, channels); head: n rigid transforms."""
        keep: list = []
        times = np.ascontiguousarray(times, np.float64).reshape(-1)
        weights = np.ascontiguousarray(weights, np.float32).reshape(len(times), len(channels))
        names = (ctypes.c_char_p * max(1, len(channels)))(*[text(c) for c in channels])
        d = made(_abi.mien_take_def, {"name": name}, keep)
        d.channels, d.nchannel, d.nframe = names, len(channels), len(times)
        d.times = ctypes.cast(times.ctypes.data, ctypes.POINTER(ctypes.c_double))
        d.weights = ctypes.cast(weights.ctypes.data, ctypes.POINTER(ctypes.c_float))
        if head is not None:
            if len(head) != len(times):
                raise ValueError(f"{len(head)} head transforms for {len(times)} frames")
            d.head = struct_array(_abi.mien_rigid, [to_rigid(h) for h in head], keep)
        out = ctypes.c_void_p()
        call("mien_take_create", ctypes.byref(d), None, ctypes.byref(out))
        return cls(out)

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and lib:
            lib.mien_take_free(handle)

    def __repr__(self) -> str:
        i = self.info
        return f"<mien.Take '{i.name}', {i.nframe} frames, {i.end - i.start:.2f} s, {i.nchannel} channels>"

    @property
    def start(self) -> float:
        """Time of the first sample, s."""
        return self.info.start

    @property
    def end(self) -> float:
        """Time of the last sample, s."""
        return self.info.end

    def nframes(self, frame_rate: float) -> int:
        """How many frames it has at another rate, as `mien bake` counts them."""
        return math.floor((self.end - self.start) * frame_rate + 1e-6) + 1

    def bind(self, rig: Any) -> "Take":
        """A take whose channels are the rig's shapes, in the rig's order."""
        out, unmatched = ctypes.c_void_p(), ctypes.c_int()
        call("mien_take_bind", self._handle, rig._handle, ctypes.byref(out), ctypes.byref(unmatched))
        take = Take(out)
        take.unmatched = unmatched.value
        return take

    def sample(self, time: float) -> Tuple[np.ndarray, Rigid]:
        """Weights and head at a time (s); before the start and after the end they hold."""
        weights = np.empty(self.info.nchannel, np.float32)
        head = _abi.mien_rigid()
        at = ctypes.cast(weights.ctypes.data, ctypes.POINTER(ctypes.c_float))
        call("mien_take_sample", self._handle, time, at, ctypes.byref(head))
        return weights, from_rigid(head)

    def save(self, path: Any) -> None:
        """Writes a Live Link Face CSV, with the head's motion in metres and radians if it has one."""
        call("mien_take_save", self._handle, text(path))
