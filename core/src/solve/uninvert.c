#include "solve/uninvert.h"

#include "mesh/untangle_patch.h"

#include <string.h>

enum { SWEEPS = 24 };
static const float TOO_LITTLE = 0.005f; // of a tetrahedron's volume at rest
static const double ENOUGH = 0.03;
// Looks at single tetrahedra, about 0.1 us each. A pose is what the artist made and is worth them,
// unless a step has so little time that whole frames would be late. So are the last few that keep
// flesh from coming back; more than a few are there for one frame of violent motion.
enum {
  NO_LIMIT = 0,
  OVER_BUDGET_EFFORT = 16000,
  MOST_RESUMED = 16,
  MOTION_EFFORT = 8000,
  FEW = 32
};

// The pose that was uninverted last, and how.
typedef struct uninverted {
  bool is_any;
  bool is_cut;     // there was no time for all of it
  bool is_resumed; // it began where one that was cut had ended
  int nresumed;    // times that this went on with one and the same pose
  float *from;     // m, before                                                        (nvert x 3)
  int nbad, ninverted, nfree;
  int32_t *vert; // that were free                                                  (most_free)
  float *to;     // m, where they went                                              (most_free x 3)
} uninverted;

struct mi_mender {
  mi_patch patch;
  int most_tet;
  int32_t *bad, *next; // tetrahedra whose motion is shared, and those after them       (most_tet)
  uint8_t *is_seen;    //                                                               (ntet)
  uninverted pose;
};

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

// -- the pose -------------------------------------------------------------------------------------

static mi_untangle load(const mien_state *state, const float *flesh) {
  mi_untangle u = mi_patch_load(&state->mender->patch, flesh);
  u.enough = ENOUGH;
  u.rounds = 12;
  u.steps = 20;
  u.threads = state->host.threads;
  return u;
}

// Turns the inside of flesh back where it is inverted; state->volume is that before and after.
// (With the bad ones' own vertices alone, a third of the patch, it is faster and ends in shapes
// in which motion would lock.)
void mi_uninvert_inside(mien_state *state, float *flesh, int effort) {
  mi_patch *p = &state->mender->patch;
  if (mi_patch_open(p, state->volume, TOO_LITTLE)) {
    mi_untangle u = load(state, flesh);
    u.effort = effort;
    mi_patch_solve(p, &u, flesh, state->volume);
  }
  mi_patch_close(p);
}

// On from where uninverting the last pose was cut; false when that is no better place than the
// pose.
static bool resume(const mi_patch *p, const uninverted *last, mi_untangle *u) {
  double least, other;
  int nbad;
  mi_untangle_measure(u, &least, &nbad);
  for (int v = 0; v < last->nfree; v++) {
    size_t from = 3 * (size_t)last->vert[v];
    int own = p->local[last->vert[v]];
    for (size_t k = 0; k < 3 && own >= 0 && own < p->nfree; k++)
      u->x[3 * (size_t)own + k] +=
          (double)last->to[3 * (size_t)v + k] - (double)last->from[from + k];
  }
  mi_untangle_measure(u, &other, &nbad);
  return other > least;
}

// The patch is open. Fills all of `pose` but the counts.
static void uninvert_patch(mien_state *state, uninverted *pose, bool was_cut, float *posed,
                           double deadline) {
  const mi_patch *p = &state->mender->patch;
  size_t size = 3 * (size_t)state->face->info.nvert * sizeof *posed;
  mi_untangle u = load(state, posed);
  pose->is_resumed = was_cut && deadline > 0 && resume(p, pose, &u);
  if (!pose->is_resumed) u = load(state, posed);
  pose->nresumed = pose->is_resumed && !memcmp(pose->from, posed, size) ? pose->nresumed + 1 : 0;
  memcpy(pose->from, posed, size);
  u.effort = deadline > 0 ? OVER_BUDGET_EFFORT : NO_LIMIT;
  u.deadline = deadline;
  bool is_done = mi_patch_solve(p, &u, posed, state->volume);
  pose->is_cut = !is_done && pose->nresumed < MOST_RESUMED;
  pose->nfree = p->nfree;
  memcpy(pose->vert, p->vert, (size_t)p->nfree * sizeof *pose->vert);
  for (int v = 0; v < p->nfree; v++)
    memcpy(pose->to + 3 * (size_t)v, posed + 3 * (size_t)pose->vert[v], 3 * sizeof *posed);
}

static void uninvert_new_pose(mien_state *state, float *posed, double deadline) {
  mi_patch *p = &state->mender->patch;
  uninverted *pose = &state->mender->pose;
  mi_state_measure(state, posed);
  bool was_cut = pose->is_any && pose->is_cut;
  pose->is_any = mi_patch_open(p, state->volume, TOO_LITTLE);
  pose->nbad = p->nbad;
  if (pose->is_any) uninvert_patch(state, pose, was_cut, posed, deadline);
  mi_patch_close(p);
  pose->ninverted = 0;
  for (int t = 0; t < state->face->info.ntet && pose->nbad; t++)
    pose->ninverted += !(state->volume[t] > 0);
}

// A pose that is held was uninverted already. One that took more than a step's time is not what it
// would be without a limit: that is for steps with one alone.
static bool is_uninverted(const mien_state *state, const float *posed, double deadline) {
  const uninverted *pose = &state->mender->pose;
  bool is_done = pose->is_any && !pose->is_cut && (!pose->is_resumed || deadline > 0);
  size_t size = 3 * (size_t)state->face->info.nvert * sizeof *posed;
  return is_done && !memcmp(pose->from, posed, size);
}

void mi_uninvert_pose(mien_state *state, float *posed, double deadline) {
  const uninverted *pose = &state->mender->pose;
  if (!state->face->blendvolumes.nshape) return;
  if (!is_uninverted(state, posed, deadline))
    uninvert_new_pose(state, posed, deadline);
  else
    for (int v = 0; v < pose->nfree; v++)
      memcpy(posed + 3 * (size_t)pose->vert[v], pose->to + 3 * (size_t)v, 3 * sizeof *posed);
  state->info.nposed_mended = pose->nbad;
  state->info.nposed_inverted = pose->ninverted;
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
