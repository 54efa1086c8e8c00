#!/bin/sh
# test_claims_full.sh MIEN WORK: every claim in full, on a machine with nothing else to do. Those that
# the ledger calls known not to hold must not; all others must.
mien=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1

"$mien" reproduce --help >help
for id in $(sed -n '/^claims:/,$s/^  \([A-Z][0-9]*\) .*/\1/p' help); do
  line=$(grep "^  $id " help)
  case $line in *'(missing)') echo "$id is missing"; continue ;; esac
  case $line in *'(known not to hold)') wanted=1 ;; *) wanted=0 ;; esac
  "$mien" reproduce "$id" -o claims >out 2>err
  code=$?
  cat out
  [ $code -eq $wanted ] || fail "$id ended with $code, not $wanted: $(head -3 err)"
done
finish
