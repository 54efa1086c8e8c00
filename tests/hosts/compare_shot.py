"""The same shot by the Python module, and all four hosts side by side. usage: compare_shot.py FOLDER"""

import os
import sys

import numpy as np

import mien

folder = sys.argv[1]


def path(name):
    return os.path.join(folder, name)


def by_python():
    rig = mien.Rig.load(path("face.glb"))
    settings = mien.Settings()
    settings.read(open(path("settings.json")).read())
    settings["dt"] = 1 / 24
    take = mien.Take.load(path("take.csv")).bind(rig)
    poses = mien.CacheReader(path("pose.pc2")).points
    state, out = mien.State(mien.Face(rig, settings=settings)), []
    for frame, pose in enumerate(poses):
        weights, head = take.sample(frame / 24)
        state.step(weights=weights, pose=pose, head=head, settings=settings)
        out.append(state.positions.copy())
    return np.stack(out)


command_line = mien.CacheReader(path("out.pc2")).points
nframe, nvert = command_line.shape[:2]
shots = {"Python": by_python()}
for host in ("blender", "maya"):
    shots[host] = np.fromfile(path(host + ".f32"), "<f4").reshape(nframe, nvert, 3)
poses = mien.CacheReader(path("pose.pc2")).points
moved = np.abs(command_line - poses).max()
assert moved > 1e-4, f"nothing moves: {moved}"
wrong = 0
for host, points in shots.items():
    same = np.array_equal(points, command_line)
    wrong += not same
    print(f"{host}: {nframe} frames of {nvert} vertices,", "the command line's bits" if same else
          f"off by {np.abs(points - command_line).max()} m at frame "
          f"{1 + int(np.argmax([not np.array_equal(a, b) for a, b in zip(points, command_line)]))}")
print(f"physics adds up to {1e3 * moved:.2f} mm")
sys.exit(wrong)
