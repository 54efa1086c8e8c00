#!/bin/sh
# How the module is made and found: what CMake would do with a devkit on three systems, the module file, and
# what is refused. usage: test_module.sh CMAKE SOURCES
set -eu
cmake=$1 sources=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  cat "$work/log" >&2 2>/dev/null || true
  echo "$*" >&2
  exit 1
}
probe() { # SYSTEM DEVKIT MAYA
  rm -rf "$work/build/CMakeCache.txt"
  env DEVKIT_LOCATION="$2" MAYA_LOCATION="$3" "$cmake" -S "$sources/tests/maya/module_probe" -B "$work/build" \
    -G Ninja -DSOURCES="$sources" -DSYSTEM="$1" >"$work/log" 2>&1
}
says() { tr -s ' \n' ' ' <"$work/log" | grep -qF -- "$1"; }

mkdir -p "$work/devkit/include/maya" "$work/devkit/lib" "$work/headers/include/maya" "$work/maya/lib"
for kit in devkit headers; do
  printf '#define\tMAYA_API_VERSION\t20260000\n' >"$work/$kit/include/maya/MTypes.h"
done
for name in OpenMaya OpenMayaAnim OpenMayaUI Foundation; do
  touch "$work/devkit/lib/lib$name.so" "$work/maya/lib/lib$name.so"
done

probe linux "$work/devkit" "" || fail "does not configure"
says 'INSTALL_RPATH=$ORIGIN/../../lib' || fail "the plug-in does not look for libmien in its module"
for name in OpenMaya OpenMayaAnim OpenMayaUI Foundation; do
  says "$work/devkit/lib/lib$name.so" || fail "$name is not linked"
done
probe linux "$work/headers" "$work/maya" || fail "a devkit without libraries, beside a Maya that has them, is refused"
says "$work/maya/lib/libOpenMayaUI.so" || fail "the libraries of the installed Maya are not taken"
probe macos "$work/devkit" "" || fail "macOS does not configure"
says 'INSTALL_RPATH=@loader_path/../../lib' || fail "macOS knows no \$ORIGIN"
says 'SUFFIX=.bundle' || fail "macOS loads bundles"
probe windows "$work/devkit" "" || fail "Windows does not configure"
says 'SUFFIX=.mll' || fail "Windows loads .mll"

years=$(grep -c '^+ MAYAVERSION:' "$sources/mel/mien.mod")
[ "$(grep -c '^PATH+:=lib' "$sources/mel/mien.mod")" = "$years" ] || fail "Windows does not find libmien: no PATH in mien.mod"

refuse() { # WORDS DEVKIT
  probe linux "$2" "" && fail "configured with the devkit '$2'"
  says "$1" || fail "does not say: $1"
}
refuse "set DEVKIT_LOCATION" ""
refuse "maya/MTypes.h" "$work"
mkdir -p "$work/old/include/maya"
printf '#define\tMAYA_API_VERSION\t20200000\n' >"$work/old/include/maya/MTypes.h"
refuse "is of Maya 2020; mien needs 2022" "$work/old"
echo "module: three systems, two devkits, three refusals"
