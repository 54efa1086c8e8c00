"""A face that is much larger or smaller than an adult's: libmien asks whether that is meant, one button says no."""

import bpy
import numpy as np

from . import attach, failures, handlers, session
from .mien import MienError


def factor(made):
    """By which a face (source.Source) would have a human's size in a unit that people use; libmien's own way to
    read a file that does not say its unit."""
    as_it_is, found = (made.rig(with_maps=False, find_unit=k).positions for k in (0, 1))
    return float(np.ptp(found) / np.ptp(as_it_is))


def top(obj):
    """What the artist scales when he means the whole character."""
    while obj.parent is not None:
        obj = obj.parent
    return obj


class MIEN_OT_scale_face(bpy.types.Operator):
    """Scale the character and its colliders, so that the face is as tall as an adult's"""

    bl_idname = "mien.scale_face"
    bl_label = "Scale to human size"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        obj = attach.active_face(context)
        return obj is not None and session.get(obj).source is not None

    def execute(self, context):
        obj = attach.active_face(context)
        try:
            by = factor(session.get(obj).source)
            if abs(by - 1) < 1e-3:
                raise MienError("no usual unit gives this face a human's size: scale the object yourself")
        except failures.KINDS as error:
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        pivot = top(obj).location.copy()
        for thing in {top(o) for o in (obj, *session.collection_meshes(obj))}:
            thing.location = pivot + by * (thing.location - pivot)
            thing.scale *= by
        context.view_layer.update()
        handlers.refresh(context.scene, may_catch_up=False)
        self.report({"INFO"}, f"Scaled by {by:.4g}")
        return {"FINISHED"}


def register():
    bpy.utils.register_class(MIEN_OT_scale_face)


def unregister():
    bpy.utils.unregister_class(MIEN_OT_scale_face)
