#include "solve/embed.h"

#include <string.h>

bool mi_embed_reserve(mien_state *state) {
  const mi_embedding *embedding = &state->face->embedding;
  if (!embedding->shown) return true;
  state->motion = MI_PUSH(&state->arena, float, 4 * (size_t)embedding->nskin);
  state->coarse_pose = MI_PUSH(&state->arena, float, 3 * (size_t)embedding->nsource);
  return state->motion && state->coarse_pose;
}

const mien_input *mi_embed_input(mien_state *state, const mien_input *given, mien_input *own) {
  const mi_embedding *embedding = &state->face->embedding;
  if (!embedding->shown || !given->pose.data) return given;
  for (int i = 0; i < embedding->nsource; i++)
    memcpy(state->coarse_pose + 3 * (size_t)i, mi_f32s_at(&given->pose, 3, embedding->source[i]),
           3 * sizeof(float));
  *own = *given;
  own->pose = (mien_f32s){state->coarse_pose, embedding->nsource, 3};
  return own;
}

static void pose_shown(mien_state *state, const mien_input *given) {
  const mien_rig *shown = state->face->embedding.shown;
  if (!given->pose.data) {
    mi_rig_pose(shown, state->weights, shown->info.nshape, state->moving.shown);
    return;
  }
  for (int i = 0; i < shown->info.nvert; i++)
    memcpy(state->moving.shown + 3 * (size_t)i, mi_f32s_at(&given->pose, 3, i), 3 * sizeof(float));
}

// What the coarser skin has beyond the artist's pose; false when that is nothing.
static bool find_motion(mien_state *state) {
  const mien_face *face = state->face;
  bool moves = false;
  for (int i = 0; i < face->embedding.nskin; i++) {
    const float *now = state->moving.rig + 3 * (size_t)face->skin.vert[i];
    const float *pose = state->moving.shown + 3 * (size_t)face->embedding.skin[i];
    float *motion = state->motion + 4 * (size_t)i;
    for (int k = 0; k < 3; k++) {
      motion[k] = now[k] - pose[k];
      moves |= motion[k] != 0;
    }
  }
  return moves;
}

void mi_embed_show(mien_state *state, const mien_input *given) {
  const mien_face *face = state->face;
  const mi_embedding *embedding = &face->embedding;
  if (!embedding->shown) return;
  pose_shown(state, given);
  if (find_motion(state))
    mi_skin_map_apply(&embedding->map, state->motion, state->host.threads, state->moving.shown);
  // what is on both rigs is the same on both: a jaw and its teeth, too, when a jaw's transform came
  for (int i = 0; i < embedding->nsource; i++)
    memcpy(state->moving.shown + 3 * (size_t)embedding->source[i],
           state->moving.rig + 3 * (size_t)i, 3 * sizeof(float));
}
