// One step under way, and the stages that step.c puts in order. A stage reads and changes the
// state; what only lives as long as the step is here.
#ifndef MI_STEP_H
#define MI_STEP_H

#include "solve/frame.h"
#include "solve/solver.h"

typedef struct mi_step_run {
  mien_state *state;
  const mien_input *shown; // as the host gave it, of the skin that is shown
  const mien_input *given; // the same of the simulated one, at the end of the step
  const mien_input *input; // at the moment looked at
  mien_step_opts opts;     // of one substep: dt is its length
  bool is_divided;         // into several substeps
  mien_error *err;
  double moment;   // s, when the substep begins
  double deadline; // s, mi_clock; 0 = none
  double begun;    // s, mi_clock, if there is one
  bool is_hurried; // there is one, and the step before had not made all its iterations by then
  bool touches;    // contact is on and something of the face can touch
  double reach;    // m: what is closer may push
  bool is_forced;  // by blendforces
  mien_rigid head_before; // when the step began
} mi_step_run;

// step.c: when this share of the time up to the deadline is over; 0 = there is none
double mi_step_deadline(const mi_step_run *run, double share);

// minimise.c
mien_result mi_minimise_prepare(mi_step_run *run);   // all that a step allocates, in its first
void mi_minimise_touch(const mi_step_run *run);      // finds what touches at the start
bool mi_minimise_is_pulled(const mi_step_run *run);  // something touches, sticks or was held back
bool mi_minimise_is_pressed(const mi_step_run *run); // something pushes
// What the minimisation inverts is mended within it or, pressed by the barrier, left: not after it.
bool mi_minimise_is_pushed_out(const mi_step_run *run);
// Nothing pulls at flesh that is back, and its pose is a place where it can be.
bool mi_minimise_is_let_go(const mi_step_run *run);
// Flesh that is pressed against something creeps for ever towards a slightly lower energy. True
// when nothing has changed since the last step, it moved less than anyone can see and gained less
// than a thousandth by it: then it stays where it was. That is friction; without it, it goes on.
bool mi_minimise_rests(const mi_step_run *run);
// True when nothing has changed since the last step, something would be hit, and skin that is far
// from its pose stays there: flesh in a knot of its own.
bool mi_minimise_is_caught(const mi_step_run *run);
mien_result mi_minimise(const mi_step_run *run); // from the solver's x to the minimum

// integrate.c
// s: inertia holds flesh to its prediction like m / span^2.
double mi_integrate_span(const mien_step_opts *opts);
// The moment of a substep whose pose and bones the minimiser sees: 1 = its end.
double mi_integrate_aim(const mien_step_opts *opts);
void mi_integrate_force(const mi_step_run *run);     // gravity and wind, into state->push
bool mi_integrate_is_still(const mien_state *state); // on the pose, not moving, not pushed
void mi_integrate_place(const mi_step_run *run);     // pose and start of the flesh in the solver
// The solver's targets. Of flesh that is not still, rest state and material must be set.
void mi_integrate_predict(const mi_step_run *run, bool is_still);
// Offsets and velocities from where the minimiser ended; false when that is not finite, and then
// the motion is forgotten.
bool mi_integrate_finish(const mi_step_run *run);
bool mi_integrate_is_free(const mi_solver *solver); // nothing holds the flesh
void mi_integrate_settle(const mi_step_run *run);   // flesh that is back on its pose rests there
// What makes a velocity against the world one against the head: how fast the head goes is measured
// as the integrator measures velocities, to the first or the second order.
mi_drift mi_integrate_drift(const mi_step_run *run);
void mi_integrate_forget(mien_state *state); // no offset, no velocity

// release.c
// Notes what moves the flesh besides contact. `head`: where it was when the substep began.
void mi_release_watch(const mi_step_run *run, const mien_rigid *head, bool is_still);
// Takes back what contact alone has done, once the artist's pose crosses nothing.
void mi_release(const mi_step_run *run);

// damping.c
void mi_damp(const mi_step_run *run);

#endif
