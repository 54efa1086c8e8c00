// One step, in the order of the method. Only the kinematic solver is here so far: the pose the
// artist made, the flesh carried along by the skin above it and the bone below it.
#include "solve/state.h"

#include "math/kernels.h"

static void count_inverted(mien_state *state) {
  const mien_face_info *face = &state->face->info;
  mi_kernels_best()->measure_tets(state->flesh, state->face->tets, face->ntet, state->volume, NULL);
  state->info.ninverted = 0;
  for (int e = 0; e < face->ntet; e++) state->info.ninverted += !(state->volume[e] > 0);
}

mien_result mi_step(mien_state *state, const mien_input *input, const mien_step_opts *opts,
                    mien_error *err) {
  mien_result result = mi_input_check(state, input, opts, err);
  if (result != MIEN_OK) return result;
  double start = mi_clock();
  mi_input_pose(state, input, state->moving.posed);
  state->moving.head = input->head;
  state->moving.time += opts->dt;
  state->moving.nstep++;
  mi_state_publish(state);
  count_inverted(state);
  state->info.seconds = mi_clock() - start;
  return MIEN_OK;
}
