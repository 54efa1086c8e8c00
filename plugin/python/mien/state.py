"""State: everything that moves."""

from __future__ import annotations

import ctypes
import threading
import time
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from . import _abi
from ._library import MienError, lib, raise_for
from ._structs import Callbacks, Info, address_of, fill, floats_out, struct_array, to_rigid

_INPUTS = {name for name, _ in _abi.mien_input._fields_} - {"struct_size", "ncollider"}
_OPTIONS = {name for name, _ in _abi.mien_step_opts._fields_} - {"struct_size"}


class State:
    """One character: positions, velocities, time. For one thread at a time."""

    def __init__(self, face: Any, **host: Any):
        """Keywords: threads, log, progress, memory_limit."""
        callbacks, out = Callbacks(**host), ctypes.c_void_p()
        error = _abi.mien_error()
        result = lib.mien_state_create(
            face._handle, ctypes.byref(callbacks.host), ctypes.byref(out), ctypes.byref(error)
        )
        raise_for(result, error, callbacks)
        self._callbacks = callbacks  # the library calls them as long as the state lives
        self._handle = out
        self.face, self.rig = face, face.rig
        self._struct = lib.mien_state_get_info(out).contents
        self.info = Info(self, self._struct)
        self._busy = threading.Lock()
        self._positions: Optional[np.ndarray] = None
        self._positions_at = 0
        self.step_seconds = 0.0  # of this thread's time in the library's last step
        self._input, self._opts, self._error = _abi.mien_input(), _abi.mien_step_opts(), _abi.mien_error()

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and lib:
            lib.mien_state_free(handle)

    def __repr__(self) -> str:
        return f"<mien.State at {self.info.time:.3f} s, {self.info.nstep} steps>"

    @property
    def positions(self) -> np.ndarray:
        """Every vertex of the rig in the head's space (nvert, 3), m. Changes with every step."""
        view = self._struct.positions
        at = address_of(view.data)
        if self._positions is None or at != self._positions_at:
            self._positions, self._positions_at = floats_out(self, view, 3), at
        return self._positions

    @property
    def hash(self) -> int:
        """The same on every machine and for any number of threads when the simulation is."""
        return lib.mien_state_hash(self._handle)

    def step(
        self,
        weights: Any = None,
        pose: Any = None,
        head: Any = None,
        colliders: Optional[Sequence[Any]] = None,
        kinematic: bool = False,
        settings: Any = None,
        **values: Any,
    ) -> int:
        """Advances by dt. 0, or 1 when the library has a remark.

        weights    one per shape of the rig
        pose       or the posed rig itself (nvert, 3), m, of a host that evaluates its own deformers;
                   the jaw still follows `weights`
        head       head to world: a Rigid, a (rotation, translation) pair or a 4x4 matrix
        colliders  collider to world, one for each collider of the face
        kinematic  no physics in this step: the first frame starts where the head is
        settings   a Settings, instead of the library's defaults
        Other keywords are fields of mien_input (jaw, seal_left ...) and mien_step_opts (dt, contact ...).
        """
        if not self._busy.acquire(blocking=False):
            raise MienError("this state is being stepped by another thread")
        try:
            keep: List[Any] = []
            if settings is None:
                lib.mien_input_init(ctypes.byref(self._input))
                lib.mien_step_opts_init(ctypes.byref(self._opts))
            else:
                ctypes.pointer(self._input)[0] = settings.struct.input
                ctypes.pointer(self._opts)[0] = settings.struct.step
            inputs = {"weights": weights, "pose": pose, "head": head}
            options: Dict[str, Any] = {}
            for name, value in values.items():
                (inputs if name in _INPUTS else options)[name] = value
            if inputs.get("jaw") is not None:
                inputs["has_jaw"] = 1
            if kinematic:
                options["solver"] = _abi.Solver.KINEMATIC
            fill(self._input, inputs, keep)
            fill(self._opts, options, keep)
            if colliders is not None:
                places = [to_rigid(c) for c in colliders]
                self._input.colliders = struct_array(_abi.mien_rigid, places, keep)
                self._input.ncollider = len(places)
            begin = time.thread_time()
            result = lib.mien_step(
                self._handle, ctypes.byref(self._input), ctypes.byref(self._opts), ctypes.byref(self._error)
            )
            self.step_seconds = time.thread_time() - begin
            return raise_for(result, self._error, self._callbacks)
        finally:
            self._busy.release()

    def reset(self) -> None:
        """Back to rest at time 0."""
        lib.mien_state_reset(self._handle)

    def save(self) -> np.ndarray:
        """A snapshot (bytes): restoring it goes on with the same bits."""
        room = np.empty(lib.mien_state_size(self._handle), np.uint8)
        self._call("mien_state_save", room.ctypes.data, room.size)
        return room

    def restore(self, snapshot: Any) -> None:
        """From what `save` gave, or its bytes."""
        data = np.frombuffer(snapshot, np.uint8)
        self._call("mien_state_restore", data.ctypes.data, data.size)

    def copy_from(self, other: "State") -> None:
        """Becomes what another state of the same face is."""
        self._call("mien_state_copy", other._handle)

    def _call(self, name: str, *arguments: Any) -> None:
        error = _abi.mien_error()
        raise_for(getattr(lib, name)(self._handle, *arguments, ctypes.byref(error)), error)
