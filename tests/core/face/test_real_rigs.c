// Claim B1 on real rigs, where they are present: no inverted tetrahedron, next to nothing left out.
#include "face/face.h"
#include "scenes/scene.h"
#include "scenes/shared_rigs.h"

#include "math/vec.h"

#include <stdio.h>

static int count_inverted(const mien_face_info *info) {
  int ninverted = 0;
  for (int e = 0; e < info->ntet; e++) {
    mi_vec3 p[4];
    for (int c = 0; c < 4; c++)
      p[c] = mi_vec3_load(info->positions.data + 3 * info->tets.data[4 * e + c]);
    ninverted += !(mi_det(p[0], p[1], p[2], p[3]) > 0);
  }
  return ninverted;
}

static void check(const char *name) {
  shared_truth truth;
  mien_rig *rig = shared_rig_load(name, NULL, &truth);
  mien_face *face = NULL;
  mien_error err;
  if (mien_face_create(rig, NULL, NULL, &face, &err) < 0) fail_msg("%s", err.text);
  const mien_face_info *info = mien_face_get_info(face);
  printf("%s: %d tetrahedra, %d triangles left out, thickness %.2f to %.2f mm\n", name, info->ntet,
         info->nleft_out, 1e3 * info->thickness_min, 1e3 * info->thickness_max);
  assert_int_equal(count_inverted(info), 0);
  assert_true(info->has_mouth);
  assert_true(info->quality_min >= 0.1 * (1 - 1e-6));
  assert_true(3 * info->nleft_out < 0.01 * info->ntet);
  assert_true(info->thickness_mean > 0.002);
  mien_face_free(face);
  mien_rig_free(rig);
}

static void ict(void **state) {
  (void)state;
  check("ict-facekit");
}

static void facecap(void **state) {
  (void)state;
  check("facecap-head");
}

int main(void) {
  bool has_ict = shared_rig_is_there("ict-facekit"), has_cap = shared_rig_is_there("facecap-head");
  if (!has_ict && !has_cap) return 77; // CTest counts it as skipped
  const struct CMUnitTest tests[] = {cmocka_unit_test(ict), cmocka_unit_test(facecap)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
