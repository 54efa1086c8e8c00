// Contact in the step: nothing crosses, nothing trembles, bits and memory, what sticks, what
// slides.
#include "scenes/touch.h"

#include <math.h>
#include <stdlib.h>

// -- What the tests share -------------------------------------------------------------------------

static mien_step_opts options(void **state, double fps) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  touch_use(*state, &opts);
  opts.dt = 1 / fps;
  return opts;
}

typedef struct played {
  int64_t most;      // pairs that cross, in the worst frame
  int nframe;        // frames with any
  int ncontact;      // most contacts
  double max_offset; // m
} played;

// Plays the head's take from its start to `end` (s).
static played play(touch_scene *s, const mien_step_opts *opts, double end) {
  played p = {0};
  const mien_state_info *info = mien_state_get_info(s->state);
  int nframe = (int)(end / opts->dt + 1e-6);
  for (int frame = 1; frame <= nframe; frame++) {
    touch_pose(s, frame * opts->dt);
    touch_step(s, opts);
    assert_true(touch_is_finite(s));
    int64_t count = touch_crossings(s);
    p.most = count > p.most ? count : p.most;
    p.nframe += count > 0;
    p.ncontact = info->ncontact > p.ncontact ? info->ncontact : p.ncontact;
    p.max_offset = fmax(p.max_offset, info->max_offset);
  }
  return p;
}

static const double END = 3.6, PRESSED = 1.2, OPEN = 3.05; // s, of the sample takes

// -- Lips -----------------------------------------------------------------------------------------

static void lips_never_cross_at(void **state, const char *take, double fps, double sticky) {
  touch_scene s = touch_head(take, NULL);
  mien_step_opts opts = options(state, fps);
  opts.sticky = sticky;
  played p = play(&s, &opts, END);
  print_message("%s at %g fps, sticky %g: at most %d pairs cross, in %d frames; %d contacts, skin "
                "up to %.2f mm from the pose\n",
                take, fps, sticky, (int)p.most, p.nframe, p.ncontact, 1e3 * p.max_offset);
  touch_free(&s);
  assert_true(p.ncontact > 5);
  assert_int_equal(p.most, 0);
  // lips that overlap by 3 mm have no reason to go farther, but sticky ones hold while the jaw
  // opens
  assert_true(p.max_offset < (sticky > 0 ? 0.02 : 0.01));
}

static void pressed_lips_never_cross(void **state) {
  lips_never_cross_at(state, "press.csv", 24, 0);
}

static void pressed_lips_never_cross_at_60_fps(void **state) {
  lips_never_cross_at(state, "press.csv", 60, 0);
}

static void rolled_lips_never_cross(void **state) {
  lips_never_cross_at(state, "kiss.csv", 24, 0);
}

static void sticky_lips_never_cross(void **state) {
  lips_never_cross_at(state, "press.csv", 24, 1);
}

// Lips and, when the face blinks, lids; this take's head moves, too.
static void speaking_faces_never_cross(void **state) {
  touch_scene s = touch_head("phrase.csv", NULL);
  mien_step_opts opts = options(state, 24);
  played p = {0};
  for (int frame = 1; frame <= 72; frame++) {
    mien_take_sample(s.take, frame * opts.dt, s.weights, &s.input.head, NULL);
    touch_step(&s, &opts);
    int64_t count = touch_crossings(&s);
    p.most = count > p.most ? count : p.most;
    p.nframe += count > 0;
  }
  print_message("phrase: at most %d pairs cross, in %d frames\n", (int)p.most, p.nframe);
  touch_free(&s);
  assert_int_equal(p.most, 0);
}

static void without_contact_they_cross(void **state) {
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = options(state, 24);
  opts.contact = MIEN_CONTACT_OFF;
  played p = play(&s, &opts, END);
  assert_true(p.most > 50 && p.nframe > 20);
  assert_int_equal(p.ncontact, 0);
  touch_free(&s);
}

static void pressed_and_still_nothing_moves(void **state) {
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = options(state, 24);
  float *before = calloc(3 * (size_t)mien_face_get_info(s.face)->nskin, sizeof *before);
  play(&s, &opts, PRESSED);
  for (int frame = 0; frame < 48; frame++) touch_step(&s, &opts);
  touch_motion(&s, before);
  double most = 0;
  for (int frame = 0; frame < 30; frame++) {
    touch_step(&s, &opts);
    most = fmax(most, touch_motion(&s, before));
  }
  print_message("pressed and still: %.3g mm from frame to frame\n", 1e3 * most);
  free(before);
  touch_free(&s);
  assert_true(most < 1e-5);
}

