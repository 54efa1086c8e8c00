"""A rig of mien's (.glb, or a folder of OBJ files) as Blender meshes, and takes as keys on a face.

Blender's own glTF importer does as well; this one keeps parts, names and vertex numbers, and puts teeth,
eyes and skull into a collection that the face collides with.
"""

import os

import bpy
import numpy as np
from bpy_extras.io_utils import ImportHelper
from mathutils import Matrix, Quaternion, Vector

from . import attach, axes, failures, materials, session, size, source
from .mien import MienError, PartKind, Rig, Take

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sample")
HIDDEN = (PartKind.SKULL, PartKind.JAW)  # bones: they collide, nobody looks at them


def _mesh(part, rig):
    first, n = part.first_vertex, part.nvert
    triangles = rig.info.triangles[part.first_triangle : part.first_triangle + part.ntri] - first
    mesh = bpy.data.meshes.new(part.name)
    # the one way in that every Blender has: polygons cannot be set by number since 3.6
    mesh.from_pydata(axes.to_blender(rig.positions[first : first + n]).tolist(), [], triangles.tolist())
    mesh.polygons.foreach_set("use_smooth", np.ones(len(triangles), bool))
    mesh.update()
    return mesh


def _add_keys(obj, part, rig):
    first, n = part.first_vertex, part.nvert
    for shape in rig.info.shapes or []:
        inside = (shape.indices >= first) & (shape.indices < first + n)
        if not inside.any():
            continue
        if obj.data.shape_keys is None:
            obj.shape_key_add(name="Basis", from_mix=False)
        block = obj.shape_key_add(name=shape.name, from_mix=False)
        block.value = 0  # Blender 5 begins with 1
        places = np.array(rig.positions[first : first + n])
        places[shape.indices[inside] - first] += shape.deltas[inside]
        block.data.foreach_set("co", axes.to_blender(places).reshape(-1))


def _follow(obj, face):
    """A shape key of a part that the face has, too, follows the face's."""
    if obj.data.shape_keys is None or face.data.shape_keys is None:
        return
    for block in obj.data.shape_keys.key_blocks[1:]:
        if block.name not in face.data.shape_keys.key_blocks:
            continue
        driver = block.driver_add("value").driver
        driver.type = "SUM"
        target = driver.variables.new().targets[0]
        target.id_type, target.id = "KEY", face.data.shape_keys
        target.data_path = f'key_blocks["{bpy.utils.escape_identifier(block.name)}"].value'


def _face_part(rig):
    """The part that is marked as skin; in a stranger's file, where none is, the one that the shapes move most."""
    far = np.zeros(rig.info.nvert)
    for shape in rig.info.shapes or []:
        far[shape.indices] += np.linalg.norm(shape.deltas, axis=1)

    def of(part):
        return part.kind == PartKind.SKIN, far[part.first_vertex : part.first_vertex + part.nvert].sum(), part.nvert

    return max(rig.info.parts, key=of, default=None)


def import_rig(path, scene, human_size=True):
    """The face; the other parts are parented to it, in a collection of their own. With `human_size` a face that is
    much larger or smaller is scaled as an object, its numbers stay the file's."""
    rig = Rig.load(path)
    skin = _face_part(rig)
    if skin is None:
        raise MienError("the rig has no mesh")
    parts = bpy.data.collections.new((rig.info.name or "rig") + " parts")
    face, others = None, []
    looks, colours = materials.looks(path), materials.colours(rig)
    for part in rig.info.parts:
        obj = bpy.data.objects.new(part.name, _mesh(part, rig))
        is_face = part.first_vertex == skin.first_vertex
        (scene.collection if is_face else parts).objects.link(obj)
        _add_keys(obj, part, rig)
        if part.name in looks:
            own = None if colours is None else colours[part.first_vertex : part.first_vertex + part.nvert]
            materials.give(obj, part.name, looks[part.name], own)
        if is_face:
            face = obj
        else:
            others.append((obj, part))
    if others:
        scene.collection.children.link(parts)
        face.mien.colliders = parts
    for obj, part in others:
        obj.parent = face
        _follow(obj, face)
        obj.hide_render = part.kind in HIDDEN
        obj.hide_set(part.kind in HIDDEN)
    if human_size and any(session.ASKS in remark for remark in rig.remarks):
        face.scale *= size.factor(source.Source(face, (1, 1, 1)))
    return face


