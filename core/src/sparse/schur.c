// The root as one dense matrix with everything in it: Li et al. 2023, section 3.1. Slow next to
// rank1.c, independent of how many constraints there are; kept to be compared with.
#include "sparse/factor.h"

#include <string.h>

static bool reserve(mi_factor *f) {
  mi_schur *schur = &f->schur;
  size_t side = 3 * (size_t)f->sym.nroot, ld = 8 * (size_t)mi_blocks(f->sym.nroot);
  if (schur->matrix) return true;
  double *matrix = MI_PUSH(&f->work_arena, double, side *side);
  schur->rhs = MI_PUSH(&f->work_arena, double, side);
  schur->complement = MI_PUSH(&f->work_arena, double, ld *ld);
  schur->panel = MI_PUSH(&f->work_arena, double, mi_sweep_panel((int)ld));
  if (!matrix || !schur->rhs || !schur->complement || !schur->panel) return false;
  schur->matrix = matrix;
  return true;
}

bool mi_factor_reserve_schur(mi_factor *f) {
  mi_schur *schur = &f->schur;
  int n = f->sym.nroot, ld = 8 * mi_blocks(n);
  if (schur->is_known || !n) return true;
  if (!reserve(f)) return false;
  memset(schur->complement, 0, (size_t)ld * (size_t)ld * sizeof *schur->complement);
  const float *inverse = f->entry + f->sym.super[f->sym.nsuper - 1].block;
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      schur->complement[(size_t)j * (size_t)ld + (size_t)i] =
          inverse[((size_t)(i / 8) * (size_t)n + (size_t)j) * 8 + (size_t)i % 8];
  schur->is_known = mi_sweep(schur->complement, ld, n, n, schur->panel) < 0;
  return schur->is_known;
}

static double *at(const mi_factor *f, int row, int column) {
  return f->schur.matrix + (size_t)row * 3 * (size_t)f->sym.nroot + column;
}

// The lower triangle of S (x) I + sum w c c' (x) I + sum w v v'.
static void assemble(mi_factor *f, const mi_rank1 *rank1, int count) {
  int n = f->sym.nroot, ld = 8 * mi_blocks(n), nfront = f->sym.n - n;
  memset(f->schur.matrix, 0, 9 * (size_t)n * (size_t)n * sizeof(double));
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      for (int c = 0; c < 3; c++)
        *at(f, 3 * i + c, 3 * j + c) = -f->schur.complement[(size_t)j * (size_t)ld + (size_t)i];
  for (int k = 0; k < f->inside.count; k++) {
    const mi_lowrank *lowrank = f->inside.lowrank + k;
    for (int a = 0; a < 4 && lowrank->vert[a] >= 0; a++)
      for (int b = 0; b < 4 && lowrank->vert[b] >= 0; b++)
        for (int c = 0; c < 3 && lowrank->vert[a] >= lowrank->vert[b]; c++)
          *at(f, 3 * lowrank->vert[a] + c, 3 * lowrank->vert[b] + c) +=
              (double)lowrank->weight * (double)lowrank->coef[a] * (double)lowrank->coef[b];
  }
  for (int k = 0; k < count; k++)
    for (int a = 0; a < 12; a++)
      for (int b = 0; b < 12; b++) {
        int va = rank1[k].vert[a / 3] - nfront, vb = rank1[k].vert[b / 3] - nfront;
        int row = 3 * va + a % 3, column = 3 * vb + b % 3;
        if (va < 0 || vb < 0 || va >= n || vb >= n || row < column) continue;
        *at(f, row, column) += (double)rank1[k].weight * (double)rank1[k].vector[a / 3][a % 3] *
                               (double)rank1[k].vector[b / 3][b % 3];
      }
}

bool mi_factor_set_schur(mi_factor *f, const mi_rank1 *rank1, int count, int threads) {
  f->schur.is_set = false;
  if (!f->schur.is_known) return false;
  assemble(f, rank1, count);
  f->schur.is_set = mi_dense_factor(f->schur.matrix, 3 * f->sym.nroot, threads);
  return f->schur.is_set;
}

bool mi_schur_solve(mi_factor *f, float *root) {
  int side = 3 * f->sym.nroot;
  double *x = f->schur.rhs;
  if (!f->schur.is_set) return false;
  for (int i = 0; i < side; i++) x[i] = root[4 * (i / 3) + i % 3];
  mi_dense_solve(f->schur.matrix, side, x);
  for (int i = 0; i < side; i++) root[4 * (i / 3) + i % 3] = (float)x[i];
  return true;
}
