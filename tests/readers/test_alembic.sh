#!/bin/sh
# test_alembic.sh MIEN SAMPLES WORK: the real Alembic library reads .abc. Debian 12 has no package of it, so it is
# built once into WORK (some minutes), from the source archive that ALEMBIC_SOURCE names (1.8.9 was tried; later
# Debians have it as the source package alembic-graphics).
mien=$1 samples=$2 work=$3 here=$(cd "$(dirname "$0")" && pwd)
[ -z "${ALEMBIC_SOURCE:-}" ] || ALEMBIC_SOURCE=$(realpath "$ALEMBIC_SOURCE")
mkdir -p "$work/source"
cd "$work" || exit 1
for tool in cmake g++; do command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }; done
[ -e /usr/include/Imath/ImathVec.h ] || { echo "libimath-dev is not installed: Alembic cannot be built"; exit 77; }
if [ ! -e lib/libAlembic.a ]; then
  [ -r "${ALEMBIC_SOURCE:-}" ] || { echo "ALEMBIC_SOURCE names no archive of Alembic's source"; exit 77; }
  tar xf "$ALEMBIC_SOURCE" -C source --strip-components=1 &&
    cmake -S source -B build -DUSE_BINARIES=OFF -DUSE_TESTS=OFF -DALEMBIC_SHARED_LIBS=OFF \
      -DCMAKE_INSTALL_PREFIX="$work" >log 2>&1 && cmake --build build -j2 --target install >>log 2>&1 ||
    { tail -20 log; exit 1; }
fi
g++ -std=c++17 -Iinclude -I/usr/include/Imath "$here/read_abc.cpp" -o read_abc lib/libAlembic.a -lImath || exit 1
for out in shot.abc 'shot.{mesh}.pc2'; do
  "$mien" bake "$samples/head_small.glb" --anim "$samples/phrase.csv" --seconds 0.4 --contact off -o "$out" >log 2>&1 ||
    { cat log; exit 1; }
done
./read_abc shot.abc 'shot.{mesh}.pc2' 24
