#include "sparse/sparse.h"

#include <math.h>

static double dot(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

bool mi_pcg_solve(const mi_pcg *pcg, const double *b, double *x, mi_arena *scratch,
                  mi_pcg_info *info) {
  double *work = MI_PUSH(scratch, double, 4 * (size_t)pcg->count);
  if (work) mi_pcg_solve_in(pcg, b, x, work, info);
  return work != NULL;
}

void mi_pcg_solve_in(const mi_pcg *pcg, const double *b, double *x, double *work,
                     mi_pcg_info *info) {
  int n = pcg->count;
  double *r = work, *z = r + n, *p = z + n, *q = p + n;
  for (int i = 0; i < n; i++) p[i] = 0;
  pcg->apply(pcg->matrix, x, q);
  for (int i = 0; i < n; i++) r[i] = b[i] - q[i];
  double norm_b = sqrt(dot(b, b, n)), rz_old = 0;
  *info = (mi_pcg_info){0};
  for (;; info->iterations++) {
    double norm_r = sqrt(dot(r, r, n));
    info->residual = norm_b > 0 ? norm_r / norm_b : norm_r;
    if (info->residual <= pcg->tolerance || info->iterations == pcg->max_iterations) return;
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
