// Coarse lips: edges are collapsed, the shortest first, where the surface stays one and no triangle
// turns over.
#include "hard_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void normal_of(const hard_mesh *m, const int32_t v[3], bool is_open, double n[3]) {
  double p[3][3], a[3], b[3];
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++)
      p[c][k] = (double)m->position[3 * v[c] + k] +
                (is_open ? (double)m->delta[m->jaw_open][3 * v[c] + k] : 0);
  for (int k = 0; k < 3; k++) {
    a[k] = p[1][k] - p[0][k];
    b[k] = p[2][k] - p[0][k];
  }
  for (int k = 0; k < 3; k++)
    n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double cosine(const double a[3], const double b[3]) {
  double dot = 0, a2 = 0, b2 = 0;
  for (int k = 0; k < 3; k++) {
    dot += a[k] * b[k];
    a2 += a[k] * a[k];
    b2 += b[k] * b[k];
  }
  return dot / fmax(sqrt(a2 * b2), 1e-30);
}

static bool has(const int32_t *v, int vertex) {
  return v[0] == vertex || v[1] == vertex || v[2] == vertex;
}

static bool keeps_turn(const hard_mesh *m, const int32_t *v, int from, int to) {
  static const double LEAST = 0.4;
  int32_t after[3];
  for (int c = 0; c < 3; c++) after[c] = v[c] == from ? to : v[c];
  for (int open = 0; open < 2; open++) {
    double before_normal[3], after_normal[3];
    normal_of(m, v, open, before_normal);
    normal_of(m, after, open, after_normal);
    if (cosine(before_normal, after_normal) < LEAST) return false;
  }
  return true;
}

// `from` may go into `to`: two triangles vanish, the ends have two neighbours in common, and
// nothing turns over.
static bool may_collapse(const hard_mesh *m, int from, int to) {
  int ring[2][64], nring[2] = {0, 0}, ncommon = 0, nvanish = 0;
  for (int t = 0; t < m->nskin_tri; t++) {
    const int32_t *v = m->tri + 3 * t;
    bool has_from = has(v, from), has_to = has(v, to);
    nvanish += has_from && has_to;
    if (has_from && !has_to && !keeps_turn(m, v, from, to)) return false;
    for (int side = 0; side < 2; side++)
      for (int c = 0; (side ? has_to : has_from) && c < 3; c++) {
        if (nring[side] == 64) return false;
        ring[side][nring[side]++] = v[c];
      }
  }
  for (int i = 0; i < nring[0]; i++) {
    bool is_first = true, is_common = false;
    for (int k = 0; k < i; k++) is_first &= ring[0][k] != ring[0][i];
    for (int k = 0; k < nring[1]; k++) is_common |= ring[1][k] == ring[0][i];
    ncommon += is_first && is_common && ring[0][i] != from && ring[0][i] != to;
  }
  return nvanish == 2 && ncommon == 2;
}

static void collapse(hard_mesh *m, int from, int to) {
  int kept = 0;
  for (int t = 0; t < m->nskin_tri; t++) {
    int32_t *v = m->tri + 3 * t;
    if (has(v, from) && has(v, to)) continue;
    for (int c = 0; c < 3; c++) m->tri[3 * kept + c] = v[c] == from ? to : v[c];
    kept++;
  }
  int gone = m->nskin_tri - kept;
  memmove(m->tri + 3 * kept, m->tri + 3 * m->nskin_tri,
          3 * sizeof *m->tri * (size_t)(m->ntri - m->nskin_tri));
  m->nskin_tri = kept;
  m->ntri -= gone;
  m->part[0].ntri -= gone;
  for (int p = 1; p < m->npart; p++) m->part[p].first_triangle -= gone;
}

static double length2(const hard_mesh *m, int a, int b) {
  double d2 = 0;
  for (int k = 0; k < 3; k++) {
    double d = (double)m->position[3 * a + k] - m->position[3 * b + k];
    d2 += d * d;
  }
  return d2;
}

