"""What an object remembers of its face; saved in the file, undone, overridden, keyed."""

import bpy

from . import muscles, parameters, session

OVERRIDE = {"LIBRARY_OVERRIDABLE"}


def _is_other(self, obj):
    return obj != self.id_data


def _changed(self, _context):
    """The artist set a parameter (an animation curve does not come here): look at all frames again."""
    session.distrust(self.uid)
    self.id_data.update_tag()


def _offset(obj, target, bone):
    """Where the object is, seen from what carries it: with a bone at rest, so that any pose will do."""
    at = target.matrix_world.copy()
    if bone and target.type == "ARMATURE" and bone in target.data.bones:
        at = at @ target.data.bones[bone].matrix_local
    return [value for row in at.inverted_safe() @ obj.matrix_world for value in row]


def _bones_changed(self, context):
    if self.head_target is not None:
        self.head_offset = _offset(self.id_data, self.head_target, self.head_bone)
    if self.jaw_target is not None:
        self.jaw_offset = _offset(self.id_data, self.jaw_target, self.jaw_bone)
    _changed(self, context)


def _matrix():
    return bpy.props.FloatVectorProperty(
        size=16, default=[float(i % 5 == 0) for i in range(16)], override=OVERRIDE
    )


class MienFaceSettings(bpy.types.PropertyGroup):
    is_attached: bpy.props.BoolProperty(override=OVERRIDE)
    uid: bpy.props.StringProperty(override=OVERRIDE)
    preset: bpy.props.StringProperty(name="Preset", override=OVERRIDE)  # the one chosen last
    start_frame: bpy.props.IntProperty(
        name="Start frame", default=1, update=_changed, override=OVERRIDE,
        description="Physics begins here, with the face at rest; before it the rig is shown as it is",
    )  # fmt: skip
    catch_up: bpy.props.BoolProperty(
        name="Simulate when scrubbing", default=True, override=OVERRIDE,
        description="A jump to a frame simulates those before it; otherwise play from the start",
    )  # fmt: skip
    head_target: bpy.props.PointerProperty(
        name="Head", type=bpy.types.Object, poll=_is_other, update=_bones_changed, override=OVERRIDE,
        description="What carries the head, when it is not the mesh itself: an object or an armature's bone",
    )  # fmt: skip
    head_bone: bpy.props.StringProperty(name="Bone", update=_bones_changed, override=OVERRIDE)
    head_offset: _matrix()
    jaw_target: bpy.props.PointerProperty(
        name="Jaw", type=bpy.types.Object, poll=_is_other, update=_bones_changed, override=OVERRIDE,
        description="What moves the jaw, when it is not a shape key: an object or an armature's bone",
    )  # fmt: skip
    jaw_bone: bpy.props.StringProperty(name="Bone", update=_bones_changed, override=OVERRIDE)
    jaw_offset: _matrix()
    colliders: bpy.props.PointerProperty(
        name="Colliders", type=bpy.types.Collection, update=_changed, override=OVERRIDE,
        description="Meshes the skin must not go through. Those with shape keys or parented to the face "
        "are part of the head (teeth, eyes, skull), others are rigid and move by themselves (a hand)",
    )  # fmt: skip
    landmarks: bpy.props.StringProperty(override=OVERRIDE)  # "60:1234 61:..." vertices picked in the view
    show_contact: bpy.props.BoolProperty(
        name="Contacts", update=_changed, override=OVERRIDE,
        description="Draw where skin is close to skin, teeth or a collider; red = it touches",
    )  # fmt: skip
    show_sticky: bpy.props.BoolProperty(
        name="Sticky springs", update=_changed, override=OVERRIDE,
        description="Draw the springs between lips that stick; yellow = about to break",
    )  # fmt: skip
    show_attachment: bpy.props.BoolProperty(
        name="Attachments", update=_changed, override=OVERRIDE,
        description="Draw what holds the flesh to the bone: how far it is from where bone wants it",
    )  # fmt: skip
    take_home: _matrix()
    muscle_channels: bpy.props.CollectionProperty(type=muscles.MienMuscleChannel, override=OVERRIDE)
    fitted_muscles: bpy.props.StringProperty(override=OVERRIDE)  # JSON of what a fit found; empty = the atlas's
    expressions: bpy.props.StringProperty(
        name="Expressions", override=OVERRIDE,
        description="Shape keys that the muscles are fitted to: jawOpen=0.4,mouthSmileLeft+mouthSmileRight,... "
        "Each between commas is one expression, 2 at least; empty: five usual ones",
    )  # fmt: skip
    scans: bpy.props.PointerProperty(
        name="Scans", type=bpy.types.Collection, override=OVERRIDE,
        description="Or meshes of this subject's expressions, instead of shape keys: the same vertices in the "
        "same order and at the same place as in this mesh",
    )  # fmt: skip
    bake_start: bpy.props.IntProperty(override=OVERRIDE)
    bake_end: bpy.props.IntProperty(override=OVERRIDE)


def register():
    muscles.register()  # what the settings hold a list of is known before them
    MienFaceSettings.__annotations__.update(parameters.annotations(_changed))
    bpy.utils.register_class(MienFaceSettings)
    bpy.types.Object.mien = bpy.props.PointerProperty(type=MienFaceSettings, override=OVERRIDE)


def unregister():
    del bpy.types.Object.mien
    bpy.utils.unregister_class(MienFaceSettings)
    muscles.unregister()
