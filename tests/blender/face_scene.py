"""Scenes for the tests of the add-on: sample rigs as Blender meshes with shape keys, keyed and driven."""

import math
import os
import sys

import bpy
import numpy as np

BUILD = os.environ["MIEN_BUILD"]
SAMPLES = os.path.join(BUILD, "share/mien")


def enable(folder=None):
    """Enables the add-on from the build tree, as `bpy.ops` would from an installed zip."""
    import addon_utils

    sys.path.insert(0, folder or os.path.join(BUILD, "blender"))
    module = addon_utils.enable("mien_blender", default_set=False)
    assert module is not None, "the add-on could not be enabled"
    return module


def empty_scene(frame_end=60, fps=24):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frame_end
    scene.render.fps = fps
    scene.frame_set(1)
    return scene


def to_blender(points):
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)


def mesh_of(part, rig, name, keys):
    """A part of a rig as a mesh object with the shape keys that move it."""
    first, n = part.first_vertex, part.nvert
    triangles = rig.info.triangles[part.first_triangle : part.first_triangle + part.ntri] - first
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(to_blender(rig.positions[first : first + n]).tolist(), [], triangles.tolist())
    mesh.validate()
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    add_keys(obj, rig, first, n, keys)
    return obj


# enough for mouth, jaw and lids to be found; all 52 take a second each time flesh is made
FEW = ("jawOpen", "mouthSmileLeft", "mouthPressLeft", "cheekPuff", "eyeBlinkLeft", "eyeBlinkRight")


def add_keys(obj, rig, first, n, names):
    for shape in rig.info.shapes:
        if names and shape.name not in names:
            continue
        inside = (shape.indices >= first) & (shape.indices < first + n)
        if not inside.any():
            continue
        if obj.data.shape_keys is None:
            obj.shape_key_add(name="Basis", from_mix=False)
        block = obj.shape_key_add(name=shape.name, from_mix=False)
        block.value = 0
        places = rig.positions[first : first + n].copy()
        places[shape.indices[inside] - first] += shape.deltas[inside]
        block.data.foreach_set("co", to_blender(places).reshape(-1))


def head(mien, file="head_small.glb", parts=False, keys=FEW):
    """(skin object, collection of the other parts or None); keys=() for all shapes"""
    rig = mien.Rig.load(os.path.join(SAMPLES, file))
    skin, others = None, None
    if parts:
        others = bpy.data.collections.new("parts")
        bpy.context.scene.collection.children.link(others)
    for part in rig.info.parts:
        if part.kind == mien.PartKind.SKIN:
            skin = mesh_of(part, rig, "face", keys)
        elif parts:
            obj = mesh_of(part, rig, part.name, keys)
            bpy.context.scene.collection.objects.unlink(obj)
            others.objects.link(obj)
    bpy.context.view_layer.objects.active = skin
    skin.select_set(True)
    return skin, others


def key(obj, name, values):
    """values: {frame: value}"""
    block = obj.data.shape_keys.key_blocks[name]
    for frame, value in values.items():
        block.value = value
        block.keyframe_insert("value", frame=frame)


def curves():
    """Of every action; Blender 5 keeps them in layers."""
    for action in bpy.data.actions:
        if hasattr(action, "fcurves"):
            yield from action.fcurves
            continue
        for layer in action.layers:
            for strip in layer.strips:
                for bag in strip.channelbags:
                    yield from bag.fcurves


def shake(obj, frames=60, turn=0.35):
    """A head that nods, turns and moves."""
    for frame in range(1, frames + 1, 5):
        obj.rotation_euler = (0.2 * math.sin(frame), 0.1 * math.cos(frame) - 0.1, turn * math.sin(0.8 * frame))
        obj.location = (0.02 * math.sin(frame), 0.0, 0.03 * math.cos(0.7 * frame))
        obj.keyframe_insert("rotation_euler", frame=frame)
        obj.keyframe_insert("location", frame=frame)


def shown(obj):
    """The vertices as Blender shows them now."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    mesh = obj.evaluated_get(depsgraph).data
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def raw(obj):
    """Everything of the artist's that must not change."""
    mesh = obj.data
    out = [np.empty(3 * len(mesh.vertices), np.float32)]
    mesh.vertices.foreach_get("co", out[0])
    for block in mesh.shape_keys.key_blocks:
        flat = np.empty(3 * len(block.data), np.float32)
        block.data.foreach_get("co", flat)
        out += [flat, np.float32(block.value), np.float32(block.slider_max)]
    return b"".join(np.asarray(a).tobytes() for a in out) + repr([b.name for b in mesh.shape_keys.key_blocks]).encode()
