// The camera path, with tests/capture/fake_camera.c preloaded: it is pulled out after 20 frames and
// comes back at the third attempt.
#include "capture.h"
#include "scenes/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void a_camera_is_read_pulled_out_and_put_back(void **state) {
  (void)state;
  capture_def def = {.what = "0"};
  capture *camera = NULL;
  mien_error err;
  if (capture_open(&def, &camera, &err) < 0) fail_msg("%s", err.text);
  const capture_info *info = capture_get_info(camera);
  assert_int_equal(info->kind, CAPTURE_CAMERA);
  assert_int_equal(info->is_live, 1);
  int nframe = 0, missed = 0, before = -1;
  double time = -1;
  for (int tries = 0; tries < 600 && nframe < 35; tries++) {
    mien_image image;
    int ended;
    mien_result result = capture_read(camera, &image, &ended, &err);
    assert_int_equal(ended, 0); // a camera has no end
    if (result == MIEN_NO_FRAME) {
      assert_true(err.text[0] != 0);
      missed++;
      continue;
    }
    assert_int_equal(result, MIEN_OK);
    assert_int_equal(image.width, 160);
    assert_int_equal(image.height, 120);
    assert_int_equal(image.nchannel, 3);
    int grey = image.pixels[0];
    if (nframe < 20) assert_true(grey > before);
    before = grey;
    assert_true(image.time > time);
    time = image.time;
    nframe++;
  }
  assert_int_equal(nframe, 35);
  assert_true(missed > 1);
  assert_int_equal(info->nlost, 1);
  capture_close(camera);
}

static void a_camera_that_is_not_there(void **state) {
  (void)state;
  capture_def def = {.what = "7"};
  capture *camera = NULL;
  mien_error err;
  assert_int_equal(capture_open(&def, &camera, &err), MIEN_ERR_IO);
  assert_non_null(strstr(err.text, "no such camera"));
  assert_null(camera);
}

int main(void) {
  const char *preload = getenv("LD_PRELOAD");
  if (!preload || !*preload) {
    printf("skipped: the fake camera is not preloaded\n");
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_camera_is_read_pulled_out_and_put_back),
                                     cmocka_unit_test(a_camera_that_is_not_there)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
