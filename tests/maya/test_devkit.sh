#!/bin/sh
# The plug-in as docs/maya.md installs it, from a devkit that has our host in it: where everything is,
# what the plug-in shows and needs, and that it runs from there.
# usage: test_devkit.sh CMAKE SOURCES BUILD HOST_LIBRARIES TEST
set -eu
cmake=$1 sources=$2 build=$3 host=$4 test=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*" >&2
  exit 1
}

"$cmake" --install "$build" --component maya --prefix "$work/modules" >/dev/null
module=$work/modules/mien plugin=$work/modules/mien/plug-ins/2026/mienFace.so
for file in "$work/modules/mien.mod" "$plugin" "$module/scripts/mienMenu.mel" "$module/presets/fat.json" \
  "$module"/lib/libmien.so.*; do
  [ -e "$file" ] || fail "the module has no ${file#"$work"/}"
done
grep -A1 'MAYAVERSION:2026' "$work/modules/mien.mod" | grep -q 'plug-ins: plug-ins/2026' || fail "mien.mod"
[ "$(find "$module/scripts" -name '*.mel' | wc -l)" = "$(find "$sources/mel" -name '*.mel' | wc -l)" ] || fail "MEL"

# what Maya looks for, and nothing of ours besides
shown=$(nm -D --defined-only "$plugin" | awk '$2 == "T" {print $3}' | grep -v '^_init$\|^_fini$' | sort)
for name in initializePlugin uninitializePlugin; do
  echo "$shown" | grep -q "$name" || fail "$name is not exported"
done
echo "$shown" | grep -v 'initializePlugin' && fail "more than the two entries is exported"
readelf -d "$plugin" | grep -q 'R.*PATH.*\$ORIGIN/../../lib' || fail "it does not look for libmien in its module"
readelf -d "$plugin" | grep -q 'NEEDED.*libmien' || fail "it does not need libmien"
flags=$(grep -h 'CXX_DEFINES\|DEFINES =' "$build/build.ninja" | grep -- '-DREQUIRE_IOSTREAM' | head -1)
for define in LINUX LINUX_64 REQUIRE_IOSTREAM _BOOL; do
  echo " $flags " | grep -q -- "-D$define " || fail "compiled without $define"
done

LD_LIBRARY_PATH=$host "$test" "$plugin" || fail "it does not run from its module"

echo "devkit: installed, looked at and run"