static void lips_that_part_are_the_artists_again(void **state) {
  for (int sticky = 0; sticky < 2; sticky++) {
    touch_scene s = touch_head("press.csv", NULL);
    mien_step_opts opts = options(state, 24);
    opts.sticky = sticky;
    play(&s, &opts, OPEN);
    opts.sticky = 0; // corners that never part would stick for ever
    for (int frame = 0; frame < 240 && !touch_is_artists(&s); frame++) touch_step(&s, &opts);
    bool is_back = touch_is_artists(&s);
    if (!is_back)
      print_message("sticky %d: still %.3g mm from the pose\n", sticky,
                    1e3 * mien_state_get_info(s.state)->max_offset);
    touch_free(&s);
    assert_true(is_back);
  }
}

// Contact switched on over lips that cross already: resolved, not blown up.
static void crossing_lips_are_resolved(void **state) {
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = options(state, 24);
  opts.contact = MIEN_CONTACT_OFF;
  play(&s, &opts, PRESSED);
  assert_true(touch_crossings(&s) > 0);
  touch_use(*state, &opts);
  for (int frame = 0; frame < 5; frame++) {
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
  }
  int64_t left = touch_crossings(&s);
  touch_free(&s);
  assert_int_equal(left, 0);
}

// -- Sticking and sealing
// ---------------------------------------------------------------------------

// m, mean distance of the upper slit's vertices on one side (+1 left, -1 right) from the lower lip
static double mouth_gap(const touch_scene *s, int side) {
  const mien_face_info *face = mien_face_get_info(s->face);
  const float *x = mien_state_get_info(s->state)->flesh.data;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < face->nslit; i++) {
    int upper = face->slit.data[i];
    float at = face->positions.data[3 * upper] * (float)side;
    if (!(face->regions.data[upper] & MIEN_REGION_LIP_UPPER) || at < 0.004f || at > 0.018f)
      continue;
    double least = INFINITY;
    for (int j = 0; j < face->nslit; j++) {
      int lower = face->slit.data[j];
      if (!(face->regions.data[lower] & MIEN_REGION_LIP_LOWER) || lower == upper) continue;
      double d2 = 0;
      for (int k = 0; k < 3; k++) d2 += pow((double)x[3 * upper + k] - (double)x[3 * lower + k], 2);
      least = fmin(least, d2);
    }
    sum += sqrt(least);
    count++;
  }
  assert_true(count > 0);
  return sum / count;
}

// Lips that stick open later than lips that do not, and then all the way.
static void sticky_lips_hold_and_peel(void **state) {
  int most = 0, broken = 0;
  double gap[2] = {0}, last[2];
  for (int sticky = 0; sticky < 2; sticky++) {
    touch_scene s = touch_head("press.csv", NULL);
    const mien_state_info *info = mien_state_get_info(s.state);
    mien_step_opts opts = options(state, 24);
    opts.sticky = sticky;
    for (int frame = 1; frame <= (int)(OPEN * 24); frame++) {
      touch_pose(&s, frame * opts.dt);
      touch_step(&s, &opts);
      most = info->nstuck > most ? info->nstuck : most;
      broken += info->nbroken;
      if (!sticky) assert_int_equal(info->nstuck + info->nbroken, 0);
      if (frame > 48) gap[sticky] += mouth_gap(&s, 1) + mouth_gap(&s, -1); // opening
    }
    last[sticky] = mouth_gap(&s, 1) + mouth_gap(&s, -1);
    touch_free(&s);
  }
  print_message(
      "%d springs at once, %d broke; mouth open by %.0f %% of the plain one's, %.0f %% in "
      "the end\n",
      most, broken, 100 * gap[1] / gap[0], 100 * last[1] / last[0]);
  assert_true(most > 10 && broken > 10);
  assert_true(gap[1] < 0.98 * gap[0]);
  assert_true(last[1] > 0.8 * last[0]);
}

