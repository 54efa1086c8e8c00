// Where the contact surface is.
#include "solve/contacts.h"

#include "math/frame.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

typedef struct build_ctx {
  const mien_face *face;
  mi_contacts *contacts;
  mi_arena *arena;
} build_ctx;

// -- Making ---------------------------------------------------------------------------------------

static bool reserve_rows(build_ctx *m) {
  mi_contacts *c = m->contacts;
  size_t nsoft = (size_t)c->nsoft, most = (size_t)c->most;
  c->first_kept = MI_PUSH(m->arena, int32_t, c->nvert);
  c->next_kept = MI_PUSH(m->arena, int32_t, 4 * most);
  c->nearest = MI_PUSH(m->arena, mi_nearest, most);
  c->row = MI_PUSH(m->arena, mi_row, most);
  c->rank1 = MI_PUSH(m->arena, mi_rank1, most);
  c->stretch = MI_PUSH(m->arena, double, most *MI_LBFGS_MOST);
  c->spring = MI_PUSH(m->arena, mi_lowrank, nsoft + most);
  c->spring_target = MI_PUSH(m->arena, float, 3 * nsoft);
  c->total = MI_PUSH(m->arena, float, 4 * (size_t)m->face->info.nvert);
  c->trial_total = MI_PUSH(m->arena, float, 4 * (size_t)m->face->info.nvert);
  c->x_from = MI_PUSH(m->arena, float, 4 * (size_t)m->face->info.nvert);
  return c->first_kept && c->next_kept && c->nearest && c->row && c->rank1 && c->stretch &&
         c->spring && c->spring_target && c->total && c->trial_total && c->x_from;
}

static bool reserve(build_ctx *m) {
  mi_contacts *c = m->contacts;
  size_t nvert = (size_t)c->nvert;
  float **positions[] = {&c->pulled,  &c->shift,    &c->x0,     &c->pose,        &c->x_free,
                         &c->x_trial, &c->x_target, &c->x_rows, &c->inset.normal};
  bool **flags[] = {&c->is_masked, &c->is_crossing, &c->is_sprung};
  int **counts[] = {&c->nhit, &c->npose_hit};
  bool has_room = true;
  c->most = 6 * c->nsoft + 1024;
  for (size_t k = 0; k < sizeof positions / sizeof *positions; k++)
    has_room &= (*positions[k] = MI_PUSH(m->arena, float, 3 * nvert)) != NULL;
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
    has_room &= (*flags[k] = MI_PUSH(m->arena, bool, nvert)) != NULL;
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    has_room &= (*counts[k] = MI_PUSH(m->arena, int, nvert)) != NULL;
  c->least = MI_PUSH(m->arena, float, nvert);
  c->deepest = MI_PUSH(m->arena, float, nvert);
  c->step = MI_PUSH(m->arena, float, m->face->skin.nvert);
  return has_room && c->least && c->deepest && c->step && reserve_rows(m);
}

// Takes over the data that the face has made for all of its states.
static void share(const mi_contact_surface *made, mi_contacts *c) {
  c->surface = made->mesh;
  c->inset = made->inset;
  c->nsoft = made->nsoft;
  c->nvert = made->nvert;
  c->soft = made->soft;
  c->flesh = made->flesh;
  c->rest = made->rest;
  c->ncomponent = made->ncomponent;
  c->component = made->component;
  c->strength = made->strength;
  c->along = made->along;
  c->partner = made->partner;
  c->slack = made->slack;
}

static bool make(build_ctx *m) {
  mi_contacts *c = m->contacts;
  share(&m->face->contact, c);
  if (!reserve(m)) return false;
  c->broad = mi_broad_create(c->surface, 0, m->arena);
  if (!c->broad || !mi_active_create(&c->active, c->most, m->arena) ||
      !mi_separator_create(&c->separator, c->surface, 4 * c->most, m->arena))
    return false;
  c->stride = 0.02 * (double)m->face->skin.size;
  c->separator.slack = c->slack;
  mi_broad_leave_out(c->broad, c->is_masked);
  return mi_limits_create(m->face, m->arena, &c->limits);
}

mien_result mi_contacts_create(const mien_face *face, mi_arena *arena, mi_contacts **out,
                               mien_error *err) {
  *out = MI_PUSH(arena, mi_contacts, 1);
  build_ctx m = {.face = face, .contacts = *out, .arena = arena};
  return *out && make(&m) ? MIEN_OK : mi_fail_memory(err);
}

// -- Where it is ----------------------------------------------------------------------------------

