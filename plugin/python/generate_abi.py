"""Reads mien.h and writes what ctypes needs to call it: structs, enums, prototypes.

usage: generate_abi.py HEADER OUT.py

The header is the only source: a field added there is known to Python after the next build. The
comments behind fields matter, too: "width 3" says how many floats an element has, "(nframe x 3)"
what a pointer points at, so that arrays come out in their shape.
"""

import re
import sys
from typing import NamedTuple

SCALARS = {
    "int": "c_int",
    "float": "c_float",
    "double": "c_double",
    "size_t": "c_size_t",
    "int8_t": "c_int8",
    "int16_t": "c_int16",
    "int32_t": "c_int32",
    "int64_t": "c_int64",
    "uint8_t": "c_uint8",
    "uint16_t": "c_uint16",
    "uint32_t": "c_uint32",
    "uint64_t": "c_uint64",
    "unsigned char": "c_ubyte",
    "unsigned int": "c_uint",
}


class Field(NamedTuple):
    name: str
    type: str  # as ctypes spells it
    enum: str  # its C enum, or ""
    doc: str


class Enum(NamedTuple):
    name: str
    members: list  # (name, value, doc)


class Struct(NamedTuple):
    name: str
    fields: list
    doc: str


class Function(NamedTuple):
    name: str
    result: str
    arguments: list
    doc: str


class HeaderError(Exception):
    pass


