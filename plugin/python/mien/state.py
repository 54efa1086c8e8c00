"""State: everything that moves."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from . import _abi
from ._library import MienError, lib, raise_for
from ._structs import Callbacks, Info, address_in, fill, floats_out, put_floats, put_rigid, struct_array, to_rigid

_INPUTS = {name for name, _ in _abi.mien_input._fields_} - {"struct_size", "ncollider"}
_WEIGHTS, _POSE, _HEAD, _JAW = (getattr(_abi.mien_input, n).offset for n in ("weights", "pose", "head", "jaw"))
# of a mien_settings what a step is given: two structs, one after the other
_FIRST = min(_abi.mien_settings.step.offset, _abi.mien_settings.input.offset)
_SIZE = max(f.offset + f.size for f in (_abi.mien_settings.step, _abi.mien_settings.input)) - _FIRST


LINE = np.dtype([("from", "f4", 3), ("to", "f4", 3), ("value", "f4"), ("kind", "i4")])


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
        self._info_bytes = memoryview(self._struct).cast("B")
        self.info = Info(self, self._struct)
        # where the positions are now: a field of a field
        place = _abi.mien_state_info.positions.offset + _abi.mien_f32s.data.offset
        self._data = ctypes.c_void_p.from_address(ctypes.addressof(self._struct) + place)
        self._positions_size = 12 * self._struct.positions.count
        self._free = [True]  # whoever steps has taken what is in it: one list operation is nobody else's
        self._positions: Optional[np.ndarray] = None
        self._positions_at = 0
        self._given, self._error = _abi.mien_settings(), _abi.mien_error()
        self._input, self._opts = self._given.input, self._given.step
        self._input_size, self._opts_size = ctypes.sizeof(self._input), ctypes.sizeof(self._opts)
        self._input_bytes = memoryview(self._input).cast("B")
        self._given_at = ctypes.addressof(self._given) + _FIRST
        self._step, self._result = lib.mien_step, 0
        self._arguments = (out, *(ctypes.byref(s) for s in (self._input, self._opts, self._error)))

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and lib:
            lib.mien_state_free(handle)

    def __repr__(self) -> str:
        return f"<mien.State at {self.info.time:.3f} s, {self.info.nstep} steps>"

    @property
    def positions(self) -> np.ndarray:
        """Every vertex of the rig in the head's space (nvert, 3), m. Changes with every step."""
        at = self._data.value or 0
        if self._positions is None or at != self._positions_at:
            self._positions, self._positions_at = floats_out(self, self._struct.positions, 3), at
        return self._positions

    @property
    def remark(self) -> str:
        """What is wrong with the last step (skin where no face has it), with a vertex and the likely cause; "" = nothing."""
        return self._error.text.decode("utf-8", "replace") if self._result > 0 else ""

    def info_bytes(self) -> bytes:
        """A mien_state_info as it is now. What it points to changes with the state."""
        return self._info_bytes.tobytes()

    def lines(self, *kinds: _abi.LineKind) -> np.ndarray:
        """What holds and pushes the flesh, to draw: `from`, `to` (m, in the head's space), `value` and `kind` of each line.

        kinds  LineKind.CONTACT, STICKY, ATTACHMENT; none = all three
        """
        wanted = sum(1 << int(kind) for kind in set(kinds or _abi.LineKind))
        count = lib.mien_state_lines(self._handle, wanted, None, 0)
        out = np.zeros(count, LINE)
        lib.mien_state_lines(self._handle, wanted, out.ctypes.data_as(ctypes.POINTER(_abi.mien_line)), count)
        return out

    def copy_positions(self, out: np.ndarray) -> None:
        """`positions` into an array of their size, float32 in one piece."""
        if out.nbytes != self._positions_size:
            raise ValueError(f"positions take {self._positions_size} bytes, there are {out.nbytes}")
        ctypes.memmove(address_in(out), self._data, out.nbytes)

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
        jaw: Any = None,
        **values: Any,
    ) -> int:
        """Advances by dt. 0, or 1 when what came out is not plausible: see `remark`.

        weights    one per shape of the rig
        pose       or the posed rig itself (nvert, 3), m, of a host that evaluates its own deformers;
                   the jaw still follows `weights`
        head       head to world: a Rigid, a (rotation, translation) pair or a 4x4 matrix
        colliders  collider to world, one for each collider of the face
        kinematic  no physics in this step: the artist's pose
        settings   a Settings, instead of the library's defaults
        jaw        where it is in the head's space, instead of where the weights put it
        Other keywords are fields of mien_input (seal_left ...) and mien_step_opts (dt, contact ...).
        """
        try:
            self._free.pop()
        except IndexError:
            raise MienError("this state is being stepped by another thread") from None
        try:
            keep: List[Any] = []
            settings = settings or self.face.settings
            if settings is None:
                lib.mien_input_init(ctypes.byref(self._input), self._input_size)
                lib.mien_step_opts_init(ctypes.byref(self._opts), self._opts_size)
            else:
                ctypes.memmove(self._given_at, settings.address + _FIRST, _SIZE)
            self._set_motion(weights, pose, head, jaw, keep)
            if values:
                self._set_others(values, keep)
            if kinematic:
                self._opts.solver = _abi.Solver.KINEMATIC
            if colliders is not None:
                places = [to_rigid(c) for c in colliders]
                self._input.colliders = struct_array(_abi.mien_rigid, places, keep)
                self._input.ncollider = len(places)
            self._result = raise_for(self._step(*self._arguments), self._error, self._callbacks)
            return self._result
        finally:
            self._free.append(True)

    def _set_motion(self, weights: Any, pose: Any, head: Any, jaw: Any, keep: List[Any]) -> None:
        """What a host gives in every frame; without a detour through names and types."""
        into, room = self._input, self._input_bytes
        if weights is not None:
            put_floats(room, _WEIGHTS, weights, 1, keep)
        if pose is not None:
            put_floats(room, _POSE, pose, 3, keep)
        if head is not None:
            put_rigid(room, _HEAD, head)
        if jaw is not None:
            put_rigid(room, _JAW, jaw)
            into.has_jaw = 1

    def _set_others(self, values: Dict[str, Any], keep: List[Any]) -> None:
        """Any field of either struct, by its name."""
        fill(self._input, {k: v for k, v in values.items() if k in _INPUTS}, keep)
        fill(self._opts, {k: v for k, v in values.items() if k not in _INPUTS}, keep)

    def reset(self) -> None:
        """Back to rest at time 0."""
        lib.mien_state_reset(self._handle)

    @property
    def size(self) -> int:
        """Bytes of a snapshot."""
        return lib.mien_state_size(self._handle)

    def save(self, room: Optional[np.ndarray] = None) -> np.ndarray:
        """A snapshot (bytes): restoring it goes on with the same bits. room: `size` bytes to put it in."""
        if room is None:
            room = np.empty(self.size, np.uint8)
        elif room.dtype != np.uint8 or not (room.flags.c_contiguous and room.flags.writeable):
            raise ValueError("a snapshot needs bytes in one piece that can be written to")
        self._call("mien_state_write", address_in(room), room.size)
        return room

    def restore(self, snapshot: Any) -> None:
        """From what `save` gave, or its bytes."""
        data = np.frombuffer(snapshot, np.uint8)
        self._call("mien_state_read", data.ctypes.data, data.size)

    def copy_from(self, other: "State") -> None:
        """Becomes what another state of the same face is."""
        self._call("mien_state_copy", other._handle)

    def _call(self, name: str, *arguments: Any) -> None:
        error = _abi.mien_error()
        raise_for(getattr(lib, name)(self._handle, *arguments, ctypes.byref(error)), error)
