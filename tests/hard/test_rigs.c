// Hard rigs are as hard as asked, by the exact test, and the judge counts what the exact test does.
#include "scenes/scene.h"

#include "crossings.h"
#include "hard.h"
#include "judge.h"

#include <stdlib.h>
#include <string.h>

static mien_rig *make(const char *words, hard_rig *made) {
  hard_options options;
  mien_rig *rig = NULL;
  mien_error err = {0};
  assert_int_equal(hard_options_read(&options, words), 0);
  assert_int_equal(hard_rig_create(&options, made), 0);
  if (mien_rig_create(&made->def, NULL, &rig, &err) < 0) fail_msg("%s: %s", words, err.text);
  return rig;
}

// Pairs of the whole skin with itself and with teeth, jaw and eyes: in the neutral, and open.
static void count(const mien_rig *rig, judge_pairs *neutral, judge_pairs *open) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  char why[240];
  float *weights = calloc((size_t)info->nshape, sizeof *weights);
  float *pose = malloc(3 * (size_t)info->nvert * sizeof *pose);
  mien_face_def def;
  mien_face_def_init(&def);
  def.blendvolumes = 0; // nothing is stepped here
  judge *j = judge_open(rig, &def, 1, why);
  if (!j) fail_msg("%s", why);
  *neutral = judge_count(j, info->positions.data);
  weights[mien_rig_find_shape(rig, "jawOpen")] = 1;
  assert_int_equal(mien_rig_pose(rig, weights, info->nshape, pose, NULL), MIEN_OK);
  *open = judge_count(j, pose);
  judge_close(j);
  free(weights);
  free(pose);
}

static void lips_overlap_as_asked(void **state) {
  static const struct {
    const char *words;
    int least, most;
  } cases[] = {
      {"teeth_in_skin,body,up=z", 0, 0},    {"overlap=150", 130, 170},
      {"welded,overlap=20,seed=4", 16, 24}, {"thin_bag,overlap=20,seed=2", 16, 24},
      {"coarse,overlap=20,seed=3", 16, 24}, {"density=1,overlap=150,seed=4", 130, 170},
  };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hard_rig made;
    mien_rig *rig = make(cases[k].words, &made);
    judge_pairs neutral, open;
    count(rig, &neutral, &open);
    print_message("%s: %d pairs in the neutral, %d open\n", cases[k].words, neutral.all, open.all);
    assert_in_range(neutral.all, cases[k].least, cases[k].most);
    assert_int_equal(neutral.all, made.neutral_pairs);
    assert_int_equal(open.all, 0);
    mien_rig_free(rig);
    hard_rig_free(&made);
  }
}

static void lids_lie_in_the_eyes(void **state) {
  (void)state;
  hard_rig made;
  mien_rig *rig = make("lids,seed=2", &made);
  judge_pairs neutral, open;
  count(rig, &neutral, &open);
  assert_true(neutral.piece[JUDGE_LIDS_LEFT] > 50 && neutral.piece[JUDGE_LIDS_RIGHT] > 50);
  assert_int_equal(neutral.skin, 0);
  assert_int_equal(neutral.piece[JUDGE_LIPS], 0);
  mien_rig_free(rig);
  hard_rig_free(&made);
}

static void same_words_give_the_same_bits(void **state) {
  (void)state;
  hard_rig a, b;
  mien_rig *one = make("overlap=20,seed=9", &a), *two = make("overlap=20,seed=9", &b);
  const mien_rig_info *x = mien_rig_get_info(one), *y = mien_rig_get_info(two);
  assert_int_equal(x->nvert, y->nvert);
  assert_memory_equal(x->positions.data, y->positions.data, 12 * (size_t)x->nvert);
  for (int s = 0; s < x->nshape; s++)
    assert_int_equal(x->shapes[s].deltas.count, y->shapes[s].deltas.count);
  mien_rig_free(one);
  mien_rig_free(two);
  hard_rig_free(&a);
  hard_rig_free(&b);
}

static void judge_counts_what_the_exact_test_does(void **state) {
  (void)state;
  hard_rig made;
  mien_rig *rig = make("overlap=150,seed=5", &made);
  const mien_rig_info *info = mien_rig_get_info(rig);
  judge_pairs neutral, open;
  count(rig, &neutral, &open);
  crossings_mesh skin = {info->positions.data, info->triangles.data, info->parts[0].ntri, NULL};
  assert_int_equal(info->parts[0].kind, MIEN_PART_SKIN);
  assert_int_equal(neutral.skin, crossings_within(&skin).count);
  mien_rig_free(rig);
  hard_rig_free(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lips_overlap_as_asked),
      cmocka_unit_test(lids_lie_in_the_eyes),
      cmocka_unit_test(same_words_give_the_same_bits),
      cmocka_unit_test(judge_counts_what_the_exact_test_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
