#!/bin/sh
# test_shot.sh MIEN SAMPLES WORK: frames of a take, shots and what --json tells about them.
mien=$1 samples=$2 work=$3
rm -rf "$work"
mkdir -p "$work/show/rig" "$work/show/out"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1
"$mien" attach "$samples/head_small.glb" -o show/rig/face.glb >/dev/null || exit 1
face=show/rig/face.glb
cp "$samples/phrase.csv" "$samples/shake.csv" show

# value KEY: of the JSON that was printed last
value() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' out "$1"; }

# frames FILE FROM COUNT: the bytes of some frames of a .pc2
frames() {
  points=$(od -An -t d4 -j 16 -N 4 "$1" | tr -d ' ')
  tail -c +$((33 + $2 * points * 12)) "$1" | head -c $(($3 * points * 12))
}

# -- frames of a take ------------------------------------------------------------------------------

take="--anim show/phrase.csv --head show/shake.csv --sticky 1 --fps 24 --seconds 0.5"
# shellcheck disable=SC2086
expect 0 "$mien" bake $face $take -o whole.pc2 --json
parses 'bake --json'
[ "$(value frames) $(value first_frame) $(value last_frame)" = '13 1 13' ] || fail "frames of the whole take"
hash=$(value hash)
# without --run-up the frames are those of the whole take, to the bit
# shellcheck disable=SC2086
expect 0 "$mien" bake $face $take --frames 6-10 -o part.pc2 --json
[ "$(value frames) $(value first_frame) $(value run_up)" = '5 6 5' ] || fail "frames 6 to 10: $(cat out)"
frames whole.pc2 5 5 >wanted
frames part.pc2 0 5 >got
cmp -s wanted got || fail "frames 6 to 10 differ from those of the whole take"
[ "$(od -An -t f4 -j 20 -N 4 part.pc2 | tr -d ' ')" = 6 ] || fail "the cache does not begin at frame 6"
[ "$(value hash)" != "$hash" ] || fail "frame 10 has the state of frame 13"
# a short run-up begins at rest: other bits, and it says how long it is
# shellcheck disable=SC2086
expect 0 "$mien" bake $face $take --frames 6-10 --run-up 2 -o short.pc2 --json
[ "$(value run_up)" = 2 ] || fail "a run-up of 2 frames"
! cmp -s short.pc2 part.pc2 || fail "the run-up makes no difference"
# stopped by a full disk it goes on to the same bits, and tells about all frames
long="--anim show/phrase.csv --head show/shake.csv --iterations 1 --fps 120 --seconds 0.5"
# shellcheck disable=SC2086
expect 0 "$mien" bake $face $long --frames 5-60 -o straight.pc2 --json
offset=$(value max_offset_mm)
blocks=$(($(wc -c <straight.pc2) * 9 / 10 / 512))
# shellcheck disable=SC2086
(trap '' XFSZ; ulimit -f $blocks; exec "$mien" bake $face $long --frames 5-60 -o cut.pc2 --json) >out 2>err
[ "$(value ok) $(value stage)" = 'False bake' ] || fail "a bake that failed: $(cat out)"
[ "$(value frames_done)" -gt 44 ] || fail "no frames were kept"
# shellcheck disable=SC2086
expect 0 "$mien" bake $face $long --frames 5-60 --resume -o cut.pc2 --json
[ "$(value frames_done) $(value runs) $(value resumed_at)" = '56 2 49' ] || fail "a resumed bake: $(cat out)"
[ "$(value max_offset_mm)" = "$offset" ] || fail "the worst offset is of the last frames alone"
cmp -s cut.pc2 straight.pc2 || fail "frames 5 to 60 differ after they were resumed"
for wrong in 20-10 x 1-2-3 5-x; do
  expect 2 "$mien" bake $face --seconds 1 --frames=$wrong
done
expect 1 "$mien" bake $face --seconds 1 --frames 20-30
says err 'the take has 1 to 25'
expect 2 "$mien" bake $face --seconds 1 --run-up 4
says err "'--run-up' needs '--frames'"

# -- JSON of errors, progress ----------------------------------------------------------------------

expect 1 "$mien" bake nothing.glb --json
parses 'a rig that is not there'
[ "$(value ok) $(value exit) $(value stage)" = 'False 1 load' ] || fail "$(cat out)"
expect 2 "$mien" bake --json --fps no
[ "$(value exit) $(value ok)" = '2 False' ] || fail "$(cat out)"
expect 2 "$mien" bake --json --no-such-option
parses 'an option that is not there'
expect 2 "$mien" bake --progress loud
expect 0 "$mien" bake $face --seconds 0.2 --solver kinematic --progress json
grep '^{' err | while read -r line; do
  echo "$line" | python3 -m json.tool >/dev/null || echo "$line"
done >wrong
[ ! -s wrong ] && grep -q '"done":1.0' err || fail "progress in JSON: $(cat err)"

# -- a shot is its options ---------------------------------------------------------------------------

