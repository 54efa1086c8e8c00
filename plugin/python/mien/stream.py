"""Stream: a phone or another program sends a face, or receives ours."""

from __future__ import annotations

import ctypes
from typing import Any, Mapping, Optional

from . import _abi
from ._library import call, lib
from ._structs import Callbacks, Info, made, text, to_rigid


class Stream:
    """Live Link Face, iFacialMocap or VMC, in or out. For one thread at a time.

    with mien.Stream("live_link") as stream:
        while stream.latest(wait=0.1): print(stream.weights["jawOpen"])
    """

    def __init__(self, protocol: Any, sends: bool = False, **definition: Any):
        """Keywords are the fields of mien_stream_def: address, port, phone."""
        d = made(_abi.mien_stream_def, dict(definition, protocol=protocol, sends=int(sends)), [])
        callbacks, out = Callbacks(), ctypes.c_void_p()
        call("mien_stream_create", ctypes.byref(d), ctypes.byref(callbacks.host), ctypes.byref(out))
        self._handle: Optional[ctypes.c_void_p] = out
        self.info = Info(self, lib.mien_stream_get_info(out).contents)

    def latest(self, wait: float = 0) -> bool:
        """Reads what has arrived; True when there is a new frame. Of several the newest counts."""
        return call("mien_stream_latest", self._handle, wait) == _abi.Result.OK

    @property
    def weights(self) -> dict:
        """The newest frame by name."""
        return dict(zip(self.info.channels or [], (float(w) for w in self.info.weights)))

    def send(self, weights: Mapping[str, float], head: Any = None, time: float = 0) -> None:
        """One frame to whoever listens: weights by name, a head, its time in seconds."""
        names = (ctypes.c_char_p * max(1, len(weights)))(*[text(n) for n in weights])
        values = (ctypes.c_float * max(1, len(weights)))(*weights.values())
        at: Optional[Any] = None if head is None else ctypes.byref(to_rigid(head))
        call("mien_stream_send", self._handle, names, values, len(weights), at, time)

    def close(self) -> None:
        """Gives the socket back."""
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and lib:
            lib.mien_stream_free(handle)

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()
