"""make_quirks.py HEAD.glb FOLDER: the sample head as strangers' files have it, a file for every quirk, without
anything in them that mien wrote."""

import copy
import math
import os
import struct
import sys

from make_character import Character

WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
CODE = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}


class Quirk(Character):
    def __init__(self, path, folder):
        super().__init__(path)
        self.folder = folder
        for node in self.json["nodes"]:
            node.get("extras", {}).pop("mien", None)
        for _, primitive in self.primitives():
            for name in [n for n in primitive["attributes"] if n.startswith("_")]:
                del primitive["attributes"][name]

    def primitives(self):
        return [(mesh, p) for mesh in self.json["meshes"] for p in mesh["primitives"]]

    def at(self, view):
        return self.json["bufferViews"][view].get("byteOffset", 0)

    def read(self, index):
        a = self.json["accessors"][index]
        width, code = WIDTH[a["type"]], CODE[a["componentType"]]
        rows = [[0] * width for _ in range(a["count"])]
        if "bufferView" in a:
            start, size = self.at(a["bufferView"]) + a.get("byteOffset", 0), struct.calcsize(code) * width
            rows = [list(struct.unpack_from(f"<{width}{code}", self.bin, start + k * size)) for k in range(a["count"])]
        sparse = a.get("sparse", {"count": 0})
        for k in range(sparse["count"]):
            code = CODE[sparse["indices"]["componentType"]]
            at = self.at(sparse["indices"]["bufferView"]) + k * struct.calcsize(code)
            row = struct.unpack_from("<3f", self.bin, self.at(sparse["values"]["bufferView"]) + 12 * k)
            rows[struct.unpack_from("<" + code, self.bin, at)[0]] = list(row)
        return rows

    def put(self, rows):
        low = [min(r[k] for r in rows) for k in range(3)]
        high = [max(r[k] for r in rows) for k in range(3)]
        return self.accessor("3f", "VEC3", 5126, rows, min=low, max=high)

    def put_corners(self, corners):
        return self.accessor("H", "SCALAR", 5123, [(c,) for c in corners])

    def move(self, place, way=None):
        for _, primitive in self.primitives():
            attributes = primitive["attributes"]
            attributes["POSITION"] = self.put([place(r) for r in self.read(attributes["POSITION"])])
            attributes.pop("NORMAL", None)
            for target in primitive.get("targets", []):
                target["POSITION"] = self.put([(way or place)(r) for r in self.read(target["POSITION"])])

    def rename(self, name):
        for mesh in self.json["meshes"]:
            if "extras" in mesh:
                mesh["extras"]["targetNames"] = [name(n) for n in mesh["extras"]["targetNames"]]

    def add_ball(self, name, centre, radii, count=16):
        """Closed, of one kind of triangle, with a hole at each pole."""
        points, corners = [], []
        for j in range(1, count):
            for i in range(count):
                turn, rise = 2 * math.pi * i / count, math.pi * j / count
                way = (math.sin(rise) * math.cos(turn), math.cos(rise), math.sin(rise) * math.sin(turn))
                points.append([c + r * w for c, r, w in zip(centre, radii, way)])
        for j in range(count - 2):
            for i in range(count):
                a, b = j * count + i, j * count + (i + 1) % count
                corners += [a, b, a + count, b, b + count, a + count]
        primitive = {"attributes": {"POSITION": self.put(points)}, "indices": self.put_corners(corners)}
        self.json["meshes"].append({"name": name, "primitives": [primitive]})
        self.json["nodes"].append({"name": name, "mesh": len(self.json["meshes"]) - 1})
        self.json["scenes"][0]["nodes"].append(len(self.json["nodes"]) - 1)

    def write(self, name):
        self.save(os.path.join(self.folder, name + ".glb"))


