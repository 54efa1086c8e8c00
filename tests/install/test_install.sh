#!/bin/sh
# Installs into a folder of its own and builds strangers' programs against it: C and C++, through
# CMake and through pkg-config. usage: test_install.sh BUILD SOURCE WORK
set -eu
build=$1 source=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null

# from another place than it was installed to: nothing may point at the build folder
mv "$work/prefix" "$work/moved"
prefix=$work/moved

cmake -G Ninja -S "$source/tests/install/consumer" -B "$work/build" \
  -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/consumer_c" "$prefix/share/mien/head_small.glb"
"$work/build/consumer_cxx" "$prefix/share/mien/head_small.glb"

lib=$(dirname "$(find "$prefix" -name libmien.so)")
PKG_CONFIG_PATH=$lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
cc "$source/tests/install/consumer/consumer.c" -o "$work/by_pkg_config" \
  $(pkg-config --cflags --libs mien) -Wl,-rpath,"$lib"
"$work/by_pkg_config" "$prefix/share/mien/head_small.glb"

# the installed program finds its samples, and the library exports nothing but mien_...
"$prefix/bin/mien" attach >/dev/null
if nm -D --defined-only "$lib/libmien.so" | awk '{print $3}' | grep -v '^mien_' | grep -v '^_'; then
  echo "libmien.so exports names of its own insides"
  exit 1
fi
echo "installed, found, linked, run"
