#include "math/kernels.h"

#include <stdlib.h>
#include <string.h>

const mi_kernels *mi_kernels_scalar(void) {
  return &mi_kernels_body_scalar;
}

const mi_kernels *mi_kernels_best(void) {
  const char *forced = getenv("MIEN_SIMD");
  if (forced && !strcmp(forced, "scalar")) return mi_kernels_scalar();
#if defined(MI_HAVE_AVX2)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c"))
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
