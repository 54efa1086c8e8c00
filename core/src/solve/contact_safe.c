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

// -- Safe places ----------------------------------------------------------------------------------

static void read_wanted(mi_contacts *c, const mi_solver *solver) {
  for (int i = 0; i < c->nsoft; i++)
    memcpy(c->wanted + 3 * (size_t)i, solver->x + 4 * (size_t)solver->place[c->flesh[i]],
           3 * sizeof *c->wanted);
}

static void write_safe(const mi_contacts *c, mi_solver *solver) {
  for (int i = 0; i < c->nsoft; i++)
    memcpy(solver->x + 4 * (size_t)solver->place[c->flesh[i]], c->safe + 3 * (size_t)i,
           3 * sizeof *c->safe);
}

// A gap may shrink to this share of itself in one go.
static const double SHARE = 0.8;

void mi_contacts_advance(mien_state *state, double reach) {
  mi_contacts *c = state->contacts;
  mi_solver *solver = state->solver;
  double start = mi_clock();
  int threads = solver->host.threads;
  read_wanted(c, solver);
  c->near = mi_broad_find(c->broad, c->safe, c->wanted, reach, threads);
  double time = c->near.is_full
                    ? 0
                    : mi_ccd_bound(c->surface, &c->near, c->safe, c->wanted, SHARE, threads).time;
  if (time < 1) {
    float t = (float)time;
    for (int i = 0; i < 3 * c->nvert; i++) c->safe[i] += t * (c->wanted[i] - c->safe[i]);
    write_safe(c, solver);
    state->info.nlimited++;
  } else {
    memcpy(c->safe, c->wanted, 3 * (size_t)c->nvert * sizeof *c->safe);
  }
  state->info.seconds_contact += mi_clock() - start;
}

void mi_contacts_start(mien_state *state, double reach) {
  mi_contacts *c = state->contacts;
  size_t size = 3 * (size_t)c->nvert * sizeof *c->safe;
  c->is_reset = c->is_fresh && is_crossing(c, c->before, state->solver->host.threads);
  for (int i = 0; c->is_reset && i < 3 * c->nsoft; i++) c->before[i] = c->rest[i];
  c->is_fresh = false;
  memcpy(c->safe, c->before, size);
  mi_contacts_advance(state, reach);
}
