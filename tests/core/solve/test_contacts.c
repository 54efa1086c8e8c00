// Contact in the step, on lips: nothing crosses, nothing trembles, bits and memory.
#include "scenes/touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- What the tests share -------------------------------------------------------------------------

typedef struct played {
  int64_t most;      // pairs that cross, in the worst frame
  int nframe;        // frames with any
  int ncontact;      // most contacts
  double max_offset; // m
} played;

// Of the sample takes, in s. Lips meet after BEGIN, are held PRESSED, and have parted at END,
// sticky ones at OPEN. Before and after that nothing is close. From HELD on the pose is still.
static const double BEGIN = 0.5, HELD = 1, PRESSED = 1.2, LETTING_GO = 2, END = 2.5, OPEN = 3.05;

static int frame_at(const mien_step_opts *opts, double time) {
  return (int)(time / opts->dt + 1e-6);
}

// Plays the head's take from BEGIN to `end` (s), every frame judged.
static played play(touch_scene *s, const mien_step_opts *opts, double end) {
  played p = {0};
  const mien_state_info *info = mien_state_get_info(s->state);
  for (int frame = frame_at(opts, BEGIN); frame <= frame_at(opts, end); frame++) {
    touch_pose(s, frame * opts->dt);
    touch_step(s, opts);
    assert_true(touch_is_finite(s));
    int64_t count = touch_crossings(s);
    if (opts->contact != MIEN_CONTACT_OFF) count += touch_surface_crossings(s);
    p.most = count > p.most ? count : p.most;
    p.nframe += count > 0;
    p.ncontact = info->ncontact > p.ncontact ? info->ncontact : p.ncontact;
    p.max_offset = fmax(p.max_offset, info->max_offset);
    if (info->ncontact && opts->contact == MIEN_CONTACT_BARRIER) assert_true(info->least_gap > 0);
  }
  return p;
}

// The same, on the way to what a test looks at: that nothing crosses there is another test's.
static void go_to(touch_scene *s, const mien_step_opts *opts, double end) {
  for (int frame = frame_at(opts, BEGIN); frame <= frame_at(opts, end); frame++) {
    touch_pose(s, frame * opts->dt);
    touch_step(s, opts);
  }
}

// -- Lips -----------------------------------------------------------------------------------------

static void lips_never_cross_at(void **state, const char *take, double fps, double sticky,
                                double end) {
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  touch_scene s = touch_head(take, &host);
  mien_step_opts opts = touch_options(*state, fps);
  opts.sticky = sticky;
  touch_pose(&s, 0);
  touch_step(&s, &opts);
  int before = memory.nalloc;
  played p = play(&s, &opts, end);
  int after = memory.nalloc;
  print_message("%s at %g fps, sticky %g: at most %d pairs cross, in %d frames; %d contacts, skin "
                "up to %.2f mm from the pose\n",
                take, fps, sticky, (int)p.most, p.nframe, p.ncontact, 1e3 * p.max_offset);
  // not of sweeps, which take minutes for the last tenth of a millimetre, with or without contact
  opts.sticky = 0; // corners that never part would stick for ever
  bool parts = end > LETTING_GO && *state != &touch_sweeps;
  bool is_back = parts && !strcmp(take, "press.csv") ? touch_comes_back(&s, &opts) : true;
  touch_free(&s);
  assert_true(is_back); // the artist's to the bit
  assert_true(p.ncontact > 5);
  assert_int_equal(p.most, 0);
  assert_int_equal(after, before); // steps allocate nothing after the first
  assert_int_equal(memory.live, 0);
  // lips that overlap by 3 mm have no reason to go farther, but sticky ones hold while the jaw
  // opens
  assert_true(p.max_offset < (sticky > 0 ? 0.02 : 0.01));
}

static void pressed_lips_never_cross(void **state) {
  lips_never_cross_at(state, "press.csv", 24, 0, END);
}

static void pressed_lips_never_cross_at_60_fps(void **state) {
  // until the pose is held: the way back at 60 fps is that of hard/clean
  lips_never_cross_at(state, "press.csv", 60, 0, HELD + 0.1);
}

static void rolled_lips_never_cross(void **state) {
  lips_never_cross_at(state, "kiss.csv", 24, 0, END);
}

static void sticky_lips_never_cross(void **state) {
  lips_never_cross_at(state, "press.csv", 24, 1, OPEN);
}

// Lips and, when the face blinks, lids; this take's head moves, too.
static void speaking_faces_never_cross(void **state) {
  touch_scene s = touch_head("phrase.csv", NULL);
  mien_step_opts opts = touch_options(*state, 24);
  played p = {0};
  for (int frame = 1; frame <= 72; frame++) {
    mien_take_sample(s.take, frame * opts.dt, s.weights, &s.input.head, NULL);
    touch_step(&s, &opts);
    int64_t count = touch_crossings(&s) + touch_surface_crossings(&s);
    p.most = count > p.most ? count : p.most;
    p.nframe += count > 0;
  }
  print_message("phrase: at most %d pairs cross, in %d frames\n", (int)p.most, p.nframe);
  touch_free(&s);
  assert_int_equal(p.most, 0);
}

