"""Blender properties and panels from libmien's table of parameters: a new row there is a slider here."""

import functools
import math
import operator
import re

import bpy

from .mien import _abi
from .mien import settings as table

KIND, PLACE = _abi.ParamKind, _abi.ParamPlace

# what Blender has a place of its own for, or what would make a bake depend on the machine's speed
HIDDEN = {"start_frame", "space_scale", "frame_jump_limit", "time_budget", "offline_after", "use_stored", "flesh"}
# a host shows lips that touch; the command line does, too
DEFAULTS = {"contact": "plane"}
# what artists reach for: above all else, without a heading; the rest is under Advanced
ARTIST = ("stiffness", "attachment_rate", "damping", "gravity", "contact", "sticky")
SHORT = {"attachment_rate": "On bone (Hz)", "contact": "Lips and teeth", "sticky": "Sticky lips",
         "volume_stiffness": "Vol. stiffness (Pa)", "contact_thickness": "Thickness (mm)"}  # fmt: skip
# choices that are called after methods, as an artist would say them
CHOICES = {"contact": {"off": "Pass through", "plane": "Touch, fast", "barrier": "Touch, exact"}}
FIRST = ("flesh", "contact", "sticky", "forces")


@functools.lru_cache(maxsize=None)
def shown():
    return [p for p in table.parameters() if not p.is_of_host and p.name not in HIDDEN]


def row(name):
    return next(p for p in shown() if p.name == name)


@functools.lru_cache(maxsize=None)
def _reader(is_keyable):
    """(reads those that curves can move, or the others; which of them are vectors)"""
    rows = _rows(is_keyable)
    return operator.attrgetter(*(p.name for p in rows)), [i for i, p in enumerate(rows) if p.kind == KIND.VECTOR]


@functools.lru_cache(maxsize=None)
def _rows(is_keyable):
    return [p for p in shown() if bool(p.is_keyable) == is_keyable]


def groups():
    """[(heading, [parameters])] of what is not on top, in the order of the table but for a few headings."""
    out = {heading: [] for heading in FIRST}
    for p in shown():
        if p.name not in ARTIST:
            out.setdefault(p.group, []).append(p)
    last = ("solver",)
    order = [h for h in out if h not in last] + [h for h in last if h in out]
    return [(heading, out[heading]) for heading in order if out[heading]]


def label(p):
    """With its unit: a number without one says nothing."""
    words = p.name.replace("_", " ").capitalize()
    if p.default == -1:
        return words + " (-1 auto)"
    unit = re.sub(r"(?<=[a-z])(\d)", lambda digit: "⁰¹²³"[int(digit[0])], p.unit)
    return f"{words} ({unit})" if unit else words


def _help(p):
    return p.help[:1].upper() + p.help[1:]


def _property(p, update):
    common = {
        "name": label(p),
        "description": _help(p),
        "options": {"ANIMATABLE"} if p.is_keyable else set(),
        "override": {"LIBRARY_OVERRIDABLE"},
        "update": update,
    }
    default = DEFAULTS.get(p.name, p.default)
    if p.kind == KIND.SWITCH:
        return bpy.props.BoolProperty(default=default, **common)
    if p.kind == KIND.CHOICE:
        names = CHOICES.get(p.name, {})
        items = [(c, names.get(c, c.replace("_", " ").capitalize()), "", i) for i, c in enumerate(p.choices)]
        return bpy.props.EnumProperty(items=items, default=default, **common)
    ends = {"soft_min": p.soft_minimum, "soft_max": p.soft_maximum}
    if p.kind == KIND.WHOLE:
        most = min(p.maximum, 2**31 - 1)
        ends["soft_max"] = min(ends["soft_max"], most)
        return bpy.props.IntProperty(default=default, min=int(p.minimum), max=int(most),
                                     soft_min=int(ends["soft_min"]), soft_max=int(ends["soft_max"]),
                                     **common)  # fmt: skip
    if p.kind == KIND.VECTOR:
        return bpy.props.FloatVectorProperty(size=3, default=p.default, min=p.minimum, max=p.maximum, subtype="XYZ",
                                             precision=2, **ends, **common)  # fmt: skip
    return bpy.props.FloatProperty(default=default, min=p.minimum, max=p.maximum, precision=_places(p), **ends, **common)


def _places(p):
    """Decimals that tell a hundredth of the slider from none, and no more."""
    if p.default == -1:
        return 1  # beside the words there is no room for more
    return 0 if p.soft_maximum >= 500 else max(2, math.ceil(2 - math.log10(max(p.soft_maximum, 1e-6))))


def annotations(update):
    return {p.name: _property(p, update) for p in shown()}


def _decimal(value):
    """Blender's properties are floats of 32 bits: 0.3 comes back as 0.30000001192."""
    return float(f"{value:.7g}")


def values(props, is_keyable):
    """As they are now, for comparing: of those that curves can move, or of the others, which nothing but the
    artist changes."""
    read, vectors = _reader(is_keyable)
    out = list(read(props))
    for i in vectors:
        out[i] = out[i][:]  # as a tuple, not as a view of the property
    return out


_is_whole = bpy.app.version < (5, 0)  # since then properties of add-ons are not to be seen as items


def stored(obj):
    """(what the file has of our properties, for comparing; is one of them another object). In one piece, which
    takes a fraction of the time of reading them by name; None where that cannot be had."""
    group = obj.get("mien") if _is_whole else None
    if group is None:
        return None, True
    values = group.to_dict()
    # nothing of Blender's is kept
    head, jaw, colliders = values.pop("head_target", None), values.pop("jaw_target", None), values.pop("colliders", None)
    return values, bool(head or jaw or colliders)


def settings(fixed, keyed, dt, flesh_only=False):
    """libmien's settings from both kinds of `values`; vectors are turned into its axes."""
    made = table.Settings()
    if not flesh_only:
        made["dt"] = dt
    for p, value in zip(_rows(False) + _rows(True), fixed + keyed):
        if flesh_only and p.place != PLACE.FACE:
            continue
        if p.kind == KIND.VECTOR:
            x, y, z = (_decimal(v) for v in value)
            # a direction changes its sign with the axis, an amount per axis does not
            made[p.name] = (x, z, -y) if p.minimum < 0 else (x, z, y)
        elif p.kind == KIND.NUMBER:
            made[p.name] = _decimal(value)
        else:
            made[p.name] = value
    return made


def map_table():
    return {p.name: p for p in table.maps()}
