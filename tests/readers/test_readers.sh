#!/bin/sh
# test_readers.sh MIEN SAMPLES WORK: what mien writes, read by programs that are not ours. They come from
# npm once, into WORK; without npm or a network the test is skipped.
mien=$1 samples=$2 work=$3 here=$(cd "$(dirname "$0")" && pwd)
command -v npm >/dev/null || { echo "npm is not installed: no foreign reader of glTF and USD"; exit 77; }
mkdir -p "$work"
cd "$work" || exit 1
[ -d node_modules/gltf-validator ] && [ -d node_modules/tinyusdz ] ||
  npm install --no-save --no-audit --no-fund --prefix . gltf-validator@2.0.0-dev.3.10 tinyusdz@0.9.0-rc10 >npm.log 2>&1 ||
  { echo "npm cannot install gltf-validator and tinyusdz:"; tail -3 npm.log; exit 77; }
play="$samples/head_small.glb --anim $samples/phrase.csv --seconds 0.4 --contact off"
"$mien" attach "$samples/head_small.glb" -o face.glb >log 2>&1 || { cat log; exit 1; }
for out in shot.glb shot.usdc shot.usda 'shot.{mesh}.pc2'; do
  # shellcheck disable=SC2086
  "$mien" bake $play -o "$out" >log 2>&1 || { cat log; exit 1; }
done
node "$here/validate.cjs" "$work" face.glb shot.glb || exit 1
for end in usdc usda; do node "$here/check_usd.mjs" "$work" shot.$end 'shot.{mesh}.pc2' || exit 1; done
