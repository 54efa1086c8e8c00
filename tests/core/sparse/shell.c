#include "shell.h"

#include "mesh/stiffness.h"

#include <math.h>
#include <string.h>

typedef struct flesh {
  float *rest, *weight;
  double *diagonal;
  int32_t *tets;
  int nvert, ntet;
} flesh;

static void place_verts(flesh *f, int side) {
  int nskin = side * side;
  for (int k = 0; k < nskin; k++) {
    double u = 2.0 * (k % side) / (side - 1) - 1, v = 2.0 * (k / side) / (side - 1) - 1;
    double z = 0.09 * sqrt(1.2 - 0.5 * u * u - 0.5 * v * v) + 0.003 * sin(9 * u) * cos(8 * v);
    const double at[3] = {0.08 * u, 0.1 * v, z};
    for (int c = 0; c < 3; c++) {
      f->rest[3 * k + c] = (float)at[c];
      f->rest[3 * (k + nskin) + c] = (float)(0.95 * at[c]);
    }
  }
}

static void add_prism(flesh *f, int a, int b, int c, int nskin) { // a < b < c
  const int32_t tets[3][4] = {
      {a, b, c, c + nskin}, {a, b, b + nskin, c + nskin}, {a, a + nskin, b + nskin, c + nskin}};
  memcpy(f->tets + 4 * f->ntet, tets, sizeof tets);
  f->ntet += 3;
}

static double volume_of(const flesh *f, int t) {
  double e[3][3];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      e[r][c] =
          (double)f->rest[3 * f->tets[4 * t + r + 1] + c] - (double)f->rest[3 * f->tets[4 * t] + c];
  return fabs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
              e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
              e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6;
}

// stiffness of skin, inertia at 60 frames per second, every 13th inner vertex held by bone
static void weigh(flesh *f) {
  for (int t = 0; t < f->ntet; t++) {
    double volume = volume_of(f, t);
    f->weight[t] = (float)(15000 * volume);
    for (int c = 0; c < 4; c++) f->diagonal[f->tets[4 * t + c]] += 1100 * volume / 4 * 3600;
  }
  for (int i = f->nvert / 2; i < f->nvert; i += 13) f->diagonal[i] *= 10;
}

shell shell_create(int side, bool region) {
  shell s = {.side = side, .nvert = 2 * side * side};
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena_init(&s.arena, &host);
  flesh f = {.nvert = s.nvert};
  size_t ntet = 6 * (size_t)(side - 1) * (size_t)(side - 1);
  f.rest = MI_PUSH(&s.arena, float, 3 * (size_t)s.nvert);
  f.diagonal = MI_PUSH(&s.arena, double, s.nvert);
  f.tets = MI_PUSH(&s.arena, int32_t, 4 * ntet);
  f.weight = MI_PUSH(&s.arena, float, ntet);
  place_verts(&f, side);
  for (int j = 0; j + 1 < side; j++)
    for (int i = 0; i + 1 < side; i++) {
      int a = j * side + i;
      add_prism(&f, a, a + 1, a + side + 1, side * side);
      add_prism(&f, a, a + side, a + side + 1, side * side);
    }
  weigh(&f);
  mi_csr plain;
  mi_stiffness_def def = {s.nvert, f.ntet, f.tets, f.rest, f.weight, NULL, f.diagonal};
  assert_true(mi_stiffness_assemble(&def, &s.arena, &plain));
  unsigned char *last = MI_PUSH(&s.arena, unsigned char, s.nvert);
  int32_t *order = MI_PUSH(&s.arena, int32_t, s.nvert);
  s.nfront = s.nvert;
  for (int k = 0; region && k < side * side; k++) {
    int i = k % side, j = k / side;
    last[k] = 4 * i > side && 4 * i < 3 * side && 8 * j > 3 * side && 8 * j < 5 * side;
    s.nfront -= last[k];
  }
  assert_true(mi_order_find(&plain, last, order, &s.arena));
  assert_true(mi_csr_permute(&plain, order, &s.arena, &s.arena, &s.a));
  return s;
}