static void without_contact_they_cross(void **state) {
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = touch_options(*state, 24);
  opts.contact = MIEN_CONTACT_OFF;
  played p = play(&s, &opts, END);
  assert_true(p.most > 50 && p.nframe > 20);
  assert_int_equal(p.ncontact, 0);
  touch_free(&s);
}

static void pressed_and_still_nothing_moves(void **state) {
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = touch_options(*state, 24);
  float *before = calloc(3 * (size_t)mien_face_get_info(s.face)->nskin, sizeof *before);
  go_to(&s, &opts, PRESSED);
  // a second to come to rest; flesh that rests longer than 0.05 s does not wake by itself
  for (int frame = 0; frame < 24; frame++) touch_step(&s, &opts);
  touch_motion(&s, before);
  double most = 0;
  for (int frame = 0; frame < 12; frame++) {
    touch_step(&s, &opts);
    most = fmax(most, touch_motion(&s, before));
  }
  print_message("pressed and still: %.3g mm from frame to frame\n", 1e3 * most);
  free(before);
  touch_free(&s);
  assert_true(most < 1e-5);
}

// Contact switched on over lips that cross already: resolved, not blown up.
static void crossing_lips_are_resolved(void **state) {
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = touch_options(*state, 24);
  opts.contact = MIEN_CONTACT_OFF;
  go_to(&s, &opts, PRESSED);
  assert_true(touch_crossings(&s) > 0);
  touch_use(*state, &opts);
  for (int frame = 0; frame < 5; frame++) {
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_int_equal(touch_crossings(&s) + touch_surface_crossings(&s), 0); // from the first on
    assert_int_equal(touch_stood_down(&s), 0);
  }
  touch_free(&s);
}

// The very first step presses: there is no place that the flesh comes from.
static void a_pressed_first_frame_is_resolved(void **state) {
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = touch_options(*state, 24);
  touch_pose(&s, PRESSED);
  assert_true(touch_posed_crossings(&s, s.rig) > 50);
  for (int frame = 0; frame < 3; frame++) {
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_int_equal(touch_crossings(&s) + touch_surface_crossings(&s), 0);
    assert_int_equal(touch_stood_down(&s), 0);
    assert_true(mien_state_get_info(s.state)->max_offset < 0.01);
  }
  assert_true(mien_state_get_info(s.state)->ncontact > 5);
  touch_free(&s);
}

// Frames in any order, as an artist scrubs: each may cross what the one before does not.
static void scrubbed_lips_never_cross(void **state) {
  static const double times[] = {1.2, 0, 1.9, 0.9, 3, 1.2, 0.7, 1.8, 0.3, 1, 2.1, 0.8};
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = touch_options(*state, 24);
  for (int k = 0; k < 12; k++) {
    touch_pose(&s, times[k]);
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_int_equal(touch_crossings(&s) + touch_surface_crossings(&s), 0);
    assert_true(mien_state_get_info(s.state)->max_offset < 0.02);
  }
  touch_free(&s);
}

// -- Bits and memory ------------------------------------------------------------------------------

// Sticky springs break from frame 40 on; other ways than planes end when all of them hold.
static uint64_t run(void **state, int threads, int restore_at, uint64_t seed) {
  int last = *state == &touch_planes ? 44 : 34;
  mien_host host;
  mien_host_init(&host);
  host.threads = threads;
  touch_scene s = touch_head("press.csv", &host);
  mien_step_opts opts = touch_options(*state, 24);
  opts.sticky = 1;
  opts.seed = seed;
  for (int frame = 16; frame <= last; frame++) {
    if (frame == restore_at) {
      assert_true(mien_state_get_info(s.state)->nstuck > 0);
      touch_move_to_new_state(&s, &host);
    }
    touch_pose(&s, frame * opts.dt);
    touch_step(&s, &opts);
  }
  uint64_t hash = mien_state_hash(s.state);
  touch_free(&s);
  return hash;
}

static void same_bits_for_any_threads_and_after_restoring(void **state) {
  uint64_t first = run(state, 1, -1, 1);
  assert_true(run(state, 8, 30, 1) == first);
  if (*state == &touch_planes)
    assert_true(run(state, 1, -1, 2) != first); // another seed, other springs break
}

int main(void) {
  const struct CMUnitTest tests[] = {
      EVERY_WAY(pressed_lips_never_cross),
      WITH(planes, pressed_lips_never_cross_at_60_fps),
      WITH(sweeps, pressed_lips_never_cross_at_60_fps), // the barrier's iterates: test_barrier.c
      EVERY_WAY(rolled_lips_never_cross),
      EVERY_WAY(sticky_lips_never_cross),
      WITH(planes, without_contact_they_cross),
      EVERY_WAY(speaking_faces_never_cross),
      EVERY_WAY(pressed_and_still_nothing_moves),
      EVERY_WAY(crossing_lips_are_resolved),
      EVERY_WAY(a_pressed_first_frame_is_resolved),
      EVERY_WAY(scrubbed_lips_never_cross),
      EVERY_WAY(same_bits_for_any_threads_and_after_restoring),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
