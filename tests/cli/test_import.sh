#!/bin/sh
# test_import.sh MIEN COMPARE_RIGS MAKER WORK: files that Blender writes, through `mien import`,
# against the .glb that Blender writes and our own reader reads. Exit code 77: no Blender.
mien=$1 compare=$2 maker=$3 work=$4
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
LSAN_OPTIONS=suppressions=$(dirname "$0")/assimp.supp:print_suppressions=0
export LSAN_OPTIONS
command -v blender >/dev/null 2>&1 || { echo "skipped: there is no blender here"; exit 77; }

files=$work/files
blender --background --factory-startup --python "$maker" -- "$files" >"$work/blender.log" 2>&1
[ -f "$files/face_cm.dae" ] || { tail -20 "$work/blender.log"; fail "Blender wrote no files"; finish; }

same() {
  "$compare" "$@" 2>"$work/err" || fail "$1: $(cat "$work/err")"
}

for file in face.fbx face_metre.fbx face_z_up.fbx face_deformer_names.fbx face_cm.fbx face.dae \
  face_cm.dae face.gltf; do
  expect 0 "$mien" import "$files/$file" -o "$work/$file.glb"
  lacks err note
  case $file in
  *.dae) same "$work/$file.glb" "$files/reference.glb" ;; # Blender's DAE has no such colours
  *) same "$work/$file.glb" "$files/reference.glb" colours ;;
  esac
done

# the scene's unit is remembered; --unit overrides it; nonsense is noticed
unit() {
  expect 0 "$mien" inspect "$work/$1.glb"
  says out "whose unit is the $2"
}
unit face.fbx centimetre
unit face_metre.fbx metre
unit face.dae metre
unit face_cm.dae centimetre
expect 0 "$mien" import "$files/face_cm.dae" --unit mm -o "$work/small.glb"
says out '1.6 x 2.2 x 0.8 cm'
expect 0 "$mien" import "$files/face_metre.fbx" --unit 0.5 -o "$work/half.glb"
says out '8.0 x 11.0 x 4.0 cm'
sed 's/meter="1"/meter="100"/' "$files/face.dae" >"$work/huge.dae"
expect 0 "$mien" import "$work/huge.dae" -o "$work/huge.glb"
says err 'by its size it is read as'
says out '16.0 x 22.0 x 8.0 cm'

# the keyed shape, 13 frames from 0 over 1 to 0.25
for file in face.fbx face.gltf reference.glb; do
  expect 0 "$mien" import "$files/$file" --take "$work/$file.csv" -o "$work/with_take.glb"
  expect 0 "$mien" inspect "$work/$file.csv"
  says out 'a take of 13 frames at 24 per second'
  grep -q 'jawOpen  *0.00  *1.00' "$work/out" || fail "$file: jawOpen does not run from 0 to 1"
  tail -1 "$work/$file.csv" | grep -q ',0.25,' || fail "$file: the last weight is not 0.25"
  expect 0 "$mien" inspect "$work/with_take.glb"
  says out 'animation: 13 frames'
done
expect 1 "$mien" import "$files/face.dae" --take "$work/no.csv" -o "$work/with_take.glb"
says err 'no shape animation'

# damaged files are refused with a sentence
for file in face.fbx face.dae face.gltf; do
  for part in 5 50 95; do
    size=$(($(wc -c <"$files/$file") * part / 100))
    head -c "$size" "$files/$file" >"$work/cut_$file"
    expect 1 "$mien" import "$work/cut_$file" -o "$work/cut.glb"
    says err "cut_$file"
  done
done
finish
