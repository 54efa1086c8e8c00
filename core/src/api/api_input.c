// The input and options of a step: defaults, and checks before anything changes.
#include "api/api_input.h"

#include "base/params.h"
#include "drive/drive.h"
#include "drive/pose.h"
#include "energy/muscle.h"
#include "solve/fields.h"

#include <math.h>

void(mien_input_init)(mien_input *input, size_t struct_size) {
  mien_input defaults = {.head = {.rotation = {0, 0, 0, 1}}, .jaw = {.rotation = {0, 0, 0, 1}}};
  mi_params_defaults(MIEN_PARAM_INPUT, &defaults);
  mi_struct_init(input, struct_size, &defaults, sizeof defaults);
}

void(mien_step_opts_init)(mien_step_opts *opts, size_t struct_size) {
  mien_step_opts defaults = {0};
  mi_params_defaults(MIEN_PARAM_STEP, &defaults);
  mi_struct_init(opts, struct_size, &defaults, sizeof defaults);
}

static mien_result check_opts(const mien_face *face, const mien_step_opts *opts, mien_error *err) {
  mien_result result = mi_params_check(MIEN_PARAM_STEP, opts, err);
  if (result < 0) return result;
  if (opts->energy_projection && opts->integrator == MIEN_INTEGRATOR_QUASI_STATIC)
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "quasi_static has no motion whose energy could be kept; switch "
                   "energy_projection off");
  if (opts->energy_projection && opts->contact == MIEN_CONTACT_BARRIER)
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "energy_projection does not know the barrier; take the contact plane");
  if (mi_integrate_moment(opts) < 1 && opts->contact)
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "the midpoint integrators know no contact: half of their step is a straight "
                   "line that nothing stops; take bdf2 or backward_euler");
  if (opts->contact && opts->solver == MIEN_SOLVER_NEWTON)
    return mi_fail(err, MIEN_ERR_OPTIONS, "the solver newton knows no contact");
  if (opts->contact == MIEN_CONTACT_BARRIER && opts->solver != MIEN_SOLVER_AUTO &&
      opts->solver != MIEN_SOLVER_DIRECT && opts->solver != MIEN_SOLVER_KINEMATIC)
    return mi_fail(err, MIEN_ERR_OPTIONS, "the barrier needs the solver direct");
  const mi_drive *drive = mi_drive_of(opts);
  if (drive->needs_muscles && !face->muscles.count && opts->solver != MIEN_SOLVER_KINEMATIC)
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "the drive %s needs a face with muscles; attach it with muscles on",
                   drive->name);
  if (drive->needs_direct && opts->solver != MIEN_SOLVER_AUTO &&
      opts->solver != MIEN_SOLVER_DIRECT && opts->solver != MIEN_SOLVER_KINEMATIC)
    return mi_fail(err, MIEN_ERR_OPTIONS, "the drive %s needs the solver direct", drive->name);
  return MIEN_OK;
}

static mien_result check_view(const mien_f32s *view, int width, int count, const char *what,
                              const char *owner, mien_error *err) {
  if (!view->data) return MIEN_OK;
  if (view->count != count)
    return mi_fail(err, MIEN_ERR_MISMATCH, "%d %s were given, the %s has %d", view->count, what,
                   owner, count);
  if (view->stride && view->stride < width)
    return mi_fail(err, MIEN_ERR_ARGUMENT,
                   "the %s have a stride of %d floats; it needs at least %d", what, view->stride,
                   width);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < width; k++)
      if (!(fabsf(mi_f32s_at(view, width, i)[k]) < MI_FARTHEST)) // no snapshot would hold it
        return mi_fail(err, MIEN_ERR_NOT_FINITE,
                       "number %d of the %s is not finite, or far too large", i, what);
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

static const double LEAST_STRETCH = 0.2, MOST_STRETCH = 5;

// Each by itself, and both together: no muscle turns inside out.
static mien_result check_activations(const mien_state *state, const mien_input *input,
                                     mien_error *err) {
  const mi_muscles *muscles = &state->face->muscles;
  for (int m = 0; m < muscles->count; m++) {
    double contraction =
        input->contractions.data ? (double)*mi_f32s_at(&input->contractions, 1, m) : 0;
    const mien_muscle *muscle = muscles->info + m;
    if (!(contraction >= muscle->least && contraction <= muscle->most))
      return mi_fail(err, MIEN_ERR_ARGUMENT,
                     "the muscle '%s' cannot contract by %g; %g to %g are possible", muscle->name,
                     contraction, muscle->least, muscle->most);
  }
  mi_input_activations(state, input, state->activations);
  for (int m = 0; m < muscles->count; m++) {
    double a[6], least, most;
    for (int c = 0; c < 6; c++)
      a[c] = (double)state->activations[6 * (size_t)m + (size_t)c] + (c == 0 || c == 3 || c == 5);
    mi_symmetric_range(a, &least, &most);
    if (!(least >= LEAST_STRETCH && most <= MOST_STRETCH))
      return mi_fail(err, MIEN_ERR_ARGUMENT,
                     "the activation of the muscle '%s' stretches it by %.3g to %.3g; 0.2 to 5 are "
                     "possible",
                     muscles->info[m].name, least, most);
  }
  return MIEN_OK;
}

static mien_result check_muscles(const mien_state *state, const mien_input *input,
                                 mien_error *err) {
  int count = state->face->muscles.count;
  mien_result result = check_view(&input->contractions, 1, count, "contractions", "face", err);
  if (result == MIEN_OK)
    result = check_view(&input->activations, MI_ACTIVATION, count, "activations", "face", err);
  return result == MIEN_OK && count ? check_activations(state, input, err) : result;
}

static mien_result check_input(const mien_state *state, const mien_input *input, mien_error *err) {
  const mien_rig_info *rig = &state->face->rig->info;
  int nshown = mi_face_render_skin(state->face)->info.nvert;
  mien_result result = check_rigid(&input->head, "head", err);
  if (result == MIEN_OK && input->has_jaw) result = check_rigid(&input->jaw, "jaw", err);
  if (result < 0) return result;
  result = mi_params_check(MIEN_PARAM_INPUT, input, err);
  if (result == MIEN_OK) result = check_colliders(state, input, err);
  if (result == MIEN_OK)
    result = check_view(&input->weights, 1, rig->nshape, "weights", "rig", err);
  if (result == MIEN_OK) result = check_muscles(state, input, err);
  return result == MIEN_OK ? check_view(&input->pose, 3, nshown, "posed vertices", "rig", err)
                           : result;
}

mien_result mi_input_check(const mien_state *state, const mien_input *input,
                           const mien_step_opts *opts, mien_error *err) {
  mien_result result = check_opts(state->face, opts, err);
  return result == MIEN_OK ? check_input(state, input, err) : result;
}
