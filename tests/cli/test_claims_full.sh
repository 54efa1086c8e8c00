#!/bin/sh
# test_claims_full.sh MIEN WORK [--again] [ID...]: claims in full, all or those named, on a machine
# with nothing else to do. Those that the ledger calls known not to hold must not; all others must.
# What a claim said is kept in WORK with a sum of the program: after a stop, or for one claim more, the
# others are not run again, unless --again asks for it. A table ends it. B12 plays the recorded video MIEN_VIDEO.
mien=$1 work=$2
shift 2
mkdir -p "$work"
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1

again=
[ "${1:-}" = --again ] && again=yes && shift
sum=$(cat "$mien" "$(dirname "$mien")"/../lib/libmien.so* 2>/dev/null | cksum | tr ' ' -)
"$mien" reproduce --help >help
known=$(sed -n '/^claims:/,$s/^  \([A-Z][0-9]*\) .*/\1/p' help)
asked=${*:-$known}
count=$(echo $asked | wc -w) number=0
: >table

# run_claim ID: its verdict is in ID.out, its code, seconds and the program's sum in ID.code
run_claim() {
  of=
  [ ! -f "$1.code" ] || read -r code seconds of <"$1.code"
  if [ -z "$again" ] && [ "$of" = "$sum" ]; then
    echo "[$number of $count] $1: as it was found before ($seconds s)"
    return
  fi
  echo "[$number of $count] $(sed -n "s/^  \($1 .*\)/\1/p" help)"
  begin=$(date +%s)
  video=
  [ "$1" != B12 ] || video=${MIEN_VIDEO:-}
  "$mien" reproduce "$1" ${video:+"$video"} -v -o claims >"$1.out" 2>"$1.err"
  code=$?
  seconds=$(($(date +%s) - begin))
  echo "$code $seconds $sum" >"$1.code"
  cat "$1.out"
}

for id in $asked; do
  number=$((number + 1))
  line=$(grep "^  $id " help) || fail "there is no claim $id"
  case $line in
  '') continue ;;
  *'(missing)') printf '%-4s %-14s\n' "$id" missing >>table; continue ;;
  *'(known not to hold)') wanted=1 ;;
  *) wanted=0 ;;
  esac
  if [ "$id" = B12 ] && ! "$mien" models check >/dev/null 2>&1; then
    echo "SKIPPED: B12 needs the tracker's networks ('mien models install')"
    printf '%-4s %-14s          no networks\n' "$id" skipped >>table
    continue
  fi
  run_claim "$id"
  case $code in 0) verdict=holds ;; 1) verdict='does not hold' ;; *) verdict="error $code" ;; esac
  [ "$code" -eq $wanted ] || fail "$id ended with $code, not $wanted: $(head -3 "$id.err")"
  [ "$code" -eq $wanted ] && remark= || remark=' UNEXPECTED'
  [ $wanted -eq 0 ] || remark="$remark (known)"
  printf '%-4s %-14s %5d s  %s%s\n' "$id" "$verdict" "$seconds" \
    "$(sed -n "s/^$id  ours: \(.*\); paper: .*/\1/p" "$id.out" | cut -c1-140)" "$remark" >>table
done
echo
cat table
finish