// Collapses unless something would cross then, in the neutral or with the jaw open.
static bool collapse_freely(hard_mesh *m, int from, int to) {
  hard_mesh before = *m;
  size_t size = 3 * sizeof *m->tri * (size_t)m->ntri;
  before.tri = malloc(size);
  if (!before.tri) return false;
  memcpy(before.tri, m->tri, size);
  collapse(m, from, to);
  bool is_free = hard_count(m, false) == 0 && hard_count(m, true) == 0;
  if (!is_free) {
    memcpy(m->tri, before.tri, size);
    m->nskin_tri = before.nskin_tri;
    m->ntri = before.ntri;
    memcpy(m->part, before.part, sizeof m->part);
  }
  free(before.tri);
  return is_free;
}

// The shortest edge of the lip that may go and is longer than `above`; false when there is none.
static bool collapse_shortest(hard_mesh *m, const float *label) {
  double above = -1;
  for (;;) {
    double best = INFINITY;
    int from = -1, to = -1;
    for (int t = 0; t < m->nskin_tri; t++)
      for (int c = 0; c < 3; c++) {
        int a = m->tri[3 * t + c], b = m->tri[3 * t + (c + 1) % 3];
        if (label[a] <= 0.5f || label[b] <= 0.5f) continue;
        double d2 = length2(m, a, b);
        if (d2 <= above || d2 >= best) continue;
        best = d2;
        from = a;
        to = b;
      }
    if (from < 0) return false;
    for (int turn = 0; turn < 2; turn++) {
      if (may_collapse(m, from, to) && collapse_freely(m, from, to)) return true;
      int other = from;
      from = to;
      to = other;
    }
    above = best;
  }
}

static int count_used(const hard_mesh *m, const float *label) {
  int count = 0;
  for (int i = 0; i < m->nskin; i++) {
    bool is_used = false;
    for (int k = 0; label[i] > 0.5f && !is_used && k < 3 * m->nskin_tri; k++)
      is_used = m->tri[k] == i;
    count += is_used;
  }
  return count;
}

static void move_vertex(hard_mesh *m, int from, int to) {
  memmove(m->position + 3 * to, m->position + 3 * from, 3 * sizeof(float));
  for (int s = 0; s < m->nshape; s++)
    memmove(m->delta[s] + 3 * to, m->delta[s] + 3 * from, 3 * sizeof(float));
  m->upper[to] = m->upper[from];
  m->lower[to] = m->lower[from];
  m->bag[to] = m->bag[from];
  m->lid[to] = m->lid[from];
}

// Vertices that no triangle uses any more go.
static bool compact(hard_mesh *m) {
  int *to = malloc((size_t)m->nvert * sizeof *to), kept = 0, nskin = 0;
  if (!to) return false;
  for (int i = 0; i < m->nvert; i++) to[i] = -1;
  for (int k = 0; k < 3 * m->ntri; k++) to[m->tri[k]] = 0;
  for (int i = 0; i < m->nvert; i++) {
    if (to[i] < 0 && i < m->nskin) continue;
    move_vertex(m, i, kept);
    nskin += i < m->nskin;
    to[i] = kept++;
  }
  for (int k = 0; k < 3 * m->ntri; k++) m->tri[k] = to[m->tri[k]];
  int gone = m->nvert - kept;
  m->nvert = kept;
  m->nskin = nskin;
  m->part[0].nvert -= gone;
  for (int p = 1; p < m->npart; p++) m->part[p].first_vertex -= gone;
  free(to);
  return true;
}

bool hard_coarsen_lips(hard_mesh *m, int nupper, int nlower) {
  int excess = count_used(m, m->upper) - nupper;
  for (; excess > 0 && collapse_shortest(m, m->upper); excess--) continue;
  excess = count_used(m, m->lower) - nlower;
  for (; excess > 0 && collapse_shortest(m, m->lower); excess--) continue;
  return compact(m);
}
