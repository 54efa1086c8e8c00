// Lips that are pressed through each other turn no flesh inside out, at any softness, and do not
// tremble for it.
#include "scenes/touch.h"

#include <math.h>
#include <stdlib.h>

typedef struct softness {
  const char *name;
  double stiffness, volume_stiffness, attachment_rate;
} softness;

// as in presets/
static const softness FAT = {"fat", 4500, 24000, 34}, CARTOON = {"cartoon", 2500, 12000, 24},
                      STIFF = {"stiff", 80000, 200000, 200};

static touch_scene open_head(const softness *soft) {
  mien_face_def def;
  mien_face_def_init(&def);
  if (soft) {
    def.stiffness = soft->stiffness;
    def.volume_stiffness = soft->volume_stiffness;
    def.attachment_rate = soft->attachment_rate;
  }
  return touch_head_of(&def, "press.csv");
}

static void pressed_flesh_is_not_inverted(void **state) {
  const softness *soft = *state;
  touch_scene s = open_head(soft);
  mien_step_opts opts = touch_options(&touch_planes, 24);
  const mien_state_info *info = mien_state_get_info(s.state);
  float *before = calloc(3 * (size_t)mien_face_get_info(s.face)->nskin, sizeof *before);
  int npressed = 0, nmended = 0, ninverted = 0;
  for (int frame = 18; frame < 44; frame++) { // closes, presses, parts
    touch_pose(&s, frame * opts.dt);
    touch_step(&s, &opts);
    npressed += info->ncontact > 0;
    nmended += info->nmended;
    ninverted += info->ninverted;
    assert_int_equal(touch_crossings(&s) + touch_surface_crossings(&s), 0);
  }
  print_message("%s: %d frames with contact, %d tetrahedra uninverted, %d left inverted\n",
                soft ? soft->name : "default", npressed, nmended, ninverted);
  assert_true(npressed > 15 && nmended > 100);
  assert_true(ninverted <= 2); // in all frames together
  // held: nothing moves, and nothing turns over meanwhile
  touch_pose(&s, 1.2);
  for (int frame = 0; frame < 24; frame++) touch_step(&s, &opts);
  touch_motion(&s, before);
  for (int frame = 0; frame < 6; frame++) {
    touch_step(&s, &opts);
    assert_true(touch_motion(&s, before) == 0);
    assert_int_equal(info->ninverted, 0);
  }
  free(before);
  touch_free(&s);
}

// Steps that have no time for more than an iteration, of a mouth that snaps shut and open: what
// inverts when lips part is pushed out, too.
static void hurried_flesh_is_not_inverted(void **state) {
  (void)state;
  touch_scene s = open_head(NULL);
  mien_step_opts opts = touch_options(&touch_planes, 60);
  const mien_state_info *info = mien_state_get_info(s.state);
  int nmended = 0, ninverted = 0, nposed = 0; // nposed: where the pose itself has some
  opts.time_budget = 1e-9;
  for (int frame = 0; frame < 48; frame++) {
    double at = frame % 24 < 12 ? frame % 12 : 12 - frame % 12;
    touch_pose(&s, 0.7 + at / 24);
    touch_step(&s, &opts);
    nmended += info->nmended;
    *(info->nposed_inverted ? &nposed : &ninverted) += info->ninverted;
    assert_int_equal(touch_crossings(&s) + touch_surface_crossings(&s), 0);
  }
  print_message(
      "over budget: %d tetrahedra uninverted, %d left inverted, and %d where poses have some\n",
      nmended, ninverted, nposed);
  assert_true(nmended > 100);
  assert_true(ninverted <= 2 && nposed <= 20);
  touch_free(&s);
}

#define AT(name, soft)                                                                             \
  {                                                                                                \
    "pressed_flesh_is_not_inverted, " name, pressed_flesh_is_not_inverted, NULL, NULL,             \
        (void *)(uintptr_t)(soft)                                                                  \
  }

int main(void) {
  const struct CMUnitTest tests[] = {AT("default", NULL), AT("fat", &FAT), AT("cartoon", &CARTOON),
                                     AT("stiff", &STIFF),
                                     cmocka_unit_test(hurried_flesh_is_not_inverted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
