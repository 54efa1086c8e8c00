// Contact by the barrier: no accepted iterate crosses, three global steps find one minimum, energy
// falls, bits and memory, statics, stiffness, starts that cross, the gradient.
#include "scenes/touch.h"
#include "solve/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- What the tests share -------------------------------------------------------------------------

// Of press.csv: lips meet from 0.6 s on, are held from 0.95 to 1.8 s (nothing of the pose moves
// then) and have let go at 2.15 s.
static const double HELD = 1.0, STILL_HELD = 1.75, RELEASED = 2.3; // s

static mien_step_opts options(double fps) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.contact = MIEN_CONTACT_BARRIER;
  opts.dt = 1 / fps;
  return opts;
}

static mien_host one_thread(void) {
  mien_host host;
  mien_host_init(&host);
  host.threads = 1;
  return host;
}

static touch_scene head(void) {
  mien_host host = one_thread();
  return touch_head("press.csv", &host);
}

typedef struct snapshot {
  void *bytes;
  size_t size;
} snapshot;

static snapshot save(const touch_scene *s) {
  snapshot kept = {.size = mien_state_size(s->state)};
  kept.bytes = malloc(kept.size);
  assert_int_equal(mien_state_save(s->state, kept.bytes, kept.size, NULL), MIEN_OK);
  return kept;
}

static void restore(touch_scene *s, const snapshot *kept) {
  assert_int_equal(mien_state_restore(s->state, kept->bytes, kept->size, NULL), MIEN_OK);
}

// What must hold wherever the solver stops.
static void check_free(const touch_scene *s, const char *what, int frame) {
  const mien_state_info *info = mien_state_get_info(s->state);
  assert_true(touch_is_finite(s));
  int64_t count = touch_crossings(s);
  if (count) fail_msg("%s, frame %d: %d pairs cross", what, frame, (int)count);
  if (info->ncontact && !(info->least_gap > 0))
    fail_msg("%s, frame %d: a gap of %g m", what, frame, info->least_gap);
}

// Plays the take from `from` to `to` (s); returns the most contacts of a frame.
static int play(touch_scene *s, const mien_step_opts *opts, double from, double to) {
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

// m, the farthest a flesh vertex is from where it was; `x` becomes the present
static double differ(const touch_scene *s, float *x) {
  mien_f32s now = mien_state_get_info(s->state)->flesh;
  double most = 0;
  for (int i = 0; i < 3 * now.count; i++)
    most = fmax(most, fabs((double)now.data[i] - (double)x[i]));
  memcpy(x, now.data, 3 * (size_t)now.count * sizeof *x);
  return most;
}

static float *room(const touch_scene *s) {
  return calloc(3 * (size_t)mien_state_get_info(s->state)->flesh.count, sizeof(float));
}

// -- Nothing crosses ------------------------------------------------------------------------------

// Every frame, and in every third one that has contacts the iterates on its way: from the same
// start with at most 1, 2, 3, ... iterations.
static void no_iterate_crosses_at(double fps, double end) {
  enum { MOST = 8 };
  touch_scene s = head();
  const mien_state_info *info = mien_state_get_info(s.state);
  mien_step_opts opts = options(fps);
  int niterate = 0, nframe = 0, most = 0;
  for (int frame = 1; frame <= (int)(end * fps); frame++) {
    snapshot start = save(&s);
    touch_pose(&s, frame * opts.dt);
    for (int k = 1; k < MOST && frame % 3 == 0 && info->ncontact > 5; k++) {
      opts.iterations = k;
      touch_step(&s, &opts);
      check_free(&s, "on the way", frame);
      niterate += info->iterations == k;
      restore(&s, &start);
      s.state->info.ncontact = 6; // a restored state has not counted yet
    }
    opts.iterations = MOST;
    touch_step(&s, &opts);
    check_free(&s, "frame", frame);
    nframe += info->ncontact > 0;
    most = info->ncontact > most ? info->ncontact : most;
    free(start.bytes);
  }
  print_message("%g fps: %d frames with contacts, at most %d; %d iterates between, all free\n", fps,
                nframe, most, niterate);
  touch_free(&s);
  assert_true(most > 20 && niterate > 30);
}

static void no_iterate_crosses(void **state) {
  (void)state;
  no_iterate_crosses_at(24, RELEASED);
}

static void no_iterate_crosses_at_60_fps(void **state) {
  (void)state;
  no_iterate_crosses_at(60, 1.3);
}

static void rolled_lips_never_cross(void **state) {
  (void)state;
  mien_host host = one_thread();
  touch_scene s = touch_head("kiss.csv", &host);
  mien_step_opts opts = options(24);
  int most = play(&s, &opts, 0, RELEASED);
  touch_free(&s);
  assert_true(most > 20);
}

static void any_stiffness_and_step_never_cross(void **state) {
  (void)state;
  static const double stiffness[] = {0.1, 1, 10};
  for (int k = 0; k < 9; k++) {
    touch_scene s = head();
    mien_step_opts opts = options(24);
    opts.barrier_stiffness = stiffness[k / 3];
    opts.barrier_step = (mien_barrier_step)(k % 3);
    int most = play(&s, &opts, 0, k % 3 ? HELD : RELEASED);
    touch_free(&s);
    assert_true(most > 10);
  }
}

// Switched on over lips that cross already. What info says: the motion was cut short.
static void a_start_that_crosses_is_resolved(void **state) {
  (void)state;
  touch_scene s = head();
  const mien_state_info *info = mien_state_get_info(s.state);
  mien_step_opts opts = options(24);
  opts.contact = MIEN_CONTACT_OFF;
  for (int frame = 1; frame <= 26; frame++) {
    touch_pose(&s, frame * opts.dt);
    touch_step(&s, &opts);
  }
  int64_t before = touch_crossings(&s);
  opts.contact = MIEN_CONTACT_BARRIER;
  touch_step(&s, &opts);
  check_free(&s, "switched on", 0);
  print_message("%d pairs crossed; after one step none: %d motions cut short, %d contacts\n",
                (int)before, info->nlimited, info->ncontact);
  assert_true(before > 20);
  assert_true(info->nlimited > 0 && info->ncontact > 5);
  for (int frame = 0; frame < 10; frame++) {
    touch_step(&s, &opts);
    check_free(&s, "switched on", frame + 1);
  }
  touch_free(&s);
}

// -- One minimum ----------------------------------------------------------------------------------

typedef struct minimum {
  double start, energy; // J
  double off;           // m, from the Woodbury step's
} minimum;

static void find_minima(touch_scene *s, const snapshot *start, int iterations, minimum found[3]) {
  float *x = room(s);
  mien_step_opts opts = options(24);
  const mien_state_info *info = mien_state_get_info(s->state);
  opts.iterations = iterations;
  for (int step = MIEN_BARRIER_WOODBURY; step <= MIEN_BARRIER_PCG; step++) {
    restore(s, start);
    opts.barrier_step = (mien_barrier_step)step;
    touch_step(s, &opts);
    check_free(s, "global step", step);
    found[step] = (minimum){info->energy_start, info->energy, step ? differ(s, x) : 0};
    if (!step) differ(s, x);
    memcpy(x, step ? x : info->flesh.data, 0);
    print_message("%d iterations, global step %d: energy %.6g uJ of %.6g, %.3g um from the first\n",
                  iterations, step, 1e6 * info->energy, 1e6 * info->energy_start,
                  1e6 * found[step].off);
  }
  free(x);
}
