"""Memory that is used again.

Memory that is new to a program is given to it page by page when it is first written to, which takes
several times as long as the writing. Frames come and go by the hundred: theirs is asked for ahead of
time, and what a forgotten frame leaves is where the next one goes.
"""

from __future__ import annotations

import ctypes
import functools
import operator
from typing import Any, Dict, List, Tuple

import numpy as np

AT_ONCE = 8  # arrays made at a time
SLAB = 1 << 20  # bytes asked for at a time, when nothing was reserved


class Block(np.ndarray):
    """An array in one piece that knows where it is: to ask numpy takes longer than to copy it."""

    address = 0  # of a part of one, too, which does not know


def _give_back(piece: Any) -> None:
    """The last array that looked at it is gone."""
    piece.owner.free.append(ctypes.addressof(piece))


@functools.lru_cache(maxsize=None)
def _piece_type(size: int) -> Any:
    return type("Piece", (ctypes.c_char * size,), {"__del__": _give_back})


class _Pieces:
    """Pieces of one size, a multiple of 64 bytes."""

    def __init__(self, size: int):
        self.size = size
        self.free: List[int] = []  # their addresses
        self._type = _piece_type(size)
        self._slabs: List[np.ndarray] = []

    def take(self) -> Any:
        if not self.free:
            self.reserve(max(1, SLAB // self.size))
        piece = self._type.from_address(self.free.pop())
        piece.owner = self
        return piece

    def reserve(self, count: int) -> None:
        """So many are free from now on, and have been written to."""
        count -= len(self.free)
        if count <= 0:
            return
        slab = np.empty(count * self.size + 64, np.uint8)
        slab.fill(0)
        self._slabs.append(slab)
        first = -(-slab.ctypes.data // 64) * 64
        self.free.extend(range(first + (count - 1) * self.size, first - 1, -self.size))


def _block(shape: Tuple[int, ...], dtype: Any, piece: Any) -> Block:
    block = Block(shape, dtype, piece)
    block.address = ctypes.addressof(piece)
    return block


def _size(shape: Tuple[int, ...]) -> int:
    return functools.reduce(operator.mul, shape, 4)


class Memory:
    """Where arrays come from whose number and size repeat. They begin with whatever was there before."""

    def __init__(self) -> None:
        self._pieces: Dict[int, _Pieces] = {}
        self._ready: Dict[Tuple[int, ...], List[Block]] = {}

    def array(self, shape: Tuple[int, ...]) -> Block:
        """Of float32."""
        ready = self._ready.get(shape)
        if not ready:  # several at a time: the first takes as long as all of them
            self._make(shape, AT_ONCE)
            ready = self._ready[shape]
        return ready.pop()

    def put_back(self, array: np.ndarray) -> None:
        """One that nobody looks at any more: the next to ask gets it."""
        ready = self._ready.get(array.shape)
        if ready is not None and type(array) is Block and array.address:
            ready.append(array)

    def bytes(self, size: int, at_least: int = 0) -> Block:
        """Those whose size varies share pieces that are large enough for nearly all."""
        return _block((size,), np.uint8, self._pieces_of(max(size, at_least)).take())

    def reserve(self, size: int, count: int) -> None:
        """Room for so many arrays of so many bytes."""
        self._pieces_of(size).reserve(count)

    def reserve_arrays(self, shape: Tuple[int, ...], count: int) -> None:
        """So many arrays, made already: to make one takes longer than to fill it."""
        missing = count - len(self._ready.get(shape, ()))
        if missing > 0:
            self._pieces_of(_size(shape)).reserve(missing)
            self._make(shape, missing)

    def _make(self, shape: Tuple[int, ...], count: int) -> None:
        pieces = self._pieces_of(_size(shape))
        made = [_block(shape, np.float32, pieces.take()) for _ in range(count)]
        self._ready.setdefault(shape, []).extend(made)

    def _pieces_of(self, size: int) -> _Pieces:
        if size <= 0:
            raise ValueError("an array of nothing needs no memory")
        grain = max(64, 1 << max(0, size.bit_length() - 4))  # an eighth of it at most is left empty
        size = -(-size // grain) * grain
        if size not in self._pieces:
            self._pieces[size] = _Pieces(size)
        return self._pieces[size]
