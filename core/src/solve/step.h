// One step under way, and the stages that step.c puts in order. A stage reads and changes the
// state; what only lives as long as the step is here.
#ifndef MI_STEP_H
#define MI_STEP_H

#include "math/frame.h"
#include "solve/solver.h"

typedef struct mi_step_run {
  mien_state *state;
  const mien_input *render_skin; // as the host gave it, for the render skin
  const mien_input *given;       // the same of the simulated one, at the end of the step
  const mien_input *input;       // at the current moment
  mien_step_opts opts;           // of one substep: dt is its length
  double frame;                  // s, of the whole step
  bool is_divided;               // into several substeps
  mien_error *err;
  double moment;          // s, when the substep begins
  double deadline;        // s, mi_clock; 0 = none
  double begun;           // s, mi_clock, if there is one
  bool touches;           // contact is on and something of the face can touch
  bool is_forced;         // by blendforces
  bool is_asleep;         // pressed flesh stays where it was in this substep
  mien_rigid head_before; // when the step began
  mien_rigid head_start;  // when the substep began
  bool is_still;          // flesh is on its pose, at rest and without acceleration
  bool moves;             // this substep minimises
} mi_step_run;

// step.c: when this share of the time up to the deadline is over; 0 = there is none
double mi_step_deadline(const mi_step_run *run, double share);

// minimise.c
mien_result mi_minimise_prepare(mi_step_run *run);   // all that a step allocates, in its first
bool mi_minimise_is_pulled(const mi_step_run *run);  // something crosses, sticks or is driven
bool mi_minimise_is_pressed(const mi_step_run *run); // something pushes
mien_result mi_minimise(const mi_step_run *run);     // from the solver's x to the minimum

// integrate.c
// s: inertia holds flesh to its prediction like m / span^2.
double mi_integrate_span(const mien_step_opts *opts);
// The moment of a substep whose pose and bones the minimiser uses: 1 = its end.
double mi_integrate_moment(const mien_step_opts *opts);
void mi_integrate_force(const mi_step_run *run);     // gravity and wind, into state->push
bool mi_integrate_is_still(const mien_state *state); // on the pose, not moving, not pushed
// A pose of the flesh, and the start of the flesh on it, in the solver.
void mi_integrate_place(const mien_state *state, const float *posed);
// The solver's targets. Of flesh that is not still, rest state and material must be set.
void mi_integrate_predict(const mi_step_run *run, bool is_still);
// Offsets and velocities from where the minimiser ended; false when that is not finite, and then
// the motion is forgotten.
bool mi_integrate_finish(mi_step_run *run);
bool mi_integrate_is_free(const mi_solver *solver); // no vertex is attached
// Added to a velocity against the world it gives one against the head. The head's velocity is
// measured as the integrator measures velocities, to the first or the second order.
mi_drift mi_integrate_frame_velocity(const mi_step_run *run);
void mi_integrate_forget(mien_state *state); // no offset, no velocity

// snap.c
// Notes what moves the flesh besides contact. `head`: where it was when the substep began.
void mi_snap_watch(const mi_step_run *run, const mien_rigid *head, bool is_still);
// Flesh that is pressed against something creeps for ever towards a slightly lower energy. It falls
// asleep (run->is_asleep) when nothing has changed since the last substep and skin moved less than
// anyone can see: then it stays where it was. That is friction; without it, it goes on.
void mi_snap_fall_asleep(mi_step_run *run);
// Flesh that is back rests on its pose exactly; what contact alone has done is taken back once the
// artist's pose crosses nothing.
void mi_snap(const mi_step_run *run);

// damping.c
void mi_damp(const mi_step_run *run);

#endif
