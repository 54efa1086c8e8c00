#include "math/kernels.h"

#include <stdlib.h>
#include <string.h>
#if defined(MI_HAVE_AVX2) && defined(__clang__) && __clang_major__ < 19
#include <cpuid.h>

// The compiler's builtin below has no "f16c". (CPUID takes 7 us in a virtual machine: too slow to
// run in every loop of a step.)
static int has_half_floats(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#elif defined(MI_HAVE_AVX2)
static int has_half_floats(void) {
  return __builtin_cpu_supports("f16c");
}
#endif

const mi_kernels *mi_kernels_scalar(void) {
  return &mi_kernels_body_scalar;
}

const mi_kernels *mi_kernels_best(void) {
  const char *forced = getenv("MIEN_SIMD");
  if (forced && !strcmp(forced, "scalar")) return mi_kernels_scalar();
#if defined(MI_HAVE_AVX2)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_half_floats())
    return &mi_kernels_body_avx2;
#elif defined(MI_HAVE_NEON)
  return &mi_kernels_body_neon;
#endif
  return mi_kernels_scalar();
}

bool mi_kernels_sixteen(void) {
#if defined(MI_HAVE_AVX2)
  const char *forced = getenv("MIEN_SIMD");
  return (!forced || strcmp(forced, "avx2") != 0) && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}
