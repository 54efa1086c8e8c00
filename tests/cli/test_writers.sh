#!/bin/sh
# test_writers.sh MIEN SAMPLES WORK: nothing that is whole is lost, nobody writes over another, and
# --resume is always right.
mien=$1 samples=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1
"$mien" attach "$samples/head_small.glb" -o face.glb >/dev/null || exit 1
face=face.glb
posed="$face --solver kinematic --fps 100 --seconds 0.7"

# until_so COMMAND...: waits until it succeeds, for ten seconds at most
until_so() {
  tries=0
  until "$@"; do
    tries=$((tries + 1))
    [ $tries -lt 200 ] || return 1
    sleep 0.05
  done
}

# -- the destination is looked at before the work --------------------------------------------------

mkdir folder.pc2 folder.csv folder.glb folder.mp4 folder.png
expect 1 "$mien" bake "$face" --seconds 0.1 -o folder.pc2
says err 'that is a folder'
expect 1 "$mien" bake "$face" --seconds 0.1 -o out.pc2 --info folder.csv
says err 'that is a folder'
[ ! -e out.pc2 ] || fail "a bake whose info cannot be written was made"
expect 1 "$mien" live "$face" --take "$samples/phrase.csv" --seconds 0.1 --record folder.csv
says err 'that is a folder'
expect 1 "$mien" attach "$face" -o folder.glb
says err 'that is a folder'
expect 1 "$mien" render "$face" --anim "$samples/phrase.csv" -o folder.mp4
says err 'that is a folder'
expect 1 "$mien" render "$face" --sheet -o folder.png
says err 'that is a folder'
no_parts .

# -- a full disk: what is whole stays and is gone on with -------------------------------------------

# full BLOCKS COMMAND...: files cannot grow beyond so many blocks of 512 bytes
full() {
  blocks=$1
  shift
  (
    trap '' XFSZ
    ulimit -f "$blocks"
    exec "$@"
  )
}
# shellcheck disable=SC2086
expect 0 "$mien" bake $posed -o whole.pc2
# shellcheck disable=SC2086
expect 0 "$mien" bake $posed -o whole.usda
size=$(wc -c <whole.pc2)
for end in pc2 usda; do
  # shellcheck disable=SC2086
  expect 1 full $((size * 3 / 2048)) "$mien" bake $posed -o full.$end
  says err 'File too large'
  says err 'frames are kept; --resume goes on'
  [ ! -e full.$end ] || fail "half a cache got its name"
  # shellcheck disable=SC2086
  expect 0 "$mien" bake $posed --resume -o full.$end
  cmp -s full.$end whole.$end || fail "a bake that went on after a full disk differs: .$end"
done
# text is larger than its frames: full when the .usda is made of them
# shellcheck disable=SC2086
expect 1 full $((size / 512 + 64)) "$mien" bake $posed -o late.usda
says err 'frames are kept; --resume goes on'
# shellcheck disable=SC2086
expect 0 "$mien" bake $posed --resume -o late.usda
cmp -s late.usda whole.usda || fail "a .usda that went on after a full disk differs"

expect 1 full 40 "$mien" live "$face" --take "$samples/phrase.csv" --every --seconds 2 \
  --solver kinematic --record full.csv
says err 'nothing more is recorded'
says err 'full.csv.part'
[ ! -e full.csv ] || fail "half a recording got its name"
awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR < 10 }' full.csv.part ||
  fail "full.csv.part has broken rows, or fewer than 9: $(wc -l <full.csv.part)"
mv full.csv.part kept.csv
expect 0 "$mien" bake "$face" --anim kept.csv --fps 30 --solver kinematic
rm -f kept.csv
no_parts .

# -- two writers of one name -----------------------------------------------------------------------

