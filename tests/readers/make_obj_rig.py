"""make_obj_rig.py SHARED FOLDER SHAPE...: a rig of the shared data (neutral.obj, rig.json, shapes.bin) as the folder
of OBJ files that artists have, with some of its shapes."""

import json
import os
import struct
import sys

shared, folder, *names = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
text = open(os.path.join(shared, "neutral.obj")).read()
lines = text.split("\n")
places = [k for k, line in enumerate(lines) if line.startswith("v ")]
rig, data = json.load(open(os.path.join(shared, "rig.json"))), open(os.path.join(shared, "shapes.bin"), "rb").read()
open(os.path.join(folder, "neutral.obj"), "w").write(text)
for shape in rig["shapes"]:
    if shape["name"] not in names:
        continue
    count, at = shape["count"], shape["offset"]
    moved = list(lines)
    for k in range(count):
        vertex = struct.unpack_from("<i", data, at + 4 * k)[0]
        delta = struct.unpack_from("<3f", data, at + 4 * count + 12 * k)
        place = [float(v) + d for v, d in zip(lines[places[vertex]].split()[1:4], delta)]
        moved[places[vertex]] = "v %.7g %.7g %.7g" % tuple(place)
    open(os.path.join(folder, shape["name"] + ".obj"), "w").write("\n".join(moved))
