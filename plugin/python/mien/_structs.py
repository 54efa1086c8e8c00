"""Between C structs and Python values: views become numpy arrays, options come from keywords."""

from __future__ import annotations

import ctypes
import difflib
import enum
import functools
import math
import os
import struct as packing
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._library import lib
from .memory import Block


class Rigid(NamedTuple):
    """A rigid transform: rotate by the unit quaternion (x, y, z, w), then translate (m)."""

    rotation: Tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    translation: Tuple[float, float, float] = (0.0, 0.0, 0.0)

    @classmethod
    def from_matrix(cls, matrix: Any) -> "Rigid":
        """From a 4x4 matrix without scale (rows of numbers; column vectors are transformed)."""
        return cls.from_rows(np.asarray(matrix, np.float64).tolist())

    @classmethod
    def from_rows(cls, m: Sequence[Sequence[float]]) -> "Rigid":
        """The same from plain numbers, without numpy's way there and back."""
        (xx, xy, xz, x), (yx, yy, yz, y), (zx, zy, zz, z) = m[:3]
        return cls(quaternion(xx, xy, xz, yx, yy, yz, zx, zy, zz), (x, y, z))

    @property
    def matrix(self) -> np.ndarray:
        x, y, z, w = self.rotation
        out = np.eye(4)
        out[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        out[:3, 3] = self.translation
        return out


def quaternion(
    xx: float, xy: float, xz: float, yx: float, yy: float, yz: float, zx: float, zy: float, zz: float
) -> Tuple[float, float, float, float]:
    """Of the rows of a rotation. The largest of the four squares is the one that is divided by."""
    x, y, z, w = 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz
    largest = max(x, y, z, w)
    if x == largest:
        y, z, w = yx + xy, xz + zx, zy - yz
    elif y == largest:
        x, z, w = yx + xy, zy + yz, xz - zx
    elif z == largest:
        x, y, w = xz + zx, zy + yz, yx - xy
    else:
        x, y, z = zy - yz, xz - zx, yx - xy
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not (length > 0 and math.isfinite(length)):
        raise ValueError("the matrix is no rotation")
    return x / length, y / length, z / length, w / length


_RIGID = packing.Struct("7d")  # a mien_rigid


def put_rigid(room: Any, at: int, value: Any) -> None:
    """A Rigid, a (rotation, translation) pair or a 4x4 matrix, as C has it, into bytes."""
    if type(value) is not Rigid:
        if isinstance(value, _abi.mien_rigid):
            value = from_rigid(value)
        elif not (isinstance(value, tuple) and len(value) == 2):
            value = Rigid.from_matrix(value)
    (x, y, z, w), (a, b, c) = value
    _RIGID.pack_into(room, at, x, y, z, w, a, b, c)


def to_rigid(value: Any) -> "_abi.mien_rigid":
    """The same by itself."""
    room = bytearray(_RIGID.size)
    put_rigid(room, 0, value)
    return _abi.mien_rigid.from_buffer(room)


def from_rigid(value: "_abi.mien_rigid") -> Rigid:
    x, y, z, w = value.rotation
    a, b, c = value.translation
    return Rigid((x, y, z, w), (a, b, c))


# -- numpy -> C -------------------------------------------------------------------------------------

_F32 = np.dtype(np.float32)
_VIEW = packing.Struct("Pii")  # a mien_f32s
_PACKED = {1: (4,), 3: (12, 4)}  # strides of arrays that need no looking at
_NOTHING = ctypes.c_char * 0


def address_in(array: np.ndarray) -> int:
    """Where the first number is. numpy's own answer goes through half of numpy."""
    if type(array) is Block and array.address:
        return array.address
    try:
        return ctypes.addressof(_NOTHING.from_buffer(array))  # type: ignore[arg-type]
    except TypeError:  # read-only
        return array.ctypes.data


try:  # keeps Python's lock: it is back before another thread would have it
    _compare = ctypes.PyDLL(None).memcmp
    _compare.argtypes, _compare.restype = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t), ctypes.c_int
except (AttributeError, OSError, TypeError):  # not everywhere is a C library to be found without its name
    _compare = None  # type: ignore[assignment]


def is_same(a: Optional[np.ndarray], b: Optional[np.ndarray]) -> bool:
    """The same numbers. Of arrays of ours to the last bit: numpy makes a third array of the answers first."""
    if a is b:
        return True
    if a is None or b is None:
        return False
    if type(a) is Block and type(b) is Block and a.address and b.address and _compare:
        return a.nbytes == b.nbytes and _compare(a.address, b.address, a.nbytes) == 0
    return np.array_equal(a, b)


