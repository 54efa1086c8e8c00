"""check_usda.py SHOT.usda 'shot.{mesh}.pc2': every mesh of the text has the points of its own cache in every frame,
to the bit: numbers are written with as many digits as floats need."""

import os
import re
import struct
import sys

path, pattern = sys.argv[1:]
text = open(path).read()
meshes = re.split(r'def Mesh "', text)[1:]
assert meshes, "there are no meshes"
folder, stem = os.path.split(pattern)
before, after = stem.split("{mesh}")
names = [n for n in os.listdir(folder or ".") if n.startswith(before) and n.endswith(after)]
caches = {re.sub(r"\W", "_", n[len(before) : -len(after)]): os.path.join(folder, n) for n in names}
wrong = 0
for mesh in meshes:
    name = mesh[: mesh.index('"')]
    data = open(caches.get(name) or caches[name[1:]], "rb").read()
    count, frames = struct.unpack("<i", data[16:20])[0], struct.unpack("<i", data[28:32])[0]
    samples = re.search(r"points\.timeSamples = \{\n(.*?)\n\s*\}", mesh, re.S).group(1).split("\n")
    assert len(samples) == frames, (name, len(samples), frames)
    for f, line in enumerate(samples):
        values = [float(v) for v in re.findall(r"-?[\d.]+(?:e[-+]?\d+)?", line.split(":", 1)[1])]
        wanted = struct.unpack_from("<%df" % (3 * count), data, 32 + 12 * count * f)
        assert len(values) == 3 * count, (name, len(values), 3 * count)
        there = struct.unpack("<%df" % len(values), struct.pack("<%df" % len(values), *values))
        wrong += sum(a != b for a, b in zip(there, wanted))
    print("%s: %d points, %d frames" % (name, count, frames))
sys.exit(wrong > 0)
