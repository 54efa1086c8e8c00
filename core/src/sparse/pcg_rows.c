// Conjugate gradients on a matrix with changing rows, preconditioned by the factor of what is
// constant (Li et al. 2023, eq. 5).
#include "sparse/lbfgs.h"

#include <string.h>

static void add_rank1(const mi_rank1 *rows, int count, const double *x, double *y) {
  for (int k = 0; k < count; k++) {
    const mi_rank1 *rank1 = rows + k;
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
static void multiply(const mi_pcg_rows *s, const mi_pcg_work *w) {
  int n = 3 * s->matrix->nrow;
  double *x = w->row, *y = w->row + n;
  for (int i = 0; i < n; i++) x[i] = w->search[4 * (i / 3) + i % 3];
  mi_csr_multiply(s->matrix, 3, x, y);
  add_lowrank(&s->lowrank_rows, x, y);
  add_rank1(s->rank1, s->nrank1, x, y);
  for (int i = 0; i < n; i++) w->product[4 * (i / 3) + i % 3] = (float)y[i];
}

bool mi_pcg_work_reserve(int nvert, mi_arena *arena, mi_pcg_work *w) {
  size_t vector = 4 * (size_t)nvert;
  return MI_RESERVE(arena, MI_ROOM(w->residual, vector), MI_ROOM(w->search, vector),
                    MI_ROOM(w->product, vector), MI_ROOM(w->preconditioned, vector),
                    MI_ROOM(w->row, 6 * (size_t)nvert));
}

int mi_pcg_rows_solve(const mi_pcg_rows *system, const mi_pcg_work *w, const float *q, float *s) {
  int nvert = system->matrix->nrow, threads = system->threads, count = 4 * nvert, k = 0;
  double *sums = system->sums, first = mi_lbfgs_dot(q, q, nvert, threads, sums), old = 0;
  memset(s, 0, (size_t)count * sizeof *s);
  memcpy(w->residual, q, (size_t)count * sizeof *s);
  for (; k < system->most; k++) {
    double left = mi_lbfgs_dot(w->residual, w->residual, nvert, threads, sums);
    if (!(left > system->tolerance * system->tolerance * first)) break;
    mi_factor_solve(system->factor, w->residual, threads, w->preconditioned);
    double now = mi_lbfgs_dot(w->residual, w->preconditioned, nvert, threads, sums);
    float beta = k ? (float)(now / old) : 0;
    for (int i = 0; i < count; i++)
      w->search[i] = w->preconditioned[i] + (k ? beta * w->search[i] : 0);
    multiply(system, w);
    float alpha = (float)(now / mi_lbfgs_dot(w->search, w->product, nvert, threads, sums));
    for (int i = 0; i < count; i++) {
      s[i] += alpha * w->search[i];
      w->residual[i] -= alpha * w->product[i];
    }
    old = now;
  }
  return k;
}
