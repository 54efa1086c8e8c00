// Any bytes as a snapshot: as they are, and laid over a good one, which gets past the first checks.
// A refused snapshot leaves the state as it was to the last bit; an accepted one can be stepped,
// which is tried for one in eight, because a step takes a hundred times as long.
// Run: fuzz_state corpus/state (its seeds are made by the build)
#include "limited_host.h"
#include "small_face.h"

#include <stdlib.h>
#include <string.h>

// Made once: a face costs much more than a snapshot.
typedef struct scene {
  mien_state *state;
  unsigned char *dynamics, *laid, *now; // a good snapshot; one to be spoiled; the state after it
  size_t size;
} scene;

static bool open_scene(scene *s) {
  s->state = small_face_state();
  if (!s->state || !small_face_step(s->state, MIEN_SOLVER_AUTO, 0) ||
      !small_face_step(s->state, MIEN_SOLVER_AUTO, 0.02))
    return false;
  s->size = mien_state_size(s->state);
  s->dynamics = malloc(s->size);
  s->laid = malloc(s->size);
  s->now = malloc(s->size);
  return s->dynamics && s->laid && s->now &&
         mien_state_write(s->state, s->dynamics, s->size, NULL) >= 0;
}

static void save_now(scene *s) {
  if (mien_state_write(s->state, s->now, s->size, NULL) < 0) abort();
}

static void go_back(scene *s) {
  if (mien_state_read(s->state, s->dynamics, s->size, NULL) < 0) abort();
}

static void restore(scene *s, const uint8_t *bytes, size_t size, bool goes_on) {
  const mien_state_info before = *mien_state_get_info(s->state);
  mien_error err;
  if (mien_state_read(s->state, bytes, size, &err) < 0) {
    if (!err.text[0] || memcmp(&before, mien_state_get_info(s->state), sizeof before)) abort();
    save_now(s);
    if (memcmp(s->now, s->dynamics, s->size)) abort();
    return;
  }
  if (goes_on) small_face_step(s->state, MIEN_SOLVER_AUTO, 0.03);
  save_now(s);
  go_back(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static scene s;
  if (!s.state && !open_scene(&s)) abort();
  bool goes_on = mi_hash(0, data, size) % 8 == 0;
  restore(&s, data, size, goes_on);
  // two bytes say where, the rest is laid there
  if (size < 3) return 0;
  size_t at = (size_t)(data[0] << 8 | data[1]) % s.size, most = s.size - at;
  memcpy(s.laid, s.dynamics, s.size);
  memcpy(s.laid + at, data + 2, size - 2 < most ? size - 2 : most);
  restore(&s, s.laid, s.size, goes_on);
  return 0;
}
