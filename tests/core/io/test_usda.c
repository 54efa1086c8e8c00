#include "fixture.h"
#include "io/cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float uvs[] = {0, 0, 1, 0, 0, 0.25f};
static const int32_t corners[] = {0, 1, 2};
static const mi_usda_def def = {.name = "1 face!",
                                .npoint = 3,
                                .triangles = {corners, 3},
                                .uvs = {uvs, 3, 2},
                                .frame_rate = 24,
                                .start = 101};

static void text_is_what_usd_expects(void **state) {
  (void)state;
  mien_host host = fixture_host();
  const char *path = fixture_path("a.usda");
  mi_usda *usda;
  mien_error err;
  if (mi_usda_create(path, &def, &host, &usda, &err) < 0) fail_msg("%s", err.text);
  const float a[] = {0, 0, 0, 1, 0, 0, 0, 0.1f, 0}, b[] = {0, 0, 0, 2, 0, 0, 0, -1.5e-7f, 0};
  assert_int_equal(mi_usda_append(usda, &(mien_f32s){a, 3, 3}, NULL), MIEN_OK);
  assert_int_equal(mi_usda_append(usda, &(mien_f32s){b, 3, 0}, NULL), MIEN_OK);
  assert_int_equal(mi_usda_commit(usda, &err), MIEN_OK);
  size_t size;
  unsigned char *bytes = fixture_read(path, &size);
  bytes[size] = 0;
  static const char expected[] =
      "#usda 1.0\n(\n    defaultPrim = \"_1_face_\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n"
      "    timeCodesPerSecond = 24\n    framesPerSecond = 24\n    startTimeCode = 101\n"
      "    endTimeCode = 102                     \n)\n\ndef Mesh \"_1_face_\"\n{\n"
      "    int[] faceVertexCounts = [3]\n    int[] faceVertexIndices = [0, 1, 2]\n"
      "    uniform token subdivisionScheme = \"none\"\n"
      "    texCoord2f[] primvars:st = [(0, 1), (1, 1), (0, 0.75)] (\n"
      "        interpolation = \"vertex\"\n    )\n"
      "    point3f[] points.timeSamples = {\n"
      "        101: [(0, 0, 0), (1, 0, 0), (0, 0.1, 0)],\n"
      "        102: [(0, 0, 0), (2, 0, 0), (0, -1.5e-07, 0)],\n    }\n"
      "    float3[] extent = [(0, -1.5e-07, 0), (2, 0.1, 0)]\n}\n";
  assert_string_equal((char *)bytes, expected);
  free(bytes);
}

static void wrong_input_is_refused(void **state) {
  (void)state;
  mien_host host = fixture_host();
  const char *path = fixture_path("b.usda");
  mi_usda *usda;
  mi_usda_def bad = def;
  bad.triangles.count = 2;
  assert_int_equal(mi_usda_create(path, &bad, &host, &usda, NULL), MIEN_ERR_ARGUMENT);
  bad = def;
  bad.npoint = 2;
  bad.uvs = (mien_f32s){0};
  assert_int_equal(mi_usda_create(path, &bad, &host, &usda, NULL), MIEN_ERR_ARGUMENT);
  bad = def;
  bad.uvs.count = 2;
  assert_int_equal(mi_usda_create(path, &bad, &host, &usda, NULL), MIEN_ERR_MISMATCH);
  bad = def;
  bad.frame_rate = 0;
  assert_int_equal(mi_usda_create(path, &bad, &host, &usda, NULL), MIEN_ERR_ARGUMENT);
  assert_int_equal(mi_usda_create(path, &def, &host, &usda, NULL), MIEN_OK);
  const float nan_point[] = {0, 0, 0, 0, NAN, 0, 0, 0, 0};
  assert_int_equal(mi_usda_append(usda, &(mien_f32s){nan_point, 3, 3}, NULL), MIEN_ERR_NOT_FINITE);
  assert_int_equal(mi_usda_append(usda, &(mien_f32s){nan_point, 2, 3}, NULL), MIEN_ERR_MISMATCH);
  mi_usda_abandon(usda);
}

static mien_result create_once(const mien_host *host, void *user) {
  mi_usda *usda;
  mien_result result = mi_usda_create(user, &def, host, &usda, NULL);
  if (result >= 0) mi_usda_abandon(usda);
  return result;
}

static void survives_a_lack_of_memory(void **state) {
  (void)state;
  char path[256];
  strcpy(path, fixture_path("c.usda"));
  scene_fail_every_allocation(create_once, path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_what_usd_expects),
      cmocka_unit_test(wrong_input_is_refused),
      cmocka_unit_test(survives_a_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
