"""Parameters as the artist sees them: one table of the library, from which hosts build their panels."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from . import _abi, presets
from ._library import call, lib
from ._structs import text


class Parameter(NamedTuple):
    """A row of the table; values are in the artist's unit."""

    name: str
    field: str
    group: str
    unit: str
    help: str
    choices: Tuple[str, ...]
    kind: _abi.ParamKind
    place: _abi.ParamPlace
    is_keyable: bool
    is_of_host: bool
    is_per_shape: bool
    default: Any
    minimum: float
    maximum: float
    soft_minimum: float
    soft_maximum: float
    to_si: float
    index: int  # type: ignore[assignment]


def _row(index: int, p: Any) -> Parameter:
    def words(value: Optional[bytes]) -> str:
        return (value or b"").decode()

    values = tuple(p.value)
    kind = _abi.ParamKind(p.kind)
    choices = tuple(words(p.choices).split(",")) if p.choices else ()
    default: Any = values[0]
    if kind == _abi.ParamKind.VECTOR:
        default = values
    elif kind == _abi.ParamKind.CHOICE:
        default = choices[int(values[0])]
    elif kind == _abi.ParamKind.SWITCH:
        default = bool(values[0])
    elif kind == _abi.ParamKind.WHOLE:
        default = int(values[0])
    return Parameter(
        words(p.name), words(p.field), words(p.group), words(p.unit), words(p.help), choices, kind,
        _abi.ParamPlace(p.place), bool(p.flags & _abi.MIEN_PARAM_KEYABLE), bool(p.flags & _abi.MIEN_PARAM_OF_HOST),
        bool(p.flags & _abi.MIEN_PARAM_PER_SHAPE), default, p.min, p.max, p.soft_min, p.soft_max, p.to_si, index,
    )  # fmt: skip


@functools.lru_cache(maxsize=None)
def _table() -> Tuple[Any, Tuple[Parameter, ...]]:
    count = ctypes.c_int()
    rows = lib.mien_params(ctypes.byref(count))
    return rows, tuple(_row(i, rows[i]) for i in range(count.value))


def parameters() -> List[Parameter]:
    """Every parameter, in the order of a panel."""
    return [p for p in _table()[1] if p.place != _abi.ParamPlace.MAP]


def maps() -> List[Parameter]:
    """Every painted map the library reads."""
    return [p for p in _table()[1] if p.place == _abi.ParamPlace.MAP]


class Settings:
    """A value for every parameter. `Settings(sticky=1, contact="plane")`, `settings["gravity"]`."""

    def __init__(self, **values: Any):
        self.struct = _abi.mien_settings()
        self.address = ctypes.addressof(self.struct)
        self.struct.struct_size = ctypes.sizeof(self.struct)  # as mien_settings_init of the header
        for part in (self.struct.face, self.struct.step, self.struct.input, self.struct.play):
            getattr(lib, type(part).__name__ + "_init")(ctypes.byref(part), ctypes.sizeof(part))
        for name, value in values.items():
            self[name] = value

    @classmethod
    def preset(cls, name: str) -> "Settings":
        """A kind of flesh by its name, such as "jowly"; `mien.presets.names()` has all."""
        made = cls()
        for key, value in presets.values(name).items():
            made[key] = value
        return made

    @staticmethod
    def _find(name: str) -> Parameter:
        for p in parameters():
            if p.name == name:
                return p
        raise KeyError(f"there is no parameter '{name}'")

    def __setitem__(self, name: str, value: Any) -> None:
        p = self._find(name)
        if isinstance(value, str):
            call("mien_settings_set", ctypes.byref(self.struct), text(name), text(value))
            return
        numbers = tuple(value) if p.kind == _abi.ParamKind.VECTOR else (float(value),)
        array = (ctypes.c_double * 3)(*numbers)
        call("mien_param_set", ctypes.byref(_table()[0][p.index]), ctypes.byref(self.struct), array)

    def __getitem__(self, name: str) -> Any:
        p = self._find(name)
        array = (ctypes.c_double * 3)()
        lib.mien_param_get(ctypes.byref(_table()[0][p.index]), ctypes.byref(self.struct), array)
        if p.kind == _abi.ParamKind.VECTOR:
            return tuple(array)
        if p.kind == _abi.ParamKind.CHOICE:
            return p.choices[int(array[0])]
        if p.kind == _abi.ParamKind.SWITCH:
            return bool(array[0])
        return int(array[0]) if p.kind == _abi.ParamKind.WHOLE else array[0]

    def as_dict(self) -> Dict[str, Any]:
        """Every parameter by name, in the artist's units."""
        return {p.name: self[p.name] for p in parameters()}

    def read(self, json: str) -> None:
        """From a JSON object; what it does not name stays. Refused whole when one key is wrong."""
        data = text(json)
        call("mien_settings_read", ctypes.byref(self.struct), data, len(data))

    def write(self) -> str:
        """The JSON of every parameter that is not at its default."""
        size = lib.mien_settings_write(ctypes.byref(self.struct), None, 0) + 1
        room = ctypes.create_string_buffer(size)
        lib.mien_settings_write(ctypes.byref(self.struct), room, size)
        return room.value.decode()

    def copy(self) -> "Settings":
        """Of its own: setting one does not set the other."""
        out = Settings()
        ctypes.pointer(out.struct)[0] = self.struct
        return out

    def _bytes(self) -> bytes:
        return bytes(self.struct)

    def __eq__(self, other: Optional[object]) -> bool:
        return isinstance(other, Settings) and self._bytes() == other._bytes()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<mien.Settings {self.write()}>"
