#include "solve/state.h"

#include "mesh/mesh.h"
#include "solve/embed.h"
#include "solve/fields.h"
#include "solve/solver.h"
#include "solve/uninvert.h"

#include <math.h>

static bool reserve(mien_state *state) {
  mi_field fields[MI_NFIELD];
  size_t flesh = 3 * (size_t)state->face->info.nvert;
  int nshape = state->face->rig->info.nshape;
  mi_fields_of(state, fields);
  for (int k = 0; k < MI_NFIELD; k++)
    if (!mi_field_reserve(fields + k, &state->arena)) return false;
  size_t nactivation = MI_ACTIVATION * (size_t)state->face->muscles.count;
  state->mender = mi_mender_create(state->face, &state->arena);
  return state->mender && mi_embed_reserve(state) &&
         MI_RESERVE(&state->arena, MI_ROOM(state->accel, flesh),
                    MI_ROOM(state->posed_before, flesh), MI_ROOM(state->transported, flesh),
                    MI_ROOM(state->flesh, flesh), MI_ROOM(state->weights, nshape),
                    MI_ROOM(state->weights_before, nshape),
                    MI_ROOM(state->activations, nactivation),
                    MI_ROOM(state->activations_before, nactivation), MI_ROOM(state->work[0], flesh),
                    MI_ROOM(state->work[1], flesh), MI_ROOM(state->volume, state->face->info.ntet));
}

void mi_state_publish(mien_state *state) {
  const mi_dynamics *dynamics = &state->dynamics;
  mien_state_info *info = &state->info;
  int nvert = state->face->info.nvert;
  int nchanged = 0;
  for (int i = 0; i < 3 * nvert; i++) {
    float now = dynamics->posed[i] + dynamics->offset[i];
    nchanged += state->flesh[i] != now;
    state->flesh[i] = now;
  }
  if (nchanged) state->is_sound = false;
  info->positions =
      (mien_f32s){state->face->embedding.render_skin ? dynamics->render_skin : dynamics->rig,
                  mi_face_render_skin(state->face)->info.nvert, 3};
  info->flesh = (mien_f32s){state->flesh, nvert, 3};
  info->head = dynamics->head;
  info->time = dynamics->time;
  info->nstep = dynamics->nstep;
}

void mi_state_write_skin(mien_state *state) {
  const mien_face *face = state->face;
  double farthest2 = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    double d2 = 0;
    for (int c = 0; c < 3; c++) {
      float off = state->dynamics.offset[3 * (size_t)i + (size_t)c];
      state->dynamics.rig[3 * (size_t)face->skin.vert[i] + (size_t)c] =
          state->flesh[3 * (size_t)i + (size_t)c];
      d2 += (double)off * off;
    }
    farthest2 = d2 > farthest2 ? d2 : farthest2;
  }
  state->info.max_offset = sqrt(farthest2);
}

int mi_state_measure(const mien_state *state, const float *flesh) {
  const mien_face *face = state->face;
  return mi_measure_tets(flesh, face->tets, face->info.ntet, state->host.threads, state->volume);
}

void mi_state_count_inverted(mien_state *state) {
  state->info.ninverted = state->is_sound ? 0 : mi_state_measure(state, state->flesh);
}

void mi_state_unstick(mien_state *state) {
  for (int i = 0; i < state->face->contact.nsoft; i++) state->dynamics.stick[i] = mi_stick_none();
}

void mi_state_reset(mien_state *state) {
  mi_field fields[MI_NFIELD];
  mi_fields_of(state, fields);
  for (int k = 0; k < MI_NFIELD; k++) mi_field_reset(fields + k);
  state->info = (mien_state_info){0};
  mi_state_publish(state);
}

mien_result mi_state_create(const mien_face *face, const mien_host *given, mien_state **out,
                            mien_error *err) {
  mien_host host;
  mien_result result = mi_host_resolve(given, &host, err);
  if (result != MIEN_OK) return result;
  mien_state *state = MI_CREATE(mien_state, &host);
  if (!state) return mi_fail_memory(err);
  state->host = host;
  state->face = mi_face_share(face);
  if (!reserve(state)) {
    mi_state_free(state);
    return mi_fail_memory(err);
  }
  mi_state_reset(state);
  *out = state;
  return MIEN_OK;
}

void mi_state_free(mien_state *state) {
  if (!state) return;
  mi_solver_release(state->solver);
  mi_face_release(state->face);
  mi_arena_delete(state->arena);
}
