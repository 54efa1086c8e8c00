// Where a substep sets out: a place that crosses nowhere.
//
// The first of these that is free and near: where the head carries the flesh; where it was; the
// artist's pose; the pose on its way from the neutral. Components that cross nothing where they are
// carried are taken there whatever lies between: a lid that closes over an eye is animated along a
// chord. Where nothing near is free (a collider put into the flesh, a mouth bag that the pose leads
// through the teeth), what crosses meets nothing in this substep: lips that set out from a neutral
// far away would be held shut.
#include "solve/contacts.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

// Pairs are listed so much farther than they are asked for, in reaches: a substep of a shaken head
// stays within its lists; where nothing moves they are asked once.
static const double SPARE = 3, SPARE_AT_REST = 0.25;

static size_t size_of(const mi_contacts *c) {
  return 3 * (size_t)c->nvert * sizeof *c->x_free;
}

// x_free = x_trial, but for components that cross there: those are at `other`, or all are when that
// is in the way of the rest. False when that crosses, too.
static bool try_place(mi_contacts *c, const float *other, int threads) {
  for (int i = 0; i < c->nvert; i++) {
    const float *from = c->nhit[c->component[i]] ? other : c->x_trial;
    memcpy(c->x_free + 3 * (size_t)i, from + 3 * (size_t)i, 3 * sizeof *from);
  }
  if (!mi_contacts_cross(c, c->x_free, threads, NULL)) return true;
  memcpy(c->x_free, other, size_of(c));
  return !mi_contacts_cross(c, c->x_free, threads, NULL);
}

// The pose at a share of its way from the neutral, pulled in; a user's collider is where it is.
static void pose_at(mi_contacts *c, float share, float *out) {
  for (int i = 0; i < 3 * c->nvert; i++) {
    float rest = c->rest[i], posed = c->pose[i] - c->shift[i];
    out[i] = isfinite(rest) ? rest + share * (posed - rest) : posed;
  }
  float *shift = c->x_free; // free until a place is found
  mi_inset_shift(&c->inset, c->surface, out, shift);
  for (int i = 0; i < 3 * c->nvert; i++) out[i] += shift[i];
}

// Does the substep go on from the one before? The pose has moved little since, colliders at most by
// a fifth of the face. (Pressed flesh may be carried farther.)
static bool goes_on(const mien_state *state) {
  const mi_contacts *c = state->contacts;
  float soft = (float)(2 * c->stride), rigid = (float)(10 * c->stride);
  bool is_near = state->dynamics.nstep > 0;
  for (int i = 0; i < 3 * c->nsoft; i++) {
    size_t at = 3 * (size_t)c->flesh[i / 3] + (size_t)(i % 3);
    is_near &= fabsf(state->dynamics.posed[at] - state->posed_before[at]) < soft;
  }
  for (int i = 3 * c->nsoft; i < 3 * c->nvert; i++)
    is_near &= fabsf(c->x_trial[i] - c->x0[i]) < rigid;
  return is_near;
}

// Is x_free near where the flesh is carried?
static bool is_near(const mi_contacts *c) {
  for (int i = 0; i < 3 * c->nsoft; i++)
    if (!(fabsf(c->x_trial[i] - c->x_free[i]) < (float)(2 * c->stride))) return false;
  return true;
}

// The flesh at that place: where it was, or the pose at a share of its way.
static void set_from(const mien_state *state, const float *flesh, float share) {
  const mi_contacts *c = state->contacts;
  const float *rest = state->face->rest;
  for (int k = 0; k < 4 * state->solver->nvert; k++) {
    if (k % 4 == 3) continue;
    size_t at = 3 * (size_t)state->solver->perm[k / 4] + (size_t)(k % 4);
    c->x_from[k] = share < 1 ? rest[at] + share * (flesh[at] - rest[at]) : flesh[at];
  }
}

// x_free near where the flesh is carried, and x_from. False when there is no such place.
static bool find_free(mien_state *state, int ncrossing) {
  static const float SHARES[] = {1, 0.875f, 0.75f, 0.5f, 0.25f, 0};
  mi_contacts *c = state->contacts;
  int threads = state->host.threads;
  if (goes_on(state) && try_place(c, c->x0, threads)) {
    set_from(state, state->flesh, 1);
    return true;
  }
  state->info.nresolved += ncrossing;
  for (int k = c->npose_crossing ? 1 : 0; k < 6; k++) {
    if (k) pose_at(c, SHARES[k], c->x_target);
    if (!try_place(c, k ? c->x_target : c->pose, threads)) continue;
    set_from(state, state->dynamics.posed, SHARES[k]);
    return is_near(c);
  }
  return false;
}

