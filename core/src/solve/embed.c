#include "solve/embed.h"

#include <string.h>

bool mi_embed_reserve(mien_state *state) {
  const mi_embedding *embedding = &state->face->embedding;
  if (!embedding->render_skin) return true;
  return MI_RESERVE(&state->arena, MI_ROOM(state->motion, 4 * (size_t)embedding->nskin),
                    MI_ROOM(state->coarse_pose, 3 * (size_t)embedding->nsource));
}

const mien_input *mi_embed_input(mien_state *state, const mien_input *given, mien_input *own) {
  const mi_embedding *embedding = &state->face->embedding;
  if (!embedding->render_skin || !given->pose.data) return given;
  for (int i = 0; i < embedding->nsource; i++)
    memcpy(state->coarse_pose + 3 * (size_t)i, mi_f32s_at(&given->pose, 3, embedding->source[i]),
           3 * sizeof(float));
  *own = *given;
  own->pose = (mien_f32s){state->coarse_pose, embedding->nsource, 3};
  return own;
}

static void pose_render_skin(mien_state *state, const mien_input *given) {
  const mien_rig *render_skin = state->face->embedding.render_skin;
  if (!given->pose.data) {
    mi_rig_pose(render_skin, state->weights, render_skin->info.nshape, state->dynamics.render_skin);
    return;
  }
  for (int i = 0; i < render_skin->info.nvert; i++)
    memcpy(state->dynamics.render_skin + 3 * (size_t)i, mi_f32s_at(&given->pose, 3, i),
           3 * sizeof(float));
}

// The offset of the coarse skin from the artist's pose; false when it is zero.
static bool find_motion(mien_state *state) {
  const mien_face *face = state->face;
  bool moves = false;
  for (int i = 0; i < face->embedding.nskin; i++) {
    const float *now = state->dynamics.rig + 3 * (size_t)face->skin.vert[i];
    const float *pose = state->dynamics.render_skin + 3 * (size_t)face->embedding.skin[i];
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
  if (!embedding->render_skin) return;
  pose_render_skin(state, given);
  if (find_motion(state))
    mi_skin_map_apply(&embedding->map, state->motion, state->host.threads,
                      state->dynamics.render_skin);
  // Vertices on both rigs are equal on both, the jaw and its teeth included.
  for (int i = 0; i < embedding->nsource; i++)
    memcpy(state->dynamics.render_skin + 3 * (size_t)embedding->source[i],
           state->dynamics.rig + 3 * (size_t)i, 3 * sizeof(float));
}
