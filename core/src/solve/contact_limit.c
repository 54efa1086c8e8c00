// How far what can touch may go: what would be hit is pushed aside by colliders, slowed down, or
// held back.
#include "solve/contacts.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

// A gap may shrink to this share of itself in one go.
static const double SHARE = 0.8;
// Of the face's size: so far around what is hit skin is slowed down.
static const float SLOWED = 0.05f;

static bool is_wanted(const mi_contacts *c, const mi_solver *solver) {
  for (int i = 0; i < c->nsoft; i++)
    if (memcmp(c->wanted + 3 * (size_t)i, solver->x + 4 * (size_t)solver->place[c->flesh[i]],
               3 * sizeof *c->wanted))
      return false;
  return true;
}

static void write_back(const mi_contacts *c, const float *position, mi_solver *solver) {
  for (int i = 0; i < c->nsoft; i++)
    memcpy(solver->x + 4 * (size_t)solver->place[c->flesh[i]], position + 3 * (size_t)i,
           3 * sizeof *position);
}

// -- Limits ---------------------------------------------------------------------------------------

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

typedef struct meeting { // of one pair, on the way from safe to wanted
  int32_t vert[4];
  double from[12], to[12];
  mi_ccd ccd;
  bool is_edges;
} meeting;

static mi_closest closest_at(const meeting *m, double time) {
  double x[12];
  for (int i = 0; i < 12; i++) x[i] = m->from[i] + time * (m->to[i] - m->from[i]);
  return m->is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
}

static double time_of(const mi_contacts *c, mi_pair pair, bool is_edges, meeting *m) {
  *m = (meeting){.is_edges = is_edges,
                 .ccd = {.share = SHARE,
                         .offset = mi_surface_offset(c->surface, pair, is_edges) + c->slack,
                         .limit = 1,
                         .most = 64}};
  mi_surface_vertices(c->surface, pair, is_edges, m->vert);
  for (int i = 0; i < 12; i++) {
    size_t at = 3 * (size_t)m->vert[i / 3] + (size_t)(i % 3);
    m->from[i] = c->safe[at];
    m->to[i] = c->wanted[at];
  }
  return is_edges ? mi_ccd_edge_edge(m->from, m->to, &m->ccd)
                  : mi_ccd_vertex_triangle(m->from, m->to, &m->ccd);
}

// A vertex that would be hit may go so far of the way to what is nearest to any feature it
// belongs to: two that meet halfway cannot touch. (The bound of Chen et al. 2025, Offset Geometric
// Contact.)
static const double OWN_SHARE = 0.4;

static double gap_of(const meeting *m) {
  return fmax(0, sqrt(closest_at(m, 0).d2) - m->ccd.offset);
}

static void hold(mi_contacts *c, const meeting *m) {
  double gap = gap_of(m);
  for (int k = 0; k < 4; k++)
    if (m->vert[k] < c->nsoft) shorten(c, m->vert[k], OWN_SHARE * gap);
}

// The same against the motion they have in common, that of what is rigid if anything is.
static void hold_together(mi_contacts *c, const meeting *m) {
  double gap = gap_of(m), way[3] = {0}, count = 0;
  bool is_rigid = m->vert[3] >= c->nsoft || m->vert[0] >= c->nsoft;
  for (int k = 0; k < 4; k++) {
    if (is_rigid && m->vert[k] < c->nsoft) continue;
    for (int i = 0; i < 3; i++) way[i] += m->to[3 * k + i] - m->from[3 * k + i];
    count++;
  }
  for (int k = 0; k < 4; k++) {
    double own[3], far = 0;
    for (int i = 0; i < 3; i++) {
      own[i] = m->to[3 * k + i] - m->from[3 * k + i] - way[i] / count;
      far += own[i] * own[i];
    }
    far = sqrt(far);
    if (m->vert[k] >= c->nsoft || far <= OWN_SHARE * gap) continue;
    for (int i = 0; i < 3; i++)
      c->wanted[3 * (size_t)m->vert[k] + (size_t)i] =
          (float)(m->from[3 * k + i] + way[i] / count + OWN_SHARE * gap / far * own[i]);
  }
}

