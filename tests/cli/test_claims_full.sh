#!/bin/sh
# test_claims_full.sh MIEN WORK [--again] [--runs N] [ID...]: claims in full, all or those named, N times (1), on a
# machine with nothing else to do. Those that the ledger calls known not to hold must not; all others must, in every
# run. What a claim said, its curves and its pictures are kept in WORK/run-K with a sum of the program: after a stop,
# or for one claim more, the others are not run again, unless --again asks for it. Claims that judge no times are
# played two at a time, a thread each; those that do have the machine for themselves. A table ends it, with the figures
# of all runs; it names claims whose verdicts differ. B12 plays the recorded video MIEN_VIDEO.
here=$(cd "$(dirname "$0")" && pwd)
script=$here/$(basename "$0") mien=$1 work=$2
shift 2
. "$here/checks.sh"

again= runs=1
while :; do
  case ${1:-} in
  --again) again=yes && shift ;;
  --runs) runs=${2:-} && shift && shift ;;
  *) break ;;
  esac
done
case $runs in '' | *[!0-9]* | 0*) echo "--runs wants a number, 1 or more" >&2 && exit 2 ;; esac
mkdir -p "$work"
cd "$work" || exit 1
[ -n "${CLAIMS_SUM:-}" ] || CLAIMS_SUM=$(cat "$mien" "$(dirname "$mien")"/../lib/libmien.so* 2>/dev/null | cksum | tr ' ' -)
export CLAIMS_SUM
[ -n "${CLAIMS_PLAY:-}" ] || "$mien" reproduce --help >help

line_of() { sed -n "s/^  \($1 .*\)/\1/p" help; }

# play FOLDER ID [OPTIONS]: what it said is in FOLDER/ID.out; its code, seconds and the program's sum in FOLDER/ID.code
play() {
  in=$1 id=$2 video=
  shift 2
  [ "$id" != B12 ] || video=${MIEN_VIDEO:-}
  begin=$(date +%s)
  "$mien" reproduce "$id" ${video:+"$video"} -v -o "$in/claims" "$@" >"$in/$id.out" 2>"$in/$id.err"
  code=$?
  echo "$code $(($(date +%s) - begin)) $CLAIMS_SUM" >"$in/$id.code"
  printf '[%s] %s\n%s\n' "$in" "$(line_of "$id")" "$(cat "$in/$id.out")" # at once, as another one may write, too
}

# One of two that are played beside each other.
if [ -n "${CLAIMS_PLAY:-}" ]; then
  play "$CLAIMS_PLAY" "$1" -t 1
  exit 0
fi

# was_found FOLDER ID: by this program, and it may stay
was_found() {
  [ -z "$again" ] && [ -f "$1/$2.code" ] && [ "$(cut -d' ' -f3 "$1/$2.code")" = "$CLAIMS_SUM" ]
}

played= shared= alone=
for id in ${*:-$(sed -n '/^claims:/,$s/^  \([A-Z][0-9]*\) .*/\1/p' help)}; do
  case $(line_of "$id") in
  '') fail "there is no claim $id" && continue ;;
  *'(missing)'*) continue ;;
  *'(judges times'*) alone="$alone $id" ;;
  *) shared="$shared $id" ;;
  esac
  played="$played $id"
done
if ! "$mien" models check >/dev/null 2>&1 && echo " $played " | grep -q ' B12 '; then
  echo "SKIPPED: B12 needs the tracker's networks ('mien models install')"
  played=$(echo " $played " | sed 's/ B12 / /') alone=$(echo " $alone " | sed 's/ B12 / /')
fi

for run in $(seq "$runs"); do
  mkdir -p "run-$run"
  todo=
  for id in $shared; do was_found "run-$run" "$id" || todo="$todo $id"; done
  [ -z "$todo" ] || echo "$todo" | CLAIMS_PLAY=run-$run xargs -n 1 -P 2 sh "$script" "$mien" "$work"
  for id in $alone; do was_found "run-$run" "$id" || play "run-$run" "$id"; done
done

# -- the table ------------------------------------------------------------------------------------

verdict_of() {
  case $1 in 0) echo 'holds' ;; 1) echo 'does not hold' ;; *) echo "error $1" ;; esac
}

: >table
: >differ
for id in $played; do
  wanted=0 remark= verdicts= lasted=
  case $(line_of "$id") in *'known not to hold'*) wanted=1 remark=' (known)' ;; esac
  : >figures
  : >codes
  for run in $(seq "$runs"); do
    read -r code seconds sum <"run-$run/$id.code"
    echo "$code" >>codes
    [ "$code" -eq $wanted ] || remark=' UNEXPECTED'
    [ "$code" -eq $wanted ] || fail "$id ended with $code, not $wanted, in run $run: $(head -3 "run-$run/$id.err")"
    verdicts="$verdicts${verdicts:+, }$(verdict_of "$code")" lasted="$lasted $seconds"
    sed -n "s/^$id  ours: \(.*\); paper: .*/\1/p" "run-$run/$id.out" >>figures
  done
  if [ "$(sort -u codes | wc -l)" -eq 1 ]; then
    verdicts=$(verdict_of "$code")
  else
    remark=' DIFFERS' && echo "$id" >>differ
  fi
  printf '%-4s %s%s,%s s\n' "$id" "$verdicts" "$remark" "$lasted" >>table
  uniq figures | sed 's/^/       /' >>table
done
echo
cat table
sed -n 's/^  \([A-Z][0-9]*\) .*(missing)$/\1 missing/p' help
if [ -s differ ]; then
  fail "verdicts differ from run to run: $(tr '\n' ' ' <differ)"
elif [ "$runs" -gt 1 ]; then
  echo "$runs runs, every verdict the same"
fi
finish
