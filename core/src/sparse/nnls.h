// Non-negative least squares with sparse columns.
#ifndef MI_NNLS_H
#define MI_NNLS_H

#include "base/base.h"

// min over x >= 0 of  |A x - b|^2 / 2 + sum_j ridge_j (x_j - prior_j)^2 / 2
typedef struct mi_nnls {
  int nrow, ncol;
  const int64_t *first; // of the entries of column j: first[j] .. first[j + 1]        (ncol + 1)
  const int32_t *row;   //
  const float *value;   //
  const float *right;   // b                                                              (nrow)
  const double *ridge;  // >= 0                                                           (ncol)
  const double *prior;  //                                                                (ncol)
} mi_nnls;

// Coordinate descent from x, one variable after the other, until no variable's slope violates the
// conditions of a minimum (slope 0 where x > 0, >= 0 where x = 0) by more than `tolerance` of the
// largest slope at x = 0 or at the start, or `sweeps` are done. `left` = A x - b on return (nrow).
// Returns the violation that is left, as a share.
double mi_nnls_solve(const mi_nnls *problem, int sweeps, double tolerance, double *x, float *left);

#endif
