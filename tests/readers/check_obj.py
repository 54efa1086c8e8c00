"""check_obj.py FOLDER 'shot.{mesh}.pc2' SHAPE...: caches of a folder of OBJ files hold the vertices of its files in
their order: all of neutral.obj in the first frame, and with the shapes at 1 in the last. A cache is of a group whose
vertices no other group uses, else of the whole file."""

import os
import struct
import sys

folder, pattern, *shapes = sys.argv[1:]


def read(name):
    groups, vertices, used, group = [], [], {}, None
    for line in open(os.path.join(folder, name + ".obj")):
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(v) for v in words[1:4]])
        elif words[:1] in (["g"], ["o"]) and len(words) > 1:
            group = words[1]
        elif words[:1] == ["f"]:
            for word in words[1:]:
                used.setdefault(group, set()).add(int(word.split("/")[0]) - 1)
    return vertices, used


rest, used = read("neutral")
posed = [list(v) for v in rest]
for shape in shapes:
    for to, at, moved in zip(posed, rest, read(shape)[0]):
        for k in range(3):
            to[k] += moved[k] - at[k]
shares = sum(len(u) for u in used.values()) > len(set().union(*used.values()))
meshes = [(None, 0, len(rest))] if shares else []
if not shares:
    starts = sorted((min(u), name) for name, u in used.items())
    ends = [s for s, _ in starts[1:]] + [len(rest)]
    meshes = [(name, 0 if k == 0 else first, ends[k]) for k, (first, name) in enumerate(starts)]
size = max(v[1] for v in rest) - min(v[1] for v in rest)
wrong = 0
for name, first, end in meshes:
    path = pattern.replace("{mesh}", name) if name else None
    if not path:
        before, after = os.path.basename(pattern).split("{mesh}")
        path = [n for n in os.listdir(".") if n.startswith(before) and n.endswith(after)][0]
    data = open(path, "rb").read()
    count, last = struct.unpack("<i", data[16:20])[0], struct.unpack("<i", data[28:32])[0] - 1
    assert count == end - first, (name, count, end - first)
    here = 0
    for frame, points in ((0, rest), (last, posed)):
        for i in range(count):
            at = struct.unpack_from("<3f", data, 32 + 12 * (frame * count + i))
            here += max(abs(a - b) for a, b in zip(at, points[first + i])) > 2e-6 * size
    print("%s: %d vertices, %d elsewhere" % (name or "all", count, here))
    wrong += here
sys.exit(wrong > 0)
