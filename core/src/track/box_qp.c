// A small quadratic programme with bounds.
#include "track/face_fit.h"

#include "sparse/factor.h"

#include <math.h>
#include <string.h>

// The unbounded minimum of the free variables; fixed ones enter the right side.
static bool solve_free(int side, const double *h, const double *g, const bool *held, double *factor,
                       double *d) {
  int index[256], n = 0;
  double right[256];
  for (int i = 0; i < side; i++)
    if (!held[i]) index[n++] = i;
  for (int a = 0; a < n; a++) {
    const double *row = h + (size_t)index[a] * (size_t)side;
    right[a] = g[index[a]];
    for (int i = 0; i < side; i++)
      if (held[i]) right[a] -= row[i] * d[i];
    for (int b = 0; b <= a; b++) factor[a * n + b] = row[index[b]];
  }
  if (!mi_dense_factor(factor, n, 1)) return false;
  mi_dense_solve(factor, n, right);
  for (int a = 0; a < n; a++) d[index[a]] = right[a];
  return true;
}

// Variables that leave their bounds are fixed there until none does; those whose slope points
// inwards are freed. A few rounds suffice; sweeps over single variables then remove the rest.
bool mi_box_qp(int side, const double *h, const double *g, const double *low, const double *high,
               double *factor, double *d) {
  bool held[256] = {false};
  if (side > 256) return false;
  memset(d, 0, (size_t)side * sizeof *d);
  for (int round = 0; round < 12; round++) {
    if (!solve_free(side, h, g, held, factor, d)) return false;
    int nchange = 0;
    for (int i = 0; i < side; i++) {
      if (held[i] || (d[i] >= low[i] && d[i] <= high[i])) continue;
      d[i] = d[i] < low[i] ? low[i] : high[i];
      held[i] = true;
      nchange++;
    }
    if (nchange) continue;
    for (int i = 0; i < side; i++) {
      if (!held[i]) continue;
      double slope = -g[i];
      for (int j = 0; j < side; j++) slope += h[(size_t)i * (size_t)side + (size_t)j] * d[j];
      bool inwards = (d[i] <= low[i] && slope < 0) || (d[i] >= high[i] && slope > 0);
      if (inwards) held[i] = false, nchange++;
    }
    if (!nchange) return true;
  }
  for (int sweep = 0; sweep < 30; sweep++)
    for (int i = 0; i < side; i++) {
      const double *row = h + (size_t)i * (size_t)side;
      double slope = g[i];
      for (int j = 0; j < side; j++) slope -= row[j] * d[j];
      d[i] = fmin(fmax(d[i] + slope / row[i], low[i]), high[i]);
    }
  return true;
}
