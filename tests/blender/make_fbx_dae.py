"""Writes the files that the import test reads: the same small rig as FBX, DAE and glTF.

blender --background --factory-startup --python make_fbx_dae.py -- FOLDER

The rig is a bent sheet the size of a face with a second, smaller part, each under a transform of
its own, with UVs, colours, shapes that both parts share and a keyed shape. The .glb is read by our
own reader, so that two independent ways through the file formats can be compared.
"""
import math
import os
import sys

import bpy
from mathutils import Vector

FRAMES = 13
FRAME_RATE = 24


def sheet(name, width, height, cells):
    """A curved grid of quads, looking along -Y as faces do in Blender."""
    points, faces, corners = [], [], []
    for j in range(cells + 1):
        for i in range(cells + 1):
            u, v = i / cells, j / cells
            x = (u - 0.5) * width
            points.append((x, 2.0 * x * x / width, (v - 0.5) * height))
            corners.append((u, v))
    for j in range(cells):
        for i in range(cells):
            a = j * (cells + 1) + i
            faces.append((a, a + 1, a + cells + 2, a + cells + 1))
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    layer = mesh.uv_layers.new(name="uv")
    colour = mesh.color_attributes.new("colour", "FLOAT_COLOR", "CORNER")
    for loop in mesh.loops:
        layer.data[loop.index].uv = corners[loop.vertex_index]
        colour.data[loop.index].color = (1.0, 0.5, 0.25, 1.0)
    material = bpy.data.materials.new(name + "_paint")
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (
        0.8, 0.4, 0.2, 1.0)
    mesh.materials.append(material)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(thing)
    return thing


def add_shape(thing, name, move):
    if not thing.data.shape_keys:
        thing.shape_key_add(name="Basis")
    key = thing.shape_key_add(name=name, from_mix=False)
    for i, vertex in enumerate(thing.data.vertices):
        key.data[i].co = vertex.co + Vector(move(vertex.co))


def build():
    scene = bpy.context.scene
    scene.render.fps = FRAME_RATE
    scene.frame_start, scene.frame_end = 1, FRAMES
    face = sheet("face", 0.16, 0.22, 8)
    face.location = (0.01, 0.02, 1.5)
    add_shape(face, "jawOpen", lambda p: (0, 0, -0.03 if p.z < -0.02 else 0))
    add_shape(face, "mouthSmileLeft", lambda p: (0.01 if p.x > 0.01 else 0, 0, 0))
    teeth = sheet("teeth_lower", 0.5, 0.25, 4)
    teeth.parent = face
    teeth.location = (0, 0.01, -0.04)
    teeth.rotation_euler = (math.radians(10), 0, 0)
    teeth.scale = (0.1, 0.1, 0.1)
    add_shape(teeth, "jawOpen", lambda p: (0, 0, -0.25))
    for thing in (face, teeth):
        key = thing.data.shape_keys.key_blocks["jawOpen"]
        for frame, value in ((1, 0.0), (FRAMES // 2 + 1, 1.0), (FRAMES, 0.25)):
            key.value = value
            key.keyframe_insert("value", frame=frame)
    scene.frame_set(1)


def rename_shapes(add, drop):
    """Maya puts the deformer's name before the shape's."""
    for name in ("face", "teeth_lower"):
        for key in bpy.data.objects[name].data.shape_keys.key_blocks[1:]:
            key.name = add + key.name[len(drop):]


def main():
    folder = sys.argv[sys.argv.index("--") + 1]
    os.makedirs(folder, exist_ok=True)
    path = lambda name: os.path.join(folder, name)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    build()
    bpy.ops.export_scene.gltf(filepath=path("reference.glb"), export_colors=True)
    bpy.ops.export_scene.gltf(filepath=path("face.gltf"), export_format="GLTF_EMBEDDED",
                              export_colors=True)
    fbx = {"use_mesh_modifiers": False, "bake_anim_use_nla_strips": False,
           "bake_anim_use_all_actions": False, "bake_anim_simplify_factor": 0.0}
    bpy.ops.export_scene.fbx(filepath=path("face.fbx"), **fbx)
    bpy.ops.export_scene.fbx(filepath=path("face_metre.fbx"), apply_scale_options="FBX_SCALE_ALL",
                             **fbx)
    bpy.ops.export_scene.fbx(filepath=path("face_z_up.fbx"), axis_forward="Y", axis_up="Z", **fbx)
    bpy.ops.wm.collada_export(filepath=path("face.dae"), include_shapekeys=True,
                              apply_modifiers=False)
    rename_shapes("blendShape1.", "")
    bpy.ops.export_scene.fbx(filepath=path("face_deformer_names.fbx"), **fbx)
    rename_shapes("", "blendShape1.")
    # the same rig in a scene whose unit is the centimetre
    bpy.context.scene.unit_settings.system = "METRIC"
    bpy.context.scene.unit_settings.scale_length = 0.01
    face = bpy.data.objects["face"]
    face.location, face.scale = 100.0 * face.location, (100.0, 100.0, 100.0)
    bpy.ops.export_scene.fbx(filepath=path("face_cm.fbx"), **fbx)
    bpy.ops.wm.collada_export(filepath=path("face_cm.dae"), include_shapekeys=True,
                              apply_modifiers=False)


main()
