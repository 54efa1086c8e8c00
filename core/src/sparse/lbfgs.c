// Both loops of the recursion need dot products with vectors that change in the loop. Those follow
// from dot products with the vector at the start and from s_i . y_j, which is kept: so each half is
// one pass of dot products, a few scalars, and one pass of sums.
#include "sparse/lbfgs.h"

#include "sparse/sparse_kernels.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 4096 }; // floats; dot products are added per chunk, in order

struct mi_lbfgs {
  int nvert, most;
  int nkept;        // pairs at the beginning that are never written over
  int first, count; // pairs in use: [first, count)
  const mi_sparse_kernels *kernels;
  float *s[MI_LBFGS_MOST], *y[MI_LBFGS_MOST]; // oldest first; pointers move, vectors do not
  float *own[MI_LBFGS_MOST][2];               // those that are not borrowed           (nown)
  int nown;
  double sy[MI_LBFGS_MOST][MI_LBFGS_MOST];         // s_i . y_j for i <= j
  double with_rank1[MI_LBFGS_MOST][MI_LBFGS_MOST]; // the same with what rank-1 rows add to y
  double alpha[MI_LBFGS_MOST];
  const float *newest;         // the gradient that the last pair ended with, or NULL
  double along[MI_LBFGS_MOST]; // s_i . newest
  const mi_rank1 *rank1;
  double *stretch; // v_k . s_i                                              (nbar x MI_LBFGS_MOST)
  int nrank1;
  double *sums; // per chunk
};

enum { DOTS = 2 * MI_LBFGS_MOST + 3 };

static int chunks(int nvert) {
  return (4 * nvert + CHUNK - 1) / CHUNK;
}

int mi_lbfgs_dot_sums(int nvert) {
  return chunks(nvert);
}

// Reserves pairs behind `nkept` borrowed ones.
static bool reserve_own(mi_lbfgs *h, int nkept, mi_arena *arena) {
  while (h->nown < h->most - nkept) {
    float **pair = h->own[h->nown];
    for (int k = 0; k < 2; k++)
      if (!(pair[k] = MI_PUSH(arena, float, 4 * (size_t)h->nvert))) return false;
    h->nown++;
  }
  h->nkept = nkept;
  for (int k = nkept; k < h->most; k++) {
    h->s[k] = h->own[k - nkept][0];
    h->y[k] = h->own[k - nkept][1];
  }
  return true;
}

static mi_lbfgs *create_empty(int nvert, int most, mi_arena *arena) {
  mi_lbfgs *h = MI_PUSH(arena, mi_lbfgs, 1);
  if (!h) return NULL;
  h->nvert = nvert;
  h->most = most < 1 ? 1 : most > MI_LBFGS_MOST ? MI_LBFGS_MOST : most;
  h->kernels = mi_sparse_kernels_best();
  h->sums = MI_PUSH(arena, double, (size_t)chunks(nvert) * DOTS);
  return h->sums ? h : NULL;
}

mi_lbfgs *mi_lbfgs_create(int nvert, int most, mi_arena *arena) {
  mi_lbfgs *h = create_empty(nvert, most, arena);
  return h && reserve_own(h, 0, arena) ? h : NULL;
}

bool mi_lbfgs_borrow(mi_lbfgs *h, const mi_lbfgs *kept, mi_arena *arena) {
  if (!reserve_own(h, kept->nkept, arena)) return false;
  memcpy(h->s, kept->s, (size_t)h->nkept * sizeof *h->s);
  memcpy(h->y, kept->y, (size_t)h->nkept * sizeof *h->y);
  memcpy(h->sy, kept->sy, sizeof h->sy);
  mi_lbfgs_restart(h);
  return true;
}

mi_lbfgs *mi_lbfgs_create_over(const mi_lbfgs *kept, int most, mi_arena *arena) {
  mi_lbfgs *h = create_empty(kept->nvert, most, arena);
  return h && mi_lbfgs_borrow(h, kept, arena) ? h : NULL;
}

void mi_lbfgs_reset(mi_lbfgs *history) {
  history->first = history->count = history->nkept;
  history->nrank1 = 0;
  history->newest = NULL;
}

void mi_lbfgs_keep(mi_lbfgs *history) {
  history->nkept = history->count;
}

void mi_lbfgs_restart(mi_lbfgs *history) {
  history->first = history->nrank1 = 0;
  history->count = history->nkept;
  history->newest = NULL;
}

void mi_lbfgs_distrust(mi_lbfgs *history) {
  history->first = history->nkept;
}

int mi_lbfgs_count(const mi_lbfgs *history) {
  return history->count - history->first;
}

// -- dot products and sums over chunks ------------------------------------------------------------

typedef struct pass {
  const mi_sparse_kernels *kernels;
  const float *a; // dotted with, or added to
  const float *v[MI_LBFGS_MOST];
  float coef[MI_LBFGS_MOST];
  int nv;
  float *out;
  const float *with; // dotted with the sum
  double *sums;
} pass;

