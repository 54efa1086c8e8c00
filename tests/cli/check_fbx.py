"""check_fbx.py MIEN RIG.glb: caches of a rig that was made of make_fbx.py's file drop onto the meshes of that file:
its vertices, their order, its unit, axes and space, and its in-betweens."""

import struct
import subprocess
import sys

import make_fbx

mien, rig = sys.argv[1:]
weights = [0.0, 0.125, 0.5, 0.875, 1.0]
with open("way.csv", "w") as take:
    take.write("Time,jawOpen\n" + "".join("%.9f,%g\n" % (k / 24, w) for k, w in enumerate(weights)))
call = [mien, "bake", rig, "--anim", "way.csv", "--solver", "kinematic", "--contact", "off", "-o", "way.{mesh}.pc2"]
subprocess.run(call, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
data = open("way.face.pc2", "rb").read()
count, frames = struct.unpack("<i", data[16:20])[0], struct.unpack("<i", data[28:32])[0]
rest = make_fbx.points()
assert count == len(rest) and frames == len(weights), (count, frames)
moved = make_fbx.shape(1)[0]
stops = [0, 0.25, 0.75, 1]
wrong = 0
for f, weight in enumerate(weights):
    low, high = next((a, b) for a, b in zip(stops, stops[1:]) if weight <= b)
    share = (weight - low) / (high - low)
    ends = make_fbx.shape(low)[1], make_fbx.shape(high)[1]
    wanted = [list(p) for p in rest]
    for k, v in enumerate(moved):
        for c in range(3):
            wanted[v][c] += (1 - share) * ends[0][3 * k + c] + share * ends[1][3 * k + c]
    for v in range(count):
        at = struct.unpack_from("<3f", data, 32 + 12 * (f * count + v))
        wrong += max(abs(a - b) for a, b in zip(at, wanted[v])) > 2e-5
print("%d vertices, %d frames, %d elsewhere" % (count, frames, wrong))
sys.exit(wrong > 0)
