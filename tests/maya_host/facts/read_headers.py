"""Reads the classes that the headers of the test host declare, as a plug-in sees them.

The headers are ours and clang-formatted; this understands them and no other C++. What is private is
the host's own and not seen. Types are spelled as in the facts: typedefs resolved, enums
with their class, `?` behind a parameter that may be left out.
"""
import os
import re
import subprocess
import tempfile

STANDARD = ["functional", "map", "memory", "string", "vector"]
PLAIN = {"unsigned", "signed", "int", "short", "long", "float", "double", "bool", "char", "void", "const"}
TYPEDEFS = {"MTick": "long", "MCallbackId": "unsigned long", "MInt64": "long", "MUint64": "unsigned long",
            "MCreatorFunction": "void *(*)()", "MInitializeFunction": "MStatus (*)()",
            "MCreateSyntaxFunction": "MSyntax (*)()", "MNodeFunction": "void (*)(MObject &, void *)"}
ARRAYS = {"int2": "int (&)[2]", "float3": "float (&)[3]", "double3": "double (&)[3]"}


def preprocess(include, headers, version):
    """The headers in one text, without the standard library's."""
    with tempfile.TemporaryDirectory() as empty:
        for name in STANDARD:
            open(os.path.join(empty, name), "w").close()
        text = "".join(f"#include <maya/{h}>\n" for h in headers)
        command = ["g++", "-E", "-P", "-x", "c++", "-std=c++17", "-nostdinc", "-nostdinc++", "-I", empty, "-I",
                   include, f"-DMAYA_HOST_VERSION={version}", "-"]
        return subprocess.run(command, input=text, text=True, check=True, capture_output=True).stdout


def included(include, header, seen=None):
    """Every header of the host that a header brings along, itself too."""
    seen = set() if seen is None else seen
    if header in seen:
        return seen
    seen.add(header)
    with open(os.path.join(include, "maya", header), encoding="utf-8") as f:
        for name in re.findall(r"#include <maya/(\w+\.h)>", f.read()):
            included(include, name, seen)
    return seen


def tokens(text):
    return re.findall(r'"(?:\\.|[^"\\])*"|\'.\'|[A-Za-z_]\w*|\d[\w.]*|::|->|&&|<<=|>>=|[-+*/|&^=!<>]=|\|\||[^\s\w]', text)


def balanced(words, at, opening, closing):
    """The index behind the bracket that closes the one at `at`."""
    depth = 0
    while True:
        depth += (words[at] == opening) - (words[at] == closing)
        at += 1
        if depth == 0:
            return at


def split(words, by=","):
    parts, depth = [[]], 0
    for w in words:
        depth += (w in "([{<") - (w in ")]}>") if len(w) == 1 else 0
        if w == by and depth == 0:
            parts.append([])
        else:
            parts[-1].append(w)
    return [p for p in parts if p]


def spelled(words):
    text = " ".join(words)
    text = re.sub(r"\s*::\s*", "::", text)
    return re.sub(r"\*\s*\*", "* *", text)


