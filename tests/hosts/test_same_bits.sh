#!/bin/sh
# One shot by the command line, Python, Blender and the Maya host: the same bits. 77 = skipped.
# usage: test_same_bits.sh SOURCE BUILD MAYA_SHOT PLUGIN
set -eu
source=$1 build=$2 maya_shot=$3 plugin=$4
folder=$build/tests/same_bits
rm -rf "$folder"
mkdir -p "$folder"
export MIEN_BUILD="$build"
code=0
"$source/tests/blender/run_test.sh" "$source/tests/hosts/blender_shot.py" -- "$folder" || code=$?
[ "$code" -eq 0 ] || exit "$code"
MIEN="$build/bin/mien" "$folder/bake.sh"
"$maya_shot" "$plugin" "$folder"
PYTHONPATH=$build/python "$source/tests/python/run_test.sh" "$source/tests/hosts/compare_shot.py" "$folder"
