// Flesh that nothing but contact has moved, let go.
//
// Where the artist's pose crosses nothing it is the result (claim K1). Lips that were held apart
// have to get back to it, and how long springs and friction take for that hangs on how they were
// pressed, down to rounding. So it is not left to them alone: from the moment the pose is free what
// contact has done fades, in a straight line on top of the flesh's own motion, and is gone after
// RELEASE. Nothing has to converge, and nothing jumps.
//
// That holds for contact only. Flesh that the head, wind, gravity or a pose that is not rebalanced
// has stirred swings as it does without contact until it rests on its pose.
#include "solve/contacts.h"
#include "solve/step.h"

#include <math.h>
#include <string.h>

static const double RELEASE = 0.08; // s, of the animation

static bool is_pushed(const mien_state *state) {
  for (int i = 0; i < 3 * state->face->info.nvert; i++)
    if (state->push[i] != 0) return true;
  return false;
}

void mi_release_watch(const mi_step_run *run, const mien_rigid *head, bool is_still) {
  mi_moving *moving = &run->state->moving;
  mien_rigid felt;
  mi_frame_soften(head, &moving->head, run->opts.head_translation, run->opts.head_rotation, &felt);
  bool is_stirred = run->is_forced || run->opts.rebalance < 1 ||
                    !mi_frame_is_same(&felt, &moving->head) || is_pushed(run->state);
  moving->is_stirred = !is_still && (moving->is_stirred || is_stirred);
}

// Towards the pose, unless that would cross on the way.
static void fade(const mi_step_run *run, float share) {
  mien_state *state = run->state;
  mi_moving *moving = &state->moving;
  int count = 3 * state->face->info.nvert;
  if (!mi_contacts_take(state, share, run->reach)) return;
  for (int i = 0; i < count; i++) {
    moving->offset[i] *= share;
    moving->velocity[i] *= share;
  }
}

void mi_release(const mi_step_run *run) {
  mi_moving *moving = &run->state->moving;
  double dt = run->opts.dt / run->opts.time_scale, left = RELEASE - moving->free_for;
  bool is_held = moving->is_stirred || !run->touches ||
                 mi_contacts_has_springs(run->state, run->input, &run->opts) ||
                 !mi_contacts_is_pose_free(run->state);
  if (is_held) {
    moving->free_for = 0;
    return;
  }
  moving->free_for = fmin(RELEASE, moving->free_for + dt);
  if (left > 1.001 * dt)
    fade(run, (float)(1 - dt / left));
  else if (mi_contacts_take(run->state, 0, run->reach))
    mi_integrate_forget(run->state);
}
