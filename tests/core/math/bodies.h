// Tests of kernels run on every body the machine has: the best one and the scalar one.
#ifndef MIEN_TESTS_BODIES_H
#define MIEN_TESTS_BODIES_H

#include "scenes/scene.h"

#include "math/kernels.h"

static inline int use_best(void **state) {
  *state = (void *)(uintptr_t)mi_kernels_best();
  return 0;
}

static inline int use_scalar(void **state) {
  *state = (void *)(uintptr_t)mi_kernels_scalar();
  return 0;
}

// Two entries of a list of tests; the test finds the kernels in *state.
#define on_each_body(test)                                                                         \
  cmocka_unit_test_setup(test, use_best), cmocka_unit_test_setup(test, use_scalar)

// Matrices of three rows, row after row: the judge's arithmetic, in double.
static inline void multiply(const double *a, const double *b, double *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) out[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    }
}

#endif
