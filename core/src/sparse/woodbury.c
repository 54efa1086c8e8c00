// Changing constraints on a constant factor (Woodbury's formula):
//
//   (A + C' W C)^-1 b = x - A^-1 C' K^-1 C x   with   x = A^-1 b,   K = W^-1 + C A^-1 C'
//
// When C touches the root alone, A^-1 C' is needed on the root only, before the backward sweep, and
// C A^-1 C' comes from the root's explicit inverse. Spring rows that reach further are a second
// correction around the first: they cost solves of their own.
#include "sparse/factor.h"

#include <math.h>
#include <string.h>

bool mi_correction_reserve(mi_factor *f) {
  size_t most = MI_LOWRANK_MOST, nroot = 8 * (size_t)mi_blocks(f->sym.nroot);
  mi_correction *both[] = {&f->inside, &f->outside};
  for (int k = 0; k < 2; k++) {
    both[k]->lowrank = MI_PUSH(&f->work_arena, mi_lowrank, most);
    both[k]->inverse = MI_PUSH(&f->work_arena, double, most *most);
    both[k]->tension = MI_PUSH(&f->work_arena, double, 8 * most);
    if (!both[k]->lowrank || !both[k]->inverse || !both[k]->tension) return false;
  }
  f->inside.response = MI_PUSH(&f->work_arena, float, nroot *most);
  f->panel = MI_PUSH(&f->work_arena, double, mi_sweep_panel(MI_LOWRANK_MOST));
  f->column = MI_PUSH(&f->work_arena, float, 4 * (size_t)f->sym.n);
  return f->inside.response && f->panel && f->column;
}

int mi_factor_most_lowrank(const mi_factor *factor) {
  (void)factor;
  return MI_LOWRANK_MOST;
}

// -- applying -------------------------------------------------------------------------------------

// tension = K^-1 C x, as floats in `out` (rows of four)
static void find_tension(mi_factor *f, mi_correction *c, const float *x, float *out) {
  double *stretch = c->tension, *tension = c->tension + 4 * MI_LOWRANK_MOST;
  for (int k = 0; k < c->count; k++) {
    double *row = stretch + 4 * k;
    row[0] = row[1] = row[2] = row[3] = 0;
    for (int v = 0; v < 4; v++)
      for (int i = 0; i < 3 && c->lowrank[k].vert[v] >= 0; i++)
        row[i] += (double)c->lowrank[k].coef[v] *
                  (double)x[4 * (size_t)c->lowrank[k].vert[v] + (size_t)i];
  }
  f->kernels->multiply_double(c->inverse, 8 * mi_blocks(c->count), c->count, stretch, tension);
  for (int k = 0; k < 4 * c->count; k++) out[k] = (float)tension[k];
}

void mi_correct_root(mi_factor *f, float *x) {
  mi_correction *c = &f->inside;
  float tension[4 * MI_LOWRANK_MOST];
  if (!c->count) return;
  find_tension(f, c, x, tension);
  mi_panel response = {c->response, mi_blocks(f->sym.nroot), c->count, c->count, NULL};
  f->kernels->panel_subtract(response, f->root_row, tension, x);
}

void mi_correct_outside(mi_factor *f, int threads, float *x) {
  mi_correction *c = &f->outside;
  float tension[4 * MI_LOWRANK_MOST];
  find_tension(f, c, x, tension);
  memset(f->column, 0, 4 * (size_t)f->sym.n * sizeof *f->column);
  for (int k = 0; k < c->count; k++)
    for (int v = 0; v < 4; v++)
      for (int i = 0; i < 3 && c->lowrank[k].vert[v] >= 0; i++)
        f->column[4 * (size_t)c->lowrank[k].vert[v] + (size_t)i] +=
            c->lowrank[k].coef[v] * tension[4 * k + i];
  mi_factor_solve_inside(f, f->column, threads, f->column);
  for (size_t i = 0; i < 4 * (size_t)f->sym.n; i++) x[i] -= f->column[i];
}

// -- setting --------------------------------------------------------------------------------------

// K becomes its inverse; false when it is not positive definite
static bool invert(mi_factor *f, mi_correction *c) {
  int ld = 8 * mi_blocks(c->count);
  if (mi_sweep(c->inverse, ld, c->count, c->count, f->panel) >= 0) return false;
  for (int j = 0; j < c->count; j++)
    for (int i = j; i < c->count; i++) {
      double entry = -c->inverse[(size_t)j * (size_t)ld + (size_t)i];
      c->inverse[(size_t)j * (size_t)ld + (size_t)i] = entry;
      c->inverse[(size_t)i * (size_t)ld + (size_t)j] = entry;
    }
  return true;
}

// A^-1 C' on the root: columns of its inverse, weighted. Block by block, so that each block of the
// inverse is read once.
static void find_response(mi_factor *f) {
  mi_correction *c = &f->inside;
  int nroot = f->sym.nroot;
  const float *inverse = f->entry + f->sym.super[f->sym.nsuper - 1].block;
  for (int b = 0; b < mi_blocks(nroot); b++) {
    const float *block = inverse + 8 * (size_t)b * (size_t)nroot;
    float *out = c->response + 8 * (size_t)b * (size_t)c->count;
    for (int k = 0; k < c->count; k++) {
      float sum[8] = {0};
      for (int v = 0; v < 4 && c->lowrank[k].vert[v] >= 0; v++)
        for (int i = 0; i < 8; i++)
          sum[i] += c->lowrank[k].coef[v] * block[8 * (size_t)c->lowrank[k].vert[v] + (size_t)i];
      memcpy(out + 8 * k, sum, sizeof sum);
    }
  }
}

