// Flesh comes to rest on its pose exactly, or where it is pressed.
//
// Where the artist's pose crosses nothing it is the result (claim K1). Lips that were held apart
// have to get back to it, and how long springs and friction take for that hangs on how they were
// pressed, down to rounding. So it is not left to them alone: from the moment the pose of a
// component (lips, a pair of lids) is free what contact has done to it fades, in a straight line on
// top of the flesh's own motion, and is gone after RELEASE. Nothing has to converge, and nothing
// jumps. That holds for contact only: flesh disturbed by the head, wind, gravity or a pose that is
// not rebalanced swings as it does without contact until it is back on its pose to less than anyone
// can see.
#include "math/vec.h"
#include "solve/contacts.h"
#include "solve/step.h"

#include <math.h>
#include <string.h>

static const double RELEASE = 0.08; // s, of the animation
// s: flesh that nothing but contact presses, and whose pose is held for so long, rests.
static const double HELD = 0.05;
// s: and so long where tetrahedra stay inverted, as another try would find no better place.
static const double GIVEN_UP = 0.1;
// Shares of the face's size: what is invisible in a frame; what is as good as nothing far from what
// is pressed; what pressed flesh would creep by in a substep, were it not for friction, and what
// swings by less in a FRAME has come to rest; what a collider that was slowed down on its way may
// be off where it arrives.
static const float SEEN = 5e-5f, LITTLE = 4e-4f, CREEP = 7e-4f, ROUNDING = 1e-6f;
static const double FRAME = 1.0 / 60; // s

void mi_snap_watch(const mi_step_run *run, const mien_rigid *head, bool is_still) {
  mi_dynamics *dynamics = &run->state->dynamics;
  mien_rigid felt;
  mi_frame_attenuate(head, &dynamics->head, run->opts.head_translation, run->opts.head_rotation,
                     &felt);
  bool is_disturbed = run->opts.rebalance < 1 || !mi_frame_is_same(&felt, &dynamics->head) ||
                      !mi_is_zero(run->state->accel, 3 * run->state->face->info.nvert);
  // forces set out from flesh that is still on its pose
  dynamics->is_disturbed =
      run->is_forced || (!is_still && (dynamics->is_disturbed || is_disturbed));
}

// -- Pressed flesh --------------------------------------------------------------------------------

// Did head, pose and colliders leave the flesh where it was when the substep began?
static bool is_left_alone(const mien_state *state) {
  const mi_contacts *c = state->contacts;
  float rounding = ROUNDING * state->face->skin.size;
  for (int i = 3 * c->nsoft; i < 3 * c->nvert; i++)
    if (!(fabsf(c->x0[i] - c->pose[i]) <= rounding)) return false;
  for (int i = 0; i < 3 * state->face->info.nvert; i++)
    if (state->dynamics.posed[i] + state->transported[i] != state->flesh[i]) return false;
  return true;
}

// Does contact keep this vertex off its pose?
static bool is_held(const mien_state *state, bool is_stuck, int vert) {
  const mi_contacts *c = state->contacts;
  int soft = c->soft[state->face->carrier[vert]];
  return soft >= 0 && (is_stuck || c->npose_hit[c->component[soft]] > 0);
}

// Did skin that contact holds (or the rest) move by less than `near` in this substep?
static bool is_slow(const mien_state *state, bool is_pressed, float near) {
  const mi_solver *solver = state->solver;
  for (int i = 0; i < 3 * state->face->skin.nvert; i++) {
    float at = solver->x[4 * (size_t)solver->iperm[i / 3] + (size_t)(i % 3)];
    if (is_held(state, false, i / 3) == is_pressed && !(fabsf(at - state->flesh[i]) < near))
      return false;
  }
  return true;
}

// Has it been left alone for so long that it rests?
static bool has_settled(mien_state *state) {
  const mi_dynamics *dynamics = &state->dynamics;
  if (dynamics->held_for < HELD || dynamics->is_disturbed) return false;
  return dynamics->held_for >= GIVEN_UP || !mi_state_measure(state, state->flesh);
}

void mi_snap_fall_asleep(mi_step_run *run) {
  mien_state *state = run->state;
  mi_dynamics *dynamics = &state->dynamics;
  // flesh goes back to a free pose and does not sleep beside it
  bool rests = mi_minimise_is_pressed(run) && state->contacts->npose_crossing &&
               run->opts.friction > 0 && is_left_alone(state);
  float creep = CREEP * state->face->skin.size;
  bool is_calm = rests && is_slow(state, false, creep * (float)fmin(1, run->opts.dt / FRAME));
  rests &= is_calm || !dynamics->is_disturbed;
  dynamics->held_for = rests ? fmin(GIVEN_UP, dynamics->held_for + run->opts.dt) : 0;
  // disturbed flesh is slow wherever it turns back: it has to be so for a while
  bool has_calmed = is_calm && (!dynamics->is_disturbed || dynamics->held_for >= HELD);
  run->is_asleep = rests && ((has_calmed && is_slow(state, true, creep)) || has_settled(state));
}

// -- Back on the pose -----------------------------------------------------------------------------

