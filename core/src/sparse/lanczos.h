// The softest modes of H s = value A s, by Lanczos' method with full reorthogonalisation. Vectors
// are four floats a vertex: x, y, z, 0.
#ifndef MI_LANCZOS_H
#define MI_LANCZOS_H

#include "sparse/spd.h"

typedef struct mi_lanczos {
  int nvert, threads;
  mi_factor *factor; // of A
  void (*multiply)(void *user, const float *s, float *hs);
  void *user;
  double *sums; // scratch, see mi_lbfgs_dot
} mi_lanczos;

// Fills `mode` with at most `wanted` modes whose value is below 1, softest first; `load` is A times
// the first direction (overwritten). Returns how many there are, -1 when memory ends.
int mi_lanczos_softest(const mi_lanczos *def, float *load, int wanted, float *const *mode,
                       mi_arena *scratch);

#endif
