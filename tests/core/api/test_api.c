// Every public function with nothing: NULL in, a result out, never a crash.
#include "scenes/scene.h"

#include <string.h>

static void nothing_is_always_refused(void **state) {
  (void)state;
  mien_error err;
  mien_rig *rig = NULL;
  mien_face *face = NULL;
  mien_take *take = NULL;
  mien_state *made = NULL;
  float out[3];
  assert_int_equal(mien_rig_create(NULL, NULL, &rig, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_rig_load(NULL, NULL, &rig, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_rig_read(NULL, 5, NULL, &rig, &err), MIEN_ERR_ARGUMENT);
  assert_true(mien_rig_read(NULL, 0, NULL, &rig, &err) < 0);
  assert_int_equal(mien_rig_pose(NULL, NULL, 0, out, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_rig_save(NULL, NULL, NULL, "x", &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_take_create(NULL, NULL, &take, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_take_load(NULL, NULL, &take, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_take_bind(NULL, NULL, &take, NULL, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_take_sample(NULL, 0, NULL, NULL, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_take_save(NULL, "x", &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_face_create(NULL, NULL, NULL, &face, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_state_create(NULL, NULL, &made, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_state_copy(NULL, NULL, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_state_write(NULL, out, 3, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_state_read(NULL, out, 3, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_step(NULL, NULL, NULL, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_state_size(NULL), 0);
  assert_int_equal(mien_state_hash(NULL), 0);
  assert_null(mien_rig_get_info(NULL));
  assert_null(mien_face_get_info(NULL));
  assert_null(mien_take_get_info(NULL));
  assert_null(mien_state_get_info(NULL));
  assert_int_equal(mien_state_lines(NULL, 7, NULL, 0), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_rig_find_shape(NULL, "a"), -1);
  assert_int_equal(mien_rig_find_map(NULL, "a"), -1);
  assert_int_equal(mien_cache_finish(NULL, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_cache_suspend(NULL, &err), MIEN_ERR_ARGUMENT);
  mien_cache_free(NULL);
  mien_stream_free(NULL);
  mien_tracker_free(NULL);
  mien_fit_free(NULL);
  mien_rig_free(NULL);
  mien_face_free(NULL);
  mien_take_free(NULL);
  mien_state_free(NULL);
  mien_state_reset(NULL);
  (mien_host_init)(NULL, sizeof(mien_host));
  (mien_rig_def_init)(NULL, sizeof(mien_rig_def));
  (mien_take_def_init)(NULL, sizeof(mien_take_def));
  (mien_face_def_init)(NULL, sizeof(mien_face_def));
  (mien_input_init)(NULL, sizeof(mien_input));
  (mien_step_opts_init)(NULL, sizeof(mien_step_opts));
  assert_null(rig);
  assert_null(face);
  assert_null(take);
  assert_null(made);
}

static void files_that_are_not_there_are_named(void **state) {
  (void)state;
  mien_error err;
  mien_rig *rig = NULL;
  assert_int_equal(mien_rig_load("no/such/rig.glb", NULL, &rig, &err), MIEN_ERR_IO);
  assert_non_null(strstr(err.text, "no/such/rig.glb"));
  mien_take *take = NULL;
  assert_int_equal(mien_take_load("no/such/take.csv", NULL, &take, &err), MIEN_ERR_IO);
  assert_non_null(strstr(err.text, "no/such/take.csv"));
}

static void the_library_says_who_it_is(void **state) {
  (void)state;
  assert_int_equal(mien_version(), MIEN_VERSION);
  assert_non_null(strstr(mien_build_info(), "mien 0.1.0"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_always_refused),
                                     cmocka_unit_test(files_that_are_not_there_are_named),
                                     cmocka_unit_test(the_library_says_who_it_is)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
