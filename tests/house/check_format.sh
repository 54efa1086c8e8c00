#!/bin/sh
# Every C and C++ file is as clang-format 14 leaves it.
set -eu
cd "$1"
if ! command -v clang-format >/dev/null; then
  echo "skipped: clang-format is not installed"
  exit 77
fi
# a checkout, an unpacked archive, a machine without git: all the same
files=$(find core ui tests sample_rigs plugin -name '*.[ch]' -o -name '*.[ch]pp')
count=$(echo "$files" | wc -l)
if [ "$count" -lt 80 ]; then
  echo "found only $count files to check"
  exit 1
fi
echo "$files" | xargs clang-format --dry-run -Werror
echo "$count files are formatted"
