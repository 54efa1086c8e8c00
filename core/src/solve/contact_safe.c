// Moving what can touch without letting it cross.
#include "solve/contacts.h"

#include "math/vec.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// -- Does it cross? -------------------------------------------------------------------------------

typedef struct crossing {
  const mi_surface *surface;
  const float *position, *rest;
  const int32_t *piece;
  bool *is_hit; // or NULL
  atomic_int count;
} crossing;

typedef struct triangle {
  mi_vec3 corner[3], normal;
  bool is_above[3]; // the corners of the other one
} triangle;

static triangle load(const crossing *c, const float *position, int tri) {
  triangle t;
  const int32_t *vert = c->surface->tri + 3 * (size_t)tri;
  for (int k = 0; k < 3; k++) t.corner[k] = mi_vec3_load(position + 3 * (size_t)vert[k]);
  t.normal = mi_cross(mi_sub(t.corner[1], t.corner[0]), mi_sub(t.corner[2], t.corner[0]));
  return t;
}

// False when the other lies on one side: the usual case.
static bool look_at_sides(triangle *t, const triangle *other) {
  for (int k = 0; k < 3; k++)
    t->is_above[k] = mi_dot(t->normal, mi_sub(other->corner[k], t->corner[0])) > 0;
  return t->is_above[0] != t->is_above[1] || t->is_above[1] != t->is_above[2];
}

// Does an edge of `other` go through the triangle?
static bool is_pierced(const triangle *t, const triangle *other) {
  for (int k = 0; k < 3; k++) {
    if (t->is_above[k] == t->is_above[(k + 1) % 3]) continue;
    mi_vec3 a = other->corner[k], b = other->corner[(k + 1) % 3];
    double u = mi_det(a, b, t->corner[0], t->corner[1]);
    double v = mi_det(a, b, t->corner[1], t->corner[2]);
    double w = mi_det(a, b, t->corner[2], t->corner[0]);
    if ((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)) return true;
  }
  return false;
}

static bool cross(const crossing *c, const float *position, int a, int b) {
  triangle p = load(c, position, a), q = load(c, position, b);
  bool may_pierce = look_at_sides(&p, &q), may_be_pierced = look_at_sides(&q, &p);
  return (may_pierce && is_pierced(&p, &q)) || (may_be_pierced && is_pierced(&q, &p));
}

static bool share_a_vertex(const int32_t *a, const int32_t *b) {
  for (int k = 0; k < 9; k++)
    if (a[k / 3] == b[k % 3]) return true;
  return false;
}

static void count_crossing(void *task, int a, int b) {
  crossing *c = task;
  const int32_t *ta = c->surface->tri + 3 * (size_t)a, *tb = c->surface->tri + 3 * (size_t)b;
  if (share_a_vertex(ta, tb)) return;
  if (!cross(c, c->position, a, b) || cross(c, c->rest, a, b)) return;
  atomic_fetch_add(&c->count, 1);
  if (!c->is_hit) return;
  __atomic_store_n(c->is_hit + c->piece[ta[0]], true, __ATOMIC_RELAXED);
  __atomic_store_n(c->is_hit + c->piece[tb[0]], true, __ATOMIC_RELAXED);
}

// Pairs that cross at `position` and not in the neutral. With `mark` the pieces they belong to are
// marked.
static int count_crossings(mi_contacts *c, const float *position, int threads, bool *mark) {
  crossing task = {c->surface, position, c->rest, c->piece, mark, 0};
  if (mark) memset(mark, 0, (size_t)c->npiece * sizeof *mark);
  mi_broad_triangles(c->broad, position, threads, count_crossing, &task);
  return atomic_load(&task.count);
}

// -- Safe places ----------------------------------------------------------------------------------

static void read_wanted(mi_contacts *c, const mi_solver *solver) {
  for (int i = 0; i < c->nsoft; i++)
    memcpy(c->wanted + 3 * (size_t)i, solver->x + 4 * (size_t)solver->place[c->flesh[i]],
           3 * sizeof *c->wanted);
}

static void rest_at(mi_contacts *c, const float *position, double reach, int threads) {
  if (position != c->safe) memcpy(c->safe, position, 3 * (size_t)c->nvert * sizeof *c->safe);
  c->near = mi_broad_find(c->broad, c->safe, NULL, reach, threads);
}

