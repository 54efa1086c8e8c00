// The public functions of faces, states and steps: arguments are checked here and nowhere else.
#include "api/api_input.h"
#include "api/lines.h"
#include "fit/muscle_fit.h"
#include "fit/stiffness.h"
#include "io/io.h"
#include "math/kernels.h"
#include "solve/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mien_version(void) {
  return MIEN_VERSION;
}

const char *mien_build_info(void) {
#ifdef MI_HAVE_THREADS
#define MI_THREADS "threads"
#else
#define MI_THREADS "one thread"
#endif
#define MI_STRING2(a) #a
#define MI_STRING(a) MI_STRING2(a)
#define MI_BUILD                                                                                   \
  "mien " MI_STRING(MIEN_VERSION_MAJOR) "." MI_STRING(MIEN_VERSION_MINOR) "." MI_STRING(           \
      MIEN_VERSION_PATCH) ", "
  const char *name = mi_kernels_best()->name; // one of four, so that the text can be constant
  if (name[0] == 'a' && mi_kernels_sixteen()) return MI_BUILD "avx2 and avx512, " MI_THREADS;
  if (name[0] == 'a') return MI_BUILD "avx2, " MI_THREADS;
  if (name[0] == 'n') return MI_BUILD "neon, " MI_THREADS;
  return MI_BUILD "scalar, " MI_THREADS;
}

// -- Face -----------------------------------------------------------------------------------------

static mien_result create_face(const mien_rig *rig, const mien_face_def *def, const mien_host *host,
                               mien_face **out, mien_error *err) {
  mien_result result = mi_face_create(rig, def, host, out, err);
  if (result < 0) return result;
  mien_result fitted = def->fit_stiffness ? mi_fit_stiffness(*out, err) : MIEN_OK;
  if (fitted >= 0 && def->nmuscle_target) fitted = mi_fit_muscles(*out, def, err);
  if (fitted < 0) {
    mi_face_release(*out);
    *out = NULL;
    return fitted;
  }
  return result;
}

mien_result mien_face_create(const mien_rig *rig, const mien_face_def *given_def,
                             const mien_host *given, mien_face **out, mien_error *err) {
  mi_error_clear(err);
  if (!rig || !out)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no rig, or nowhere to put the face");
  mien_face_def def;
  mien_host host;
  mien_result result = MI_TAKE(mien_face_def, &def, given_def, err);
  if (result >= 0) result = mi_host_resolve(given, &host, err);
  if (result < 0) return result;
  mi_host_entry before = mi_host_enter(&host);
  result = create_face(rig, &def, &host, out, err);
  mi_host_leave(before);
  return result;
}

const mien_face_info *mien_face_get_info(const mien_face *face) {
  return face ? &face->info : NULL;
}

void mien_face_free(mien_face *face) {
  mi_face_release(face);
}

mien_result mien_rig_save(const mien_rig *rig, const mien_face *face, const mien_take *take,
                          const char *path, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!rig || !path) return mi_fail(err, MIEN_ERR_ARGUMENT, "the rig or the path is missing");
  if (face && mi_face_render_skin(face) != rig)
    return mi_fail(err, MIEN_ERR_MISMATCH, "the face was made from another rig");
  mi_arena scratch;
  mi_arena_init(&scratch, &rig->host);
  mien_map *maps = NULL;
  char json[128], *muscles = NULL, *both = NULL;
  mi_glb_extra extra = {.take = take};
  // regions found on a coarse rig have no place on the artist's: they are found again after loading
  bool is_coarse = face && face->embedding.render_skin;
  mien_result result = MIEN_OK;
  if (is_coarse) {
    snprintf(json, sizeof json, "{\"simulate_at\": %d}", face->simulate_at);
    extra.mien_json = json;
  } else if (face) {
    result = mi_face_maps(face, &scratch, &maps, &extra.nmap, err);
    snprintf(json, sizeof json,
             "{\"hypodermis_hash\": \"%016" PRIx64 "\", \"blendvolumes_hash\": \"%016" PRIx64 "\"}",
             face->inputs_hash, face->blendvolumes.inputs_hash);
    extra.maps = maps;
    extra.mien_json = json;
  }
  if (result == MIEN_OK && face && face->muscles.is_fitted) {
    muscles = mi_muscles_to_json(face);
    size_t size = muscles ? strlen(muscles) + sizeof json + 32 : 0;
    both = muscles ? MI_PUSH(&scratch, char, size) : NULL;
    if (!both) result = mi_fail_memory(err);
    // its members, and ours before the closing bracket
    if (both) snprintf(both, size, "%.*s, \"muscles\": %s}", (int)strlen(json) - 1, json, muscles);
    extra.mien_json = both;
    free(muscles);
  }
  if (result == MIEN_OK) result = mi_glb_write(rig, &extra, path, err);
  mi_arena_free(&scratch);
  return result;
}

