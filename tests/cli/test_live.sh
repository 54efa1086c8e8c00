#!/bin/sh
# test_live.sh MIEN SAMPLES WORK [CAMERA]: mien live from files, over the loopback, and from a camera
# that is preloaded.
mien=$1 data=$2 work=$3 camera=$4
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
script=$(cd "$(dirname "$0")" && pwd)/test_live.sh
cd "$work" || exit 1
face=$data/head_small.glb

# -- real time: what mostly waits, beside everything below ------------------------------------------

# until_so COMMAND...: waits until it succeeds, for ten seconds at most
until_so() {
  for k in $(seq 100); do
    "$@" && return
    sleep 0.1
  done
}
has_rows() {
  [ -e "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ]
}

# a camera that is pulled out after 20 pictures and put back: the performance goes on, and so do the
# pictures, which no tracker can use all
camera_returns() {
  expect 0 env LD_PRELOAD="$camera" FAKE_CAMERA_DROP=20 FAKE_CAMERA_GONE=2 "$mien" live "$face" \
    --camera 0 --seconds 5 --solver kinematic --json
  dropped=$(sed -n 's/.*"dropped": \([0-9]*\),.*/\1/p' out)
  [ "${dropped:-0}" -gt 45 ] || fail "the camera did not come back: $dropped pictures were dropped"
}
# one that stays away gives no frames, and the status line, every five seconds here, says so
camera_stays_away() {
  expect 0 env LD_PRELOAD="$camera" FAKE_CAMERA_DROP=20 FAKE_CAMERA_GONE=100000 "$mien" live "$face" \
    --camera 0 --seconds 11 --solver kinematic --json
  frames=$(sed -n 's/.*"source_frames": \([0-9]*\),.*/\1/p' out)
  [ "${frames:-0}" -gt 0 ] && [ "$frames" -le 20 ] || fail "of 20 pictures came $frames frames"
  grep 'fps' err | tail -1 | grep -q 'source 0 ' || fail "without a camera: $(grep fps err | tail -1)"
}

# from one mien to another: the phrase by VMC, received and recorded
by_vmc() {
  "$mien" live "$face" --vmc $port --solver kinematic --record heard.csv --json >heard.json 2>heard.err &
  receiver=$!
  until_so grep -q 'listening to' heard.err
  expect 0 "$mien" live "$face" --take "$data/phrase.csv" --seconds 2 --solver kinematic \
    --send-vmc 127.0.0.1:$port
  sleep 3 # a sender that falls silent: the face relaxes, and the receiver waits for it
  kill -INT $receiver
  wait $receiver || fail "the receiver ended with $?: $(cat heard.err)"
  tail -1 heard.csv | awk -F, '{ for (i = 2; i < 54; i++) if ($i > 0.05) exit 1 }' ||
    fail "the face kept its expression: $(tail -1 heard.csv)"
  says heard.json '"dropped": 0'
  awk -F, 'NR > 1 { for (i = 2; i < 54; i++) if ($i > 0.1) seen = 1 } END { exit !seen }' heard.csv ||
    fail "no weight arrived"
}

# shapes that follow others follow what arrives, too: half way to jawOpen stands the other form
between_by_vmc() {
  python3 - "$face" between.glb <<'PY'
import json
import struct
import sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<I", data[12:16])[0]
glb = json.loads(data[20 : 20 + size])
node = next(n for n in glb["nodes"] if "mien" in n.get("extras", {}))
node["extras"]["mien"]["inbetweens"] = {"jawOpen": {"mouthPucker": 0.5}}
text = json.dumps(glb).encode()
text += b" " * (-len(text) % 4)
body = struct.pack("<II", len(text), 0x4E4F534A) + text + data[20 + size :]
open(sys.argv[2], "wb").write(data[:8] + struct.pack("<I", 12 + len(body)) + body)
PY
  printf 'Time,jawOpen\n0,0.5\n1,0.5\n' >half.csv
  "$mien" live between.glb --vmc $((port + 1)) --solver kinematic --record between.csv >between.out 2>between.err &
  receiver=$!
  until_so grep -q 'listening to' between.err
  expect 0 "$mien" live "$face" --take half.csv --solver kinematic --send-vmc 127.0.0.1:$((port + 1))
  kill -INT $receiver
  wait $receiver || fail "the receiver ended with $?: $(cat between.err)"
  awk -F, 'NR == 1 { for (i = 2; i <= NF; i++) at[$i] = i }
    NR > 1 && $at["mouthPucker"] > 0.99 && $at["jawOpen"] < 0.01 { seen = 1 } END { exit !seen }' between.csv ||
    fail "an in-between does not follow a stream: $(tail -1 between.csv)"
}

# killed in the middle: the rows so far are there, whole, and play
ended() {
  "$mien" live "$face" --take "$data/phrase.csv" --solver kinematic --record killed.csv >killed.out 2>&1 &
  victim=$!
  until_so has_rows killed.csv.part 5
  kill -9 $victim
  wait $victim 2>/dev/null
  [ ! -e killed.csv ] || fail "an unfinished recording has got its name"
  mv killed.csv.part killed.csv
  awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR < 6 }' killed.csv ||
    fail "killed.csv has broken rows, or fewer than 5"
  expect 0 "$mien" bake "$face" --anim killed.csv --fps 30 --solver kinematic

  # interrupted: everything is finished and gets its name
  "$mien" live "$face" --take "$data/phrase.csv" --solver kinematic --record stopped.csv >stopped.out 2>&1 &
  victim=$!
  until_so has_rows stopped.csv.part 2
  kill -INT $victim
  wait $victim || fail "interrupted, it ended with $?"
  [ -s stopped.csv ] || fail "stopped.csv is missing"
}