# A slow one is at it: live, until it is told to stop.
"$mien" live "$face" --take "$samples/reel.csv" --solver kinematic --record busy.csv >busy.out 2>&1 &
first=$!
until_so test -s busy.csv.part
expect 1 "$mien" live "$face" --take "$samples/phrase.csv" --seconds 0.1 --record busy.csv
says err 'another program is writing it'
expect 1 "$mien" bake "$face" --seconds 0.1 --info busy.csv
says err 'another program is writing it'
kill -INT $first
wait $first || fail "the first writer ended with $?: $(cat busy.out)"
[ "$(head -c 4 busy.csv)" = Time ] || fail "the second writer disturbed the first"
no_parts .

# links are not followed: whoever puts one there gets nothing of ours, and loses nothing
echo precious >victim
for name in a.pc2 a.csv a.glb a.png a.mp4; do ln -s victim $name.part; done
expect 1 "$mien" bake "$face" --seconds 0.1 -o a.pc2
expect 1 "$mien" bake "$face" --seconds 0.1 --info a.csv
expect 1 "$mien" attach "$face" -o a.glb
expect 1 "$mien" render "$face" --sheet -o a.png
expect 1 "$mien" render "$face" --anim "$samples/phrase.csv" -o a.mp4
[ "$(cat victim)" = precious ] || fail "a link was followed"
rm -f a.*

# -- names that move a terminal's cursor are shown without that ---------------------------------------

wild=$(printf 'w\033[31m')
cp "$face" "$wild.glb"
for words in "bake $wild.glb --seconds 0.1 --solver kinematic -o $wild.pc2" "attach $wild.glb -o ${wild}2.glb" \
  "render $wild.glb --sheet -s 32 -o $wild.png" "import $wild.glb -o ${wild}3.glb" "inspect $wild.glb" "inspect $wild.pc2" \
  "live $wild.glb --take $samples/phrase.csv --solver kinematic --seconds 0.1 --record $wild.csv"; do
  # shellcheck disable=SC2086
  expect 0 "$mien" $words
  cat "$work/out" "$work/err" >>shown
done
! grep -q "$(printf '\033')" shown || fail "a terminal gets what a name holds: $(cat -v shown)"
grep -q 'w?\[31m.pc2' shown || fail "the name of the cache is not shown: $(cat -v shown)"
rm -f "$wild"*

# -- --resume is always right ------------------------------------------------------------------------

