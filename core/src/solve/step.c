// One step, in the order of the method. Only the kinematic solver is here so far: the pose the
// artist made, the flesh carried along by the skin above it and the bone below it.
#include "solve/state.h"

#include "math/kernels.h"
#include "math/vec.h"

#include <string.h>

void mien_input_init(mien_input *input) {
  if (!input) return;
  *input = (mien_input){.struct_size = sizeof *input, .head = {.rotation = {0, 0, 0, 1}}};
}

void mien_step_opts_init(mien_step_opts *opts) {
  if (opts) *opts = (mien_step_opts){.struct_size = sizeof *opts, .dt = 1.0 / 24};
}

static mien_result check_opts(const mien_step_opts *opts, mien_error *err) {
  if (opts->struct_size != sizeof *opts)
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "the step options were not set up with mien_step_opts_init");
  if (!(opts->dt > 0 && opts->dt <= 10))
    return mi_fail(err, MIEN_ERR_OPTIONS, "a time step of %g s is not above 0 and at most 10",
                   opts->dt);
  if (opts->solver != MIEN_SOLVER_KINEMATIC)
    return mi_fail(err, MIEN_ERR_OPTIONS, "solver %d is unknown", (int)opts->solver);
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

static mien_result check_input(const mien_state *state, const mien_input *input, mien_error *err) {
  const mien_rig_info *rig = &state->face->rig->info;
  if (input->struct_size != sizeof *input)
    return mi_fail(err, MIEN_ERR_OPTIONS, "the input was not set up with mien_input_init");
  double length2 = 0, place = 0;
  for (int k = 0; k < 4; k++) length2 += input->head.rotation[k] * input->head.rotation[k];
  for (int k = 0; k < 3; k++) place += fabs(input->head.translation[k]);
  if (!isfinite(place) || !isfinite(length2))
    return mi_fail(err, MIEN_ERR_NOT_FINITE, "the head's transform is not finite");
  if (fabs(length2 - 1) > 1e-3)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the head's rotation is not a unit quaternion");
  mien_result result = check_view(&input->weights, 1, rig->nshape, "weights", err);
  return result == MIEN_OK ? check_view(&input->pose, 3, rig->nvert, "posed vertices", err)
                           : result;
}

// the artist's pose of every rig vertex: evaluated here, or by the host
static void read_pose(mien_state *state, const mien_input *input) {
  const mien_rig *rig = state->face->rig;
  for (int s = 0; s < rig->info.nshape; s++)
    state->weights[s] = input->weights.data ? *mi_f32s_at(&input->weights, 1, s) : 0;
  if (!input->pose.data) {
    mi_rig_pose(rig, state->weights, rig->info.nshape, state->moving.rig);
    return;
  }
  for (int i = 0; i < rig->info.nvert; i++)
    memcpy(state->moving.rig + 3 * (size_t)i, mi_f32s_at(&input->pose, 3, i), 3 * sizeof(float));
}

// how far the jaw bone takes a point
static mi_vec3 jaw_motion(const mien_face *face, mi_vec3 at, double angle) {
  const mien_jaw *jaw = &face->regions.jaw_hinge;
  mi_vec3 hinge = mi_vec3_load(jaw->hinge), arm = mi_sub(at, hinge);
  return mi_sub(mi_rotate(arm, mi_vec3_load(jaw->axis), angle), arm);
}

// flesh = rest + (1 - share) * skin's motion + share * bone's motion
static void carry_flesh(mien_state *state) {
  const mien_face *face = state->face;
  const mien_jaw *jaw = &face->regions.jaw_hinge;
  double open = face->jaw_shape >= 0 && jaw->is_known
                    ? jaw->open_angle * (double)state->weights[face->jaw_shape]
                    : 0;
  double largest = 0;
  for (int i = 0; i < face->info.nvert; i++) {
    int v = face->skin.vert[face->carrier[i]];
    mi_vec3 rest = mi_vec3_load(face->rest + 3 * (size_t)i);
    mi_vec3 skin = mi_sub(mi_vec3_load(state->moving.rig + 3 * (size_t)v),
                          mi_vec3_load(face->rig->positions + 3 * (size_t)v));
    largest = fmax(largest, mi_length(skin));
    double held = face->bone_share[i];
    mi_vec3 bone = {0, 0, 0};
    if (open != 0 && held > 0 && face->jaw[i] > 0)
      bone = mi_scale(face->jaw[i], jaw_motion(face, rest, open));
    mi_vec3 moved = mi_add_scaled(mi_add_scaled(rest, 1 - held, skin), held, bone);
    mi_vec3_store(state->moving.flesh + 3 * (size_t)i, moved);
  }
  state->info.max_displacement = largest;
}

static void count_inverted(mien_state *state) {
  const mien_face_info *face = &state->face->info;
  mi_kernels_best()->measure_tets(state->moving.flesh, state->face->tets, face->ntet, state->volume,
                                  NULL);
  state->info.ninverted = 0;
  for (int e = 0; e < face->ntet; e++) state->info.ninverted += !(state->volume[e] > 0);
}

mien_result mi_step(mien_state *state, const mien_input *input, const mien_step_opts *opts,
                    mien_error *err) {
  mien_result result = check_opts(opts, err);
  if (result == MIEN_OK) result = check_input(state, input, err);
  if (result != MIEN_OK) return result;
  double start = mi_clock();
  read_pose(state, input);
  carry_flesh(state);
  state->moving.head = input->head;
  state->moving.time += opts->dt;
  state->moving.nstep++;
  count_inverted(state);
  mi_state_publish(state);
  state->info.seconds = mi_clock() - start;
  return MIEN_OK;
}
