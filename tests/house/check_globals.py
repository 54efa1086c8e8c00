"""The library keeps nothing for the process but what the header names: no other object can be written to.

usage: check_globals.py OBJECTS
"""
import pathlib
import re
import subprocess
import sys

# the pool of base/parallel.c; the mutex of sparse/order_cholmod.c
ALLOWED = {"pool", "one_at_a_time"}

# adapters of C++ libraries have what that language needs; no package links them
objects = sorted(o for o in pathlib.Path(sys.argv[1]).rglob("*.o") if "plugin" not in o.parts)
if len(objects) < 100:
    sys.exit(f"found only {len(objects)} objects in {sys.argv[1]}")
table = subprocess.run(["objdump", "-t", *objects], capture_output=True, check=True, text=True).stdout
# .data.rel.ro is constant once the program is loaded
found = set(re.findall(r"\sO\s+\.(?:t?bss|t?data)(?!\.rel\.ro)\S*\s+\w+\s+(?:\.hidden )?(\S+)", table))
for name in sorted(found - ALLOWED):
    print(f"'{name}' can be written to and belongs to no object of the caller's")
print(f"{len(objects)} objects, {len(found)} globals: {', '.join(sorted(found))}")
sys.exit(1 if found - ALLOWED else 0)
