"""mien: physics for blendshape faces.

    import mien

    rig = mien.Rig.load("head.glb")
    take = mien.Take.load("phrase.csv").bind(rig)
    state = mien.State(mien.Face(rig))
    with mien.Cache("head.pc2", rig, frame_rate=24) as cache:
        for frame in range(take.nframes(24)):
            weights, head = take.sample(take.start + frame / 24)
            state.step(weights=weights, head=head, contact="plane")
            cache.append(state.positions)

Positions are metres, +Y up, +Z out of the face. Arrays that come out are read-only views of the
library's own memory, valid as long as you hold them; State.positions changes with every step (copy
it to keep a frame). Arrays that go in are read where they are if they are float32. What the library
refuses is raised as a MienError with its sentence, and nothing has changed.

Option names are the fields of the structs in mien.h; help(mien.options) lists them.
"""

from . import _abi, options, presets
from ._abi import BarrierStep, Contact, Flesh, LineKind, PartKind, Protocol, Region, Result, Solver
from ._library import (
    ArgumentError,
    Cancelled,
    FileError,
    FormatError,
    MienError,
    MismatchError,
    NotFiniteError,
    OptionsError,
    OutOfMemory,
    lib,
)
from ._structs import Rigid
from .cache import Cache, CacheReader
from .face import Collider, Face
from .rig import Part, Rig, Shape
from .settings import Settings
from .state import State
from .stream import Stream
from .take import Take

__version__ = "{}.{}.{}".format(_abi.VERSION // 1000000, _abi.VERSION // 1000 % 1000, _abi.VERSION % 1000)


def build_info() -> str:
    """How the library was built and which SIMD body this processor runs."""
    return lib.mien_build_info().decode()


__all__ = [
    "ArgumentError", "BarrierStep", "Cache", "CacheReader", "Cancelled", "Collider", "Contact", "Face", "FileError",
    "Flesh", "FormatError", "LineKind", "MienError", "MismatchError", "NotFiniteError", "OptionsError", "OutOfMemory",
    "Part", "PartKind", "Protocol", "Region", "Result", "Rig", "Rigid", "Settings", "Shape", "Solver", "State", "Stream", "Take",
    "build_info", "options", "presets",
]  # fmt: skip
