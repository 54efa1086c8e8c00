// Changing constraints with a direction, on top of the spring rows of woodbury.c:
//
//   (G^-1 + V W V')^-1 b = y - G V K^-1 V' y   with   y = G b,   K = W^-1 + V' G V
//
// G is the inverse with the spring rows, on the root, the same for x, y and z; a column of V is a
// rank-1 row. With S the root's inverse, C the spring rows and Kp theirs, V' G V = V' S V - Q'
// Kp^-1 Q, Q = C S V. Rank-1 rows are at few of the root's vertices: those entries of S are copied
// next to each other first.
#include "sparse/factor.h"

#include <math.h>
#include <string.h>

enum { MOST = MI_RANK1_MOST, MOST_VERTS = MI_RANK1_VERTS };
enum { BLOCK = 4, CHUNK = 16 }; // rank-1 rows per pass, and per task

bool mi_factor_reserve_rank1(mi_factor *f) {
  mi_rank1_update *update = &f->update;
  if (update->rank1) return true;
  int nvert = f->sym.nroot < MOST_VERTS ? f->sym.nroot : MOST_VERTS;
  size_t padded = 8 * (size_t)mi_blocks(nvert);
  mi_rank1 *rank1 = MI_PUSH(&f->work_arena, mi_rank1, MOST);
  update->rows = MI_PUSH(&f->work_arena, mi_rank1_packed, MOST);
  update->vert = MI_PUSH(&f->work_arena, int32_t, nvert);
  update->sorted = MI_PUSH(&f->work_arena, int32_t, nvert);
  update->local = MI_PUSH(&f->work_arena, int32_t, f->sym.nroot);
  update->inverse = MI_PUSH(&f->work_arena, float, padded *(size_t)nvert);
  update->matrix = MI_PUSH(&f->work_arena, double, (size_t)MOST *MOST);
  update->tension = MI_PUSH(&f->work_arena, double, MOST);
  update->meet = MI_PUSH(&f->work_arena, double, 4 * (size_t)MI_LOWRANK_MOST * MOST);
  if (!rank1 || !update->rows || !update->matrix || !update->tension || !update->meet ||
      !update->vert || !update->sorted || !update->local || !update->inverse)
    return false;
  for (int i = 0; i < f->sym.nroot; i++) update->local[i] = -1;
  update->rank1 = rank1;
  return true;
}

// -- setting --------------------------------------------------------------------------------------

// The entries of S at the rank-1 rows' vertices, rows by eights.
static void copy_inverse(void *user, int begin, int end) {
  const mi_factor *f = user;
  const mi_rank1_update *update = &f->update;
  const float *entry = f->entry + f->sym.super[f->sym.nsuper - 1].block;
  size_t nvert = (size_t)update->nvert, nroot = (size_t)f->sym.nroot;
  for (size_t i = 8 * (size_t)begin; i < 8 * (size_t)end; i++)
    for (size_t j = 0; j < nvert; j++) {
      size_t row = i < nvert ? (size_t)update->vert[i] : 0;
      update->inverse[8 * (i / 8 * nvert + j) + i % 8] =
          i < nvert ? entry[8 * (row / 8 * nroot + (size_t)update->vert[j]) + row % 8] : 0;
    }
}

// S V of one rank-1 row on the rank-1 rows' vertices: rows of four.
static void find_response(const mi_factor *f, const mi_rank1 *rank1, double *out) {
  const mi_rank1_update *update = &f->update;
  mi_panel inverse = {update->inverse, mi_blocks(update->nvert), update->nvert, update->nvert,
                      NULL};
  int count = 0;
  while (count < 4 && rank1->vert[count] >= 0) count++;
  f->kernels->panel_respond(inverse, rank1->vert, count, rank1->vector, out);
}

// Q of one rank-1 row: rows of four, a row a spring row
static void meet_lowrank(const mi_factor *f, const mi_rank1 *rank1, double *out) {
  const mi_correction *c = &f->inside;
  memset(out, 0, 4 * (size_t)c->count * sizeof *out);
  for (int a = 0; a < 4 && rank1->vert[a] >= 0; a++) {
    int at = f->update.vert[rank1->vert[a]];
    const float *response = c->response + 8 * (size_t)(at / 8) * (size_t)c->count + at % 8;
    for (int p = 0; p < c->count; p++)
      for (int i = 0; i < 3; i++)
        out[4 * p + i] += (double)response[8 * (size_t)p] * (double)rank1->vector[a][i];
  }
}

// Columns of V' S V + W^-1, and Q of their rank-1 rows. Four columns share one read of a row.
static void find_columns(void *task, int begin, int end) {
  const mi_factor *f = task;
  const mi_rank1_update *update = &f->update;
  size_t count = (size_t)update->count, width = 4 * (size_t)f->inside.count;
  size_t size = 32 * (size_t)mi_blocks(update->nvert);
  double response[BLOCK * 4 * MOST_VERTS]; // a multiple of eight
  for (int l = begin; l < end; l += BLOCK) {
    int last = l + BLOCK < end ? l + BLOCK : end;
    for (int j = l; j < last; j++)
      find_response(f, update->rank1 + j, response + (size_t)(j - l) * size);
    double corner[BLOCK * BLOCK];
    f->kernels->rank1_dots(update->rows + l, 0, last - l, response, size, corner, BLOCK);
    for (int k = l; k < last; k++)
      for (int j = l; j <= k; j++)
        update->matrix[(size_t)k * count + (size_t)j] = corner[BLOCK * (k - l) + j - l];
    // fewer than four columns are the last ones: no rows follow
    f->kernels->rank1_dots(update->rows, last, update->count, response, size, update->matrix + l,
                           count);
    for (int j = l; j < last; j++) {
      update->matrix[(size_t)j * count + (size_t)j] += 1 / (double)update->rank1[j].weight;
      meet_lowrank(f, update->rank1 + j, update->meet + (size_t)j * width);
    }
  }
}

