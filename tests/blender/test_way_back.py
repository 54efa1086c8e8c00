"""A bake drops onto the artist's own character. Blender imports the rig's file and puts the cache of
every mesh on it with its own Mesh Cache modifier; it imports the .glb that holds the bake and plays
its animation. Both must show the points that were baked, in every frame that is looked at.

usage: blender -b --factory-startup -P test_way_back.py -- RIG.glb 'shot.{mesh}.pc2' BAKED.glb TOLERANCE
"""

import os
import struct
import sys

import bpy
import numpy as np

np.bool = bool  # the importer of Blender 3.4 asks for the name that numpy dropped

rig, pattern, baked, tolerance = sys.argv[sys.argv.index("--") + 1 :]


def import_meshes(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path, merge_vertices=False)
    meshes = [o for o in bpy.data.objects if o.type == "MESH"]
    assert meshes, f"{path} has no meshes"
    return meshes


def read_cache(name):
    """Frames of a mesh as the importer turns them: glTF is Y up, Blender Z up."""
    path = pattern.replace("{mesh}", name)
    assert os.path.exists(path), f"there is no cache for '{name}'"
    data = open(path, "rb").read()
    npoint, nframe = struct.unpack("<i", data[16:20])[0], struct.unpack("<i", data[28:32])[0]
    points = np.frombuffer(data, np.float32, offset=32).reshape(nframe, npoint, 3)
    return path, np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)


def shown(mesh):
    posed = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    points = np.empty(3 * len(posed.vertices), np.float32)
    posed.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


def count_wrong(mesh, wanted, bound, what):
    now = shown(mesh)
    assert now.shape == wanted.shape, f"{mesh.name}: {now.shape} for {wanted.shape}"
    off = np.linalg.norm(now - wanted, axis=1)
    wrong = int((off > bound).sum())
    print(f"{what} {mesh.name}: {len(off)} vertices, {wrong} elsewhere, at most {off.max():.2g} m")
    return wrong


total = 0
for mesh in import_meshes(rig):
    path, frames = read_cache(mesh.name)
    rest = np.empty(3 * len(mesh.data.vertices), np.float32)
    mesh.data.vertices.foreach_get("co", rest)
    if mesh.data.shape_keys:
        mesh.shape_key_clear()
    cache = mesh.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = path
    cache.frame_start = 1  # Blender leaves the number of the first frame in the file unread
    cache.up_axis = "NEG_Y"  # glTF is Y up, the importer turned the mesh to Z up
    cache.forward_axis = "POS_Z"
    for f in (0, len(frames) - 1):
        bpy.context.scene.frame_set(1 + f)
        total += count_wrong(mesh, frames[f], 1e-6, f"cache, frame {f},")
    if "still" in os.path.basename(path):  # a bake of nothing is the artist's own mesh
        bpy.context.scene.frame_set(1)
        total += count_wrong(mesh, rest.reshape(-1, 3), 1e-6, "neutral")

if baked != "-":
    meshes = import_meshes(baked)
    rate = bpy.context.scene.render.fps
    for mesh in meshes:
        _, frames = read_cache(mesh.name)
        keys = mesh.data.shape_keys
        start = keys.animation_data.action.frame_range[0] if keys and keys.animation_data else 0
        for f in (0, len(frames) - 1):
            bpy.context.scene.frame_set(int(start) + f)
            total += count_wrong(mesh, frames[f], float(tolerance), f".glb, frame {f},")
if total:
    print(f"FAILED: {total} vertices are elsewhere")
    sys.exit(1)
print("every vertex is where it was baked")
