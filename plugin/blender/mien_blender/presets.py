"""Kinds of flesh by name: one choice sets the sliders that belong together."""

import bpy

from . import attach, parameters
from .mien import _abi, presets

VECTOR = _abi.ParamKind.VECTOR


def _touched():
    """Every parameter that some preset sets: another preset takes it back."""
    return {name for preset in presets.names() for name in presets.values(preset)}


def apply(props, name):
    """The defaults with what the preset says; parameters that no preset knows stay."""
    given = presets.values(name)
    for p in parameters.shown():
        if p.name not in _touched():
            continue
        value = given.get(p.name, parameters.DEFAULTS.get(p.name, p.default))
        if p.kind == VECTOR and p.name in given:
            x, y, z = value  # mien's axes: Y is up
            value = (x, -z, y) if p.minimum < 0 else (x, z, y)
        setattr(props, p.name, value)
    props.preset = name


def items(_self=None, _context=None):
    return [(name, name.capitalize(), presets.about(name)) for name in presets.names()]


class MIEN_OT_preset(bpy.types.Operator):
    """Set the flesh to one of the kinds that come with mien"""

    bl_idname = "mien.preset"
    bl_label = "Preset"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.EnumProperty(name="Preset", items=items())

    @classmethod
    def description(cls, _context, properties):
        """Of the kind under the pointer, not of all."""
        return presets.about(properties.preset)

    @classmethod
    def poll(cls, context):
        return attach.active_face(context) is not None

    def execute(self, context):
        apply(attach.active_face(context).mien, self.preset)
        return {"FINISHED"}


def register():
    bpy.utils.register_class(MIEN_OT_preset)


def unregister():
    bpy.utils.unregister_class(MIEN_OT_preset)
