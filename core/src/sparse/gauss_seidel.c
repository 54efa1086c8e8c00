// Gauss-Seidel by colours: vertices of one colour do not touch each other, so that the order within
// a colour, and with it the number of threads, does not change a bit.
//
// Vertices that changing constraints touch are left out of the coloured sweep and follow one by one
// with rows of A + sum w c c': every update is the exact minimum along its vertex of the whole
// system, so the sweeps converge to its solution.
#include "sparse/sparse_kernels.h"
#include "sparse/spd.h"

#include <string.h>

enum { MOST_COLORS = 64, CHUNK = 128 };

struct mi_gauss_seidel {
  int nvert, ncolor;
  int32_t color_first[MOST_COLORS + 2]; // rows of a colour; the last "colour" is done one by one
  int32_t *first, *column, *vert;       // compressed rows, sorted by colour
  float *value, *inverse;
  int32_t *row_of;     // vertex -> row
  unsigned char *held; // touched by a spring row                                        (nvert)
  int32_t *touched; // vertices with spring rows, in the order of the spring rows            (nvert)
  int32_t *head;    // vertex -> its first (spring row, place) pair, -1 = none         (nvert)
  int32_t *next;    // pair 4 p + v -> next pair of the same vertex              (4 nvert)
  const mi_sparse_kernels *kernels;
};

// -- making ---------------------------------------------------------------------------------------

// The colour used least among those free, of the colours in use: equal sizes keep threads busy.
static int choose_color(uint64_t taken, const int *size, int ncolor) {
  int best = -1;
  for (int c = 0; c < ncolor; c++)
    if (!(taken >> c & 1) && (best < 0 || size[c] < size[best])) best = c;
  return best >= 0 ? best : ncolor;
}

// MOST_COLORS stands for "one by one, at the end"
static int find_colors(const mi_csr *a, int32_t *color) {
  int size[MOST_COLORS + 1] = {0}, ncolor = 0;
  for (int i = 0; i < a->nrow; i++) color[i] = -1;
  for (int i = 0; i < a->nrow; i++) {
    uint64_t taken = 0;
    for (int p = a->first[i]; p < a->first[i + 1]; p++) {
      int c = color[a->column[p]];
      if (c >= 0 && c < MOST_COLORS) taken |= (uint64_t)1 << c;
    }
    color[i] = choose_color(taken, size, ncolor);
    if (color[i] == ncolor && ncolor < MOST_COLORS) ncolor++;
    size[color[i]]++;
  }
  return ncolor;
}

static void fill_rows(mi_gauss_seidel *gs, const mi_csr *a, const int32_t *color) {
  int row = 0, at = 0;
  for (int c = 0; c <= MOST_COLORS; c++) {
    gs->color_first[c] = row;
    for (int i = 0; i < a->nrow; i++) {
      if (color[i] != c) continue;
      gs->vert[row] = i;
      gs->row_of[i] = row;
      for (int p = a->first[i]; p < a->first[i + 1]; p++) {
        if (a->column[p] == i) {
          gs->inverse[row] = (float)(1 / a->value[p]);
          continue;
        }
        gs->column[at] = a->column[p];
        gs->value[at++] = (float)a->value[p];
      }
      gs->first[++row] = at;
    }
  }
  gs->color_first[MOST_COLORS + 1] = row;
}

mi_gauss_seidel *mi_gauss_seidel_create(const mi_csr *a, mi_arena *arena) {
  size_t n = (size_t)a->nrow, nentry = (size_t)a->first[a->nrow];
  mi_gauss_seidel *gs = MI_PUSH(arena, mi_gauss_seidel, 1);
  if (!gs) return NULL;
  gs->nvert = a->nrow;
  gs->kernels = mi_sparse_kernels_best();
  gs->first = MI_PUSH(arena, int32_t, n + 1);
  gs->column = MI_PUSH(arena, int32_t, nentry);
  gs->vert = MI_PUSH(arena, int32_t, n);
  gs->value = MI_PUSH(arena, float, nentry);
  gs->inverse = MI_PUSH(arena, float, n);
  gs->row_of = MI_PUSH(arena, int32_t, n);
  gs->held = MI_PUSH(arena, unsigned char, n);
  gs->touched = MI_PUSH(arena, int32_t, n);
  gs->head = MI_PUSH(arena, int32_t, n);
  gs->next = MI_PUSH(arena, int32_t, 4 * n);
  if (!gs->first || !gs->column || !gs->vert || !gs->value || !gs->inverse || !gs->row_of ||
      !gs->held || !gs->touched || !gs->head || !gs->next)
    return NULL;
  for (size_t i = 0; i < n; i++) gs->head[i] = -1;
  gs->ncolor = find_colors(a, gs->touched); // lent as room for the colours
  fill_rows(gs, a, gs->touched);
  return gs;
}

