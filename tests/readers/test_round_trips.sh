#!/bin/sh
# test_round_trips.sh MIEN SOURCE SAMPLES WORK READERS ALEMBIC: every sample rig, and every rig of the shared data that
# is on this machine, goes in and comes back onto the meshes of its own file, with no vertex elsewhere, in every
# format. The originals are read by Blender (FBX, DAE, glTF, OBJ) and by meshoptimizer's own decoder; what we write by
# Blender, Khronos' validator, TinyUSDZ (npm, in READERS, where readers/npm puts it) and Alembic's own library (in
# ALEMBIC, where readers/alembic builds it). What is not here is said and left out.
mien=$1 samples=$3 work=$4 readers=$5 alembic=$6 here=$(cd "$(dirname "$0")" && pwd)
shared=${MIEN_SHARED_DATA:-$2/../shared/data}
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
command -v blender >/dev/null || { echo "Blender is not installed: nothing reads the originals"; exit 77; }
npm=no
if command -v npm >/dev/null; then
  mkdir -p "$readers"
  (cd "$readers" && { [ -d node_modules/tinyusdz ] && [ -d node_modules/meshoptimizer ] && [ -d node_modules/gltf-validator ] ||
    npm install --no-save --no-audit --no-fund --prefix . gltf-validator@2.0.0-dev.3.10 tinyusdz@0.9.0-rc10 \
      meshoptimizer@0.22.0 >npm.log 2>&1; }) && npm=yes
fi
[ $npm = yes ] || echo "SKIPPED: npm cannot install gltf-validator, tinyusdz and meshoptimizer: .glb and .usdc are not read by others"
[ -x "$alembic/read_abc" ] || echo "SKIPPED: readers/alembic built no reader: .abc is not read by others"
failed=0
fail() {
  echo "FAILED: $*"
  failed=$((failed + 1))
}
quiet() { "$@" >log 2>&1 || { fail "$*"; tail -4 log; }; }
play="--solver kinematic --contact off --blendvolumes off" # the skin alone

# Programs that take long to start are asked about all rigs at once, in the end: `orders` has a line for each file that
# Blender reads, `usd` and `glb` are arguments, one a line.
: >orders
: >usd
: >glb
# order FILE NAME SHAPES [PREFIX]
order() { printf '%s\t%s\t%s\t%s\t%s\n' "$here/../blender/test_file_order.py" "$1" "$2.{mesh}.pc2" "$3" "${4:-}" >>orders; }

# formats RIG NAME SHAPE SHAPE: all of them, a neutral frame and one with two shapes, and they say the same
formats() {
  echo "-- $2"
  printf 'Time,%s,%s\n0,0,0\n0.041666667,1,1\n' "$3" "$4" >take.csv
  for out in "$2.{mesh}.pc2" "$2.usda" "$2.usdc" "$2.abc"; do
    # shellcheck disable=SC2086
    quiet "$mien" bake "$1" --anim take.csv $play -o "$out"
  done
  quiet python3 "$here/check_usda.py" "$2.usda" "$2.{mesh}.pc2"
  printf '%s\n' "$2.usdc" "$2.{mesh}.pc2" >>usd
  [ ! -x "$alembic/read_abc" ] || quiet "$alembic/read_abc" "$2.abc" "$2.{mesh}.pc2" 24
}

# into RIG NAME [options]: the rig's own file with the bake in it, and with the face in it
into() {
  rig=$1 into=$2
  shift 2
  # shellcheck disable=SC2086
  quiet "$mien" bake "$rig" --anim take.csv $play -o "${into}_baked.glb"
  quiet "$mien" attach "$rig" "$@" -o "${into}_face.glb"
  printf '%s\n' --as "$rig" "${into}_baked.glb" "${into}_face.glb" >>glb
}

