// Catmull-Clark subdivision of the cage.
#include "skin.h"

#include <stdlib.h>
#include <string.h>

typedef struct edge {
  int v[2];
  int nquad;
  double face_sum[FINE_NVALUE];
} edge;

typedef struct edge_table {
  int nedge;
  int mask;
  int *slot; // edge + 1, 0 when empty
  edge *edge;
} edge_table;

static int edge_table_find(edge_table *table, int a, int b) {
  int lo = a < b ? a : b;
  int hi = a < b ? b : a;
  unsigned key = (unsigned)lo * 2654435761u ^ (unsigned)hi * 2246822519u;
  key ^= key >> 15;
  for (int i = (int)(key & (unsigned)table->mask);; i = (i + 1) & table->mask) {
    if (!table->slot[i]) {
      edge *e = &table->edge[table->nedge];
      memset(e, 0, sizeof *e);
      e->v[0] = lo;
      e->v[1] = hi;
      table->slot[i] = ++table->nedge;
      return table->nedge - 1;
    }
    const edge *e = &table->edge[table->slot[i] - 1];
    if (e->v[0] == lo && e->v[1] == hi) return table->slot[i] - 1;
  }
}

static int edge_table_create(edge_table *table, int nquad) {
  int size = 1;
  while (size < 8 * nquad) size *= 2;
  table->nedge = 0;
  table->mask = size - 1;
  table->slot = calloc((size_t)size, sizeof *table->slot);
  table->edge = malloc((size_t)nquad * 4 * sizeof *table->edge);
  return table->slot && table->edge ? 0 : -1;
}

static void edge_table_free(edge_table *table) {
  free(table->slot);
  free(table->edge);
}

static void add(double *sum, const double *a, double scale) {
  for (int i = 0; i < FINE_NVALUE; i++) sum[i] += scale * a[i];
}

// What the vertex rule needs of one vertex.
typedef struct vertex_sum {
  int nquad;
  int nborder;
  double face[FINE_NVALUE];
  double middle[FINE_NVALUE];
  double border[FINE_NVALUE];
} vertex_sum;

typedef struct refinement {
  const fine_mesh *from;
  fine_mesh *to;
  edge_table edges;
  vertex_sum *sum;
  int (*quad_edge)[4];
} refinement;

static void make_face_points(refinement *r) {
  const fine_mesh *m = r->from;
  for (int q = 0; q < m->nquad; q++) {
    double *face = r->to->value[m->nvert + q];
    memset(face, 0, sizeof *r->to->value);
    for (int k = 0; k < 4; k++) add(face, m->value[m->quad[q][k]], 0.25);
    for (int k = 0; k < 4; k++) {
      int v = m->quad[q][k];
      int e = edge_table_find(&r->edges, v, m->quad[q][(k + 1) & 3]);
      r->quad_edge[q][k] = e;
      r->edges.edge[e].nquad++;
      add(r->edges.edge[e].face_sum, face, 1.0);
      r->sum[v].nquad++;
      add(r->sum[v].face, face, 1.0);
    }
  }
}

static void make_edge_points(refinement *r) {
  const fine_mesh *m = r->from;
  for (int i = 0; i < r->edges.nedge; i++) {
    const edge *e = &r->edges.edge[i];
    double *point = r->to->value[m->nvert + m->nquad + i];
    double middle[FINE_NVALUE] = {0};
    add(middle, m->value[e->v[0]], 0.5);
    add(middle, m->value[e->v[1]], 0.5);
    memset(point, 0, sizeof *r->to->value);
    int border = e->nquad < 2;
    add(point, middle, border ? 1.0 : 0.5);
    if (!border) add(point, e->face_sum, 0.25);
    for (int k = 0; k < 2; k++) {
      vertex_sum *s = &r->sum[e->v[k]];
      add(s->middle, middle, 1.0);
      s->nborder += border;
      if (border) add(s->border, middle, 1.0);
    }
  }
}

static void move_vertices(refinement *r) {
  const fine_mesh *m = r->from;
  for (int v = 0; v < m->nvert; v++) {
    double *point = r->to->value[v];
    const vertex_sum *s = &r->sum[v];
    memset(point, 0, sizeof *r->to->value);
    if (s->nborder) {
      add(point, m->value[v], 0.5);
      add(point, s->border, 0.25);
      continue;
    }
    double n = s->nquad;
    add(point, m->value[v], (n - 3.0) / n);
    add(point, s->face, 1.0 / (n * n));
    add(point, s->middle, 2.0 / (n * n));
  }
}

