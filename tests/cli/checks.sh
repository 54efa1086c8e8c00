# Sourced by the scripts beside it: run a command, look at its exit code and its words.
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect CODE COMMAND...: runs it; its output is in $work/out and $work/err
expect() {
  wanted=$1
  shift
  "$@" >"$work/out" 2>"$work/err"
  code=$?
  [ "$code" -eq "$wanted" ] || fail "exit code $code instead of $wanted: $*
$(head -5 "$work/err")"
}

# says FILE TEXT: that the last output (out or err) contains a text
says() {
  grep -qF -- "$2" "$work/$1" || fail "'$2' is not in the output:
$(head -5 "$work/$1")"
}

lacks() {
  ! grep -qF -- "$2" "$work/$1" || fail "'$2' is in the output"
}

# parses: that the last output is JSON
parses() {
  if command -v python3 >/dev/null 2>&1; then
    python3 -m json.tool "$work/out" >/dev/null 2>&1 || fail "not JSON: $*"
  else
    grep -q '^{' "$work/out" && grep -q '^}' "$work/out" || fail "not JSON: $*"
    [ -n "$told" ] || echo "no python3 here: JSON is only looked at, not parsed"
    told=yes
  fi
}

# beside NAME: begins the function NAME in a folder of its own, beside what follows; joined NAME waits for it. For what
# mostly waits.
beside() {
  (
    work=$work/$1
    mkdir -p "$work"
    cd "$work" || exit 1
    failures=0
    $1
    finish
  ) >"$work/$1.said" 2>&1 &
  eval "beside_$1=$!"
}

joined() {
  eval "wait \$beside_$1" || fail "$1: $(cat "$work/$1.said")"
}

# no_parts FOLDER: that every file in it has got its name
no_parts() {
  left=$(find "$1" -name '*.part*')
  [ -z "$left" ] || fail "left behind: $left"
}

finish() {
  [ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
  echo "all passed"
}
