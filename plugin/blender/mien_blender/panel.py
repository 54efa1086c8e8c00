"""The sidebar tab and the panel in the Physics properties; sliders come from the table of parameters."""

import os
import textwrap

import bpy

from . import attach, bake, faces, fit_muscles, live, maps, muscles, parameters, session
from .mien import build_info


def _draw_main(layout, context):
    obj = context.object
    if obj is None or obj.type != "MESH":
        _wrapped(layout, "Select a face with shape keys, or begin with the", "INFO")
        layout.operator("mien.add_sample", icon="USER")
        return
    if not obj.mien.is_attached:
        layout.operator("mien.attach", icon="PHYSICS")
        if obj.data.shape_keys is None:  # the cube of a new file, most often
            _wrapped(layout, "This mesh has no shape keys. Select a face that has them, or begin with the", "INFO")
            layout.operator("mien.add_sample", icon="USER")
        return
    if obj.library is not None:
        _wrapped(layout, "Linked: make a library override to simulate it here, or bake it in its own file", "INFO")
        return
    s = session.sessions.get(obj.mien.uid)
    is_baked = faces.is_baked(obj)
    if is_baked:
        lines = f"Baked: frames {obj.mien.bake_start} to {obj.mien.bake_end}", "To change: free it (x)"
        _two_lines(layout, lines, "CHECKMARK")
    elif obj.mode != "OBJECT":
        _two_lines(layout, ("Physics waits while you", "paint or edit"), "PAUSE")
        layout.operator("object.mode_set", text="Done", icon="CHECKMARK").mode = "OBJECT"
    elif s is not None:
        _draw_status(layout, s.status)
    if s is not None and s.status.asked:
        _wrapped(layout, f"{s.status.asked} Is that meant?", "QUESTION")
        layout.operator("mien.scale_face", icon="FULLSCREEN_EXIT")
    if s is not None and s.face is not None and not s.face.info.has_mouth:
        _draw_no_mouth(layout)
    column = layout.column()
    column.enabled = not is_baked  # a bake plays as it was baked
    _draw_sliders(column, obj.mien)
    row = layout.row(align=True)
    row.operator("mien.bake", icon="RENDER_ANIMATION")
    row.operator("mien.free_bake", text="", icon="X")
    row = layout.row(align=True)
    row.operator("mien.reset", icon="FILE_REFRESH")
    row.operator("mien.detach", text="", icon="TRASH")


def _draw_sliders(layout, props):
    chosen = props.preset.capitalize() if props.preset else "Choose a preset"
    layout.operator_menu_enum("mien.preset", "preset", text=chosen, icon="PRESET")
    column = layout.column(align=True)
    for name in parameters.ARTIST:
        _prop(column, props, name, parameters.SHORT.get(name))
    layout.prop(props, "start_frame")


def _draw_no_mouth(layout):
    _wrapped(layout, "No mouth was found: lips neither touch nor stick. Show it with four clicks:", "INFO")
    layout.operator("mien.pick_mouth", icon="EYEDROPPER")
    _wrapped(layout, "or paint both lips (in Edit Mode: pick their vertices first)", "BLANK1")
    row = layout.row(align=True)
    for lip in attach.LIPS:
        row.operator("mien.paint_lips", text=lip.capitalize(), icon="BRUSH_DATA").lip = lip


def _draw_status(layout, status):
    icon = "ERROR" if status.is_error else "INFO"
    if status.lines is None:
        _wrapped(layout, status.text, icon)
    else:
        _two_lines(layout, status.lines, icon)


def _two_lines(layout, lines, icon):
    """Always two: a panel whose buttons move while it plays, or when it is baked, is not to be hit."""
    column = layout.column(align=True)
    for line, mark in zip(lines, (icon, "BLANK1")):
        column.label(text=line, icon=mark)


def _wrapped(layout, text, icon):
    column = layout.column(align=True)
    for line in textwrap.wrap(text, 24):
        column.label(text=line, icon=icon)
        icon = "BLANK1"


def _prop(column, props, name, text=None):
    """A name beside a menu or a field of text has a quarter of the sidebar and is cut: it goes above."""
    kind = props.bl_rna.properties[name]
    text = kind.name if text is None else text
    if kind.type in {"ENUM", "STRING", "POINTER"}:
        column.label(text=text + ":")
        text = ""
    column.prop(props, name, text=text)


class Side:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "mien"


class Attached(Side):
    bl_parent_id = "MIEN_PT_main"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return attach.active_face(context) is not None


class MIEN_PT_main(Side, bpy.types.Panel):
    bl_label = "mien"

    def draw(self, context):
        _draw_main(self.layout, context)


class MIEN_PT_physics(bpy.types.Panel):
    bl_label = "mien"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def draw(self, context):
        _draw_main(self.layout, context)


class MIEN_PT_head(Attached, bpy.types.Panel):
    bl_label = "Head and colliders"

    def draw(self, context):
        props = context.object.mien
        column = self.layout.column()
        for part in ("head", "jaw"):
            _prop(column, props, part + "_target")
            target = getattr(props, part + "_target")
            if target is not None and target.type == "ARMATURE":
                column.prop_search(props, part + "_bone", target.data, "bones")
        _prop(column, props, "colliders")