for name in head_small head creature; do
  rig=$samples/$name.glb
  formats "$rig" $name jawOpen mouthPucker
  order "$rig" $name jawOpen,mouthPucker
  into "$rig" $name
  quiet python3 "$here/../cli/check_baked.py" "$rig" ${name}_baked.glb "$name.{mesh}.pc2" 5.1e-5
done

# DAE: as Blender writes the sample head
python3 - "$samples/head_small.glb" >to_dae.py <<'PY'
import sys
print("""import bpy, numpy
numpy.bool = bool # asked for by Blender 3.4
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=%r, merge_vertices=False)
bpy.ops.wm.collada_export(filepath="dae.dae", include_shapekeys=True)""" % sys.argv[1])
PY
quiet blender -b --factory-startup --python-exit-code 1 -P to_dae.py
quiet "$mien" import dae.dae -o dae.glb
formats dae.glb dae jawOpen mouthPucker
order dae.dae dae jawOpen,mouthPucker

there() {
  [ -e "$1" ] || echo "SKIPPED: $1 is not on this machine"
  [ -e "$1" ]
}

for name in Female_Adult_06 Male_Adult_01 Female_Child_01; do
  fbx=$shared/rocketbox/${name}_facial.fbx
  there "$fbx" || continue
  quiet "$mien" import "$fbx" -o $name.glb
  formats $name.glb $name AK_25_JawOpen AK_44_MouthSmileLeft
  order "$fbx" $name AK_25_JawOpen,AK_44_MouthSmileLeft
  into $name.glb $name --blendvolumes off # sample rigs have them
  printf '%s\n' --as - $name.glb >>glb
done

packed=$shared/facecap-head/facecap_threejs.glb
if there "$packed"; then
  formats "$packed" facecap jawOpen mouthSmile_L
  [ $npm = no ] || quiet node "$here/check_packed.mjs" "$readers" "$packed" 'facecap.{mesh}.pc2' jawOpen,mouthSmile_L
  into "$packed" facecap
fi

for name in facecap-head ict-facekit; do
  there "$shared/$name/neutral.obj" || continue
  python3 "$here/make_obj_rig.py" "$shared/$name" $name jawOpen mouthSmile_L
  formats $name $name jawOpen mouthSmile_L
  quiet python3 "$here/check_obj.py" $name "$name.{mesh}.pc2" jawOpen mouthSmile_L
  # and by way of a .glb
  quiet "$mien" import $name -o $name.glb
  # shellcheck disable=SC2086
  quiet "$mien" bake $name.glb --anim take.csv $play -o "again_$name.{mesh}.pc2"
  quiet python3 "$here/check_obj.py" $name "again_$name.{mesh}.pc2" jawOpen mouthSmile_L
  into $name.glb $name
  printf '%s\n' --as - $name.glb >>glb
done
# one OBJ file is a neutral
for name in mediapipe-canonical/canonical_face_model artisynth-face/fe_surface; do
  there "$shared/$name.obj" || continue
  alone=$(basename $name)
  mkdir $alone && cp "$shared/$name.obj" $alone/neutral.obj
  formats $alone/neutral.obj $alone jawOpen mouthPucker
  quiet python3 "$here/check_obj.py" $alone "$alone.{mesh}.pc2"
done

# what others say of all of them
blender -b --factory-startup --python-exit-code 1 -P "$here/../blender/one_start.py" -- orders >log 2>&1
code=$?
grep -E '^every vertex|elsewhere, at|Error' log
[ $code = 0 ] && [ "$(grep -c '^every vertex' log)" = "$(wc -l <orders)" ] || { fail "Blender"; tail -5 log; }
if [ $npm = yes ]; then
  quiet xargs -d '\n' -a usd node "$here/check_usd.mjs" "$readers"
  quiet xargs -d '\n' -a glb node "$here/validate.cjs" "$readers"
fi
[ $failed = 0 ] || { echo "$failed failures"; exit 1; }
echo "no vertex is elsewhere"
