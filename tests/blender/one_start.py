"""Runs scripts one after the other in one Blender, which takes a second to start.

usage: blender -b --factory-startup --python-exit-code 1 -P one_start.py -- LIST
A line of LIST is a script and its arguments, with tabs between them. Ends with 1 when a script failed.
"""

import runpy
import sys
import traceback

with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as file:
    runs = [line.rstrip("\n").split("\t") for line in file]
assert runs, "nothing to run"
failed = []
for script, *arguments in runs:
    sys.argv = [script, "--", *arguments]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if end.code:
            failed.append(arguments[0])
    except BaseException:
        traceback.print_exc()
        failed.append(arguments[0])
if failed:
    print("FAILED:", *failed)
    sys.exit(1)
