// Moving what can touch without letting it cross.
#include "solve/contacts.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

// -- Does it cross? -------------------------------------------------------------------------------

// Does the segment a b go through the triangle?
static bool pierces(mi_vec3 a, mi_vec3 b, const mi_vec3 t[3]) {
  double from = mi_det(t[0], t[1], t[2], a), to = mi_det(t[0], t[1], t[2], b);
  if ((from > 0) == (to > 0)) return false;
  double u = mi_det(a, b, t[0], t[1]), v = mi_det(a, b, t[1], t[2]), w = mi_det(a, b, t[2], t[0]);
  return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

typedef struct crossing {
  const mi_surface *surface;
  const float *position, *rest;
  int count;
} crossing;

static void load(const crossing *c, const float *position, int tri, mi_vec3 corner[3]) {
  for (int k = 0; k < 3; k++)
    corner[k] = mi_vec3_load(position + 3 * (size_t)c->surface->tri[3 * (size_t)tri + (size_t)k]);
}

static bool cross(const crossing *c, const float *position, int a, int b) {
  mi_vec3 p[3], q[3];
  load(c, position, a, p);
  load(c, position, b, q);
  for (int k = 0; k < 3; k++)
    if (pierces(p[k], p[(k + 1) % 3], q) || pierces(q[k], q[(k + 1) % 3], p)) return true;
  return false;
}

static bool share_a_vertex(const int32_t *a, const int32_t *b) {
  for (int k = 0; k < 9; k++)
    if (a[k / 3] == b[k % 3]) return true;
  return false;
}

static void count_crossing(void *task, int a, int b) {
  crossing *c = task;
  if (share_a_vertex(c->surface->tri + 3 * (size_t)a, c->surface->tri + 3 * (size_t)b)) return;
  if (!cross(c, c->position, a, b) || cross(c, c->rest, a, b)) return;
  c->count++;
}

static bool is_crossing(mi_contacts *c, const float *position, int threads) {
  crossing task = {c->surface, position, c->rest, 0};
  mi_broad_find(c->broad, position, NULL, 0, threads);
  mi_broad_triangles(c->broad, count_crossing, &task);
  return task.count > 0;
}

// A gap may shrink to this share of itself in one go.
static const double SHARE = 0.8;

// -- Safe places ----------------------------------------------------------------------------------

static void read_wanted(mi_contacts *c, const mi_solver *solver) {
  for (int i = 0; i < c->nsoft; i++)
    memcpy(c->wanted + 3 * (size_t)i, solver->x + 4 * (size_t)solver->place[c->flesh[i]],
           3 * sizeof *c->wanted);
}

// Is `wanted` still where the solver is?
static bool is_at(const mi_contacts *c, const mi_solver *solver) {
  for (int i = 0; i < c->nsoft; i++)
    if (memcmp(c->wanted + 3 * (size_t)i, solver->x + 4 * (size_t)solver->place[c->flesh[i]],
               3 * sizeof *c->wanted))
      return false;
  return true;
}

static void write_safe(const mi_contacts *c, mi_solver *solver) {
  for (int i = 0; i < c->nsoft; i++)
    memcpy(solver->x + 4 * (size_t)solver->place[c->flesh[i]], c->safe + 3 * (size_t)i,
           3 * sizeof *c->safe);
}

// -- Limits
// -----------------------------------------------------------------------------------------

// A vertex that would be hit may go so far of the way to what is nearest to any feature it belongs
// to: two that meet halfway cannot touch. (The bound of Chen et al. 2025, Offset Geometric
// Contact.)
static const double OWN_SHARE = 0.4;

static void shorten(mi_contacts *c, int vert, double most) {
  float *to = c->wanted + 3 * (size_t)vert;
  const float *from = c->safe + 3 * (size_t)vert;
  double far = 0;
  for (int k = 0; k < 3; k++) far += ((double)to[k] - from[k]) * ((double)to[k] - from[k]);
  far = sqrt(far);
  if (far <= most) return;
  float t = (float)(most / far);
  for (int k = 0; k < 3; k++) to[k] = from[k] + t * (to[k] - from[k]);
}

static void shorten_pair(mi_contacts *c, mi_pair pair, bool is_edges) {
  int32_t vert[4];
  double x[12];
  mi_surface_vertices(c->surface, pair, is_edges, vert);
  for (int i = 0; i < 12; i++) x[i] = c->safe[3 * (size_t)vert[i / 3] + (size_t)(i % 3)];
  mi_closest near = is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
  double gap = fmax(0, sqrt(near.d2) - mi_surface_offset(c->surface, pair, is_edges));
  for (int k = 0; k < 4; k++)
    if (vert[k] < c->nsoft) shorten(c, vert[k], OWN_SHARE * gap);
}

// The time of one pair's first touch on the way from safe to wanted.
static double time_of(const mi_contacts *c, mi_pair pair, bool is_edges) {
  int32_t vert[4];
  double from[12], to[12];
  mi_ccd ccd = {.share = SHARE,
                .offset = mi_surface_offset(c->surface, pair, is_edges),
                .limit = 1,
                .most = 64};
  mi_surface_vertices(c->surface, pair, is_edges, vert);
  for (int i = 0; i < 12; i++) {
    size_t at = 3 * (size_t)vert[i / 3] + (size_t)(i % 3);
    from[i] = c->safe[at];
    to[i] = c->wanted[at];
  }
  return is_edges ? mi_ccd_edge_edge(from, to, &ccd) : mi_ccd_vertex_triangle(from, to, &ccd);
}

// Shortens the ways of vertices that would be hit, those only. Returns how many pairs were.
static int shorten_hits(mi_contacts *c) {
  int count = 0;
  for (int i = 0; i < c->near.nvt + c->near.nee; i++) {
    bool is_edges = i >= c->near.nvt;
    mi_pair pair = is_edges ? c->near.ee[i - c->near.nvt] : c->near.vt[i];
    if (time_of(c, pair, is_edges) >= 1) continue;
    shorten_pair(c, pair, is_edges);
    count++;
  }
  return count;
}

static double time_to_wanted(const mi_contacts *c, int threads) {
  return c->near.is_full
             ? 0
             : mi_ccd_bound(c->surface, &c->near, c->safe, c->wanted, SHARE, threads).time;
}

double mi_contacts_shorten(mi_contacts *c, int threads) {
  enum { ROUNDS = 4 };
  double time = 0;
  for (int round = 0; round < ROUNDS && time < 1 && !c->near.is_full; round++) {
    shorten_hits(c);
    time = time_to_wanted(c, threads);
  }
  return time;
}

// A motion so wide that its candidates do not fit is made shorter until they do.
void mi_contacts_look(mi_contacts *c, double reach, int threads) {
  enum { ROUNDS = 8 };
  c->near = mi_broad_find(c->broad, c->safe, c->wanted, reach, threads);
  double most = c->stride;
  for (int round = 0; round < ROUNDS && c->near.is_full; round++, most /= 4) {
    for (int i = 0; i < c->nsoft; i++) shorten(c, i, most);
    c->near = mi_broad_find(c->broad, c->safe, c->wanted, reach, threads);
  }
}

// Most motions are free. Of one that is not, first the vertices that would be hit are held back,
// which may put others in their way, and so on; in the end all that can touch together.
void mi_contacts_advance(mien_state *state, double reach) {
  mi_contacts *c = state->contacts;
  mi_solver *solver = state->solver;
  double start = mi_clock();
  int threads = solver->host.threads;
  read_wanted(c, solver);
  mi_contacts_look(c, reach, threads);
  bool is_whole = is_at(c, solver);
  double time = time_to_wanted(c, threads);
  bool is_free = time >= 1 && is_whole;
  if (time < 1) time = mi_contacts_shorten(c, threads);
  float t = (float)time;
  for (int i = 0; i < 3 * c->nvert; i++)
    c->safe[i] = time >= 1 ? c->wanted[i] : c->safe[i] + t * (c->wanted[i] - c->safe[i]);
  if (!is_free) write_safe(c, solver);
  state->info.nlimited += !is_free;
  state->info.seconds_contact += mi_clock() - start;
}

void mi_contacts_start(mien_state *state, double reach) {
  mi_contacts *c = state->contacts;
  size_t size = 3 * (size_t)c->nvert * sizeof *c->safe;
  c->is_reset = c->is_fresh && is_crossing(c, c->before, state->solver->host.threads);
  for (int i = 0; c->is_reset && i < 3 * c->nsoft; i++) c->before[i] = c->rest[i];
  c->is_fresh = c->is_reset; // look again until it does not
  memcpy(c->safe, c->before, size);
  mi_contacts_advance(state, reach);
}
