"""Rig: what the artist made."""

from __future__ import annotations

import ctypes
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._library import call, lib
from ._structs import Callbacks, Info, fill, floats, integers, made, pick, struct_array, text


class Part(NamedTuple):
    """A piece of a rig's vertices and faces: skin, teeth, eyes."""

    name: str
    kind: Union[str, _abi.PartKind]
    first_vertex: int
    nvert: int
    first_face: int
    nface: int


class Shape(NamedTuple):
    """A blendshape: deltas of the vertices named, or of all."""

    name: str
    deltas: Any
    indices: Any = None


class Rig:
    """Neutral, shapes, parts and painted maps. Never changes; any thread may use it."""

    def __init__(self, handle: ctypes.c_void_p):
        self._handle = handle
        self.info = Info(self, lib.mien_rig_get_info(handle).contents)

    @classmethod
    def load(cls, path: Any, **host: Any) -> "Rig":
        """Reads a .glb file, or a folder of OBJ files (neutral.obj and one file per shape)."""
        callbacks, out = Callbacks(**host), ctypes.c_void_p()
        call("mien_rig_load", text(path), ctypes.byref(callbacks.host), ctypes.byref(out), callbacks=callbacks)
        return cls(out)

    @classmethod
    def read(cls, data: bytes, **host: Any) -> "Rig":
        """The same from the bytes of a .glb file."""
        callbacks, out = Callbacks(**host), ctypes.c_void_p()
        host_at = ctypes.byref(callbacks.host)
        call("mien_rig_read", data, len(data), host_at, ctypes.byref(out), callbacks=callbacks)
        return cls(out)

    @classmethod
    def create(
        cls,
        positions: Any,
        faces: Any,
        face_sizes: Any = None,
        shapes: Union[Mapping[str, Any], Sequence[Shape]] = (),
        maps: Optional[Mapping[str, Any]] = None,
        parts: Sequence[Part] = (),
        host: Optional[dict] = None,
        **definition: Any,
    ) -> "Rig":
        """Makes a rig from arrays; everything is copied.

        positions  (n, 3)
        faces      (m, 3) triangles, or corners of polygons one after the other with `face_sizes`
        shapes     {name: (n, 3) deltas}, or a list of Shape
        maps       {name: (n,) or (n, 3)}, painted maps
        Other keywords are the fields of mien_rig_def: name, metres_per_unit, weld, uvs, landmarks ...
        """
        keep: list = []
        if isinstance(shapes, Mapping):
            shapes = [Shape(name, deltas) for name, deltas in shapes.items()]
        made_shapes = [_shape(s, keep) for s in shapes]
        made_maps = [_map(name, values, keep) for name, values in (maps or {}).items()]
        made_parts = [_part(p) for p in parts]
        definition = dict(definition, positions=positions, faces=faces, face_sizes=face_sizes)
        d = made(_abi.mien_rig_def, definition, keep)
        arrays = {
            "shapes": struct_array(_abi.mien_shape, made_shapes, keep),
            "maps": struct_array(_abi.mien_map, made_maps, keep),
            "parts": struct_array(_abi.mien_part, made_parts, keep),
        }
        for name, array in arrays.items():
            setattr(d, name, ctypes.cast(array, dict(d._fields_)[name]))
        d.nshape, d.nmap, d.npart = len(made_shapes), len(made_maps), len(made_parts)
        callbacks, out = Callbacks(**(host or {})), ctypes.c_void_p()
        host_at = ctypes.byref(callbacks.host)
        call("mien_rig_create", ctypes.byref(d), host_at, ctypes.byref(out), callbacks=callbacks)
        return cls(out)

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and lib:
            lib.mien_rig_free(handle)

    def __repr__(self) -> str:
        i = self.info
        return f"<mien.Rig '{i.name}', {i.nvert} vertices, {i.nshape} shapes>"

    @property
    def shape_names(self) -> list:
        """In the order of the weights."""
        return [shape.name for shape in self.info.shapes or []]

    @property
    def remarks(self) -> list:
        """What was found odd while it was read, a sentence each."""
        return self.info.remarks or []

    @property
    def positions(self) -> np.ndarray:
        """At rest, welded vertices (nvert, 3), m."""
        return self.info.positions

    @property
    def render_map(self) -> np.ndarray:
        """Which welded vertex a render vertex is: positions[rig.render_map] is what a host shows."""
        return self.info.render_map

    def find_shape(self, name: str) -> int:
        """Its number in any common spelling of the name; -1 when there is none."""
        return lib.mien_rig_find_shape(self._handle, text(name))

    def map(self, name: str) -> Optional[np.ndarray]:
        """A painted map, or None."""
        k = lib.mien_rig_find_map(self._handle, text(name))
        return self.info.maps[k].values if k >= 0 else None

    def weights(self, **by_name: float) -> np.ndarray:
        """One weight per shape: rig.weights(jawOpen=0.7)."""
        out = np.zeros(self.info.nshape, np.float32)
        for name, value in by_name.items():
            k = self.find_shape(name)
            if k < 0:
                raise KeyError(f"the rig has no shape '{name}'")
            out[k] = value
        return out

    def pose(self, weights: Any) -> np.ndarray:
        """Plain blendshapes: (nvert, 3), m."""
        keep: list = []
        view = floats(np.ascontiguousarray(weights, np.float32), 1, keep)
        out = np.empty((self.info.nvert, 3), np.float32)
        at = ctypes.cast(out.ctypes.data, ctypes.POINTER(ctypes.c_float))
        call("mien_rig_pose", self._handle, view.data, view.count, at)
        return out

    def save(self, path: Any, face: Any = None, take: Any = None) -> None:
        """Writes a .glb; with a face its regions and flesh, with a take the animation."""
        call(
            "mien_rig_save",
            self._handle,
            face._handle if face else None,
            take._handle if take else None,
            text(path),
        )


def _shape(shape: Shape, keep: list) -> "_abi.mien_shape":
    out = _abi.mien_shape(text(shape.name))
    out.deltas = floats(shape.deltas, 3, keep)
    if shape.indices is not None:
        out.indices = integers(shape.indices, keep)
    return out


def _map(name: str, values: Any, keep: list) -> "_abi.mien_map":
    array = np.asarray(values)
    width = 1 if array.ndim == 1 else array.shape[1]
    return _abi.mien_map(text(name), width, floats(array, width, keep))


def _part(part: Part) -> "_abi.mien_part":
    out = _abi.mien_part(text(part.name), pick(_abi.PartKind, part.kind, "kind"))
    fill(out, {"first_vertex": part.first_vertex, "nvert": part.nvert}, [])
    out.first_triangle, out.ntri = part.first_face, part.nface
    return out
