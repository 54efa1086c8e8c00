// How far a trial may go: planes first, then shorter steps.
//
// Pairs that have no separating direction for the way from x_free to the trial get a plane, and
// both sides are pushed out of it: they slide. What planes cannot free in a few rounds goes a
// shorter way, and skin around it, too, the less so the farther it is: one vertex that stands still
// while its neighbours go on would be a spike. Where that is not enough it stands still.
#include "solve/contacts.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 5, SWEEPS = 8, HALVINGS = 10, FREEZE = 6 };
// Skin is slowed down so far around a vertex that is held back, as a share of the face's size.
static const float AROUND = 0.05f;

// -- Candidates -----------------------------------------------------------------------------------

static void shorten_moves(mi_contacts *c, double most) {
  for (int i = 0; i < c->nvert; i++) {
    float *to = c->x_trial + 3 * (size_t)i;
    const float *from = c->x_free + 3 * (size_t)i;
    mi_vec3 way = mi_sub(mi_vec3_load(to), mi_vec3_load(from));
    double length = mi_length(way);
    if (length > most) mi_vec3_store(to, mi_add_scaled(mi_vec3_load(from), most / length, way));
  }
}

// All pairs that can meet on the way. A way so wide that they do not fit is made shorter.
static mi_candidates find_candidates(mi_contacts *c, int threads) {
  double most = c->stride, reach = mi_separator_reach(&c->separator);
  mi_candidates close = mi_broad_find(c->broad, c->x_free, c->x_trial, reach, threads);
  for (int round = 0; round < HALVINGS && close.is_full; round++, most /= 4) {
    shorten_moves(c, most);
    close = mi_broad_find(c->broad, c->x_free, c->x_trial, reach, threads);
  }
  if (close.is_full) // nothing moves
    memcpy(c->x_trial, c->x_free, 3 * (size_t)c->nvert * sizeof *c->x_trial);
  return close;
}

// Adds planes of the pairs that have no direction for the way. Returns how many there are.
static int find_planes(mi_contacts *c, int threads) {
  mi_candidates close = find_candidates(c, threads);
  return mi_separate(&c->separator, &close, c->x_free, c->x_trial, threads);
}

// -- Planes ---------------------------------------------------------------------------------------

static bool slide(mi_contacts *c, int threads) {
  mi_separator *s = &c->separator;
  s->count = 0;
  for (int round = 0; round < ROUNDS; round++) {
    if (!find_planes(c, threads)) return true;
    mi_separator_push(s, c->x_trial, SWEEPS);
  }
  s->count = 0;
  return !find_planes(c, threads);
}

// -- Shorter steps --------------------------------------------------------------------------------

static void spread(mi_contacts *c, const mien_face *face) {
  enum { SPREADS = 4 };
  const mi_topology *topo = &face->skin.topo;
  float slope = 1 / (AROUND * face->skin.size), *step = c->step;
  for (int sweep = 0; sweep < SPREADS; sweep++)
    for (int k = 0; k < face->skin.nvert; k++) {
      int i = sweep % 2 ? face->skin.nvert - 1 - k : k;
      if (step[i] >= 1) continue;
      for (int n = topo->nbr_first[i]; n < topo->nbr_first[i + 1]; n++) {
        int j = topo->nbr[n];
        double far = mi_distance(mi_vec3_load(face->rest + 3 * (size_t)i),
                                 mi_vec3_load(face->rest + 3 * (size_t)j));
        step[j] = fminf(step[j], step[i] + slope * (float)far);
      }
    }
}

// A component of colliders goes as far as its slowest vertex.
static void limit_component(mi_contacts *c, int vert, float step) {
  c->least[c->component[vert]] = fminf(c->least[c->component[vert]], step);
}

static void limit_violators(mi_contacts *c, int round) {
  const mi_separator *s = &c->separator;
  for (int k = 0; k < 4 * s->count; k++) {
    int vert = s->plane[k / 4].vert[k % 4];
    float *step = vert < c->nsoft ? c->step + c->flesh[vert] : c->least + c->component[vert];
    float to = round < FREEZE ? 0.5f * fmaxf(0, *step) : -0.25f * (float)(round - FREEZE);
    if (vert < c->nsoft)
      *step = fminf(*step, to);
    else if (round >= 2)
      limit_component(c, vert, fmaxf(0, to)); // skin gives way first
  }
}

static void walk(mi_contacts *c) {
  for (int i = 0; i < c->nvert; i++) {
    float share = i < c->nsoft ? c->step[c->flesh[i]] : c->least[c->component[i]];
    share = fmaxf(0, share);
    for (size_t k = 3 * (size_t)i; k < 3 * (size_t)i + 3; k++)
      c->x_trial[k] =
          share >= 1 ? c->x_target[k] : c->x_free[k] + share * (c->x_target[k] - c->x_free[k]);
  }
}

