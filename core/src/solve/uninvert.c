#include "solve/uninvert.h"

enum { SWEEPS = 24 };
static const double ENOUGH = 0.03;
// Looks at single tetrahedra, about 0.1 us each. The last few that keep flesh from coming back are
// worth any number; more than a few are there for one frame of violent motion.
enum { NO_LIMIT = 0, MOTION_EFFORT = 8000, FEW = 32 };

struct mi_mender *mi_mender_create(const mien_face *face, mi_arena *arena) {
  struct mi_mender *m = MI_PUSH(arena, struct mi_mender, 1);
  if (!m) return NULL;
  mi_patch_mesh mesh = {.nvert = face->info.nvert,
                        .ntet = face->info.ntet,
                        .nheld = face->skin.nvert,
                        .tets = face->tets,
                        .rest = face->rest,
                        .rest_volume = face->volume,
                        .vertex_tet_first = face->vertex_tet_first,
                        .vertex_tet = face->vertex_tet};
  if (!mi_patch_reserve(&mesh, arena, &m->patch)) return NULL;
  m->most_tet = m->patch.most_tet;
  bool done = MI_RESERVE(arena, MI_ROOM(m->bad, m->most_tet), MI_ROOM(m->next, m->most_tet),
                         MI_ROOM(m->is_seen, face->info.ntet),
                         MI_ROOM(m->pose.from, 3 * (size_t)face->info.nvert),
                         MI_ROOM(m->pose.vert, m->patch.most_free),
                         MI_ROOM(m->pose.to, 3 * (size_t)m->patch.most_free));
  return done ? m : NULL;
}

mi_untangle mi_uninvert_load(const mien_state *state, const float *flesh) {
  mi_untangle u = mi_patch_load(&state->mender->patch, flesh);
  u.enough = ENOUGH;
  u.rounds = 12;
  u.steps = 20;
  u.threads = state->host.threads;
  return u;
}

// With the bad ones' own vertices alone, a third of the patch, it is faster and ends in shapes
// in which motion would lock.
void mi_uninvert_inside(mien_state *state, float *flesh, int effort) {
  mi_patch *p = &state->mender->patch;
  if (mi_patch_open(p, state->volume, MI_UNINVERT_VOLUME)) {
    mi_untangle u = mi_uninvert_load(state, flesh);
    u.effort = effort;
    mi_patch_solve(p, &u, flesh, state->volume);
  }
  mi_patch_close(p);
}

// -- motion ---------------------------------------------------------------------------------------

void mi_uninvert_share(const int32_t tet[4], const float weight[4], const bool *is_held,
                       float share, const float *from, float *at) {
  for (size_t k = 0; k < 3; k++) {
    float sum = 0, all = 0, offset[4];
    for (int c = 0; c < 4; c++) {
      size_t i = 3 * (size_t)tet[c] + k;
      offset[c] = from ? at[i] - from[i] : at[i];
      sum += weight[c] * offset[c];
      all += weight[c];
    }
    for (int c = 0; c < 4; c++)
      if (!is_held || !is_held[c]) at[3 * (size_t)tet[c] + k] += share * (sum / all - offset[c]);
  }
}

// Its corners go on more nearly together, as after a collision that takes energy and no momentum.
// (The velocity of the way they are put back by would be as large as substeps are short.)
static void share_motion(mien_state *state, int t, float share) {
  const mien_face *face = state->face;
  mi_dynamics *dynamics = &state->dynamics;
  const int32_t *tet = face->tets + 4 * (size_t)t;
  float mass[4];
  for (int c = 0; c < 4; c++) mass[c] = face->mass[tet[c]];
  mi_uninvert_share(tet, mass, NULL, share, NULL, dynamics->offset);
  mi_uninvert_share(tet, mass, NULL, share, NULL, dynamics->velocity);
  for (int i = 0; i < 12; i++) {
    size_t at = 3 * (size_t)tet[i / 3] + (size_t)(i % 3);
    state->flesh[at] = dynamics->posed[at] + dynamics->offset[at];
  }
}

mi_uninvert_list mi_uninvert_list_inverted(mien_state *state) {
  struct mi_mender *m = state->mender;
  mi_uninvert_list list = {m->bad, 0};
  for (int t = 0; t < state->face->info.ntet && list.count < m->most_tet; t++)
    if (!(state->volume[t] > 0)) m->bad[list.count++] = t;
  return list;
}

mi_uninvert_list mi_uninvert_list_around(mien_state *state, const float *flesh, float share,
                                         mi_uninvert_list list) {
  struct mi_mender *m = state->mender;
  mi_uninvert_list found = {.tet = list.tet == m->bad ? m->next : m->bad};
  found.count = mi_patch_list_around(&m->patch.mesh, flesh, share, list.tet, list.count, m->is_seen,
                                     state->volume, found.tet, m->most_tet);
  return found;
}

// Sweep after sweep over what is inverted, until nothing is.
static void share_motions(mien_state *state) {
  mi_uninvert_list list = mi_uninvert_list_inverted(state);
  for (int sweep = 0; list.count && sweep < SWEEPS; sweep++) {
    for (int k = 0; k < list.count; k++)
      share_motion(state, list.tet[k], sweep < SWEEPS / 2 ? 0.5f : 1);
    list = mi_uninvert_list_around(state, state->flesh, 0, list);
  }
}

void mi_uninvert_motion(mien_state *state, bool skin_too, bool is_sound) {
  const mien_face *face = state->face;
  mi_dynamics *dynamics = &state->dynamics;
  int count = 3 * face->info.nvert;
  for (int i = 0; i < count; i++) state->flesh[i] = dynamics->posed[i] + dynamics->offset[i];
  state->is_sound = is_sound;
  int ninverted = is_sound ? 0 : mi_state_measure(state, state->flesh);
  state->info.nmended = ninverted;
  if (!ninverted) return;
  mi_uninvert_inside(state, state->flesh, ninverted > FEW ? MOTION_EFFORT : NO_LIMIT);
  for (int i = 3 * face->skin.nvert; i < count; i++) {
    if (state->flesh[i] == dynamics->posed[i] + dynamics->offset[i]) continue;
    dynamics->offset[i] = state->flesh[i] - dynamics->posed[i];
    state->flesh[i] = dynamics->posed[i] + dynamics->offset[i];
  }
  if (skin_too) share_motions(state);
}
