#!/bin/sh
# test_quirks.sh MIEN SAMPLES WORK PACK_DRACO FBX: the quirks of strangers' files, each in a file of its own that
# make_quirks.py, make_vrm.py and make_fbx.py write. PACK_DRACO is a program, or - in a build without Draco; FBX is
# ON or OFF.
mien=$1 samples=$2 work=$3 pack=$4 fbx=$5 here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1
head="$samples/head_small.glb"
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
python3 "$here/make_quirks.py" "$head" . || fail "no files were made"

# flesh FILE: hash of the face that is found
flesh() { "$mien" attach "$1" --blendvolumes off --json 2>/dev/null | grep '"hash"'; }
# played FILE: hash of the state at the end of a short take
played() { "$mien" bake "$1" --anim "$samples/phrase.csv" --seconds 0.1 --contact off --blendvolumes off --hash 2>/dev/null | tail -1; }

# The library of packages is linked to no Draco.
packages_refuse() {
  library=$(dirname "$mien")/../package/libmien.so
  [ -e "$library" ] || { echo "no library for packages was built: it is not asked about Draco"; return; }
  python3 - "$library" "$1" <<'PY' || fail "the library of packages does not refuse Draco"
import ctypes
import sys

class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("line", ctypes.c_int), ("where", ctypes.c_char_p), ("text", ctypes.c_char * 240)]

rig, error = ctypes.c_void_p(), Error()
result = ctypes.CDLL(sys.argv[1]).mien_rig_load(sys.argv[2].encode(), None, ctypes.byref(rig), ctypes.byref(error))
assert result == -5 and b"export it again without compression" in error.text, (result, error.text)
PY
}

# -- names: the same face, and the same motion
plain=$(flesh bare.glb) motion=$(played bare.glb)
[ -n "$plain" ] && [ -n "$motion" ] || fail "the plain head is no face"
for names in maya avatar sides tagged; do
  [ "$(played $names.glb)" = "$motion" ] || fail "$names: names of shapes lead to another motion"
done
expect 1 "$mien" bake unnamed.glb --anim "$samples/phrase.csv" -o unnamed.pc2
says err "none of the take's"
[ ! -e unnamed.pc2 ] || fail "a take of another rig was baked"
printf 'Time,jawOpen,Wings,Antlers\n0,0,0,0\n0.1,1,1,1\n' >half.csv
expect 0 "$mien" bake bare.glb --anim half.csv --contact off --blendvolumes off -o half.pc2
says err "2 of the take's 3 channels have no shape on this rig: Wings, Antlers"
printf 'Time,jawOpen\n0,0\n0.1,3\n' >three.csv
expect 0 "$mien" bake bare.glb --anim three.csv --contact off --blendvolumes off
says err 'weights run from 0 to 1'
expect 0 "$mien" inspect twice.glb
says out 'mesh_2'
says out '_2 '

# -- axes and unit
[ "$(flesh zup.glb)" = "$plain" ] || fail "a head with Z up is another face"
expect 0 "$mien" inspect zup.glb
says out 'its up is Z of the file'
expect 0 "$mien" inspect cm.glb
says out 'its numbers are read as centimetres'
says out '17.2 cm wide'
expect 0 "$mien" inspect tiny.glb
says out 'is the unit right?'
python3 - <<'PY'
import os
from make_quirks import Quirk
q = Quirk("tiny.glb", ".")
q.rename(lambda n: "key_" + str(sum(map(ord, n))))
q.write("tiny_unnamed")
PY
expect 0 "$mien" inspect tiny_unnamed.glb
says out 'the flesh weighs'
expect 0 "$mien" inspect mirrored.glb
lacks out 'inside out'

expect 0 "$mien" inspect inside_out.glb
says out 'wound inside out; they were turned'
[ "$(flesh inside_out.glb)" = "$plain" ] || fail "a head that is inside out is another face"
"$mien" inspect bare.glb | grep '  flesh ' >bare.flesh
for sides in both_sides both_sides_copied; do
  expect 0 "$mien" inspect $sides.glb
  says out 'drawn from both sides'
  grep '  flesh ' out | cmp -s - bare.flesh || fail "$sides: $(grep '  flesh ' out)"
done

# a folder of OBJ files, too: Z up, no unit, all options
python3 - <<'PY'
import os
from make_quirks import Quirk
q = Quirk("zup.glb", ".")
mesh, primitive = q.primitives()[0]
places = q.read(primitive["attributes"]["POSITION"])
corners = [r[0] + 1 for r in q.read(primitive["indices"])]
os.makedirs("folder")
for name in ["neutral", "jawOpen", "eyeBlinkLeft", "eyeBlinkRight"]:
    k = mesh["extras"]["targetNames"].index(name) if name != "neutral" else None
    moved = q.read(primitive["targets"][k]["POSITION"]) if k is not None else [[0, 0, 0]] * len(places)
    with open("folder/%s.obj" % name, "w") as out:
        out.write("".join("v %.7g %.7g %.7g\n" % tuple(100 * (a + b) for a, b in zip(p, m)) for p, m in zip(places, moved)))
        out.write("".join("f %d %d %d\n" % tuple(corners[t : t + 3]) for t in range(0, len(corners), 3)))