// Masks skin that crosses where the flesh is carried.
static void stand_down(mien_state *state) {
  mi_contacts *c = state->contacts;
  mi_contacts_mask_crossing(c, c->x_trial);
  memcpy(c->x_free, c->x_trial, size_of(c));
  set_from(state, state->dynamics.posed, 1);
}

// The way out of a contact that touches: its normal, or that of the triangle it lies in.
static mi_vec3 way_out(const mi_contacts *c, const mi_contact *contact) {
  const int32_t *v = contact->vert;
  if (contact->distance > 1e-3 * c->slack)
    return (mi_vec3){contact->normal[0], contact->normal[1], contact->normal[2]};
  if (contact->is_edges) return (mi_vec3){0, 0, 0};
  mi_vec3 a = mi_vec3_load(c->x_free + 3 * (size_t)v[1]);
  mi_vec3 n = mi_cross(mi_sub(mi_vec3_load(c->x_free + 3 * (size_t)v[2]), a),
                       mi_sub(mi_vec3_load(c->x_free + 3 * (size_t)v[3]), a));
  double length = mi_length(n);
  return length > 0 ? mi_scale(1 / length, n) : n;
}

// Gaps that are lost to rounding are opened a little: where they touch, it is undefined on which
// side two surfaces are, and nothing would ever move there again.
static void make_room(mien_state *state) {
  mi_contacts *c = state->contacts;
  int threads = state->host.threads;
  mi_contacts_find_active(c, c->x_free, 0.5 * c->slack, threads);
  if (!c->active.count) return;
  memcpy(c->x_target, c->x_free, size_of(c));
  for (int k = 0; k < c->active.count; k++) {
    const mi_contact *contact = c->active.contact + k;
    mi_vec3 way = mi_scale(2 * c->slack - contact->distance, way_out(c, contact));
    for (int i = 0; i < 4; i++) {
      float *at = c->x_target + 3 * (size_t)contact->vert[i];
      bool is_first = i < (contact->is_edges ? 2 : 1);
      if (contact->vert[i] < c->nsoft)
        mi_vec3_store(at, mi_add_scaled(mi_vec3_load(at), is_first ? 1 : -1, way));
    }
  }
  if (mi_contacts_cross(c, c->x_target, threads, NULL)) return;
  memcpy(c->x_free, c->x_target, size_of(c));
}

// Pairs that cross where the flesh is carried. Flesh that is at its pose crosses what that does.
static int count_crossing(mi_contacts *c, int threads) {
  if (memcmp(c->x_trial, c->pose, size_of(c)) != 0)
    return mi_contacts_cross(c, c->x_trial, threads, c->nhit);
  memcpy(c->nhit, c->npose_hit, (size_t)c->ncomponent * sizeof *c->nhit);
  return c->npose_crossing;
}

void mi_contacts_begin(mien_state *state, bool moves) {
  mi_contacts *c = state->contacts;
  int threads = state->host.threads;
  double start = mi_clock();
  mi_broad_renew(c->broad); // a restored state has no lists of before
  mi_broad_keep(c->broad, (moves ? SPARE : SPARE_AT_REST) * c->reach);
  mi_limits_place(state);
  mi_limits_keep(state, state->solver->x);
  mi_contacts_read(state, state->solver->x, c->x_trial);
  memcpy(c->x_trial + 3 * (size_t)c->nsoft, c->pose + 3 * (size_t)c->nsoft,
         3 * (size_t)(c->nvert - c->nsoft) * sizeof *c->pose);
  int ncrossing = count_crossing(c, threads);
  c->is_start_free = ncrossing == 0;
  c->npushed = c->nrow = c->nheld = c->nrank1 = 0;
  if (!ncrossing)
    memcpy(c->x_free, c->x_trial, size_of(c));
  else if (!find_free(state, ncrossing))
    stand_down(state);
  if (moves || !c->is_start_free) make_room(state);
  state->info.seconds_contact += mi_clock() - start;
  if (c->is_start_free) return;
  mi_contacts_bound(state, c->x_from, state->solver->x);
  mi_contacts_accept(c);
}

bool mi_contacts_take(mien_state *state, const float *share) {
  mi_contacts *c = state->contacts;
  for (int i = 0; i < 3 * c->nsoft; i++) {
    size_t at = 3 * (size_t)c->flesh[i / 3] + (size_t)(i % 3);
    float off = share ? share[i / 3] * state->dynamics.offset[at] : 0;
    c->x_trial[i] = state->dynamics.posed[at] + off + c->shift[i];
  }
  memcpy(c->x_trial + 3 * (size_t)c->nsoft, c->pose + 3 * (size_t)c->nsoft,
         3 * (size_t)(c->nvert - c->nsoft) * sizeof *c->pose);
  int threads = state->host.threads;
  if (mi_contacts_cross(c, c->x_trial, threads, NULL)) return false;
  memcpy(c->x_free, c->x_trial, size_of(c));
  return true;
}
