#!/bin/sh
# test_claims.sh MIEN WORK CLAIM...: quick variants of claims. They judge what follows from arithmetic, so each
# must hold; times are judged by full runs alone (./run claims), because a test must not depend on
# how busy the machine is. Where the networks are missing B12 is skipped aloud (code 77).
mien=$1 work=$2
shift 2
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1

# Expected not to hold, even quickly: the reason is printed, and one that suddenly holds fails.
misses=" B10 "

# what a claim must say, and the pictures it must leave
check_more() {
  case $1 in
  B2) says out 'weights not told' ;;
  B9) says out 'reproducible by seed' ;;
  B10)
    says out 'all w >= 0'
    # no farther than where it is known to fall short
    grep -q 'flesh goes 1\.[0-9]* -> 0\.5' out || fail "B10's flesh goes farther: $(head -1 out)"
    ;;
  K1)
    says out 'with contact on: at most 0.0e+00 m off'
    says out 'overlap=150, short: 151 pairs cross in the neutral'
    lacks out 'VIOLATED'
    [ "$(wc -l <claims/K1_hard.csv)" -ge 80 ] || fail "claims/K1_hard.csv is short"
    ;;
  K7) says out 'the same bits with a still head' ;;
  L1) says out 'L1  ours: 0 pairs cross' ;;
  L2 | L3 | L4) says out "after the barrier's steps: 0, by exact test" ;;
  B7) says out 'energy reached' ;;
  Z1) says out 'closer in 0 of' ;;
  B3) [ ! "$(grep -c 'GS-L-BFGS' claims/B3.csv)" -lt 8 ] || fail "B3.csv lacks the paper's solver" ;;
  esac
  case $1 in
  B8 | K6) more=_worst ;; B9) more=_peeling ;; B11) more=_sway ;; B12) more=_overlay ;; K1) more=_naive ;;
  *) more= ;;
  esac
  [ -s "claims/$1$more.png" ] || fail "claims/$1$more.png is missing"
}

run_claim() {
  "$mien" reproduce "$1" --quick -v -t 1 -o claims >out 2>err
  code=$?
  case $misses in *" $1 "*) wanted=1 ;; *) wanted=0 ;; esac
  [ $code -eq $wanted ] || fail "reproduce $1 ended with $code, not $wanted: $(head -4 err out)"
  [ $wanted -eq 0 ] || echo "EXPECTED NOT TO HOLD: $(head -1 out)"
  says out "$1  ours: "
  says out 'does not show: '
  lacks out 'inf'
  lacks out 'nan mm'
  for file in "claims/$1.csv" "claims/$1.png"; do [ -s "$file" ] || fail "$file is missing"; done
  # a header and two rows: what a claim with a ratio (with and without its method) has at least
  [ "$(wc -l <"claims/$1.csv")" -ge 3 ] || fail "claims/$1.csv is short"
  check_more "$1"
}

if [ "$*" = B12 ] && ! "$mien" models check >/dev/null 2>&1; then
  echo "SKIPPED: B12 needs the tracker's networks ('mien models install')"
  exit 77
fi
for id; do run_claim "$id"; done
no_parts claims
finish
