// What a step is given, checked before anything changes.
#include "solve/step.h"

#include <math.h>

void mien_input_init(mien_input *input) {
  if (!input) return;
  *input = (mien_input){.struct_size = sizeof *input,
                        .head = {.rotation = {0, 0, 0, 1}},
                        .jaw = {.rotation = {0, 0, 0, 1}}};
}

void mien_step_opts_init(mien_step_opts *opts) {
  if (opts)
    *opts = (mien_step_opts){.struct_size = sizeof *opts,
                             .dt = 1.0 / 24,
                             .iterations = 8,
                             .barrier_stiffness = 1,
                             .friction = 0.3,
                             .humidity = 1,
                             .stick_delay = 0.1,
                             .seed = 1,
                             .substeps = 1};
}

static mien_result check_motion(const mien_step_opts *opts, mien_error *err) {
  if (!(opts->dt > 0 && opts->dt <= 10))
    return mi_fail(err, MIEN_ERR_OPTIONS, "a time step of %g s is not above 0 and at most 10",
                   opts->dt);
  if (opts->integrator < MIEN_INTEGRATOR_BACKWARD_EULER ||
      opts->integrator > MIEN_INTEGRATOR_QUASI_STATIC)
    return mi_fail(err, MIEN_ERR_OPTIONS, "integrator %d is unknown", (int)opts->integrator);
  if (opts->substeps < 1 || opts->substeps > 100)
    return mi_fail(err, MIEN_ERR_OPTIONS, "substeps is %d; it must be 1 to 100", opts->substeps);
  if (!(opts->damping >= 0 && opts->damping <= 1e6) || !(opts->drag >= 0 && opts->drag <= 1e6))
    return mi_fail(err, MIEN_ERR_OPTIONS, "damping or drag is negative or out of range");
  if (mi_integrate_aim(opts) < 1 && opts->contact)
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "the midpoint integrators know no contact: half of their step is a straight "
                   "line that nothing stops; take bdf2 or backward_euler");
  return MIEN_OK;
}

static mien_result check_opts(const mien_step_opts *opts, mien_error *err) {
  if (opts->struct_size != sizeof *opts)
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "the step options were not set up with mien_step_opts_init");
  mien_result result = check_motion(opts, err);
  if (result != MIEN_OK) return result;
  if (opts->solver < MIEN_SOLVER_AUTO || opts->solver > MIEN_SOLVER_NEWTON)
    return mi_fail(err, MIEN_ERR_OPTIONS, "solver %d is unknown", (int)opts->solver);
  if (opts->iterations < 1 || opts->iterations > 1000)
    return mi_fail(err, MIEN_ERR_OPTIONS, "iterations is %d; it must be 1 to 1000",
                   opts->iterations);
  if (!(opts->tolerance >= 0 && opts->tolerance < 1) || !(opts->time_budget >= 0) ||
      opts->offline_after < 0)
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "tolerance, time_budget or offline_after is out of range");
  if (opts->contact < MIEN_CONTACT_OFF || opts->contact > MIEN_CONTACT_BARRIER)
    return mi_fail(err, MIEN_ERR_OPTIONS, "contact %d is unknown", (int)opts->contact);
  if (opts->contact && opts->solver == MIEN_SOLVER_NEWTON)
    return mi_fail(err, MIEN_ERR_OPTIONS, "the solver newton knows no contact");
  if (opts->contact == MIEN_CONTACT_BARRIER && opts->solver != MIEN_SOLVER_AUTO &&
      opts->solver != MIEN_SOLVER_DIRECT && opts->solver != MIEN_SOLVER_KINEMATIC)
    return mi_fail(err, MIEN_ERR_OPTIONS, "the barrier needs the solver direct");
  if (opts->barrier_step < MIEN_BARRIER_WOODBURY || opts->barrier_step > MIEN_BARRIER_PCG ||
      !(opts->barrier_stiffness > 0 && opts->barrier_stiffness <= 1e6))
    return mi_fail(err, MIEN_ERR_OPTIONS, "barrier_step or barrier_stiffness is out of range");
  if (!(opts->thickness >= 0 && opts->thickness <= 1) || !(opts->friction >= 0) ||
      !(opts->sticky >= 0 && opts->sticky <= 1e3) ||
      !(opts->sticky_length >= 0 && opts->sticky_length <= 1) ||
      !(opts->humidity > 0 && opts->humidity <= 1e3) || !(opts->stick_delay >= 0))
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "thickness, friction, sticky, sticky_length, humidity or stick_delay is out of "
                   "range");
  for (int k = 0; k < 3; k++)
    if (!(fabs(opts->gravity[k]) <= 1e4) || !(fabs(opts->wind[k]) <= 1e3))
      return mi_fail(err, MIEN_ERR_OPTIONS, "gravity or wind is out of range");
  return MIEN_OK;
}

