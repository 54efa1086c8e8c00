"""Attach, detach, reset, paint."""

import uuid

import bpy
import numpy as np

from . import carrier, faces, failures, handlers, maps, nodes, parameters, session
from .mien import Region

# maps an artist finds as vertex groups after Attach; the others are made when they are painted
FIRST_MAPS = ("attachment", "jaw", "sticky")
LIPS = ("upper lip", "lower lip")  # painted where mien finds no mouth


def active(context):
    """Scripts that run while a file is loaded have no context.object."""
    return getattr(context, "object", None) or context.view_layer.objects.active


def active_face(context):
    obj = active(context)
    if obj is not None and obj.type == "MESH" and obj.mien.is_attached:
        return obj
    return None


def automatic_maps(face, nskin):
    """What mien found, as weights of the mesh's vertices."""
    info = face.info
    under = slice(info.nskin, 2 * info.nskin) if info.nvert == 2 * info.nskin else slice(0, info.nskin)
    found = {
        "attachment": face.on_rig(info.attachment[under]),
        "jaw": face.on_rig(info.jaw[under]),
        "sticky": face.on_rig(np.ones(info.nskin, np.float32)),
    }
    lips = Region.LIP_UPPER | Region.LIP_LOWER | Region.LIP_INNER
    if info.has_mouth:
        found["sticky"] = face.on_rig((info.regions & int(lips) != 0).astype(np.float32))
    return {name: values[face.rig.render_map[:nskin]] for name, values in found.items()}


class MIEN_OT_attach(bpy.types.Operator):
    """Put flesh under the skin of this mesh. Its shape keys, drivers and vertices are not changed"""

    bl_idname = "mien.attach"
    bl_label = "Attach mien"
    bl_options = {"REGISTER", "UNDO"}

    with_maps: bpy.props.BoolProperty(
        name="Paintable maps", default=True, description="Make vertex groups of what mien found, to be painted"
    )

    @classmethod
    def poll(cls, context):
        obj = active(context)
        if obj is None or obj.type != "MESH" or obj.mode != "OBJECT" or obj.mien.is_attached:
            return False
        if obj.library is not None:
            cls.poll_message_set("Linked: make a library override, or attach in its own file")
            return False
        return True

    def execute(self, context):
        obj = active(context)
        if len(obj.data.polygons) == 0:
            self.report({"ERROR"}, "The mesh has no faces")
            return {"CANCELLED"}
        obj.mien.uid = uuid.uuid4().hex
        obj.mien.start_frame = context.scene.frame_start
        with handlers.quiet():
            modifier = nodes.add_modifier(obj, carrier.make(obj))
            obj.mien.is_attached = True
            faces.look_again()
            context.view_layer.update()
            s = session.get(obj)
            try:
                s.build(obj, context.scene, context.evaluated_depsgraph_get())
            except failures.KINDS as error:
                self._undo(obj, modifier)
                self.report({"ERROR"}, failures.told(error))
                return {"CANCELLED"}
            if self.with_maps and obj.library is None and obj.data.library is None:
                table = parameters.map_table()
                for name, values in automatic_maps(s.face, s.source.nskin).items():
                    if name in FIRST_MAPS and name in table:
                        maps.create(obj, name, values)
                s.is_dirty = True
        told = "Attached" + ("" if s.face.info.has_mouth else ": no mouth was found, see the panel")
        count = len(s.status.remarks)
        if count:  # findings about a rig are for whoever asks, not five messages at once
            told += f"; {count} remark{'s' * (count > 1)} in the panel 'What was decided'"
        self.report({"INFO"}, told)
        if s.status.asked:
            self.report({"WARNING"}, f"{s.status.asked} If that is not meant: 'Scale to human size' in the panel")
        if obj.data.shape_keys is None:
            self.report({"WARNING"}, "The mesh has no shape keys: mien cannot tell lips and jaw; paint the maps")
        # a render in the window calls us from its own thread, which only this setting makes safe
        context.scene.render.use_lock_interface = True
        handlers.refresh(context.scene, may_catch_up=False)
        return {"FINISHED"}

    @staticmethod
    def _undo(obj, modifier):
        hidden = nodes.get_input(modifier, "Carrier")
        obj.modifiers.remove(modifier)
        carrier.remove(hidden)
        session.drop(obj.mien.uid)
        obj.mien.is_attached, obj.mien.uid = False, ""