// Flesh snaps to the pose when its offset and its motion in a frame are both too small to see: the
// tail of a motion would otherwise be simulated for ever. Only the skin counts, because thin
// tetrahedra below it are slow.
static bool is_back(const mi_step_run *run) {
  const mien_state *state = run->state;
  const mi_dynamics *dynamics = &state->dynamics;
  float seen = SEEN * state->face->skin.size, frame = fmaxf((float)run->opts.dt, 1.0f / 24);
  for (int i = 0; i < 3 * state->face->info.nvert; i++) {
    float near = i < 3 * state->face->skin.nvert ? seen : 10 * seen;
    if (!(fabsf(dynamics->offset[i]) < near && fabsf(frame * dynamics->velocity[i]) < seen &&
          state->accel[i] == 0))
      return false;
  }
  return true;
}

// The flesh snaps where nothing holds it off its pose, and contact takes the pose.
static void snap_whole(const mi_step_run *run) {
  if (!is_back(run) || run->is_forced) return;
  if (run->touches && (mi_contacts_has_springs(run->state, run->input, &run->opts) ||
                       !mi_contacts_take(run->state, NULL)))
    return;
  mi_integrate_forget(run->state);
}

// Gives tetrahedra that snapping has inverted their offsets back.
static void unsnap_inverted(mien_state *state, const float *before) {
  enum { ROUNDS = 3 };
  const mien_face *face = state->face;
  mi_dynamics *dynamics = &state->dynamics;
  float *flesh = state->work[1];
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < 3 * face->info.nvert; i++)
      flesh[i] = dynamics->posed[i] + dynamics->offset[i];
    if (!mi_state_measure(state, flesh)) return;
    for (int t = 0; t < face->info.ntet; t++)
      for (int c = 0; c < 4 && !(state->volume[t] > 0); c++) {
        size_t at = 3 * (size_t)face->tets[4 * (size_t)t + (size_t)c];
        memcpy(dynamics->offset + at, before + at, 3 * sizeof *dynamics->offset);
      }
  }
}

// Does the surface cross nothing with the offsets of now?
static bool is_free(mien_state *state) {
  float *share = state->contacts->least;
  for (int i = 0; i < state->contacts->nsoft; i++) share[i] = 1;
  return mi_contacts_take(state, share);
}

// Pressed lips move flesh far away a little. Offsets below LITTLE are removed, so that it is on its
// pose to the bit; those above twice that stay. Lips that stick are closer than that.
static void snap_vertices(const mi_step_run *run) {
  mien_state *state = run->state;
  bool is_stuck = mi_contacts_has_springs(state, run->input, &run->opts);
  mi_dynamics *dynamics = &state->dynamics;
  float little = LITTLE * state->face->skin.size;
  int nvert = state->face->info.nvert, nsnapped = 0;
  bool can_touch = false;
  float *before = state->work[0];
  memcpy(before, dynamics->offset, 3 * (size_t)nvert * sizeof *dynamics->offset);
  for (int i = 0; i < nvert; i++) {
    float *offset = dynamics->offset + 3 * (size_t)i,
          *velocity = dynamics->velocity + 3 * (size_t)i;
    float length = sqrtf(offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]);
    if (length == 0 || length >= 2 * little || is_held(state, is_stuck, i)) continue;
    float share = length > little ? 2 * (length - little) / length : 0;
    for (int k = 0; k < 3; k++) offset[k] *= share, velocity[k] *= share;
    nsnapped++;
    can_touch |= state->contacts->soft[state->face->carrier[i]] >= 0;
  }
  if (nsnapped) unsnap_inverted(state, before);
  if (can_touch && !is_free(state))
    memcpy(dynamics->offset, before, 3 * (size_t)nvert * sizeof *dynamics->offset);
}

// The share of its offset that each soft vertex keeps in this substep: 1 where the pose of its
// component crosses something. Returns that of flesh which cannot touch: it hangs on all of them.
static float find_shares(const mi_step_run *run, float *share) {
  const mi_contacts *c = run->state->contacts;
  float *released_for = run->state->dynamics.released_for, most = 0;
  double dt = run->opts.dt / run->opts.time_scale;
  bool is_stuck = mi_contacts_has_springs(run->state, run->input, &run->opts);
  for (int i = 0; i < c->nsoft; i++) {
    bool is_free = !is_stuck && !c->npose_hit[c->component[i]];
    double left = RELEASE - (double)released_for[i];
    share[i] = !is_free ? 1 : left > 1.001 * dt ? (float)(1 - dt / left) : 0;
    released_for[i] = is_free ? (float)fmin(RELEASE, RELEASE - left + dt) : 0;
    most = share[i] > most ? share[i] : most;
  }
  return most;
}

// Each component towards its pose, unless that would cross on the way.
static void release(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_dynamics *dynamics = &state->dynamics;
  const mi_contacts *c = state->contacts;
  float *share = c->least, rest = find_shares(run, share), least = rest;
  for (int i = 0; i < c->nsoft; i++) least = share[i] < least ? share[i] : least;
  if (least == 1 || !mi_contacts_take(state, share)) return;
  if (rest == 0) {
    mi_integrate_forget(state);
    return;
  }
  for (int i = 0; i < 3 * state->face->info.nvert; i++) {
    int soft = c->soft[state->face->carrier[i / 3]];
    float own = soft >= 0 ? share[soft] : rest;
    dynamics->offset[i] *= own;
    dynamics->velocity[i] *= own;
  }
}

void mi_snap(const mi_step_run *run) {
  mi_dynamics *dynamics = &run->state->dynamics;
  if (run->is_asleep) return;
  snap_whole(run);
  if (dynamics->is_disturbed || !run->touches) {
    for (int i = 0; i < run->state->face->contact.nsoft; i++) dynamics->released_for[i] = 0;
    return;
  }
  release(run);
  snap_vertices(run);
}
