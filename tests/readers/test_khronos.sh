#!/bin/sh
# test_khronos.sh MIEN WORK READERS SAMPLES: Khronos' sample models and asset generator, those that Debian packages
# (assimp-testmodels), go in and come back: their own files with a bake in them please Khronos' validator (npm, in
# READERS, where readers/npm puts it), caches drop onto what Blender reads, and damaged ones are refused with a sentence.
mien=$1 work=$2 readers=$3 samples=$4 here=$(cd "$(dirname "$0")" && pwd) models=/usr/share/assimp/models
[ -d $models/glTF2 ] || { echo "assimp-testmodels is not installed: no models of Khronos"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
. "$here/../cli/checks.sh"
cd "$work" || exit 1
has_validator=no
[ -d "$readers/node_modules/gltf-validator" ] && has_validator=yes
[ $has_validator = yes ] || echo "SKIPPED: readers/npm installed no validator"
play="--anim take.csv --solver kinematic --contact off"

# The validator and Blender, which take long to start, see all of them at once, in the end.
: >baked
: >orders
nbaked=0

# goes_in FILE: it is read, and baked into a copy of itself
goes_in() {
  nbaked=$((nbaked + 1))
  expect 0 "$mien" inspect "$models/$1"
  # shellcheck disable=SC2086
  expect 0 "$mien" bake "$models/$1" $play -o baked$nbaked.glb
  printf '%s\n' --as "$models/$1" baked$nbaked.glb >>baked
}

# order NAME FILE SHAPES: caches of its meshes drop onto what Blender reads of it
order() {
  # shellcheck disable=SC2086
  expect 0 "$mien" bake "$models/$2" $play -o "$1.{mesh}.pc2"
  printf '%s\t%s\t%s\t%s\t\n' "$here/../blender/test_file_order.py" "$models/$2" "$1.{mesh}.pc2" "$3" >>orders
}

printf 'Time,thin,angle\n0,0,0\n0.041666667,1,1\n' >take.csv
goes_in glTF2/glTF-Sample-Models/AnimatedMorphCube-glTF/AnimatedMorphCube.gltf
cp "$samples/still.csv" take.csv
for name in BoxTextured-glTF-Binary/BoxTextured.glb BoxTextured-glTF-Embedded/BoxTextured.gltf \
  BoxTextured-glTF-pbrSpecularGlossiness/BoxTextured.gltf 2CylinderEngine-glTF-Binary/2CylinderEngine.glb \
  cameras/Cameras.gltf simple_skin/simple_skin.gltf ClearCoat-glTF/ClearCoatTest.gltf textureTransform/TextureTransformTest.gltf \
  BoxTextured-glTF/BoxTextured.gltf; do
  goes_in glTF2/$name
done
# the picture beside it is in the .glb, wherever that is written
python3 - "$models/glTF2/BoxTextured-glTF" baked$nbaked.glb <<'PY' || fail "the picture is not in the .glb"
import json
import struct
import sys
folder, baked = sys.argv[1:]
data = open(baked, "rb").read()
size = struct.unpack("<I", data[12:16])[0]
glb = json.loads(data[20 : 20 + size])
image = glb["images"][0]
assert "uri" not in image and image["mimeType"] == "image/png", image
view = glb["bufferViews"][image["bufferView"]]
at = 28 + size + view["byteOffset"]
assert data[at : at + view["byteLength"]] == open(folder + "/CesiumLogoFlat.png", "rb").read()
PY
for number in 04 05 06 11 12 13 14 15; do # the others are points and lines
  goes_in glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_$number.gltf
done
"$mien" inspect "$models/glTF2/draco/2CylinderEngine.gltf" >out 2>err || says err 'without compression'

[ $has_validator = no ] || expect 0 xargs -d '\n' -a baked node "$here/validate.cjs" "$readers"

if command -v blender >/dev/null; then
  order still glTF2/ClearCoat-glTF/ClearCoatTest.gltf ""
  printf 'Time,thin,angle\n0,0,0\n0.041666667,1,1\n' >take.csv
  order cube glTF2/glTF-Sample-Models/AnimatedMorphCube-glTF/AnimatedMorphCube.gltf thin,angle
  expect 0 blender -b --factory-startup --python-exit-code 1 -P "$here/../blender/one_start.py" -- orders
  [ "$(grep -c '^every vertex' out)" = 2 ] || fail "Blender looked at fewer models: $(tail -3 out)"
else
  echo "SKIPPED: Blender is not installed"
fi

# stays_out FILE SENTENCE
stays_out() {
  expect 1 "$mien" inspect "$models/$1"
  says err "$2"
}
stays_out glTF2/IndexOutOfRange/IndexOutOfRange.gltf 'names vertex 255 of 24'
stays_out glTF2/RecursiveNodes/RecursiveNodes.gltf 'hangs under two nodes'
stays_out glTF2/MissingBin/BoxTextured.gltf 'BoxTextured0.bin: No such file'
stays_out glTF2/BoxWithInfinites-glTF-Binary/BoxWithInfinites.glb 'is not a finite number'
stays_out glTF2/TestNoRootNode/SceneWithoutNodes.gltf 'no triangles'
stays_out glTF2/BoxTextured-glTF-techniqueWebGL/BoxTextured.gltf 'KHR_technique_webgl'
stays_out glTF/BoxTextured-glTF/BoxTextured.gltf 'glTF version 1'
stays_out glTF/BoxTextured-glTF-Binary/BoxTextured.glb 'glTF version 1'
finish
