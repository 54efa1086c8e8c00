// The artist's pose: of the rig by its shapes, of the flesh by its skin and its bones.
#include "drive/pose.h"

#include "energy/muscle.h"
#include "solve/uninvert.h"

#include <string.h>

// -- the rig --------------------------------------------------------------------------------------

static void add_motion(float *at, double share, mi_vec3 by) {
  mi_vec3_store(at, mi_add_scaled(mi_vec3_load(at), share, by));
}

// Shapes contain the hinge motion of the jaw. The rest of the jaw's transform is added to
// everything that the jaw carries.
static void carry_rig(mien_state *state, const mi_bone_motion *jaw, const mi_bone_motion *hinge) {
  const mien_face *face = state->face;
  const mien_rig_info *rig = &face->rig->info;
  mi_bone_motion more = *jaw;
  for (int k = 0; k < 9; k++) more.turn[k] -= hinge->turn[k];
  more.shift = mi_sub(jaw->shift, hinge->shift);
  for (int i = 0; i < face->skin.nvert; i++) {
    size_t at = 3 * (size_t)face->skin.vert[i];
    double share = face->regions.jaw[i];
    if (share > 0)
      add_motion(state->dynamics.rig + at, share,
                 mi_bone_move(&more, mi_vec3_load(face->rig->positions + at)));
  }
  for (int i = 0; i < rig->nvert; i++) {
    mien_part_kind kind = face->regions.kind[i];
    if (kind == MIEN_PART_JAW || kind == MIEN_PART_TEETH_LOWER || kind == MIEN_PART_TONGUE)
      add_motion(state->dynamics.rig + 3 * (size_t)i, 1,
                 mi_bone_move(&more, mi_vec3_load(face->rig->positions + 3 * (size_t)i)));
  }
}

// Poses every rig vertex: by the shapes, or as the host gave it.
static void pose_rig(mien_state *state, const mien_input *input) {
  const mien_rig *rig = state->face->rig;
  for (int s = 0; s < rig->info.nshape; s++)
    state->weights[s] = input->weights.data ? *mi_f32s_at(&input->weights, 1, s) : 0;
  if (!input->pose.data) {
    mi_rig_pose(rig, state->weights, rig->info.nshape, state->dynamics.rig);
    return;
  }
  for (int i = 0; i < rig->info.nvert; i++)
    memcpy(state->dynamics.rig + 3 * (size_t)i, mi_f32s_at(&input->pose, 3, i), 3 * sizeof(float));
}

// -- the flesh ------------------------------------------------------------------------------------

static double farthest(const mien_state *state) {
  const mien_face *face = state->face;
  double largest2 = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    size_t v = 3 * (size_t)face->skin.vert[i];
    mi_vec3 off =
        mi_sub(mi_vec3_load(state->dynamics.rig + v), mi_vec3_load(face->rig->positions + v));
    double far2 = mi_dot(off, off);
    largest2 = far2 > largest2 ? far2 : largest2;
  }
  return sqrt(largest2);
}

void mi_input_pose(mien_state *state, const mien_input *input, double deadline, float *posed) {
  const mien_face *face = state->face;
  pose_rig(state, input);
  mi_bone_motion jaw = mi_bone_hinge(face, state->weights);
  if (input->has_jaw) {
    mi_bone_motion hinge = jaw;
    jaw = mi_bone_motion_of(&input->jaw);
    if (!input->pose.data) carry_rig(state, &jaw, &hinge);
  }
  mi_carry(face, state->dynamics.rig, &jaw, state->host.threads, posed);
  mi_blendvolumes_add(&face->blendvolumes, state->weights, posed);
  mi_uninvert_pose(state, posed, deadline);
  state->info.max_displacement = farthest(state);
}

void mi_bones_carry(const mien_face *face, const mi_bone_motion *jaw, const unsigned char *is_flesh,
                    const float *posed, float *bones) {
  for (int i = 0; i < face->info.nvert; i++) {
    size_t at = 3 * (size_t)i;
    mi_vec3 rest = mi_vec3_load(face->rest + at);
    if (is_flesh[i] && !jaw->is_none && face->jaw[i] > 0)
      rest = mi_add_scaled(rest, face->jaw[i], mi_bone_move(jaw, rest));
    mi_vec3_store(bones + at, is_flesh[i] ? rest : mi_vec3_load(posed + at));
  }
}

void mi_input_bones(const mien_state *state, const mien_input *input, const unsigned char *is_flesh,
                    float *bones) {
  const mien_face *face = state->face;
  mi_bone_motion jaw =
      input->has_jaw ? mi_bone_motion_of(&input->jaw) : mi_bone_hinge(face, state->weights);
  mi_bones_carry(face, &jaw, is_flesh, state->dynamics.posed, bones);
}

void mi_input_activations(const mien_state *state, const mien_input *input, float *activations) {
  for (int m = 0; m < state->face->muscles.count; m++) {
    float *to = activations + MI_ACTIVATION * (size_t)m;
    double contraction =
        input->contractions.data ? (double)*mi_f32s_at(&input->contractions, 1, m) : 0;
    mi_muscle_contract(contraction, to);
    const float *more =
        input->activations.data ? mi_f32s_at(&input->activations, MI_ACTIVATION, m) : NULL;
    for (int c = 0; more && c < MI_ACTIVATION; c++)
      to[c] += more[c] - (float)(c == 0 || c == 3 || c == 5);
  }
}
