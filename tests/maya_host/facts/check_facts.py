"""Does the test host say what Maya says? Compares every declaration of tests/maya_host/include with the facts.

usage: check_facts.py INCLUDE TABLE LIBRARIES     TABLE: the whole interface, where it is at hand
Fails on a member Maya does not have, on other parameters, results or constness than Maya's, on other bases or
values, on a header that makes more known than Maya's does, and on a class in another library than Maya's. Fewer overloads are fine: stricter than Maya.
"""
import json
import os
import re
import subprocess
import sys

import facts
from read_headers import Reader, included, preprocess


def of_relatives(classes, name, method):
    """Where a class has a member: itself, else what its bases say."""
    while name in classes:
        if method in classes[name]["methods"]:
            return name, classes[name]["methods"][method]
        name = (classes[name]["bases"] or [None])[0]
    return None, []


def spell(called, given, result, flags):
    return f"{' '.join(sorted(flags))} {result or ''} {called}({', '.join(given)})".strip()


def check_class(name, mine, known, said):
    fact = known.get(name)
    if not fact:
        said(f"class {name}: Maya has none of that name")
        return
    if mine["bases"] != fact["bases"]:
        said(f"class {name}: derives from {mine['bases']}, in Maya from {fact['bases']}")
    for called, given, result, flags in mine["methods"]:
        home, overloads = of_relatives(known, name, called)
        if called == name:
            overloads = fact["methods"].get(name, [])
            home = name
        if not overloads:
            said(f"{name}::{called}: invented")
        elif home != name:
            said(f"{name}::{called}: Maya declares it in {home}")
        elif not any((given, result) == o[:2] and flags == o[2] - {"deprecated"} for o in overloads):
            there = "; ".join(spell(called, *o) for o in overloads)
            said(f"{name}: {spell(called, given, result, flags)}: Maya has {there}")
        elif all("deprecated" in o[2] for o in overloads if (given, result) == o[:2]):
            said(f"{name}::{called}({', '.join(given)}): deprecated in Maya")
    for enum, values in mine["enums"].items():
        for key, value in values.items():
            there = fact["enums"].get(enum, {}).get(key)
            if there is None:
                said(f"{name}::{enum}::{key}: invented")
            elif there not in ("-", str(value)):
                said(f"{name}::{enum}::{key} = {value}: {there} in Maya")
    for field, flags in mine["fields"].items():
        if fact["fields"].get(field) != flags:
            said(f"{name}::{field}: {'invented' if field not in fact['fields'] else 'static or protected in Maya'}")
    for kind in mine["typedefs"]:
        if kind not in fact["types"]:
            said(f"{name}::{kind}: no such type in Maya")


def check(include, known, headers, outside, version):
    found = []
    names = sorted(os.listdir(os.path.join(include, "maya")))
    reader = Reader(preprocess(include, names, version))
    for name, mine in sorted(reader.classes.items()):
        check_class(name, mine, known, found.append)
    where = {}
    for header in names:
        with open(os.path.join(include, "maya", header), encoding="utf-8") as f:
            text = f.read()
        for name in reader.classes:
            if f"\nclass {name} " in text:
                where[name] = header
                if name in known and known[name]["header"] != header:
                    found.append(f"class {name}: is in {header}, in Maya in {known[name]['header']}")
    real = {c["header"] for c in known.values()} | {h for hs in outside.values() for h in hs} | set(headers)
    for header in names:
        if header not in real:
            found.append(f"{header}: no such header in Maya")
        for name, home in where.items():
            if header in headers and home in included(include, header) and name not in headers[header]:
                found.append(f"{header}: makes {name} complete, Maya's does not")
    for name in sorted(set(reader.functions) | set(reader.typedefs)):
        if name not in outside:
            found.append(f"{name}: invented, outside of any class")
    return found


CAN = {"default": "std::is_default_constructible<{}>::value", "copy": "std::is_copy_constructible<{}>::value",
       "assign": "std::is_copy_assignable<{}>::value", "destroy": "std::is_destructible<{}>::value"}


def check_lives(include, known, version):
    """What a plug-in may construct, copy and destroy: a compiler says so, class by class."""
    names = sorted(os.listdir(os.path.join(include, "maya")))
    text = "#include <type_traits>\n" + "".join(f"#include <maya/{h}>\n" for h in names)
    for name, fact in known.items():
        for what, trait in CAN.items():
            if what not in fact["can"] and "?" not in fact["can"]:
                text += f'static_assert(!{trait.format(name)}, "{name}: {what}");\n'
    command = ["g++", "-x", "c++", "-std=c++17", "-fsyntax-only", "-I", include, f"-DMAYA_HOST_VERSION={version}", "-"]
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    found = re.findall(r"static assertion failed: (.*)", done.stderr)
    if done.returncode and not found:
        return ["the headers do not compile together:\n" + done.stderr]
    return [f"{line}: a plug-in can do that here, and not in Maya" for line in found]


def check_libraries(folder, known):
    """Each class is in the library that Maya has it in, and in no other."""
    found, homes = [], {}
    for file in sorted(os.listdir(folder)):
        name = re.match(r"lib(\w+)\.so", file).group(1)
        shown = subprocess.run(["nm", "-DC", "--defined-only", os.path.join(folder, file)], text=True, check=True,
                               capture_output=True).stdout
        for c in set(re.findall(r" [TWBDVR] Autodesk::Maya::OpenMaya\d+::(\w+)::", shown)) & set(known):
            if re.search(rf" [TBD] Autodesk::Maya::OpenMaya\d+::{c}::", shown):
                homes.setdefault(c, set()).add(name)
    for c, where in sorted(homes.items()):
        if where != {known[c]["library"]}:
            found.append(f"class {c}: is in {', '.join(sorted(where))}, in Maya in {known[c]['library']}")
    if not homes:
        found.append(f"there are no libraries in {folder}")
    return found


def main():
    include = sys.argv[1]
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.path.join(here, "maya_2022.txt")
    table = sys.argv[2]
    found = []
    if os.path.exists(table):
        with open(table, encoding="utf-8") as f:
            lines = facts.derive(json.load(f), include)
        with open(path, encoding="utf-8") as f:
            if f.read().splitlines() != lines:
                found.append("maya_2022.txt is not what facts.py makes of the table")
    else:
        print("the table of the whole interface is not here: checked with maya_2022.txt as it is")
    known, headers, outside = facts.read(path)
    found += check(include, known, headers, outside, facts.VERSION)
    found += check_lives(include, known, facts.VERSION)
    found += check_libraries(sys.argv[3], known)
    for line in found:
        print(line, file=sys.stderr)
    print(f"{len(found)} differences from Maya")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