// The candidates that may meet on the way from safe to wanted as it is now.
static int find_doubtful(mi_contacts *c, const mi_candidates *near, int threads) {
  return mi_ccd_doubtful(c->surface, near, c->safe, c->wanted, SHARE, threads, c->doubtful, NULL);
}

static double time_of_doubtful(const mi_contacts *c, const mi_candidates *near, int k, meeting *m) {
  int i = c->doubtful[k];
  bool is_edges = i >= near->nvt;
  return time_of(c, is_edges ? near->ee[i - near->nvt] : near->vt[i], is_edges, m);
}

// How far of the way is free, and who may meet on it.
static double time_to_wanted(mi_contacts *c, int threads) {
  mi_ccd_result bound;
  c->ndoubtful = mi_ccd_doubtful(c->surface, &c->near, c->safe, c->wanted, SHARE, threads,
                                 c->doubtful, &bound);
  return bound.time;
}

void mi_contacts_shorten(mi_contacts *c, const mi_candidates *near, int threads, bool together) {
  enum { ROUNDS = 4 };
  int nhit = 1;
  for (int round = 0; round < ROUNDS && nhit; round++) {
    int count = find_doubtful(c, near, threads);
    nhit = 0;
    for (int k = 0; k < count; k++) {
      meeting m;
      if (time_of_doubtful(c, near, k, &m) >= 1) continue;
      if (together)
        hold_together(c, &m);
      else
        hold(c, &m);
      nhit++;
    }
  }
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

// -- Slowing down ---------------------------------------------------------------------------------

// One vertex that stands still while its neighbours go on is a spike: skin around it, and the flesh
// under both, is slowed down the less, the farther it is.
static void spread_slowness(mi_contacts *c, const mien_face *face) {
  enum { SWEEPS = 4 };
  const mi_topology *topo = &face->skin.topo;
  float slope = 1 / (SLOWED * face->skin.size), *pace = c->pace;
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int k = 0; k < face->skin.nvert; k++) {
      int i = sweep % 2 ? face->skin.nvert - 1 - k : k;
      if (pace[i] >= 1) continue;
      for (int n = topo->nbr_first[i]; n < topo->nbr_first[i + 1]; n++) {
        int j = topo->nbr[n];
        double far = mi_distance(mi_vec3_load(face->rest + 3 * (size_t)i),
                                 mi_vec3_load(face->rest + 3 * (size_t)j));
        pace[j] = fminf(pace[j], pace[i] + slope * (float)far);
      }
    }
}

static void walk(mi_contacts *c, const mi_solver *solver) {
  for (int i = 0; i < c->nsoft; i++) {
    const float *to = solver->x + 4 * (size_t)solver->place[c->flesh[i]];
    float pace = fmaxf(0, c->pace[c->flesh[i]]);
    for (int k = 0; k < 3; k++) {
      float *at = c->wanted + 3 * (size_t)i + k, from = c->safe[3 * (size_t)i + (size_t)k];
      *at = pace >= 1 ? to[k] : from + pace * (to[k] - from);
    }
  }
}

// When the doubtful meet, some at a time: in double, so all threads look and one writes down.
enum { TIMED = 2048 };

typedef struct timing {
  const mi_contacts *contacts;
  int first;
  double until[TIMED];
  int32_t vert[TIMED][4];
} timing;

static void time_range(void *user, int begin, int end) {
  timing *t = user;
  for (int k = begin; k < end; k++) {
    meeting m;
    t->until[k] = time_of_doubtful(t->contacts, &t->contacts->near, t->first + k, &m);
    memcpy(t->vert[k], m.vert, sizeof m.vert);
  }
}

