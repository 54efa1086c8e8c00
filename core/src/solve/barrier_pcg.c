// The global step of Li et al. 2023 before they improved it: conjugate gradients on the whole
// matrix, preconditioned by its constant part (eq. 5).
#include "solve/barrier.h"

#include <math.h>
#include <string.h>

static void add_rank1(const struct mi_barrier_side *side, const double *x, double *y) {
  for (int k = 0; k < side->nrank1; k++) {
    const mi_rank1 *rank1 = side->rank1 + k;
    double stretch = 0;
    for (int i = 0; i < 12; i++)
      if (rank1->vert[i / 3] >= 0)
        stretch += (double)rank1->vector[i / 3][i % 3] * x[3 * (size_t)rank1->vert[i / 3] + i % 3];
    for (int i = 0; i < 12; i++)
      if (rank1->vert[i / 3] >= 0)
        y[3 * (size_t)rank1->vert[i / 3] + i % 3] +=
            (double)rank1->weight * stretch * (double)rank1->vector[i / 3][i % 3];
  }
}

static void add_lowrank(const mi_lowrank_rows *lowrank_rows, const double *x, double *y) {
  for (int k = 0; k < lowrank_rows->count; k++) {
    const mi_lowrank *lowrank = lowrank_rows->lowrank + k;
    for (int c = 0; c < 3; c++) {
      double stretch = 0;
      for (int v = 0; v < 4 && lowrank->vert[v] >= 0; v++)
        stretch += (double)lowrank->coef[v] * x[3 * (size_t)lowrank->vert[v] + c];
      for (int v = 0; v < 4 && lowrank->vert[v] >= 0; v++)
        y[3 * (size_t)lowrank->vert[v] + c] +=
            (double)lowrank->weight * stretch * (double)lowrank->coef[v];
    }
  }
}

// product = (matrix + spring rows + rank-1 rows) search
static void multiply(const mien_state *state) {
  const mi_solver *s = state->solver;
  struct mi_barrier_side *side = state->contacts->barrier;
  double *x = side->row, *y = side->row + 3 * (size_t)s->nvert;
  for (int i = 0; i < 3 * s->nvert; i++) x[i] = side->search[4 * (i / 3) + i % 3];
  mi_csr_multiply(&s->matrix, 3, x, y);
  add_lowrank(&s->lowrank_rows, x, y);
  add_rank1(side, x, y);
  for (int i = 0; i < 3 * s->nvert; i++) side->product[4 * (i / 3) + i % 3] = (float)y[i];
}

int mi_barrier_pcg(mien_state *state, const float *q, float *s) {
  enum { MOST = 200 };
  mi_solver *solver = state->solver;
  struct mi_barrier_side *side = state->contacts->barrier;
  int nvert = solver->nvert, threads = solver->host.threads, count = 4 * nvert, k = 0;
  size_t size = (size_t)count * sizeof *s;
  memset(s, 0, size);
  memcpy(side->residual, q, size);
  double first = mi_lbfgs_dot(q, q, nvert, threads, solver->sums), old = 0;
  for (; k < MOST; k++) {
    double left = mi_lbfgs_dot(side->residual, side->residual, nvert, threads, solver->sums);
    if (!(left > 1e-6 * first)) break; // a thousandth, as the direct ones do better than
    mi_factor_solve(solver->factor, side->residual, threads, side->preconditioned);
    double now = mi_lbfgs_dot(side->residual, side->preconditioned, nvert, threads, solver->sums);
    float beta = k ? (float)(now / old) : 0;
    for (int i = 0; i < count; i++)
      side->search[i] = side->preconditioned[i] + (k ? beta * side->search[i] : 0);
    multiply(state);
    double bend = mi_lbfgs_dot(side->search, side->product, nvert, threads, solver->sums);
    float alpha = (float)(now / bend);
    for (int i = 0; i < count; i++) {
      s[i] += alpha * side->search[i];
      side->residual[i] -= alpha * side->product[i];
    }
    old = now;
  }
  return k;
}
