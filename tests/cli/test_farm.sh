#!/bin/sh
# test_farm.sh MIEN SAMPLES WORK: every shot once, whoever is killed; one report.
mien=$1 samples=$2 work=$3
rm -rf "$work"
mkdir -p "$work/show"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1
"$mien" attach "$samples/head_small.glb" -o show/face.glb >/dev/null 2>&1 || exit 1
cp "$samples/phrase.csv" "$samples/shake.csv" show

# shot NAME SECONDS PARAMETERS
shot() {
  mkdir -p "show/$1"
  cat >"show/$1/shot.json" <<END
{
  "mien_shot": 1,
  "rig": "../face.glb",
  "takes": [{"file": "../phrase.csv"}],
  "head": "../shake.csv",
  "parameters": {$3},
  "seconds": $2,
  "outputs": {"cache": "out.pc2"}
}
END
}

# noted WHAT NAME: how often the journal says it of a shot
noted() { grep -c " $1 show_$2-" farm/journal.txt; }

# until_so COMMAND...: waits until it succeeds, for some time
until_so() {
  tries=0
  until "$@"; do
    tries=$((tries + 1))
    [ $tries -lt 1200 ] || return 1
    sleep 0.05
  done
}

for name in a b c; do shot $name 0.1 '"solver": "kinematic"'; done
shot wrong 0.1 '"sticki": 1'
expect 1 "$mien" farm show/a show/b/shot.json show/c show/wrong show/a -o farm --jobs 2
says err 'show/wrong/shot.json:6: parameters.sticki: there is no parameter'
says out '4 shots: 3 done (3 of them now), 1 failed'
for name in a b c; do
  [ "$(noted done $name)" -eq 1 ] || fail "shot $name was not baked once"
  "$mien" bake show/$name/shot.json -o alone.pc2 >/dev/null 2>&1
  cmp -s alone.pc2 show/$name/out.pc2 || fail "the farm's shot $name differs from its bake alone"
  grep -q "$(sha256sum <alone.pc2 | cut -d' ' -f1)" show/$name/out.pc2.json || fail "the hash in $name's record"
  grep -q "show_$name-.*\.png" farm/report.html || fail "the report shows no picture of $name"
done
ls farm/pictures/show_a-*.png >/dev/null || fail "no picture was drawn"
grep -q 'there is no parameter' farm/report.html || fail "the report does not say why a shot failed"

# names need not be UTF-8, and what a shot is made of is stamped all the same
odd=$(printf 'odd\377')
shot "$odd" 0.1 '"solver": "kinematic"'
cp show/phrase.csv "show/$odd/take.csv"
sed "s|../phrase.csv|../odd.csv|" "show/$odd/shot.json" >odd.json && mv odd.json "show/$odd/shot.json"
ln -s "$odd/take.csv" show/odd.csv
expect 0 "$mien" farm "show/$odd" -o odd_farm --json
parses 'a shot whose name is not UTF-8'
says out '"baked_now": 1'
grep -q '"shot"' odd_farm/report.json || fail "a shot whose name is not UTF-8 is not in the report"
expect 0 "$mien" farm "show/$odd" -o odd_farm --json
says out '"baked_now": 0'
echo >>"show/$odd/take.csv"
expect 0 "$mien" farm "show/$odd" -o odd_farm --json
says out '"baked_now": 1'

# what is done is done, until something that it was made of changes
expect 0 "$mien" farm show/a show/b show/c -o farm --json
parses 'farm --json'
says out '"baked_now": 0'
shot b 0.15 '"solver": "kinematic"'
rm show/c/out.pc2
expect 0 "$mien" farm show/a show/b show/c -o farm --json
says out '"baked_now": 2'
[ "$(noted done a) $(noted done b) $(noted done c)" = '1 2 2' ] || fail "baked: $(cat farm/journal.txt)"
expect 0 "$mien" farm show/a -o farm --again --json
says out '"baked_now": 1'

# called wrongly
expect 2 "$mien" farm
expect 2 "$mien" farm show/a --engine deadline
expect 1 "$mien" farm show/nothing -o farm
mkdir -p show/twin && sed 's|out.pc2|../a/out.pc2|' show/a/shot.json >show/twin/shot.json
expect 1 "$mien" farm show/a show/twin -o farm
says err 'writes the same cache as'
[ "$(noted done twin)" -eq 0 ] || fail "a shot that writes another's cache was baked"
sed '/outputs/d; s/"seconds": 0.1,/"seconds": 0.1/' show/a/shot.json >show/twin/shot.json
expect 1 "$mien" farm show/twin -o farm
says err 'names no outputs.cache'

# what has the name of a record may be anything: nobody waits for it
shot pipe 0.1 '"solver": "kinematic"'
mkfifo show/pipe/out.pc2.json
expect 1 timeout 100 "$mien" farm show/pipe -o farm
says err 'not a file'
# lists have a path a line
lines=$(printf 'two\nlines')
shot "$lines" 0.1 '"solver": "kinematic"'
expect 1 "$mien" farm "show/$lines" -o farm
says err 'line end'
rm -r "show/$lines"

