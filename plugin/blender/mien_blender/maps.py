"""Painted maps are vertex groups named "mien stiffness", "mien attachment" and so on.

Weights run from 0 to 1; what a weight means depends on the map. A map that is no group is found by
mien itself. "mien stiffness:mouthSmileLeft" is the map of one shape.
"""

import numpy as np

PREFIX = "mien "


def map_name(group_name):
    return group_name[len(PREFIX) :] if group_name.startswith(PREFIX) else None


def groups(obj):
    """{map: index of its vertex group}"""
    found = {}
    for group in obj.vertex_groups:
        name = map_name(group.name)
        if name:
            found[name] = group.index
    return found


def weights(mesh, indices):
    """Weights of several groups at once: {map: (n,)}; vertices outside a group are None's 0."""
    wanted = {index: np.zeros(len(mesh.vertices), np.float32) for index in indices.values()}
    if wanted:
        for i, vertex in enumerate(mesh.vertices):
            for element in vertex.groups:
                into = wanted.get(element.group)
                if into is not None:
                    into[i] = element.weight
    return {name: wanted[index] for name, index in indices.items()}


def is_factor(name, table):
    """A map that multiplies a parameter: half a weight is once, 0 a tenth, 1 ten times."""
    row = table.get(name.split(":")[0])
    return row is not None and row.maximum > 1 and row.default == 1


def to_value(name, weight, table):
    """What mien reads, from what was painted."""
    row = table.get(name.split(":")[0])
    if is_factor(name, table):
        return np.float32(10) ** (2 * weight - 1)
    if row is not None and row.unit == "mm":
        return weight * np.float32(2e-2)  # a full weight is two centimetres
    return weight


def to_weight(name, value, table):
    if is_factor(name, table):
        return np.float32(0.5) * (np.log10(np.maximum(value, 1e-6)) + 1)
    row = table.get(name.split(":")[0])
    if row is not None and row.unit == "mm":
        return value / np.float32(2e-2)
    return value


def with_lips(painted, bits):
    """The lips that were painted, as the map "region": half a weight and more is lip, and lips touch."""
    upper, lower = painted.pop("upper lip", None), painted.pop("lower lip", None)
    if upper is None or lower is None or not (upper > 0.5).any() or not (lower > 0.5).any():
        return painted
    region = np.zeros(len(upper), np.float32)
    region[upper > 0.5] = int(bits.LIP_UPPER | bits.CONTACT)
    region[lower > 0.5] = int(bits.LIP_LOWER | bits.CONTACT)
    return {**painted, "region": region}


def create(obj, name, values):
    """A group with the values given (weights); nothing when there is one already."""
    if PREFIX + name in obj.vertex_groups:
        return obj.vertex_groups[PREFIX + name]
    group = obj.vertex_groups.new(name=PREFIX + name)
    values = np.clip(np.asarray(values, np.float32), 0, 1)
    # groups take one weight for many vertices: the same weights together
    distinct, which = np.unique(values, return_inverse=True)
    order = np.argsort(which, kind="stable")
    ends = np.cumsum(np.bincount(which, minlength=len(distinct)))
    for weight, members in zip(distinct, np.split(order, ends[:-1])):
        group.add(members.tolist(), float(weight), "REPLACE")
    return group
