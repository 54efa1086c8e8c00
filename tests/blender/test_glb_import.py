"""Imports a .glb that mien wrote into Blender and compares it with the bytes of the file.

blender -b --factory-startup --python-exit-code 1 -P test_glb_import.py -- FILE.glb
"""

import json
import struct
import sys

import bpy
import numpy as np

if not hasattr(np, "bool"):
    np.bool = bool  # Blender 3.4's importer uses a name that numpy 1.24 dropped

DTYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


class Glb:
    """The file read a second time, by other means than the library's."""

    def __init__(self, path):
        data = open(path, "rb").read()
        magic, version, length, json_length, _ = struct.unpack_from("<5I", data)
        assert magic == 0x46546C67 and version == 2 and length == len(data)
        self.root = json.loads(data[20 : 20 + json_length])
        self.bin = data[28 + json_length :]

    def view(self, index, offset, dtype, count):
        view = self.root["bufferViews"][index]
        return np.frombuffer(self.bin, dtype, count, view.get("byteOffset", 0) + offset)

    def accessor(self, index):
        a = self.root["accessors"][index]
        dtype, width = DTYPES[a["componentType"]], WIDTHS[a["type"]]
        values = np.zeros((a["count"], width), dtype)
        if "bufferView" in a:
            size = a["count"] * width
            values[:] = self.view(a["bufferView"], a.get("byteOffset", 0), dtype, size).reshape(
                -1, width
            )
        if "sparse" in a:
            s, n = a["sparse"], a["sparse"]["count"]
            index_type = DTYPES[s["indices"]["componentType"]]
            at = self.view(s["indices"]["bufferView"], s["indices"].get("byteOffset", 0), index_type, n)
            new = self.view(s["values"]["bufferView"], s["values"].get("byteOffset", 0), dtype, n * width)
            values[at] = new.reshape(-1, width)
        return values


def to_blender(points):
    """glTF has Y up, Blender Z."""
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)


def coordinates(block):
    flat = np.empty(3 * len(block.data), np.float32)
    block.data.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def check_mesh(glb, node):
    mesh = glb.root["meshes"][node["mesh"]]
    primitive = mesh["primitives"][0]
    obj = bpy.data.objects[node["name"]]
    rest = to_blender(glb.accessor(primitive["attributes"]["POSITION"]))
    assert len(obj.data.vertices) == len(rest), (node["name"], len(obj.data.vertices), len(rest))
    corners = glb.root["accessors"][primitive["indices"]]["count"]
    assert len(obj.data.polygons) == corners // 3, (len(obj.data.polygons), corners // 3)
    assert obj["mien"]["part"], "extras.mien did not arrive"
    names = mesh.get("extras", {}).get("targetNames", [])
    if not names:
        return 0
    blocks = obj.data.shape_keys.key_blocks
    assert [b.name for b in blocks[1:]] == names, [b.name for b in blocks]
    basis = coordinates(blocks[0])
    assert np.abs(basis - rest).max() < 1e-6
    for block, target in zip(blocks[1:], primitive["targets"]):
        deltas = to_blender(glb.accessor(target["POSITION"]))
        error = np.abs(coordinates(block) - basis - deltas).max()
        assert error < 1e-5, (node["name"], block.name, error)
    return len(names)


def check_animation(glb):
    animation = glb.root["animations"][0]
    curves = {a.name: len(a.fcurves) for a in bpy.data.actions}
    for channel in animation["channels"]:
        node = glb.root["nodes"][channel["target"]["node"]]
        found = curves[animation["name"] + "_" + node["name"]]
        if channel["target"]["path"] == "weights":
            count = len(glb.root["meshes"][node["mesh"]]["extras"]["targetNames"])
            assert found == count, (node["name"], found, count)
        else:
            assert found == 7, (node["name"], found)  # 4 of the rotation, 3 of the translation


def main():
    path = sys.argv[sys.argv.index("--") + 1]
    glb = Glb(path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    nodes = [n for n in glb.root["nodes"] if "mesh" in n]
    assert nodes, "the file holds no meshes: nothing was checked"
    nshape = sum(check_mesh(glb, node) for node in nodes)
    assert nshape, "the file holds no shapes: nothing was checked"
    if "animations" in glb.root:
        check_animation(glb)
    print("checked", len(nodes), "meshes and", nshape, "shape keys in Blender", bpy.app.version_string)


main()
