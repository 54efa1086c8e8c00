#include "solve/limits.h"

#include "solve/contacts.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { CHUNK = 1024 };

bool mi_limits_create(const mien_face *face, mi_arena *arena, mi_limits_side *out) {
  out->at_rest = &face->limits;
  int nskin = face->skin.nvert;
  return MI_RESERVE(arena, MI_ROOM(out->limit, out->at_rest->first[nskin]),
                    MI_ROOM(out->is_placed, nskin), MI_ROOM(out->least, face->info.nvert),
                    MI_ROOM(out->push, 3 * (size_t)nskin));
}

// -- In a pose ------------------------------------------------------------------------------------

// Skin that can touch stays where contact has it, and goes no farther beyond.
static void let_be(const mien_state *state, int vert, mi_posed_limit *limit) {
  const mi_solver *solver = state->solver;
  const float *x = solver->x + 4 * (size_t)solver->iperm[vert], *n = limit->normal;
  const float *pose = solver->posed + 4 * (size_t)solver->iperm[vert];
  float off = n[0] * (x[0] - pose[0]) + n[1] * (x[1] - pose[1]) + n[2] * (x[2] - pose[2]);
  if (limit->room < -off) limit->room = -off;
}

static void place_vertex(mien_state *state, int vert) {
  mi_limits_side *l = &state->contacts->limits;
  float least = INFINITY;
  for (int k = l->at_rest->first[vert]; k < l->at_rest->first[vert + 1]; k++) {
    l->limit[k] = mi_limit_in_pose(l->at_rest->limit + k, l->turn, state->dynamics.rig,
                                   state->dynamics.posed + 3 * (size_t)vert);
    if (state->contacts->soft[vert] >= 0) let_be(state, vert, l->limit + k);
    if (l->limit[k].room < least) least = l->limit[k].room;
  }
  l->least[state->solver->iperm[vert]] = least;
  l->is_placed[vert] = true;
}

// A vertex has many planes and is seldom near one of them: they are placed when it leaves the room
// that it is sure to have. Limits of skin that can touch hang on where it sets out.
static void place_range(void *task, int begin, int end) {
  mien_state *state = task;
  mi_limits_side *l = &state->contacts->limits;
  const float *posed = state->dynamics.posed, *rest = state->face->rest;
  for (int i = begin; i < end; i++) {
    float room = l->at_rest->room[i];
    if (state->contacts->soft[i] >= 0 || room == 0) {
      place_vertex(state, i);
      continue;
    }
    float off[3], far = 0;
    for (int k = 0; k < 3; k++) off[k] = posed[3 * i + k] - rest[3 * i + k];
    for (int k = 0; k < 3; k++) far += off[k] * off[k];
    room -= sqrtf(far);
    l->least[state->solver->iperm[i]] = room > 0 ? room : 0;
    l->is_placed[i] = false;
  }
}

void mi_limits_place(mien_state *state) {
  mi_limits_side *l = &state->contacts->limits;
  mi_limits_find_turn(l->at_rest, state->face->rig->positions, state->dynamics.rig, l->turn);
  for (int i = state->face->skin.nvert; i < state->face->info.nvert; i++)
    l->least[state->solver->iperm[i]] = INFINITY;
  mi_parallel(state->host.threads, state->face->skin.nvert, CHUNK, place_range, state);
}

// -- Keeping to them ------------------------------------------------------------------------------

typedef struct keeping {
  mien_state *state;
  float *x;
  atomic_int nkept;
} keeping;

// The skin vertex at this place of x, out of the planes it went beyond.
static int keep_vertex(const keeping *k, int place) {
  const mi_limits_side *l = &k->state->contacts->limits;
  int vert = k->state->solver->perm[place], first = l->at_rest->first[vert];
  float *x = k->x + 4 * (size_t)place, *push = l->push + 3 * (size_t)vert, to[3];
  const float *pose = k->state->solver->posed + 4 * (size_t)place;
  if (!l->is_placed[vert]) place_vertex(k->state, vert);
  for (int c = 0; c < 3; c++) to[c] = x[c] - pose[c], push[c] = -to[c];
  mi_limits_put_back(l->limit + first, l->at_rest->first[vert + 1] - first, to);
  for (int c = 0; c < 3; c++) {
    push[c] += to[c];
    if (push[c] != 0) x[c] = pose[c] + to[c];
  }
  return push[0] != 0 || push[1] != 0 || push[2] != 0;
}

static void keep_range(void *task, int begin, int end) {
  keeping *k = task;
  int nkept = 0;
  const float *x = k->x, *pose = k->state->solver->posed;
  const float *least = k->state->contacts->limits.least;
  for (int i = begin; i < end; i++) {
    const float *at = x + 4 * (size_t)i, *from = pose + 4 * (size_t)i;
    float a = at[0] - from[0], b = at[1] - from[1], c = at[2] - from[2];
    if (!(a * a + b * b + c * c <= least[i] * least[i])) nkept += keep_vertex(k, i);
  }
  atomic_fetch_add(&k->nkept, nkept);
}

int mi_limits_keep(mien_state *state, float *x) {
  const mien_face *face = state->face;
  const float *push = state->contacts->limits.push;
  keeping k = {.state = state, .x = x};
  memset(state->contacts->limits.push, 0, 3 * (size_t)face->skin.nvert * sizeof *push);
  mi_parallel(state->host.threads, face->info.nvert, CHUNK, keep_range, &k);
  int nkept = atomic_load(&k.nkept);
  for (int i = face->skin.nvert; nkept && i < face->info.nvert; i++)
    for (int c = 0; c < 3; c++)
      x[4 * (size_t)state->solver->iperm[i] + (size_t)c] += 0.5f * push[3 * face->carrier[i] + c];
  return nkept;
}
