// The posed flesh without inverted tetrahedra (solve/uninvert.h). A pose that is held is found
// once; one that has too little time goes on in the next step.
#include "solve/uninvert.h"

#include <string.h>

// Looks at single tetrahedra, about 0.1 us each. A pose is what the artist made and is worth any
// number, unless a step has so little time that whole frames would be late.
enum { NO_LIMIT = 0, OVER_BUDGET_EFFORT = 16000, MOST_RESUMED = 16 };

// On from where uninverting the last pose was cut; false when that is no better place than the
// pose.
static bool resume(const mi_patch *p, const mi_uninverted_pose *last, mi_untangle *u) {
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
static void uninvert_patch(mien_state *state, mi_uninverted_pose *pose, bool was_cut, float *posed,
                           double deadline) {
  const mi_patch *p = &state->mender->patch;
  size_t size = 3 * (size_t)state->face->info.nvert * sizeof *posed;
  mi_untangle u = mi_uninvert_load(state, posed);
  pose->is_resumed = was_cut && deadline > 0 && resume(p, pose, &u);
  if (!pose->is_resumed) u = mi_uninvert_load(state, posed);
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
  mi_uninverted_pose *pose = &state->mender->pose;
  mi_state_measure(state, posed);
  bool was_cut = pose->is_any && pose->is_cut;
  pose->is_any = mi_patch_open(p, state->volume, MI_UNINVERT_VOLUME);
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
  const mi_uninverted_pose *pose = &state->mender->pose;
  bool is_done = pose->is_any && !pose->is_cut && (!pose->is_resumed || deadline > 0);
  size_t size = 3 * (size_t)state->face->info.nvert * sizeof *posed;
  return is_done && !memcmp(pose->from, posed, size);
}

void mi_uninvert_pose(mien_state *state, float *posed, double deadline) {
  const mi_uninverted_pose *pose = &state->mender->pose;
  if (!state->face->blendvolumes.nshape) return;
  if (!is_uninverted(state, posed, deadline))
    uninvert_new_pose(state, posed, deadline);
  else
    for (int v = 0; v < pose->nfree; v++)
      memcpy(posed + 3 * (size_t)pose->vert[v], pose->to + 3 * (size_t)v, 3 * sizeof *posed);
  state->info.nposed_mended = pose->nbad;
  state->info.nposed_inverted = pose->ninverted;
}
