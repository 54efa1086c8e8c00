"""A bake drops onto the artist's own meshes: Blender imports the rig's file, puts the cache of every
mesh on it with its own Mesh Cache modifier, and no vertex is elsewhere than blendshapes put it.

usage: blender -b --factory-startup -P test_way_back.py -- RIG.glb 'shot.{mesh}.pc2'
"""

import os
import sys

import bpy
import numpy as np

np.bool = bool  # the importer of Blender 3.4 asks for the name that numpy dropped

rig, pattern = sys.argv[sys.argv.index("--") + 1 :]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=rig, merge_vertices=False)
meshes = [o for o in bpy.data.objects if o.type == "MESH"]
assert meshes, "the rig has no meshes"
total = 0
for mesh in meshes:
    path = pattern.replace("{mesh}", mesh.name)
    assert os.path.exists(path), f"there is no cache for '{mesh.name}'"
    count = len(mesh.data.vertices)
    rest = np.empty(3 * count, np.float32)
    mesh.data.vertices.foreach_get("co", rest)
    if mesh.data.shape_keys:
        mesh.shape_key_clear()
    cache = mesh.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = path
    cache.up_axis = "NEG_Y"  # glTF is Y up, the importer turned the mesh to Z up
    cache.forward_axis = "POS_Z"
    bpy.context.scene.frame_set(1)
    posed = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    now = np.empty(3 * count, np.float32)
    assert len(posed.vertices) == count
    posed.vertices.foreach_get("co", now)
    off = np.abs(now - rest).reshape(-1, 3).max(axis=1)
    wrong = int((off > 1e-6).sum())
    print(f"{mesh.name}: {count} vertices, {wrong} elsewhere, at most {off.max():.2g} m")
    total += wrong
if total:
    print(f"FAILED: {total} vertices are elsewhere")
    sys.exit(1)
print("every vertex is where it was")