static void split_quads(refinement *r) {
  const fine_mesh *m = r->from;
  for (int q = 0; q < m->nquad; q++) {
    const int *v = m->quad[q];
    int f = m->nvert + q;
    int e[4];
    for (int k = 0; k < 4; k++) e[k] = m->nvert + m->nquad + r->quad_edge[q][k];
    // Children keep the parent's orientation: (0,0), (1,0), (0,1), (1,1).
    int child[4][4] = {
        {v[0], e[0], f, e[3]}, {e[0], v[1], e[1], f}, {e[3], f, e[2], v[3]}, {f, e[1], v[2], e[2]}};
    memcpy(r->to->quad[4 * q], child, sizeof child);
  }
}

static int refine(const fine_mesh *from, fine_mesh *to) {
  refinement r = {.from = from, .to = to};
  int most = from->nvert + from->nquad + 4 * from->nquad;
  memset(to, 0, sizeof *to);
  to->value = malloc((size_t)most * sizeof *to->value);
  to->quad = malloc((size_t)from->nquad * 4 * sizeof *to->quad);
  r.sum = calloc((size_t)from->nvert, sizeof *r.sum);
  r.quad_edge = malloc((size_t)from->nquad * sizeof *r.quad_edge);
  int ok = edge_table_create(&r.edges, from->nquad) == 0 && to->value && to->quad && r.sum &&
           r.quad_edge;
  if (ok) {
    make_face_points(&r);
    make_edge_points(&r);
    move_vertices(&r);
    split_quads(&r);
    to->nvert = from->nvert + from->nquad + r.edges.nedge;
    to->nquad = 4 * from->nquad;
  }
  edge_table_free(&r.edges);
  free(r.sum);
  free(r.quad_edge);
  return ok ? 0 : -1;
}

// Left half and its mirror image, welded in the middle plane.
static int both_halves(const cage *c, fine_mesh *whole) {
  int *image = malloc((size_t)c->nvert * sizeof *image);
  memset(whole, 0, sizeof *whole);
  whole->value = malloc((size_t)c->nvert * 2 * sizeof *whole->value);
  whole->quad = malloc((size_t)c->nquad * 2 * sizeof *whole->quad);
  if (!image || !whole->value || !whole->quad) {
    free(image);
    return -1;
  }
  int n = c->nvert;
  for (int v = 0; v < c->nvert; v++) {
    const cage_vertex *w = &c->vert[v];
    double row[FINE_NVALUE] = {w->p.x, w->p.y, w->p.z};
    memcpy(row + 3, w->channel, sizeof w->channel);
    memcpy(whole->value[v], row, sizeof row);
    image[v] = w->plane ? v : n;
    if (w->plane) continue;
    row[0] = -row[0];
    memcpy(whole->value[n++], row, sizeof row);
  }
  for (int q = 0; q < c->nquad; q++) {
    const int *v = c->quad[q];
    memcpy(whole->quad[q], v, sizeof c->quad[q]);
    int *m = whole->quad[c->nquad + q];
    for (int k = 0; k < 4; k++) m[k] = image[v[3 - k]];
  }
  whole->nvert = n;
  whole->nquad = 2 * c->nquad;
  free(image);
  return 0;
}

int fine_mesh_create(const cage *c, fine_mesh *fine) {
  int status = both_halves(c, fine);
  for (int level = 0; level < FINE_LEVEL && status == 0; level++) {
    fine_mesh next;
    status = refine(fine, &next);
    fine_mesh_free(fine);
    *fine = next;
  }
  if (status) fine_mesh_free(fine);
  return status;
}

void fine_mesh_free(fine_mesh *fine) {
  free(fine->value);
  free(fine->quad);
  memset(fine, 0, sizeof *fine);
}

// Children were numbered level by level, so the position in the cage quad is the interleaved bits
// of column and row.
static const int *fine_quad(const fine_mesh *fine, int cage_quad, int i, int j) {
  int index = 0;
  for (int bit = FINE_LEVEL - 1; bit >= 0; bit--)
    index = 4 * index + (((j >> bit) & 1) << 1) + ((i >> bit) & 1);
  return fine->quad[(cage_quad << (2 * FINE_LEVEL)) + index];
}

void fine_mesh_sample(const fine_mesh *fine, int cage_quad, double s, double t, double *value) {
  double x = s * FINE_SIDE;
  double y = t * FINE_SIDE;
  int i = x >= FINE_SIDE ? FINE_SIDE - 1 : (int)x;
  int j = y >= FINE_SIDE ? FINE_SIDE - 1 : (int)y;
  x -= i;
  y -= j;
  const int *v = fine_quad(fine, cage_quad, i, j);
  double w[4] = {(1 - x) * (1 - y), x * (1 - y), x * y, (1 - x) * y};
  memset(value, 0, FINE_NVALUE * sizeof *value);
  for (int k = 0; k < 4; k++) add(value, fine->value[v[k]], w[k]);
}
