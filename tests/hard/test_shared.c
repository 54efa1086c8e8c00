// Real rigs where they are present: the jaw opens and closes, judged clause by clause. With the
// argument "all" lips are pressed, too.
#include "scenes/scene.h"
#include "scenes/shared_rigs.h"

#include "judge.h"
#include "judge_take.h"

#include <math.h>
#include <string.h>

static bool plays_all;

static int play(const mien_rig *rig, const char *anim) {
  char why[240];
  judge_take take;
  judge_summary summary;
  judge_frame frame;
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.dt = 1.0 / 60;
  opts.contact = MIEN_CONTACT_PLANE;
  if (!judge_take_open(&take, rig, anim, NULL, why)) fail_msg("%s", why);
  take.is_still = true;
  judge *j = judge_open(rig, NULL, 1, why);
  if (!j) fail_msg("%s", why);
  judge_summary_begin(&summary, j);
  for (int k = 0; k <= (int)floor(60 * take.seconds + 1e-6); k++) {
    judge_take_sample(&take, k / 60.0);
    if (!judge_step(j, take.weights, &take.at, &opts, &frame, why)) fail_msg("%s", why);
    judge_summary_add(&summary, &frame, false);
  }
  judge_summary_print(&summary, stdout);
  int nviolated = judge_summary_check(&summary, JUDGE_FOREIGN_REST, stdout);
  judge_close(j);
  judge_take_close(&take);
  return nviolated;
}

static void contact_keeps_its_word_on(const char *folder) {
  shared_truth truth;
  mien_rig *rig = shared_rig_load(folder, NULL, &truth);
  int nviolated = play(rig, NULL);
  if (plays_all) nviolated += play(rig, MIEN_SAMPLE_DIR "/press.csv");
  mien_rig_free(rig);
  assert_int_equal(nviolated, 0);
}

static void contact_keeps_its_word_on_facecap(void **state) {
  (void)state;
  contact_keeps_its_word_on("facecap-head");
}

static void contact_keeps_its_word_on_ict(void **state) {
  (void)state;
  contact_keeps_its_word_on("ict-facekit");
}

int main(int argc, char **argv) {
  plays_all = argc > 1 && !strcmp(argv[1], "all");
  const struct CMUnitTest quick[] = {cmocka_unit_test(contact_keeps_its_word_on_facecap)};
  const struct CMUnitTest all[] = {cmocka_unit_test(contact_keeps_its_word_on_facecap),
                                   cmocka_unit_test(contact_keeps_its_word_on_ict)};
  return plays_all ? cmocka_run_group_tests(all, NULL, NULL)
                   : cmocka_run_group_tests(quick, NULL, NULL);
}
