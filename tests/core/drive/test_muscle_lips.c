// Muscles on a mouth as coarse as those of games, whose folded corners cannot have flesh.
#include "hard.h"

#include "scenes/scene.h"
#include "solve/solver.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

typedef struct mouth {
  hard_rig hard;
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
} mouth;

static int open_mouth(void **out) {
  static mouth m;
  hard_options options = {0};
  mien_face_def def;
  mien_error err;
  mien_face_def_init(&def);
  def.muscles = 1;
  assert_int_equal(hard_options_read(&options, "coarse,lids,seed=31"), 0);
  assert_int_equal(hard_rig_create(&options, &m.hard), 0);
  if (mien_rig_create(&m.hard.def, NULL, &m.rig, &err) < 0) fail_msg("%s", err.text);
  if (mien_face_create(m.rig, &def, NULL, &m.face, &err) < 0) fail_msg("%s", err.text);
  if (mien_state_create(m.face, NULL, &m.state, &err) < 0) fail_msg("%s", err.text);
  *out = &m;
  return 0;
}

static int close_mouth(void **state) {
  mouth *m = *state;
  mien_state_free(m->state);
  mien_face_free(m->face);
  mien_rig_free(m->rig);
  hard_rig_free(&m->hard);
  return 0;
}

static const mi_solver *step(mouth *m, mien_drive drive) {
  mien_step_opts opts;
  mien_input input;
  mien_error err;
  float smile[64] = {0};
  mien_step_opts_init(&opts);
  mien_input_init(&input);
  smile[mien_rig_find_shape(m->rig, "mouthSmileLeft")] = 1;
  input.weights = (mien_f32s){smile, mien_rig_get_info(m->rig)->nshape, 1};
  input.head.translation[0] = 0.001;
  opts.drive = drive;
  if (mien_step(m->state, &input, &opts, &err) < 0) fail_msg("%s", err.text);
  return m->state->solver;
}

// Bone holds what has lost its flesh to the artist's pose. Muscles leave that pose behind: then it
// hangs on bone no more than the flesh around it, or it stays while a corner goes 10 mm.
static void lost_flesh_pins_nothing_under_muscles(void **state) {
  mouth *m = *state;
  const mien_face *face = m->face;
  const double muscles = 2 * PI * 7.5;
  double rate[2] = {0};
  for (int k = 0; k < 2; k++) {
    const mi_solver *solver = step(m, k ? MIEN_DRIVE_MUSCLE : MIEN_DRIVE_REST_SHAPE);
    for (int i = 0; i < face->skin.nvert; i++) {
      if (!(face->lost[i] > 0) || face->regions.attachment[i] > 0.15f) continue;
      double mass = (double)face->mass[i] + (double)face->mass[i + face->skin.nvert] +
                    (double)face->lack[i] + (double)face->lost[i];
      rate[k] = fmax(rate[k], sqrt((double)solver->attach_stiffness[solver->iperm[i]] / mass));
    }
  }
  if (!(rate[0] > 2 * muscles && rate[1] < 1.01 * muscles))
    fail_msg("lost flesh is held at %.1f Hz to a pose, %.1f Hz under muscles", rate[0] / (2 * PI),
             rate[1] / (2 * PI));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lost_flesh_pins_nothing_under_muscles)};
  return cmocka_run_group_tests(tests, open_mouth, close_mouth);
}
