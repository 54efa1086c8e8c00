"""Frames in any order: a simulation on a timeline that can be scrubbed.

A host asks for a frame with what drives it (FrameInput). What comes back is what an uninterrupted
run from the start would give, to the last bit, or None when frames before it have to be visited
first because they were never seen or may have changed since; `first_needed` says which.

    shown = None
    while shown is None:  # more than once only when frames had been forgotten to save memory
        for k in range(playback.first_needed(frame), frame):
            playback.visit(k, input_of(k))
        shown = playback.visit(frame, input_of(frame))
"""

from __future__ import annotations

import math
from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np

from . import _abi
from ._structs import is_same
from .memory import Block, Memory
from .state import State

STRIDE = 4  # frames between snapshots: going back costs three steps at most


class FrameInput(NamedTuple):
    """All that a frame depends on besides the frame before it. Arrays are kept, not copied: a new one
    for every frame that was not known; writing into one that was kept is an error."""

    pose: Optional[np.ndarray]  # (nvert, 3) float32, m, or None: the weights pose the rig
    weights: Optional[np.ndarray]
    head: Any = None
    colliders: Optional[tuple] = None
    settings: Any = None  # a Settings, dt included
    jaw: Any = None  # in the head's space; None: it follows the weights
    contractions: Optional[np.ndarray] = None  # one per muscle of the face, for the drive "muscle"

    @property
    def more(self) -> Dict[str, Any]:
        """What few faces have, as keywords of State.step."""
        return {} if self.contractions is None else {"contractions": self.contractions}

    def keep(self) -> None:
        """From now on nobody writes into its arrays: who reused them has to take others."""
        for array in (self.pose, self.weights):
            # a Block is taken anew for every frame
            if type(array) is not Block and isinstance(array, np.ndarray):
                array.setflags(write=False)

    def equals(self, other: "FrameInput") -> bool:
        """To the last bit."""
        return (
            (self.settings is other.settings or self.settings == other.settings)
            and self.head == other.head
            and self.jaw == other.jaw
            and self.colliders == other.colliders
            and is_same(self.weights, other.weights)
            and is_same(self.contractions, other.contractions)
            and is_same(self.pose, other.pose)
        )


def pre_roll_steps(settings: Any) -> int:
    """How often the first frame is held before it counts."""
    if settings is None:
        return 0
    return math.ceil(settings.struct.play.pre_roll / settings.struct.step.dt - 1e-6)


class Summary(NamedTuple):
    """What a host says of a frame, long after the state has gone on."""

    max_offset: float  # m
    seconds: float
    ncontact: int
    ninverted: int
    nimplausible: int  # skin vertices where no face has them


class Frame:
    """One frame that was simulated."""

    __slots__ = ("input", "positions", "snapshot", "lines", "_info")

    def __init__(self, input_: FrameInput, positions: np.ndarray, snapshot: Optional[np.ndarray], info: bytes):
        self.input, self.positions, self.snapshot, self._info = input_, positions, snapshot, info
        self.lines: Optional[np.ndarray] = None  # of State.lines, where they are wanted

    @property
    def summary(self) -> Summary:
        """Taken apart only when somebody asks."""
        info = _abi.mien_state_info.from_buffer_copy(self._info)
        return Summary(info.max_offset, info.seconds, info.ncontact, info.ninverted, info.nimplausible)

    def size(self) -> int:
        """Bytes that it takes."""
        pose = self.input.pose
        snapshot = 0 if self.snapshot is None else self.snapshot.size
        lines = 0 if self.lines is None else self.lines.nbytes
        return self.positions.nbytes + (0 if pose is None else pose.nbytes) + snapshot + lines