PY
expect 0 "$mien" inspect folder
says out 'its up is Z of the file'
says out '17.2 cm wide'
expect 0 "$mien" inspect folder --unit mm --up z --facing -y
says out '1.7 cm wide'
says out 'is the unit right?'
expect 0 "$mien" bake folder --anim "$samples/phrase.csv" --seconds 0.1 --contact off --blendvolumes off -o 'folder.{mesh}.pc2'
# one OBJ file is a neutral
expect 0 "$mien" bake folder/neutral.obj --anim "$samples/still.csv" --seconds 0.1 --contact off --blendvolumes off -o 'alone.{mesh}.pc2'
expect 0 python3 "$here/../readers/check_obj.py" folder 'alone.{mesh}.pc2'
expect 0 "$mien" inspect folder/neutral.obj
says out 'under 1753 skin vertices'
cp folder/neutral.obj other.FBX
for command in bake attach render; do
  expect 1 "$mien" $command other.FBX
  says err "'mien import' turns FBX and DAE files into rigs"
done

# -- the neck: the same nod is the same motion wherever the origin lies
for place in bare hips feet; do
  expect 0 "$mien" bake $place.glb --anim "$samples/still.csv" --head "$samples/shake.csv" --seconds 0.3 --contact off --blendvolumes off -o $place.pc2
