#!/usr/bin/env bash
# coverage.sh BUILD: per reader, how many of its lines ran; the sum at the end must be 90 % at least.
set -euo pipefail
build=$1
find "$build/core" -path '*src/io/*.gcda' -o -path '*src/live/*.gcda' | while read -r data; do
  gcov -n "$data" 2>/dev/null | awk '/^File/ { name = $2 } /^Lines executed/ && name ~ /src\/(io|live)\/.*\.c/ {
    split($0, a, /[:%]/); n = $NF; gsub(/\x27/, "", name); sub(/.*src\//, "", name); print name, a[2], n; name = "" }'
done | sort -u | awk '{ printf "%6.1f %% of %4d  %s\n", $2, $3, $1; hit += $2 * $3 / 100; all += $3 }
  END { if (!all) exit 1; printf "%6.1f %% of %4d lines of the readers and writers\n", 100 * hit / all, all
    exit 100 * hit / all < 90 }'
