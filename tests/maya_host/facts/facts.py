"""The facts of Maya's interface that the host has to obey: maya_2022.txt, a file of our own making.

One class per block, one member per line, types as the compiler names them, no text of Autodesk's:

    class NAME HEADER LIBRARY : BASES can WHAT
      METHOD(TYPE, TYPE?) FLAGS -> RESULT
      enum NAME KEY=VALUE ...
      field NAME FLAGS
    header NAME makes CLASSES complete
    outside NAME HEADER

`facts.py TABLE HEADERS > maya_2022.txt` makes it anew of the table of the whole interface, for the names
that our headers declare.
"""
import json
import os
import sys

from read_headers import Reader, preprocess

VERSION = 20220000

# In the published reference since long before 2022; the table was made before we used them.
ALSO = {"MDagPath": {
    "child": [{"params": ["unsigned int", "MStatus *"], "optional": 1, "returns": "MObject", "is": ["const"]}],
    "childCount": [{"params": ["MStatus *"], "optional": 1, "returns": "unsigned int", "is": ["const"]}]}}


def line_of(name, overload):
    count, optional = len(overload["params"]), overload.get("optional", 0)
    given = ", ".join(p + "?" * (k >= count - optional) for k, p in enumerate(overload["params"]))
    flags = sorted(f for f in overload.get("is", []) if f in ("const", "static", "virtual", "protected"))
    dated = ["deprecated"] * ("deprecated" in overload.get("is", []))
    result = f" -> {overload['returns']}" if "returns" in overload else ""
    return " ".join([f"{name}({given})"] + flags + dated) + result


def derive(table, include):
    """The lines for what the headers in `include` declare."""
    headers = sorted(h for h in os.listdir(os.path.join(include, "maya")))
    reader = Reader(preprocess(include, headers, VERSION))
    lines, classes = [f"maya {table['api']}"], table["classes"]
    for name in sorted(classes):
        fact = classes[name]
        if name not in reader.classes:
            continue
        methods = {**ALSO.get(name, {}), **fact.get("methods", {})}
        mine = reader.classes[name]
        wanted = {m[0] for m in mine["methods"]}
        bases = " ".join(fact["bases"])
        lines.append(f"class {name} {fact['header']} {fact['library'] or '-'} : {bases} can "
                     f"{' '.join(fact.get('can', ['?']))}".replace("  ", " ").rstrip())
        for c in fact.get("constructors", []):
            lines.append("  " + line_of(name, c))
        for method in sorted(set(methods) & wanted):
            lines += ["  " + line_of(method, o) for o in methods[method]]
        for enum, values in sorted(fact.get("enums", {}).items()):
            keys = [k for k in mine["enums"].get(enum, {}) if k in values]
            if keys:  # the numbers of MFn change with every version
                lines.append(f"  enum {enum} " + " ".join(f"{k}={'-' if name == 'MFn' else values[k]}" for k in keys))
        for field, value in sorted(fact.get("fields", {}).items()):
            flags = sorted(f for f in value.get("is", []) if f in ("static", "protected"))
            lines.append(" ".join(["  field", field] + flags))
        if fact.get("typedefs"):
            lines.append("  types " + " ".join(sorted(fact["typedefs"])))
    for header, fact in sorted(table["headers"].items()):
        known = sorted(c for c in fact["defines"] + fact["complete"] if c in reader.classes)
        lines.append(" ".join(["header", header, "makes"] + known))
    for kind in ("functions", "typedefs", "variables", "macros"):
        for name, where in sorted(table[kind].items()):
            for one in where if isinstance(where, list) else [where]:
                line = f"outside {name} {one['header']}"
                if line not in lines:
                    lines.append(line)
    return lines


def read(path):
    classes, headers, outside = {}, {}, {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            words = line.split()
            if line.startswith("class "):
                bases = words[words.index(":") + 1:words.index("can")]
                one = classes[words[1]] = {"header": words[2], "library": words[3], "bases": bases, "enums": {},
                                           "can": words[words.index("can") + 1:], "methods": {}, "fields": {},
                                           "types": []}
            elif line.startswith("header "):
                headers[words[1]] = set(words[3:])
            elif line.startswith("outside "):
                outside.setdefault(words[1], set()).add(words[2])
            elif words[0] == "enum":
                one["enums"][words[1]] = dict(w.split("=") for w in words[2:])
            elif words[0] == "field":
                one["fields"][words[1]] = words[2:]
            elif words[0] == "types":
                one["types"] = words[1:]
            elif line.startswith("  "):
                text, _, result = line.strip().partition(" -> ")
                at = text.index("(", 10 if text.startswith("operator()") else 0)
                closing = text.rindex(")")
                given = tuple(p for p in split_types(text[at + 1:closing]))
                one["methods"].setdefault(text[:at], []).append(
                    (given, result or None, frozenset(text[closing + 1:].split())))
    return classes, headers, outside


def split_types(text):
    parts, depth, now = [], 0, ""
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(now.strip())
            now = ""
        else:
            now += c
    return parts + [now.strip()] if now.strip() else parts


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as f:
        print("\n".join(derive(json.load(f), sys.argv[2])))