static void slow_down(mien_state *state) {
  mi_contacts *c = state->contacts;
  int threads = state->host.threads;
  memcpy(c->x_target, c->x_trial, 3 * (size_t)c->nvert * sizeof *c->x_trial);
  for (int i = 0; i < state->face->skin.nvert; i++) c->step[i] = 1;
  for (int k = 0; k < c->ncomponent; k++) c->least[k] = 1;
  for (int round = 0; round < HALVINGS; round++) {
    limit_violators(c, round);
    spread(c, state->face);
    walk(c);
    c->separator.count = 0;
    if (!find_planes(c, threads)) return;
  }
  for (int i = 0; i < c->nsoft; i++) c->step[c->flesh[i]] = 0;
  for (int k = 0; k < c->ncomponent; k++) c->least[k] = 0;
  spread(c, state->face);
  memcpy(c->x_trial, c->x_free, 3 * (size_t)c->nvert * sizeof *c->x_trial);
}

// -- The flesh under it ---------------------------------------------------------------------------

// Flesh goes as far as the skin that carries it, and takes a part of what that was pushed by.
static void follow(const mien_state *state, const float *x, float *trial, bool is_slowed) {
  const mien_face *face = state->face;
  const mi_contacts *c = state->contacts;
  const mi_solver *solver = state->solver;
  for (int i = face->skin.nvert; i < solver->nvert; i++) {
    int skin = face->carrier[i], soft = c->soft[skin];
    float share = is_slowed ? fmaxf(0, c->step[skin]) : 1;
    float *to = trial + 4 * (size_t)solver->iperm[i];
    const float *from = x + 4 * (size_t)solver->iperm[i];
    for (int k = 0; k < 3 && share < 1; k++) to[k] = from[k] + share * (to[k] - from[k]);
    const float *skin_to = trial + 4 * (size_t)solver->iperm[skin];
    for (int k = 0; k < 3 && soft >= 0 && share >= 1; k++)
      to[k] +=
          0.5f * (c->x_trial[3 * (size_t)soft + (size_t)k] - c->shift[3 * soft + k] - skin_to[k]);
  }
  for (int i = 0; is_slowed && i < face->skin.nvert; i++) {
    float share = fmaxf(0, c->step[i]), *to = trial + 4 * (size_t)solver->iperm[i];
    const float *from = x + 4 * (size_t)solver->iperm[i];
    if (c->soft[i] >= 0 || share >= 1) continue;
    for (int k = 0; k < 3; k++) to[k] = from[k] + share * (to[k] - from[k]);
  }
}

// Returns how many soft vertices were moved.
static int write_back(const mien_state *state, float *trial) {
  const mi_contacts *c = state->contacts;
  const int32_t *place = state->solver->iperm;
  int nmoved = 0;
  for (int i = 0; i < c->nsoft; i++) {
    float *to = trial + 4 * (size_t)place[c->flesh[i]];
    bool is_moved = false;
    for (size_t k = 0; k < 3; k++) {
      size_t at = 3 * (size_t)i + k;
      if (to[k] + c->shift[at] == c->x_trial[at]) continue;
      to[k] = c->x_trial[at] - c->shift[at];
      is_moved = true;
    }
    nmoved += is_moved;
  }
  return nmoved;
}

int mi_contacts_bound(mien_state *state, const float *x, float *trial) {
  mi_contacts *c = state->contacts;
  double start = mi_clock();
  int nkept = mi_limits_keep(state, trial);
  mi_contacts_read(state, trial, c->x_trial);
  memcpy(c->x_trial + 3 * (size_t)c->nsoft, c->pose + 3 * (size_t)c->nsoft,
         3 * (size_t)(c->nvert - c->nsoft) * sizeof *c->pose);
  size_t soft = 3 * (size_t)c->nsoft * sizeof *c->x_trial;
  memcpy(c->x_target, c->x_trial, soft);
  bool is_slowed = !slide(c, state->host.threads);
  bool is_moved = is_slowed || memcmp(c->x_target, c->x_trial, soft) != 0;
  if (is_slowed) slow_down(state);
  if (is_moved) follow(state, x, trial, is_slowed);
  int nmoved = is_moved ? write_back(state, trial) : 0;
  state->info.nlimited += is_slowed;
  state->info.seconds_contact += mi_clock() - start;
  state->info.seconds_ccd += mi_clock() - start;
  return nkept + nmoved;
}

void mi_contacts_accept(mi_contacts *c) {
  memcpy(c->x_free, c->x_trial, 3 * (size_t)c->nvert * sizeof *c->x_free);
}