void shell_free(shell *s) {
  mi_arena_free(&s->arena);
}

float *shell_random(mi_arena *arena, int nvert, uint64_t seed) {
  float *b = MI_PUSH(arena, float, 4 * (size_t)nvert);
  for (uint32_t i = 0; i < (uint32_t)nvert; i++)
    for (uint32_t c = 0; c < 3; c++) b[4 * i + c] = (float)(mi_random_unit(seed, i, c) - 0.5);
  return b;
}

double *dense_matrix(mi_arena *arena, const mi_csr *a, const mi_lowrank_rows *lowrank_rows) {
  size_t n = (size_t)a->nrow;
  double *m = MI_PUSH(arena, double, n *n);
  for (size_t i = 0; i < n; i++)
    for (int p = a->first[i]; p < a->first[i + 1]; p++)
      m[i * n + (size_t)a->column[p]] = a->value[p];
  for (int k = 0; lowrank_rows && k < lowrank_rows->count; k++) {
    const mi_lowrank *lowrank = lowrank_rows->lowrank + k;
    for (int u = 0; u < 4; u++)
      for (int v = 0; v < 4; v++)
        if (lowrank->vert[u] >= 0 && lowrank->vert[v] >= 0 && lowrank->weight > 0)
          m[(size_t)lowrank->vert[u] * n + (size_t)lowrank->vert[v]] +=
              (double)lowrank->weight * (double)lowrank->coef[u] * (double)lowrank->coef[v];
  }
  return m;
}

void dense_solve(double *m, int n, double *b) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double share = m[i * n + k] / m[k * n + k];
      if (share == 0) continue;
      for (int j = k; j < n; j++) m[i * n + j] -= share * m[k * n + j];
      for (int c = 0; c < 3; c++) b[3 * i + c] -= share * b[3 * k + c];
    }
  for (int i = n - 1; i >= 0; i--)
    for (int c = 0; c < 3; c++) {
      for (int j = i + 1; j < n; j++) b[3 * i + c] -= m[i * n + j] * b[3 * j + c];
      b[3 * i + c] /= m[i * n + i];
    }
}

double relative_residual(const mi_csr *a, const mi_lowrank_rows *lowrank_rows, const float *b,
                         const float *x) {
  double rr = 0, bb = 0;
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < a->nrow; i++) {
      double r = (double)b[4 * i + c];
      bb += r * r;
      for (int p = a->first[i]; p < a->first[i + 1]; p++)
        r -= a->value[p] * (double)x[4 * a->column[p] + c];
      for (int k = 0; lowrank_rows && k < lowrank_rows->count; k++) {
        const mi_lowrank *lowrank = lowrank_rows->lowrank + k;
        double own = 0, stretch = 0;
        for (int v = 0; v < 4; v++) {
          if (lowrank->vert[v] < 0) continue;
          if (lowrank->vert[v] == i) own += (double)lowrank->coef[v];
          stretch += (double)lowrank->coef[v] * (double)x[4 * lowrank->vert[v] + c];
        }
        r -= (double)lowrank->weight * own * stretch;
      }
      rr += r * r;
    }
  return sqrt(rr / bb);
}

double dense_error(mi_arena *arena, const mi_csr *a, const mi_lowrank_rows *lowrank_rows,
                   const float *b, const float *x) {
  double *m = dense_matrix(arena, a, lowrank_rows), worst = 0, largest = 0;
  double *expected = MI_PUSH(arena, double, 3 * (size_t)a->nrow);
  for (int i = 0; i < a->nrow; i++)
    for (int c = 0; c < 3; c++) expected[3 * i + c] = (double)b[4 * i + c];
  dense_solve(m, a->nrow, expected);
  for (int i = 0; i < a->nrow; i++)
    for (int c = 0; c < 3; c++) {
      worst = fmax(worst, fabs((double)x[4 * i + c] - expected[3 * i + c]));
      largest = fmax(largest, fabs(expected[3 * i + c]));
    }
  return worst / largest;
}
