"""The carrier: a hidden mesh per face, the only thing mien writes to while it plays."""

import bpy

from . import nodes, vectors


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


class Opened:
    """A carrier with a pose in it, about to be given what physics made of it: all that has to be looked up is."""

    def __init__(self, carrier, pose):
        """Both arrays are (n, 3) float32, contiguous, in the object's space with mien's axes."""
        mesh, nvert = carrier.data, len(pose)
        if len(mesh.vertices) != nvert:
            mesh.clear_geometry()
            mesh.vertices.add(nvert)
        place, taken = self._attributes(mesh.attributes)
        self.pose, self._place = pose, vectors.Door(place.data, nvert, True)
        vectors.Door(taken.data, nvert, True).write(pose)
        mesh.update_tag()

    @staticmethod
    def _attributes(attributes):
        found = attributes.get(nodes.PLACE), attributes.get(nodes.POSE)
        if None in found:  # both are looked up again: one that is added may move the other
            for name in (nodes.PLACE, nodes.POSE):
                if name not in attributes:
                    attributes.new(name, "FLOAT_VECTOR", "POINT")
            found = attributes[nodes.PLACE], attributes[nodes.POSE]
        return found

    def write(self, positions):
        self._place.write(positions)
