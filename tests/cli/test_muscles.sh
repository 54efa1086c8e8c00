#!/bin/sh
# test_muscles.sh MIEN SAMPLES WORK [fit]: muscles as a user has them; live, by hand, own meshes, refused. With "fit" a
# fit alone, which takes a while.
mien=$1 samples=$2 work=$3 which=$4
rm -rf "$work"
mkdir -p "$work"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/checks.sh"
cd "$work" || exit 1
rig=$samples/head_small.glb
quick="--blendvolumes off --fps 30"

if [ "$which" = fit ]; then
  # of expressions that were not fitted it says how far off they are, and it draws all of them
  expect 0 "$mien" fit-muscles "$rig" --muscle-rounds 1 --blendvolumes off -o face.glb --picture fit.png \
    --expressions jawOpen=0.4,mouthSmileLeft+mouthSmileRight --unseen mouthFunnel=0.7 --json
  parses
  says out '"unseen"'
  says out 'mouthFunnel=0.7'
  # most of the head is still: skin that the expression moves is farther off than all of it, and nearer than it moved
  tr -d ',' <out | awk '/"mm":/ { all = $2 } /"mm_moving":/ { moving = $2 } /"mm_motion":/ { motion = $2 }
    END { exit !(moving > all && moving < motion && motion >= 1) }' || fail "distances where skin moves: $(cat out)"
  [ -s face.glb ] && [ -s fit.png ] || fail "no face or no picture"
  no_parts .

  # killed in its second round it goes on from the first, to the same bytes
  two="--muscle-rounds 2 --blendvolumes off --expressions jawOpen=0.4,mouthSmileLeft+mouthSmileRight"
  # shellcheck disable=SC2086
  expect 0 "$mien" fit-muscles "$rig" $two -o whole.glb
  # shellcheck disable=SC2086
  "$mien" fit-muscles "$rig" $two -o killed.glb --resume kept >killed.out 2>&1 &
  pid=$!
  # the number of whole rounds follows 16 bytes of name and hash
  while kill -0 $pid 2>/dev/null && [ "$(od -An -tu1 -j16 -N1 kept 2>/dev/null | tr -d ' ')" != 1 ]; do sleep 0.05; done
  kill -9 $pid || fail "the fit ended before it was killed: $(cat killed.out)"
  wait $pid 2>/dev/null
  [ ! -e killed.glb ] || fail "a killed fit left a face"
  [ -s kept ] || fail "a killed fit kept nothing"
  expect 1 "$mien" fit-muscles "$rig" --muscle-rounds 1 --blendvolumes off -o killed.glb --resume kept
  says err 'of other expressions or other settings'
  expect 1 "$mien" fit-muscles "$rig" --muscle-rounds 1 --blendvolumes off -o killed.glb --resume whole.glb
  says err 'whole.glb keeps no fit of muscles'
  [ ! -e killed.glb ] || fail "a refused fit left a face"
  # shellcheck disable=SC2086
  expect 0 "$mien" fit-muscles "$rig" $two -o killed.glb --resume kept
  cmp -s whole.glb killed.glb || fail "a fit that was killed and went on ends elsewhere"
  [ ! -e kept ] || fail "what was kept is still there"
  no_parts .
  finish
  exit
fi

# -- live: what was recorded, as muscles, bakes to the same bits -------------------------------------

# shellcheck disable=SC2086
expect 0 "$mien" live "$rig" --take "$samples/phrase.csv" --drive muscle --every --seconds 0.2 \
  $quick --record live.csv --hash
tail -1 out >live.hash
says out 'from the performer'
says err 'fit-muscles'
# shellcheck disable=SC2086
expect 0 "$mien" activations live.csv --rig "$rig" $quick -o muscles.csv
grep -q 'zygomaticus_major_left.ff' muscles.csv || fail "the take names no muscle"
# shellcheck disable=SC2086
expect 0 "$mien" bake "$rig" --drive muscle --anim live.csv --muscle-take muscles.csv $quick \
  --seconds 0.17 --hash
tail -1 out >bake.hash
cmp -s live.hash bake.hash || fail "live $(cat live.hash), baked $(cat bake.hash)"

# -- by hand: a column with a muscle's name is its contraction ---------------------------------------

printf 'Time,zygomaticus_major_left,zygomaticus_major_right\n0,0,0\n0.1,0.4,0.4\n' >smile.csv
# shellcheck disable=SC2086
expect 0 "$mien" bake "$rig" --drive muscle --muscle-take smile.csv $quick -o smile.pc2
[ -s smile.pc2 ] || fail "smile.pc2 is empty"
# the artist's animation with flesh that muscles stiffen: while the head is still, to the same bits
# shellcheck disable=SC2086
expect 2 "$mien" bake "$rig" --muscle-take smile.csv $quick -o none.pc2
says err "'--muscle-take' needs '--drive muscle'"
# (the phrase has a head that moves)
for stiff in 0.001 10; do
  # shellcheck disable=SC2086
  expect 0 "$mien" bake "$rig" --anim "$samples/phrase.csv" --head "$samples/still.csv" --muscle-take smile.csv \
    $quick --contact off --seconds 0.2 --muscle-stiffening $stiff --hash
  tail -1 out >still.$stiff
  # shellcheck disable=SC2086
  expect 0 "$mien" bake "$rig" --anim "$samples/phrase.csv" --muscle-take smile.csv $quick --seconds 0.2 --muscle-stiffening $stiff --hash
  tail -1 out >shaken.$stiff