cat >show/shot.json <<'END'
{
  "mien_shot": 1,
  "about": "a phrase, \"shaken\"",
  "rig": "rig/face.glb",
  "takes": [{"file": "phrase.csv"}],
  "head": "shake.csv",
  "material": "jowly",
  "parameters": {
    "contact": "plane",
    "sticky_length": 3.1
  },
  "keys": {
    "sticky": [[1, 0], [9, 1]],
    "wind": [[1, [0, 0, 0]], [12, [4, 0, 1.5]]]
  },
  "fps": 24,
  "frames": {"first": 1, "range": [3, 8], "run_up": 1},
  "outputs": {"cache": "out/shot.pc2", "info": "out/info.csv", "picture": "out/worst.png"}
}
END
expect 0 "$mien" bake show/shot.json --json
[ "$(value ok) $(value shot) $(value frames)" = 'True show/shot.json 6' ] || fail "$(cat out)"
[ -s show/out/info.csv ] && [ -s show/out/worst.png ] || fail "a shot's files are missing"
printf '{"sticky": [[1, 0], [9, 1]], "wind": [[1, [0, 0, 0]], [12, [4, 0, 1.5]]]}' >keys.json
expect 0 "$mien" bake $face --anim show/phrase.csv --head show/shake.csv --preset jowly --contact plane \
  --set sticky_length=3.1 --keys keys.json --fps 24 --frames 3-8 --run-up 1 -o options.pc2
cmp -s options.pc2 show/out/shot.pc2 || fail "a shot and its options differ"
# from elsewhere, and what the call says goes before what the shot says
(cd / && exec "$mien" bake "$work/show/shot.json" --frames 3-4 -o "$work/fewer.pc2") >/dev/null 2>&1
frames fewer.pc2 0 2 >got
frames options.pc2 0 2 >wanted
cmp -s got wanted || fail "a shot called from another folder differs"
# keys act: the same without them is another animation
expect 0 "$mien" bake show/shot.json --keys '{"wind": [[1, [0, 0, 0]]]}' -o still.pc2
! cmp -s still.pc2 options.pc2 || fail "keys change nothing"
# a key that never changes is the parameter
expect 0 "$mien" bake $face --seconds 0.2 --head show/shake.csv --wind 2,0,1 --sticky-length 3.1 -o set.pc2
expect 0 "$mien" bake $face --seconds 0.2 --head show/shake.csv \
  --keys '{"wind": [[1, [2, 0, 1]]], "sticky_length": [[-5, 3.1], [90, 3.1]]}' -o keyed.pc2
cmp -s set.pc2 keyed.pc2 || fail "a constant key is not the parameter"

# -- wrong shots ---------------------------------------------------------------------------------------

# wrong CODE LINE TEXT SED: the shot changed by a line of sed is refused there with these words
wrong() {
  sed "$4" show/shot.json >show/wrong.json
  expect "$1" "$mien" bake show/wrong.json -o never.pc2
  says err "show/wrong.json:$2: $3"
  [ ! -e never.pc2 ] || fail "a wrong shot was baked"
}
wrong 1 5 "takes[0].file: 'phrased.csv' cannot be read: No such file" 's/phrase.csv/phrased.csv/'
wrong 2 6 "hed: a shot has no such key; is 'head' meant?" 's/"head"/"hed"/'
wrong 2 6 "takes[].file: a shot has no such key" 's/"head"/"takes[].file"/'
wrong 2 18 "outputs.cahce: a shot has no such key; is 'cache' meant?" 's/"cache"/"cahce"/'
wrong 2 9 "parameters.contact: 'plain' is no contact" 's/"plane"/"plain"/'
wrong 2 10 "parameters.sticky_lenght: there is no parameter" 's/sticky_length/sticky_lenght/'
wrong 2 14 'keys.wind[1][1]: ' 's/\[4, 0, 1.5\]/[4, 0]/'
wrong 2 14 'keys.wind[1]: the frames of keys must increase' 's/\[12, \[4/[1, [4/'
wrong 2 13 'keys.contact: this parameter cannot change over time' 's/"sticky": /"contact": /'
wrong 2 16 'fps: a number is needed' 's/"fps": 24/"fps": "24"/'
wrong 2 17 'frames.range: a list of 2 whole numbers is needed' 's/\[3, 8\]/[3]/'
wrong 2 2 'mien_shot: this program reads version 1 alone' 's/"mien_shot": 1/"mien_shot": 2/'
wrong 2 5 'takes: a list of one is needed; there are 0' 's/\[{"file": "phrase.csv"}\]/[]/'
wrong 2 1 'it names no "rig"' 's/.*"rig":.*//'
wrong 2 18 '' 's/"outputs": {/"outputs": {,/'
expect 1 "$mien" bake nowhere.json
says err 'nowhere.json: No such file'
expect 2 "$mien" bake show/wrong.json --json
parses 'a wrong shot'

# the schema knows what a shot may say
expect 0 "$mien" bake --schema
python3 - out show/shot.json <<'END' || fail "the schema does not describe the shot"
import json, sys
schema, shot = (json.load(open(name)) for name in sys.argv[1:])
def check(value, schema, at):
    if schema.get("type") == "object":
        for key in value:
            check(value[key], schema["properties"][key], at + "." + key)
    elif schema.get("type") == "array" and isinstance(schema["items"], dict):
        for one in value:
            check(one, schema["items"], at)
check(shot, schema, "")
try:
    import jsonschema
    jsonschema.validate(shot, schema)
except ImportError:
    pass
END
finish
