// Pieces of skin that lie face to face: lips, lids, folds. A vertex faces another when their
// normals face each other across a few millimetres; on the rim of a hole, where a lip may end
// without curling in, the two sides of the rim face each other when opening the jaw parts them.
#include "rig/finding.h"

static const double FACING_COSINE = -0.2; // between two normals that face each other
static const double FACING_ANGLE = 1.772; // its angle
static const double TOUCHING = 0.2;       // mm
static const double DEEPEST_CROSS = 2;    // mm, lips that pass through each other at rest

typedef struct grid {
  mi_vec3 low;
  double cell;
  int n[3];
  int32_t *first, *vert;
  float *cone; // of a cell's normals: mean direction, widest angle to it             (ncell x 4)
} grid;

static int cell_along(const grid *g, double at, double low, int axis) {
  int k = (int)((at - low) / g->cell);
  return k < 0 ? 0 : k >= g->n[axis] ? g->n[axis] - 1 : k;
}

static void cell_of(const grid *g, mi_vec3 x, int at[3]) {
  at[0] = cell_along(g, x.x, g->low.x, 0);
  at[1] = cell_along(g, x.y, g->low.y, 1);
  at[2] = cell_along(g, x.z, g->low.z, 2);
}

static int cell_number(const grid *g, const int at[3]) {
  return (at[2] * g->n[1] + at[1]) * g->n[0] + at[0];
}

