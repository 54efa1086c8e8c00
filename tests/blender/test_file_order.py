"""Caches of one file per mesh drop onto the meshes that Blender itself imports from the artist's file (FBX, DAE, glTF or
OBJ): as many vertices, in the same order, in the same unit, axes and space, at rest and with shapes.

usage: blender -b --factory-startup -P test_file_order.py -- FILE 'shot.{mesh}.pc2' SHAPE,... PREFIX
The first frame is the neutral, the last one has the shapes at 1. PREFIX is what Blender puts before a mesh's name.
"""

import struct
import sys

import bpy
import numpy as np

np.bool = bool  # importers of Blender 3.4 ask for the name that numpy dropped

path, pattern, shapes, prefix = sys.argv[sys.argv.index("--") + 1 :]
kind = path.rsplit(".", 1)[1].lower()
bpy.ops.wm.read_factory_settings(use_empty=True)
if kind == "fbx":
    bpy.ops.import_scene.fbx(filepath=path, use_anim=False)
elif kind == "dae":
    bpy.ops.wm.collada_import(filepath=path)
elif kind == "obj":
    bpy.ops.wm.obj_import(filepath=path, use_split_objects=False, use_split_groups=bool(prefix))
else:
    bpy.ops.import_scene.gltf(filepath=path, merge_vertices=False)


def points_of(owner, count):
    points = np.empty(3 * count, np.float32)
    owner.foreach_get("co", points)
    return points.reshape(-1, 3)


def count_wrong(mesh, wanted, now, what):
    size = np.ptp(wanted, axis=0).max()
    off = np.linalg.norm(now - wanted, axis=1) / size
    wrong = int((off > 2e-6).sum())
    print(f"{what} of {mesh.name}: {len(off)} vertices, {wrong} elsewhere, at most {off.max():.2g} of its size")
    return wrong


total = nmesh = nmoved = 0
for mesh in [o for o in bpy.data.objects if o.type == "MESH"]:
    name = mesh.name[len(prefix) :] if mesh.name.startswith(prefix) else mesh.name
    data = open(pattern.replace("{mesh}", name), "rb").read()
    count, frames = struct.unpack("<i", data[16:20])[0], struct.unpack("<i", data[28:32])[0]
    cache = np.frombuffer(data, np.float32, offset=32).reshape(frames, count, 3)
    if kind in ("glb", "gltf"):  # the importer turned the mesh
        cache = np.stack([cache[..., 0], -cache[..., 2], cache[..., 1]], axis=-1)
    rest = points_of(mesh.data.vertices, len(mesh.data.vertices))
    assert len(rest) == count, f"{mesh.name}: {len(rest)} vertices, the cache has {count}"
    total += count_wrong(mesh, rest, cache[0], "the neutral")
    keys = mesh.data.shape_keys.key_blocks if mesh.data.shape_keys else {}
    posed = rest.copy()
    for shape in shapes.split(","):
        if shape in keys:
            posed += points_of(keys[shape].data, count) - rest
    nmoved += int((np.abs(posed - rest).max(axis=1) > 0).sum())
    if kind != "obj":  # the neutral has no shapes in it
        total += count_wrong(mesh, posed, cache[-1], "the pose")
    nmesh += 1
assert nmesh and (nmoved or kind == "obj" or not shapes), "nothing was compared"
if total:
    print(f"FAILED: {total} vertices are elsewhere")
    sys.exit(1)
print(f"every vertex of {nmesh} meshes is where it was baked")