def put_floats(room: Any, at: int, values: Any, width: int, keep: List[Any]) -> None:
    """A view of `values` into bytes; copied only when C cannot read them where they are."""
    if type(values) is Block and values.address and values.itemsize == 4 and values.ndim == (1 if width == 1 else 2):
        keep.append(values)
        _VIEW.pack_into(room, at, values.address, len(values), 0)
        return
    # not those of others, which may mean something else by an index
    if type(values) is np.ndarray and values.dtype is _F32 and values.strides == _PACKED.get(width):
        keep.append(values)
        _VIEW.pack_into(room, at, address_in(values), len(values), 0)
        return
    array = np.asarray(values)
    shape = (-1,) if width == 1 else (-1, width)
    if array.ndim != len(shape) or (width > 1 and array.shape[1] != width):
        array = np.ascontiguousarray(array, np.float32).reshape(shape)
    step = array.strides[0]
    packed_rows = width == 1 or array.strides[1] == 4
    if array.dtype != np.float32 or not packed_rows or step % 4 or step < 4 * width:
        array = np.ascontiguousarray(array, np.float32)
        step = array.strides[0]
    keep.append(array)
    stride = step // 4 if len(array) > 1 else 0
    _VIEW.pack_into(room, at, address_in(array) if array.size else 0, len(array), stride)


def floats(values: Any, width: int, keep: List[Any]) -> "_abi.mien_f32s":
    """The same by itself."""
    room = bytearray(_VIEW.size)
    put_floats(room, 0, values, width, keep)
    return _abi.mien_f32s.from_buffer(room)


def integers(values: Any, keep: List[Any]) -> "_abi.mien_i32s":
    array = np.ascontiguousarray(values, np.int32).reshape(-1)
    keep.append(array)
    return _abi.mien_i32s(ctypes.cast(array.ctypes.data, ctypes.POINTER(ctypes.c_int32)), array.size)


def text(value: Any) -> bytes:
    return os.fsencode(value) if isinstance(value, os.PathLike) else str(value).encode("utf-8")


def pick(kind: Any, value: Any, what: str) -> int:
    """An enum's number from the enum, its name in any case, or the number."""
    if isinstance(value, str):
        try:
            return int(kind[value.upper()])
        except KeyError:
            known = ", ".join(m.name.lower() for m in kind)
            raise ValueError(f"{what} is '{value}'; there are {known}") from None
    return int(kind(value))


@functools.lru_cache(maxsize=None)
def _types(struct: type) -> dict:
    return dict(struct._fields_)  # type: ignore[attr-defined]


