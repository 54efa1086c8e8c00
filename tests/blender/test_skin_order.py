"""The face deforms before the skin: in the rig's own .glb with a bake in it, played under a head bone that is turned,
every vertex is the baked one, then turned. Physics under the skin must not come after it.

usage: blender -b --factory-startup -P test_skin_order.py -- BAKED.glb 'shot.{mesh}.pc2' TOLERANCE
"""

import math
import struct
import sys

import bpy
import numpy as np
from mathutils import Quaternion

np.bool = bool  # the importer of Blender 3.4 asks for the name that numpy dropped

path, pattern, tolerance = sys.argv[sys.argv.index("--") + 1 :]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=path, merge_vertices=False)
armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
armature.animation_data_clear()  # the file's own animation turns the bone, too
bone = armature.pose.bones["Head"]
bone.rotation_mode = "QUATERNION"
bone.rotation_quaternion = Quaternion((1, 0.3, -0.2), math.radians(40))


def play_bake(data):
    """Of the file's animations the one that is the bake; its first frame."""
    actions = [s.action for track in data.nla_tracks if track.name.startswith("mien") for s in track.strips]
    for track in data.nla_tracks:
        track.mute = True
    data.action = actions[0] if actions else data.action
    return int(data.action.frame_range[0])


total = nmesh = 0
for mesh in [o for o in bpy.data.objects if o.type == "MESH" and any(m.type == "ARMATURE" for m in o.modifiers)]:
    name = mesh.name.split(".")[0]  # the importer numbers names that bones or materials have, too
    data = open(pattern.replace("{mesh}", name), "rb").read()
    count, frames = struct.unpack("<i", data[16:20])[0], struct.unpack("<i", data[28:32])[0]
    baked = np.frombuffer(data, np.float32, offset=32).reshape(frames, count, 3)
    baked = np.stack([baked[..., 0], -baked[..., 2], baked[..., 1]], axis=-1)
    keys = mesh.data.shape_keys
    start = play_bake(keys.animation_data) if keys and keys.animation_data else 0
    bpy.context.scene.frame_set(start + frames - 1)
    graph = bpy.context.evaluated_depsgraph_get()
    posed = mesh.evaluated_get(graph)
    shown = np.empty(3 * count, np.float32)
    posed.data.vertices.foreach_get("co", shown)
    turn = np.array(armature.matrix_world @ bone.matrix @ bone.bone.matrix_local.inverted())
    there = np.array(armature.matrix_world.inverted() @ mesh.matrix_world)  # the skin acts in the armature's space
    turn = np.linalg.inv(np.array(mesh.matrix_world)) @ turn @ there
    wanted = baked[-1] @ turn[:3, :3].T + turn[:3, 3]
    off = np.linalg.norm(shown.reshape(-1, 3) - wanted, axis=1)
    moved = np.linalg.norm(wanted - baked[-1], axis=1).max()
    wrong = int((off > float(tolerance)).sum())
    print(f"{mesh.name}: {count} vertices, {wrong} elsewhere, at most {off.max():.2g} m; the bone moves them by {moved:.2g} m")
    assert moved > 0.01, "the bone turns nothing"
    total += wrong
    nmesh += 1
if total or not nmesh:
    print(f"FAILED: {total} vertices of {nmesh} skinned meshes are elsewhere")
    sys.exit(1)
print("every vertex is where it was baked, and then turned")
