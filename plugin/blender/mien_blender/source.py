"""From Blender's meshes to arrays that libmien understands. Reads only."""

import hashlib

import numpy as np

from . import axes, maps, parameters
from .mien import Collider, Part, Region, Rig, Shape


def coordinates(collection, attribute="co"):
    flat = np.empty(3 * len(collection), np.float32)
    collection.foreach_get(attribute, flat)
    return flat.reshape(-1, 3)


def key_coordinates(block):
    """Blender 4 has a faster door."""
    return coordinates(block.points if hasattr(block, "points") else block.data)


def polygons(mesh, flip):
    """(corners, sizes); a mirrored object has its polygons turned round."""
    sizes = np.empty(len(mesh.polygons), np.int32)
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.polygons.foreach_get("loop_total", sizes)
    mesh.loops.foreach_get("vertex_index", corners)
    if flip and len(sizes):
        ends = np.cumsum(sizes)
        corners = np.concatenate([corners[e - n : e][::-1] for n, e in zip(sizes, ends)])
    return corners, sizes


def shapes(mesh):
    """[(name, rest or None)]: (name, deltas) of every key in the object's space."""
    keys = mesh.shape_keys
    if keys is None:
        return coordinates(mesh.vertices), []
    known = {}

    def places(block):
        if block.name not in known:
            known[block.name] = key_coordinates(block)
        return known[block.name]

    basis = places(keys.reference_key)
    deltas = []
    for block in keys.key_blocks:
        if block.name != keys.reference_key.name:
            deltas.append((block.name, places(block) - places(block.relative_key)))
    return basis, deltas


class Companion:
    """Teeth, eyes, tongue: a mesh with shape keys of its own that belongs to the same head."""

    def __init__(self, obj, to_head):
        self.name = obj.name
        self.nvert = len(obj.data.vertices)
        rest, self.deltas = shapes(obj.data)
        self.rest = transform(to_head, rest)
        turn = np.array(to_head, np.float64)
        turn[:3, 3] = 0
        self.deltas = [(name, transform(turn, d)) for name, d in self.deltas]
        self.corners, self.sizes = polygons(obj.data, np.linalg.det(turn[:3, :3]) < 0)


def transform(matrix, points):
    m = np.asarray(matrix, np.float64)
    return (points.astype(np.float64) @ m[:3, :3].T + m[:3, 3]).astype(np.float32)


class Source:
    """What a rig is made of: the face, its companions, its painted maps. In the head's space, m."""

    def __init__(self, obj, scale, companions=(), landmarks=None):
        mesh = obj.data
        self.landmarks = landmarks  # 68 vertices of the mesh, -1 = unknown; or None
        self.extras = obj.mien.fitted_muscles  # JSON, or ""
        self.name = obj.name
        self.scale = np.asarray(scale, np.float64)
        self.turned_scale = self.scale[[0, 2, 1]]
        self.plain = bool((self.scale == 1).all())
        self.nskin = len(mesh.vertices)
        rest, deltas = shapes(mesh)
        self.corners, self.sizes = polygons(mesh, bool((self.scale < 0).any()))
        self.rest = self.inward(rest)
        self.deltas = [(name, self.inward(d)) for name, d in deltas]
        table = parameters.map_table()
        painted = maps.weights(mesh, maps.groups(obj))
        painted = {name: np.float32(1) * maps.to_value(name, w, table) for name, w in painted.items()}
        self.maps = maps.with_lips(painted, Region)
        self.companions = list(companions)
        self.shape_names = self._shape_names()

    def inward(self, points):
        """The object's space -> the head's: metres, mien's axes."""
        if not self.plain:
            points = (points * self.scale).astype(np.float32)
        return axes.to_mien(points)

    def scaled(self, points):
        """The object's units -> metres, of points that have mien's axes already."""
        return points if self.plain else (points * self.turned_scale).astype(np.float32)

    def unscaled(self, points):
        return points if self.plain else points / self.turned_scale.astype(np.float32)

    def _shape_names(self):
        names = [name for name, _ in self.deltas]
        for companion in self.companions:
            names += [name for name, _ in companion.deltas if name not in names]
        return names

    def key(self, colliders=()):
        """Changes when the face has to be made anew."""
        h = hashlib.blake2b(digest_size=16)
        arrays = [self.rest, self.corners, self.sizes]
        for name, deltas in self.deltas:
            h.update(name.encode())
            arrays.append(deltas)
        for name, values in sorted(self.maps.items()):
            h.update(name.encode())
            arrays.append(values)
        for companion in self.companions:
            h.update(companion.name.encode())
            arrays += [companion.rest, companion.corners] + [d for _, d in companion.deltas]
        if self.landmarks is not None:
            arrays.append(self.landmarks)
        h.update(self.extras.encode())
        for c in colliders:
            h.update(c.name.encode())
            arrays += [c.positions, c.triangles]
        for array in arrays:
            h.update(np.ascontiguousarray(array).view(np.uint8).reshape(-1))
        return h.hexdigest()

    def rig(self, with_maps=True, **more):
        rests, corners, sizes = [self.rest], [self.corners], [self.sizes]
        parts = []
        first_vertex, first_face = self.nskin, len(self.sizes)
        if self.companions:
            parts.append(Part(self.name, "skin", 0, self.nskin, 0, len(self.sizes)))
        for c in self.companions:
            parts.append(Part(c.name, "auto", first_vertex, c.nvert, first_face, len(c.sizes)))
            rests.append(c.rest)
            corners.append(c.corners + first_vertex)
            sizes.append(c.sizes)
            first_vertex += c.nvert
            first_face += len(c.sizes)
        own = dict(self.deltas)
        made = []
        for name in self.shape_names:
            rows = [own[name] if name in own else np.zeros((self.nskin, 3), np.float32)]
            for c in self.companions:
                deltas = dict(c.deltas)
                rows.append(deltas.get(name, np.zeros((c.nvert, 3), np.float32)))
            made.append(Shape(name, np.concatenate(rows)))
        painted = {}
        if with_maps:
            rest_of = np.zeros(first_vertex - self.nskin, np.float32)
            painted = {name: np.concatenate([v, rest_of]) for name, v in self.maps.items()}
        return Rig.create(
            np.concatenate(rests), np.concatenate(corners), np.concatenate(sizes),
            shapes=made, maps=painted, parts=parts, name=self.name, extras=self.extras or None,
            **({} if self.landmarks is None else {"landmarks": self.landmarks}), **more,
        )  # fmt: skip


def collider(obj, depsgraph):
    """A mesh as a rigid thing, its scale in its vertices."""
    scale = np.array(axes.split_scale(obj.matrix_world)[1])
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        mesh.calc_loop_triangles()
        triangles = np.empty(3 * len(mesh.loop_triangles), np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        points = (coordinates(mesh.vertices) * scale).astype(np.float32)
    finally:
        evaluated.to_mesh_clear()
    triangles = triangles.reshape(-1, 3)
    if (scale < 0).any():
        triangles = triangles[:, ::-1]
    return Collider(obj.name, axes.to_mien(points), np.ascontiguousarray(triangles))