static void pace_doubtful(mi_contacts *c, int threads) {
  timing t = {.contacts = c};
  for (; t.first < c->ndoubtful; t.first += TIMED) {
    int count = c->ndoubtful - t.first < TIMED ? c->ndoubtful - t.first : TIMED;
    mi_parallel(threads, count, 64, time_range, &t);
    for (int k = 0; k < count; k++)
      for (int v = 0; v < 4 && t.until[k] < 1; v++) {
        int vert = t.vert[k][v];
        if (vert >= c->nsoft) continue;
        float *pace = c->pace + c->flesh[vert];
        *pace = fminf(*pace, 0.9f * (float)t.until[k] * c->asked[vert]);
      }
  }
}

// Slows down what would be hit until nothing is, from the way whose bound was found last. Returns
// how far of the way to `wanted` is free.
static double slow_down(mi_contacts *c, const mien_state *state) {
  enum { ROUNDS = 8 };
  const mi_solver *solver = state->solver;
  double time = 0;
  for (int round = 0; round < ROUNDS && time < 1; round++) {
    pace_doubtful(c, solver->host.threads);
    spread_slowness(c, state->face);
    for (int i = 0; i < c->nsoft; i++) c->asked[i] = c->pace[c->flesh[i]];
    walk(c, solver);
    time = time_to_wanted(c, solver->host.threads);
  }
  return time;
}

static void stop_collider(mi_contacts *c, int32_t piece) {
  for (int i = c->nsoft; i < c->nvert; i++)
    if (c->piece[i] == piece)
      memcpy(c->wanted + 3 * (size_t)i, c->safe + 3 * (size_t)i, 3 * sizeof *c->wanted);
}

static size_t rigid_size(const mi_contacts *c) {
  return 3 * (size_t)(c->nvert - c->nsoft) * sizeof *c->wanted;
}

// What slowing down has not freed stands still: the skin around it, more of it every round, and the
// colliders that would hit it. The rest of the face goes on.
static double stand_still(mi_contacts *c, const mien_state *state, double time) {
  enum { ROUNDS = 8 };
  float far = 0.25f; // of SLOWED
  for (int round = 0; round < ROUNDS && time < 1 && !c->near.is_full; round++, far *= 2) {
    for (int k = 0; k < c->ndoubtful; k++) {
      meeting m;
      if (time_of_doubtful(c, &c->near, k, &m) >= 1) continue;
      for (int v = 0; v < 4; v++) {
        if (m.vert[v] >= c->nsoft) {
          stop_collider(c, c->piece[m.vert[v]]);
          continue;
        }
        float *pace = c->pace + c->flesh[m.vert[v]];
        *pace = fminf(*pace, -far); // rises to 0 at that distance
      }
    }
    spread_slowness(c, state->face);
    walk(c, state->solver);
    time = time_to_wanted(c, state->solver->host.threads);
  }
  return time;
}

// Pairs whose gap is no larger than rounding looked free, but the bound of all says they are not.
static double slow_down_more(mi_contacts *c, const mien_state *state, double time) {
  c->slack = mi_ccd_slack(c->surface, c->safe, c->wanted);
  if (!c->near.is_full) time = slow_down(c, state);
  time = stand_still(c, state, time);
  c->slack = 0;
  return time;
}

// All flesh goes as far as its skin does.
static void follow(mi_contacts *c, const mien_state *state, float time) {
  mi_solver *solver = state->solver;
  for (int k = 0; k < solver->nvert; k++) {
    float pace = time * fmaxf(0, c->pace[state->face->carrier[solver->order[k]]]);
    for (int i = 4 * k; pace < 1 && i < 4 * k + 3; i++)
      solver->x[i] = c->from[i] + pace * (solver->x[i] - c->from[i]);
  }
}

// -- Pushed aside ---------------------------------------------------------------------------------

static double along(const mi_closest *at, const double x[12]) {
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += at->coef[i / 3] * x[i] * at->r[i % 3];
  return sum / sqrt(at->d2);
}

