"""The colours of a .glb: libmien reads shapes and parts; what things look like is Blender's."""

import json
import struct

import bpy
import numpy as np

TYPES = {5121: (np.uint8, 255), 5123: (np.uint16, 65535), 5126: (np.float32, 1)}
WIDTHS = {"VEC3": 3, "VEC4": 4}


def _chunks(path):
    """(the JSON, the binary part); (None, b"") when the file is no .glb."""
    with open(path, "rb") as file:
        if file.read(4) != b"glTF":
            return None, b""
        file.seek(12)
        found = []
        while len(header := file.read(8)) == 8:
            size, _ = struct.unpack("<I4s", header)
            found.append(file.read(size))
    return json.loads(found[0]), found[1] if len(found) > 1 else b""


def _colours(description, data, primitive):
    """(n, 3) of a primitive; white where it has none."""
    accessors = description["accessors"]
    count = accessors[primitive["attributes"]["POSITION"]]["count"]
    index = primitive["attributes"].get("COLOR_0")
    if index is None or accessors[index]["componentType"] not in TYPES:
        return np.ones((count, 3), np.float32)
    accessor = accessors[index]
    kind, full = TYPES[accessor["componentType"]]
    view = description["bufferViews"][accessor["bufferView"]]
    width = WIDTHS[accessor["type"]]
    step = view.get("byteStride", width * np.dtype(kind).itemsize)
    first = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    rows = np.ndarray((count, width), kind, data, first, (step, np.dtype(kind).itemsize))
    return rows[:, :3].astype(np.float32) / full


def read(path, rig):
    """({part: (roughness, metallic)}, colours of the rig's welded vertices or None)."""
    try:
        description, data = _chunks(path)
    except (IsADirectoryError, ValueError, struct.error):
        description = None
    if description is None:
        return {}, None
    looks, rows = {}, []
    for mesh in description.get("meshes", []):
        for primitive in mesh["primitives"]:
            rows.append(_colours(description, data, primitive))
            material = description["materials"][primitive["material"]] if "material" in primitive else {}
            body = material.get("pbrMetallicRoughness", {})
            looks[mesh.get("name", "")] = body.get("roughnessFactor", 0.5), body.get("metallicFactor", 0)
    colours = np.concatenate(rows) if rows else np.empty((0, 3), np.float32)
    if len(colours) != rig.info.nrender:
        return looks, None
    welded = np.ones((rig.info.nvert, 3), np.float32)
    welded[rig.render_map] = colours
    return looks, welded


def give(obj, name, look, colours):
    """A material of its own for a part, coloured by its vertices."""
    roughness, metallic = look
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Metallic"].default_value = metallic
    obj.data.materials.append(material)
    if colours is None:
        return
    layer = obj.data.color_attributes.new("Color", "FLOAT_COLOR", "POINT")
    full = np.ones((len(colours), 4), np.float32)
    full[:, :3] = colours
    layer.data.foreach_set("color", full.reshape(-1))
    node = material.node_tree.nodes.new("ShaderNodeVertexColor")
    node.layer_name, node.location = "Color", (-250, 250)
    material.node_tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    material.diffuse_color = (*colours.mean(axis=0).tolist(), 1)  # what the solid view shows
