#include "sparse/sparse_kernels.h"

#include "math/kernels.h"

const mi_sparse_kernels *mi_sparse_kernels_best(void) {
#if defined(MI_HAVE_AVX2)
  if (mi_kernels_best() == &mi_kernels_body_avx2)
    return mi_kernels_sixteen() ? &mi_sparse_body_avx512 : &mi_sparse_body_avx2;
#elif defined(MI_HAVE_NEON)
  if (mi_kernels_best() == &mi_kernels_body_neon) return &mi_sparse_body_neon;
#endif
  return &mi_sparse_body_scalar;
}