static bool set_inside(mi_factor *f) {
  mi_correction *c = &f->inside;
  int ld = 8 * mi_blocks(c->count);
  if (!c->count) return true;
  find_response(f);
  memset(c->inverse, 0, (size_t)ld * (size_t)ld * sizeof *c->inverse);
  for (int i = 0; i < c->count; i++) {
    double *row =
        c->inverse + i; // K_ij for j <= i, from the response itself: K = W^-1 + C (A^-1 C')
    for (int v = 0; v < 4 && c->lowrank[i].vert[v] >= 0; v++) {
      int at = c->lowrank[i].vert[v];
      const float *response = c->response + 8 * (size_t)(at / 8) * (size_t)c->count + at % 8;
      for (int j = 0; j <= i; j++)
        row[(size_t)j * (size_t)ld] += (double)c->lowrank[i].coef[v] * (double)response[8 * j];
    }
    row[(size_t)i * (size_t)ld] += 1 / (double)c->lowrank[i].weight;
  }
  return invert(f, c);
}

// Three spring rows are three right-hand sides of one solve.
static bool set_outside(mi_factor *f, int threads) {
  mi_correction *c = &f->outside;
  int count = c->count, ld = 8 * mi_blocks(count);
  memset(c->inverse, 0, (size_t)ld * (size_t)ld * sizeof *c->inverse);
  for (int j = 0; j < count; j += 3) {
    memset(f->column, 0, 4 * (size_t)f->sym.n * sizeof *f->column);
    for (int k = j; k < count && k < j + 3; k++)
      for (int v = 0; v < 4 && c->lowrank[k].vert[v] >= 0; v++)
        f->column[4 * (size_t)c->lowrank[k].vert[v] + (size_t)(k - j)] += c->lowrank[k].coef[v];
    mi_factor_solve_inside(f, f->column, threads, f->column);
    for (int k = j; k < count && k < j + 3; k++)
      for (int i = k; i < count; i++)
        for (int v = 0; v < 4 && c->lowrank[i].vert[v] >= 0; v++)
          c->inverse[(size_t)k * (size_t)ld + (size_t)i] +=
              (double)c->lowrank[i].coef[v] *
              (double)f->column[4 * (size_t)c->lowrank[i].vert[v] + (size_t)(k - j)];
  }
  for (int k = 0; k < count; k++)
    c->inverse[(size_t)k * (size_t)ld + (size_t)k] += 1 / (double)c->lowrank[k].weight;
  return count == 0 || invert(f, c);
}

// Vertices first, gaps last; `from` is subtracted from vertex numbers.
static mi_lowrank packed(const mi_lowrank *lowrank, int from) {
  mi_lowrank out = {{-1, -1, -1, -1}, {0, 0, 0, 0}, lowrank->weight};
  int count = 0;
  for (int v = 0; v < 4; v++) {
    if (lowrank->vert[v] < 0 || lowrank->coef[v] == 0) continue;
    out.vert[count] = lowrank->vert[v] - from;
    out.coef[count++] = lowrank->coef[v];
  }
  return out;
}

static bool is_usable(const mi_factor *f, const mi_lowrank *lowrank) {
  if (!(lowrank->weight > 0) || !isfinite(lowrank->weight)) return false;
  for (int v = 0; v < 4; v++)
    if (lowrank->vert[v] >= f->sym.n || (lowrank->vert[v] >= 0 && !isfinite(lowrank->coef[v])))
      return false;
  return true;
}

static void sort_in(mi_factor *f, const mi_lowrank *lowrank) {
  int nfront = f->sym.n - f->sym.nroot, nvert = 0, ninside = 0;
  for (int v = 0; v < 4; v++) {
    nvert += lowrank->vert[v] >= 0 && lowrank->coef[v] != 0;
    ninside += lowrank->vert[v] >= nfront && lowrank->coef[v] != 0;
  }
  if (!nvert) return;
  if (ninside == nvert)
    f->inside.lowrank[f->inside.count++] = packed(lowrank, nfront);
  else
    f->outside.lowrank[f->outside.count++] = packed(lowrank, 0);
}

bool mi_factor_set_lowrank(mi_factor *f, const mi_lowrank_rows *lowrank_rows, int threads) {
  int count = lowrank_rows ? lowrank_rows->count : 0;
  f->inside.count = f->outside.count = f->nlowrank = f->update.count = 0;
  f->schur.is_set = false;
  if (count > MI_LOWRANK_MOST) return false;
  bool good = true;
  for (int k = 0; k < count && good; k++) {
    const mi_lowrank *lowrank = lowrank_rows->lowrank + k;
    if (lowrank->weight <= 0) continue; // no spring
    good = is_usable(f, lowrank);
    if (good) sort_in(f, lowrank);
  }
  int noutside = f->outside.count;
  f->outside.count = 0; // while their columns are solved for
  good = good && set_inside(f);
  f->outside.count = noutside;
  good = good && set_outside(f, threads);
  if (!good) f->inside.count = f->outside.count = 0;
  f->nlowrank = f->inside.count + f->outside.count;
  return good;
}
