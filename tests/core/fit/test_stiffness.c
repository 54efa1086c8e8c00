// Stiffnesses from the shapes: not negative, in better balance, kept in the file, used by the
// drive.
#include "face/face.h"
#include "fit/stiffness.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>

static mien_face *make(const mien_rig *rig, int fit, int threads) {
  mien_error err;
  mien_face_def def;
  mien_host host;
  mien_face *face = NULL;
  mien_face_def_init(&def);
  mien_host_init(&host);
  def.fit_stiffness = fit;
  host.threads = threads;
  if (mien_face_create(rig, &def, &host, &face, &err) < 0) fail_msg("%s", err.text);
  return face;
}

static mien_rig *load(const char *path) {
  mien_error err;
  mien_rig *rig = NULL;
  if (mien_rig_load(path, NULL, &rig, &err) < 0) fail_msg("%s", err.text);
  return rig;
}

static void shapes_are_in_better_balance(void **state) {
  (void)state;
  mien_rig *rig = load(MIEN_SAMPLE_DIR "/head_small.glb");
  mien_face *face = make(rig, 1, 1), *again = make(rig, 1, 2), *even = make(rig, 0, 1);
  const mien_face_info *info = mien_face_get_info(face);
  assert_true(info->fit_least >= 0);
  assert_true(info->fit_violation < 1e-3);
  assert_true(info->fit_residual < 0.5 && info->fit_residual < 0.1 * info->fit_residual_before);
  double before = 0, after = 0;
  for (int k = 0; k < info->fit_drift.count; k++) {
    before += pow((double)info->fit_drift_before.data[k], 2);
    after += pow((double)info->fit_drift.data[k], 2);
  }
  assert_true(after < 0.2 * before);
  assert_true(sqrt(after / info->fit_drift.count) < 3e-4); // m, rms over the shapes
  for (int t = 0; t < info->ntet; t++) {
    assert_true(mi_blend_neutral(face->materials.of + MI_STIFFNESS, t) > 0);
    assert_true(mi_blend_neutral(face->materials.of + MI_VOLUME_STIFFNESS, t) > 0);
  }
  assert_true(info->hash == mien_face_get_info(again)->hash);
  assert_true(info->hash != mien_face_get_info(even)->hash);
  assert_true(mien_face_get_info(even)->fit_residual == 0);
  mien_face_free(face);
  mien_face_free(again);
  mien_face_free(even);
  mien_rig_free(rig);
}

// The masses that the fit hangs on bones are those whose springs the solver makes: thin skin hangs
// there, too.
static void what_hangs_is_what_is_held(void **state) {
  (void)state;
  mien_rig *rig = load(MIEN_SAMPLE_DIR "/head_small.glb");
  mien_face *face = make(rig, 0, 1);
  int nskin = mien_face_get_info(face)->nskin, nthin = 0, nheld = 0;
  for (int v = 0; v < nskin; v++) {
    int i = v + nskin;
    double rate = mi_support_rate(face, (double)face->attachment[i]);
    if (face->carrier[i] != v || (double)face->lost[v] > 0 || rate == 0) continue;
    double hold = mi_support_hold(face, i, (double)face->attachment[i], true);
    double own = mi_support_hold(face, v, 0, true);
    assert_near(rate * rate * mi_fit_hung_mass(face, i), hold, 1e-5 * hold);
    assert_near(rate * rate * mi_fit_hung_mass(face, v), own, 1e-5 * hold);
    nthin += own > 0;
    nheld++;
  }
  assert_true(nheld > 1000 && nthin > 10);
  mien_face_free(face);
  mien_rig_free(rig);
}

static void the_file_keeps_them(void **state) {
  (void)state;
  mien_error err;
  mien_rig *rig = load(MIEN_SAMPLE_DIR "/head_small.glb");
  mien_face *face = make(rig, 1, 1);
  if (mien_rig_save(rig, face, NULL, "fitted.glb", &err) < 0) fail_msg("%s", err.text);
  mien_rig *kept = load("fitted.glb");
  mien_face *later = make(kept, 0, 1);
  double same = 0, whole = 0;
  for (int t = 0; t < mien_face_get_info(face)->ntet; t++) {
    double a = (double)mi_blend_neutral(face->materials.of + MI_STIFFNESS, t);
    double b = (double)mi_blend_neutral(later->materials.of + MI_STIFFNESS, t);
    same += fabs(a - b);
    whole += a;
  }
  print_message("stiffness after the file: %.1f %% off\n", 100 * same / whole);
  assert_true(same < 0.15 * whole); // painted maps are spread a little
  mien_face_free(later);
  mien_rig_free(kept);
  mien_face_free(face);
  mien_rig_free(rig);
  remove("fitted.glb");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_are_in_better_balance),
      cmocka_unit_test(what_hangs_is_what_is_held),
      cmocka_unit_test(the_file_keeps_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
