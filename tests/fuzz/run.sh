#!/usr/bin/env bash
# run.sh FOLDER SECONDS: every fuzz target of FOLDER on its corpus, SECONDS each. What is found is
# kept in FOLDER/found; the exit code is 1 when a target broke.
set -euo pipefail
corpus=$(cd "$(dirname "$0")" && pwd)/corpus
found=$1/found seconds=$2 ntarget=0 broken=()
for target in "$1"/fuzz_*; do
  [ -x "$target" ] || continue
  name=${target##*/fuzz_}
  ntarget=$((ntarget + 1))
  mkdir -p "$found/$name"
  echo "fuzzing $name for $seconds s"
  folders=("$found/$name")
  from=$name
  case $name in face) from=glb ;; stream) from=live ;; snapshot) from=state ;; esac
  for folder in "$corpus/$from" "$1/../fuzz_corpus/$from" "$1/../fuzz_corpus/$name"; do # some seeds are made by the build
    [ ! -d "$folder" ] || folders+=("$folder")
  done
  for pack in "$corpus/$from.seeds" "$corpus/$name.seeds"; do
    [ -f "$pack" ] || continue
    python3 "$corpus/../seeds.py" unpack "$pack" "$found/kept_$name"
    folders+=("$found/kept_$name")
  done
  [ ${#folders[@]} -gt 1 ] || { echo "fuzz_$name has no corpus" >&2; exit 1; }
  "$target" -max_total_time="$seconds" -max_len=20000 -timeout=10 -rss_limit_mb=1024 \
    -artifact_prefix="$found/$name-" "${folders[@]}" >"$found/$name.log" 2>&1 ||
    { broken+=("$name"); tail -40 "$found/$name.log"; }
  sed -n 's/^Done \([0-9]* runs\).*/  \1/p' "$found/$name.log"
done
[ "$ntarget" -gt 0 ] || { echo "there are no fuzz targets in $1" >&2; exit 1; }
[ ${#broken[@]} -eq 0 ] || { echo "broken: ${broken[*]}; see $found" >&2; exit 1; }
echo "$ntarget targets held"
