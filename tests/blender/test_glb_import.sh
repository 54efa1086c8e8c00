#!/bin/sh
# test_glb_import.sh FILE.glb: does Blender show what we wrote? 77 = skipped.
if ! command -v blender >/dev/null; then
  echo "skipped: blender is not installed"
  exit 77
fi
. "$(dirname "$0")/has_numpy.sh"
exec blender -b --factory-startup --python-exit-code 1 \
  --python-expr "$has_numpy" \
  -P "$(dirname "$0")/test_glb_import.py" -- "$1"
