#include "cage.h"

#include <stdlib.h>
#include <string.h>

#include "form.h"

int cage_add_vertex(cage *c, vec3 p) {
  cage_vertex *v = &c->vert[c->nvert];
  memset(v, 0, sizeof *v);
  v->p = p;
  return c->nvert++;
}

void cage_add_quad(cage *c, int v0, int v1, int v2, int v3) {
  int *q = c->quad[c->nquad++];
  q[0] = v0;
  q[1] = v1;
  q[2] = v2;
  q[3] = v3;
}

void cage_join_rings(cage *c, const int *outer, const int *inner, int count, int closed) {
  int nquad = closed ? count : count - 1;
  for (int k = 0; k < nquad; k++) {
    int n = (k + 1) % count;
    cage_add_quad(c, outer[k], inner[k], inner[n], outer[n]);
  }
}

static vec3 transfinite(const cage *c, const int *grid, int nrow, int ncolumn, int i, int j) {
  double s = (double)j / (ncolumn - 1);
  double t = (double)i / (nrow - 1);
  int top = (nrow - 1) * ncolumn;
  vec3 left = c->vert[grid[i * ncolumn]].p;
  vec3 right = c->vert[grid[i * ncolumn + ncolumn - 1]].p;
  vec3 bottom = c->vert[grid[j]].p;
  vec3 above = c->vert[grid[top + j]].p;
  vec3 c0 = v3_mix(c->vert[grid[0]].p, c->vert[grid[ncolumn - 1]].p, s);
  vec3 c1 = v3_mix(c->vert[grid[top]].p, c->vert[grid[top + ncolumn - 1]].p, s);
  vec3 sum = v3_add(v3_mix(left, right, s), v3_mix(bottom, above, t));
  return v3_sub(sum, v3_mix(c0, c1, t));
}

void cage_fill_grid(cage *c, int *grid, int nrow, int ncolumn) {
  for (int i = 1; i < nrow - 1; i++)
    for (int j = 0; j < ncolumn; j++)
      if (grid[i * ncolumn + j] < 0) {
        vec3 p = transfinite(c, grid, nrow, ncolumn, i, j);
        grid[i * ncolumn + j] = cage_add_vertex(c, p);
      }
  for (int i = 0; i + 1 < nrow; i++)
    for (int j = 0; j + 1 < ncolumn; j++) {
      const int *a = grid + i * ncolumn + j;
      cage_add_quad(c, a[0], a[1], a[ncolumn + 1], a[ncolumn]);
    }
}

// Edge neighbours and, across each quad, the opposite corner. Quads touching the middle plane count
// twice, once mirrored.
typedef struct neighbourhood {
  vec3 edge_sum;
  vec3 corner_sum;
  int nquad;
  int border; // on the open neck
  vec3 border_sum;
} neighbourhood;

static vec3 flip(vec3 p) {
  return v3(-p.x, p.y, p.z);
}

static void gather(const cage *c, neighbourhood *near) {
  memset(near, 0, (size_t)c->nvert * sizeof *near);
  for (int q = 0; q < c->nquad; q++)
    for (int k = 0; k < 4; k++) {
      int v = c->quad[q][k];
      vec3 next = c->vert[c->quad[q][(k + 1) & 3]].p;
      vec3 last = c->vert[c->quad[q][(k + 3) & 3]].p;
      vec3 corner = c->vert[c->quad[q][(k + 2) & 3]].p;
      vec3 edges = v3_scale(v3_add(next, last), 0.5);
      neighbourhood *n = &near[v];
      n->edge_sum = v3_add(n->edge_sum, edges);
      n->corner_sum = v3_add(n->corner_sum, corner);
      n->nquad++;
      if (!c->vert[v].plane) continue;
      n->edge_sum = v3_add(n->edge_sum, flip(edges));
      n->corner_sum = v3_add(n->corner_sum, flip(corner));
      n->nquad++;
    }
  for (int j = 0; j < CAGE_NCOLUMN; j++) {
    neighbourhood *n = &near[c->strip[0][j]];
    n->border = 1;
    vec3 next =
        j + 1 < CAGE_NCOLUMN ? c->vert[c->strip[0][j + 1]].p : flip(c->vert[c->strip[0][j - 1]].p);
    vec3 last = j > 0 ? c->vert[c->strip[0][j - 1]].p : flip(c->vert[c->strip[0][j + 1]].p);
    n->border_sum = v3_add(next, last);
  }
}

// Spreads the free vertices evenly over the head form.
static void relax(cage *c, neighbourhood *near, int rounds) {
  for (int round = 0; round < rounds; round++) {
    gather(c, near);
    for (int v = 0; v < c->nvert; v++) {
      cage_vertex *w = &c->vert[v];
      if (w->pinned || w->channel[CH_ON_FORM] < 1.0) continue;
      vec3 mean = v3_scale(near[v].edge_sum, 1.0 / near[v].nquad);
      if (near[v].border)
        mean = v3_mix(w->p, v3(0.5 * near[v].border_sum.x, w->p.y, 0.5 * near[v].border_sum.z), 1);
      vec3 p = head_form_project(v3_mix(w->p, mean, 0.8), PROJECT_NEARBY);
      if (near[v].border) p.y = w->p.y;
      if (w->plane) p.x = 0.0;
      w->p = p;
    }
  }
}

// Limit position of a Catmull-Clark vertex of valence n: (n^2 v + 4 sum e + sum f) / (n (n + 5)),
// Halstead, Kass, DeRose 1993. Moving each control point by what the limit misses makes the smooth
// surface pass through the modelled points.
static void fit_to_limit(cage *c, neighbourhood *near, const vec3 *target, int rounds) {
  for (int round = 0; round < rounds; round++) {
    gather(c, near);
    for (int v = 0; v < c->nvert; v++) {
      cage_vertex *w = &c->vert[v];
      const neighbourhood *n = &near[v];
      double k = n->nquad;
      vec3 sum = v3_add(v3_scale(w->p, k * k), v3_madd(n->corner_sum, 4.0, n->edge_sum));
      vec3 limit = v3_scale(sum, 1.0 / (k * (k + 5.0)));
      if (n->border) limit = v3_scale(v3_madd(n->border_sum, 4.0, w->p), 1.0 / 6.0);
      w->p = v3_madd(w->p, 0.85, v3_sub(target[v], limit));
      if (w->plane) w->p.x = 0.0;
    }
  }
}

int cage_settle(cage *c) {
  static const int relax_rounds = 300;
  static const int fit_rounds = 6;
  neighbourhood *near = malloc((size_t)c->nvert * sizeof *near);
  vec3 *target = malloc((size_t)c->nvert * sizeof *target);
  if (near && target) {
    relax(c, near, relax_rounds);
    for (int v = 0; v < c->nvert; v++) target[v] = c->vert[v].p;
    fit_to_limit(c, near, target, fit_rounds);
  }
  int status = near && target ? 0 : -1;
  free(near);
  free(target);
  return status;
}