// Components that cross nothing as they are stay as they are; the others are pulled in. Returns how
// many pairs cross then.
static int find_shift(mi_contacts *c, const float *skin, int threads) {
  float *position = c->x_target;
  memset(c->shift, 0, 3 * (size_t)c->nvert * sizeof *c->shift);
  int ncrossing = mi_contacts_cross(c, skin, threads, c->npose_hit);
  if (!ncrossing || !c->inset.ninset) return ncrossing;
  mi_inset_shift(&c->inset, c->surface, skin, c->shift);
  for (int i = 0; i < 3 * c->nvert; i++) {
    if (!c->npose_hit[c->component[i / 3]]) c->shift[i] = 0;
    position[i] = skin[i] + c->shift[i];
  }
  return mi_contacts_cross(c, position, threads, c->npose_hit);
}

// The surface where the skin is at `position`, a pose. A pose that is asked for again, as that at
// the end of a substep is in the next, crosses as it did.
static void pull_in(mi_contacts *c, float *position, int threads) {
  size_t size = 3 * (size_t)c->nvert * sizeof *position;
  mi_contacts_mask(c, c->inset.is_masked);
  if (!c->is_pulled || memcmp(c->pulled, position, size) != 0) {
    memcpy(c->pulled, position, size);
    c->npose_crossing = find_shift(c, position, threads);
    c->is_pulled = true;
  }
  for (int i = 0; i < 3 * c->nvert; i++) position[i] += c->shift[i];
}

void mi_contacts_find_active(mi_contacts *c, const float *position, double reach, int threads) {
  mi_candidates close = mi_broad_find(c->broad, position, NULL, reach, threads);
  mi_active_find(&c->active, c->surface, &close, position, reach, threads);
}

// Where colliders of the face and the user's are to go, in the head's space.
static void place_colliders(const mien_state *state, const mien_input *input, float *to) {
  const mi_colliders *rigid = &state->face->colliders;
  for (int i = 0, end; i < rigid->nvert; i = end) {
    int user = rigid->user[i];
    for (end = i + 1; end < rigid->nvert && rigid->user[end] == user; end++) continue;
    if (user >= 0 && input->colliders)
      mi_frame_points(input->colliders + user, &input->head, end - i,
                      rigid->position + 3 * (size_t)i, to + 3 * (size_t)i);
    for (int k = i; k < end && user < 0; k++)
      memcpy(to + 3 * (size_t)k, state->dynamics.rig + 3 * (size_t)rigid->rig[k], 3 * sizeof *to);
  }
}

static void read_posed(const mien_state *state, float share, float *position) {
  const mi_contacts *c = state->contacts;
  for (int i = 0; i < 3 * c->nsoft; i++) {
    size_t at = 3 * (size_t)c->flesh[i / 3] + (size_t)(i % 3);
    position[i] = state->dynamics.posed[at] + share * state->dynamics.offset[at];
  }
}

void mi_contacts_remember(mien_state *state) {
  mi_contacts *c = state->contacts;
  const mi_dynamics *dynamics = &state->dynamics;
  size_t rigid = 3 * (size_t)c->nsoft;
  memcpy(c->pose + rigid, dynamics->obstacle,
         3 * (size_t)state->face->colliders.nvert * sizeof *c->pose);
  if (c->inset.ninset) { // else there is no shift, and what crossed then does not matter
    read_posed(state, 0, c->pose);
    pull_in(c, c->pose, state->host.threads);
  }
  read_posed(state, 1, c->x0);
  for (int i = 0; i < 3 * c->nsoft; i++) c->x0[i] += c->shift[i];
  memcpy(c->x0 + rigid, c->pose + rigid, 3 * (size_t)(c->nvert - c->nsoft) * sizeof *c->pose);
}

void mi_contacts_place(mien_state *state, const mien_input *input) {
  mi_contacts *c = state->contacts;
  int threads = state->host.threads;
  double start = mi_clock();
  // a collider that the input does not name stays
  memcpy(c->pose + 3 * (size_t)c->nsoft, state->dynamics.obstacle,
         3 * (size_t)state->face->colliders.nvert * sizeof *c->pose);
  place_colliders(state, input, c->pose + 3 * (size_t)c->nsoft);
  read_posed(state, 0, c->pose);
  pull_in(c, c->pose, threads);
  state->info.seconds_contact += mi_clock() - start;
}

void mi_contacts_read(const mien_state *state, const float *x, float *position) {
  const mi_contacts *c = state->contacts;
  const int32_t *place = state->solver->iperm;
  for (int i = 0; i < 3 * c->nsoft; i++)
    position[i] = x[4 * (size_t)place[c->flesh[i / 3]] + (size_t)(i % 3)] + c->shift[i];
}