class MIEN_OT_detach(bpy.types.Operator):
    """Take mien off: the rig is as it was. Painted maps stay unless told otherwise"""

    bl_idname = "mien.detach"
    bl_label = "Detach mien"
    bl_options = {"REGISTER", "UNDO"}

    remove_maps: bpy.props.BoolProperty(name="Remove painted maps", default=False)

    @classmethod
    def poll(cls, context):
        return active_face(context) is not None

    def execute(self, context):
        obj = active_face(context)
        hidden = carrier.of(obj)
        for modifier in [m for m in obj.modifiers if nodes.is_deform(m) or m.name == "mien bake"]:
            obj.modifiers.remove(modifier)
        carrier.remove(hidden)
        if self.remove_maps:
            for group in [g for g in obj.vertex_groups if maps.map_name(g.name)]:
                obj.vertex_groups.remove(group)
        session.drop(obj.mien.uid)
        obj.mien.is_attached, obj.mien.uid = False, ""
        faces.look_again()
        return {"FINISHED"}


class MIEN_OT_paint_lips(bpy.types.Operator):
    """Say where the mouth is: two groups to paint, one for each lip. Selected vertices are put in at once"""

    bl_idname = "mien.paint_lips"
    bl_label = "Paint the lips"
    bl_options = {"REGISTER", "UNDO"}

    lip: bpy.props.EnumProperty(name="Lip", items=[(name, name.capitalize(), "") for name in LIPS])
    enter: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return active_face(context) is not None

    def execute(self, context):
        obj = active_face(context)
        was = obj.mode
        if was == "EDIT":  # picked in the view
            bpy.ops.object.mode_set(mode="OBJECT")
        picked = np.zeros(len(obj.data.vertices), bool)
        if was == "EDIT":
            obj.data.vertices.foreach_get("select", picked)
        for name in LIPS:
            maps.create(obj, name, np.zeros(len(picked), np.float32))
        group = obj.vertex_groups[maps.PREFIX + self.lip]
        group.add(np.flatnonzero(picked).tolist(), 1.0, "REPLACE")
        obj.vertex_groups.active_index = group.index
        session.get(obj).is_dirty = True
        if self.enter:
            bpy.ops.object.mode_set(mode="EDIT" if was == "EDIT" else "WEIGHT_PAINT")
        return {"FINISHED"}


class MIEN_OT_reset(bpy.types.Operator):
    """Forget every simulated frame and show this one again"""

    bl_idname = "mien.reset"
    bl_label = "Simulate again"

    @classmethod
    def poll(cls, context):
        obj = active_face(context)
        if obj is not None and faces.is_baked(obj):
            cls.poll_message_set("The bake plays: free it to simulate again")
            return False
        return obj is not None

    def execute(self, context):
        s = session.get(active_face(context))
        s.is_dirty = True
        if s.playback is not None:
            s.playback.forget()
        handlers.refresh(context.scene)
        return {"FINISHED"}


class MIEN_OT_paint(bpy.types.Operator):
    """Paint a map with Blender's weight paint; made with what mien found when it is not there"""

    bl_idname = "mien.paint"
    bl_label = "Paint map"
    bl_options = {"REGISTER", "UNDO"}

    map: bpy.props.StringProperty(name="Map", default="attachment")
    shape: bpy.props.StringProperty(name="Shape", description="Only while this shape is on; empty = always")
    enter: bpy.props.BoolProperty(default=True, options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        return active_face(context) is not None

    def execute(self, context):
        obj = active_face(context)
        table = parameters.map_table()
        if self.map not in table:
            self.report({"ERROR"}, f"mien has no map '{self.map}'")
            return {"CANCELLED"}
        if self.shape and not table[self.map].is_per_shape:
            self.report({"ERROR"}, f"'{self.map}' cannot be painted per shape")
            return {"CANCELLED"}
        name = f"{self.map}:{self.shape}" if self.shape else self.map
        try:
            values = self._first_values(context, obj, table)
        except failures.KINDS as error:
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        group = maps.create(obj, name, values)
        obj.vertex_groups.active_index = group.index
        if self.enter and obj.mode != "WEIGHT_PAINT":
            bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
        return {"FINISHED"}

    def _first_values(self, context, obj, table):
        s = session.get(obj)
        with handlers.quiet():
            s.build(obj, context.scene, context.evaluated_depsgraph_get())
        found = automatic_maps(s.face, s.source.nskin)
        if self.map in found and not self.shape:
            return found[self.map]
        default = np.full(s.source.nskin, table[self.map].default * table[self.map].to_si, np.float32)
        return maps.to_weight(self.map, default, table)


classes = (MIEN_OT_attach, MIEN_OT_detach, MIEN_OT_paint_lips, MIEN_OT_reset, MIEN_OT_paint)


def register():
    for cls in classes:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)
