"""make_character.py HEAD.glb OUT.glb: the sample head as characters come: skinned to a skeleton with
the origin at its feet, textured, animated, with extras and extensions that mien does not know."""

import json
import struct
import sys

HIPS, NECK, HEAD = (0, 0.95, 0), (0, 1.50, -0.02), (0, 1.58, 0)
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc0000003010100"
    "18dd8db00000000049454e44ae426082"
)


class Character:
    def __init__(self, path):
        data = open(path, "rb").read()
        size = struct.unpack("<I", data[12:16])[0]
        self.json = json.loads(data[20 : 20 + size])
        self.bin = bytearray(data[28 + size :][: self.json["buffers"][0]["byteLength"]])

    def view(self, data):
        self.bin += b"\0" * (-len(self.bin) % 4)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bin), "byteLength": len(data)})
        self.bin += data
        return len(self.json["bufferViews"]) - 1

    def accessor(self, code, kind, component, rows, **more):
        data = b"".join(struct.pack("<" + code, *row) for row in rows)
        self.json["accessors"].append(
            {"bufferView": self.view(data), "componentType": component, "count": len(rows), "type": kind, **more}
        )
        return len(self.json["accessors"]) - 1

    def save(self, path):
        self.json["buffers"][0]["byteLength"] = len(self.bin)
        text = json.dumps(self.json, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        self.bin += b"\0" * (-len(self.bin) % 4)
        with open(path, "wb") as out:
            out.write(struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(self.bin)))
            out.write(struct.pack("<II", len(text), 0x4E4F534A) + text)
            out.write(struct.pack("<II", len(self.bin), 0x004E4942) + self.bin)


def joint(name, at, above, **more):
    return {"name": name, "translation": [a - b for a, b in zip(at, above)], **more}


def add_skeleton(c):
    """Meshes stay as they were bound, so positions remain; the bind matrices put the joints there."""
    g, first = c.json, len(c.json["nodes"])
    g["nodes"] += [
        joint("Hips", HIPS, (0, 0, 0), children=[first + 1]),
        joint("Neck", NECK, HIPS, children=[first + 2]),
        joint("Head", HEAD, NECK),
    ]
    # meshes have the origin in the head; the head joint is where it was there
    offset = (0, 1.6, 0)
    binds = [
        (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, *[o - p for o, p in zip(offset, at)], 1) for at in (HIPS, NECK, HEAD)
    ]
    g["skins"] = [
        {"joints": [first, first + 1, first + 2], "inverseBindMatrices": c.accessor("16f", "MAT4", 5126, binds)}
    ]
    for node in g["nodes"][:first]:
        if "mesh" not in node:
            continue
        node["skin"] = 0
        for primitive in g["meshes"][node["mesh"]]["primitives"]:
            count = g["accessors"][primitive["attributes"]["POSITION"]]["count"]
            primitive["attributes"]["JOINTS_0"] = c.accessor("4B", "VEC4", 5121, [(2, 0, 0, 0)] * count)
            primitive["attributes"]["WEIGHTS_0"] = c.accessor("4f", "VEC4", 5126, [(1, 0, 0, 0)] * count)
    g["scenes"][0]["nodes"].append(first)
    return first


def main():
    c = Character(sys.argv[1])
    g = c.json
    for node in g["nodes"]:
        node.get("extras", {}).pop("mien", None)  # nothing of ours helps
    first = add_skeleton(c)
    g["images"] = [{"bufferView": c.view(PIXEL), "mimeType": "image/png", "name": "skin.png"}]
    g["textures"] = [{"source": 0}]
    g["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    g["extensionsUsed"] = ["STUDIO_secret_sauce"]
    g["nodes"][first]["extensions"] = {"STUDIO_secret_sauce": {"grams": 3.5, "of": ["salt", "pepper"]}}
    g["extras"] = {"shot": "010_0200", "précis": [0.1, 1e-07, 123456789012]}
    mesh = g["meshes"][g["nodes"][0]["mesh"]]
    ntarget = len(mesh["primitives"][0]["targets"])
    times = c.accessor("f", "SCALAR", 5126, [(0.0,), (1.0,)], min=[0.0], max=[1.0])
    weights = c.accessor("f", "SCALAR", 5126, [(0.0,)] * ntarget + [(0.5,)] * ntarget)
    turn = c.accessor("4f", "VEC4", 5126, [(0, 0, 0, 1), (0, 0.38268343, 0, 0.92387953)])
    g["animations"] = [
        {
            "name": "idle",
            "channels": [
                {"sampler": 0, "target": {"node": 0, "path": "weights"}},
                {"sampler": 1, "target": {"node": first + 2, "path": "rotation"}},
            ],
            "samplers": [{"input": times, "output": weights}, {"input": times, "output": turn}],
        }
    ]
    c.save(sys.argv[2])


if __name__ == "__main__":
    main()
