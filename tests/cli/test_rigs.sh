#!/bin/sh
# test_rigs.sh MIEN SAMPLES WORK: rigs and takes as they come.
mien=$1 samples=$2 work=$3 here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1
rig="$samples/head_small.glb"

# the same head as a .gltf with its buffer beside it
python3 - "$rig" <<'PY'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<I", data[12:16])[0]
text = json.loads(data[20 : 20 + size])
open("my head.bin", "wb").write(data[28 + size :])
text["buffers"][0]["uri"] = "my%20head.bin"
open("my skin.PNG", "wb").write(b"as good as a picture")
text["images"] = [{"uri": "my%20skin.PNG"}, {"uri": "gone.png"}, {"uri": "../my%20skin.PNG"}]
json.dump(text, open("head.gltf", "w"))
text["buffers"][0]["uri"] = "../my%20head.bin"
json.dump(text, open("outside.gltf", "w"))
PY
expect 0 "$mien" attach "$rig" --json
grep '"hash"' out >glb.hash
expect 0 "$mien" attach head.gltf --json
grep '"hash"' out >gltf.hash
cmp -s glb.hash gltf.hash || fail "a .gltf with its buffer beside it is another face"
# pictures beside it are in what is made of it, wherever that is written
mkdir elsewhere
expect 0 "$mien" attach head.gltf -o elsewhere/face.glb
expect 0 "$mien" bake head.gltf --anim "$samples/still.csv" --seconds 0.1 --solver kinematic -o elsewhere/shot.glb
for name in face shot; do
  python3 - elsewhere/$name.glb <<'PY' || fail "$name.glb does not have its picture"
import json, struct, sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<I", data[12:16])[0]
glb = json.loads(data[20 : 20 + size])
image, gone, outside = glb["images"]
view = glb["bufferViews"][image["bufferView"]]
at = 28 + size + view["byteOffset"]
assert data[at : at + view["byteLength"]] == b"as good as a picture" and image["mimeType"] == "image/png"
assert gone == {"uri": "gone.png"} and outside == {"uri": "../my%20skin.PNG"}
PY
done
expect 1 "$mien" attach outside.gltf
says err 'does not lie beside the file'

# which channel drives which shape, and what to do where no name tells
printf 'Time,AU26,Smile_01,Wings\n0,0,0,0\n0.1,1,0.5,0.2\n' >strange.csv
expect 0 "$mien" inspect "$rig" --take strange.csv
grep -q 'AU26 .*-> jawOpen .* by meaning' out || fail 'AU26 does not drive jawOpen'
says out 'without a shape: Smile_01, Wings'
printf '{"Smile_01": {"mouthSmileLeft": 1, "mouthSmileRight": 0.5}, "Wings": null}' >names.json
expect 0 "$mien" inspect "$rig" --take strange.csv --map names.json
says out 'mouthSmileRight'
lacks out 'without a shape'
printf '{"Smile_02": "jawOpen"}' >wrong.json
expect 1 "$mien" inspect "$rig" --take strange.csv --map wrong.json
says err 'Smile_02'
printf 'Time,Wings\n0,0\n0.1,1\n' >stranger.csv
expect 1 "$mien" bake "$rig" --anim stranger.csv
says err "none of the take's 1 channels"
printf 'Time,jawOpen\n0,0\n0.1,500\n' >percent.csv
expect 1 "$mien" bake "$rig" --anim percent.csv
says err 'is it in percent'
printf 'Time,jawOpen,mouthClose\n0,0,0\n0.1,1\n0.2,1,1\n' >ragged.csv
expect 1 "$mien" bake "$rig" --anim ragged.csv
says err 'line 3'

# how a file is read
expect 2 "$mien" attach "$rig" --up w
expect 1 "$mien" attach "$rig" --face-part hat
says err 'there is no part'
expect 0 "$mien" inspect "$rig" --pivot 0,-0.1,0
says out 'turns about 0.0 -10.0 0.0 cm (given)'

# the head's motion in the points, or not
expect 0 "$mien" bake "$rig" --head "$samples/shake.csv" --anim "$samples/still.csv" --seconds 1 --solver kinematic -o head.pc2
expect 0 "$mien" bake "$rig" --head "$samples/shake.csv" --anim "$samples/still.csv" --seconds 1 --solver kinematic -o world.pc2 --space world
cmp -s head.pc2 world.pc2 && fail "--space world is the same as --space head"
expect 0 "$mien" bake "$rig" --anim "$samples/still.csv" --seconds 0.1 -o 'shot.{mesh}.pc2'
[ -f shot.skin.pc2 ] && [ -f shot.teeth_upper.pc2 ] || fail "there is not one cache for every mesh"

# back into the character's own file: all that was in it, and the bake
python3 "$here/make_character.py" "$rig" character.glb || fail "no character was made"
play="--anim $samples/phrase.csv --seconds 0.4 --contact off"
# shellcheck disable=SC2086
expect 0 "$mien" bake character.glb $play -o baked.glb
grep -q '^[1-9][0-9]* morph targets added' out || fail "there is no physics in the bake"
# shellcheck disable=SC2086
expect 0 "$mien" bake character.glb $play -o 'baked.{mesh}.pc2'
expect 0 python3 "$here/check_baked.py" character.glb baked.glb 'baked.{mesh}.pc2' 5.1e-5

# a face keeps all that its rig's file had
expect 0 "$mien" attach character.glb -o face.glb
expect 0 python3 "$here/check_kept.py" character.glb face.glb
# the head turns where the skeleton turns it, unless told otherwise
expect 0 "$mien" inspect character.glb
grep -q 'turns about -*0.0 158.0 -*0.0 cm (skeleton)' out || fail "the pivot is not the head joint"
expect 0 "$mien" inspect character.glb --pivot 0,1.5,0
says out 'turns about 0.0 150.0 0.0 cm (given)'

# VRM: expressions are shapes, the humanoid names the head, 0.x looks the other way
for version in 0 1; do
  expect 0 env PYTHONPATH="$here" python3 "$here/make_vrm.py" character.glb avatar$version.vrm $version
  expect 0 "$mien" inspect avatar$version.vrm
  says out '54 shapes'
  grep -q 'turns about -*0.0 158.0 -*0.0 cm (skeleton)' out || fail "VRM $version: the pivot is not the head bone"
done
grep -Eq 'happy +468 +12.93 mm' out || fail "an expression of VRM 1.0 is not the sum of its binds"
grep -Eq 'Ah +562 +31.15 mm' out || fail "a custom expression of VRM 1.0 is not its bind"
expect 0 "$mien" inspect avatar0.vrm
grep -Eq 'Joy +468 +12.93 mm' out || fail "an expression of VRM 0.x is not the sum of its binds"
expect 1 "$mien" bake character.glb --anim "$samples/still.csv" --seconds 0.1 --welded -o welded.usdc
no_parts .
finish
