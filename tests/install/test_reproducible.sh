#!/bin/sh
# test_reproducible.sh BUILD SOURCE WORK: the sources copied to another folder and built there again, from nothing,
# give packages of the same bytes.
set -eu
build=$1 source=$2 work=$3
rm -rf "$work"

setting() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER # a cache of objects would prove nothing

# Such a cache compiles by relative paths.
mkdir -p "$work"
cat >"$work/relative" <<'EOF'
#!/bin/sh
for word in "$@"; do
  shift
  case $word in "$RELATIVE_TO"/*) word=$(realpath --relative-to=. "$word") ;; esac
  set -- "$@" "$word"
done
exec "$@"
EOF
chmod +x "$work/relative"

build_copy() { # FOLDER
  mkdir -p "$1"
  (cd "$source" && tar cf - --exclude=./build --exclude=./out --exclude=./.git .) | tar xf - -C "$1"
  cmake -S "$1" -B "$1/build" -G Ninja -DCMAKE_BUILD_TYPE="$(setting CMAKE_BUILD_TYPE)" \
    -DCMAKE_C_COMPILER_LAUNCHER="$work/relative" \
    -DCMAKE_C_COMPILER="$(setting CMAKE_C_COMPILER)" -DMIEN_SIMD="$(setting MIEN_SIMD)" -DMIEN_CLI=ON >"$work/configure.log"
  RELATIVE_TO=$1 cmake --build "$1/build" --target mien_package -- --quiet
}

make_packages() { # SOURCE BUILD FOLDER
  library=$(realpath "$2/package/libmien.so")
  python3 "$1/plugin/python/make_wheel.py" "$build/python/mien" "$library" 0.1.0 "$1/LICENSE" "$3" >/dev/null
  python3 "$1/plugin/blender/make_zip.py" "$build/blender/mien_blender" "$library" 0.1.0 "$1/LICENSE" "$3" >/dev/null
}

cmake --build "$build" --target mien_package -- --quiet # as new as the sources that are copied
copy=$work/somewhere/else/with_a_longer_name
build_copy "$copy"
make_packages "$source" "$build" "$work/first"
make_packages "$copy" "$copy/build" "$work/second"
count=0
for file in "$work"/first/*; do
  cmp "$file" "$work/second/${file##*/}" || exit 1
  count=$((count + 1))
done
cmp "$build/package/libmien.so" "$copy/build/package/libmien.so"
[ "$count" -eq 2 ] || { echo "$count packages"; exit 1; }
echo "two builds in two folders: libmien.so and $count packages, the same bytes"
rm -rf "$work/somewhere"