class Header:
    """Everything mien.h declares."""

    def __init__(self, text: str):
        self.constants, self.enums, self.structs = {}, [], []
        self.functions, self.callbacks, self.opaque = [], [], []
        self._names = {}  # C type -> kind
        for name, value in re.findall(r"#define (MIEN_\w+) (\d+)$", text, re.M):
            self.constants[name] = int(value)
        lines = []
        continued = False
        for line in text.split("\n"):
            is_directive = continued or line.lstrip().startswith("#")
            continued = is_directive and line.endswith("\\")
            if not is_directive and not line.startswith('extern "C"'):
                lines.append(line)
        for code, doc in statements(lines):
            self._declare(code, doc)

    def _declare(self, code, doc):
        flat = " ".join(line.split("//")[0] for line in code).strip()
        if flat.startswith("typedef enum"):
            self._enum(code)
        elif re.match(r"typedef struct \w+ \w+;", flat):
            name = flat.split()[2]
            self._names[name] = "opaque"
            self.opaque.append(name)
        elif flat.startswith("typedef struct"):
            self._struct(code, doc)
        elif flat.startswith("typedef"):
            self._callback(flat)
        elif flat.startswith("MIEN_API"):
            self._function(flat, doc)
        elif flat.startswith("enum {"):
            for name, value in re.findall(r"(MIEN_\w+) = (\w+)", flat):
                self.constants[name] = int(value, 0)
        elif flat not in ("", "}") and not flat.startswith("static inline"):
            raise HeaderError("this is not understood: " + flat[:120])

    def _enum(self, code):
        flat = " ".join(line.split("//")[0] for line in code)
        name = re.match(r"\s*typedef enum (\w+)", flat).group(1)
        docs = {}
        for line in code:
            part, _, comment = line.partition("//")
            found = re.findall(r"\bMIEN_\w+", part)
            if found:
                docs[found[-1]] = comment.strip()
        members, value = [], -1
        for item in re.search(r"\{(.*)\}", flat).group(1).split(","):
            item = item.strip()
            if not item:
                continue
            member, _, given = (s.strip() for s in item.partition("="))
            value = int(given, 0) if given else value + 1
            members.append((member, value, docs.get(member, "")))
        self._names[name] = "enum"
        self.enums.append(Enum(name, members))

    def _struct(self, code, doc):
        name = re.match(r"\s*typedef struct (\w+)", code[0]).group(1)
        fields, part, comment = [], "", []
        self._names[name] = "struct"

        def flush():
            for f in self._fields(part, " ".join(comment).strip()):
                fields.append(f)

        first = code[0].partition("//")
        doc = " ".join(filter(None, [doc, first[2].strip()]))
        for line in code[1:-1]:
            text, _, said = line.partition("//")
            if line.startswith("  // "):  # a heading of those that follow
                flush()
                part, comment = "", []
                continue
            if text.strip() and part.strip().endswith(";"):
                flush()
                part, comment = "", []
            part += " " + text.strip()
            if said:
                comment.append(said.strip())
        flush()
        self.structs.append(Struct(name, fields, doc))

    def _fields(self, text, doc):
        text = " ".join(text.split())
        if not text:
            return
        pointer = re.match(r"^.*\(\*(\w+)\)\(.*\);$", text)
        if pointer:
            yield Field(pointer.group(1), "c_void_p", "", doc)
            return
        match = re.match(r"^((?:const )?(?:unsigned )?\w+) (.*);$", text)
        if not match or ";" in match.group(2):
            raise HeaderError("this field is not understood: " + text)
        base, rest = match.groups()
        for item in rest.split(","):
            stars, name, count = re.match(r"^\s*((?:\*|const|\s)*)(\w+)((?:\[\w+\])*)$", item).groups()
            spelled = self._ctype(base, stars.count("*"))
            for n in reversed(re.findall(r"\[(\w+)\]", count)):
                spelled = f"({spelled} * {n})"
            bare = base.replace("const ", "")
            is_enum = self._names.get(bare) == "enum" and "*" not in stars
            yield Field(name, spelled, bare if is_enum else "", doc)

    def _ctype(self, base, depth):
        base = base.replace("const ", "").strip()
        kind = self._names.get(base)
        if base == "void" and depth == 0:
            return "None"
        if base in ("void", "char"):
            bottom, depth = ("c_void_p" if base == "void" else "c_char_p"), depth - 1
            if depth < 0:
                return "c_char"
        elif kind == "opaque":
            bottom, depth = "c_void_p", depth - 1
        elif kind == "callback":
            bottom, depth = base, depth - 1
        elif kind == "enum":
            bottom = "c_int"
        elif kind == "struct":
            bottom = base
        elif base in SCALARS:
            bottom = SCALARS[base]
        else:
            raise HeaderError(f"the type {base} is not known")
        for _ in range(depth):
            bottom = f"POINTER({bottom})"
        return bottom

    def _arguments(self, text):
        if text.strip() in ("", "void"):
            return []
        out = []
        for item in text.split(","):
            item = item.strip()
            array = re.search(r"\[\w*\]$", item)
            item = re.sub(r"\[\w*\]$", "", item)
            item = re.sub(r"\bunsigned (?!int|char|short|long)", "unsigned int ", item)  # C's short way to say it
            base, stars = re.match(
                r"^((?:const )?(?:unsigned )?\w+)((?:\s|\*|const\b)*)\w*$", item
            ).groups()
            out.append(self._ctype(base, stars.count("*") + bool(array)))
        return out

    def _prototype(self, flat):
        match = re.match(r"^((?:const )?\w+)((?:\s|\*)+)(\w+)\((.*)\);$", flat)
        if not match:
            raise HeaderError("this function is not understood: " + flat[:120])
        base, stars, name, arguments = match.groups()
        return name, self._ctype(base, stars.count("*")), self._arguments(arguments)

    def _callback(self, flat):
        name, result, arguments = self._prototype(flat.replace("typedef ", "", 1))
        self._names[name] = "callback"
        self.callbacks.append(Function(name, result, arguments, ""))

    def _function(self, flat, doc):
        name, result, arguments = self._prototype(flat.replace("MIEN_API ", "", 1).strip())
        self.functions.append(Function(name, result, arguments, doc))


def statements(lines):
    """Every declaration with its lines, and the comment before it."""
    code, doc, depth = [], [], 0
    for line in lines:
        text = line.split("//")[0]
        if not code and not text.strip():
            if line.strip().startswith("//"):
                doc.append(line.strip().lstrip("/ "))
            else:
                doc = []
            continue
        code.append(line)
        depth += text.count("{") - text.count("}")
        if depth <= 0 and text.rstrip().endswith((";", "}")):
            yield code, " ".join(doc)
            code, doc, depth = [], [], 0


