"""The drive "muscle": a channel for every muscle of the face, to be keyed or driven like a shape key."""

import bpy
import numpy as np

from . import attach, failures, handlers, session
from .mien import MienError

LEAST, MOST = -1.0, 0.7  # of a contraction: 0.3 = 30 % shorter along the fibre


def _changed(self, _context):
    obj = self.id_data
    session.distrust(obj.mien.uid)
    obj.update_tag()


class MienMuscleChannel(bpy.types.PropertyGroup):
    """One muscle; its name is the channel's."""

    contraction: bpy.props.FloatProperty(
        name="Contraction", min=LEAST, max=MOST, soft_min=0, default=0, update=_changed, override={"LIBRARY_OVERRIDABLE"},
        description="0 = at rest, 0.3 = 30 % shorter along its fibres and thicker by as much",
    )  # fmt: skip


def names_of(face):
    """Of the muscles of a mien.Face, in its order."""
    info = face.info
    return [info.muscles[k].name for k in range(info.nmuscle)]


def read(props, face, settings):
    """One contraction for each muscle of the face; None when no muscle drives or stiffens it."""
    count = len(props.muscle_channels)
    is_used = settings["drive"] == "muscle" or settings["muscle_stiffening"] > 0
    if not count or not is_used or count != face.info.nmuscle:
        return None
    values = np.empty(count, np.float32)
    props.muscle_channels.foreach_get("contraction", values)
    return values


def mark_of_fit(props):
    """Short, for comparing in every frame: the end of the shares tells one fit from another."""
    return len(props.fitted_muscles), props.fitted_muscles[-64:]


SIDES = {"left": "Left", "right": "Right"}


def pairs(channels):
    """[(a muscle's name, [(side, channel)])]: both sides of a muscle under one name, which is long enough."""
    found = {}
    for channel in channels:
        stem, _, side = channel.name.rpartition("_")
        if side not in SIDES:
            stem, side = channel.name, ""
        found.setdefault(stem.replace("_", " ").capitalize(), []).append((SIDES.get(side, ""), channel))
    return list(found.items())


def make_channels(obj, names):
    """A channel for every muscle; what is set of one that stays is kept."""
    channels = obj.mien.muscle_channels
    before = {channel.name: channel.contraction for channel in channels}
    channels.clear()
    for name in names:
        channel = channels.add()
        channel.name, channel.contraction = name, before.get(name, 0.0)


class MIEN_OT_use_muscles(bpy.types.Operator):
    """Let muscles move this face instead of shape keys: a channel for each of them, to be keyed"""

    bl_idname = "mien.use_muscles"
    bl_label = "Use muscles"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        obj = attach.active_face(context)
        return obj is not None and obj.mode == "OBJECT"

    def execute(self, context):
        obj = attach.active_face(context)
        before = obj.mien.muscles, obj.mien.drive
        obj.mien.muscles, obj.mien.drive = True, "muscle"
        s = session.get(obj)
        s.is_dirty = True
        try:
            with handlers.quiet():
                context.view_layer.update()
                s.build(obj, context.scene, context.evaluated_depsgraph_get())
            names = names_of(s.face)
            if not names:
                raise MienError("mien finds no place for muscles in this face: it needs a mouth and eyes")
        except failures.KINDS as error:
            obj.mien.muscles, obj.mien.drive = before
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        make_channels(obj, names)
        handlers.refresh(context.scene, may_catch_up=False)
        self.report({"INFO"}, f"{len(names)} muscles; set or key them in the panel 'Muscles'")
        return {"FINISHED"}


def register():
    bpy.utils.register_class(MienMuscleChannel)
    bpy.utils.register_class(MIEN_OT_use_muscles)


def unregister():
    bpy.utils.unregister_class(MIEN_OT_use_muscles)
    bpy.utils.unregister_class(MienMuscleChannel)