# stop_in_the_middle NAME: leaves a part of NAME and its state
stop_in_the_middle() {
  # shellcheck disable=SC2086
  full $((size * 3 / 2048)) "$mien" bake $posed -o "$1" >/dev/null 2>&1
  [ -s "$1.part" ] && [ -s "$1.state" ] || fail "nothing was left to resume of $1"
}
stop_in_the_middle lone.pc2
mv lone.pc2.state aside
cp lone.pc2.part before
# shellcheck disable=SC2086
expect 1 "$mien" bake $posed --resume -o lone.pc2
says err "there is no 'lone.pc2.state'"
cmp -s -n "$(wc -c <lone.pc2.part)" lone.pc2.part before || fail "frames that were refused are not what they were"
mkfifo lone.pc2.state # nobody writes to it
# shellcheck disable=SC2086
expect 1 timeout 100 "$mien" bake $posed --resume -o lone.pc2
says err "there is no 'lone.pc2.state'"
rm lone.pc2.state
printf 'mienbak4 and nothing else' >lone.pc2.state
# shellcheck disable=SC2086
expect 1 "$mien" bake $posed --resume -o lone.pc2
# made by another build: one byte of the signature differs
cp aside lone.pc2.state
printf 'x' | dd of=lone.pc2.state bs=1 seek=20 conv=notrunc 2>/dev/null
# shellcheck disable=SC2086
expect 1 "$mien" bake $posed --resume -o lone.pc2
says err 'another build'
cmp -s -n "$(wc -c <lone.pc2.part)" lone.pc2.part before || fail "frames that were refused are not what they were"
cp aside lone.pc2.state
# shellcheck disable=SC2086
expect 0 "$mien" bake $posed --resume -o lone.pc2
cmp -s lone.pc2 whole.pc2 || fail "what was resumed differs"
# frames of another hand, or of a disk that lost them
stop_in_the_middle swapped.pc2
printf 'x' | dd of=swapped.pc2.part bs=1 seek=400000 conv=notrunc 2>/dev/null
# shellcheck disable=SC2086
expect 1 "$mien" bake $posed --resume -o swapped.pc2
says err 'are not those that were written before'
# shellcheck disable=SC2086
expect 0 "$mien" bake $posed -o swapped.pc2
cmp -s swapped.pc2 whole.pc2 || fail "a bake begun anew differs"
# another build of the program itself, of the same sources or not
stop_in_the_middle other.pc2
cp "$mien" ./mien_other
printf 'x' >>mien_other
# shellcheck disable=SC2086
expect 1 env MIEN_DATA="$samples" ./mien_other bake $posed --resume -o other.pc2
says err 'another build'
# shellcheck disable=SC2086
expect 0 "$mien" bake $posed -o other.pc2
cmp -s other.pc2 whole.pc2 || fail "a bake begun anew differs"
# the same program with another build of a library that it needs; what is merely preloaded computes nothing
library=$(ldd "$mien" | sed -n 's/.*=> \(.*libjansson[^ ]*\) .*/\1/p')
mkdir elsewhere
python3 - "$library" "elsewhere/${library##*/}" <<'EOF'
import sys
bytes_ = open(sys.argv[1], "rb").read()
at = bytes_.index(b"GNU\0", bytes_.index(b"\3\0\0\0GNU\0")) + 4
open(sys.argv[2], "wb").write(bytes_[:at] + bytes(b ^ 255 for b in bytes_[at:at + 20]) + bytes_[at + 20:])
EOF
stop_in_the_middle linked.pc2
# shellcheck disable=SC2086
expect 1 env LD_LIBRARY_PATH=elsewhere "$mien" bake $posed --resume -o linked.pc2
says err 'another build of mien or of a library'
besides=$(ldd "$mien" | sed -n 's/.*=> \(.*\)libc\.so[^ ]* .*/\1/p')libutil.so.1
# shellcheck disable=SC2086
expect 0 env LD_PRELOAD="$besides" "$mien" bake $posed --resume -o linked.pc2
cmp -s linked.pc2 whole.pc2 || fail "what was resumed differs"
# begun without standard files: what is printed goes into none that it writes, and did not arrive
# shellcheck disable=SC2086
"$mien" bake $posed --json -o closed.pc2 <&- >&- 2>&-
[ $? -eq 1 ] || fail "an output that was closed took what was printed"
cmp -s closed.pc2 whole.pc2 || fail "what was printed is in the cache"
# shellcheck disable=SC2086
"$mien" bake $posed -o closed.pc2 >out 2>&- || fail "a bake without standard error failed"
cmp -s closed.pc2 whole.pc2 || fail "what was printed is in the cache"
# nor to a browser: no socket gets their numbers
"$mien" live face.glb --take "$samples/reel.csv" --solver kinematic --seconds 2 --view 0 >&- 2>&- &
pid=$!
tries=0
held=
until [ "$held" = "/dev/null /dev/null" ] || [ $tries -gt 100 ] || [ ! -d /proc/self/fd ]; do
  tries=$((tries + 1))
  sleep 0.02
  held="$(readlink "/proc/$pid/fd/1") $(readlink "/proc/$pid/fd/2")"
done
[ "$held" = "/dev/null /dev/null" ] || [ ! -d /proc/self/fd ] || fail "files or sockets got the numbers 1 and 2: $held"
wait $pid
for words in --version --help "inspect --json"; do
  # shellcheck disable=SC2086
  ! "$mien" $words >/dev/full 2>/dev/null || fail "a full disk took what mien $words printed"
done
# whole already, or only a part without frames: it bakes
# shellcheck disable=SC2086
expect 0 "$mien" bake $posed --resume -o other.pc2
: >empty.pc2.part
# shellcheck disable=SC2086
expect 0 "$mien" bake $posed --resume -o empty.pc2
cmp -s empty.pc2 whole.pc2 || fail "a bake begun by --resume differs"
no_parts .
for file in *.state; do [ ! -e "$file" ] || fail "left behind: $file"; done

finish