// The soft side ends with a part of the gap left, as far along the normal as the rigid one pushes
// it.
static void part(mi_contacts *c, const meeting *m, double time) {
  const double left = 0.3;
  mi_closest first = closest_at(m, 0), at = closest_at(m, time);
  double gap = sqrt(first.d2) - m->ccd.offset, give = 0;
  double level = m->ccd.offset + (gap > 0 ? left * gap : gap);
  // only a normal along which they come closer: anything else would add motion
  if (!(at.d2 > 0) || along(&at, m->from) < level) at = first;
  if (!(at.d2 > 0)) return;
  double far = sqrt(at.d2), end = along(&at, m->to);
  for (int k = 0; k < 4; k++) give += m->vert[k] < c->nsoft ? at.coef[k] * at.coef[k] : 0;
  if (end >= level || !(give > 0)) return;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3 && m->vert[k] < c->nsoft; i++)
      c->wanted[3 * (size_t)m->vert[k] + (size_t)i] +=
          (float)(at.coef[k] * (level - end) / give * at.r[i] / far);
}

// Is a side of the doubtful pair a collider's?
static bool is_rigid_pair(const mi_contacts *c, int k) {
  int32_t vert[4];
  int i = c->doubtful[k];
  bool is_edges = i >= c->near.nvt;
  mi_surface_vertices(c->surface, is_edges ? c->near.ee[i - c->near.nvt] : c->near.vt[i], is_edges,
                      vert);
  return vert[3] >= c->nsoft || vert[0] >= c->nsoft;
}

static bool do_colliders_move(const mi_contacts *c) {
  size_t from = 3 * (size_t)c->nsoft, count = 3 * (size_t)(c->nvert - c->nsoft);
  return memcmp(c->safe + from, c->wanted + from, count * sizeof *c->safe) != 0;
}

// A collider that moves takes along what is in its way.
static void push_aside(mi_contacts *c, double reach, int threads) {
  enum { ROUNDS = 6 };
  int nhit = do_colliders_move(c);
  for (int round = 0; round < ROUNDS && nhit && !c->near.is_full; round++) {
    int count = find_doubtful(c, &c->near, threads);
    nhit = 0;
    for (int k = 0; k < count; k++) {
      meeting m;
      if (!is_rigid_pair(c, k)) continue;
      double time = time_of_doubtful(c, &c->near, k, &m);
      if (time >= 1) continue;
      part(c, &m, time);
      nhit++;
    }
    // who was pushed aside may meet others there
    if (nhit) mi_contacts_look(c, reach, threads);
  }
}

bool mi_contacts_go_safely(mi_contacts *c, const mien_state *state, double reach) {
  mi_solver *solver = state->solver;
  int threads = solver->host.threads;
  memcpy(c->aim, c->wanted + 3 * (size_t)c->nsoft, rigid_size(c));
  mi_contacts_look(c, reach, threads);
  push_aside(c, reach, threads);
  bool is_whole = is_wanted(c, solver);
  write_back(c, c->wanted, solver);
  double time = time_to_wanted(c, threads);
  bool is_free = time >= 1;
  for (int i = 0; i < state->face->skin.nvert; i++) c->pace[i] = 1;
  for (int i = 0; i < c->nsoft; i++) c->asked[i] = 1;
  if (!is_free) time = slow_down(c, state);
  if (time < 1) time = slow_down_more(c, state, time);
  for (int i = 0; i < 3 * c->nvert; i++)
    c->safe[i] = time >= 1 ? c->wanted[i] : c->safe[i] + (float)time * (c->wanted[i] - c->safe[i]);
  follow(c, state, (float)time);
  write_back(c, c->safe, solver);
  // colliders that were stopped still want to go there
  memcpy(c->wanted + 3 * (size_t)c->nsoft, c->aim, rigid_size(c));
  return is_free && is_whole;
}
