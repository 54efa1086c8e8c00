#!/bin/sh
# test_cli.sh MIEN SAMPLES WORK ASSIMP: every command as a user calls it. ASSIMP is ON or OFF.
mien=$1 samples=$2 work=$3 assimp=$4
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"

# -- Help, and calls that are wrong ----------------------------------------------------------------

expect 0 "$mien" --help
says out 'usage: mien COMMAND'
commands=$(sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' "$work/out")
[ "$(echo "$commands" | wc -l)" -ge 5 ] || fail "commands are missing: $commands"
expect 0 "$mien" --version
says out 'mien 0.'
expect 2 "$mien"
says err 'usage'
expect 2 "$mien" frobnicate
says err "there is no command 'frobnicate'"

for command in $commands; do
  expect 0 "$mien" "$command" --help
  says out "usage: mien $command"
  for option in --help --json --threads; do says out "$option"; done
  cp "$work/out" "$work/long"
  expect 0 "$mien" "$command" -h
  cmp -s "$work/out" "$work/long" || fail "$command: -h and --help differ"
  expect 2 "$mien" "$command" --no-such-option
  says err "has no option '--no-such-option'"
  expect 2 "$mien" "$command" --threads many
  says err "not 'many'"
  expect 2 "$mien" "$command" --json=yes
  says err "'--json' takes no value"
  [ "$command" = farm ] && continue # as many shots as there are
  expect 2 "$mien" "$command" $(seq 65)
  says err 'one argument too many'
done

mentions() {
  expect 0 "$mien" "$1" --help
  shift
  for option in "$@"; do says out "$option"; done
}
mentions attach --out --thickness --smoothing --following --density --min-quality --flesh --use-stored
mentions bake --anim --head --out --fps --first-frame --seconds --welded --resume --hash
mentions import --out --unit --take
mentions inspect 'largest_mm' 'open_edges' 'hinge_cm' 'largest_turn_degrees' 'first_frame'

for command in attach bake inspect import; do
  expect 1 "$mien" "$command" "$work/no_such_rig.glb"
  says err 'no_such_rig.glb'
  [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$command: one sentence, not $(wc -l <"$work/err") lines"
done

# -- inspect ---------------------------------------------------------------------------------------

# every rig as JSON; as text the head, below, and those that are quick
for rig in head_small head creature bar cube sheet; do
  if [ "$rig" != head ] && [ "$rig" != head_small ]; then
    expect 0 "$mien" inspect "$samples/$rig.glb"
    says out 'a rig called'
  fi
  expect 0 "$mien" inspect --json "$samples/$rig.glb"
  parses "inspect --json $rig"
  says out '"kind": "rig"'
done
for take in phrase reel press kiss shake run jump still; do
  expect 0 "$mien" inspect "$samples/$take.csv"
  says out 'a take of'
  expect 0 "$mien" inspect --json "$samples/$take.csv"
  parses "inspect --json $take"
  says out '"kind": "take"'
done

expect 0 "$mien" inspect
says out "a rig called 'head'"
says out '52 shapes'
says out '68 of 68 landmarks'
says out 'mouth   found'
says out 'jaw     hinge at'
# pressed lips fold over themselves, which is one warning for all shapes, and nothing else is wrong with it
says out 'shapes fold the skin over itself'
[ "$(grep -c '^  - ' "$work/out")" -eq 1 ] || fail "the sample head has other warnings: $(grep '^  - ' "$work/out")"
expect 0 "$mien" inspect "$samples/bar.glb"
says out 'mouth   not found'
says out 'warnings'

expect 0 "$mien" attach "$samples/head_small.glb" -o "$work/face.glb"
expect 0 "$mien" inspect "$work/face.glb"
says out 'a face'
says out 'hypodermis'
expect 0 "$mien" bake "$samples/head_small.glb" --anim "$samples/phrase.csv" --seconds 0.25 \
  -o "$work/cache.pc2"
expect 0 "$mien" inspect "$work/cache.pc2"
says out 'a point cache of'
expect 0 "$mien" inspect --json "$work/cache.pc2"
parses 'inspect --json cache.pc2'
says out '"kind": "cache"'

printf 'glTF\002\000\000\000' >"$work/damaged.glb"
printf 'POINTCACHE2\000' >"$work/damaged.pc2"
printf 'no,take\nat,all\n' >"$work/damaged.csv"
for file in damaged.glb damaged.pc2 damaged.csv; do
  expect 1 "$mien" inspect "$work/$file"
  says err "$file"
done
echo 'hello' >"$work/hello.txt"
expect 1 "$mien" inspect "$work/hello.txt"
says err 'mien import'

# a mesh with everything wrong with it: an open strip, a fin on an edge, a triangle the other way
# round, a flat one and a vertex that nothing uses
mkdir -p "$work/faulty"
cat >"$work/faulty/neutral.obj" <<'OBJ'
v 0 0 0
v 0.1 0 0
v 0.1 0.1 0
v 0 0.1 0
v 0.05 0.05 0.1
v 0.2 0 0
v 0.3 0 0
v 0.5 0.5 0.5
f 1 2 3
f 1 3 4
f 1 3 5
f 2 3 6
f 2 6 7
OBJ
cp "$work/faulty/neutral.obj" "$work/faulty/nothing.obj"
expect 0 "$mien" inspect "$work/faulty"
says out 'edges with more than two triangles'
says out 'edges where the surface turns inside out'
says out 'triangles with next to no area'
says out "'nothing' moves nothing"

# -- import ----------------------------------------------------------------------------------------

expect 0 "$mien" import "$samples/creature.glb" -o "$work/again.glb"
expect 0 "$mien" import --json "$samples/creature.glb" -o "$work/again.glb"
parses 'import --json'
says out '"shapes"'
expect 0 "$mien" import "$work/faulty" -o "$work/faulty.glb"
expect 2 "$mien" import "$samples/head.glb" -o "$work/rig.fbx"
says err 'rig.fbx'
expect 2 "$mien" import "$work/again.glb" -o "$work/again.glb"
says err 'over itself'
expect 2 "$mien" import "$samples/head.glb" --unit furlong -o "$work/again.glb"
says err 'furlong'
expect 1 "$mien" import "$samples/creature.glb" --take "$work/take.csv" -o "$work/again.glb"
says err 'no shape animation'
cp "$work/faulty/neutral.obj" "$work/plain.obj"
expect 0 "$mien" import "$work/plain.obj" --unit in -o "$work/plain.glb"
says err 'no shapes'
expect 0 "$mien" import --json "$work/plain.glb" -o "$work/again.glb"
says out 'no shapes'
expect 1 "$mien" import "$work/no_such.fbx" -o "$work/again.glb"
says err 'no_such.fbx'
if [ "$assimp" = ON ]; then
  expect 1 "$mien" import "$work/hello.txt" -o "$work/again.glb"
  says err 'cannot be imported'
  echo 'not an FBX file' >"$work/broken.fbx"
  expect 1 "$mien" import "$work/broken.fbx" -o "$work/again.glb"
  says err 'broken.fbx: FBX'
else
  says err 'MIEN_ASSIMP'
  says err 'libassimp-dev'
fi
finish
