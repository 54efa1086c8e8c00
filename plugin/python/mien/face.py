"""Face: flesh under the rig's skin."""

from __future__ import annotations

import ctypes
import json
import os
import tempfile
from typing import Any, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from . import _abi
from ._library import call, lib
from ._structs import Callbacks, Info, fill, floats, integers, made, struct_array, text
from .settings import Settings


HOST = ("threads", "log", "progress", "memory_limit")


class Collider(NamedTuple):
    """A closed rigid thing the skin must not go through; metres, in its own space."""

    name: str
    positions: Any
    triangles: Any


class Face:
    """Tetrahedra, masses, regions. Never changes; any thread may use it."""

    def __init__(
        self,
        rig: Any,
        colliders: Sequence[Collider] = (),
        settings: Any = None,
        host: Optional[dict] = None,
        preset: Optional[str] = None,
        muscle_targets: Optional[Mapping[str, Any]] = None,
        **definition: Any,
    ):
        """Keywords are the fields of mien_face_def: thickness, stiffness, density ...

        settings        a Settings, instead of the library's defaults
        preset          or a kind of flesh by name, such as "jowly"; steps of the face use it, too
        muscle_targets  {name: (nvert, 3)}, expressions that the muscles are fitted to; minutes
        host            threads, log, progress, memory_limit; each may be given as a keyword as well
        """
        host = {**(host or {}), **{name: definition.pop(name) for name in HOST if name in definition}}
        keep: list = []
        if preset is not None:
            if settings is not None:
                raise TypeError("a face takes settings or a preset, not both")
            settings = Settings.preset(preset)
        self.settings = settings if preset is not None else None
        d = made(_abi.mien_face_def, {}, keep)
        if settings is not None:
            ctypes.pointer(d)[0] = settings.struct.face
        fill(d, definition, keep)
        items = [
            _abi.mien_collider(text(c.name), floats(c.positions, 3, keep), integers(c.triangles, keep))
            for c in colliders
        ]
        d.colliders, d.ncollider = struct_array(_abi.mien_collider, items, keep), len(items)
        targets = [_abi.mien_muscle_target(text(n), floats(at, 3, keep)) for n, at in (muscle_targets or {}).items()]
        if muscle_targets is not None:  # one or none is refused in words
            d.muscle_targets, d.nmuscle_target = struct_array(_abi.mien_muscle_target, targets, keep), len(targets)
        callbacks, out = Callbacks(**host), ctypes.c_void_p()
        host_at = ctypes.byref(callbacks.host)
        call("mien_face_create", rig._handle, ctypes.byref(d), host_at, ctypes.byref(out), callbacks=callbacks)
        self._handle = out
        self.rig = rig
        self.ncollider = len(items)
        self.info = Info(self, lib.mien_face_get_info(out).contents)

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and lib:
            lib.mien_face_free(handle)

    def __repr__(self) -> str:
        i = self.info
        return f"<mien.Face, {i.nskin} skin vertices, {i.ntet} tetrahedra>"

    @property
    def remarks(self) -> list:
        """What was decided and what went wrong, a sentence each."""
        return self.info.remarks or []

    @property
    def hash(self) -> int:
        """Of everything a state depends on."""
        return self.info.hash

    def fitted_muscles(self) -> str:
        """What a fit found, as JSON: rigs made with extras=... of it have the muscles without the fit."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "face.glb")
            self.rig.save(path, self)
            extras = json.loads(type(self.rig).load(path).info.extras)
        return json.dumps({"muscles": extras["muscles"]}, separators=(",", ":"))

    def on_rig(self, values: Any, fill: float = 0) -> np.ndarray:
        """Values of the skin spread to every vertex of the rig: face.on_rig(face.info.jaw)."""
        skin = self.info.skin
        out = np.full(self.rig.info.nvert, fill, np.asarray(values).dtype)
        out[skin] = values[: len(skin)]
        return out
