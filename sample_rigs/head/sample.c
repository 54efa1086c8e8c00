// Samples the smooth surface: every strip of cage quads gets its own number of rows, so that one
// number sets the density.
#include "skin.h"

#include <stdlib.h>
#include <string.h>

#include "form.h"

// Edges of the left half. All edges that face each other across quads form a chord and are cut into
// the same number of pieces.
typedef struct chords {
  int nedge;
  int (*ends)[2];
  int *parent;    // union-find
  double *length; // mean over the chord, kept at its root
  int *pieces;    // per edge
  int *first;     // first inner vertex of each edge
  int (*quad_edge)[4];
} chords;

static int root(chords *h, int e) {
  while (h->parent[e] != e) e = h->parent[e] = h->parent[h->parent[e]];
  return e;
}

static int compare_pairs(const void *a, const void *b) {
  const int *p = a;
  const int *q = b;
  return p[0] != q[0] ? (p[0] < q[0] ? -1 : 1) : p[1] != q[1] ? (p[1] < q[1] ? -1 : 1) : 0;
}

static void list_edges(const cage *c, chords *h) {
  int n = 0;
  for (int q = 0; q < c->nquad; q++)
    for (int k = 0; k < 4; k++) {
      int a = c->quad[q][k];
      int b = c->quad[q][(k + 1) & 3];
      h->ends[n][0] = a < b ? a : b;
      h->ends[n++][1] = a < b ? b : a;
    }
  qsort(h->ends, (size_t)n, sizeof *h->ends, compare_pairs);
  for (int i = 0; i < n; i++)
    if (!i || compare_pairs(h->ends[i], h->ends[i - 1]))
      memmove(h->ends[h->nedge++], h->ends[i], sizeof *h->ends);
  for (int q = 0; q < c->nquad; q++)
    for (int k = 0; k < 4; k++) {
      int a = c->quad[q][k];
      int b = c->quad[q][(k + 1) & 3];
      int key[2] = {a < b ? a : b, a < b ? b : a};
      int(*found)[2] = bsearch(key, h->ends, (size_t)h->nedge, sizeof *h->ends, compare_pairs);
      h->quad_edge[q][k] = (int)(found - h->ends);
    }
}

static void join_chords(const cage *c, chords *h) {
  for (int e = 0; e < h->nedge; e++) h->parent[e] = e;
  for (int q = 0; q < c->nquad; q++)
    for (int k = 0; k < 2; k++) {
      int a = root(h, h->quad_edge[q][k]);
      int b = root(h, h->quad_edge[q][k + 2]);
      if (a != b) h->parent[a > b ? a : b] = a > b ? b : a;
    }
  int *count = h->pieces;
  for (int e = 0; e < h->nedge; e++) {
    int r = root(h, e);
    vec3 d = v3_sub(c->vert[h->ends[e][0]].p, c->vert[h->ends[e][1]].p);
    h->length[r] += v3_length(d);
    count[r]++;
  }
  for (int e = 0; e < h->nedge; e++)
    if (root(h, e) == e) h->length[e] /= count[e];
}

static int chords_create(const cage *c, chords *h) {
  size_t n = (size_t)c->nquad * 4;
  memset(h, 0, sizeof *h);
  h->ends = malloc(n * sizeof *h->ends);
  h->parent = malloc(n * sizeof *h->parent);
  h->length = calloc(n, sizeof *h->length);
  h->pieces = calloc(n, sizeof *h->pieces);
  h->first = calloc(n, sizeof *h->first);
  h->quad_edge = malloc((size_t)c->nquad * sizeof *h->quad_edge);
  if (!h->ends || !h->parent || !h->length || !h->pieces || !h->first || !h->quad_edge) return -1;
  list_edges(c, h);
  join_chords(c, h);
  return 0;
}

static void chords_free(chords *h) {
  free(h->ends);
  free(h->parent);
  free(h->length);
  free(h->pieces);
  free(h->first);
  free(h->quad_edge);
}

// Short chords (lips, lids) keep more vertices than their length alone would give them. Returns the
// vertices of the whole skin.
static int cut_chords(const cage *c, chords *h, double fineness) {
  const double typical = 8.0;
  const double evenness = 0.3;
  for (int e = 0; e < h->nedge; e++) {
    double wanted = fineness * pow(h->length[root(h, e)] / typical, evenness);
    h->pieces[e] = wanted < 1.0 ? 1 : (int)(wanted + 0.5);
  }
  int total = 0;
  for (int v = 0; v < c->nvert; v++) total += c->vert[v].plane ? 1 : 2;
  for (int e = 0; e < h->nedge; e++) {
    int plane = c->vert[h->ends[e][0]].plane && c->vert[h->ends[e][1]].plane;
    total += (plane ? 1 : 2) * (h->pieces[e] - 1);
  }
  for (int q = 0; q < c->nquad; q++)
    total += 2 * (h->pieces[h->quad_edge[q][0]] - 1) * (h->pieces[h->quad_edge[q][1]] - 1);
  return total;
}

