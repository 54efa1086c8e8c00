"""check_baked.py ORIGINAL.glb BAKED.glb 'shot.{mesh}.pc2' TOLERANCE

What a viewer shows of BAKED is the bake, within the tolerance in metres, and everything that ORIGINAL
holds is in it unchanged: its bytes, nodes, skins, materials, textures, extras, animations.
"""

import json
import struct
import sys

WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}


class Glb:
    def __init__(self, path):
        data = open(path, "rb").read()
        size = struct.unpack("<I", data[12:16])[0]
        self.json = json.loads(data[20 : 20 + size])
        self.bin = data[28 + size :]

    def rows(self, view, offset, count, component, width):
        at = self.json["bufferViews"][view]
        code = "<%d%s" % (width, TYPES[component])
        step = at.get("byteStride", struct.calcsize(code))
        first = at.get("byteOffset", 0) + offset
        return [struct.unpack_from(code, self.bin, first + i * step) for i in range(count)]

    def values(self, index):
        a = self.json["accessors"][index]
        width, kind = WIDTHS[a["type"]], a["componentType"]
        out = [(0,) * width] * a["count"]
        if "bufferView" in a:
            out = self.rows(a["bufferView"], a.get("byteOffset", 0), a["count"], kind, width)
        if "sparse" in a:
            s = a["sparse"]
            which = self.rows(s["indices"]["bufferView"], 0, s["count"], s["indices"]["componentType"], 1)
            new = self.rows(s["values"]["bufferView"], 0, s["count"], kind, width)
            for (i,), row in zip(which, new):
                out[i] = row
        return out


def expect(holds, what):
    if not holds:
        print("FAILED: " + what)
        sys.exit(1)


def without(node, *keys):
    return {k: v for k, v in node.items() if k not in keys}


def check_kept(old, new):
    size = old.json["buffers"][0]["byteLength"]
    expect(new.bin[:size] == old.bin[:size], "bytes of the first buffer changed")
    for key, value in old.json.items():
        if key in ("buffers", "nodes", "meshes", "animations"):
            continue
        now = new.json.get(key)
        expect(now[: len(value)] == value if key in ("accessors", "bufferViews") else now == value, key)
    for a, b in zip(old.json["nodes"], new.json["nodes"]):
        expect(without(a, "weights", "mesh") == without(b, "weights", "mesh"), "a node changed")
    for a, b in zip(old.json["meshes"], new.json["meshes"]):
        for p, q in zip(a["primitives"], b["primitives"]):
            ntarget = len(p.get("targets", []))
            expect(without(p, "targets") == without(q, "targets"), "a primitive changed")
            expect(q.get("targets", [])[:ntarget] == p.get("targets", []), "an artist's shape changed")
        names = names_of(old, a)
        expect(names_of(new, b)[: len(names)] == names, "names of shapes")
    for a, b in zip(old.json.get("animations", []), new.json["animations"]):
        expect(a["channels"] == b["channels"] and a.get("name") == b.get("name"), "an animation changed")


def names_of(glb, mesh):
    """Of targets: the mesh has them, its primitives (UniVRM) or the accessors (old exporters)."""
    for owner in [mesh] + mesh["primitives"]:
        if "targetNames" in owner.get("extras", {}):
            return owner["extras"]["targetNames"]
    targets = mesh["primitives"][0].get("targets", [])
    names = [glb.json["accessors"][t["POSITION"]].get("name") for t in targets]
    return names if None not in names else []


def check_mesh(glb, node, sampler, pattern, tolerance):
    mesh = glb.json["meshes"][node["mesh"]]
    data = open(pattern.replace("{mesh}", node["name"]), "rb").read()
    npoint, nframe = struct.unpack("<i", data[16:20])[0], struct.unpack("<i", data[28:32])[0]
    times = glb.values(sampler["input"])
    expect(len(times) == nframe, "frames")
    weights = [w for (w,) in glb.values(sampler["output"])]
    ntarget = len(weights) // nframe
    base, targets, seen = [], [[] for _ in range(ntarget)], set()
    for primitive in mesh["primitives"]:
        position = primitive["attributes"]["POSITION"]
        expect(len(primitive.get("targets", [])) == ntarget, "targets of a primitive")
        if position in seen:
            continue
        seen.add(position)
        base += glb.values(position)
        for t, target in enumerate(primitive["targets"]):
            moves = "POSITION" in target  # others bend normals alone
            targets[t] += glb.values(target["POSITION"]) if moves else [(0, 0, 0)] * len(glb.values(position))
    expect(len(base) == npoint, "vertices of " + node["name"])
    worst = 0.0
    for f in (0, nframe // 2, nframe - 1):
        row = weights[f * ntarget : (f + 1) * ntarget]
        used = [(w, targets[t]) for t, w in enumerate(row) if w]
        for i in range(npoint):
            at = struct.unpack_from("<3f", data, 32 + 12 * (f * npoint + i))
            off = [base[i][k] + sum(w * t[i][k] for w, t in used) - at[k] for k in range(3)]
            worst = max(worst, sum(d * d for d in off) ** 0.5)
    print("%s: %d vertices, %d targets, farthest %.2g m" % (node["name"], npoint, ntarget, worst))
    expect(worst <= tolerance, "%s is %g m off" % (node["name"], worst))


old, new = Glb(sys.argv[1]), Glb(sys.argv[2])
check_kept(old, new)
bake = [a for a in new.json["animations"] if a.get("name") == "mien"][-1]
expect(bake["extras"]["mien"]["space"] == "head", "the space is not said")
for channel in bake["channels"]:
    where = new.json["nodes"][channel["target"]["node"]]
    check_mesh(new, where, bake["samplers"][channel["sampler"]], sys.argv[3], float(sys.argv[4]))
