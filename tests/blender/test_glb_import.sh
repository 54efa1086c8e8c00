#!/bin/sh
# test_glb_import.sh FILE.glb: does Blender show what we wrote? 77 = skipped.
if ! command -v blender >/dev/null; then
  echo "skipped: blender is not installed"
  exit 77
fi
if ! blender -b --factory-startup --python-exit-code 9 --python-expr "import numpy" >/dev/null 2>&1; then
  echo "skipped: Blender has no numpy (apt-get install python3-numpy)"
  exit 77
fi
exec blender -b --factory-startup --python-exit-code 1 \
  -P "$(dirname "$0")/test_glb_import.py" -- "$1"