# a full disk: retried, told, and gone on with
shot full 0.1 '"solver": "kinematic"'
(trap '' XFSZ; ulimit -f 100; exec "$mien" farm show/full -o farm --retries 1) >out 2>err && fail "a full disk was not told"
says err 'File too large'
[ "$(noted start full) $(noted retry full) $(noted failed full)" = '1 1 1' ] || fail "retries: $(cat farm/journal.txt)"
expect 0 "$mien" farm show/full -o farm

# started by what ignores its children, as some services do: their ends are seen all the same
shot ignored 0.1 '"solver": "kinematic"'
python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN) # no trap of a shell does it
os.execv(sys.argv[1], sys.argv[1:])' "$mien" farm show/ignored -o farm >out 2>err &
first=$!
until_so grep -q ' done show_ignored-' farm/journal.txt || fail "the end of a bake was not seen"
kill -9 $first 2>/dev/null
wait $first

# killed in the middle, with everything it has begun: the same command goes on, to the same bits
shot long 2.2 '"iterations": 1'
shot other 0.1 '"solver": "kinematic"'
"$mien" farm show/long show/other -o farm --jobs 1 >/dev/null 2>&1 &
first=$!
until_so test -s show/long/out.pc2.part
kill -9 $first
wait $first 2>/dev/null
# the bake hears of it and keeps its frames; two farms at once then share what is left
"$mien" farm show/long show/other -o farm --jobs 1 >two.out 2>&1 &
second=$!
expect 0 "$mien" farm show/other show/long -o farm2 --jobs 1
wait $second || fail "the second of two farms: $(cat two.out)"
# stopped by Ctrl-C
shot stop 2.2 '"iterations": 1, "wind": [1, 0, 0]'
"$mien" farm show/stop -o farm >three.out 2>&1 &
third=$!
until_so test -s show/stop/out.pc2.part
kill -TERM $third
wait $third && fail "a farm that was stopped ends with 0"
grep -q 'the same command goes on' three.out || fail "a farm that was stopped says: $(cat three.out)"
[ -e show/stop/out.pc2.state ] || fail "nothing was kept of a bake that was stopped"
expect 0 "$mien" farm show/stop -o farm
for name in long other stop; do
  [ "$(cat farm/journal.txt farm2/journal.txt | grep -c " done show_$name-")" -eq 1 ] ||
    fail "shot $name was not done once: $(cat farm/journal.txt farm2/journal.txt)"
done
"$mien" bake show/long/shot.json -o alone.pc2 >/dev/null 2>&1
cmp -s alone.pc2 show/long/out.pc2 || fail "a killed and resumed shot differs from its bake alone"
no_parts show

# links in the farm's folder are not followed, whoever put them there
echo precious >victim
for file in logs/show_a-*.log results/show_a-*.json journal.txt; do
  file=$(cd farm && echo $file)
  ln -sf "$PWD/victim" "farm/$file"
done
expect 0 "$mien" farm show/a -o farm --again
[ "$(cat victim)" = precious ] || fail "the farm wrote through a link: $(cat victim)"
[ ! -L "$(echo farm/results/show_a-*.json)" ] || fail "what a bake prints is still a link"

# any name of a folder is one word of a task's script, and runs as nothing else (a Slurm that starts nothing)
mkdir -p tools
printf '#!/bin/sh\nexit 0\n' >tools/sinfo
printf '#!/bin/sh\nexit 0\n' >tools/scontrol
printf '#!/bin/sh\necho Invalid job id; exit 1\n' >tools/squeue
printf '#!/bin/sh\nfor word; do script=$word; done; PATH=$PATH sh "$script" >"%s/task.out" 2>&1; echo 7\n' "$PWD" >tools/sbatch
chmod +x tools/*
quoted="it's \$(touch \"\$MADE\") \"of one\""
mkdir -p "$quoted"
cp "$mien" "$quoted/mien"
shot quoted 0.1 '"solver": "kinematic"'
expect 0 env MADE="$PWD/made" PATH="$PWD/tools:$PATH" MIEN_DATA="$samples" SLURM_ARRAY_TASK_ID=0 \
  "$quoted/mien" farm show/quoted --engine slurm -o "$quoted/farm" --retries 0
[ ! -e made ] || fail "a folder's name was run: $(cat task.out)"
[ -s show/quoted/out.pc2 ] || fail "the task did not bake: $(cat task.out)"

# a record that somebody wrote: its remarks are no texts
sed -i 's/"remarks": \[/"remarks": [1,/' show/a/out.pc2.json
grep -q '\[1,' show/a/out.pc2.json || fail "the record was not changed"
expect 0 "$mien" farm show/a -o farm
finish
