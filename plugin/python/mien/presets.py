"""Kinds of flesh by name: `mien.presets.names()`, `Settings.preset("jowly")`, `Face(rig, preset="jowly")`."""

from __future__ import annotations

import functools
import json
import os
from typing import Any, Dict, List

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "presets")


@functools.lru_cache(maxsize=None)
def _all() -> Dict[str, Dict[str, Any]]:
    found = {}
    for file in sorted(os.listdir(FOLDER)):
        if file.endswith(".json"):
            with open(os.path.join(FOLDER, file), encoding="utf-8") as opened:
                found[file[: -len(".json")]] = json.load(opened)
    return found


def names() -> List[str]:
    """Of every preset that comes with mien."""
    return list(_all())


def about(name: str) -> str:
    """What it is for, in a sentence."""
    return str(values(name, with_about=True).get("about", ""))


def values(name: str, with_about: bool = False) -> Dict[str, Any]:
    """The parameters it sets, in the artist's units."""
    if name not in _all():
        raise ValueError(f"there is no preset '{name}'; there are {', '.join(names())}")
    return {key: value for key, value in _all()[name].items() if with_about or key != "about"}
