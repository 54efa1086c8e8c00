#!/bin/sh
# test_measures.sh MIEN WORK: claims with pictures, bench, doctor.
mien=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1

expect 0 "$mien" reproduce B1 --quick -v -o claims
says out 'holds'
lacks out 'does not hold'
for file in B1.csv B1.png report.html; do [ -s claims/$file ] || fail "claims/$file is missing"; done
expect 0 "$mien" reproduce Z1 --quick -v -o claims
says out 'closer in 0 of'
for file in Z1.csv Z1.png; do [ -s claims/$file ] || fail "claims/$file is missing"; done
expect 2 "$mien" reproduce X99
says err "no claim 'X99'"
expect 2 "$mien" reproduce d1
says err 'is missing: no experiment shows it yet'
expect 0 "$mien" reproduce --help
says out '  K1   a still head gives the input animation exactly, also on hard rigs'
says out 'from a few corrected frames (missing)'
expect 0 "$mien" bench --quick --json --csv bench.csv
parses bench
says out '"P18"'
[ "$(wc -l <bench.csv)" -ge 5 ] || fail "bench.csv is short"
expect 0 "$mien" doctor --json
parses doctor
no_parts .
finish
