#include "track/net_kernels.h"

#include "math/kernels.h"

const mi_net_kernels *mi_net_kernels_best(void) {
#if defined(MI_HAVE_AVX2)
  if (mi_kernels_best() == &mi_kernels_body_avx2) return &mi_net_body_avx2;
#elif defined(MI_HAVE_NEON)
  if (mi_kernels_best() == &mi_kernels_body_neon) return &mi_net_body_neon;
#endif
  return &mi_net_body_scalar;
}