static void a_seal_holds_its_side(void **state) {
  static const double seals[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  double gap[4][2];
  for (int k = 0; k < 4; k++) {
    touch_scene s = touch_head("press.csv", NULL);
    mien_step_opts opts = options(state, 24);
    s.input.seal_left = seals[k][0];
    s.input.seal_right = seals[k][1];
    for (int frame = 0; frame < 24; frame++) {
      s.weights[mien_rig_find_shape(s.rig, "jawOpen")] = 0.3f * fminf(1, (float)frame / 12);
      touch_step(&s, &opts);
    }
    gap[k][0] = mouth_gap(&s, 1);
    gap[k][1] = mouth_gap(&s, -1);
    print_message("seal %g, %g: gap %.2f mm left, %.2f mm right\n", seals[k][0], seals[k][1],
                  1e3 * gap[k][0], 1e3 * gap[k][1]);
    touch_free(&s);
  }
  assert_near(gap[0][0], gap[0][1], 0.1 * gap[0][0]);
  for (int side = 0; side < 2; side++) {
    assert_true(gap[1 + side][side] < 0.1 * gap[1 + side][1 - side]);
    assert_true(gap[1 + side][1 - side] > 0.3 * gap[0][1 - side]);
    assert_true(gap[3][side] < 0.1 * gap[0][side]);
  }
  // the head is symmetric: what one seal leaves open the other does, too
  assert_near(gap[1][1], gap[2][0], 0.15 * gap[1][1]);
}

// -- Two balls ------------------------------------------------------------------------------------

static void press_balls(touch_scene *s, const mien_step_opts *opts, int nframe) {
  for (int frame = 1; frame <= nframe; frame++) {
    s->weights[TOUCH_DOWN] = fminf(1, 2 * (float)frame / (float)nframe);
    touch_step(s, opts);
    assert_true(touch_is_finite(s));
    assert_int_equal(touch_crossings(s), 0);
  }
}

static void balls_flatten_and_come_back(void **state) {
  touch_scene s = touch_balls(0.002, NULL);
  mien_step_opts opts = options(state, 48);
  press_balls(&s, &opts, 40);
  const mien_state_info *info = mien_state_get_info(s.state);
  assert_true(info->ncontact > 3 && info->least_gap > 0);
  assert_true(info->max_offset > 1e-3 && info->max_offset < 0.01);
  s.weights[TOUCH_DOWN] = -1;
  for (int frame = 0; frame < 200 && !touch_is_artists(&s); frame++) touch_step(&s, &opts);
  bool is_back = touch_is_artists(&s);
  touch_free(&s);
  assert_true(is_back);
}

static void pressed_balls_rest(void **state) {
  touch_scene s = touch_balls(0.002, NULL);
  mien_step_opts opts = options(state, 48);
  float *before = calloc(3 * (size_t)mien_face_get_info(s.face)->nskin, sizeof *before);
  press_balls(&s, &opts, 96);
  touch_motion(&s, before);
  double most = 0;
  for (int frame = 0; frame < 30; frame++) {
    touch_step(&s, &opts);
    most = fmax(most, touch_motion(&s, before));
  }
  print_message("balls pressed and still: %.3g mm from frame to frame\n", 1e3 * most);
  free(before);
  touch_free(&s);
  assert_true(most < 1e-5);
}

// How far the upper ball's skin is ahead of the lower one's where they touch, when it was pressed
// on and then moved aside by 4 mm.
static double slide(void **state, double friction) {
  touch_scene s = touch_balls(0.002, NULL);
  mien_step_opts opts = options(state, 48);
  opts.friction = friction;
  opts.iterations = 30;
  press_balls(&s, &opts, 40);
  int nskin = mien_face_get_info(s.face)->nskin;
  float *before = calloc(3 * (size_t)nskin, sizeof *before);
  touch_motion(&s, before);
  for (int frame = 1; frame <= 20; frame++) {
    s.weights[TOUCH_ASIDE] = 0.02f * (float)frame;
    touch_step(&s, &opts);
    assert_int_equal(touch_crossings(&s), 0);
  }
  const float *now = mien_state_get_info(s.state)->flesh.data;
  const float *rest = mien_face_get_info(s.face)->positions.data;
  double way[2] = {0};
  int count[2] = {0};
  for (int i = 0; i < nskin; i++) { // within 12 mm of the place where the balls meet
    double x = rest[3 * i], y = rest[3 * i + 1] - 0.001, z = rest[3 * i + 2];
    if (x * x + z * z > 1.44e-4 || fabs(y) > 0.005) continue;
    way[y > 0] += (double)now[3 * i] - (double)before[3 * i];
    count[y > 0]++;
  }
  free(before);
  touch_free(&s);
  assert_true(count[0] > 3 && count[1] > 3);
  return way[1] / count[1] - way[0] / count[0];
}

static void friction_holds_back(void **state) {
  double free_way = slide(state, 0), held_way = slide(state, 5);
  print_message("slid %.3f mm without friction, %.3f mm with\n", 1e3 * free_way, 1e3 * held_way);
  assert_true(free_way > 2e-3);
  assert_true(held_way < 0.8 * free_way && held_way > -1e-3);
}

// Balls modelled one in the other: pairs that cross in the neutral never push.
static void a_rest_that_crosses_is_left_alone(void **state) {
  touch_scene s = touch_balls(-0.006, NULL);
  mien_step_opts opts = options(state, 24);
  for (int frame = 0; frame < 20; frame++) touch_step(&s, &opts);
  assert_true(touch_is_artists(&s));
  for (int frame = 0; frame < 40; frame++) {
    s.weights[TOUCH_DOWN] = 0.4f * sinf(0.3f * (float)frame);
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_true(mien_state_get_info(s.state)->max_offset < 0.02);
  }
  s.weights[TOUCH_DOWN] = -1; // apart
  for (int frame = 0; frame < 200 && !touch_is_artists(&s); frame++) touch_step(&s, &opts);
  bool is_back = touch_is_artists(&s);
  touch_free(&s);
  assert_true(is_back);
}

// Lips without a slit between them: sealed, sticky and shaken.
static void welded_lips_are_survived(void **state) {
  touch_scene s = touch_ball(NULL, NULL);
  mien_step_opts opts = options(state, 24);
  opts.sticky = 1;
  s.input.seal_left = s.input.seal_right = 1;
  for (int frame = 0; frame < 24; frame++) {
    s.input.head.translation[0] = 0.02 * sin(frame);
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_true(mien_state_get_info(s.state)->max_offset < 0.05);
  }
  touch_free(&s);
}

// -- Bits and memory ------------------------------------------------------------------------------

static uint64_t run(void **state, int threads, int restore_at, uint64_t seed) {
  mien_host host;
  mien_host_init(&host);
  host.threads = threads;
  touch_scene s = touch_head("press.csv", &host);
  mien_step_opts opts = options(state, 24);
  opts.sticky = 1;
  opts.seed = seed;
  for (int frame = 1; frame <= 44; frame++) {
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
  assert_true(run(state, 2, -1, 1) == first);
  assert_true(run(state, 8, -1, 1) == first);
  assert_true(run(state, 1, 30, 1) == first);
  assert_true(run(state, 1, -1, 2) != first); // another seed, other springs break
}

static void steps_allocate_nothing_after_the_first(void **state) {
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  touch_scene s = touch_head("press.csv", &host);
  mien_step_opts opts = options(state, 24);
  opts.sticky = 1;
  touch_pose(&s, 0);
  touch_step(&s, &opts);
  int before = memory.nalloc;
  played p = play(&s, &opts, PRESSED);
  int after = memory.nalloc;
  touch_free(&s);
  assert_true(p.ncontact > 0);
  assert_int_equal(after, before);
  assert_int_equal(memory.live, 0);
}

static mien_result step_once(const mien_host *host, void *user) {
  touch_scene *s = user;
  mien_state *made = NULL;
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.contact = MIEN_CONTACT_PLANE;
  mien_result result = mien_state_create(s->face, host, &made, NULL);
  if (result >= 0) result = mien_step(made, &s->input, &opts, NULL);
  mien_state_free(made);
  return result;
}

static void survives_every_failed_allocation(void **state) {
  (void)state;
  touch_scene s = touch_balls(0.002, NULL);
  scene_fail_every_allocation(step_once, &s);
  touch_free(&s);
}

static const touch_way planes = {MIEN_SOLVER_AUTO, MIEN_CONTACT_PLANE},
                       sweeps = {MIEN_SOLVER_GAUSS_SEIDEL, MIEN_CONTACT_PLANE},
                       barrier = {MIEN_SOLVER_AUTO, MIEN_CONTACT_BARRIER};
#define WITH(way, test)                                                                            \
  { #test ", " #way, test, NULL, NULL, (void *)(uintptr_t)&way }
#define EVERY_WAY(test) WITH(planes, test), WITH(sweeps, test), WITH(barrier, test)

int main(void) {
  const struct CMUnitTest tests[] = {
      EVERY_WAY(pressed_lips_never_cross),
      EVERY_WAY(pressed_lips_never_cross_at_60_fps),
      EVERY_WAY(rolled_lips_never_cross),
      EVERY_WAY(sticky_lips_never_cross),
      WITH(planes, without_contact_they_cross),
      EVERY_WAY(speaking_faces_never_cross),
      EVERY_WAY(pressed_and_still_nothing_moves),
      // not of sweeps, which take minutes for the last tenth of a millimetre, with or without
      // contact
      WITH(planes, lips_that_part_are_the_artists_again),
      WITH(barrier, lips_that_part_are_the_artists_again),
      EVERY_WAY(a_rest_that_crosses_is_left_alone),
      EVERY_WAY(crossing_lips_are_resolved),
      EVERY_WAY(sticky_lips_hold_and_peel),
      EVERY_WAY(a_seal_holds_its_side),
      EVERY_WAY(balls_flatten_and_come_back),
      EVERY_WAY(pressed_balls_rest),
      EVERY_WAY(friction_holds_back),
      EVERY_WAY(welded_lips_are_survived),
      EVERY_WAY(same_bits_for_any_threads_and_after_restoring),
      EVERY_WAY(steps_allocate_nothing_after_the_first),
      WITH(planes, survives_every_failed_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
