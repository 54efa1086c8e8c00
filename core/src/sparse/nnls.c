#include "sparse/nnls.h"

#include <math.h>

static double column_dot(const mi_nnls *p, int j, const float *vector) {
  double sum = 0;
  for (int64_t e = p->first[j]; e < p->first[j + 1]; e++)
    sum += (double)p->value[e] * (double)vector[p->row[e]];
  return sum;
}

static void add_column(const mi_nnls *p, int j, double by, float *vector) {
  for (int64_t e = p->first[j]; e < p->first[j + 1]; e++)
    vector[p->row[e]] += (float)(by * (double)p->value[e]);
}

static void find_left(const mi_nnls *p, const double *x, float *left) {
  for (int i = 0; i < p->nrow; i++) left[i] = -p->right[i];
  for (int j = 0; j < p->ncol; j++)
    if (x[j] != 0) add_column(p, j, x[j], left);
}

// The largest slope at x = 0 or at the start: what slopes are compared with.
static double find_scale(const mi_nnls *p, const double *x, const float *left) {
  double most = 0;
  for (int j = 0; j < p->ncol; j++) {
    double at_zero = column_dot(p, j, p->right) + p->ridge[j] * p->prior[j];
    double at_start = column_dot(p, j, left) + p->ridge[j] * (x[j] - p->prior[j]);
    most = fmax(most, fmax(fabs(at_zero), fabs(at_start)));
  }
  return most;
}

double mi_nnls_solve(const mi_nnls *p, int sweeps, double tolerance, double *x, float *left) {
  for (int j = 0; j < p->ncol; j++) x[j] = fmax(0, x[j]);
  find_left(p, x, left);
  double scale = find_scale(p, x, left), worst = 0;
  if (!(scale > 0)) return 0;
  for (int sweep = 0; sweep < sweeps; sweep++) {
    worst = 0;
    for (int j = 0; j < p->ncol; j++) {
      double square = p->ridge[j], dot = 0;
      for (int64_t e = p->first[j]; e < p->first[j + 1]; e++) {
        double value = (double)p->value[e];
        square += value * value;
        dot += value * (double)left[p->row[e]];
      }
      if (!(square > 0)) continue;
      double slope = dot + p->ridge[j] * (x[j] - p->prior[j]);
      double next = fmax(0, x[j] - slope / square);
      worst = fmax(worst, x[j] > 0 ? fabs(slope) : fmax(0, -slope));
      if (next != x[j]) add_column(p, j, next - x[j], left);
      x[j] = next;
    }
    if (sweep % 16 == 15) find_left(p, x, left); // float sums do not drift
    if (worst <= tolerance * scale) break;
  }
  find_left(p, x, left);
  return worst / scale;
}