class Reader:
    def __init__(self, text):
        self.words = tokens(re.sub(r"__attribute__\(\(.*?\)\)\)?", "", text))
        self.classes = {}
        self.typedefs = {}
        self.functions = []
        self.scan(0, len(self.words))

    # -- types

    def type_of(self, words, owner):
        words = [w for w in words if w not in ("inline", "extern")]
        out = []
        for k, w in enumerate(words):
            home = self.home_of(w, owner) if owner and (k == 0 or words[k - 1] != "::") else None
            out.append(f"{home}::{w}" if home and (k + 1 == len(words) or words[k + 1] != "::") else w)
        text = spelled(out)
        for name, means in TYPEDEFS.items():
            text = re.sub(rf"\b(?:\w+::)?{name}\b", means, text)
        for name, means in ARRAYS.items():
            text = re.sub(rf"^{name} &$", means, text)
        return text

    def home_of(self, name, owner):
        """The class whose enum this is: the owner itself, or a base of it."""
        while owner in self.classes:
            if name in self.classes[owner]["enums"]:
                return owner
            owner = (self.classes[owner]["bases"] or [None])[0]
        return None

    def parameter(self, words, owner):
        optional = "=" in words
        words = words[:words.index("=")] if optional else list(words)
        pointers = []
        while words and words[-1] == "]":
            opening = len(words) - 1 - words[::-1].index("[")
            pointers.insert(0, words[opening + 1:-1])
            words = words[:opening]
        before = [w for w in words[:-1] if w != "const"]
        if len(words) > 1 and re.match(r"[A-Za-z_]", words[-1]) and words[-1] not in PLAIN and before \
                and words[-2] != "::":
            words.pop()
        if len(pointers) == 1:
            words.append("*")
        text = self.type_of(words, owner)
        if len(pointers) == 2:
            text += f" (*)[{pointers[1][0]}]"
        return text + "?" * optional

    # -- declarations

    def scan(self, at, end):
        words = self.words
        while at < end:
            if words[at] == "namespace":
                opening = words.index("{", at)
                if words[at + 1] == "host":
                    at = balanced(words, opening, "{", "}")
                else:
                    self.scan(opening + 1, balanced(words, opening, "{", "}") - 1)
                    at = balanced(words, opening, "{", "}")
            elif words[at] in ("class", "struct") and words[at + 2] in ("{", ":"):
                at = self.read_class(at)
            else:
                stop = at
                while words[stop] not in (";", "{"):
                    stop += 1
                self.outside(words[at:stop])
                at = stop + 1 if words[stop] == ";" else balanced(words, stop, "{", "}")

    def outside(self, words):
        if words and words[0] == "typedef":
            name = words[words.index("(") + 2] if "(" in words else words[-1]
            self.typedefs[name if name != "]" else words[words.index("[") - 1]] = True
        elif "(" in words and words[0] not in ("using", "__attribute__"):
            name = words[words.index("(") - 1]
            if words[words.index("(") - 2] == "operator":
                name = "operator" + name
            self.functions.append(name)

    def read_class(self, at):
        words, name = self.words, self.words[at + 1]
        opening = words.index("{", at)
        bases = [w for w in words[at + 3:opening] if w not in ("public", ",")]
        end = balanced(words, opening, "{", "}")
        one = self.classes[name] = {"bases": bases, "enums": {}, "methods": [], "fields": {}, "typedefs": []}
        access, k = "private", opening + 1
        while k < end - 1:
            if words[k] in ("public", "protected", "private") and words[k + 1] == ":":
                access, k = words[k], k + 2
                continue
            stop = k
            while words[stop] not in (";", "{") and not (words[stop] == ":" and words[stop - 1] == ")"):
                stop = balanced(words, stop, "(", ")") if words[stop] == "(" else stop + 1
            declared = words[k:stop]
            if words[stop] == ":":  # a constructor's list, then its body
                while words[stop] != "{" or words[stop - 1] not in (")", "}"):
                    stop = balanced(words, stop, "(", ")") if words[stop] == "(" else stop + 1
            body = words[stop] == "{"
            k = balanced(words, stop, "{", "}") if body else stop + 1
            inner = words[stop + 1:k - 1] if body else []
            if words[k] == ";" and body and declared and declared[0] in ("enum", "struct", "class"):
                k += 1
            if access != "private" and declared:
                self.member(name, one, declared, inner, access)
        return end + 1

    def member(self, name, one, words, inner, access):
        if words[0] == "enum":
            values, last = {}, -1
            for entry in split(inner):
                last = entry[2:] if "=" in entry else last + 1 if isinstance(last, int) else None
                if isinstance(last, list):
                    last = values[last[0]] if last[0] in values else int(last[0]) if len(last) == 1 else None
                values[entry[0]] = last
            one["enums"][words[1]] = values
        elif words[0] in ("struct", "class", "using", "friend"):
            if words[0] == "struct":
                one["typedefs"].append(words[1])
        elif words[0] == "typedef":
            one["typedefs"].append(words[-1] if "(" not in words else words[words.index("*") + 1])
        elif "(" in words:
            self.method(name, one, words, access)
        else:
            flags = [w for w in words if w == "static"] + [access] * (access == "protected")
            words = [w for w in words if w != "static"]
            kind, rest = split(words)[0], split(words)[1:]
            first = kind.index("[") - 1 if "[" in kind else kind.index("=") - 1 if "=" in kind else len(kind) - 1
            for field in [kind[first]] + [r[0] for r in rest]:
                one["fields"][field] = flags

    def method(self, name, one, words, access):
        if "delete" in words[-1:]:
            return
        if "operator" in words:
            start = words.index("operator")
            opening = words.index("(", start + (2 if words[start + 1] == "(" else 1))
            called = "operator" + "".join(words[start + 1:opening])
            if called[8].isalpha():
                called = "operator " + spelled(words[start + 1:opening])
        else:
            opening = words.index("(")
            start, called = opening - 1, words[opening - 1]
        closing = balanced(words, opening, "(", ")")
        if words[start - 1:start] == ["~"] or called == "operator=":
            return  # who may be assigned or destroyed is asked of the compiler
        flags = {w for w in words[:start] if w in ("static", "virtual")}
        flags |= {"virtual"} if "override" in words[closing:] else set()
        flags |= {"const"} if "const" in words[closing:] else set()
        flags |= {"protected"} if access == "protected" else set()
        result = [w for w in words[:start] if w not in ("static", "virtual", "explicit")]
        given = [self.parameter(p, name) for p in split(words[opening + 1:closing - 1])]
        returns = self.type_of(result, name) if result else None
        if called.startswith("operator ") and returns is None:
            returns = called[9:]
        one["methods"].append((called, tuple(given), returns, frozenset(flags)))
