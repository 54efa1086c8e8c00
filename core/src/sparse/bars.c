// Changing constraints with a direction, on top of the pulls of woodbury.c:
//
//   (G^-1 + V W V')^-1 b = y - G V K^-1 V' y   with   y = G b,   K = W^-1 + V' G V
//
// G is the inverse with the pulls, on the root, the same for x, y and z; a column of V is a bar.
// With S the root's inverse, C the pulls and Kp theirs, V' G V = V' S V - Q' Kp^-1 Q, Q = C S V.
// Bars are at few of the root's vertices: those entries of S are copied next to each other first.
#include "sparse/factor.h"

#include <math.h>
#include <string.h>

enum { MOST = MI_BARS_MOST, MOST_VERTS = MI_BARS_VERTS };
enum { BLOCK = 4, CHUNK = 16 }; // bars at once, and to a task

bool mi_factor_reserve_bars(mi_factor *f) {
  mi_bars *bars = &f->bars;
  if (bars->bar) return true;
  int nvert = f->sym.nroot < MOST_VERTS ? f->sym.nroot : MOST_VERTS;
  size_t padded = 8 * (size_t)mi_blocks(nvert);
  mi_bar *bar = MI_PUSH(&f->work_arena, mi_bar, MOST);
  bars->rows = MI_PUSH(&f->work_arena, mi_bar_rows, MOST);
  bars->vert = MI_PUSH(&f->work_arena, int32_t, nvert);
  bars->sorted = MI_PUSH(&f->work_arena, int32_t, nvert);
  bars->local = MI_PUSH(&f->work_arena, int32_t, f->sym.nroot);
  bars->inverse = MI_PUSH(&f->work_arena, float, padded *(size_t)nvert);
  bars->matrix = MI_PUSH(&f->work_arena, double, (size_t)MOST *MOST);
  bars->tension = MI_PUSH(&f->work_arena, double, MOST);
  bars->meet = MI_PUSH(&f->work_arena, double, 4 * (size_t)MI_PULLS_MOST * MOST);
  if (!bar || !bars->rows || !bars->matrix || !bars->tension || !bars->meet || !bars->vert ||
      !bars->sorted || !bars->local || !bars->inverse)
    return false;
  for (int i = 0; i < f->sym.nroot; i++) bars->local[i] = -1;
  bars->bar = bar;
  return true;
}

// -- setting --------------------------------------------------------------------------------------

// The entries of S at the bars' vertices, rows by eights.
static void copy_inverse(void *user, int begin, int end) {
  const mi_factor *f = user;
  const mi_bars *bars = &f->bars;
  const float *entry = f->entry + f->sym.super[f->sym.nsuper - 1].block;
  size_t nvert = (size_t)bars->nvert, nroot = (size_t)f->sym.nroot;
  for (size_t i = 8 * (size_t)begin; i < 8 * (size_t)end; i++)
    for (size_t j = 0; j < nvert; j++) {
      size_t row = i < nvert ? (size_t)bars->vert[i] : 0;
      bars->inverse[8 * (i / 8 * nvert + j) + i % 8] =
          i < nvert ? entry[8 * (row / 8 * nroot + (size_t)bars->vert[j]) + row % 8] : 0;
    }
}

// S V of one bar on the bars' vertices: rows of four.
static void find_response(const mi_factor *f, const mi_bar *bar, double *out) {
  const mi_bars *bars = &f->bars;
  mi_strip inverse = {bars->inverse, mi_blocks(bars->nvert), bars->nvert, bars->nvert, NULL};
  int count = 0;
  while (count < 4 && bar->vert[count] >= 0) count++;
  f->kernels->strip_respond(inverse, bar->vert, count, bar->vector, out);
}

// Q of one bar: rows of four, a row a pull
static void meet_pulls(const mi_factor *f, const mi_bar *bar, double *out) {
  const mi_correction *c = &f->inside;
  memset(out, 0, 4 * (size_t)c->count * sizeof *out);
  for (int a = 0; a < 4 && bar->vert[a] >= 0; a++) {
    int at = f->bars.vert[bar->vert[a]];
    const float *response = c->response + 8 * (size_t)(at / 8) * (size_t)c->count + at % 8;
    for (int p = 0; p < c->count; p++)
      for (int i = 0; i < 3; i++)
        out[4 * p + i] += (double)response[8 * (size_t)p] * (double)bar->vector[a][i];
  }
}

// Columns of V' S V + W^-1, and Q of their bars. Four columns at once: a bar is read once for all.
static void find_columns(void *task, int begin, int end) {
  const mi_factor *f = task;
  const mi_bars *bars = &f->bars;
  size_t count = (size_t)bars->count, width = 4 * (size_t)f->inside.count;
  size_t size = 32 * (size_t)mi_blocks(bars->nvert);
  double response[BLOCK * 4 * MOST_VERTS]; // a multiple of eight
  for (int l = begin; l < end; l += BLOCK) {
    int last = l + BLOCK < end ? l + BLOCK : end;
    for (int j = l; j < last; j++)
      find_response(f, bars->bar + j, response + (size_t)(j - l) * size);
    double corner[BLOCK * BLOCK];
    f->kernels->bar_dots(bars->rows + l, 0, last - l, response, size, corner, BLOCK);
    for (int k = l; k < last; k++)
      for (int j = l; j <= k; j++)
        bars->matrix[(size_t)k * count + (size_t)j] = corner[BLOCK * (k - l) + j - l];
    // fewer than four columns are the last: nothing is below them
    f->kernels->bar_dots(bars->rows, last, bars->count, response, size, bars->matrix + l, count);
    for (int j = l; j < last; j++) {
      bars->matrix[(size_t)j * count + (size_t)j] += 1 / (double)bars->bar[j].weight;
      meet_pulls(f, bars->bar + j, bars->meet + (size_t)j * width);
    }
  }
}

