// A host that rounds otherwise, flushes small numbers to zero, writes a decimal comma or draws
// numbers of its own: the same bits come out, and the host finds everything as it was.
#include "scenes/scene.h"

#include <fenv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
static unsigned get_mode(void) {
  unsigned short x87;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return (_mm_getcsr() & ~0x3fu) | (unsigned)x87 << 16; // without the flags of what happened
}
static void flush_to_zero(void) {
  _mm_setcsr(_mm_getcsr() | 0x8040);
}
// Long double keeps 24 bits, as a graphics library of old sets it; what is not exact is to be a
// signal.
static void keep_few_digits(void) {
  static const unsigned short word = 0x005f;
  __asm__ volatile("fldcw %0" ::"m"(word));
}
#else
static unsigned get_mode(void) {
  return (unsigned)fegetround();
}
static void flush_to_zero(void) {}
static void keep_few_digits(void) {}
#endif

// Threads of a host that flushes to zero: here, in this one.
static void run_flushed(void *user, int count, void (*job)(void *task, int index), void *task) {
  (void)user;
#if defined(__x86_64__)
  unsigned before = _mm_getcsr();
#endif
  flush_to_zero();
  for (int i = count - 1; i >= 0; i--) job(task, i);
#if defined(__x86_64__)
  _mm_setcsr(before);
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

static uint64_t hash_file(const char *path, uint64_t hash) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  for (int c; (c = fgetc(file)) != EOF;) hash = (hash ^ (uint64_t)c) * 1099511628211u;
  fclose(file);
  remove(path);
  return hash;
}

static char folder[] = "/tmp/mien_float_XXXXXX";

static const char *name_file(const char *name) {
  static char path[64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

// What is written: numbers as text and in other units, a rig's maps, a take, settings.
static uint64_t write_all(void) {
  static const char *const caches[] = {"c.pc2", "c.usda", "c.usdc", "c.abc", "c.glb"};
  mien_rig *rig;
  mien_take *take, *bound;
  mien_cache *cache;
  mien_error err;
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", NULL, &rig, &err) < 0 ||
      mien_take_load(MIEN_SAMPLE_DIR "/shake.csv", NULL, &take, &err) < 0 ||
      mien_take_bind(take, rig, &bound, NULL, &err) < 0 ||
      mien_rig_save(rig, NULL, bound, name_file("rig.glb"), &err) < 0)
    fail_msg("%s", err.text);
  uint64_t hash = hash_file(name_file("rig.glb"), 0);
  if (mien_take_save(bound, name_file("take.csv"), &err) < 0) fail_msg("%s", err.text);
  hash = hash_file(name_file("take.csv"), hash);
  for (size_t k = 0; k < sizeof caches / sizeof *caches; k++) {
    mien_cache_def def;
    mien_cache_def_init(&def);
    def.rig = rig;
    def.frame_rate = 24000.0 / 1001;
    def.take = k == 4 ? bound : NULL;
    if (mien_cache_create(name_file(caches[k]), &def, NULL, &cache, &err) < 0 ||
        mien_cache_append(cache, mien_rig_get_info(rig)->positions, &err) < 0 ||
        mien_cache_finish(cache, &err) < 0)
      fail_msg("%s: %s", caches[k], err.text);
    mien_cache_free(cache);
    hash = hash_file(name_file(caches[k]), hash);
  }
  char text[8192];
  mien_settings settings;
  mien_settings_init(&settings);
  // more digits than a double has go through long double
  assert_int_equal(mien_settings_set(&settings, "damping", "0.12345678901234567891", &err),
                   MIEN_OK);
  settings.step.friction = 1.0f / 3;
  assert_true(mien_settings_write(&settings, text, sizeof text) < sizeof text);
  for (const char *c = text; *c; c++) hash = (hash ^ (uint64_t)*c) * 1099511628211u;
  mien_take_free(bound);
  mien_take_free(take);
  mien_rig_free(rig);
  return hash;
}

static uint64_t work(void) {
  return play(false) ^ write_all();
}

static void a_hostile_mode_changes_no_bit(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  uint64_t usual = work();
  assert_true(play(true) == play(false)); // in threads of a host
  for (int k = 0; k < 4; k++) {
    if (k == 0) flush_to_zero();
    if (k == 1) fesetround(FE_UPWARD);
    if (k == 2) fesetround(FE_TOWARDZERO), flush_to_zero();
    if (k == 3) keep_few_digits();
    unsigned mode = get_mode();
    uint64_t hash = work();
    unsigned after = get_mode();
    fesetenv(FE_DFL_ENV);
#if defined(__x86_64__)
    _mm_setcsr(0x1f80);
#endif
    assert_true(hash == usual);
    assert_int_equal(after, mode);
  }
  rmdir(folder);
}

// The last test: the locale stays.
static void a_decimal_comma_changes_no_file(void **state) {
  (void)state;
  assert_non_null(mkdtemp(strcpy(folder, "/tmp/mien_float_XXXXXX")));
  uint64_t usual = write_all();
  if (!scene_use_decimal_comma()) {
    print_message("skipped: no locale with a decimal comma can be made\n");
    return;
  }
  assert_true(write_all() == usual);
  assert_string_equal(localeconv()->decimal_point, ",");
  rmdir(folder);
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
      cmocka_unit_test(a_decimal_comma_changes_no_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
