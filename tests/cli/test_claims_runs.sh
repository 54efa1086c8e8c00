#!/bin/sh
# test_claims_runs.sh WORK: what './run claims --runs N' makes of a program whose claims are known: verdicts and
# figures of all runs, what differs, what was expected, and what need not be played again.
rm -rf "$1"
mkdir -p "$1"
work=$(cd "$1" && pwd)
script=$(cd "$(dirname "$0")" && pwd)/test_claims_full.sh
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1

# Z9 holds in every play but the second; B5 never does, and is known not to.
cat >mien <<'END'
#!/bin/sh
if [ "$2" = --help ]; then
  printf '%s\n' 'claims:' '  B1   flesh' '  B5   cost (judges times) (known not to hold)' '  D1   lips (missing)' '  Z9   filter'
  exit 0
fi
[ "$1" = reproduce ] || exit 1
echo "$*" >>"$PLAYED"
nplay=$(grep -c "^reproduce $2 " "$PLAYED")
verdict=0
[ "$2" != B5 ] || verdict=1
[ "$2 $nplay" != 'Z9 2' ] || verdict=1
echo "$2  ours: figure $nplay; paper: none; it is $verdict"
exit $verdict
END
chmod +x mien
export PLAYED="$work/played"

expect 1 sh "$script" "$work/mien" "$work/claims" --runs 3
says out 'B1   holds, '
says out 'B5   does not hold (known), '
says out 'D1 missing'
says out 'Z9   holds, does not hold, holds DIFFERS, '
says out 'verdicts differ from run to run: Z9'
for run in 1 2 3; do says out "       figure $run"; done
lacks out 'UNEXPECTED'
[ "$(wc -l <played)" -eq 9 ] || fail "$(wc -l <played) plays instead of nine"
# what judges no times has one thread, as another one plays beside it
grep -q 'reproduce B1 .* -t 1$' played || fail 'B1 has more than one thread'
! grep -q 'reproduce B5 .* -t 1$' played || fail 'B5 has one thread'

# nothing is played again; one claim alone is the same in all runs
expect 0 sh "$script" "$work/mien" "$work/claims" --runs 3 B1 B5
says out '3 runs, every verdict the same'
[ "$(wc -l <played)" -eq 9 ] || fail 'what was known was played again'
expect 0 sh "$script" "$work/mien" "$work/claims" --again Z9
[ "$(wc -l <played)" -eq 10 ] || fail '--again did not play once'

# a program that is another one
echo '# another one' >>mien
expect 0 sh "$script" "$work/mien" "$work/claims" Z9
[ "$(wc -l <played)" -eq 11 ] || fail 'another program was not asked'
sed -i 's/known not to hold/flesh/' mien
expect 1 sh "$script" "$work/mien" "$work/claims" B5
says out 'B5   does not hold UNEXPECTED'
expect 2 sh "$script" "$work/mien" "$work/claims" --runs 0
finish
