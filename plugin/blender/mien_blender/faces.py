"""The faces of a file: which objects they are, and what is looked up of each but once."""

import uuid
from typing import NamedTuple

import bpy

from . import carrier, nodes, session

_found = None  # those of this file by their names; None = look again
_nobject = -1


class Found(NamedTuple):
    """What stays as it is until `look_again`: to ask Blender in every frame takes longer than to copy a mesh."""

    uid: str
    modifier: str  # the name of mien's own; empty when there is none, or a bake plays instead
    key: str  # what it calls its carrier


def look_again():
    global _found
    _found = None


def of_scene(scene, depsgraph=None):
    """Attached objects of a scene that its view layer shows. Linked ones cannot be written to: they show
    the plain rig, or their bake."""
    return [obj for obj, _ in found(scene, depsgraph)]


def found(scene, depsgraph=None):
    """The same, [(object, Found)]."""
    if _found is None or _nobject != len(bpy.data.objects):
        _list()
    return known(scene, depsgraph)


def known(scene, depsgraph=None):
    """Those found before. By the view layer's table of names: other collections are searched object by
    object, which in a scene of thousands takes longer than all the rest of ours."""
    if not _found:
        return []
    if depsgraph is not None:
        shown = depsgraph.view_layer.objects
    else:
        shown = (bpy.context.view_layer if scene == bpy.context.scene else scene.view_layers[0]).objects
    pairs = []
    for name, face in _found.items():
        obj = shown.get(name)
        if obj is not None and obj.library is None:
            pairs.append((obj, face))
    return pairs


def _list():
    global _found, _nobject
    attached = [o for o in bpy.data.objects if o.type == "MESH" and o.library is None and o.mien.is_attached]
    _separate(attached)
    session.keep_only(o.mien.uid for o in attached)
    _found, _nobject = {o.name: look_at(o) for o in attached}, len(bpy.data.objects)


def look_at(obj):
    """What is to be known of an object that is attached."""
    modifier = playing_modifier(obj)
    if modifier is None:
        return Found(obj.mien.uid, "", "")
    return Found(obj.mien.uid, modifier.name, nodes.identifier(modifier.node_group, "Carrier"))


def _separate(attached):
    """A duplicate comes with its original's uid and carrier, an override with a linked carrier, which
    Blender does not let change: they get their own."""
    seen = {}
    for obj in attached:
        seen.setdefault(obj.mien.uid, []).append(obj)
        nodes.bring_up_to_date(nodes.find_modifier(obj))
        hidden = carrier.of(obj)
        if hidden is not None and hidden.library is not None:
            nodes.set_input(nodes.find_modifier(obj), "Carrier", carrier.make(obj))
    for uid, same in seen.items():
        if len(same) < 2:
            continue
        hidden = carrier.of(same[0])
        owner = hidden.get("mien_owner") if hidden else None
        same.sort(key=lambda o: o.name != owner)
        for obj in same[1:]:
            obj.mien.uid = uuid.uuid4().hex
            modifier = nodes.find_modifier(obj)
            if modifier:
                nodes.set_input(modifier, "Carrier", carrier.make(obj))


def is_baked(obj):
    return any(m.type == "MESH_CACHE" and m.name == "mien bake" for m in obj.modifiers)


def playing_modifier(obj):
    """mien's own; None when it was removed, or a bake plays instead."""
    own = None
    for modifier in obj.modifiers:
        if modifier.type == "NODES":
            own = own or (modifier if nodes.is_deform(modifier) else None)
        elif modifier.type == "MESH_CACHE" and modifier.name == "mien bake":
            return None
    return own


def modifier_of(obj, face, is_render=False):
    """(mien's own modifier, Found): as it was found when it still is there and switched on."""
    modifier = obj.modifiers.get(face.modifier) if face.modifier else None
    if modifier is not None and (modifier.show_render if is_render else modifier.show_viewport):
        return modifier, face
    face = look_at(obj)
    return (obj.modifiers[face.modifier] if face.modifier else None), face
