"""The carrier: a hidden mesh per face, the only thing mien writes to while it plays."""

import bpy
import numpy as np

from . import nodes


def make(obj):
    mesh = bpy.data.meshes.new("mien carrier")
    carrier = bpy.data.objects.new("mien carrier", mesh)  # in no scene
    carrier["mien_owner"] = obj.name
    return carrier


def of(obj):
    modifier = nodes.find_modifier(obj)
    return nodes.get_input(modifier, "Carrier") if modifier else None


def remove(carrier):
    if carrier is None or carrier.library is not None:
        return
    mesh = carrier.data
    bpy.data.objects.remove(carrier)
    if mesh is not None and mesh.users == 0:
        bpy.data.meshes.remove(mesh)


def is_empty(carrier):
    return len(carrier.data.vertices) == 0


def clear(carrier):
    """The artist's mesh passes unchanged."""
    if not is_empty(carrier):
        carrier.data.clear_geometry()
        carrier.data.update_tag()


def write(carrier, positions, pose):
    """Both (n, 3) float32, contiguous, in the object's space with mien's axes."""
    mesh = carrier.data
    if len(mesh.vertices) != len(positions):
        mesh.clear_geometry()
        mesh.vertices.add(len(positions))
    attribute = mesh.attributes.get(nodes.POSE)
    if attribute is None:
        attribute = mesh.attributes.new(nodes.POSE, "FLOAT_VECTOR", "POINT")
    attribute.data.foreach_set("vector", pose.reshape(-1))
    place = mesh.attributes.get("position")  # since Blender 3.5, and faster there
    if place is not None:
        place.data.foreach_set("vector", positions.reshape(-1))
    else:
        mesh.vertices.foreach_set("co", positions.reshape(-1))
    mesh.update_tag()


def read(carrier):
    """(positions, pose), for undo and tests."""
    mesh = carrier.data
    n = len(mesh.vertices)
    positions, pose = np.empty(3 * n, np.float32), np.empty(3 * n, np.float32)
    mesh.vertices.foreach_get("co", positions)
    if n:
        mesh.attributes[nodes.POSE].data.foreach_get("vector", pose)
    return positions.reshape(-1, 3), pose.reshape(-1, 3)