static mien_result check_view(const mien_f32s *view, int width, int count, const char *what,
                              mien_error *err) {
  if (!view->data) return MIEN_OK;
  if (view->count != count)
    return mi_fail(err, MIEN_ERR_MISMATCH, "%d %s were given, the rig has %d", view->count, what,
                   count);
  if (view->stride && view->stride < width)
    return mi_fail(err, MIEN_ERR_ARGUMENT,
                   "the %s have a stride of %d floats; it needs at least %d", what, view->stride,
                   width);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < width; k++)
      if (!isfinite(mi_f32s_at(view, width, i)[k]))
        return mi_fail(err, MIEN_ERR_NOT_FINITE, "number %d of the %s is not finite", i, what);
  return MIEN_OK;
}

static mien_result check_colliders(const mien_state *state, const mien_input *input,
                                   mien_error *err) {
  int wanted = state->face->colliders.nuser;
  if (!input->colliders) return MIEN_OK;
  if (input->ncollider != wanted)
    return mi_fail(err, MIEN_ERR_MISMATCH, "%d collider transforms were given, the face has %d",
                   input->ncollider, wanted);
  for (int k = 0; k < wanted; k++) {
    const mien_rigid *at = input->colliders + k;
    double length2 = 0, place = 0;
    for (int c = 0; c < 4; c++) length2 += at->rotation[c] * at->rotation[c];
    for (int c = 0; c < 3; c++) place += fabs(at->translation[c]);
    if (!isfinite(place) || !(fabs(length2 - 1) <= 1e-3))
      return mi_fail(
          err, MIEN_ERR_ARGUMENT,
          "the transform of collider %d is not finite or its rotation no unit quaternion", k);
  }
  return MIEN_OK;
}

static mien_result check_rigid(const mien_rigid *at, const char *what, mien_error *err) {
  double length2 = 0, place = 0;
  for (int k = 0; k < 4; k++) length2 += at->rotation[k] * at->rotation[k];
  for (int k = 0; k < 3; k++) place += fabs(at->translation[k]);
  if (!isfinite(place) || !isfinite(length2))
    return mi_fail(err, MIEN_ERR_NOT_FINITE, "the %s's transform is not finite", what);
  if (fabs(length2 - 1) > 1e-3)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the %s's rotation is not a unit quaternion", what);
  return MIEN_OK;
}

static mien_result check_input(const mien_state *state, const mien_input *input, mien_error *err) {
  const mien_rig_info *rig = &state->face->rig->info;
  if (input->struct_size != sizeof *input)
    return mi_fail(err, MIEN_ERR_OPTIONS, "the input was not set up with mien_input_init");
  mien_result result = check_rigid(&input->head, "head", err);
  if (result == MIEN_OK && input->has_jaw) result = check_rigid(&input->jaw, "jaw", err);
  if (result < 0) return result;
  if (!(input->seal_left >= 0 && input->seal_left <= 1) ||
      !(input->seal_right >= 0 && input->seal_right <= 1))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "seal_left and seal_right must be 0 to 1");
  result = check_colliders(state, input, err);
  if (result == MIEN_OK) result = check_view(&input->weights, 1, rig->nshape, "weights", err);
  return result == MIEN_OK ? check_view(&input->pose, 3, rig->nvert, "posed vertices", err)
                           : result;
}

mien_result mi_input_check(const mien_state *state, const mien_input *input,
                           const mien_step_opts *opts, mien_error *err) {
  mien_result result = check_opts(opts, err);
  return result == MIEN_OK ? check_input(state, input, err) : result;
}