// -- State ----------------------------------------------------------------------------------------

mien_result mien_state_create(const mien_face *face, const mien_host *given, mien_state **out,
                              mien_error *err) {
  mi_error_clear(err);
  if (!face || !out)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no face, or nowhere to put the state");
  mien_host host;
  mien_result result = mi_host_resolve(given, &host, err);
  if (result < 0) return result;
  mi_host_entry before = mi_host_enter(&host);
  result = mi_state_create(face, &host, out, err);
  mi_host_leave(before);
  return result;
}

void mien_state_reset(mien_state *state) {
  if (!state) return;
  mi_host_entry before = mi_host_enter(&state->host);
  mi_state_reset(state);
  mi_host_leave(before);
}

mien_result mien_state_copy(mien_state *to, const mien_state *from, mien_error *err) {
  mi_error_clear(err);
  if (!to || !from) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no state");
  if (to->face->info.hash != from->face->info.hash)
    return mi_fail(err, MIEN_ERR_MISMATCH, "the states belong to different faces");
  mi_host_entry before = mi_host_enter(&to->host);
  mi_state_assign(to, from);
  mi_host_leave(before);
  return MIEN_OK;
}

size_t mien_state_size(const mien_state *state) {
  return state ? mi_state_size(state) : 0;
}

mien_result mien_state_write(const mien_state *state, void *bytes, size_t size, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!state || !bytes)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no state, or nowhere to put it");
  if (size < mi_state_size(state))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "a snapshot needs %zu bytes, there are %zu",
                   mi_state_size(state), size);
  mi_state_save(state, bytes);
  return MIEN_OK;
}

mien_result mien_state_read(mien_state *state, const void *bytes, size_t size, mien_error *err) {
  mi_error_clear(err);
  if (!state || !bytes) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no state or no snapshot");
  mi_host_entry before = mi_host_enter(&state->host);
  mien_result result = mi_state_restore(state, bytes, size, err);
  mi_host_leave(before);
  return result;
}

uint64_t mien_state_hash(const mien_state *state) {
  return state ? mi_state_hash(state) : 0;
}

const mien_state_info *mien_state_get_info(const mien_state *state) {
  return state ? &state->info : NULL;
}

int mien_state_lines(const mien_state *state, unsigned kinds, mien_line *lines, int most) {
  if (!state || most < 0 || (most > 0 && !lines)) return MIEN_ERR_ARGUMENT;
  return mi_state_lines(state, kinds, lines, most);
}

void mien_state_free(mien_state *state) {
  mi_state_free(state);
}

// -- Step -----------------------------------------------------------------------------------------

mien_result mien_step(mien_state *state, const mien_input *given_input,
                      const mien_step_opts *given_opts, mien_error *err) {
  mi_error_clear(err);
  if (!state) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no state");
  mien_input input;
  mien_step_opts opts;
  mien_result result = MI_TAKE(mien_step_opts, &opts, given_opts, err);
  if (result >= 0) result = MI_TAKE(mien_input, &input, given_input, err);
  if (result < 0) return result;
  mi_host_entry before = mi_host_enter(&state->host);
  result = mi_input_check(state, &input, &opts, err);
  if (result >= 0) result = mi_step(state, &input, &opts, err);
  mi_host_leave(before);
  return result;
}