def quantise(q):
    """Positions and shapes as whole numbers of 16 bits, as gltfpack writes them."""

    def put(rows, code, component):
        data = b"".join(struct.pack(f"<3{code}2x", *r) for r in rows)
        view = q.view(data)
        q.json["bufferViews"][view].update(byteStride=8, target=34962)
        low, high = [min(r[k] for r in rows) for k in range(3)], [max(r[k] for r in rows) for k in range(3)]
        about = {"componentType": component, "count": len(rows), "type": "VEC3", "min": low, "max": high}
        q.json["accessors"].append({"bufferView": view, **about})
        return len(q.json["accessors"]) - 1

    for node in q.json["nodes"]:
        primitive = q.json["meshes"][node["mesh"]]["primitives"][0]
        places = q.read(primitive["attributes"]["POSITION"])
        low = [min(r[k] for r in places) for k in range(3)]
        step = max(r[k] - low[k] for r in places for k in range(3)) / 32767
        rows = [[round((r[k] - low[k]) / step) for k in range(3)] for r in places]
        primitive["attributes"] = {"POSITION": put(rows, "H", 5123)}
        for target in primitive.get("targets", []):
            deltas = q.read(target["POSITION"])
            rows = [[max(-32768, min(32767, round(v / step))) for v in r] for r in deltas]
            target["POSITION"] = put(rows, "h", 5122)
        node.update(translation=low, scale=[step] * 3)
    q.json["extensionsUsed"] = q.json["extensionsRequired"] = ["KHR_mesh_quantization"]


def mirror(q):
    q.move(lambda r: [-r[0], r[1], r[2]])
    for node in q.json["nodes"]:
        node["scale"] = [-1, 1, 1]
    for _, primitive in q.primitives():
        c = [r[0] for r in q.read(primitive["indices"])]
        primitive["indices"] = q.put_corners([c[k] for t in range(0, len(c), 3) for k in (t, t + 2, t + 1)])