def _home(face):
    """Where the face stood before a take moved it: a take moves it from there, a second one, too."""
    if face.animation_data is None or face.animation_data.action is None:
        face.mien.take_home = [value for row in face.matrix_basis for value in row]
    flat = list(face.mien.take_home)
    place, turn, _ = Matrix([flat[4 * k : 4 * k + 4] for k in range(4)]).decompose()
    return place, turn


def key_take(face, path, scene):
    """Keys of a take on the face's shape keys and, when the take has one, the head's motion; returns what to
    tell."""
    take = Take.load(path)
    blocks = face.data.shape_keys.key_blocks if face.data.shape_keys else ()
    named = {_plain(b.name): b for b in blocks}
    fps = scene.render.fps / scene.render.fps_base
    first, nframe = scene.frame_start, take.nframes(fps)
    samples = [take.sample(take.start + k / fps) for k in range(nframe)]
    nkeyed = 0
    for channel, name in enumerate(take.info.channels or []):
        block = named.get(_plain(name))
        if block is None:
            continue
        nkeyed += 1
        for k, (weights, _) in enumerate(samples):
            if k in (0, nframe - 1) or not weights[channel] == samples[k - 1][0][channel] == samples[k + 1][0][channel]:
                block.value = float(weights[channel])
                block.keyframe_insert("value", frame=first + k)
    if take.info.head is not None:
        place, turn = _home(face)
        face.rotation_mode = "QUATERNION"
        for k, (_, head) in enumerate(samples):
            x, y, z, w = head.rotation
            face.rotation_quaternion = turn @ Quaternion((w, x, -z, y))
            tx, ty, tz = head.translation
            face.location = place + turn @ Vector((tx, -tz, ty))
            face.keyframe_insert("rotation_quaternion", frame=first + k)
            face.keyframe_insert("location", frame=first + k)
    scene.frame_end = max(scene.frame_end, first + nframe - 1)
    return _what_was_keyed(take, nkeyed, nframe)


def _what_was_keyed(take, nkeyed, nframe):
    """(level, sentence)"""
    moved = ([f"{nkeyed} shape key{'s' * (nkeyed > 1)}"] if nkeyed else []) + (["the head"] if take.info.head is not None else [])
    if moved:
        return "INFO", f"{' and '.join(moved)} keyed, {nframe} frames"
    return "WARNING", f"Nothing was keyed: the mesh has no shape key of the name of a channel, such as {take.info.channels[0]}"


def _choose(context, face):
    """It alone is selected and active, as after any of Blender's own Add and Import."""
    for obj in context.selected_objects:
        obj.select_set(False)
    context.view_layer.objects.active = face
    face.select_set(True)


def _box(obj):
    """(lowest, highest corner) in the world."""
    corners = np.array([obj.matrix_world @ Vector(corner) for corner in obj.bound_box])
    return corners.min(axis=0), corners.max(axis=0)


def _put(face, context, place):
    """At a place; beside what it would be inside of there, such as the cube of a new file."""
    around = [_box(o) for o in context.visible_objects if o != face and o.parent != face and o.type == "MESH"]
    corners = np.array(face.bound_box) * np.array(face.scale)
    low, high = corners.min(axis=0), corners.max(axis=0)
    place, near = np.array(place), 0.01 * (high - low)
    for _ in around:
        inside = place + low + near, place + high - near
        ends = [box[1] for box in around if (box[0] <= inside[0]).all() and (box[1] >= inside[1]).all()]
        if not ends:
            break
        place[0] = max(end[0] for end in ends) - 1.5 * low[0]
    face.location = place