int mi_gauss_seidel_colors(const mi_gauss_seidel *gs) {
  return gs->ncolor;
}

// -- spring rows ----------------------------------------------------------------------------------

static bool is_part(const mi_lowrank *lowrank, int v) {
  return lowrank->weight > 0 && lowrank->vert[v] >= 0 && lowrank->coef[v] != 0;
}

// Lists of spring rows by vertex; returns how many vertices have one.
static int hold(mi_gauss_seidel *gs, const mi_lowrank_rows *lowrank_rows) {
  int count = 0;
  for (int p = 0; lowrank_rows && p < lowrank_rows->count; p++)
    for (int v = 0; v < 4; v++) {
      if (!is_part(lowrank_rows->lowrank + p, v)) continue;
      int i = lowrank_rows->lowrank[p].vert[v];
      if (!gs->held[i]) gs->touched[count++] = i;
      gs->held[i] = 1;
      gs->next[4 * p + v] = gs->head[i];
      gs->head[i] = 4 * p + v;
    }
  return count;
}

static void let_go(mi_gauss_seidel *gs, int count) {
  for (int k = 0; k < count; k++) {
    gs->held[gs->touched[k]] = 0;
    gs->head[gs->touched[k]] = -1;
  }
}

// one vertex of A + sum w c c'
static void relax_held(const mi_gauss_seidel *gs, const mi_lowrank *lowrank, int i, const float *q,
                       float *s) {
  int row = gs->row_of[i];
  double sum[3] = {0}, diagonal = 1 / (double)gs->inverse[row];
  for (int p = gs->first[row]; p < gs->first[row + 1]; p++)
    for (int k = 0; k < 3; k++)
      sum[k] += (double)gs->value[p] * (double)s[4 * (size_t)gs->column[p] + (size_t)k];
  for (int pair = gs->head[i]; pair >= 0; pair = gs->next[pair]) {
    const mi_lowrank *c = lowrank + pair / 4;
    double pressed = (double)c->weight * (double)c->coef[pair % 4];
    diagonal += pressed * (double)c->coef[pair % 4];
    for (int v = 0; v < 4; v++) {
      if (v == pair % 4 || !is_part(c, v)) continue;
      for (int k = 0; k < 3; k++)
        sum[k] += pressed * (double)c->coef[v] * (double)s[4 * (size_t)c->vert[v] + (size_t)k];
    }
  }
  for (int k = 0; k < 3; k++)
    s[4 * (size_t)i + (size_t)k] =
        (float)(((double)q[4 * (size_t)i + (size_t)k] - sum[k]) / diagonal);
}

// -- sweeping -------------------------------------------------------------------------------------

typedef struct sweeping {
  const mi_gauss_seidel *gs;
  mi_gs_rows rows;
  const float *q;
  float *s;
  int begin; // of the colour
} sweeping;

static void relax_chunk(void *user, int begin, int end) {
  const sweeping *w = user;
  w->gs->kernels->relax(&w->rows, w->begin + begin, w->begin + end, w->q, w->s);
}

static void sweep_once(sweeping *w, int threads) {
  const mi_gauss_seidel *gs = w->gs;
  for (int c = 0; c < gs->ncolor; c++) {
    w->begin = gs->color_first[c];
    mi_parallel(threads, gs->color_first[c + 1] - w->begin, CHUNK, relax_chunk, w);
  }
  gs->kernels->relax(&w->rows, gs->color_first[MOST_COLORS], gs->nvert, w->q, w->s);
}

bool mi_gauss_seidel_sweep(mi_gauss_seidel *gs, const mi_lowrank_rows *lowrank_rows, const float *q,
                           int sweeps, int threads, float *s) {
  if (lowrank_rows && lowrank_rows->count > gs->nvert) return false;
  int count = hold(gs, lowrank_rows);
  sweeping w = {gs, {gs->first, gs->column, gs->vert, gs->value, gs->inverse, gs->held}, q, s, 0};
  for (int k = 0; k < sweeps; k++) {
    sweep_once(&w, threads);
    for (int t = 0; t < count; t++) relax_held(gs, lowrank_rows->lowrank, gs->touched[t], q, s);
  }
  let_go(gs, count);
  return true;
}
