#include "sparse/sparse.h"

#include <math.h>

static double dot(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

bool mi_pcg_solve(const mi_pcg *pcg, const double *b, double *x, mi_arena *scratch,
                  mi_pcg_info *info) {
  int n = pcg->count;
  double *r = MI_PUSH(scratch, double, n), *z = MI_PUSH(scratch, double, n);
  double *p = MI_PUSH(scratch, double, n), *q = MI_PUSH(scratch, double, n);
  if (!r || !z || !p || !q) return false;
  pcg->apply(pcg->matrix, x, q);
  for (int i = 0; i < n; i++) r[i] = b[i] - q[i];
  double norm_b = sqrt(dot(b, b, n)), rz_old = 0;
  *info = (mi_pcg_info){0};
  for (;; info->iterations++) {
    double norm_r = sqrt(dot(r, r, n));
    info->residual = norm_b > 0 ? norm_r / norm_b : norm_r;
    if (info->residual <= pcg->tolerance || info->iterations == pcg->max_iterations) return true;
    for (int i = 0; i < n; i++) z[i] = r[i] / pcg->diagonal[i];
    double rz = dot(r, z, n);
    double beta = info->iterations ? rz / rz_old : 0;
    for (int i = 0; i < n; i++) p[i] = z[i] + beta * p[i];
    pcg->apply(pcg->matrix, p, q);
    double alpha = rz / dot(p, q, n);
    for (int i = 0; i < n; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    rz_old = rz;
  }
}
