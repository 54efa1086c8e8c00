// Any bytes as a .glb, and everything after it: rig, stored maps, face, a state and three steps.
// What is accepted must come to finite skin. Run: fuzz_face corpus/glb
#include "limited_host.h"

#include <math.h>
#include <stdlib.h>

static void step(const mien_rig *rig, mien_state *state) {
  mien_input input;
  mien_step_opts opts;
  mien_error err;
  int nshape = mien_rig_get_info(rig)->nshape;
  float *weights = calloc((size_t)nshape + 1, sizeof *weights);
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.iterations = 1;
  for (int s = 0; s < nshape; s++) weights[s] = 0.3f;
  input.weights = (mien_f32s){weights, nshape, 1};
  for (int k = 0; k < 3; k++) {
    input.head.translation[0] = 0.01 * k;
    if (mien_step(state, &input, &opts, &err) < 0) break;
    mien_f32s skin = mien_state_get_info(state)->positions;
    for (int i = 0; i < 3 * skin.count; i++)
      if (!isfinite(skin.data[i])) abort();
  }
  free(weights);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mien_host host;
  if (!make_limited_host(&host)) return 0;
  mien_error err;
  mien_rig *rig = NULL;
  mien_face *face = NULL;
  mien_state *state = NULL;
  if (mien_rig_read(data, size, &host, &rig, &err) < 0) return 0;
  bool is_small = mien_rig_get_info(rig)->nvert <= 2000; // larger ones are as hard, and slow
  if (is_small && mien_face_create(rig, NULL, &host, &face, &err) >= 0 &&
      mien_state_create(face, &host, &state, &err) >= 0)
    step(rig, state);
  mien_state_free(state);
  mien_face_free(face);
  mien_rig_free(rig);
  return 0;
}