def _look_at_selected(context):
    """From the front, and near: in the first view of a new file a head is a speck. Lips and irises are colours of
    vertices, which the solid view does not show by itself."""
    if bpy.app.background or context.screen is None:
        return
    for area in context.screen.areas:
        region = next((r for r in area.regions if r.type == "WINDOW"), None)
        if area.type == "VIEW_3D" and region is not None:
            with context.temp_override(area=area, region=region):
                bpy.ops.view3d.view_axis(type="FRONT")
                bpy.ops.view3d.view_selected()
            if context.object.data.color_attributes:
                area.spaces.active.shading.color_type = "VERTEX"


def _plain(name):
    return "".join(c for c in name.lower() if c.isalnum())


class MIEN_OT_import_rig(bpy.types.Operator, ImportHelper):
    """Import a rig with its shapes, teeth and eyes as mien knows them"""

    bl_idname = "mien.import_rig"
    bl_label = "mien rig (.glb)"
    bl_options = {"REGISTER", "UNDO"}
    filename_ext = ".glb"
    filter_glob: bpy.props.StringProperty(default="*.glb", options={"HIDDEN"})
    human_size: bpy.props.BoolProperty(
        name="Human size", default=True, description="Scale a face that is much larger or smaller than an adult's"
    )

    def execute(self, context):
        try:
            face = import_rig(self.filepath, context.scene, self.human_size)
            _put(face, context, face.location)
        except failures.KINDS as error:
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        _choose(context, face)
        _look_at_selected(context)
        if face.scale[0] != 1:
            self.report({"INFO"}, f"Scaled by {face.scale[0]:.4g} to a human's size")
        return {"FINISHED"}


class MIEN_OT_sample(bpy.types.Operator):
    """A head with 52 shape keys, teeth and eyes, a spoken phrase and a shaking head, to try mien on"""

    bl_idname = "mien.add_sample"
    bl_label = "mien sample head"
    bl_options = {"REGISTER", "UNDO"}

    with_take: bpy.props.BoolProperty(name="Performance", default=True, description="Key a phrase and a shake")

    @classmethod
    def poll(cls, _context):
        return os.path.exists(SAMPLE)

    def execute(self, context):
        try:
            face = import_rig(os.path.join(SAMPLE, "head.glb"), context.scene)
            _put(face, context, context.scene.cursor.location)  # like everything that is added
            for take in ("phrase.csv", "shake.csv") if self.with_take else ():
                key_take(face, os.path.join(SAMPLE, take), context.scene)
        except failures.KINDS as error:
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        _choose(context, face)
        _look_at_selected(context)
        context.scene.frame_set(context.scene.frame_start)
        return {"FINISHED"}


class MIEN_OT_import_take(bpy.types.Operator, ImportHelper):
    """Key a recorded performance (Live Link Face or head-motion CSV) on the active face"""

    bl_idname = "mien.import_take"
    bl_label = "mien take (.csv)"
    bl_options = {"REGISTER", "UNDO"}
    filename_ext = ".csv"
    filter_glob: bpy.props.StringProperty(default="*.csv", options={"HIDDEN"})

    @classmethod
    def poll(cls, context):
        obj = attach.active(context)
        return obj is not None and obj.type == "MESH"

    def execute(self, context):
        try:
            level, text = key_take(attach.active(context), self.filepath, context.scene)
        except failures.KINDS as error:
            self.report({"ERROR"}, failures.told(error))
            return {"CANCELLED"}
        self.report({level}, text)
        return {"FINISHED"}


classes = (MIEN_OT_import_rig, MIEN_OT_sample, MIEN_OT_import_take)


def _import_menu(self, _context):
    self.layout.operator("mien.import_rig")
    self.layout.operator("mien.import_take")


def _add_menu(self, _context):
    self.layout.operator("mien.add_sample", icon="USER")


def register():
    for cls in classes:
        bpy.utils.register_class(cls)
    bpy.types.TOPBAR_MT_file_import.append(_import_menu)
    bpy.types.VIEW3D_MT_mesh_add.append(_add_menu)


def unregister():
    bpy.types.VIEW3D_MT_mesh_add.remove(_add_menu)
    bpy.types.TOPBAR_MT_file_import.remove(_import_menu)
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)
