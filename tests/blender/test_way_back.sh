#!/bin/sh
# test_way_back.sh MIEN SAMPLES WORK: a bake drops onto the meshes of the rig's own file in Blender.
command -v blender >/dev/null || { echo "Blender is not installed"; exit 77; }
rm -rf "$3"
mkdir -p "$3"
"$1" bake "$2/head_small.glb" --anim "$2/still.csv" --seconds 0.1 --contact off \
  -o "$3/shot.{mesh}.pc2" >"$3/log" 2>&1 || { cat "$3/log"; exit 1; }
blender -b --factory-startup --python-exit-code 1 -P "$(dirname "$0")/test_way_back.py" -- \
  "$2/head_small.glb" "$3/shot.{mesh}.pc2" >"$3/log" 2>&1
code=$?
grep -E 'vertices|vertex|Error' "$3/log"
grep -q '^every vertex is where it was' "$3/log" || exit 1
exit $code
