"""The geometry-nodes group by which what mien computes reaches the mesh.

    out = carrier + (here - carrier's pose)

`here` is where shape keys, drivers and armature put the vertex; the carrier, a hidden mesh of our
own, holds what mien made of a pose and that pose. All three are in the object's space with mien's axes
(Y up): the group turns them, in Blender's own threads, so that Python only copies. As long as `here` is the pose, the result is the
carrier's place to the last bit; when a slider is dragged, what physics added moves along; when the
carrier is empty, or the mesh has another number of vertices, the artist's mesh passes unchanged. So a
file that is opened without the add-on shows the plain rig.
"""

import bpy

GROUP = "mien deform"
VERSION = 3
REST = "mien_rest"  # attribute: the mesh before mien in mien's axes, read back every frame
PLACE, POSE = "mien_place", "mien_pose"  # attributes of the carrier


def _new_socket(group, name, kind, is_input):
    """Blender 4 moved the sockets of groups."""
    if hasattr(group, "interface"):
        in_out = "INPUT" if is_input else "OUTPUT"
        return group.interface.new_socket(name=name, in_out=in_out, socket_type=kind)
    return (group.inputs if is_input else group.outputs).new(kind, name)


def _socket(sockets, name):
    """Of several sockets of one name (one per data type in Blender 3) the one in use."""
    found = [s for s in sockets if s.name == name and s.enabled]
    if not found:
        raise KeyError(f"this Blender's node has no socket '{name}'")
    return found[0]


def _add(group, kind, at, **settings):
    node = group.nodes.new(kind)
    node.location = (200 * at[0], -180 * at[1])
    for name, value in settings.items():
        setattr(node, name, value)
    return node


def _link(group, source, source_name, target, target_name):
    group.links.new(_socket(source.outputs, source_name), _socket(target.inputs, target_name))


def _turn(group, source, at, order):
    """A vector's parts in another order; "-y" is the part y with its sign changed. Exact."""
    parts = _add(group, "ShaderNodeSeparateXYZ", at)
    group.links.new(source, parts.inputs[0])
    whole = _add(group, "ShaderNodeCombineXYZ", (at[0] + 1, at[1]))
    for end, part in zip(whole.inputs, order):
        out = _socket(parts.outputs, part[-1].upper())
        if part[0] == "-":
            negated = _add(group, "ShaderNodeMath", (at[0], at[1] + 1), operation="MULTIPLY")
            negated.inputs[1].default_value = -1
            group.links.new(out, negated.inputs[0])
            out = negated.outputs[0]
        group.links.new(out, end)
    return whole.outputs[0]


def _named(group, name, at):
    node = _add(group, "GeometryNodeInputNamedAttribute", at, data_type="FLOAT_VECTOR")
    _socket(node.inputs, "Name").default_value = name
    return _socket(node.outputs, "Attribute")


def _build(group):
    for name, kind in (("Geometry", "Geometry"), ("Carrier", "Object"), ("Factor", "Float")):
        _new_socket(group, name, "NodeSocket" + kind, True)
    _new_socket(group, "Geometry", "NodeSocketGeometry", False)
    came = _add(group, "NodeGroupInput", (0, 0))
    goes = _add(group, "NodeGroupOutput", (11, 0))
    here = _add(group, "GeometryNodeInputPosition", (0, 2))
    index = _add(group, "GeometryNodeInputIndex", (0, 3))
    rest = _add(group, "GeometryNodeStoreNamedAttribute", (1, 0), data_type="FLOAT_VECTOR", domain="POINT")
    _socket(rest.inputs, "Name").default_value = REST
    _link(group, came, "Geometry", rest, "Geometry")
    group.links.new(_turn(group, here.outputs[0], (0, 1), ("x", "z", "-y")), _socket(rest.inputs, "Value"))

    carrier = _add(group, "GeometryNodeObjectInfo", (1, 2), transform_space="ORIGINAL")
    _link(group, came, "Carrier", carrier, "Object")
    sampled = []
    for row, name in enumerate((PLACE, POSE)):
        node = _add(group, "GeometryNodeSampleIndex", (3, 2 + row), data_type="FLOAT_VECTOR", domain="POINT")
        _link(group, carrier, "Geometry", node, "Geometry")
        group.links.new(_named(group, name, (1, 3 + row)), _socket(node.inputs, "Value"))
        _link(group, index, "Index", node, "Index")
        sampled.append(_socket(node.outputs, "Value"))
    off = _add(group, "ShaderNodeVectorMath", (4, 3), operation="SUBTRACT")
    group.links.new(_named(group, REST, (3, 1)), off.inputs[0])
    group.links.new(sampled[1], off.inputs[1])
    moved = _add(group, "ShaderNodeVectorMath", (5, 3), operation="ADD")
    group.links.new(sampled[0], moved.inputs[0])
    group.links.new(off.outputs[0], moved.inputs[1])
    mixed = _add(group, "ShaderNodeMix", (8, 2), data_type="VECTOR", clamp_factor=True)
    _link(group, came, "Factor", mixed, "Factor")
    group.links.new(here.outputs[0], _socket(mixed.inputs, "A"))
    group.links.new(_turn(group, moved.outputs[0], (6, 3), ("x", "-z", "y")), _socket(mixed.inputs, "B"))
    put = _add(group, "GeometryNodeSetPosition", (9, 0))
    _link(group, rest, "Geometry", put, "Geometry")
    group.links.new(_socket(mixed.outputs, "Result"), _socket(put.inputs, "Position"))

    fits = _add(group, "FunctionNodeCompare", (4, 5), data_type="INT", operation="EQUAL")
    for row, (source, name, end) in enumerate(((carrier, "Geometry", "A"), (came, "Geometry", "B"))):
        size = _add(group, "GeometryNodeAttributeDomainSize", (3, 5 + row), component="MESH")
        _link(group, source, name, size, "Geometry")
        _link(group, size, "Point Count", fits, end)
    choice = _add(group, "GeometryNodeSwitch", (10, 0), input_type="GEOMETRY")
    group.links.new(fits.outputs[0], _socket(choice.inputs, "Switch"))
    _link(group, rest, "Geometry", choice, "False")
    _link(group, put, "Geometry", choice, "True")
    _link(group, choice, "Output", goes, "Geometry")