static void dot_chunk(void *user, int begin, int end) {
  const pass *p = user;
  const float *v[MI_LBFGS_MOST];
  for (int k = 0; k < p->nv; k++) v[k] = p->v[k] + begin;
  p->kernels->dots(p->a + begin, v, p->nv, end - begin, p->sums + (size_t)(begin / CHUNK * p->nv));
}

static void add_up(const double *sums, int nchunk, int count, double *out) {
  for (int k = 0; k < count; k++) out[k] = 0;
  for (int c = 0; c < nchunk; c++)
    for (int k = 0; k < count; k++) out[k] += sums[c * count + k];
}

static void find_dots(pass *p, int nvert, int threads, double *dot) {
  mi_parallel(threads, 4 * nvert, CHUNK, dot_chunk, p);
  add_up(p->sums, chunks(nvert), p->nv, dot);
}

static void combine_chunk(void *user, int begin, int end) {
  const pass *p = user;
  const float *v[MI_LBFGS_MOST];
  for (int k = 0; k < p->nv; k++) v[k] = p->v[k] + begin;
  p->kernels->combine(p->a + begin, v, p->coef, p->nv, end - begin, p->out + begin);
}

double mi_lbfgs_dot(const float *a, const float *b, int nvert, int threads, double *sums) {
  pass p = {.kernels = mi_sparse_kernels_best(), .a = a, .v = {b}, .nv = 1, .sums = sums};
  double dot;
  find_dots(&p, nvert, threads, &dot);
  return dot;
}

// -- pairs ----------------------------------------------------------------------------------------

typedef struct add_ctx {
  mi_lbfgs *h;
  const float *x_old, *x_new, *g_old, *g_new;
  int slot, kept; // pairs to dot with: [first, first + kept)
  int first;
} add_ctx;

// Differences and, while they are in the cache, their dot products: s.s, s.y, y.y, then y with the
// s_i in use (the loops ask for no s with an older y), then the new gradient with all s.
static void add_chunk(void *user, int begin, int end) {
  const add_ctx *a = user;
  mi_lbfgs *h = a->h;
  const float minus = -1;
  float *s = h->s[a->slot] + begin, *y = h->y[a->slot] + begin;
  const float *v[MI_LBFGS_MOST + 2];
  int count = end - begin;
  double *sums = h->sums + (size_t)(begin / CHUNK * (4 + 2 * a->kept));
  v[0] = a->x_old + begin;
  h->kernels->combine(a->x_new + begin, v, &minus, 1, count, s);
  v[0] = a->g_old + begin;
  h->kernels->combine(a->g_new + begin, v, &minus, 1, count, y);
  v[0] = s, v[1] = y;
  h->kernels->dots(s, v, 2, count, sums);
  v[0] = y;
  for (int k = 0; k < a->kept; k++) v[1 + k] = h->s[a->first + k] + begin;
  h->kernels->dots(y, v, 1 + a->kept, count, sums + 2);
  v[1 + a->kept] = s;
  h->kernels->dots(a->g_new + begin, v + 1, a->kept + 1, count, sums + 3 + a->kept);
}

// The oldest pair that is not kept goes to the end, to be written over.
static void forget_oldest(mi_lbfgs *h) {
  int oldest = h->nkept, last = h->most - 1;
  float *s = h->s[oldest], *y = h->y[oldest];
  for (int k = oldest; k < last; k++) {
    h->s[k] = h->s[k + 1];
    h->y[k] = h->y[k + 1];
    memcpy(h->sy[k], h->sy[k + 1], sizeof h->sy[k]);
  }
  for (int k = 0; k < last; k++)
    memmove(h->sy[k] + oldest, h->sy[k] + oldest + 1, (size_t)(last - oldest) * sizeof(double));
  h->s[last] = s;
  h->y[last] = y;
  h->count--;
}

bool mi_lbfgs_add(mi_lbfgs *h, const float *x_old, const float *x_new, const float *g_old,
                  const float *g_new, int threads) {
  if (h->count == h->most) forget_oldest(h);
  add_ctx a = {h, x_old, x_new, g_old, g_new, h->count, h->count - h->first, h->first};
  double dot[DOTS];
  mi_parallel(threads, 4 * h->nvert, CHUNK, add_chunk, &a);
  add_up(h->sums, chunks(h->nvert), 4 + 2 * a.kept, dot);
  double ss = dot[0], sy = dot[1], yy = dot[2];
  h->newest = NULL;
  if (!(sy > 1e-7 * sqrt(ss) * sqrt(yy)) || !isfinite(sy)) return false;
  for (int k = 0; k < a.kept; k++) h->sy[a.first + k][h->count] = dot[3 + k];
  h->sy[h->count][h->count] = sy;
  h->newest = g_new;
  memcpy(h->along + a.first, dot + 3 + a.kept, (size_t)(a.kept + 1) * sizeof *dot);
  h->count++;
  return true;
}

// -- rank-1 rows ----------------------------------------------------------------------------------