def python_name(c_name):
    """mien_barrier_step -> BarrierStep"""
    return "".join(part.capitalize() for part in c_name.split("_")[1:])


def member_names(enum):
    """MIEN_SOLVER_AUTO -> AUTO: what all members begin with is left out."""
    names = [m[0].split("_") for m in enum.members]
    shared = 1  # "MIEN"
    while len(names) > 1 and all(len(n) > shared + 1 for n in names) and len({n[shared] for n in names}) == 1:
        shared += 1
    words = python_name(enum.name).upper()
    if len(names) == 1 and shared < len(names[0]) - 1 and names[0][shared] == words:
        shared += 1
    return ["_".join(n[shared:]) for n in names]


def shape_of(field):
    """What the comment says of an array: (width, "nframe x 3" or "")."""
    width = re.search(r"\bwidth (\d+)", field.doc)
    sizes = re.findall(r"\(((?:\w+)(?: x \w+)*)\)(?=$|[.;,]|\s)", field.doc)
    return (int(width.group(1)) if width else 1), (sizes[-1] if sizes else "")


def write(header, out):
    def emit(*parts):
        out.append("".join(parts))

    emit('"""Generated from mien.h by generate_abi.py. Do not edit."""\n')
    emit("from ctypes import *  # noqa: F403")
    emit("from enum import IntEnum, IntFlag")
    emit("from typing import Any, Dict\n")
    v = header.constants
    emit(
        "VERSION = ",
        str(v["MIEN_VERSION_MAJOR"] * 1000000 + v["MIEN_VERSION_MINOR"] * 1000 + v["MIEN_VERSION_PATCH"]),
    )
    for name, value in v.items():
        emit(f"{name} = {value}")
    for enum in header.enums:
        values = [m[1] for m in enum.members]
        bits = len(values) > 3 and all(x > 0 and x & (x - 1) == 0 for x in values)
        emit("\n\nclass ", python_name(enum.name), "(IntFlag):" if bits else "(IntEnum):")
        for name, (_, value, doc) in zip(member_names(enum), enum.members):
            emit(f"    {name} = {value}", f"  # {doc}" if doc else "")
    emit("\n")
    done = set()
    for callback in header.callbacks:
        # structs behind pointers of callbacks are not taken apart in Python
        arguments = [re.sub(r"POINTER\(mien_\w+\)", "c_void_p", a) for a in callback.arguments]
        emit(f"{callback.name} = CFUNCTYPE({', '.join([callback.result] + arguments)})")
    for struct in header.structs:
        emit("\n\nclass ", struct.name, "(Structure):")
        if struct.doc:
            emit('    """', struct.doc.replace("\\", "").replace('"', "'"), '"""\n')
        emit("    _fields_ = [")
        for f in struct.fields:
            emit(f'        ("{f.name}", {f.type}),')
        emit("    ]")
        emit("    ENUMS: Dict[str, Any] = {", ", ".join(f'"{f.name}": {python_name(f.enum)}' for f in struct.fields if f.enum), "}")
        emit("    SHAPES: Dict[str, Any] = {")
        for f in struct.fields:
            width, sizes = shape_of(f)
            if f.type in ("mien_f32s", "mien_i32s") or f.type.startswith("POINTER"):
                emit(f'        "{f.name}": ({width}, "{sizes}"),')
        emit("    }")
        emit("    DOCS: Dict[str, str] = {")
        for f in struct.fields:
            emit(f"        {f.name!r}: {f.doc!r},")
        emit("    }")
        done.add(struct.name)
    emit("\n\nFUNCTIONS: Dict[str, Any] = {")
    for f in header.functions:
        emit(f'    "{f.name}": ({f.result}, [{", ".join(f.arguments)}]),')
    emit("}")
    emit("DOCS = {")
    for f in header.functions:
        if f.doc:
            emit(f"    {f.name!r}: {f.doc!r},")
    emit("}\n")


def main():
    header = Header(open(sys.argv[1], encoding="utf-8").read())
    out = []
    write(header, out)
    text = "\n".join(out)
    try:
        if open(sys.argv[2], encoding="utf-8").read() == text:
            return
    except OSError:
        pass
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