def deform_group():
    """The group of this file, made when it is not there or of an older add-on."""
    for group in bpy.data.node_groups:
        if group.name.startswith(GROUP) and group.get("mien_version") == VERSION and group.library is None:
            return group
    group = bpy.data.node_groups.new(GROUP, "GeometryNodeTree")
    if hasattr(group, "is_modifier"):
        group.is_modifier = True
    _build(group)
    group["mien_version"] = VERSION
    for name in ("Carrier", "Factor"):
        group["mien_" + name] = _find_identifier(group, name)
    return group


def is_deform(modifier):
    group = modifier.node_group if modifier.type == "NODES" else None
    return group is not None and "mien_version" in group


def bring_up_to_date(modifier):
    """A file of an earlier add-on has that one's group, which reads and writes other numbers."""
    if modifier is None or modifier.node_group.get("mien_version") == VERSION:
        return
    values = {name: get_input(modifier, name) for name in ("Carrier", "Factor")}
    modifier.node_group = deform_group()
    for name, value in values.items():
        set_input(modifier, name, value)


def identifier(group, name):
    """What a modifier calls an input; the group knows, one of an earlier add-on is searched."""
    return group.get("mien_" + name) or _find_identifier(group, name)


def _find_identifier(group, name):
    if hasattr(group, "interface"):
        for item in group.interface.items_tree:
            if item.item_type == "SOCKET" and item.in_out == "INPUT" and item.name == name:
                return item.identifier
    else:
        for item in group.inputs:
            if item.name == name:
                return item.identifier
    raise KeyError(name)


_is_by_name = None  # asked once: whether there is an attribute is a slow question


def _has_inputs(modifier):
    """Since Blender 5.2 inputs are properties; before, items of the modifier."""
    global _is_by_name
    if _is_by_name is None:
        _is_by_name = hasattr(modifier, "properties")
    return _is_by_name


def get_input(modifier, name):
    return input_at(modifier, identifier(modifier.node_group, name))


def input_at(modifier, key):
    if _has_inputs(modifier):
        return getattr(modifier.properties.inputs, key).value
    return modifier.get(key)


def set_input(modifier, name, value):
    key = identifier(modifier.node_group, name)
    if _has_inputs(modifier):
        getattr(modifier.properties.inputs, key).value = value
    else:
        modifier[key] = value
    modifier.node_group = modifier.node_group  # without it Blender does not notice what depends on what


# Modifiers that only move vertices: mien comes after them and before all others.
DEFORMERS = {
    "ARMATURE", "CAST", "CORRECTIVE_SMOOTH", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM",
    "LAPLACIANSMOOTH", "LATTICE", "MESH_CACHE", "MESH_DEFORM", "MESH_SEQUENCE_CACHE", "SHRINKWRAP",
    "SIMPLE_DEFORM", "SMOOTH", "SURFACE_DEFORM", "WARP", "WAVE", "VOLUME_DISPLACE",
}  # fmt: skip


def place_after_deformers(obj, modifier):
    """Moves it before the first modifier that makes or removes vertices."""
    names = [m.name for m in obj.modifiers]
    at = names.index(modifier.name)
    others = [m for m in obj.modifiers if m.name != modifier.name]
    goal = next((i for i, m in enumerate(others) if m.type not in DEFORMERS), len(others))
    if at == goal:
        return
    if hasattr(obj.modifiers, "move"):
        obj.modifiers.move(at, goal)
        return
    with bpy.context.temp_override(object=obj, active_object=obj):
        if bpy.ops.object.modifier_move_to_index.poll():
            bpy.ops.object.modifier_move_to_index(modifier=modifier.name, index=goal)


def find_modifier(obj):
    return next((m for m in obj.modifiers if is_deform(m)), None)


def add_modifier(obj, carrier):
    modifier = obj.modifiers.new("mien", "NODES")
    old = modifier.node_group
    modifier.node_group = deform_group()
    if old is not None and old.users == 0:  # Blender 3 makes an empty group of its own
        bpy.data.node_groups.remove(old)
    set_input(modifier, "Carrier", carrier)
    set_input(modifier, "Factor", 1.0)
    place_after_deformers(obj, modifier)
    return modifier
