// Contact by the barrier: no accepted iterate crosses, whatever the stiffness and the start; bits
// and memory. Takes played by it as by planes are in test_contacts.c.
#include "barrier_press.h"

// -- Nothing crosses ------------------------------------------------------------------------------

// N, of the barrier in the last step; forgotten here.
static double take_push(const touch_scene *s) {
  const mi_contacts *c = s->state->contacts;
  double sum = 0;
  for (int i = 0; c->barrier && i < 3 * c->nvert; i++) {
    sum += fabs(c->barrier->gradient[i]);
    c->barrier->gradient[i] = 0;
  }
  return sum;
}

// Every frame, and in every third one while lips touch iterates on its way: from the same start
// with fewer iterations.
static void no_iterate_crosses_at(double fps, double end) {
  enum { MOST = 8, NCUT = 4 };
  static const int cut[NCUT] = {1, 2, 4, 6};
  touch_scene s = head();
  const mien_state_info *info = mien_state_get_info(s.state);
  mien_step_opts opts = options(fps);
  int niterate = 0, nframe = 0, most = 0, npushed = 0;
  for (int frame = (int)(BEGIN * fps); frame <= (int)(end * fps); frame++) {
    snapshot start = save(&s);
    bool looks = frame % 3 == 0 && frame * opts.dt > MEET;
    touch_pose(&s, frame * opts.dt);
    for (int k = 0; k < NCUT && looks; k++) {
      opts.iterations = cut[k];
      touch_step(&s, &opts);
      check_free(&s, "on the way", frame);
      niterate += info->iterations == cut[k];
      restore(&s, &start);
    }
    opts.iterations = MOST;
    touch_step(&s, &opts);
    check_free(&s, "frame", frame);
    nframe += info->ncontact > 0;
    npushed += take_push(&s) > 0;
    most = info->ncontact > most ? info->ncontact : most;
    free(start.bytes);
  }
  print_message("%g fps: %d frames with contacts, at most %d; %d iterates between, all free\n", fps,
                nframe, most, niterate);
  touch_free(&s);
  assert_true(most > 20 && niterate > 30);
  assert_true(npushed > 5); // it is the barrier that pushes, not the bound or the planes
}

static void no_iterate_crosses(void **state) {
  (void)state;
  no_iterate_crosses_at(24, RELEASED);
}

static void no_iterate_crosses_at_60_fps(void **state) {
  (void)state;
  no_iterate_crosses_at(60, 1.3);
}

// Woodbury's step at stiffness 1 is played above.
static void any_stiffness_and_global_step_never_cross(void **state) {
  (void)state;
  static const struct {
    double stiffness;
    mien_barrier_step step;
    double end; // s
  } cases[] = {{0.1, MIEN_BARRIER_WOODBURY, RELEASED},
               {10, MIEN_BARRIER_WOODBURY, RELEASED},
               {0.1, MIEN_BARRIER_SCHUR, HELD},
               {1, MIEN_BARRIER_SCHUR, HELD},
               {10, MIEN_BARRIER_SCHUR, HELD},
               {0.1, MIEN_BARRIER_PCG, HELD},
               {1, MIEN_BARRIER_PCG, HELD},
               {10, MIEN_BARRIER_PCG, HELD}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    scene_memory memory = {0};
    mien_host host = scene_counting_host(&memory);
    touch_scene s = touch_head("press.csv", &host);
    mien_step_opts opts = options(24);
    opts.barrier_stiffness = cases[k].stiffness;
    opts.barrier_step = cases[k].step;
    touch_pose(&s, 0);
    touch_step(&s, &opts);
    int before = memory.nalloc;
    int most = play(&s, &opts, BEGIN, cases[k].end);
    int after = memory.nalloc;
    touch_free(&s);
    assert_true(most > 10);
    assert_int_equal(after, before); // steps allocate nothing after the first
    assert_int_equal(memory.live, 0);
  }
}

// Switched on over lips that cross already.
static void a_start_that_crosses_is_resolved(void **state) {
  (void)state;
  touch_scene s = head();
  const mien_state_info *info = mien_state_get_info(s.state);
  mien_step_opts opts = options(24);
  opts.contact = MIEN_CONTACT_OFF;
  for (int frame = (int)(BEGIN * 24); frame <= (int)(HELD * 24); frame++) {
    touch_pose(&s, frame * opts.dt);
    touch_step(&s, &opts);
  }
  int64_t before = touch_crossings(&s);
  opts.contact = MIEN_CONTACT_BARRIER;
  touch_step(&s, &opts);
  check_free(&s, "switched on", 0);
  print_message("%d pairs crossed, after one step none: %d contacts\n", (int)before,
                info->ncontact);
  assert_true(before > 20);
  assert_int_equal(touch_stood_down(&s), 0);
  assert_true(info->ncontact > 5);
  for (int frame = 0; frame < 10; frame++) {
    touch_step(&s, &opts);
    check_free(&s, "switched on", frame + 1);
  }
  touch_free(&s);
}

// -- Bits and memory ------------------------------------------------------------------------------

// Restored: in mid-press, when the pose is held, and while the jaw and its teeth are on their way.
static bool is_restored_at(int frame) {
  return frame == (int)(0.6 * 24) || frame == (int)(HELD * 24) || frame == (int)(LETTING_GO * 24);
}

static uint64_t run(int threads, bool is_restored, mien_barrier_step step) {
  mien_host host;
  mien_host_init(&host);
  host.threads = threads;
  touch_scene s = touch_head("press.csv", &host);
  mien_step_opts opts = options(24);
  opts.barrier_step = step;
  int last = step == MIEN_BARRIER_WOODBURY ? (int)(LETTING_GO * 24) + 4 : (int)(PRESSED * 24);
  for (int frame = (int)(BEGIN * 24); frame <= last; frame++) {
    if (is_restored && is_restored_at(frame)) touch_move_to_new_state(&s, &host);
    touch_pose(&s, frame * opts.dt);
    touch_step(&s, &opts);
  }
  uint64_t hash = mien_state_hash(s.state);
  touch_free(&s);
  return hash;
}

static void same_bits_for_any_threads_and_after_restoring(void **state) {
  (void)state;
  uint64_t plain = run(1, false, MIEN_BARRIER_WOODBURY);
  assert_true(run(8, true, MIEN_BARRIER_WOODBURY) == plain);
  for (int step = MIEN_BARRIER_SCHUR; step <= MIEN_BARRIER_PCG; step++)
    assert_true(run(8, false, (mien_barrier_step)step) == run(1, false, (mien_barrier_step)step));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_iterate_crosses),
      cmocka_unit_test(no_iterate_crosses_at_60_fps),
      cmocka_unit_test(any_stiffness_and_global_step_never_cross),
      cmocka_unit_test(a_start_that_crosses_is_resolved),
      cmocka_unit_test(same_bits_for_any_threads_and_after_restoring),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
