"""Every option, as mien.h describes it. `describe()` prints them; keywords have these names."""

from __future__ import annotations

import ctypes
from typing import Any, Dict

from . import _abi
from ._library import lib

STRUCTS: Dict[str, Any] = {
    "rig": _abi.mien_rig_def,
    "face": _abi.mien_face_def,
    "step": _abi.mien_step_opts,
    "input": _abi.mien_input,
    "cache": _abi.mien_cache_def,
}


def names(of: str) -> list:
    """The options of "rig", "face", "step", "input" or "cache"."""
    return [name for name, _ in STRUCTS[of]._fields_ if name != "struct_size"]


def defaults(of: str) -> Dict[str, Any]:
    """What an option is when it is not given: numbers, enums and short vectors."""
    struct = STRUCTS[of]()
    getattr(lib, type(struct).__name__ + "_init")(ctypes.byref(struct), ctypes.sizeof(struct))
    out: Dict[str, Any] = {}
    for name in names(of):
        value = getattr(struct, name)
        if name in struct.ENUMS:
            out[name] = struct.ENUMS[name](value)
        elif isinstance(value, (int, float)):
            out[name] = value
        elif isinstance(value, ctypes.Array):
            out[name] = tuple(value)
    return out


def describe() -> str:
    """Every option with its comment, by what it is an option of."""
    lines = []
    for of, struct in STRUCTS.items():
        lines.append(f"{of} ({struct.__name__}):")
        lines += [f"  {name:18} {struct.DOCS[name]}" for name in names(of)]
    return "\n".join(lines)


__doc__ += "\n" + describe()
