// Lips pressed by the barrier: what its tests share.
#ifndef MIEN_TESTS_BARRIER_PRESS_H
#define MIEN_TESTS_BARRIER_PRESS_H

#include "scenes/touch.h"
#include "solve/barrier.h"
#include "solve/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of press.csv: at BEGIN nothing is close yet; lips meet from 0.6 s on, are held from 0.95 to 1.8 s
// (nothing of the pose moves then) and have let go at 2.15 s. All in seconds.
#define BEGIN 0.5
#define MEET 0.6
#define PRESSED 0.9
#define HELD 1.0
#define STILL_HELD 1.75
#define LETTING_GO 1.92
#define RELEASED 2.3

static inline mien_step_opts options(double fps) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.contact = MIEN_CONTACT_BARRIER;
  opts.dt = 1 / fps;
  return opts;
}

static inline mien_host one_thread(void) {
  mien_host host;
  mien_host_init(&host);
  host.threads = 1;
  return host;
}

static inline touch_scene head(void) {
  mien_host host = one_thread();
  return touch_head("press.csv", &host);
}

typedef struct snapshot {
  void *bytes;
  size_t size;
} snapshot;

static inline snapshot save(const touch_scene *s) {
  snapshot kept = {.size = mien_state_size(s->state)};
  kept.bytes = malloc(kept.size);
  assert_int_equal(mien_state_write(s->state, kept.bytes, kept.size, NULL), MIEN_OK);
  return kept;
}

static inline void restore(touch_scene *s, const snapshot *kept) {
  assert_int_equal(mien_state_read(s->state, kept->bytes, kept->size, NULL), MIEN_OK);
}

// What must hold wherever the solver stops.
static inline void check_free(const touch_scene *s, const char *what, int frame) {
  const mien_state_info *info = mien_state_get_info(s->state);
  assert_true(touch_is_finite(s));
  int64_t count = touch_crossings(s) + touch_surface_crossings(s);
  if (count) fail_msg("%s, frame %d: %d pairs cross", what, frame, (int)count);
  if (info->ncontact && !(info->least_gap > 0))
    fail_msg("%s, frame %d: a gap of %g m", what, frame, info->least_gap);
}

// Plays the take from `from` to `to` (s); returns the most contacts of a frame.
static inline int play(touch_scene *s, const mien_step_opts *opts, double from, double to) {
  const mien_state_info *info = mien_state_get_info(s->state);
  int most = 0;
  int last = (int)(to / opts->dt + 1e-6);
  for (int frame = (int)(from / opts->dt + 1e-6) + 1; frame <= last; frame++) {
    touch_pose(s, frame * opts->dt);
    touch_step(s, opts);
    check_free(s, "playing", frame);
    most = info->ncontact > most ? info->ncontact : most;
  }
  return most;
}

// m, the farthest a flesh vertex is from x
static inline double differ(const touch_scene *s, const float *x) {
  mien_f32s now = mien_state_get_info(s->state)->flesh;
  double most = 0;
  for (int i = 0; i < 3 * now.count; i++)
    most = fmax(most, fabs((double)now.data[i] - (double)x[i]));
  return most;
}

static inline void keep(const touch_scene *s, float *x) {
  mien_f32s now = mien_state_get_info(s->state)->flesh;
  memcpy(x, now.data, 3 * (size_t)now.count * sizeof *x);
}

static inline float *room(const touch_scene *s) {
  return calloc(3 * (size_t)mien_state_get_info(s->state)->flesh.count, sizeof(float));
}

// m, distances below which the barrier may become stiffer: a twentieth of its reach beyond the
// least separation that is kept of everything
static inline double apart_at_most(const touch_scene *s, const mien_step_opts *opts) {
  const mi_surface *surface = s->state->contacts->surface;
  double reach = mi_contact_lengths_of(s->state, opts).thickness / 2;
  return 0.05 * reach + 2 * (double)surface->vert_offset[0];
}

#endif
