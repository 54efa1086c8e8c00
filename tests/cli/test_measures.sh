#!/bin/sh
# test_measures.sh MIEN WORK: reproduce, bench, doctor.
mien=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1

# a claim leaves its report; one that cannot write its figures leaves nothing and says why
expect 0 "$mien" reproduce Z9 --quick -o claims
[ -s claims/report.html ] || fail "claims/report.html is missing"
says claims/report.html 'does not show: '
mkdir -p claims/Z9.csv.part
expect 1 "$mien" reproduce Z9 --quick -o claims
says err 'Z9.csv'
rmdir claims/Z9.csv.part
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
