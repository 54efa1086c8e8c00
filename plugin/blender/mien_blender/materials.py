"""What things look like in a .glb: libmien reads shapes, parts and the colours of vertices, the rest is Blender's."""

import json
import struct
from typing import NamedTuple

import bpy
import numpy as np


class Look(NamedTuple):
    roughness: float = 0.5
    metallic: float = 0.0


def _description(path):
    """The JSON of a .glb; {} when the file is none."""
    try:
        with open(path, "rb") as file:
            if file.read(4) != b"glTF":
                return {}
            file.seek(12)
            size, _ = struct.unpack("<I4s", file.read(8))
            return json.loads(file.read(size))
    except (IsADirectoryError, ValueError, struct.error):
        return {}


def _look(description, mesh):
    material = next((p["material"] for p in mesh["primitives"] if "material" in p), None)
    if material is None:
        return Look()
    body = description["materials"][material].get("pbrMetallicRoughness", {})
    return Look(body.get("roughnessFactor", 1), body.get("metallicFactor", 1))


def looks(path):
    """{part: Look}; a part is called after its node, or after its mesh."""
    description, found = _description(path), {}
    for node in description.get("nodes", []):
        if "mesh" in node:
            mesh = description["meshes"][node["mesh"]]
            found[node.get("name") or mesh.get("name", "")] = _look(description, mesh)
    return found


def colours(rig):
    """(n, 3) of the rig's welded vertices, by their own colours and those of materials; None where the file has none."""
    if rig.info.colours is None or len(rig.info.colours) != rig.info.nrender:
        return None
    welded = np.ones((rig.info.nvert, 3), np.float32)
    welded[rig.render_map] = rig.info.colours[:, :3]
    return welded


def give(obj, name, look, colours):
    """A material of its own for a part, coloured by its vertices."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
    shader.inputs["Roughness"].default_value = look.roughness
    shader.inputs["Metallic"].default_value = look.metallic
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
