"""The sidebar tab and the panel in the Physics properties; sliders come from the table of parameters."""

import os

import bpy

from . import attach, bake, faces, fit_muscles, live, maps, parameters, session
from .mien import build_info


def _draw_main(layout, context):
    obj = context.object
    if obj is None or obj.type != "MESH":
        _wrapped(layout, "Select a face with shape keys, or begin with the", "INFO")
        layout.operator("mien.add_sample", icon="USER")
        return
    if not obj.mien.is_attached:
        layout.operator("mien.attach", icon="PHYSICS")
        if obj.data.shape_keys is None:
            layout.label(text="This mesh has no shape keys", icon="ERROR")
        return
    if obj.library is not None:
        _wrapped(layout, "Linked: make a library override to simulate it here, or bake it in its own file", "INFO")
        return
    s = session.sessions.get(obj.mien.uid)
    if faces.is_baked(obj):
        layout.label(text=f"Baked: frames {obj.mien.bake_start} to {obj.mien.bake_end}", icon="CHECKMARK")
    elif s is not None:
        _draw_status(layout, s.status)
    if s is not None and s.face is not None and not s.face.info.has_mouth:
        _draw_no_mouth(layout)
    chosen = obj.mien.preset.capitalize() if obj.mien.preset else "Choose a preset"
    layout.operator_menu_enum("mien.preset", "preset", text=chosen, icon="PRESET")
    column = layout.column(align=True)
    for name in parameters.ARTIST:  # labels that a narrow sidebar does not cut
        if name == "contact":
            column.label(text="Lips and teeth:")
        column.prop(obj.mien, name, text=parameters.SHORT.get(name, parameters.label(parameters.row(name))))
    column = layout.column(align=True)
    column.prop(obj.mien, "start_frame")
    row = layout.row(align=True)
    row.operator("mien.bake", icon="RENDER_ANIMATION")
    row.operator("mien.free_bake", text="", icon="X")
    row = layout.row(align=True)
    row.operator("mien.reset", icon="FILE_REFRESH")
    row.operator("mien.detach", text="", icon="TRASH")


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
        return
    column = layout.column(align=True)
    for line, mark in zip(status.lines, (icon, "BLANK1")):
        column.label(text=line, icon=mark)


def _wrapped(layout, text, icon, width=22):
    column = layout.column(align=True)
    line = ""
    for word in text.split():
        if len(line) + len(word) > width:
            column.label(text=line, icon=icon)
            line, icon = "", "BLANK1"
        line += word + " "
    column.label(text=line, icon=icon)


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
            column.prop(props, part + "_target")
            target = getattr(props, part + "_target")
            if target is not None and target.type == "ARMATURE":
                column.prop_search(props, part + "_bone", target.data, "bones")
        column.prop(props, "colliders")


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
        column.operator("mien.live", text="Stop" if live.running else "Live", icon=icon)
        if live.running:
            column.label(text=live.running.text, icon="URL")
        for name in ("protocol", "address", "port", "phone", "use_head", "record"):
            if name != "phone" or props.protocol == "ifacialmocap":
                column.prop(props, name)


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
            self.layout.label(text=f"{info.nskin} skin vertices, {info.ntet} tetrahedra")
            self.layout.label(text="Mouth found" if info.has_mouth else "No mouth found")
            for remark in s.status.remarks:
                _wrapped(self.layout, remark, "DOT")
        self.layout.label(text=build_info())


def _draw_fit(layout, props):
    if fit_muscles.running:
        _wrapped(layout, fit_muscles.running[0].text, "TIME")
        return
    column = layout.column(align=True)
    column.label(text="Fitted to this face" if props.fitted_muscles else "As in the atlas", icon="INFO")
    column.prop(props, "scans")
    if props.scans is None:
        column.prop(props, "expressions")
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
        self.layout.prop(props, "drive")
        _draw_fit(self.layout, props)
        column = self.layout.column(align=True)
        for channel in props.muscle_channels:
            column.prop(channel, "contraction", text=channel.name.replace("_", " ").capitalize(), slider=True)


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
            column.prop(context.object.mien, p.name)

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
