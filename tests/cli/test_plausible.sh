#!/bin/sh
# test_plausible.sh MIEN SAMPLES WORK: frames where no face has its skin are told, and only those.
mien=$1 samples=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1

columns='Time,HeadX,HeadY,HeadZ,HeadYaw,HeadPitch,HeadRoll'
face="$samples/head_small.glb"

# a head at 1000 m/s for a twentieth of a second; without contact, which is slow on flesh that is
# torn about and has no part in what is told (tests/hard plays jumps with it)
printf '%s\n0,0,0,0,0,0,0\n0.2,0,0,0,0,0,0\n0.25,50,0,0,0,0,0\n0.6,50,0,0,0,0,0\n' $columns >jump.csv
expect 0 "$mien" bake "$face" --anim jump.csv --contact off -o told.pc2 --info told.csv --hash
says out 'frames are not plausible:'
says out 'frame 7: vertex '
says out ' m in one step'
tail -1 out | grep -qE '^[0-9a-f]{16}$' || fail "the last line of bake --hash is no hash"
head -1 told.csv | grep -qE ',implausible(,|$)' || fail "--info does not count implausible vertices"
expect 0 "$mien" bake "$face" --anim jump.csv --contact off --json
parses bake
says out '"implausible_frames": ['
says out '"cause": "the head moves'

# strict: the same cache, and a failure
expect 1 "$mien" bake "$face" --anim jump.csv --contact off -o strict.pc2 --strict
says err 'frames are not plausible (--strict)'
cmp -s told.pc2 strict.pc2 || fail "--strict writes another cache"

# a face that starts far away, turned, does not jump there, and nothing is said
printf '%s\n0,40,-3,2,50,20,10\n0.5,40,-3,2,50,20,10\n' $columns >far.csv
expect 0 "$mien" bake "$face" --anim far.csv -o far.pc2 --strict --contact off
lacks out 'plausible'
expect 0 "$mien" bake "$face" --anim far.csv -o artist.pc2 --solver kinematic
cmp -s far.pc2 artist.pc2 || fail "the first frame is not the artist's pose"
expect 0 "$mien" bake "$face" --head "$samples/shake.csv" --seconds 2 --strict

# live says it once
expect 0 "$mien" live "$face" --take jump.csv --contact off --every --fps 24 --seconds 0.6
[ "$(grep -c 'note: step .* from its pose' err)" -eq 1 ] || fail "live said it $(grep -c 'note: step' err) times"
says out 'steps were not plausible'

no_parts .
finish
