#!/bin/sh
# test_way_back.sh MIEN SAMPLES WORK: bakes drop onto the meshes of the rigs' own files in Blender.
command -v blender >/dev/null || { echo "Blender is not installed"; exit 77; }
mien=$1 samples=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
here=$(dirname "$0")

bake() { # RIG TAKE OUT [options]
  rig=$1 take=$2 out=$3
  shift 3
  "$mien" bake "$rig" --anim "$take" --contact off "$@" -o "$out" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

# look SCRIPT ARGUMENTS...: in Blender, all in the end
look() {
  printf '%s' "$here/$1" >>"$work/looks"
  shift
  printf '\t%s' "$@" 6e-5 >>"$work/looks"
  echo >>"$work/looks"
}

back() { # NAME RIG TAKE
  bake "$2" "$3" "$work/$1.{mesh}.pc2" --seconds 0.5
  bake "$2" "$3" "$work/$1.glb" --seconds 0.5
  look test_way_back.py "$2" "$work/$1.{mesh}.pc2" "$work/$1.glb"
}

bake "$samples/head_small.glb" "$samples/still.csv" "$work/still.{mesh}.pc2" --seconds 0.1
look test_way_back.py "$samples/head_small.glb" "$work/still.{mesh}.pc2" -
for name in head_small creature; do back $name "$samples/$name.glb" "$samples/phrase.csv"; done

# a skinned character: first the face deforms, then its skin
python3 "$here/../cli/make_character.py" "$samples/head_small.glb" "$work/character.glb"
for out in skinned.glb 'skinned.{mesh}.pc2'; do
  bake "$work/character.glb" "$samples/phrase.csv" "$work/$out" --head "$samples/shake.csv" --seconds 0.5
done
look test_skin_order.py "$work/skinned.glb" "$work/skinned.{mesh}.pc2"

blender -b --factory-startup --python-exit-code 1 -P "$here/one_start.py" -- "$work/looks" >"$work/log" 2>&1
code=$?
grep -E 'elsewhere|Error' "$work/log"
[ "$(grep -c '^every vertex is where it was baked' "$work/log")" = "$(wc -l <"$work/looks")" ] && [ $code = 0 ] ||
  { tail -20 "$work/log"; exit 1; }
