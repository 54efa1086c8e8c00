#!/bin/sh
# test_work.sh MIEN SAMPLES WORK: commands that make faces and caches.
mien=$1 samples=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1

# -- attach: a stored face is the same face --------------------------------------------------------

hash_of() { sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' out; }
expect 0 "$mien" attach --json "$samples/head_small.glb" -o face.glb
parses attach
first=$(hash_of)
expect 0 "$mien" attach --json face.glb -o again.glb
[ "$(hash_of)" = "$first" ] || fail "a stored face came back as another face"
expect 0 "$mien" inspect face.glb
says out 'hypodermis'
expect 0 "$mien" attach face.glb --thickness 2
says out 'to 2.00 mm'

# -- bake: the same bits on any number of threads; resumed; refused ----------------------------------

shake="--head $samples/shake.csv --seconds 1 --hash"
# shellcheck disable=SC2086
expect 0 "$mien" bake face.glb $shake --threads 1 -o one.pc2 --info one.csv
tail -1 out >hash1
[ "$(wc -l <one.csv)" -eq 26 ] || fail "one.csv has $(wc -l <one.csv) lines"
expect 1 "$mien" bake face.glb --seconds 0.1 --info no_such_folder/info.csv
says err 'no_such_folder'

# forty bytes that last for years do not fill a disk
printf 'Time,jawOpen\n0,0\n1e9,1\n' >years.csv
expect 1 timeout 100 "$mien" bake face.glb --anim years.csv --solver kinematic -o years.pc2
says err "'--seconds' says how much of it"
expect 1 timeout 100 "$mien" bake face.glb --anim years.csv --solver kinematic --fps 10000 --seconds 1000000
says err "'--seconds' says how much of it"
[ -z "$(find . -name 'years.pc2*')" ] || fail "a bake that was refused left files"
expect 0 "$mien" bake face.glb --anim years.csv --solver kinematic --seconds 0.1

# a file name that is not UTF-8: the answer is JSON all the same
odd=$(printf 'M\344d.glb')
cp face.glb "$odd"
expect 0 "$mien" inspect --json "$odd"
parses inspect
says out 'M?d.glb'
expect 1 "$mien" inspect --json "$odd.no"
parses inspect, no such file
says out 'M?d.glb.no: No such file'
rm "$odd"
# shellcheck disable=SC2086
expect 0 "$mien" bake face.glb $shake --threads 2 -o two.pc2
tail -1 out >hash2
# shellcheck disable=SC2086
expect 0 "$mien" bake again.glb $shake --threads 8 -o eight.usda
tail -1 out >hash8
grep -qE '^[0-9a-f]{16}$' hash1 || fail "the last line of bake --hash is no hash"
cmp -s hash1 hash2 && cmp -s hash1 hash8 || fail "the hash depends on the number of threads"
cmp -s one.pc2 two.pc2 || fail "the cache depends on the number of threads"
grep -q timeSamples eight.usda || fail "the .usda holds no time samples"

# a bake killed half-way leaves no file of that name, and --resume makes the same one
posed="$samples/head.glb --solver kinematic --fps 100"
# shellcheck disable=SC2086
"$mien" bake $posed -o killed.pc2 2>/dev/null &
pid=$!
tries=0
until [ -s killed.pc2.part ] && [ "$(wc -c <killed.pc2.part)" -gt 2000000 ]; do
  tries=$((tries + 1))
  [ $tries -lt 400 ] || break
  sleep 0.05
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
if [ $? -eq 0 ]; then
  echo "the bake was faster than the test: killing it was not tried"
else
  [ ! -e killed.pc2 ] || fail "a killed bake left a whole file"
  [ -s killed.pc2.part ] || fail "a killed bake left nothing to resume"
  # shellcheck disable=SC2086
  expect 0 "$mien" bake $posed --resume -o killed.pc2
  # shellcheck disable=SC2086
  expect 0 "$mien" bake $posed -o whole.pc2
  cmp -s killed.pc2 whole.pc2 || fail "a resumed bake differs from a whole one"
fi
[ ! -e killed.pc2.part ] || fail "a part was left behind"
rm -f killed.pc2 whole.pc2

# the same with physics, stopped by Ctrl-C: goes on from the snapshot, not from the start
long="--head $samples/shake.csv --seconds 1.5 --fps 60"
# shellcheck disable=SC2086
"$mien" bake face.glb $long -o stopped.pc2 2>/dev/null &
pid=$!
tries=0
until [ "$(wc -c 2>/dev/null <stopped.pc2.part || echo 0)" -gt 1500000 ] || [ -e stopped.pc2 ] || [ $tries -gt 400 ]; do
  tries=$((tries + 1))
  sleep 0.05
done
kill -INT $pid 2>/dev/null
wait $pid 2>/dev/null
if [ -e stopped.pc2 ]; then
  echo "the bake was faster than the test: stopping it was not tried"
else
  # frames of another bake are not mixed in, and nothing is lost by trying
  # shellcheck disable=SC2086
  expect 1 "$mien" bake face.glb $long --damping 3 --resume -o stopped.pc2
  says err 'begun with another face, take or parameters'
  # shellcheck disable=SC2086
  expect 0 "$mien" bake face.glb $long --resume --hash -o stopped.pc2
  tail -1 out >hash_resumed
  # shellcheck disable=SC2086
  expect 0 "$mien" bake face.glb $long --hash -o straight.pc2
  tail -1 out >hash_straight
  cmp -s stopped.pc2 straight.pc2 || fail "a resumed simulation differs from a whole one"
  cmp -s hash_resumed hash_straight || fail "a resumed simulation ends in another state"
  [ ! -e stopped.pc2.state ] || fail "a snapshot was left behind"
fi
rm -f stopped.pc2 straight.pc2
expect 0 "$mien" bake face.glb --resume --seconds 0.1 -o nothing_there.pc2
expect 1 "$mien" bake face.glb -o cache.xyz
says err 'in none of .pc2'
expect 2 "$mien" bake face.glb --fps 0
expect 2 "$mien" bake face.glb --solver magic
expect 2 "$mien" bake face.glb --gravity down

# lips sealed on one side are another animation, and a seal is a number from 0 to 1
expect 0 "$mien" bake face.glb --anim "$samples/press.csv" --seconds 0.4 --hash
tail -1 out >hash_free
expect 0 "$mien" bake face.glb --anim "$samples/press.csv" --seconds 0.4 --hash --seal-left 1
tail -1 out >hash_left
expect 0 "$mien" bake face.glb --anim "$samples/press.csv" --seconds 0.4 --hash --seal-right 1
tail -1 out >hash_right
! cmp -s hash_free hash_left && ! cmp -s hash_left hash_right || fail "a seal changes nothing"
expect 2 "$mien" bake face.glb --seal-left 2
says err 'seal_left is 2; it must be 0 to 1'
# the barrier, by each of its global steps
for step in woodbury schur pcg; do
  expect 0 "$mien" bake face.glb --anim "$samples/press.csv" --seconds 0.8 --contact barrier \
    --barrier-step $step --barrier-stiffness 2 --hash
done
expect 2 "$mien" bake face.glb --barrier-step newton
says err 'woodbury,schur,pcg'
expect 2 "$mien" bake face.glb --barrier-stiffness 0
expect 1 "$mien" bake face.glb --contact barrier --solver gauss_seidel --seconds 0.1
says err 'the barrier needs the solver direct'
expect 1 "$mien" bake face.glb --contact barrier --energy-projection on --seconds 0.1 -o refused.pc2
says err 'energy_projection does not know the barrier'
for file in refused.*; do [ ! -e "$file" ] || fail "a refused bake left $file"; done
# parameters by option, by name, from a file and from a preset
expect 0 "$mien" bake face.glb --seconds 0.2 --head "$samples/shake.csv" --hash --preset fat
tail -1 out >hash_preset
sed 's/"about".*/"iterations": 8,/' "$samples/presets/fat.json" >fat.json
expect 0 "$mien" bake face.glb --seconds 0.2 --head "$samples/shake.csv" --hash --options fat.json
tail -1 out >hash_file
expect 0 "$mien" bake face.glb --seconds 0.2 --head "$samples/shake.csv" --hash --stiffness 3000 \
  --set volume_stiffness=20000 --set attachment_rate=25 --density=950
tail -1 out >hash_set
cmp hash_preset hash_file && cmp hash_preset hash_set || fail "a preset is not its parameters"
expect 2 "$mien" bake face.glb --preset marble
says err "no preset 'marble'"
expect 2 "$mien" bake face.glb --set stifness=1
says err "is 'stiffness' meant?"
expect 2 "$mien" bake face.glb --set stiffness
expect 2 "$mien" bake face.glb --options no_such.json
expect 2 "$mien" bake face.glb --options "$samples/shake.csv"
expect 2 "$mien" attach face.glb --sticky 1
says err 'no option'
# until the start frame the animation; a pre-roll lets gravity pull before the first frame counts
expect 0 "$mien" bake face.glb --seconds 0.3 --head "$samples/shake.csv" --contact off \
  --start-frame 100 --welded -o waits.pc2
says out 'up to 0.00 mm'
expect 0 "$mien" bake face.glb --seconds 0.04 --gravity 0,-9.81,0 --contact off --pre-roll 0.5
! grep -q 'up to 0.00 mm' out || fail 'a pre-roll lets nothing hang'
# a head whose motion flesh does not feel leaves the animation as it is
expect 0 "$mien" bake face.glb --seconds 1 --head "$samples/shake.csv" --contact off \
  --head-translation 0,0,0 --head-rotation 0,0,0
says out 'up to 0.00 mm'
# twice as large is four times as dense under half the gravity
expect 0 "$mien" bake face.glb --seconds 0.3 --head "$samples/shake.csv" --contact off \
  --space-scale 2 --gravity 0,-4,0 --iterations 60
grep -o 'up to [0-9.]*' out >large
expect 0 "$mien" bake face.glb --seconds 0.3 --head "$samples/shake.csv" --contact off \
  --density 4400 --gravity 0,-2,0 --iterations 60
grep -o 'up to [0-9.]*' out >dense
cmp large dense || fail "space scale: $(cat large), not $(cat dense)"
# the last option of the longest list is read like the first
expect 0 "$mien" bake face.glb --seconds 0.1 --attachment-rate 20
says out 'frames'

# a still head: flesh changes not one bit of the artist's animation (contact does, where lips meet)
expect 0 "$mien" bake face.glb --head "$samples/still.csv" --seconds 2 --contact off -o physics.pc2
expect 0 "$mien" bake face.glb --head "$samples/still.csv" --seconds 2 --solver kinematic -o artist.pc2
cmp -s physics.pc2 artist.pc2 || fail "with a still head the output is not the artist's animation"
rm -f physics.pc2 artist.pc2
expect 1 "$mien" bake face.glb --head "$samples/head.glb"

# a jaw of its own: still, it changes nothing; moved, it does; a take without motion is refused
printf 'Time,HeadX,HeadY,HeadZ,HeadYaw,HeadPitch,HeadRoll\n0,0,0,0,0,0,0\n1,0,0,0,0,0,0\n' >shut.csv
printf 'Time,HeadX,HeadY,HeadZ,HeadYaw,HeadPitch,HeadRoll\n0,0,0,0,0,0,0\n1,0,-0.02,0,0,0,0\n' >open.csv
for jaw in "" "--jaw shut.csv" "--jaw open.csv"; do
  # the points: a state remembers that a jaw was given, and its hash with it
  expect 0 "$mien" bake face.glb --anim shut.csv --seconds 0.2 $jaw -o jaw.pc2
  cksum <jaw.pc2 >>jaws
done
[ "$(sort -u jaws | wc -l)" = 2 ] && [ "$(sed -n 1p jaws)" = "$(sed -n 2p jaws)" ] ||
  fail "--jaw did not move the jaw, or a still jaw moved it"
expect 1 "$mien" bake face.glb --jaw "$samples/head.glb"
expect 1 "$mien" bake face.glb -o no_such_folder/cache.pc2
says err 'no_such_folder'

no_parts .
finish