done
python3 - <<'PY' || fail "a nod depends on where the origin lies"
import struct
def points(name):
    data = open(name + ".pc2", "rb").read()
    return struct.unpack("<%df" % ((len(data) - 32) // 4), data[32:])
bare = points("bare")
for name, up in (("hips", 0.95), ("feet", 1.6)):
    there = points(name)
    off = max(abs(b - a - (up if i % 3 == 1 else 0)) for i, (a, b) in enumerate(zip(bare, there)))
    print(name, off)
    assert len(bare) == len(there) and off < 1e-4, (name, off)
PY

# -- what gets flesh
expect 0 "$mien" inspect dressed.glb
for part in Body Shirt_Head; do says out "part '$part' gets no flesh"; done
says out 'under 1753 skin vertices'
lacks out 'is the unit right'
expect 0 "$mien" inspect dressed.glb --face-part Hat
says out 'under 240 skin vertices'
expect 0 "$mien" inspect one.glb
says out '2 pieces are taken for eyes, 1 for upper and 1 for lower teeth'
expect 0 "$mien" inspect one_set.glb
says out '1 for lower teeth'
expect 0 "$mien" inspect two_heads.glb
says out "part 'B_skin' gets no flesh: it is a face beside 'skin'"
says out 'under 1753 skin vertices'
says out "$("$mien" inspect two_heads.glb --face-part skin | grep 'the head turns about')"
expect 0 "$mien" inspect two_heads.glb --face-part B_skin
says out 'turns about 60.0 '
expect 0 "$mien" inspect levels.glb
says out "part 'skin_LOD1' gets no flesh: it lies where the same shapes move 'skin_LOD0'"
expect 0 "$mien" inspect torso.glb
says out 'of a body below the neck get no flesh'
skin=$(sed -n 's/.* under \([0-9]*\) skin vertices.*/\1/p' out)
[ "$skin" -lt 1790 ] || fail "a body that shapes move by rounding alone has flesh ($skin vertices)"
# triangles that share vertices with the skin and are none of it
for rig in torso both_sides; do
  expect 0 "$mien" attach $rig.glb --simulate-at 800
done

# -- formats
expect 0 "$mien" inspect quantised.glb
says out 'under 1753 skin vertices'
expect 0 "$mien" bake quantised.glb --anim "$samples/phrase.csv" --seconds 0.2 -o 'quantised.{mesh}.pc2'
expect 0 "$mien" bake quantised.glb --anim "$samples/phrase.csv" --seconds 0.2 -o quantised_baked.glb
[ "$(flesh interleaved.glb)" = "$plain" ] || fail "interleaved vertices are another face"
expect 0 "$mien" inspect armature.glb
says out '17.2 cm wide'
says out 'turns about 0.0 155.0 '
for name in inside_out both_sides_copied interleaved two_heads levels armature only_normals; do
  unit=5.1e-5
  [ $name = armature ] && unit=5.1e-3 # its numbers are centimetres
  for out in $name.baked.glb "$name.{mesh}.pc2"; do
    expect 0 "$mien" bake $name.glb --anim "$samples/phrase.csv" --preset jowly --contact off --seconds 0.1 -o "$out"
  done
  expect 0 python3 "$here/check_baked.py" $name.glb $name.baked.glb "$name.{mesh}.pc2" $unit
done
# names of shapes where others have them; targets that a bake adds must not hide them
for name in univrm old_exporter; do
  expect 0 "$mien" inspect $name.glb
  says out 'eyeBlinkLeft'
  for out in $name.baked.glb "$name.{mesh}.pc2"; do
    expect 0 "$mien" bake $name.glb --anim "$samples/phrase.csv" --preset jowly --contact off --blendvolumes off --seconds 0.3 -o "$out"
  done
  expect 0 python3 "$here/check_baked.py" $name.glb $name.baked.glb "$name.{mesh}.pc2" 5.1e-5
done
python3 "$here/make_character.py" "$head" character.glb || fail "no character was made"
for version in 0 1; do
  python3 "$here/make_vrm.py" character.glb avatar$version.vrm $version
  name=$([ $version = 0 ] && echo Joy || echo happy)
  printf 'Time,%s,eyeBlinkLeft\n0,0,0\n0.2,1,0.5\n' $name >mood.csv
  expect 0 "$mien" bake avatar$version.vrm --anim mood.csv --contact off --blendvolumes off -o avatar$version.glb
  expect 0 "$mien" bake avatar$version.vrm --anim mood.csv --contact off --blendvolumes off -o "avatar$version.{mesh}.pc2"
  expect 0 python3 "$here/check_baked.py" avatar$version.vrm avatar$version.glb "avatar$version.{mesh}.pc2" 5.1e-5
done

if [ "$pack" = - ]; then
  echo "this build has no Draco: what it unpacks is not tested"
else
  # what Draco unpacks is the head within its 16 bits; the way back keeps Draco's bytes
  for ending in glb gltf; do
    python3 "$here/pack_glb.py" "$pack" bare.glb draco.$ending || fail "nothing was packed"
    expect 0 "$mien" inspect draco.$ending
    says out 'under 1753 skin vertices'
  done
  for rig in bare draco; do # the parts without shapes are in another order
    expect 0 "$mien" bake $rig.glb --anim "$samples/phrase.csv" --seconds 0.1 --solver kinematic --contact off --blendvolumes off -o "$rig.{mesh}.pc2"
  done
  python3 - <<'PY' || fail "Draco moves vertices"
import struct
a, b = (struct.unpack("<%df" % ((len(d) - 32) // 4), d[32:]) for d in (open(n + ".skin.pc2", "rb").read() for n in ("bare", "draco")))
off = max(abs(x - y) for x, y in zip(a, b))
assert len(a) == len(b) and 0 < off < 1e-5, off
PY
  expect 0 "$mien" bake draco.glb --anim "$samples/phrase.csv" --seconds 0.2 --contact off --blendvolumes off -o draco_baked.glb
  expect 0 "$mien" inspect draco_baked.glb
  expect 0 "$mien" attach draco.glb -o draco_face.glb
  packages_refuse draco.glb
  [ "$(flesh draco.glb)" = "$(flesh draco_face.glb)" ] || fail "a face put into a packed file is another one"
  python3 - <<'PY'
import struct
data = bytearray(open("draco.glb", "rb").read())
at = data.rindex(b"DRACO")
data[at + 11 : at + 400] = bytes(389)
open("torn.glb", "wb").write(data)
PY
  expect 1 "$mien" inspect torn.glb
  says err 'Draco'
fi

if [ "$fbx" = ON ]; then
  for kind in text binary; do
    python3 "$here/make_fbx.py" $kind.fbx $kind
    expect 0 "$mien" import $kind.fbx -o $kind.glb
    lacks err 'not in the order of the file'
    expect 0 "$mien" inspect $kind.glb
    says out '2 shapes are in-betweens'
    says out 'turns about 3.0 152.0 -1.0 cm'
    expect 0 python3 "$here/check_fbx.py" "$mien" $kind.glb
    # and from a face, and from a rig that was read and written again
    expect 0 "$mien" attach $kind.glb -o face_$kind.glb
    expect 0 python3 "$here/check_fbx.py" "$mien" face_$kind.glb
    expect 0 "$mien" import face_$kind.glb -o again_$kind.glb
    expect 0 python3 "$here/check_fbx.py" "$mien" again_$kind.glb
  done
fi

# -- what is refused, and leaves everything as it was
cp "$samples/phrase.csv" take.csv
for call in "bake bare.glb --anim take.csv -o bare.glb" "attach bare.glb -o bare.glb" "import bare.glb -o bare.glb" \
  "bake bare.glb --anim take.csv --info take.csv" "bake bare.glb --anim take.csv -o x.pc2 --picture take.csv"; do
  # shellcheck disable=SC2086
  expect 2 "$mien" $call
  says err 'would be written over itself'
done
cmp -s take.csv "$samples/phrase.csv" || fail "an input was written over"
expect 2 "$mien" bake "$samples/head.glb" --anim take.csv -o long.usda
says err 'as .usdc it is the same in'
[ ! -e long.usda ] && [ ! -e x.pc2 ] || fail "something was written"
no_parts .
finish