// Nobody goes farther than half a stride: nothing is jumped over.
static bool is_short(const mi_contacts *c) {
  float most = (float)(0.5 * c->stride);
  for (int i = 0; i < 3 * c->nvert; i++)
    if (!(fabsf(c->wanted[i] - c->safe[i]) < most)) return false;
  return true;
}

// Most ends are free. On the way to one that is not, skin that would be hit is slowed down, which
// may put others in its way, and so on; in the end all that can touch together.
void mi_contacts_advance(mien_state *state, double reach) {
  mi_contacts *c = state->contacts;
  mi_solver *solver = state->solver;
  double start = mi_clock();
  int threads = solver->host.threads;
  read_wanted(c, solver);
  if (!is_short(c) || count_crossings(c, c->wanted, threads, NULL))
    state->info.nlimited += !mi_contacts_go_safely(c, state, reach);
  else
    rest_at(c, c->wanted, reach, threads);
  memcpy(c->from, solver->x, 4 * (size_t)solver->nvert * sizeof *c->from);
  state->info.seconds_contact += mi_clock() - start;
}

// Pieces that cross nowhere go there whatever lies on a straight way to it: a lid that closes over
// an eye is animated along a chord.
static void skip_to_wanted(mi_contacts *c, int threads) {
  int nfree = 0;
  for (int i = 0; i < c->nvert; i++) {
    if (c->is_hit[c->piece[i]]) continue;
    memcpy(c->safe + 3 * (size_t)i, c->wanted + 3 * (size_t)i, 3 * sizeof *c->safe);
    nfree++;
  }
  // free pieces, where they are, against the others where they were
  if (nfree && count_crossings(c, c->safe, threads, NULL))
    memcpy(c->safe, c->before, 3 * (size_t)c->nvert * sizeof *c->safe);
}

static void read_posed(mi_contacts *c, const mien_state *state) {
  for (int i = 0; i < c->nsoft; i++)
    memcpy(c->wanted + 3 * (size_t)i, state->moving.posed + 3 * (size_t)c->flesh[i],
           3 * sizeof *c->wanted);
}

// Where the way to the solver's x begins.
static void read_start(mi_contacts *c, const mien_state *state) {
  const mi_solver *solver = state->solver;
  const float *from = c->is_reset ? state->face->rest : state->flesh;
  for (int k = 0; k < solver->nvert; k++)
    memcpy(c->from + 4 * (size_t)k, from + 3 * (size_t)solver->order[k], 3 * sizeof *from);
  for (int i = 0; i < c->nsoft; i++)
    memcpy(c->from + 4 * (size_t)solver->place[c->flesh[i]], c->safe + 3 * (size_t)i,
           3 * sizeof *c->safe);
}

void mi_contacts_look_at_pose(mien_state *state) {
  mi_contacts *c = state->contacts;
  double start = mi_clock();
  read_posed(c, state);
  count_crossings(c, c->wanted, state->solver->host.threads, c->is_posed_across);
  state->info.seconds_contact += mi_clock() - start;
}

void mi_contacts_start(mien_state *state, double reach) {
  mi_contacts *c = state->contacts;
  int threads = state->solver->host.threads;
  double start = mi_clock();
  read_wanted(c, state->solver);
  bool is_free = !count_crossings(c, c->wanted, threads, c->is_hit);
  c->is_reset = false;
  c->is_start_free = is_free;
  c->npushed = 0;
  if (is_free) {
    rest_at(c, c->wanted, reach, threads);
  } else {
    int ncrossing = state->moving.is_doubtful ? count_crossings(c, c->before, threads, NULL) : 0;
    c->is_reset = ncrossing > 0;
    state->info.nresolved += ncrossing;
    for (int i = 0; c->is_reset && i < 3 * c->nsoft; i++) c->before[i] = c->rest[i];
    memcpy(c->safe, c->before, 3 * (size_t)c->nvert * sizeof *c->safe);
    skip_to_wanted(c, threads);
  }
  read_start(c, state);
  state->moving.is_doubtful = c->is_reset; // look again until it does not
  state->info.seconds_contact += mi_clock() - start;
  if (!is_free) mi_contacts_advance(state, reach);
}

bool mi_contacts_take_pose(mien_state *state, double reach) {
  mi_contacts *c = state->contacts;
  read_posed(c, state);
  int threads = state->solver->host.threads;
  bool is_free = !count_crossings(c, c->wanted, threads, NULL);
  rest_at(c, is_free ? c->wanted : c->safe, reach, threads);
  return is_free;
}
