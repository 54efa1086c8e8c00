// A host that rounds otherwise, flushes small numbers to zero or draws numbers of its own: the same
// bits come out, and the host finds everything as it was.
#include "scenes/scene.h"

#include <fenv.h>
#include <stdlib.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
static unsigned get_mode(void) {
  return _mm_getcsr() & ~0x3fu; // without the flags of what happened
}
static void flush_to_zero(void) {
  _mm_setcsr(_mm_getcsr() | 0x8040);
}
#else
static unsigned get_mode(void) {
  return (unsigned)fegetround();
}
static void flush_to_zero(void) {}
#endif

// Threads of a host that flushes to zero: here, in this one.
static void run_flushed(void *user, int count, void (*job)(void *task, int index), void *task) {
  (void)user;
  unsigned before = get_mode();
  flush_to_zero();
  for (int i = count - 1; i >= 0; i--) job(task, i);
#if defined(__x86_64__)
  _mm_setcsr(before);
#else
  (void)before;
#endif
}

static uint64_t play(bool with_jobs) {
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_take *take;
  mien_error err;
  mien_host host;
  mien_host_init(&host);
  host.threads = 2;
  if (with_jobs) host.parallel_for = run_flushed;
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", &host, &rig, &err) < 0 ||
      mien_take_load(MIEN_SAMPLE_DIR "/shake.csv", &host, &take, &err) < 0 ||
      mien_face_create(rig, NULL, &host, &face, &err) < 0 ||
      mien_state_create(face, &host, &state, &err) < 0)
    fail_msg("%s", err.text);
  mien_settings settings;
  mien_settings_init(&settings);
  assert_int_equal(mien_settings_set(&settings, "damping", "0.1", &err), MIEN_OK);
  float *weights = calloc((size_t)mien_rig_get_info(rig)->nshape, sizeof *weights);
  mien_input input;
  mien_input_init(&input);
  input.weights = (mien_f32s){weights, mien_rig_get_info(rig)->nshape, 1};
  weights[mien_rig_find_shape(rig, "jawOpen")] = 1e-38f;       // what is flushed is seen
  static const double times[] = {0.25, 0.3125, 0.375, 0.4375}; // not worked out in the host's mode
  for (int f = 0; f < 4; f++) {
    mien_take_sample(take, times[f], NULL, &input.head, NULL);
    if (mien_step(state, &input, &settings.step, &err) < 0) fail_msg("%s", err.text);
  }
  uint64_t hash = mien_state_hash(state) ^ mien_face_get_info(face)->hash;
  mien_state_free(state);
  mien_face_free(face);
  mien_take_free(take);
  mien_rig_free(rig);
  free(weights);
  return hash;
}

static void a_hostile_mode_changes_no_bit(void **state) {
  (void)state;
  uint64_t usual = play(false);
  assert_true(play(true) == usual); // in threads of a host
  for (int k = 0; k < 3; k++) {
    if (k == 0) flush_to_zero();
    if (k == 1) fesetround(FE_UPWARD);
    if (k == 2) fesetround(FE_TOWARDZERO), flush_to_zero();
    unsigned mode = get_mode();
    uint64_t hash = play(false);
    unsigned after = get_mode();
    fesetenv(FE_DFL_ENV);
#if defined(__x86_64__)
    _mm_setcsr(0x1f80);
#endif
    assert_true(hash == usual);
    assert_int_equal(after, mode);
  }
}

static void random_numbers_of_the_host_go_on(void **state) {
  (void)state;
  int expected[4];
  srand(7);
  for (int i = 0; i < 4; i++) expected[i] = rand();
  srand(7);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(rand(), expected[i]);
    if (i == 1) play(false);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hostile_mode_changes_no_bit),
      cmocka_unit_test(random_numbers_of_the_host_go_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