class MIEN_PT_caches(Attached, bpy.types.Panel):
    """What is baked in this file, and the farm."""

    bl_label = "Caches and farm"

    def draw(self, context):
        column = self.layout.column(align=True)
        for obj in faces.of_scene(context.scene):
            if faces.is_baked(obj):
                where = bpy.path.abspath(obj.modifiers[bake.MODIFIER].filepath)
                size = f"{os.path.getsize(where) / 1e6:.1f} MB" if os.path.exists(where) else "file is gone"
                text = f"{obj.name}: {obj.mien.bake_start} to {obj.mien.bake_end}, {size}"
                column.label(text=text, icon="CHECKMARK" if os.path.exists(where) else "ERROR")
            else:
                column.label(text=f"{obj.name}: live", icon="PLAY")
        column = self.layout.column(align=True)
        column.operator("mien.bake", text="Bake all faces", icon="RENDER_ANIMATION").all_faces = True
        column.operator("mien.export_shot", icon="EXPORT")
        column.operator("mien.import_result", icon="IMPORT")


class MIEN_PT_live(Attached, bpy.types.Panel):
    bl_label = "Live"

    def draw(self, context):
        props = context.scene.mien_live
        column = self.layout.column()
        icon = "PAUSE" if live.running else "PLAY"
        column.operator("mien.live", text="Stop" if live.running else "Start", icon=icon)
        if live.running:
            column.label(text=live.running.text, icon="URL")
        for name in ("protocol", "address", "port", "phone", "use_head", "record"):
            if name != "phone" or props.protocol == "ifacialmocap":
                _prop(column, props, name)


class MIEN_PT_maps(Attached, bpy.types.Panel):
    bl_label = "Paint"

    def draw(self, context):
        obj = context.object
        painted = maps.groups(obj)
        column = self.layout.column(align=True)
        for name, row in parameters.map_table().items():
            if name in ("region", "hypodermis"):
                continue
            icon = "BRUSH_DATA" if name in painted else "ADD"
            line = column.row(align=True)
            line.operator("mien.paint", text=name.replace("_", " ").capitalize(), icon=icon).map = name
            if row.is_per_shape and obj.active_shape_key is not None:
                paint = line.operator("mien.paint", text="", icon="SHAPEKEY_DATA")
                paint.map, paint.shape = name, obj.active_shape_key.name
        for name in sorted(n for n in painted if ":" in n):
            column.label(text=name, icon="SHAPEKEY_DATA")
        for lip in attach.LIPS:
            icon = "BRUSH_DATA" if lip in painted else "ADD"
            column.operator("mien.paint_lips", text=lip.capitalize(), icon=icon).lip = lip


class MIEN_PT_about(Attached, bpy.types.Panel):
    bl_label = "What was decided"

    def draw(self, context):
        s = session.sessions.get(context.object.mien.uid)
        if s is not None and s.face is not None:
            info = s.face.info
            self.layout.label(text="Mouth found" if info.has_mouth else "No mouth found")
            self.layout.label(text=f"{info.nskin} points of skin")
            self.layout.label(text=f"{info.ntet} tetrahedra of flesh")
            for remark in s.status.remarks:
                _wrapped(self.layout, remark, "DOT")
        _wrapped(self.layout, build_info(), "BLENDER")


def _draw_fit(layout, props):
    if fit_muscles.running:
        _wrapped(layout, fit_muscles.running[0].text, "TIME")
        return
    column = layout.column(align=True)
    column.label(text="Fitted to this face" if props.fitted_muscles else "As in the atlas", icon="INFO")
    _prop(column, props, "scans")
    if props.scans is None:
        _prop(column, props, "expressions")
    row = column.row(align=True)
    row.operator("mien.fit_muscles", icon="SHADERFX")
    if props.fitted_muscles:
        row.operator("mien.forget_fit", text="", icon="X")


class MIEN_PT_muscles(Attached, bpy.types.Panel):
    bl_label = "Muscles"

    def draw(self, context):
        props = context.object.mien
        if props.drive != "muscle" or not props.muscle_channels:
            _wrapped(self.layout, "Muscles move the face instead of shape keys", "INFO")
            self.layout.operator("mien.use_muscles", icon="FORCE_HARMONIC")
            return
        _prop(self.layout, props, "drive")
        _draw_fit(self.layout, props)
        column = self.layout.column(align=True)
        for name, sides in muscles.pairs(props.muscle_channels):
            for line in textwrap.wrap(name, 28):
                column.label(text=line)
            row = column.row(align=True)
            for side, channel in sides:
                row.prop(channel, "contraction", text=side, slider=True)


class MIEN_PT_show(Attached, bpy.types.Panel):
    """What the flesh feels, over the viewport."""

    bl_label = "Draw"

    def draw(self, context):
        column = self.layout.column(align=True)
        for kind in ("contact", "sticky", "attachment"):
            column.prop(context.object.mien, "show_" + kind)
        if faces.is_baked(context.object):
            _wrapped(self.layout, "A bake has none: free it to see them", "INFO")


class MIEN_PT_advanced(Attached, bpy.types.Panel):
    bl_label = "Advanced"

    def draw(self, context):
        self.layout.prop(context.object.mien, "catch_up")


def _draw_group(rows):
    def draw(self, context):
        column = self.layout.column()
        for p in rows:
            _prop(column, context.object.mien, p.name, parameters.SHORT.get(p.name))

    return draw


def _group_panels():
    """One panel for every heading of the table."""
    for heading, rows in parameters.groups():
        members = {"bl_label": heading.capitalize(), "bl_idname": f"MIEN_PT_of_{heading}", "draw": _draw_group(rows),
                   "bl_parent_id": "MIEN_PT_advanced"}  # fmt: skip
        yield type(f"MIEN_PT_of_{heading}", (Attached, bpy.types.Panel), members)


classes = []


def register():
    classes[:] = [MIEN_PT_main, MIEN_PT_physics, MIEN_PT_maps, MIEN_PT_head, MIEN_PT_caches, MIEN_PT_live,
                  MIEN_PT_muscles, MIEN_PT_show, MIEN_PT_about, MIEN_PT_advanced, *_group_panels()]
    for cls in classes:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)
    classes.clear()
