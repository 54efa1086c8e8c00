"""What the farm made of an exported shot comes back: one cache of the whole rig, cut into one for each
mesh, in its own space, played by Blender's Mesh Cache."""

import os

import bpy
import numpy as np
from bpy_extras.io_utils import ImportHelper

from . import attach, axes, bake, failures, handlers, session, source
from .mien import CacheReader, MienError


def _back(s, obj, scene, frame):
    """Object from head in a frame; None when the object itself is the head."""
    if not s.has_targets:
        return None
    scene.frame_set(frame)
    return s.read(obj, bpy.context.evaluated_depsgraph_get())[2]


def _write(path, first, frames):
    writer = bake.Pc2Writer(bpy.path.abspath(path), len(frames[0]), float(first))
    for points in frames:
        writer.append(np.ascontiguousarray(points, np.float32))
    writer.finish()


def _face_frames(obj, scene, s, points, first):
    out = []
    for k, frame in enumerate(points):
        if len(frame) == s.nrender and s.is_welded:  # every vertex of the meshes
            skin = frame[: s.source.nskin]
            back = _back(s, obj, scene, first + k)
            if back is not None:
                skin = source.transform(axes.matrix_to_mien(back), skin)
            here = s.source.unscaled(skin)
        else:
            here = s.positions_out(frame, _back(s, obj, scene, first + k))
        out.append(axes.to_blender(here))
    return out


def _siblings(path, obj):
    """Files of `mien bake -o NAME{mesh}.pc2`, one for each mesh, found beside the one of the face; None when
    this is none of them."""
    folder, name = os.path.split(path)
    own = bake.file_name(obj.name)
    at = name.rfind(own)
    others = session.companions_of(obj)
    if at < 0 or not others:
        return None
    files = [os.path.join(folder, name[:at] + bake.file_name(o.name) + name[at + len(own) :]) for o in others]
    missing = [os.path.basename(f) for f in files if not os.path.exists(f)]
    if missing:
        raise MienError(f"beside {name} there is no {missing[0]}")
    return [path, *files]


def read_points(path, obj):
    """(frame, point, 3) of the whole rig: of one cache, or of one for each mesh."""
    points = np.array(CacheReader(path).points)
    files = _siblings(path, obj) if points.shape[1] == len(obj.data.vertices) else None
    if files is None:
        return points
    parts = [np.array(CacheReader(file).points) for file in files]
    if len({len(part) for part in parts}) > 1:
        raise MienError("the caches of the meshes have different numbers of frames")
    return np.concatenate(parts, axis=1)


def load(path, obj, scene):
    """Plays a farm's cache on the face and on its teeth, eyes and tongue; returns (frames, meshes)."""
    points, before = read_points(path, obj), bake.free_cache(obj)
    try:
        frames, wide, first = _place(points, obj, scene, os.path.basename(path))
    except failures.KINDS:
        if before is not None:
            bake.use_cache(obj, *before)
        raise
    file = bake.cache_path(obj)
    _write(file, first, frames)
    bake.use_cache(obj, file, first)
    obj.mien.bake_start, obj.mien.bake_end = first, first + len(points) - 1
    return len(points), 1 + _load_companions(obj, session.get(obj), wide, first)


def _place(points, obj, scene, name):
    """(frames of the face in its own space, every point of the rig, first frame)."""
    s, now, first = session.get(obj), scene.frame_current, obj.mien.start_frame
    with handlers.quiet():
        s.build(obj, scene, bpy.context.evaluated_depsgraph_get())
        rig = s.face.rig
        if points.shape[1] not in (rig.info.nvert, rig.info.nrender):
            raise MienError(f"{name} has {points.shape[1]} points a frame, "
                            f"'{obj.name}' with its parts {rig.info.nrender}: it is of another rig")
        frames = _face_frames(obj, scene, s, points, first)
        scene.frame_set(now)
    return frames, points if points.shape[1] == rig.info.nrender else points[:, rig.render_map], first


def _load_companions(obj, s, points, first):
    """Teeth, eyes, tongue follow the face in the cache; each gets its own, in its own space."""
    at, count = s.source.nskin, 0
    inverse = np.linalg.inv(np.array(obj.matrix_world, np.float64))
    turn = axes.TURN @ np.diag([*s.source.scale, 1.0]) @ inverse
    for other in session.companions_of(obj):
        n = len(other.data.vertices)
        home = np.linalg.inv(turn @ np.array(other.matrix_world, np.float64))
        file = bake.cache_path(obj, other.name)
        _write(file, first, [source.transform(home, frame[at : at + n]) for frame in points])
        bake.use_cache(other, file, first)
        at, count = at + n, count + 1
    return count


class MIEN_OT_import_result(bpy.types.Operator, ImportHelper):
    """Play what `bake.sh` of an exported shot has written: on the face, its teeth, eyes and tongue"""

    bl_idname = "mien.import_result"
    bl_label = "Import farm result"
    bl_options = {"REGISTER", "UNDO"}
    filename_ext = ".pc2"
    filter_glob: bpy.props.StringProperty(default="*.pc2", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        obj = attach.active_face(context)
        return obj is not None and obj.mode == "OBJECT"

    def execute(self, context):
        try:
            nframe, nmesh = load(self.filepath, attach.active_face(context), context.scene)
        except failures.KINDS as error:
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{nframe} frames on {nmesh} mesh" + "es" * (nmesh > 1))
        return {"FINISHED"}


def register():
    bpy.utils.register_class(MIEN_OT_import_result)


def unregister():
    bpy.utils.unregister_class(MIEN_OT_import_result)