def merge(q, noise):
    """One mesh without names: skin, teeth, eyes; and a body below, sewn to nothing, which every shape moves by
    as much as rounding does (noise > 0)."""
    places, corners, names = [], [], []
    if noise:
        q.add_ball("body", (0, -0.75, -0.02), (0.25, 0.5, 0.15))
    for mesh, _ in q.primitives():
        names += [n for n in mesh.get("extras", {}).get("targetNames", []) if n not in names]
    targets = {n: [] for n in names}
    for mesh, primitive in q.primitives():
        if mesh["name"] in ("skull", "jaw"):
            continue
        rows = q.read(primitive["attributes"]["POSITION"])
        corners += [r[0] + len(places) for r in q.read(primitive["indices"])]
        places += rows
        own = mesh.get("extras", {}).get("targetNames", [])
        for n in names:
            still = [[noise * math.sin(k), 0, 0] for k in range(len(rows))]
            targets[n] += q.read(primitive["targets"][own.index(n)]["POSITION"]) if n in own else still
    if noise: # the neck grows into the body
        skin = q.read(q.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"])
        low, top = min(range(len(skin)), key=lambda k: skin[k][1]), len(places) - 16 * 15
        corners += [low, top, top + 1, low, top + 1, top + 2]
    primitive = {
        "attributes": {"POSITION": q.put(places)},
        "indices": q.put_corners(corners),
        "targets": [{"POSITION": q.put(targets[n])} for n in names],
    }
    q.json["meshes"] = [{"name": "Mesh1", "primitives": [primitive], "extras": {"targetNames": names}}]
    q.json["nodes"] = [{"name": "Mesh1", "mesh": 0}]
    q.json["scenes"][0]["nodes"] = [0]
    del q.json["materials"]


def dress(q):
    q.add_ball("Hat", (0, 0.13, -0.02), (0.16, 0.08, 0.16))
    q.add_ball("HairBun", (0, 0.12, -0.13), (0.06, 0.06, 0.06))
    q.add_ball("Body", (0, -0.6, -0.02), (0.25, 0.5, 0.15))
    q.add_ball("Shirt_Head", (0, -0.6, -0.02), (0.26, 0.5, 0.16))


def two_names(q):
    for mesh in q.json["meshes"]:
        if "extras" in mesh:
            names = mesh["extras"]["targetNames"]
            names[-1] = names[0]
    for node in q.json["nodes"]:
        node["name"] = "mesh"


def take_names(q):
    """The names of a mesh's targets, which are then nowhere; and the first primitive, which has them all."""
    for mesh, primitive in q.primitives():
        if "extras" in mesh:
            yield mesh["extras"].pop("targetNames"), primitive
            del mesh["extras"]


def univrm(q):
    """Names where UniVRM has them."""
    for names, primitive in take_names(q):
        primitive["extras"] = {"targetNames": names}


def old_exporter(q):
    """Names where Blender's first exporters had them."""
    for names, primitive in take_names(q):
        for name, target in zip(names, primitive["targets"]):
            q.json["accessors"][target["POSITION"]]["name"] = name


def corners_of(q, primitive):
    return [r[0] for r in q.read(primitive["indices"])]


def turned(corners):
    return [corners[k] for t in range(0, len(corners), 3) for k in (t, t + 2, t + 1)]


def inside_out(q):
    """As exporters that mirror the scene leave it."""
    for _, primitive in q.primitives():
        primitive["indices"] = q.put_corners(turned(corners_of(q, primitive)))


def both_sides(q, copied):
    """Drawn from both sides: every triangle a second time, with vertices of its own or without."""
    for _, primitive in q.primitives():
        corners = corners_of(q, primitive)
        places = q.read(primitive["attributes"]["POSITION"])
        primitive["indices"] = q.put_corners(corners + turned([c + copied * len(places) for c in corners]))
        for owner in [primitive["attributes"]] + primitive.get("targets", []) if copied else []:
            rows = q.read(owner["POSITION"])
            owner.clear()
            owner["POSITION"] = q.put(rows + rows)


def interleave(q):
    """Everything of a vertex side by side, with normals and tangents of the shapes."""

    def put(columns):
        count, width = len(columns[0][1]), sum(len(rows[0]) for _, rows in columns)
        rows = [sum((rows[k] for _, rows in columns), []) for k in range(count)]
        view = q.view(b"".join(struct.pack(f"<{width}f", *row) for row in rows))
        q.json["bufferViews"][view].update(byteStride=4 * width, target=34962)
        at = 0
        for name, rows in columns:
            about = {"bufferView": view, "byteOffset": at, "componentType": 5126, "count": count, "type": f"VEC{len(rows[0])}"}
            if name == "POSITION":
                about.update(min=[min(r[k] for r in rows) for k in range(3)], max=[max(r[k] for r in rows) for k in range(3)])
            q.json["accessors"].append(about)
            at += 4 * len(rows[0])
            yield name, len(q.json["accessors"]) - 1

    for _, primitive in q.primitives():
        attributes = primitive["attributes"]
        attributes.update(put([(name, q.read(index)) for name, index in attributes.items() if name != "TEXCOORD_0"]))
        for target in primitive.get("targets", []):
            rows = q.read(target["POSITION"])
            bent = [[0.01, 0.0, 0.02]] * len(rows)
            target.update(put([("NORMAL", bent), ("POSITION", rows), ("TANGENT", bent)]))


def again(q, name, offset):
    """Every mesh a second time, elsewhere or in the same place."""
    nodes = q.json["nodes"]
    for node in list(nodes):
        other = copy.deepcopy(q.json["meshes"][node["mesh"]])
        other["name"] = name % node["name"]
        q.json["meshes"].append(other)
        nodes.append({"name": other["name"], "mesh": len(q.json["meshes"]) - 1, "translation": offset})
        q.json["scenes"][0]["nodes"].append(len(nodes) - 1)


def levels(q):
    """Two levels of detail in one place."""
    again(q, "%s_LOD1", [0, 0, 0])
    for node in q.json["nodes"]:
        if not node["name"].endswith("_LOD1"):
            node["name"] += "_LOD0"


def armature(q):
    """Centimetres, Z up, skinned to joints below an armature that puts both right; the meshes' own nodes lie."""
    q.move(lambda r: [100 * r[0], -100 * r[2], 100 * r[1]])
    g, first = q.json, len(q.json["nodes"])
    g["nodes"] += [
        {"name": "Armature", "rotation": [-math.sqrt(0.5), 0, 0, math.sqrt(0.5)], "scale": [0.01] * 3, "children": [first + 1]},
        {"name": "Hips", "translation": [0, 0, 95], "children": [first + 2]},
        {"name": "Head", "translation": [0, 0, 60]},
    ]
    binds = [(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 155 - up, 1) for up in (95, 155)]
    g["skins"] = [{"joints": [first + 1, first + 2], "inverseBindMatrices": q.accessor("16f", "MAT4", 5126, binds)}]
    for node in g["nodes"][:first]:
        node.update(skin=0, translation=[7, 7, 7])
        attributes = g["meshes"][node["mesh"]]["primitives"][0]["attributes"]
        count = g["accessors"][attributes["POSITION"]]["count"]
        attributes["JOINTS_0"] = q.accessor("4B", "VEC4", 5121, [(1, 0, 0, 0)] * count)
        attributes["WEIGHTS_0"] = q.accessor("4f", "VEC4", 5126, [(1, 0, 0, 0)] * count)
    g["scenes"][0]["nodes"].append(first)


def one_set_of_teeth(q):
    """Both rows in one mesh, as avatars have them."""
    nodes = {n["name"]: n for n in q.json["nodes"]}
    meshes = [q.json["meshes"][nodes[n]["mesh"]] for n in ("teeth_upper", "teeth_lower")]
    primitives = [m["primitives"][0] for m in meshes]
    rows = [q.read(p["attributes"]["POSITION"]) for p in primitives]
    corners = corners_of(q, primitives[0]) + [c + len(rows[0]) for c in corners_of(q, primitives[1])]
    own = [m.get("extras", {}).get("targetNames", []) for m in meshes]
    names = list(dict.fromkeys(own[0] + own[1]))

    def motion(k, name):
        if name not in own[k]:
            return [[0, 0, 0]] * len(rows[k])
        return q.read(primitives[k]["targets"][own[k].index(name)]["POSITION"])

    meshes[0]["primitives"] = [
        {
            "attributes": {"POSITION": q.put(rows[0] + rows[1])},
            "indices": q.put_corners(corners),
            "targets": [{"POSITION": q.put(motion(0, n) + motion(1, n))} for n in names],
        }
    ]
    meshes[0]["extras"] = {"targetNames": names}
    nodes["teeth_upper"]["name"] = "Wolf3D_Teeth"
    q.json["scenes"][0]["nodes"].remove(q.json["nodes"].index(nodes["teeth_lower"]))


def only_normals(q):
    """A target that moves nothing and only bends normals."""
    for mesh, primitive in q.primitives():
        if "extras" in mesh:
            primitive["targets"].append({"NORMAL": q.put([[0, 0.1, 0]] * q.json["accessors"][primitive["attributes"]["POSITION"]]["count"])})
            mesh["extras"]["targetNames"].append("wrinkles")


def main():
    head, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    quirks = {
        "bare": lambda q: None,
        "zup": lambda q: q.move(lambda r: [r[0], -r[2], r[1]]),
        "cm": lambda q: q.move(lambda r: [100 * v for v in r]),
        "tiny": lambda q: q.move(lambda r: [0.16 * v for v in r]),
        "hips": lambda q: q.move(lambda r: [r[0], r[1] + 0.95, r[2]], lambda r: r),
        "feet": lambda q: q.move(lambda r: [r[0], r[1] + 1.6, r[2]], lambda r: r),
        "maya": lambda q: q.rename(lambda n: "blendShape1." + n),
        "avatar": lambda q: q.rename(lambda n: "AK_%02d_%s" % (sum(map(ord, n)) % 90, n[0].upper() + n[1:])),
        "sides": lambda q: q.rename(lambda n: n.replace("Left", "_L").replace("Right", "_R")),
        "unnamed": lambda q: q.rename(lambda n: ""),
        "quantised": quantise,
        "mirrored": mirror,
        "one": lambda q: merge(q, 0),
        "torso": lambda q: merge(q, 1e-7),
        "dressed": dress,
        "twice": two_names,
        "univrm": univrm,
        "old_exporter": old_exporter,
        "tagged": lambda q: q.rename(lambda n: "CTRL_expressions_" + n),
        "inside_out": inside_out,
        "both_sides": lambda q: both_sides(q, 0),
        "both_sides_copied": lambda q: both_sides(q, 1),
        "interleaved": interleave,
        "two_heads": lambda q: again(q, "B_%s", [0.6, 0, 0]),
        "levels": levels,
        "armature": armature,
        "one_set": one_set_of_teeth,
        "only_normals": only_normals,
    }
    for name, make in quirks.items():
        quirk = Quirk(head, folder)
        make(quirk)
        quirk.write(name)


if __name__ == "__main__":
    main()