// Columns of K -= Q' Kp^-1 Q, the lower triangle, four rank-1 rows against four.
static void subtract_lowrank(void *task, int begin, int end) {
  const mi_factor *f = task;
  const mi_rank1_update *update = &f->update;
  int nlowrank = f->inside.count, width = 4 * nlowrank, nrank1 = update->count;
  double answer[4 * MI_LOWRANK_MOST * BLOCK], dot[BLOCK * BLOCK];
  for (int l = begin; l < end; l += BLOCK) {
    for (int j = 0; j < BLOCK; j++) // entries beyond the last rank-1 row are not read
      f->kernels->multiply_double(f->inside.inverse, 8 * mi_blocks(nlowrank), nlowrank,
                                  update->meet + (size_t)(l + j) * (size_t)width,
                                  answer + (size_t)j * (size_t)width);
    for (int k = l; k < nrank1; k += BLOCK) {
      f->kernels->dots_double(update->meet + (size_t)k * (size_t)width, answer, (size_t)width,
                              width, dot);
      for (int i = 0; i < BLOCK * BLOCK; i++) {
        int row = k + i / BLOCK, column = l + i % BLOCK;
        if (row < nrank1 && column <= row)
          update->matrix[(size_t)row * (size_t)nrank1 + (size_t)column] -= dot[i];
      }
    }
  }
}

// Numbers its vertices; false when it reaches outside the root, is none, or there is no room.
static bool pack(mi_factor *f, const mi_rank1 *from, mi_rank1 *to) {
  mi_rank1_update *update = &f->update;
  int nfront = f->sym.n - f->sym.nroot, count = 0, before = update->nvert;
  *to = (mi_rank1){.vert = {-1, -1, -1, -1}, .weight = from->weight};
  if (!(from->weight > 0) || !isfinite(from->weight)) return false;
  for (int a = 0; a < 4; a++)
    if (from->vert[a] >= 0 && (from->vert[a] < nfront || from->vert[a] >= f->sym.n)) return false;
  for (int a = 0; a < 4; a++) {
    if (from->vert[a] < 0) continue;
    int32_t *local = update->local + from->vert[a] - nfront;
    if (*local < 0 && update->nvert == MOST_VERTS) {
      while (update->nvert > before) update->local[update->vert[--update->nvert]] = -1;
      return false;
    }
    if (*local < 0) {
      update->vert[update->nvert] = from->vert[a] - nfront;
      *local = update->nvert++;
    }
    to->vert[count] = *local;
    memcpy(to->vector[count++], from->vector[a], sizeof to->vector[0]);
  }
  return count > 0;
}

static mi_rank1_packed rows_of(const mi_rank1 *rank1) {
  mi_rank1_packed rows = {0};
  for (int a = 0; a < 4 && rank1->vert[a] >= 0; a++) {
    rows.row[a] = rank1->vert[a];
    for (int c = 0; c < 3; c++) rows.vector[a][c] = (double)rank1->vector[a][c];
  }
  return rows;
}

int mi_factor_set_rank1(mi_factor *f, mi_rank1 *rank1, int count, int threads) {
  mi_rank1_update *update = &f->update;
  update->count = 0;
  if (!update->rank1) return 0;
  while (update->nvert > 0) update->local[update->vert[--update->nvert]] = -1;
  for (int k = 0; k < count && update->count < MOST; k++)
    if (pack(f, rank1 + k, update->rank1 + update->count)) rank1[update->count++] = rank1[k];
  if (!update->count) return 0;
  for (int k = 0; k < update->count; k++) update->rows[k] = rows_of(update->rank1 + k);
  for (int i = 0, at = 0; i < f->sym.nroot; i++)
    if (update->local[i] >= 0) update->sorted[at++] = i;
  mi_parallel(threads, mi_blocks(update->nvert), 4, copy_inverse, f);
  mi_parallel(threads, update->count, CHUNK, find_columns, f);
  if (f->inside.count) mi_parallel(threads, update->count, CHUNK, subtract_lowrank, f);
  if (!mi_dense_factor(update->matrix, update->count, threads)) update->count = 0;
  return update->count;
}

// -- applying -------------------------------------------------------------------------------------

bool mi_rank1_answer(mi_factor *f, const float *y, float *rhs) {
  mi_rank1_update *update = &f->update;
  if (!update->count) return false;
  double *tension = update->tension;
  for (int k = 0; k < update->count; k++) {
    const mi_rank1 *rank1 = update->rank1 + k;
    tension[k] = 0;
    for (int a = 0; a < 4 && rank1->vert[a] >= 0; a++)
      for (int i = 0; i < 3; i++)
        tension[k] += (double)rank1->vector[a][i] *
                      (double)y[4 * (size_t)update->vert[rank1->vert[a]] + (size_t)i];
  }
  mi_dense_solve(update->matrix, update->count, tension);
  memset(rhs, 0, 4 * (size_t)f->sym.nroot * sizeof *rhs);
  for (int k = 0; k < update->count; k++) {
    const mi_rank1 *rank1 = update->rank1 + k;
    for (int a = 0; a < 4 && rank1->vert[a] >= 0; a++)
      for (int i = 0; i < 3; i++)
        rhs[4 * (size_t)update->vert[rank1->vert[a]] + (size_t)i] +=
            (float)tension[k] * rank1->vector[a][i];
  }
  return true;
}
