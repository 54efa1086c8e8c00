#!/bin/sh
# test_claims.sh MIEN WORK: the quick variants of the solver's claims. What follows from arithmetic
# must hold; what compares times is only run to its end, because a test must not depend on how busy
# the machine is.
mien=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1

# claim ID CODES: runs it on one thread; its exit code must be one of CODES and its files be there
claim() {
  "$mien" reproduce "$1" --quick -v -t 1 -o claims >out 2>err
  code=$?
  case " $2 " in *" $code "*) ;; *) fail "reproduce $1 ended with $code: $(head -3 err out)" ;; esac
  says out "$1  ours: "
  says out 'hold'
  lacks out 'inf'
  for file in "claims/$1.csv" "claims/$1.png"; do
    [ -s "$file" ] || fail "$file is missing"
  done
  [ "$(wc -l <"claims/$1.csv")" -ge 4 ] || fail "claims/$1.csv is short"
}

claim B4 0
claim B6 0
claim Z3 0
claim Z9 0
claim B2 0
says out 'rounds: the simulated skin'
claim B10 0
says out 'all w >= 0'
claim B9 0
says out 'reproducible by seed'
[ -s claims/B9_peeling.png ] || fail "claims/B9_peeling.png is missing"
claim B11 0
[ -s claims/B11_sway.png ] || fail "claims/B11_sway.png is missing"
for id in D2 D3 D4 D5 K2 K3; do claim $id 0; done
claim K1 0
says out 'with contact on: at most 0.0e+00 m off'
says out 'overlap=150, short: 151 pairs cross in the neutral'
lacks out 'VIOLATED'
[ "$(wc -l <claims/K1_hard.csv)" -ge 80 ] || fail "claims/K1_hard.csv is short"
[ -s claims/K1_naive.png ] || fail "claims/K1_naive.png is missing"
for id in D6 D9 D10; do claim $id 0; done
claim K9 '0 1'
claim K4 0
claim K5 0
claim K7 0
says out 'the same bits with a still head'
claim K8 0
claim K6 0
[ -s claims/K6_worst.png ] || fail "claims/K6_worst.png is missing"
claim B8 0
[ -s claims/B8_worst.png ] || fail "claims/B8_worst.png is missing"
claim L1 0
says out 'L1  ours: 0 pairs cross'
for id in L2 L3 L4; do
  claim $id '0 1'
  says out "after the barrier's steps: 0, by exact test"
done
# from video, where the network's files are
if "$mien" models check >/dev/null 2>&1; then
  claim B12 '0 1'
  says out 'comes back at'
  [ -s claims/B12_overlay.png ] || fail "claims/B12_overlay.png is missing"
else
  echo "B12 is left out: 'mien models install' has not been run"
fi
claim B3 '0 1'
claim B7 '0 1'
says out 'energy reached'
[ ! "$(grep -c 'GS-L-BFGS' claims/B3.csv)" -lt 8 ] || fail "B3.csv lacks the paper's solver"
no_parts claims

# a claim that cannot write its figures leaves nothing and says why
mkdir -p claims/B4.csv.part
expect 1 "$mien" reproduce B4 --quick -o claims
says err 'B4.csv'
rmdir claims/B4.csv.part

finish
