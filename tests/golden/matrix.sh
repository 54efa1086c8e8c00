#!/usr/bin/env bash
# matrix.sh SOURCE WORK: six shots by gcc and clang at -O1 and -O3, by each SIMD body on 1, 2, 3 and 16
# threads. Within a body every build and every number of threads must give the same hash; the widest that
# there is gives AVX2's, where there is AVX2. Hostile rounding and flushing are in core/base/float_mode.
set -euo pipefail
source=$(realpath "$1") work=$2 failures=0
mkdir -p "$work"
shots=("--anim phrase.csv --head shake.csv --contact off" "--anim press.csv" "--anim press.csv --sticky 1"
  "--anim phrase.csv --head shake.csv --integrator bdf2 --damping 4"
  "--anim phrase.csv --wind 8,2,-5 --gust 0.5" "--anim press.csv --solver gauss_seidel")
declare -A hashes
grep -qw avx2 /proc/cpuinfo && widest=avx2 || widest=scalar
for compiler in gcc clang; do
  for level in 1 3; do
    build=$work/$compiler-O$level
    cmake -S "$source" -B "$build" -G Ninja -DCMAKE_C_COMPILER=$compiler \
      -DCMAKE_CXX_COMPILER="$([ $compiler = gcc ] && echo g++ || echo clang++)" \
      -DCMAKE_C_FLAGS=-O$level -DCMAKE_CXX_FLAGS=-O$level -DMIEN_SUITESPARSE=ON >/dev/null
    cmake --build "$build" --target mien_cli sample_files -- --quiet
    samples=$build/share/mien
    for k in "${!shots[@]}"; do
      for body in avx2 scalar widest; do
        for threads in 1 2 3 16; do
          words=${shots[$k]//--anim /--anim $samples/}
          words=${words//--head /--head $samples/}
          # shellcheck disable=SC2086
          hash=$(MIEN_SIMD=$body "$build/bin/mien" bake "$samples/head_small.glb" $words --seconds 0.5 \
            --threads $threads --hash 2>/dev/null | tail -1)
          same=$([ $body = widest ] && echo $widest || echo $body)
          first=${hashes[$k-$same]:=$hash}
          # a bake that fails has no hash, and no two of them are the same
          [[ $hash =~ ^[0-9a-f]{16}$ && $hash = "$first" ]] && continue
          echo "FAILED: shot $k, $body, $compiler -O$level, $threads threads: $hash, not $first"
          failures=$((failures + 1))
        done
      done
    done
    echo "$compiler -O$level: ${#shots[@]} shots x 3 bodies x 4 numbers of threads"
  done
done
echo "$failures failures"
[ "$failures" -eq 0 ]