typedef struct half_skin {
  int nvert;
  skin_vertex *vert;
  char *plane;
  int nquad;
  int (*quad)[4];
} half_skin;

// The nostril is too small for the head form; it is pressed into the underside of the nose.
static vec3 press_nostril(vec3 p) {
  vec3 q = v3_sub(p, v3(6.2, -30.0, 103.2));
  double w = ramp(1.0, 0.1, v3_length(v3(q.x / 5.6, q.y / 5.5, q.z / 7.5)));
  return v3_add(p, v3_scale(v3(0.0, 3.6, -0.6), w));
}

static void set_vertex(half_skin *half, int v, const double *value, int plane) {
  skin_vertex *w = &half->vert[v];
  w->p = v3(value[0], value[1], value[2]);
  memcpy(w->channel, value + 3, sizeof w->channel);
  double y = w->p.y;
  double on = clamp01(w->channel[CH_ON_FORM]);
  if (on > 0.0) w->p = press_nostril(v3_mix(w->p, head_form_project(w->p, PROJECT_FULLY), on));
  if (y < -164.99) w->p.y = y;
  if (plane) w->p.x = 0.0;
  half->plane[v] = (char)plane;
}

// Vertex of the half mesh at cell corner (i, j) of a cage quad.
static int grid_vertex(const cage *c, const chords *h, const int *first_inner, int q, int i,
                       int j) {
  const int *e = h->quad_edge[q];
  int ni = h->pieces[e[0]];
  int nj = h->pieces[e[1]];
  if (i > 0 && i < ni && j > 0 && j < nj) return first_inner[q] + (j - 1) * (ni - 1) + i - 1;
  int on_vertical = i == 0 || i == ni;
  if (on_vertical && (j == 0 || j == nj))
    return c->quad[q][j == 0 ? (i == 0 ? 0 : 1) : (i == 0 ? 3 : 2)];
  int side = on_vertical ? (i == 0 ? 3 : 1) : (j == 0 ? 0 : 2);
  int from = on_vertical ? (i == 0 ? 0 : 1) : (j == 0 ? 0 : 3);
  int step = on_vertical ? j : i;
  int n = on_vertical ? nj : ni;
  int forward = h->ends[e[side]][0] == c->quad[q][from];
  return h->first[e[side]] + (forward ? step : n - step) - 1;
}

static void sample_half(const cage *c, chords *h, const fine_mesh *fine, half_skin *half,
                        int *first_inner) {
  int n = c->nvert;
  for (int e = 0; e < h->nedge; e++) {
    h->first[e] = n;
    n += h->pieces[e] - 1;
  }
  for (int q = 0; q < c->nquad; q++) {
    first_inner[q] = n;
    n += (h->pieces[h->quad_edge[q][0]] - 1) * (h->pieces[h->quad_edge[q][1]] - 1);
  }
  half->nvert = n;
  for (int q = 0; q < c->nquad; q++) {
    int ni = h->pieces[h->quad_edge[q][0]];
    int nj = h->pieces[h->quad_edge[q][1]];
    const int *v = c->quad[q];
    for (int j = 0; j <= nj; j++)
      for (int i = 0; i <= ni; i++) {
        double value[FINE_NVALUE];
        fine_mesh_sample(fine, q, (double)i / ni, (double)j / nj, value);
        int a = j == 0 ? 0 : j == nj ? 3 : -1;
        int b = j == 0 ? 1 : j == nj ? 2 : -1;
        int plane = (i == 0 && c->vert[v[0]].plane && c->vert[v[3]].plane) ||
                    (i == ni && c->vert[v[1]].plane && c->vert[v[2]].plane) ||
                    (a >= 0 && c->vert[v[a]].plane && (i == 0 || c->vert[v[b]].plane)) ||
                    (b >= 0 && c->vert[v[b]].plane && i == ni);
        set_vertex(half, grid_vertex(c, h, first_inner, q, i, j), value, plane);
      }
    for (int j = 0; j < nj; j++)
      for (int i = 0; i < ni; i++) {
        int *k = half->quad[half->nquad++];
        k[0] = grid_vertex(c, h, first_inner, q, i, j);
        k[1] = grid_vertex(c, h, first_inner, q, i + 1, j);
        k[2] = grid_vertex(c, h, first_inner, q, i + 1, j + 1);
        k[3] = grid_vertex(c, h, first_inner, q, i, j + 1);
      }
  }
}

