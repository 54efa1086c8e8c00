#include "math/linear.h"

#include <math.h>

bool mi_linear_is_finite(const double *a, int nrow, int ncol) {
  for (size_t i = 0; i < (size_t)nrow * (size_t)ncol; i++)
    if (!isfinite(a[i])) return false;
  return true;
}
