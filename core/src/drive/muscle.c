// Muscles drive the neutral flesh: each tetrahedron wants the symmetric shape that the activations
// of its muscles give it, and hangs on skull and jaw (Dinev, eq. 4.2). Nothing of the artist's
// shapes moves flesh; eyes, teeth and skin without flesh follow them. A contraction that changes
// sets flesh in motion, as it does in life.
#include "drive/drive.h"

#include "drive/pose.h"
#include "energy/muscle.h"

#include <string.h>

typedef struct mi_muscle_drive {
  mi_arena arena; // it lies there itself
  mi_actuation actuation;
  unsigned char *is_flesh; // in some tetrahedron                                    (nvert)
  float *bones;            // flesh order                                            (nvert x 3)
  bool is_active;          // some tetrahedron has a target other than its rest shape
} mi_muscle_drive;

static void free_driven(void *driven) {
  mi_arena_delete(((mi_muscle_drive *)driven)->arena);
}

static mien_result prepare(mi_step_run *run) {
  mi_solver *solver = run->state->solver;
  const mien_face *face = run->state->face;
  if (solver->driven) return MIEN_OK;
  mi_arena arena;
  mi_arena_init(&arena, &solver->host);
  mi_muscle_drive *d = MI_PUSH(&arena, mi_muscle_drive, 1);
  if (!d) return mi_fail_memory(run->err);
  d->actuation.shape = MI_PUSH(&arena, float, 6 * (size_t)face->info.ntet);
  d->actuation.volume = MI_PUSH(&arena, float, face->info.ntet);
  d->is_flesh = MI_PUSH(&arena, unsigned char, face->info.nvert);
  d->bones = MI_PUSH(&arena, float, 3 * (size_t)face->info.nvert);
  d->arena = arena;
  if (!d->actuation.shape || !d->actuation.volume || !d->is_flesh || !d->bones) {
    free_driven(d);
    return mi_fail_memory(run->err);
  }
  for (int k = 0; k < 4 * face->info.ntet; k++) d->is_flesh[face->tets[k]] = 1;
  solver->driven = d;
  solver->actuation = &d->actuation;
  return MIEN_OK;
}

// The posed flesh is the neutral's, carried by the bones alone.
static void pose(mi_step_run *run) {
  mien_state *state = run->state;
  mi_muscle_drive *d = state->solver->driven;
  mi_input_bones(state, run->input, d->is_flesh, d->bones);
  memcpy(state->dynamics.posed, d->bones, 3 * (size_t)state->face->info.nvert * sizeof(float));
}

// True = muscles, fat or the jaw move flesh away from its posed place.
static bool forces(mi_step_run *run) {
  mien_state *state = run->state;
  mi_muscle_drive *d = state->solver->driven;
  int count = MI_ACTIVATION * state->face->muscles.count;
  bool is_jaw_moved =
      memcmp(d->bones, state->face->rest, 3 * (size_t)state->face->info.nvert * sizeof(float)) != 0;
  d->is_active = run->opts.fat != 1;
  for (int k = 0; k < count; k++) d->is_active |= state->activations[k] != 0;
  return d->is_active || is_jaw_moved;
}

static void rest(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  mi_muscle_drive *d = solver->driven;
  mi_muscle_actuate(state->face, state->activations, run->opts.fat, &d->actuation);
  if (d->is_active)
    mi_elastic_set_shapes(solver->elastic, d->actuation.shape, d->actuation.volume,
                          solver->host.threads);
  else
    mi_elastic_set_pose(solver->elastic, NULL, solver->host.threads);
}

const mi_drive mi_drive_muscle = {.name = "muscle",
                                  .needs_muscles = true,
                                  .holds_neutral = true,
                                  .prepare = prepare,
                                  .pose = pose,
                                  .forces = forces,
                                  .rest = rest,
                                  .free = free_driven};