// Worse of the two triangles' smallest height-to-longest-edge ratio when a quad is split from
// corner `k` to k + 2.
static double split_quality(const half_skin *half, const int *quad, int k) {
  double worst = 1e9;
  for (int side = 0; side < 2; side++) {
    vec3 a = half->vert[quad[k]].p;
    vec3 b = half->vert[quad[(k + 1 + side) & 3]].p;
    vec3 c = half->vert[quad[(k + 2 + side) & 3]].p;
    vec3 n = v3_cross(v3_sub(b, a), v3_sub(c, a));
    vec3 ab = v3_sub(b, a);
    vec3 bc = v3_sub(c, b);
    vec3 ca = v3_sub(a, c);
    double longest = fmax(v3_dot(ab, ab), fmax(v3_dot(bc, bc), v3_dot(ca, ca)));
    worst = fmin(worst, v3_length(n) / longest);
  }
  return worst;
}

static int mirror_half(const cage *c, const half_skin *half, skin *out) {
  int n = half->nvert;
  int *image = malloc((size_t)n * sizeof *image);
  out->vert = malloc((size_t)n * 2 * sizeof *out->vert);
  out->mirror = malloc((size_t)n * 2 * sizeof *out->mirror);
  out->triangle = malloc((size_t)half->nquad * 4 * sizeof *out->triangle);
  if (!image || !out->vert || !out->mirror || !out->triangle) {
    free(image);
    return -1;
  }
  memcpy(out->vert, half->vert, (size_t)n * sizeof *out->vert);
  out->nvert = n;
  for (int v = 0; v < n; v++) {
    image[v] = half->plane[v] ? v : out->nvert;
    out->mirror[v] = image[v];
    if (half->plane[v]) continue;
    out->vert[out->nvert] = half->vert[v];
    out->vert[out->nvert].p.x = -half->vert[v].p.x;
    out->mirror[out->nvert++] = v;
  }
  for (int q = 0; q < half->nquad; q++) {
    const int *v = half->quad[q];
    int k = split_quality(half, v, 0) >= split_quality(half, v, 1) ? 0 : 1;
    for (int side = 0; side < 2; side++) {
      int t[3] = {v[k], v[(k + 1 + side) & 3], v[(k + 2 + side) & 3]};
      memcpy(out->triangle[out->ntri++], t, sizeof t);
      int m[3] = {image[t[0]], image[t[2]], image[t[1]]};
      memcpy(out->triangle[out->ntri++], m, sizeof m);
    }
  }
  for (int v = 0; v < c->nvert; v++) out->from_cage[v] = v;
  free(image);
  return 0;
}

static int sample_skin(const cage *c, int target, const fine_mesh *fine, skin *out) {
  chords h;
  int status = chords_create(c, &h);
  half_skin half = {0};
  int *first_inner = malloc((size_t)c->nquad * sizeof *first_inner);
  if (status == 0 && first_inner) {
    double fineness = 0.0;
    int total = cut_chords(c, &h, fineness);
    while (total < target) total = cut_chords(c, &h, fineness += 0.01);
    half.vert = calloc((size_t)total, sizeof *half.vert);
    half.plane = calloc((size_t)total, 1);
    half.quad = malloc((size_t)total * 2 * sizeof *half.quad);
  }
  if (half.vert && half.plane && half.quad) {
    sample_half(c, &h, fine, &half, first_inner);
    status = mirror_half(c, &half, out);
  } else {
    status = -1;
  }
  free(half.vert);
  free(half.plane);
  free(half.quad);
  free(first_inner);
  chords_free(&h);
  return status;
}

int skin_create(const cage *c, int target, skin *out) {
  fine_mesh fine;
  memset(out, 0, sizeof *out);
  int status = fine_mesh_create(c, &fine);
  if (status == 0) status = sample_skin(c, target, &fine, out);
  fine_mesh_free(&fine);
  if (status) skin_free(out);
  return status;
}

void skin_free(skin *s) {
  free(s->vert);
  free(s->triangle);
  free(s->mirror);
  memset(s, 0, sizeof *s);
}
