#!/bin/sh
# test_pictures.sh MIEN SAMPLES WORK: pictures, videos and the demo.
mien=$1 samples=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1
expect 0 "$mien" attach "$samples/head_small.glb" -o face.glb
expect 0 "$mien" bake face.glb --head "$samples/shake.csv" --seconds 1 -o one.pc2

# what draws is loaded by commands that draw: it takes most of the time in which a command starts
! ldd "$mien" | grep -q OSMesa || fail "every command loads OSMesa"

# -- render ---------------------------------------------------------------------------------------

png_size() { od -An -tu1 -j16 -N8 "$1" | awk '{print $3*256+$4 "x" $7*256+$8}'; }
expect 0 "$mien" render face.glb -s 96 -o still.png -w jawOpen=0.5,mouthSmileLeft
[ "$(png_size still.png)" = 96x96 ] || fail "still.png is $(png_size still.png)"
expect 0 "$mien" render face.glb -s 96 --panels skin,clay,wire,cut,heat --field thickness -o panels.png
expect 0 "$mien" render face.glb -s 64 --sheet -o sheet.png
expect 0 "$mien" render one.pc2 --rig face.glb -s 64 --panels heat --range 0:10 -o heat.mp4
expect 0 "$mien" render face.glb --anim "$samples/phrase.csv" --seconds 0.2 -s 64 -o talk.mp4
for file in panels.png sheet.png heat.mp4 talk.mp4; do [ -s $file ] || fail "$file is missing"; done
expect 1 "$mien" render face.glb -w noSuchShape=1 -o no.png
says err 'noSuchShape'
expect 2 "$mien" render face.glb -w jawOpen=abc -o no.png
expect 2 "$mien" render face.glb --panels upside -o no.png
expect 2 "$mien" render face.glb --view elbow -o no.png
expect 2 "$mien" render face.glb -o no.gif
expect 2 "$mien" render face.glb -o no.mp4
expect 1 "$mien" render face.glb --panels heat --field noSuchMap -o no.png
says err 'noSuchMap'
expect 1 "$mien" render one.pc2 -s 64 -o no.png
says err '--rig'
[ ! -e no.png ] || fail "a refused picture was written"

# -- demo -----------------------------------------------------------------------------------------

expect 0 "$mien" demo --quick -o demo
for file in demo.mp4 demo.glb demo.png flesh.png report.html; do [ -s demo/$file ] || fail "demo/$file is missing"; done
expect 0 "$mien" demo --reel --quick -o demo
for file in reel.mp4 reel.png; do [ -s demo/$file ] || fail "demo/$file is missing"; done
expect 0 "$mien" inspect demo/demo.glb
says out 'animation'
no_parts .
finish