static void size_grid(const mi_finding *f, double reach, grid *g) {
  mi_vec3 high = g->low = mi_skin_at(f, 0);
  for (int i = 1; i < f->skin->nvert; i++) {
    mi_vec3 x = mi_skin_at(f, i);
    g->low = (mi_vec3){fmin(g->low.x, x.x), fmin(g->low.y, x.y), fmin(g->low.z, x.z)};
    high = (mi_vec3){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
  }
  mi_vec3 span = mi_sub(high, g->low);
  double most = 4.0 * f->skin->nvert + 4096; // cells: a stray vertex must not cost memory
  g->cell = reach;
  while ((span.x / g->cell + 1) * (span.y / g->cell + 1) * (span.z / g->cell + 1) > most)
    g->cell *= 1.25;
  g->n[0] = (int)(span.x / g->cell) + 1;
  g->n[1] = (int)(span.y / g->cell) + 1;
  g->n[2] = (int)(span.z / g->cell) + 1;
}

static bool fill_grid(mi_finding *f, double reach, grid *g) {
  size_grid(f, reach, g);
  int ncell = g->n[0] * g->n[1] * g->n[2], nvert = f->skin->nvert, at[3];
  g->first = MI_PUSH(&f->scratch, int32_t, ncell + 1);
  g->vert = MI_PUSH(&f->scratch, int32_t, nvert);
  int32_t *cell = MI_PUSH(&f->scratch, int32_t, nvert);
  if (!g->first || !g->vert || !cell) return false;
  for (int i = 0; i < nvert; i++) {
    cell_of(g, mi_skin_at(f, i), at);
    cell[i] = cell_number(g, at);
    g->first[cell[i] + 1]++;
  }
  for (int c = 0; c < ncell; c++) g->first[c + 1] += g->first[c];
  for (int i = nvert - 1; i >= 0; i--) g->vert[--g->first[cell[i] + 1]] = i;
  // first[c + 1] now holds where cell c starts: move all down by one
  for (int c = 0; c < ncell; c++) g->first[c] = g->first[c + 1];
  g->first[ncell] = nvert;
  return true;
}

// Nearly all cells hold normals of one direction: one test per cell replaces one per vertex.
static bool bound_normals(mi_finding *f, grid *g) {
  int ncell = g->n[0] * g->n[1] * g->n[2];
  g->cone = MI_PUSH(&f->scratch, float, 4 * (size_t)ncell);
  if (!g->cone) return false;
  for (int c = 0; c < ncell; c++) {
    mi_vec3 mean = {0, 0, 0};
    double least = 1;
    for (int k = g->first[c]; k < g->first[c + 1]; k++)
      mean = mi_add(mean, mi_skin_normal(f, g->vert[k]));
    mean = mi_unit(mean);
    for (int k = g->first[c]; k < g->first[c + 1]; k++)
      least = fmin(least, mi_dot(mean, mi_skin_normal(f, g->vert[k])));
    mi_vec3_store(g->cone + 4 * (size_t)c, mean);
    g->cone[4 * (size_t)c + 3] = (float)acos(fmax(-1, least));
  }
  return true;
}

static bool can_face(const grid *g, int cell, mi_vec3 normal) {
  const float *cone = g->cone + 4 * (size_t)cell;
  double cosine = fmin(1, fmax(-1, mi_dot(mi_vec3_load(cone), normal)));
  return acos(cosine) + cone[3] > FACING_ANGLE - 1e-3;
}

// -- Facing pairs ---------------------------------------------------------------------------------

typedef struct search {
  mi_finding *f;
  grid g;
  double reach, largest_gap; // m
  int32_t *rim;              // number of the hole a border vertex lies on, -1 = not on a border
  float *spacing;            // m, mean length of the edges at a vertex
  bool by_paint;             // both lips are painted: only they face each other
} search;

static bool number_rims(search *s) {
  const mi_topology *topo = &s->f->skin->topo;
  int32_t *stack = MI_PUSH(&s->f->scratch, int32_t, topo->nvert);
  s->rim = MI_PUSH(&s->f->scratch, int32_t, topo->nvert);
  if (!stack || !s->rim) return false;
  for (int i = 0; i < topo->nvert; i++) s->rim[i] = -1;
  for (int i = 0; i < topo->nvert; i++) {
    if (!s->f->is_border[i] || s->rim[i] >= 0) continue;
    int depth = 0;
    stack[depth++] = i;
    s->rim[i] = i;
    while (depth) {
      int a = stack[--depth];
      for (int k = topo->nbr_first[a]; k < topo->nbr_first[a + 1]; k++) {
        int b = topo->nbr[k];
        if (topo->edge_ntri[topo->nbr_edge[k]] != 1 || s->rim[b] >= 0) continue;
        s->rim[b] = i;
        stack[depth++] = b;
      }
    }
  }
  return true;
}

static bool measure_spacing(search *s) {
  const mi_topology *topo = &s->f->skin->topo;
  s->spacing = MI_PUSH(&s->f->scratch, float, topo->nvert);
  for (int u = 0; s->spacing && u < topo->nvert; u++) {
    double sum = 0;
    int begin = topo->nbr_first[u], end = topo->nbr_first[u + 1];
    for (int k = begin; k < end; k++)
      sum += mi_distance(mi_skin_at(s->f, u), mi_skin_at(s->f, topo->nbr[k]));
    s->spacing[u] = (float)(end > begin ? sum / (end - begin) : 0);
  }
  return s->spacing != NULL;
}

static double parting_of(const mi_finding *f, const float *delta, int u, int v) {
  mi_vec3 rest = mi_sub(mi_skin_at(f, u), mi_skin_at(f, v));
  mi_vec3 step = mi_sub(mi_vec3_load(delta + 3 * (size_t)u), mi_vec3_load(delta + 3 * (size_t)v));
  return mi_length(mi_add(rest, step)) - mi_length(rest);
}

// Two surfaces that lie behind each other either cross, then opening the jaw puts them in front of
// each other, or are the two sides of something thin.
static bool comes_free(const mi_finding *f, int u, int v, mi_vec3 across) {
  mi_vec3 rest = mi_sub(mi_skin_at(f, v), mi_skin_at(f, u));
  mi_vec3 step =
      mi_sub(mi_vec3_load(f->open + 3 * (size_t)v), mi_vec3_load(f->open + 3 * (size_t)u));
  return mi_dot(mi_add(rest, step), across) > TOUCHING * f->mm;
}

// How far the jaw has taken v away from u.
static mi_vec3 opening_of(const mi_finding *f, int u, int v) {
  return mi_scale(f->opened, mi_sub(mi_vec3_load(f->open + 3 * (size_t)v),
                                    mi_vec3_load(f->open + 3 * (size_t)u)));
}

// The distance in the neutral between the two surfaces at u and v, 0 when they cross there,
// negative when they do not face each other.
static double facing_gap(const search *s, int u, int v) {
  const mi_finding *f = s->f;
  mi_vec3 step = mi_sub(mi_skin_at(f, v), mi_skin_at(f, u));
  double distance = mi_length(step);
  if (s->by_paint) {
    int both = MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER;
    int a = f->painted[u] & both, b = f->painted[v] & both;
    return a && b && a != b ? distance : -1;
  }
  mi_vec3 nu = mi_skin_normal(f, u), nv = mi_skin_normal(f, v);
  if (mi_dot(nu, nv) < FACING_COSINE) {
    mi_vec3 across = mi_unit(mi_sub(nu, nv));
    double gap = mi_dot(step, across);
    double off = mi_length(mi_add_scaled(step, -gap, across));
    double sideways = fmax(2.5 * f->mm, 0.65 * s->spacing[u]);
    double neutral = gap - mi_dot(opening_of(f, u, v), across);
    bool is_near = gap > -DEEPEST_CROSS * f->mm && neutral < s->largest_gap && off < sideways;
    if (is_near && (gap > -TOUCHING * f->mm || comes_free(f, u, v, across)))
      return fmax(0, neutral);
  }
  if (s->rim[u] < 0 || s->rim[u] != s->rim[v] || distance > s->largest_gap) return -1;
  if (mi_topology_edge(&f->skin->topo, u, v) >= 0) return -1;
  return parting_of(f, f->open, u, v) > distance + 2 * f->mm ? distance : -1;
}

static void search_cell(const search *s, int u, int cell, double *best, mi_facing *facing) {
  const mi_finding *f = s->f;
  mi_vec3 x = mi_skin_at(f, u);
  for (int k = s->g.first[cell]; k < s->g.first[cell + 1]; k++) {
    int v = s->g.vert[k];
    mi_vec3 step = mi_sub(mi_skin_at(f, v), x);
    double square = mi_dot(step, step);
    if (v == u || square >= *best) continue;
    double gap = facing_gap(s, u, v);
    if (gap < 0) continue;
    *best = square;
    facing->partner[u] = v;
    facing->gap[u] = (float)gap;
  }
}

static void search_around(const search *s, int u, mi_facing *facing) {
  const mi_finding *f = s->f;
  mi_vec3 x = mi_skin_at(f, u), normal = mi_skin_normal(f, u);
  double best = s->reach * s->reach;
  bool tries_all = s->by_paint || s->rim[u] >= 0;
  int low[3], high[3], at[3];
  cell_of(&s->g, (mi_vec3){x.x - s->reach, x.y - s->reach, x.z - s->reach}, low);
  cell_of(&s->g, (mi_vec3){x.x + s->reach, x.y + s->reach, x.z + s->reach}, high);
  for (at[2] = low[2]; at[2] <= high[2]; at[2]++)
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
      for (at[0] = low[0]; at[0] <= high[0]; at[0]++) {
        int cell = cell_number(&s->g, at);
        if (s->g.first[cell] == s->g.first[cell + 1]) continue;
        if (tries_all || can_face(&s->g, cell, normal)) search_cell(s, u, cell, &best, facing);
      }
}

static void note_parting(const mi_finding *f, const float *delta, mi_facing *facing) {
  for (int u = 0; u < f->skin->nvert; u++) {
    if (facing->partner[u] < 0) continue;
    float parting = (float)parting_of(f, delta, u, facing->partner[u]);
    if (parting > facing->parting[u]) facing->parting[u] = parting;
  }
}

static bool measure_parting(mi_finding *f, mi_facing *facing) {
  note_parting(f, f->open, facing);
  if (f->out->jaw_shape >= 0) return true;
  float *delta = MI_PUSH(&f->scratch, float, 3 * (size_t)f->skin->nvert);
  if (!delta) return false;
  for (int s = 0; s < f->rig->info.nshape; s++) {
    mi_shape_spread(f, s, delta);
    note_parting(f, delta, facing);
  }
  return true;
}

bool mi_find_facing(mi_finding *f, double largest_gap, mi_facing *facing) {
  int nvert = f->skin->nvert, both = MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER;
  double edge = mi_mean_edge_length(&f->skin->topo, f->skin->position);
  search s = {.f = f, .by_paint = (f->painted_any & both) == both, .largest_gap = largest_gap};
  s.reach = fmax(largest_gap, fmin(1.5 * edge, 12 * f->mm)) + f->opened * f->open_most;
  facing->partner = MI_PUSH(&f->scratch, int32_t, nvert);
  facing->gap = MI_PUSH(&f->scratch, float, nvert);
  facing->parting = MI_PUSH(&f->scratch, float, nvert);
  if (!facing->partner || !facing->gap || !facing->parting || !fill_grid(f, s.reach, &s.g) ||
      !bound_normals(f, &s.g) || !number_rims(&s) || !measure_spacing(&s))
    return false;
  for (int u = 0; u < nvert; u++) {
    facing->partner[u] = -1;
    search_around(&s, u, facing);
  }
  return measure_parting(f, facing);
}
