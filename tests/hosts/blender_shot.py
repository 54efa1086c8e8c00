"""A short shot in Blender: played, exported, and what Blender shows written beside it.

blender -b --factory-startup --python-exit-code 1 -P blender_shot.py -- FOLDER

Coordinates are put on a grid of 2^-15 m, so that differences between shapes are exact whatever way a
host keeps them; the head moves without turning, because a rotation has more than one spelling.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../blender"))

import bpy
import numpy as np

import face_scene as fs

fs.enable()
from mien_blender import mien, session  # noqa: E402

FRAMES, GRID = 20, 2.0**15
folder = sys.argv[sys.argv.index("--") + 1]


def snap(data):
    flat = np.empty(3 * len(data), np.float32)
    data.foreach_get("co", flat)
    data.foreach_set("co", np.round(flat * GRID) / GRID)


scene = fs.empty_scene(FRAMES)
obj, _ = fs.head(mien)
for block in obj.data.shape_keys.key_blocks:
    snap(block.data)
snap(obj.data.vertices)
fs.key(obj, "jawOpen", {1: 0, 6: 0.7, 12: 0.0, 20: 0.0})
fs.key(obj, "mouthSmileLeft", {1: 0.2, 20: 0.9})
fs.key(obj, "mouthPressLeft", {1: 0.0, 8: 1.0, 20: 1.0})
for frame in range(1, FRAMES + 1):
    obj.location = (0.0, 0.0, round(0.04 * np.sin(0.9 * (frame - 1)) * GRID) / GRID)
    obj.keyframe_insert("location", frame=frame)
scene.frame_set(1)
assert bpy.ops.mien.attach() == {"FINISHED"}
obj.vertex_groups.clear()  # maps as mien finds them, in every host
s = session.get(obj)
shown = []
for frame in range(1, FRAMES + 1):
    scene.frame_set(frame)
    at = fs.shown(obj)
    shown.append(np.stack([at[:, 0], at[:, 2], -at[:, 1]], axis=1))
assert not s.status.is_error, s.status.text
assert max(known.summary.ncontact for known in s.playback.frames.values()) > 10, "the lips do not touch"
assert bpy.ops.mien.export_shot(directory=folder) == {"FINISHED"}
np.stack(shown).astype("<f4").tofile(os.path.join(folder, "blender.f32"))
print(f"{FRAMES} frames of {len(obj.data.vertices)} vertices")