def fill(struct: ctypes.Structure, values: dict, keep: List[Any]) -> None:
    """Sets fields by name; what is no field is refused with the nearest name."""
    types = _types(type(struct))
    for name, value in values.items():
        if name not in types or name == "struct_size":
            near = difflib.get_close_matches(name, types, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise TypeError(f"{type(struct).__name__} has no '{name}'{hint}")
        kind = types[name]
        if value is None:
            continue
        if name in struct.ENUMS:
            setattr(struct, name, pick(struct.ENUMS[name], value, name))
        elif kind is _abi.mien_f32s:
            setattr(struct, name, floats(value, struct.SHAPES[name][0], keep))
        elif kind is _abi.mien_i32s:
            setattr(struct, name, integers(value, keep))
        elif kind is _abi.mien_rigid:
            setattr(struct, name, to_rigid(value))
        elif kind is ctypes.c_char_p:
            setattr(struct, name, text(value))
        elif isinstance(kind, type) and issubclass(kind, ctypes.Array):
            setattr(struct, name, kind(*value))
        elif kind is ctypes.c_double:
            setattr(struct, name, float(value))
        elif isinstance(kind, type) and issubclass(kind, (ctypes.Structure, ctypes._Pointer)):
            setattr(struct, name, value)
        else:
            setattr(struct, name, int(value))


def made(struct: type, values: dict, keep: List[Any]) -> Any:
    """A struct set up by its _init function, then by keywords."""
    out = struct()
    getattr(lib, struct.__name__ + "_init")(ctypes.byref(out), ctypes.sizeof(struct))
    fill(out, values, keep)
    return out


# -- C -> numpy -------------------------------------------------------------------------------------


class _Borrowed:
    """Memory of a C object; keeps the object alive as long as an array looks at it."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner, address, shape, strides, code):
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, True),  # read-only
            "shape": shape,
            "strides": strides,
            "typestr": code,
        }


def borrowed(owner: Any, address: int, shape: tuple, code: str, strides: Optional[tuple] = None) -> np.ndarray:
    if not address or 0 in shape:
        return np.zeros(shape, code)
    return np.asarray(_Borrowed(owner, address, shape, strides, code))


def address_of(pointer: Any) -> int:
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


def floats_out(owner: Any, view: "_abi.mien_f32s", width: int) -> np.ndarray:
    stride = 4 * (view.stride or width)
    shape, strides = ((view.count,), (stride,)) if width == 1 else ((view.count, width), (stride, 4))
    return borrowed(owner, address_of(view.data), shape, "<f4", strides)


def integers_out(owner: Any, view: "_abi.mien_i32s", sizes: str) -> np.ndarray:
    array = borrowed(owner, address_of(view.data), (view.count,), "<i4")
    inner = sizes.split(" x ")[-1] if " x " in sizes else ""
    # "(ntri x 3)": the count is that of the numbers or that of the triples
    if inner.isdigit() and view.count % int(inner) == 0:
        return array.reshape(-1, int(inner))
    return array


class Info:
    """A struct of the library that describes an object: every field as an attribute.

    Arrays are numpy views of the object's own memory, read-only; they keep it alive.
    """

    def __init__(self, owner: Any, struct: ctypes.Structure):
        self._owner, self._struct = owner, struct

    def __dir__(self) -> List[str]:
        return [name for name, _ in self._struct._fields_]

    def __repr__(self) -> str:
        plain = ((n, getattr(self, n)) for n in dir(self))
        shown = ", ".join(f"{n}={v!r}" for n, v in plain if isinstance(v, (int, float, str, enum.Enum)))
        return f"<{type(self._struct).__name__[5:]} {shown}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in dict(self._struct._fields_):
            raise AttributeError(f"{type(self._struct).__name__} has no '{name}'")
        return self._convert(name, getattr(self._struct, name))

    def _convert(self, name: str, value: Any) -> Any:
        struct = self._struct
        if name in struct.ENUMS:
            return struct.ENUMS[name](value)
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        if isinstance(value, _abi.mien_f32s):
            width = getattr(struct, "width", struct.SHAPES[name][0])
            return floats_out(self._owner, value, width)
        if isinstance(value, _abi.mien_i32s):
            return integers_out(self._owner, value, struct.SHAPES[name][1])
        if isinstance(value, _abi.mien_rigid):
            return from_rigid(value)
        if isinstance(value, ctypes.Structure):
            return Info(self._owner, value)
        if isinstance(value, ctypes.Array):
            return tuple(value)
        if isinstance(value, ctypes._Pointer):
            return self._array(name, value)
        return value

    def _array(self, name: str, pointer: Any) -> Any:
        if not pointer:
            return None
        sizes = self._struct.SHAPES[name][1] or "n" + name.rstrip("s")
        shape = tuple(int(s) if s.isdigit() else getattr(self._struct, s) for s in sizes.split(" x "))
        element = type(pointer)._type_
        if element is ctypes.c_char_p:
            return [pointer[i].decode("utf-8", "replace") for i in range(shape[0])]
        if element is _abi.mien_rigid:
            return [from_rigid(pointer[i]) for i in range(shape[0])]
        if issubclass(element, ctypes.Structure):
            return [Info(self._owner, pointer[i]) for i in range(shape[0])]
        return borrowed(self._owner, address_of(pointer), shape, np.dtype(element).str)


# -- The host ---------------------------------------------------------------------------------------


class Callbacks:
    """Python functions as C ones. An exception in one stops the work and comes out of the call."""

    def __init__(
        self,
        threads: int = 0,
        log: Optional[Callable[[int, str], None]] = None,
        progress: Optional[Callable[[str, float], Any]] = None,
        memory_limit: int = 0,
    ):
        self.raised: Optional[BaseException] = None
        self.host = made(_abi.mien_host, {"threads": threads, "memory_limit": memory_limit}, [])
        if log:
            self.host.log = _abi.mien_log_fn(self._log)
        if progress:
            self.host.progress = _abi.mien_progress_fn(self._progress)
        self.log, self.progress = log, progress

    def _log(self, _user, level, words):
        try:
            self.log(level, words.decode("utf-8", "replace"))
        except BaseException as error:
            self.raised = error

    def _progress(self, _user, what, done):
        try:
            return 1 if self.progress(what.decode("utf-8", "replace"), done) else 0
        except BaseException as error:
            self.raised = error
            return 1


def struct_array(kind: Any, items: Sequence[ctypes.Structure], keep: List[Any]) -> Any:
    array = (kind * max(1, len(items)))(*items)
    keep.append(array)
    return array
