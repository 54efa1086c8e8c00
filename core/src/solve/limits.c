#include "solve/limits.h"

#include "math/vec.h"
#include "solve/contacts.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { CHUNK = 1024, ROUNDS = 4 };

bool mi_limits_create(const mien_face *face, mi_arena *arena, mi_limits_side *out) {
  out->at_rest = &face->limits;
  int nskin = face->skin.nvert;
  out->limit = MI_PUSH(arena, mi_posed_limit, out->at_rest->first[nskin]);
  out->least = MI_PUSH(arena, float, face->info.nvert);
  out->push = MI_PUSH(arena, float, 3 * (size_t)nskin);
  return out->limit && out->least && out->push;
}

// -- In a pose ------------------------------------------------------------------------------------

typedef struct placing {
  mien_state *state;
  float turn[9]; // of the jaw, since the neutral
} placing;

static void axes_of(const float *position, const int32_t frame[3], mi_vec3 axis[3]) {
  mi_vec3 a = mi_vec3_load(position + 3 * (size_t)frame[0]);
  mi_vec3 b = mi_sub(mi_vec3_load(position + 3 * (size_t)frame[1]), a);
  axis[0] = mi_unit(b);
  axis[2] = mi_unit(mi_cross(b, mi_sub(mi_vec3_load(position + 3 * (size_t)frame[2]), a)));
  axis[1] = mi_cross(axis[2], axis[0]);
}

static void find_turn(const mien_state *state, float turn[9]) {
  const int32_t *frame = state->contacts->limits.at_rest->frame;
  mi_vec3 from[3], to[3];
  if (frame[0] < 0) return;
  axes_of(state->face->rig->positions, frame, from);
  axes_of(state->dynamics.rig, frame, to);
  memset(turn, 0, 9 * sizeof *turn);
  for (int k = 0; k < 3; k++) {
    const double f[3] = {from[k].x, from[k].y, from[k].z}, t[3] = {to[k].x, to[k].y, to[k].z};
    for (int i = 0; i < 9; i++) turn[i] += (float)(t[i / 3] * f[i % 3]);
  }
}

static mi_posed_limit pose_limit(const placing *p, const mi_limit *limit, const float *pose) {
  mi_posed_limit posed = {.room = 0};
  float height = limit->height;
  memcpy(posed.normal, limit->normal, sizeof posed.normal);
  if (limit->on >= 0) {
    const float *n = limit->normal, *on = p->state->dynamics.rig + 3 * (size_t)limit->on;
    height = limit->keep;
    for (int i = 0; i < 3; i++) {
      const float *row = p->turn + 3 * i;
      posed.normal[i] = row[0] * n[0] + row[1] * n[1] + row[2] * n[2];
      height += posed.normal[i] * on[i];
    }
  }
  for (int i = 0; i < 3; i++) posed.room += posed.normal[i] * pose[i];
  posed.room = fmaxf(0, posed.room - height);
  return posed;
}

// What can touch is where contact has it, and goes no farther beyond.
static void let_be(const placing *p, int vert, mi_posed_limit *limit) {
  const mi_solver *solver = p->state->solver;
  const float *x = solver->x + 4 * (size_t)solver->iperm[vert], *n = limit->normal;
  const float *pose = solver->posed + 4 * (size_t)solver->iperm[vert];
  float off = n[0] * (x[0] - pose[0]) + n[1] * (x[1] - pose[1]) + n[2] * (x[2] - pose[2]);
  limit->room = fmaxf(limit->room, -off);
}

static void place_range(void *task, int begin, int end) {
  const placing *p = task;
  mi_limits_side *l = &p->state->contacts->limits;
  for (int i = begin; i < end; i++) {
    float least = INFINITY;
    for (int k = l->at_rest->first[i]; k < l->at_rest->first[i + 1]; k++) {
      l->limit[k] = pose_limit(p, l->at_rest->limit + k, p->state->dynamics.posed + 3 * (size_t)i);
      if (p->state->contacts->soft[i] >= 0) let_be(p, i, l->limit + k);
      least = fminf(least, l->limit[k].room);
    }
    l->least[p->state->solver->iperm[i]] = least;
  }
}

void mi_limits_place(mien_state *state) {
  placing p = {.state = state};
  find_turn(state, p.turn);
  for (int i = state->face->skin.nvert; i < state->face->info.nvert; i++)
    state->contacts->limits.least[state->solver->iperm[i]] = INFINITY;
  mi_parallel(state->host.threads, state->face->skin.nvert, CHUNK, place_range, &p);
}

// -- Keeping to them ------------------------------------------------------------------------------

typedef struct keeping {
  const mien_state *state;
  float *x;
  atomic_int nkept;
} keeping;

static float over(const mi_posed_limit *limit, const float off[3]) {
  const float *n = limit->normal;
  return limit->room + (n[0] * off[0] + n[1] * off[1] + n[2] * off[2]);
}

// Out of one plane after the other; what is in a corner then goes back towards the pose, which is
// beyond none.
static void put_back(const mi_posed_limit *limit, int count, float off[3]) {
  for (int round = 0; round < ROUNDS; round++) {
    bool is_kept = true;
    for (int k = 0; k < count; k++) {
      float above = over(limit + k, off);
      if (!(above < 0)) continue;
      for (int c = 0; c < 3; c++) off[c] -= above * limit[k].normal[c];
      is_kept = false;
    }
    if (is_kept) return;
  }
  float share = 1;
  for (int k = 0; k < count; k++) {
    float above = over(limit + k, off);
    if (above < 0) share = fminf(share, limit[k].room / (limit[k].room - above));
  }
  for (int c = 0; c < 3; c++) off[c] *= share;
}

// The skin vertex at this place of x, out of the planes it went beyond.
static int keep_vertex(const keeping *k, int place) {
  const mi_limits_side *l = &k->state->contacts->limits;
  int vert = k->state->solver->perm[place], first = l->at_rest->first[vert];
  float *x = k->x + 4 * (size_t)place, *push = l->push + 3 * (size_t)vert, to[3];
  const float *pose = k->state->solver->posed + 4 * (size_t)place;
  for (int c = 0; c < 3; c++) to[c] = x[c] - pose[c], push[c] = -to[c];
  put_back(l->limit + first, l->at_rest->first[vert + 1] - first, to);
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
