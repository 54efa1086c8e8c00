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

# caches drop onto what Blender itself reads of a DAE; its own polygons do not follow the order of its vertices
printf 'Time,jawOpen,mouthSmileLeft\n0,0,0\n0.041666667,1,1\n' >"$work/both.csv"
for file in face face_cm; do
  expect 0 "$mien" bake "$work/$file.dae.glb" --anim "$work/both.csv" --solver kinematic --contact off -o "$work/$file.{mesh}.pc2"
  expect 0 blender -b --factory-startup --python-exit-code 1 -P "$(dirname "$0")/../blender/test_file_order.py" -- \
    "$files/$file.dae" "$work/$file.{mesh}.pc2" jawOpen,mouthSmileLeft ""
  says out 'every vertex of 2 meshes'
done

# programs of some countries write numbers with a comma
python3 - "$files/face.dae" "$work/comma.dae" <<'PY'
import re
import sys
text = open(sys.argv[1]).read()
comma = lambda found: found.group(0).replace(".", ",")
open(sys.argv[2], "w").write(re.sub(r"<float_array [^>]*>[^<]*", comma, text))
PY
expect 0 "$mien" import "$work/comma.dae" -o "$work/comma.glb"
lacks err 'not in the order of the file'
# a skeleton alone is no mesh: Assimp would make one up
cat >"$work/bones.dae" <<'DAE'
<COLLADA version="1.4.1"><asset><unit name="m" meter="1"/><up_axis>Y_UP</up_axis></asset><library_cameras><camera id="c">
<optics><technique_common><perspective><xfov>50</xfov></perspective></technique_common></optics></camera></library_cameras>
<library_visual_scenes><visual_scene id="s"><node id="hips" name="hips"><translate>0 1 0</translate><node id="head" name="head">
<translate>0 0.6 0</translate><instance_camera url="#c"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
DAE
expect 1 "$mien" import "$work/bones.dae" -o "$work/bones.glb"
says err 'the file has no mesh'

# it works in a child: what ends that is a sentence
if [ -r "/proc/$$/task/$$/children" ]; then
  mkfifo "$work/waits.dae"
  "$mien" import "$work/waits.dae" -o "$work/waits.glb" >"$work/out" 2>"$work/err" &
  parent=$! child= tries=0
  while [ -z "$child" ] && [ $tries -lt 400 ]; do
    sleep 0.05
    tries=$((tries + 1))
    child=$(cat "/proc/$parent/task/$parent/children")
  done
  # shellcheck disable=SC2086
  kill -s SEGV ${child:-$parent}
  wait $parent
  [ $? -eq 1 ] || fail "the end of Assimp's child was not told"
  says err 'Assimp crashed'
fi

# damaged files are refused with a sentence
for file in face.fbx face.dae face.gltf; do
  for part in 5 50 95; do
    size=$(($(wc -c <"$files/$file") * part / 100))
    head -c "$size" "$files/$file" >"$work/cut_$file"
    expect 1 "$mien" import "$work/cut_$file" -o "$work/cut.glb"
    says err "cut_$file"
    expect 1 "$mien" import "$work/cut_$file" -o "$work/cut.glb" --json
    parses "import --json of cut_$file"
    grep -q "\"error\": \".*cut_$file" "$work/out" || fail "the reason is not in the JSON: $(cat "$work/out")"
  done
done
finish