// Columns of K -= Q' Kp^-1 Q, the lower triangle, four bars against four.
static void subtract_pulls(void *task, int begin, int end) {
  const mi_factor *f = task;
  const mi_bars *bars = &f->bars;
  int npull = f->inside.count, width = 4 * npull, nbar = bars->count;
  double answer[4 * MI_PULLS_MOST * BLOCK], dot[BLOCK * BLOCK];
  for (int l = begin; l < end; l += BLOCK) {
    for (int j = 0; j < BLOCK; j++) // what is beyond the last bar is not looked at
      f->kernels->multiply_double(f->inside.inverse, 8 * mi_blocks(npull), npull,
                                  bars->meet + (size_t)(l + j) * (size_t)width,
                                  answer + (size_t)j * (size_t)width);
    for (int k = l; k < nbar; k += BLOCK) {
      f->kernels->dots_double(bars->meet + (size_t)k * (size_t)width, answer, (size_t)width, width,
                              dot);
      for (int i = 0; i < BLOCK * BLOCK; i++) {
        int row = k + i / BLOCK, column = l + i % BLOCK;
        if (row < nbar && column <= row)
          bars->matrix[(size_t)row * (size_t)nbar + (size_t)column] -= dot[i];
      }
    }
  }
}

// Numbers its vertices; false when it reaches outside the root, is none, or there is no room.
static bool pack(mi_factor *f, const mi_bar *from, mi_bar *to) {
  mi_bars *bars = &f->bars;
  int nfront = f->sym.n - f->sym.nroot, count = 0, before = bars->nvert;
  *to = (mi_bar){.vert = {-1, -1, -1, -1}, .weight = from->weight};
  if (!(from->weight > 0) || !isfinite(from->weight)) return false;
  for (int a = 0; a < 4; a++)
    if (from->vert[a] >= 0 && (from->vert[a] < nfront || from->vert[a] >= f->sym.n)) return false;
  for (int a = 0; a < 4; a++) {
    if (from->vert[a] < 0) continue;
    int32_t *local = bars->local + from->vert[a] - nfront;
    if (*local < 0 && bars->nvert == MOST_VERTS) {
      while (bars->nvert > before) bars->local[bars->vert[--bars->nvert]] = -1;
      return false;
    }
    if (*local < 0) {
      bars->vert[bars->nvert] = from->vert[a] - nfront;
      *local = bars->nvert++;
    }
    to->vert[count] = *local;
    memcpy(to->vector[count++], from->vector[a], sizeof to->vector[0]);
  }
  return count > 0;
}

static mi_bar_rows rows_of(const mi_bar *bar) {
  mi_bar_rows rows = {0};
  for (int a = 0; a < 4 && bar->vert[a] >= 0; a++) {
    rows.row[a] = bar->vert[a];
    for (int c = 0; c < 3; c++) rows.vector[a][c] = (double)bar->vector[a][c];
  }
  return rows;
}

int mi_factor_set_bars(mi_factor *f, mi_bar *bar, int count, int threads) {
  mi_bars *bars = &f->bars;
  bars->count = 0;
  if (!bars->bar) return 0;
  while (bars->nvert > 0) bars->local[bars->vert[--bars->nvert]] = -1;
  for (int k = 0; k < count && bars->count < MOST; k++)
    if (pack(f, bar + k, bars->bar + bars->count)) bar[bars->count++] = bar[k];
  if (!bars->count) return 0;
  for (int k = 0; k < bars->count; k++) bars->rows[k] = rows_of(bars->bar + k);
  for (int i = 0, at = 0; i < f->sym.nroot; i++)
    if (bars->local[i] >= 0) bars->sorted[at++] = i;
  mi_parallel(threads, mi_blocks(bars->nvert), 4, copy_inverse, f);
  mi_parallel(threads, bars->count, CHUNK, find_columns, f);
  if (f->inside.count) mi_parallel(threads, bars->count, CHUNK, subtract_pulls, f);
  if (!mi_dense_factor(bars->matrix, bars->count, threads)) bars->count = 0;
  return bars->count;
}

// -- applying -------------------------------------------------------------------------------------

bool mi_bars_answer(mi_factor *f, const float *y, float *rhs) {
  mi_bars *bars = &f->bars;
  if (!bars->count) return false;
  double *tension = bars->tension;
  for (int k = 0; k < bars->count; k++) {
    const mi_bar *bar = bars->bar + k;
    tension[k] = 0;
    for (int a = 0; a < 4 && bar->vert[a] >= 0; a++)
      for (int i = 0; i < 3; i++)
        tension[k] +=
            (double)bar->vector[a][i] * (double)y[4 * (size_t)bars->vert[bar->vert[a]] + (size_t)i];
  }
  mi_dense_solve(bars->matrix, bars->count, tension);
  memset(rhs, 0, 4 * (size_t)f->sym.nroot * sizeof *rhs);
  for (int k = 0; k < bars->count; k++) {
    const mi_bar *bar = bars->bar + k;
    for (int a = 0; a < 4 && bar->vert[a] >= 0; a++)
      for (int i = 0; i < 3; i++)
        rhs[4 * (size_t)bars->vert[bar->vert[a]] + (size_t)i] +=
            (float)tension[k] * bar->vector[a][i];
  }
  return true;
}