done
cmp -s still.0.001 still.10 || fail "a still head is another one with stiff muscles"
! cmp -s shaken.0.001 shaken.10 || fail "stiff muscles swing as soft ones"
printf 'Time,zygomaticus_major_left\n0,0\n0.1,1.4\n' >wild.csv
# shellcheck disable=SC2086
expect 1 "$mien" bake "$rig" --drive muscle --muscle-take wild.csv $quick -o wild.pc2
says err "the muscle 'zygomaticus_major_left' cannot contract by"
[ ! -e wild.pc2 ] || fail "a refused take left a cache"
printf 'Time,zygomaticus_major_left.ff\n0,1\n0.1,50\n' >wilder.csv
# shellcheck disable=SC2086
expect 1 "$mien" bake "$rig" --drive muscle --muscle-take wilder.csv $quick -o wild.pc2
says err "at 0.1 s the activation of the muscle 'zygomaticus_major_left' stretches it by 1 to 50"
no_parts .
printf 'Time,biceps\n0,0\n' >arm.csv
# shellcheck disable=SC2086
expect 1 "$mien" bake "$rig" --drive muscle --muscle-take arm.csv $quick -o arm.pc2
says err 'has no channel of a muscle'

# -- meshes of the user's own ------------------------------------------------------------------------

mkdir own
box() { # NAME X Y Z FIRST: a box of 3 cm around that place
  awk -v n="$1" -v x="$2" -v y="$3" -v z="$4" -v f="$5" 'BEGIN {
    print "g " n
    for (i = 0; i < 8; i++)
      printf "v %g %g %g\n", x + 0.015 * (i % 2 ? 1 : -1), y + 0.006 * (int(i / 2) % 2 ? 1 : -1),
        z + 0.01 * (i > 3 ? 1 : -1)
    split("1 3 4 2 5 6 8 7 1 2 6 5 3 7 8 4 1 5 7 3 2 4 8 6", q, " ")
    for (i = 0; i < 6; i++)
      printf "f %d %d %d %d\n", q[4*i+1]+f, q[4*i+2]+f, q[4*i+3]+f, q[4*i+4]+f
  }'
}
{
  box cheek_left 0.04 -0.03 0.08 0
  box cheek_right -0.04 -0.03 0.08 8
} >own/neutral.obj
printf 'Time,cheek_left,cheek_right\n0,0,0\n0.1,0.4,0.4\n' >cheeks.csv
# shellcheck disable=SC2086
expect 0 "$mien" bake "$rig" --drive muscle --muscle-meshes own --muscle-take cheeks.csv $quick
# shellcheck disable=SC2086
expect 1 "$mien" bake "$rig" --drive muscle --muscle-meshes own --muscle-unit cm \
  --muscle-take cheeks.csv $quick -o none.pc2
says err 'none of the 2 muscles lies in the flesh'
expect 2 "$mien" bake "$rig" --muscle-unit cm
says err "'--muscle-unit' is the unit of '--muscle-meshes'"
expect 1 "$mien" bake "$rig" --drive muscle --muscle-meshes nowhere.glb
says err 'nowhere.glb'

# -- tetrahedra between skin and bones ---------------------------------------------------------------

# shellcheck disable=SC2086
"$mien" bake "$rig" --flesh volume --drive muscle --muscle-take smile.csv $quick >"$work/out" 2>"$work/err"
code=$?
if grep -q TetGen "$work/err"; then
  echo "skipped: volume flesh, this build has no TetGen"
else
  [ $code -eq 0 ] || fail "muscles in volume flesh: exit code $code"
  moved=$(sed -n 's/.*skin up to \([0-9.]*\) mm.*/\1/p' out)
  awk -v m="$moved" 'BEGIN { exit !(m > 1) }' || fail "muscles in volume flesh move skin by '$moved' mm"
fi

# -- heads of games --------------------------------------------------------------------------------

# the atlas lands on them and its muscles lift the corners of their mouths
heads=${MIEN_SHARED_DATA:-$here/../../../shared/data}/rocketbox
[ -d "$heads" ] || echo "skipped: the rocketbox heads are not on this machine ($heads)"
for fbx in "$heads"/*_facial.fbx; do
  [ -f "$fbx" ] || continue
  if ! "$mien" import "$fbx" -o avatar.glb >"$work/out" 2>"$work/err"; then
    grep -q Assimp "$work/err" && echo "skipped: FBX, this build has no Assimp" && break
    fail "import of $fbx: $(head -3 "$work/err")"
  fi
  # shellcheck disable=SC2086
  expect 0 "$mien" bake avatar.glb --drive muscle --muscle-take smile.csv $quick
  moved=$(sed -n 's/.*skin up to \([0-9.]*\) mm.*/\1/p' out)
  awk -v m="$moved" 'BEGIN { exit !(m > 1) }' || fail "a smile moves the skin of $fbx by '$moved' mm"
  lacks err 'lie outside the flesh'
done

# -- a fit that cannot be: nothing is written --------------------------------------------------------

expect 1 "$mien" fit-muscles "$rig" --expressions jawOpen -o face.glb
says err '2 expressions at least'
expect 1 "$mien" fit-muscles "$rig" --expressions jawOpen,noSuchShape -o face.glb
says err "there is no shape 'noSuchShape'"
expect 1 "$mien" fit-muscles "$rig" --unseen noSuchShape -o face.glb
says err "there is no shape 'noSuchShape'"
expect 1 "$mien" fit-muscles "$rig" --picture no/such/folder.png -o face.glb
says err 'no/such'
expect 1 "$mien" fit-muscles "$rig" --targets "$samples/creature.glb" -o face.glb
mkdir neutral_only
cp own/neutral.obj neutral_only
expect 1 "$mien" fit-muscles "$rig" --targets neutral_only -o face.glb
says err 'holds no expression'
[ ! -e face.glb ] || fail "a refused fit left a face"
no_parts .
finish
