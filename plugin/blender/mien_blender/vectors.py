"""Vectors of a mesh's attribute, to and from numpy.

Blender's door is foreach_get and foreach_set. In 3.4 it carries them one by one, which takes ten
times as long as it should: there, and only there, what lies in one piece is copied in one piece. Later
Blenders do so themselves, and share memory between meshes, which is theirs alone to know.
"""

import ctypes

import bpy
import numpy as np

from .mien._structs import address_in

is_whole = bpy.app.version < (3, 5)
SIZE = 12  # bytes of a vector


class Door:
    """The first vectors of an attribute's data. Only while nothing else is done to its mesh."""

    def __init__(self, data, count, is_ours=False):
        """is_ours: the attribute was made by us, of vectors."""
        self._data, self._count = data, count
        self._start = _start(data, count, is_ours)

    def read(self, out):
        """Into `out`, (count, 3) float32 in one piece."""
        if self._start:
            ctypes.memmove(address_in(out), self._start, SIZE * self._count)
        elif len(self._data) == self._count:
            self._data.foreach_get("vector", out.reshape(-1))
        else:
            every = np.empty((len(self._data), 3), np.float32)
            self._data.foreach_get("vector", every.reshape(-1))
            out[:] = every[: self._count]

    def write(self, values):
        """All of them from `values`, (count, 3) float32 in one piece."""
        if self._start:
            ctypes.memmove(self._start, address_in(values), SIZE * self._count)
        else:
            self._data.foreach_set("vector", values.reshape(-1))


def _start(data, count, is_ours=False):
    """Where they are in memory; 0 when that is not ours to know, or when they may not lie in one piece."""
    if not (is_whole and count):
        return 0
    first = data[0].as_pointer()
    return first if is_ours or data[count - 1].as_pointer() - first == SIZE * (count - 1) else 0
