#include "mesh/stiffness.h"

#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

bool mi_tet_gradients(const float *rest, const int32_t *tet, mi_vec3 g[4]) {
  mi_vec3 p[4];
  for (int k = 0; k < 4; k++) p[k] = mi_vec3_load(rest + 3 * (size_t)tet[k]);
  mi_vec3 u = mi_sub(p[1], p[0]), v = mi_sub(p[2], p[0]), w = mi_sub(p[3], p[0]);
  double det = mi_dot(mi_cross(u, v), w);
  double size = mi_length(u) * mi_length(v) * mi_length(w);
  if (!(fabs(det) > 1e-12 * size)) return false;
  g[1] = mi_scale(1 / det, mi_cross(v, w));
  g[2] = mi_scale(1 / det, mi_cross(w, u));
  g[3] = mi_scale(1 / det, mi_cross(u, v));
  g[0] = mi_scale(-1, mi_add(g[1], mi_add(g[2], g[3])));
  return true;
}

static int compare_columns(const void *a, const void *b) {
  return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

// tetrahedra around each vertex, in compressed rows
static bool find_tets_of_verts(const mi_stiffness_def *def, mi_arena *scratch, int32_t **first,
                               int32_t **tet) {
  int32_t *at = *first = MI_PUSH(scratch, int32_t, def->nvert + 1);
  int32_t *next = MI_PUSH(scratch, int32_t, def->nvert + 1);
  *tet = MI_PUSH(scratch, int32_t, 4 * (size_t)def->ntet);
  if (!at || !next || !*tet) return false;
  for (int k = 0; k < 4 * def->ntet; k++) at[def->tets[k] + 1]++;
  for (int i = 0; i < def->nvert; i++) at[i + 1] += at[i];
  memcpy(next, at, ((size_t)def->nvert + 1) * sizeof *next);
  for (int k = 0; k < 4 * def->ntet; k++) (*tet)[next[def->tets[k]]++] = k / 4;
  return true;
}

// columns of row i, ascending; `mark` holds the last row that saw a column
static int row_columns(const mi_stiffness_def *def, int i, const int32_t *tet, int ntet,
                       int32_t *mark, int32_t *column) {
  int count = 0;
  mark[i] = i;
  column[count++] = i;
  for (int k = 0; k < ntet; k++)
    for (int c = 0; c < 4; c++) {
      int j = def->tets[4 * (size_t)tet[k] + c];
      if (mark[j] == i) continue;
      mark[j] = i;
      column[count++] = j;
    }
  qsort(column, (size_t)count, sizeof *column, compare_columns);
  return count;
}

static double *entry_of(mi_csr *a, int i, int j) {
  int lo = a->first[i], hi = a->first[i + 1] - 1;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a->column[mid] < j)
      lo = mid + 1;
    else
      hi = mid;
  }
  return a->value + lo;
}

static bool find_pattern(const mi_stiffness_def *def, mi_arena *arena, mi_arena *scratch,
                         mi_csr *a) {
  int32_t *first, *tet;
  int32_t *mark = MI_PUSH(scratch, int32_t, def->nvert);
  a->nrow = def->nvert;
  a->first = MI_PUSH(arena, int32_t, def->nvert + 1);
  if (!mark || !a->first || !find_tets_of_verts(def, scratch, &first, &tet)) return false;
  // every corner brings at most three new columns
  size_t most = 12 * (size_t)def->ntet + (size_t)def->nvert;
  int32_t *column = MI_PUSH_RAW(scratch, int32_t, most);
  if (!column) return false;
  for (int i = 0; i < def->nvert; i++) mark[i] = -1;
  for (int i = 0; i < def->nvert; i++)
    a->first[i + 1] = a->first[i] + row_columns(def, i, tet + first[i], first[i + 1] - first[i],
                                                mark, column + a->first[i]);
  int count = a->first[def->nvert];
  a->column = MI_PUSH_RAW(arena, int32_t, count);
  a->value = MI_PUSH(arena, double, count);
  if (!a->column || !a->value) return false;
  memcpy(a->column, column, (size_t)count * sizeof *column);
  return true;
}

bool mi_stiffness_assemble(const mi_stiffness_def *def, mi_arena *arena, mi_csr *out) {
  mi_arena scratch = {.allocator = arena->allocator, .limit = arena->limit};
  bool found = find_pattern(def, arena, &scratch, out);
  mi_arena_free(&scratch);
  if (!found) return false;
  if (def->diagonal)
    for (int i = 0; i < def->nvert; i++) *entry_of(out, i, i) = def->diagonal[i];
  for (int t = 0; t < def->ntet; t++) {
    const int32_t *tet = def->tets + 4 * (size_t)t;
    mi_vec3 g[4];
    if (!mi_tet_gradients(def->rest, tet, g)) continue;
    double weight = (double)def->weight_a[t] + (def->weight_b ? (double)def->weight_b[t] : 0);
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) *entry_of(out, tet[a], tet[b]) += weight * mi_dot(g[a], g[b]);
  }
  return true;
}