static double stretch_of(const mi_rank1 *rank1, const float *x) {
  double sum = 0;
  for (int a = 0; a < 4; a++)
    for (int c = 0; c < 3 && rank1->vert[a] >= 0; c++)
      sum += (double)rank1->vector[a][c] * (double)x[4 * (size_t)rank1->vert[a] + (size_t)c];
  return sum;
}

static void pull_back(const mi_rank1 *rank1, double tension, float *q) {
  for (int a = 0; a < 4; a++)
    for (int c = 0; c < 3 && rank1->vert[a] >= 0; c++)
      q[4 * (size_t)rank1->vert[a] + (size_t)c] -= (float)(tension * (double)rank1->vector[a][c]);
}

void mi_lbfgs_set_rank1(mi_lbfgs *h, const mi_rank1 *rank1, int count, double *stretch) {
  h->rank1 = rank1;
  h->nrank1 = count;
  h->stretch = stretch;
  for (int k = 0; k < count; k++)
    for (int i = h->first; i < h->count; i++)
      stretch[MI_LBFGS_MOST * k + i] = stretch_of(rank1 + k, h->s[i]);
}

static void add_rank1(mi_lbfgs *h) {
  memcpy(h->with_rank1, h->sy, sizeof h->sy);
  for (int k = 0; k < h->nrank1; k++) {
    const double *own = h->stretch + (size_t)MI_LBFGS_MOST * (size_t)k;
    for (int i = h->first; i < h->count; i++)
      for (int j = i; j < h->count; j++)
        h->with_rank1[i][j] += (double)h->rank1[k].weight * own[i] * own[j];
  }
}

// -- the two loops --------------------------------------------------------------------------------

void mi_lbfgs_forward(mi_lbfgs *h, const float *gradient, int threads, float *q) {
  pass p = {.kernels = h->kernels, .a = gradient, .out = q, .sums = h->sums};
  double dot[MI_LBFGS_MOST];
  for (int i = h->first; i < h->count; i++) p.v[p.nv++] = h->s[i];
  if (gradient == h->newest)
    memcpy(dot, h->along + h->first, (size_t)p.nv * sizeof *dot);
  else
    find_dots(&p, h->nvert, threads, dot);
  add_rank1(h);
  // alpha_i = s_i . q / s_i . y_i; q -= alpha_i y_i
  for (int i = h->count - 1; i >= h->first; i--) {
    int at = i - h->first;
    double sq = dot[at];
    for (int j = i + 1; j < h->count; j++) sq -= h->alpha[j] * h->with_rank1[i][j];
    h->alpha[i] = sq / h->with_rank1[i][i];
    p.coef[at] = (float)-h->alpha[i];
    p.v[at] = h->y[i];
  }
  mi_parallel(threads, 4 * h->nvert, CHUNK, combine_chunk, &p);
  for (int k = 0; k < h->nrank1 && h->count > h->first; k++) {
    double tension = 0;
    for (int i = h->first; i < h->count; i++)
      tension += h->alpha[i] * h->stretch[MI_LBFGS_MOST * k + i];
    pull_back(h->rank1 + k, (double)h->rank1[k].weight * tension, q);
  }
}

// The sum and, while it is in the cache, its dot product.
static void finish_chunk(void *user, int begin, int end) {
  const pass *p = user;
  const float *v = p->with + begin;
  if (p->nv) combine_chunk(user, begin, end);
  p->kernels->dots(p->out + begin, &v, 1, end - begin, p->sums + begin / CHUNK);
}

double mi_lbfgs_backward(mi_lbfgs *h, float *s, const float *gradient, int threads) {
  pass p = {.kernels = h->kernels, .a = s, .out = s, .with = gradient, .sums = h->sums};
  double dot[MI_LBFGS_MOST], coef[MI_LBFGS_MOST], slope;
  for (int i = h->first; i < h->count; i++) p.v[p.nv++] = h->y[i];
  if (p.nv) find_dots(&p, h->nvert, threads, dot);
  for (int k = 0; k < h->nrank1 && p.nv; k++) {
    double tension = (double)h->rank1[k].weight * stretch_of(h->rank1 + k, s);
    for (int i = h->first; i < h->count; i++)
      dot[i - h->first] += tension * h->stretch[MI_LBFGS_MOST * k + i];
  }
  // beta = y_i . s / s_i . y_i; s += (alpha_i - beta) s_i
  for (int i = h->first; i < h->count; i++) {
    int at = i - h->first;
    double ys = dot[at];
    for (int j = h->first; j < i; j++) ys += coef[j] * h->with_rank1[j][i];
    coef[i] = h->alpha[i] - ys / h->with_rank1[i][i];
    p.coef[at] = (float)coef[i];
    p.v[at] = h->s[i];
  }
  mi_parallel(threads, 4 * h->nvert, CHUNK, finish_chunk, &p);
  add_up(h->sums, chunks(h->nvert), 1, &slope);
  return slope;
}
