// Skin that does not collide, thrown anywhere within reach and put back by its limits, goes through
// no bone, tooth or eye, by the exact test; the pose itself is left as it is.
#include "scenes/scene.h"

#include "judge.h"
#include "solve/contacts.h"

#include <stdlib.h>
#include <string.h>

enum { THROWS = 12 };
static const double REACH = 0.02; // m

typedef struct thrown {
  mien_rig *rig;
  judge *judge;
  mien_state *state;
  float *x, *positions;
} thrown;

static void pose(thrown *t, const char *shape, float weight) {
  const mien_rig_info *info = mien_rig_get_info(t->rig);
  float *weights = calloc((size_t)info->nshape, sizeof *weights);
  char why[240];
  judge_frame frame;
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.contact = MIEN_CONTACT_PLANE;
  weights[mien_rig_find_shape(t->rig, shape)] = weight;
  judge_restart(t->judge);
  if (!judge_step(t->judge, weights, NULL, &opts, &frame, why)) fail_msg("%s", why);
  assert_int_equal(frame.pose.rigid, 0);
  free(weights);
}

// Skin outside of what can touch, by up to REACH from its pose; each vertex on its own.
static void throw_skin(thrown *t, uint32_t round, double reach) {
  const mien_state *state = t->state;
  const mi_solver *solver = state->solver;
  memcpy(t->x, solver->posed, 4 * (size_t)solver->nvert * sizeof *t->x);
  for (int i = 0; i < state->face->skin.nvert; i++)
    for (int c = 0; c < 3 && state->contacts->soft[i] < 0; c++)
      t->x[4 * (size_t)solver->iperm[i] + (size_t)c] +=
          (float)(reach * (1.1 * mi_random_unit(5, round, (uint32_t)(3 * i + c)) - 0.55));
}

static int count_through(const thrown *t) {
  const mien_state *state = t->state;
  const mi_skin *skin = &state->face->skin;
  memcpy(t->positions, state->dynamics.rig,
         3 * (size_t)state->face->rig->info.nvert * sizeof *t->positions);
  for (int i = 0; i < skin->nvert; i++)
    memcpy(t->positions + 3 * (size_t)skin->vert[i], t->x + 4 * (size_t)state->solver->iperm[i],
           3 * sizeof *t->x);
  return judge_count(t->judge, t->positions).rigid;
}

static void open_scene(thrown *t) {
  mien_error err = {0};
  char why[240];
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", NULL, &t->rig, &err) < 0)
    fail_msg("%s", err.text);
  t->judge = judge_open(t->rig, NULL, 1, why);
  if (!t->judge) fail_msg("%s", why);
  t->state = judge_state(t->judge);
  t->x = malloc(4 * (size_t)t->state->face->info.nvert * sizeof *t->x);
  t->positions = malloc(3 * (size_t)mien_rig_get_info(t->rig)->nvert * sizeof *t->positions);
}

static void close_scene(thrown *t) {
  judge_close(t->judge);
  mien_rig_free(t->rig);
  free(t->x);
  free(t->positions);
}

static void thrown_skin_stays_before_bone(void **state) {
  static const struct {
    const char *shape;
    float weight;
  } poses[] = {{"jawOpen", 0}, {"jawOpen", 0.6f}, {"jawLeft", 1}, {"mouthSmileLeft", 1}};
  thrown t = {0};
  (void)state;
  open_scene(&t);
  for (size_t k = 0; k < sizeof poses / sizeof *poses; k++) {
    int before = 0, after = 0, nkept = 0;
    pose(&t, poses[k].shape, poses[k].weight);
    mi_limits_place(t.state);
    for (uint32_t round = 0; round < THROWS; round++) {
      throw_skin(&t, round, REACH);
      before += count_through(&t);
      nkept += mi_limits_keep(t.state, t.x);
      after += count_through(&t);
    }
    print_message("%s %.1f: %d pairs thrown through bone, %d vertices put back, %d pairs left\n",
                  poses[k].shape, (double)poses[k].weight, before, nkept, after);
    assert_true(before > 1000);
    assert_int_equal(after, 0);
  }
  close_scene(&t);
}

// Played: twenty times its weight presses the face onto its bones, and forward out of them.
static void a_step_keeps_skin_before_bone(void **state) {
  thrown t = {0};
  (void)state;
  open_scene(&t);
  int through[2] = {0};
  for (int k = 0; k < 2; k++) {
    float *weights = calloc((size_t)mien_rig_get_info(t.rig)->nshape, sizeof *weights);
    mien_step_opts opts;
    mien_step_opts_init(&opts);
    opts.contact = k ? MIEN_CONTACT_PLANE : MIEN_CONTACT_OFF;
    judge_restart(t.judge);
    for (int frame = 0; frame < 12; frame++) {
      char why[240];
      judge_frame seen;
      opts.gravity[2] = frame < 6 ? -200 : 200;
      if (!judge_step(t.judge, weights, NULL, &opts, &seen, why)) fail_msg("%s", why);
      through[k] += seen.output.rigid;
    }
    free(weights);
  }
  print_message("pressed onto bone: %d pairs through it without contact, %d with\n", through[0],
                through[1]);
  assert_true(through[0] > 50);
  assert_int_equal(through[1], 0);
  close_scene(&t);
}

static void pose_is_left_alone(void **state) {
  thrown t = {0};
  (void)state;
  open_scene(&t);
  pose(&t, "mouthFunnel", 1);
  mi_limits_place(t.state);
  throw_skin(&t, 0, 0);
  assert_int_equal(mi_limits_keep(t.state, t.x), 0);
  assert_memory_equal(t.x, t.state->solver->posed, 16 * (size_t)t.state->solver->nvert);
  close_scene(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thrown_skin_stays_before_bone),
      cmocka_unit_test(a_step_keeps_skin_before_bone),
      cmocka_unit_test(pose_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
