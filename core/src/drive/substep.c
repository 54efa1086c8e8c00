#include "drive/substep.h"

#include "drive/pose.h"
#include "math/frame.h"

#include <string.h>

bool mi_substep_reserve(mien_state *state, const mien_input *input) {
  const mien_rig_info *rig = &state->face->rig->info;
  mi_substep *s = state->substep;
  if (!s) {
    s = MI_PUSH(&state->arena, mi_substep, 1);
    if (!s) return false;
    if (!MI_RESERVE(&state->arena, MI_ROOM(s->weights, rig->nshape),
                    MI_ROOM(s->weights_from, rig->nshape),
                    MI_ROOM(s->collider, state->face->colliders.nuser),
                    MI_ROOM(s->activations, MI_ACTIVATION * state->face->muscles.count)))
      return false;
    state->substep = s;
  }
  if (!input->pose.data || s->pose) return true;
  float *pose = MI_PUSH(&state->arena, float, 3 * (size_t)rig->nvert);
  s->pose_from = MI_PUSH(&state->arena, float, 3 * (size_t)rig->nvert);
  if (!pose || !s->pose_from) return false;
  s->pose = pose;
  return true;
}

void mi_substep_begin(mien_state *state) {
  const mien_face *face = state->face;
  const mi_dynamics *dynamics = &state->dynamics;
  mi_substep *s = state->substep;
  s->head = dynamics->head;
  memcpy(s->weights_from, dynamics->weights, (size_t)face->rig->info.nshape * sizeof(float));
  if (!s->pose) return;
  // the rig holds the simulated skin; the artist's is the skin layer of the posed flesh
  memcpy(s->pose_from, dynamics->rig, 3 * (size_t)face->rig->info.nvert * sizeof(float));
  for (int i = 0; i < face->skin.nvert; i++)
    memcpy(s->pose_from + 3 * (size_t)face->skin.vert[i], dynamics->posed + 3 * (size_t)i,
           3 * sizeof(float));
}

const mien_input *mi_substep_input(mien_state *state, const mien_input *to, double share) {
  const mien_rig_info *rig = &state->face->rig->info;
  mi_substep *s = state->substep;
  float part = (float)share;
  if (!s || share >= 1) return to;
  s->input = *to;
  mi_frame_between(&s->head, &to->head, share, &s->input.head);
  for (int k = 0; k < rig->nshape; k++) {
    float end = to->weights.data ? *mi_f32s_at(&to->weights, 1, k) : 0;
    s->weights[k] = s->weights_from[k] + part * (end - s->weights_from[k]);
  }
  s->input.weights = (mien_f32s){s->weights, rig->nshape, 1};
  for (int i = 0; to->pose.data && i < rig->nvert; i++)
    for (int c = 0; c < 3; c++) {
      size_t at = 3 * (size_t)i + (size_t)c;
      float end = mi_f32s_at(&to->pose, 3, i)[c];
      s->pose[at] = s->pose_from[at] + part * (end - s->pose_from[at]);
    }
  if (to->pose.data) s->input.pose = (mien_f32s){s->pose, rig->nvert, 3};
  for (int k = 0; to->colliders && k < to->ncollider; k++)
    mi_frame_between(state->dynamics.collider + k, to->colliders + k, share, s->collider + k);
  if (to->colliders) s->input.colliders = s->collider;
  int nmuscle = state->face->muscles.count;
  mi_input_activations(state, to, s->activations);
  for (int k = 0; k < MI_ACTIVATION * nmuscle; k++) {
    float from = state->dynamics.activations[k];
    bool is_diagonal = k % MI_ACTIVATION == 0 || k % MI_ACTIVATION == 3 || k % MI_ACTIVATION == 5;
    s->activations[k] = from + part * (s->activations[k] - from) + (is_diagonal ? 1.0f : 0.0f);
  }
  s->input.contractions = (mien_f32s){NULL, 0, 0};
  if (nmuscle) s->input.activations = (mien_f32s){s->activations, nmuscle, MI_ACTIVATION};
  // a jaw that followed a weight until now has no place to come from
  if (to->has_jaw && state->dynamics.has_jaw)
    mi_frame_between(&state->dynamics.jaw, &to->jaw, share, &s->input.jaw);
  return &s->input;
}

void mi_substep_end(mien_state *state, const mien_input *to) {
  mi_dynamics *dynamics = &state->dynamics;
  dynamics->has_jaw = to->has_jaw != 0;
  if (to->has_jaw) dynamics->jaw = to->jaw;
  for (int k = 0; k < state->face->rig->info.nshape; k++)
    dynamics->weights[k] = to->weights.data ? *mi_f32s_at(&to->weights, 1, k) : 0;
  mi_input_activations(state, to, dynamics->activations);
  for (int k = 0; k < state->face->colliders.nuser; k++)
    dynamics->collider[k] = to->colliders ? to->colliders[k] : to->head;
}