class Playback:
    """A state, and the frames it has been through."""

    def __init__(self, face: Any, start: int, memory: int = 512 << 20, room: Optional[Memory] = None, **host: Any):
        """memory: bytes that frames may take before most of them are forgotten again.
        room: where they are put; that of a timeline before this one is used again."""
        self.state = State(face, **host)
        self.room = room or Memory()
        self.start, self.memory = start, memory
        self.frames: Dict[int, Frame] = {}
        self.trusted = start - 1  # every frame up to here has been visited since `distrust`
        self.nstep = 0  # steps taken in all: what replaying cost
        self._kinds: Tuple[Any, ...] = ()  # of lines that are kept with every frame
        self._at: Optional[int] = None  # the frame that `state` is
        self._stride = STRIDE  # snapshots are kept of multiples of it
        self._hot: Optional[Tuple[int, np.ndarray]] = None  # of the frame that was last gone back to
        self._shape = self.state.positions.shape
        self._snapshot_room = self.state.size * 9 // 8  # what touches is part of it, too
        self._size = 0
        self._last = start - 1  # no frame after this one is known

    # -- what a host asks ---------------------------------------------------------------------------

    def first_needed(self, frame: int) -> int:
        """The first frame that has to be visited, in order, before this one can be."""
        if frame <= self.start:
            return frame
        return min(frame, max(self.start, self.trusted + 1))

    def distrust(self) -> None:
        """Something in the scene changed: what frames depend on has to be looked at again."""
        self.trusted = self.start - 1

    def forget(self) -> None:
        """Everything: the next visit begins at the start."""
        self.frames.clear()
        self._size, self._at, self._stride, self._hot = 0, None, STRIDE, None
        self._last = self.start - 1
        self.distrust()

    def keep_lines(self, *kinds: Any) -> None:
        """From now on every frame keeps State.lines of these kinds; frames without them are simulated again."""
        if not set(kinds) <= set(self._kinds):
            self.forget()
        self._kinds = kinds

    def reserve(self, nframe: int, limit: int) -> None:
        """Memory for so many frames ahead of time, of so many bytes at most: a frame that has to ask for it takes longer."""
        shown, snapshot = self.state.positions.nbytes, self._snapshot_room
        nframe = min(nframe, limit // max(1, 2 * shown + snapshot // STRIDE))
        self.room.reserve_arrays(self._shape, 2 * nframe)  # positions and pose
        self.room.reserve(snapshot, -(-nframe // STRIDE))

    def visit(self, frame: int, input_: FrameInput) -> Optional[np.ndarray]:
        """Positions of a frame (nvert, 3), or None when earlier frames are needed."""
        if frame < self.start:
            return None
        if frame > self.start and self.trusted < frame - 1:
            return None
        known = self.frames.get(frame)
        if known is not None and known.input.equals(input_):
            self.trusted = max(self.trusted, frame)
            return known.positions
        # before the step: after it nothing of ours is in the processor's caches
        input_.keep()
        positions = self.room.array(self._shape)
        if frame == self.start:
            self._begin(input_)
        elif not self._go_to(frame - 1):
            return None
        else:
            self._step(input_)
        self._at = frame
        self._keep(frame, input_, positions)
        return positions

    def between(self, time: float) -> Optional[Tuple[np.ndarray, np.ndarray]]:
        """(positions, pose) at a time between two frames that are known: for motion blur."""
        low = int(np.floor(time))
        a, b = self.frames.get(low), self.frames.get(low + 1)
        a = a or b
        b = b or a
        if a is None or b is None or a.input.pose is None or b.input.pose is None:
            return None
        t = np.float32(time - low)
        return (
            (1 - t) * a.positions + t * b.positions,
            (1 - t) * a.input.pose + t * b.input.pose,
        )

    # -- how it gets there --------------------------------------------------------------------------

    def _begin(self, input_: FrameInput) -> None:
        """The first frame starts at rest where the head is: the first step after a reset has nothing to come from."""
        self.state.reset()
        for _ in range(1 + pre_roll_steps(input_.settings)):
            self._step(input_)

    def _step(self, input_: FrameInput) -> None:
        self._at = None
        self.state.step(input_.weights, input_.pose, input_.head, input_.colliders, settings=input_.settings,
                        jaw=input_.jaw, **input_.more)  # fmt: skip
        self.nstep += 1

    def _go_to(self, frame: int) -> bool:
        """Makes `state` a frame: from where it is, from a snapshot, by replaying what was seen."""
        if self._at == frame:
            return True
        if self._hot is not None and self._hot[0] == frame:
            self.state.restore(self._hot[1])
            self._at = frame
            return True
        first = frame
        while first >= self.start and (first not in self.frames or self.frames[first].snapshot is None):
            first -= 1
        missing = [k for k in range(max(first, self.start), frame + 1) if k not in self.frames]
        if first < self.start or missing:
            # forgotten to save memory: the host has to show them again
            self.trusted = max(self.start - 1, (missing[0] if missing else self.start) - 1)
            return False
        self.state.restore(self.frames[first].snapshot)
        self._at = first
        for k in range(first + 1, frame + 1):
            self._step(self.frames[k].input)
            self._at = k
        self._hot = (frame, self._snapshot())  # a slider that is dragged comes back here
        return True

    def _keep(self, frame: int, input_: FrameInput, positions: np.ndarray) -> None:
        """What `state` is now, instead of what the frame and later ones were."""
        self.state.copy_positions(positions)
        snapshot = self._snapshot() if self._is_kept(frame) else None
        if self._hot is not None and self._hot[0] >= frame:
            self._hot = None
        if frame <= self._last:
            for later in [k for k in self.frames if k >= frame]:
                self._size -= self.frames.pop(later).size()
        self._last = self.trusted = frame
        made = self.frames[frame] = Frame(input_, positions, snapshot, self.state.info_bytes())
        if self._kinds:
            made.lines = self.state.lines(*self._kinds)
        self._size += made.size()
        while self._size > self.memory and self._stride < 1 << 20:
            self._thin(frame)

    def _snapshot(self) -> np.ndarray:
        return self.state.save(self.room.bytes(self.state.size, self._snapshot_room))

    def _is_kept(self, frame: int) -> bool:
        return (frame - self.start) % self._stride == 0

    def _thin(self, newest: int) -> None:
        """Half of the snapshots go; when they are far apart, whole frames go with them."""
        self._stride *= 2
        for k in list(self.frames):
            if k == newest or self._is_kept(k):
                continue
            if self._stride > 16:
                self._size -= self.frames.pop(k).size()
                continue
            snapshot, self.frames[k].snapshot = self.frames[k].snapshot, None
            self._size -= 0 if snapshot is None else snapshot.size
