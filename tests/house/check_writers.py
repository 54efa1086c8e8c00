"""Files are written by one module in C (core/src/io/output.c) and one in Python (mien/output.py): locks, links, names
that are given when a file is whole are nowhere else. What opens or renames a file itself is named.

usage: check_writers.py SOURCE
"""
import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
# what the build runs writes into the build's own folders
OWN = {"core/src/io/output.c", "plugin/python/mien/output.py"}
TOOLS = {"plugin/python/generate_abi.py", "plugin/python/make_wheel.py", "plugin/python/bundle.py", "plugin/blender/make_zip.py"}
MODE = r"""["'][rbt]*[wax+]"""
WAYS = {
    ("*.c", "*.cpp", "*.h"): rf"f(?:re)?open\s*\([^;]*?,\s*{MODE}|O_(?:WRONLY|RDWR|CREAT)\b|\bcreat\s*\(|"
    r"\brename\s*\(|\b[ow]?fstream\b|\blinkat?\s*\(",
    ("*.py",): rf"(?<![.\w])open\([^\n]*,\s*(?:mode=)?{MODE}|os\.(?:open|replace|rename|link)\(|shutil\.|\.write_(?:text|bytes)\(|"
    r"\bnp\.(?:save|savez|savetxt)\(|\.tofile\(",
}

failures, count = [], 0
for patterns, way in WAYS.items():
    for path in sorted(p for top in ("core", "ui", "plugin") for w in patterns for p in (SOURCE / top).rglob(w)):
        name = path.relative_to(SOURCE).as_posix()
        text = path.read_text(encoding="utf-8")
        found = [m for m in re.finditer(way, text)]
        if name in OWN:
            count += bool(found)
            continue
        for m in found if name not in TOOLS else ():
            start = text.rfind("\n", 0, m.start()) + 1
            line = text[start : text.find("\n", m.end())]
            if "/dev/null" in line or "examples/" in name or re.match(r"\s*(//|#)", line):
                continue
            failures.append(f"{name}:{text.count(chr(10), 0, m.start()) + 1}: writes by itself: {line.strip()}")
for line in failures:
    print(line)
print(f"{count} modules write files, {len(failures)} others do")
sys.exit(1 if failures or count != len(OWN) else 0)