port=$((20000 + $$ % 20000))
has_camera=no
[ -n "$camera" ] && "$mien" models check >/dev/null 2>&1 && has_camera=yes
waiting="by_vmc between_by_vmc ended"
[ $has_camera = no ] || waiting="camera_returns camera_stays_away $waiting"
for name in $waiting; do beside $name; done

# -- as fast as it goes -----------------------------------------------------------------------------

# what was simulated live bakes to the same bits, with a moving head and with either drive
for drive in rest_shape blendforce; do
  expect 0 "$mien" live "$face" --take "$data/phrase.csv" --every --seconds 1 --drive $drive \
    --contact off --record take.csv --hash
  live=$(tail -1 out)
  expect 0 "$mien" bake "$face" --anim take.csv --fps 30 --drive $drive --contact off --hash
  [ "$live" = "$(tail -1 out)" ] || fail "$drive: live $live, baked $(tail -1 out)"
done
[ "$(wc -l <take.csv)" -eq 31 ] || fail "take.csv has $(wc -l <take.csv) lines"

# and as it happened, with frames left out: what is recorded is never cut short
expect 0 "$mien" live "$face" --take "$data/phrase.csv" --seconds 1.5 --record happened.csv --json
says out '"cut_short": 0'
live=$(sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' out)
expect 0 "$mien" bake "$face" --anim happened.csv --fps 30 --hash
[ -n "$live" ] && [ "$live" = "$(tail -1 out)" ] || fail "live '$live', baked $(tail -1 out)"
expect 0 "$mien" live "$face" --take "$data/phrase.csv" --seconds 0.1 --record budget.csv --time-budget 1
says err 'does not bake to the same bits'

# a rate that no machine keeps: steps are cut short, and it is said; not so when it is not wanted
expect 0 "$mien" live "$face" --take "$data/phrase.csv" --seconds 1 --fps 1000
says out 'steps cut short to stay in time'
expect 0 "$mien" live "$face" --take "$data/phrase.csv" --seconds 0.5 --fps 1000 --unpaced --json
says out '"cut_short": 0'

# a video
if command -v ffmpeg >/dev/null; then
  expect 0 "$mien" live "$face" --take "$data/phrase.csv" --every --seconds 0.3 --size 96 -o v.mp4
  [ -s v.mp4 ] || fail "v.mp4 is missing"
  # steps that take longer than a frame: the video takes as long as the performance all the same
  expect 0 "$mien" live "$face" --take "$data/phrase.csv" --fps 1000 --unpaced --seconds 1 --size 96 \
    -o late.mp4
  shown=$(ffprobe -v error -show_entries stream=nb_frames -of csv=p=0 late.mp4)
  [ "${shown:-0}" -ge 20 ] || fail "a second of late steps is a video of $shown frames at 30 a second"
fi

# a performer on video, where it can be tracked: drawn, seen, simulated, recorded, baked again; and a
# file that breaks off in the middle plays as far as it goes
if command -v ffmpeg >/dev/null && "$mien" models check >/dev/null 2>&1 &&
  ! "$mien" live --video missing.mp4 2>&1 | grep -q 'built without'; then
  expect 0 "$mien" live "$face" --take "$data/phrase.csv" --every --seconds 3 --fps 15 --size 320 \
    --solver kinematic -o face.mp4
  expect 0 "$mien" live "$face" --video face.mp4 --every --fps 15 --record seen.csv --json
  says out '"steps": 45'
  live=$(sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' out)
  awk -F, 'NR > 1 { for (i = 2; i < 54; i++) if ($i > 0.1) seen = 1 } END { exit !seen }' seen.csv ||
    fail "nothing was seen of the performer"
  expect 0 "$mien" bake "$face" --anim seen.csv --fps 15 --hash
  [ -n "$live" ] && [ "$live" = "$(tail -1 out)" ] || fail "video: live '$live', baked $(tail -1 out)"
  ffmpeg -loglevel error -y -i face.mp4 -c copy whole.ts
  head -c $(($(wc -c <whole.ts) / 2)) whole.ts >cut.ts
  expect 0 "$mien" live "$face" --video cut.ts --every --fps 15 --solver kinematic --json
  steps=$(sed -n 's/.*"steps": \([0-9]*\),.*/\1/p' out)
  [ "${steps:-0}" -gt 5 ] && [ "$steps" -lt 45 ] || fail "of half a video $steps steps were played"
else
  echo "no performer on video: it takes ffmpeg, cameras and 'mien models install'"
fi

# the page: a picture that changes, and nothing else
if command -v python3 >/dev/null; then
  "$mien" live "$face" --take "$data/reel.csv" --solver kinematic --size 96 --view 0 >view.out \
    2>view.err &
  viewer=$!
  until_so grep -q 'listening to' view.err
  address=$(sed -n 's#^the face is shown at \(http://127.0.0.1:[0-9]*/[0-9a-f]*/\)$#\1#p' view.err)
  fetch=$(dirname "$script")/fetch_view.py
  expect 0 python3 "$fetch" "$address"
  # slow clients do not keep it from ending
  python3 "$fetch" "$address" --hold >hold.out 2>&1 &
  slow=$!
  until_so grep -q holding hold.out
  before=$(date +%s)
  kill -INT $viewer
  wait $viewer || fail "the viewer's mien ended with $?: $(cat view.err)"
  [ $(($(date +%s) - before)) -le 2 ] || fail "with slow clients it took $(($(date +%s) - before)) s to end"
  kill $slow
  wait $slow 2>/dev/null
  # no such port: called wrongly
  expect 2 "$mien" live "$face" --take "$data/phrase.csv" --view 70000
fi

expect 2 "$mien" live
says err 'where does the performance come from'
expect 2 "$mien" live --take a --vmc 1
says err 'two sources'
expect 2 "$mien" live --vmc 0 --every
expect 2 "$mien" live "$face" --take "$data/phrase.csv" -o v.avi
expect 2 "$mien" live "$face" --take "$data/phrase.csv" --send-vmc 127.0.0.1:99999
expect 1 "$mien" live --vmc 0 --listen 203.0.113.7
says err 'does not have that address'
expect 1 "$mien" live --take missing.csv
expect 1 "$mien" live --video missing.mp4
if ! grep -q 'built without' err; then # what a camera is asked with
  expect 2 "$mien" live --video missing.mp4 --tracker eyes
  says err "not 'eyes'"
  expect 2 "$mien" live --video missing.mp4 --face-at 3,1
  says err 'two numbers from 0 to 1'
  expect 2 "$mien" live --video missing.mp4 --filter none
fi

for name in $waiting; do joined $name; done
no_parts .
finish
