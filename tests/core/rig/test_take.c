#include "rig/rig.h"
#include "scenes/scene.h"

#include <math.h>
#include <string.h>

static const char *const channels[] = {"JawOpen", "MouthSmileLeft", "MouthSmileRight",
                                       "BrowInnerUp", "TongueOut"};
static const double times[] = {0, 0.5, 1.5};
static const float weights[] = {0, 0, 0, 0, 0, 1, 0.2f, 0.4f, 0.6f, 1, 0, 0.4f, 0.8f, 1, 0};

static mien_take_def plain_def(void) {
  mien_take_def def;
  mien_take_def_init(&def);
  def.channels = channels;
  def.nchannel = 5;
  def.nframe = 3;
  def.times = times;
  def.weights = weights;
  return def;
}

static mien_take *make(const mien_take_def *def) {
  mien_take *take = NULL;
  mien_error err;
  if (mien_take_create(def, NULL, &take, &err) < 0) fail_msg("%s", err.text);
  return take;
}

static void samples_between_frames_and_holds_the_ends(void **state) {
  (void)state;
  mien_take_def def = plain_def();
  mien_take *take = make(&def);
  float at[5];
  assert_int_equal(mien_take_sample(take, 0.25, at, NULL, NULL), MIEN_OK);
  assert_near(at[0], 0.5, 1e-6);
  mien_take_sample(take, 1.25, at, NULL, NULL);
  assert_near(at[0], 0.25, 1e-6);
  assert_near(at[1], 0.35, 1e-6);
  mien_take_sample(take, -5, at, NULL, NULL);
  assert_near(at[4], 0, 0);
  mien_take_sample(take, 99, at, NULL, NULL);
  assert_near(at[3], 1, 0);
  for (int f = 0; f < 3; f++) { // exactly on a frame: exactly its values
    mien_take_sample(take, times[f], at, NULL, NULL);
    assert_memory_equal(at, weights + 5 * f, sizeof at);
  }
  assert_int_equal(mien_take_sample(take, NAN, at, NULL, NULL), MIEN_ERR_NOT_FINITE);
  assert_near(mien_take_get_info(take)->frame_rate, 1, 1e-9);
  mien_take_free(take);
}

static void the_head_turns_evenly_and_the_short_way(void **state) {
  (void)state;
  mien_rigid head[3] = {{{0, 0, 0, 1}, {0, 0, 0}},
                        {{0, -sin(0.5), 0, -cos(0.5)}, {1, 2, 3}}, // 1 rad about y, other sign
                        {{0, sin(0.5), 0, cos(0.5)}, {1, 2, 3}}};
  mien_take_def def = plain_def();
  def.head = head;
  mien_take *take = make(&def);
  for (int k = 0; k <= 10; k++) {
    mien_rigid at;
    mien_take_sample(take, 0.05 * k, NULL, &at, NULL);
    double angle = 2 * atan2(at.rotation[1], at.rotation[3]);
    assert_near(angle, 0.1 * k, 1e-9);
    assert_near(at.translation[2], 0.3 * k, 1e-9);
  }
  mien_take_free(take);
}

// A rig with the shapes named, each moving one vertex.
static mien_rig *rig_with(const char *const *names, int count) {
  static const float delta[3] = {0, 0.01f, 0};
  static const int32_t index[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  mien_shape shapes[8];
  scene_mesh mesh = scene_box(0.2, 0.2, 0.2);
  for (int s = 0; s < count; s++) shapes[s] = (mien_shape){names[s], {index + s, 1}, {delta, 1, 3}};
  mien_rig_def def = scene_rig_def(&mesh);
  def.shapes = shapes;
  def.nshape = count;
  mien_rig *rig = NULL;
  assert_true(mien_rig_create(&def, NULL, &rig, NULL) >= 0);
  scene_mesh_free(&mesh);
  return rig;
}

static void binding_matches_splits_and_joins(void **state) {
  (void)state;
  static const char *const names[] = {"browInnerUp_L", "browInnerUp_R", "jaw_open", "mouthSmile",
                                      "unused"};
  mien_rig *rig = rig_with(names, 5);
  mien_take_def def = plain_def();
  mien_take *take = make(&def), *bound = NULL;
  int unmatched = -1;
  assert_int_equal(mien_take_bind(take, rig, &bound, &unmatched, NULL), MIEN_OK);
  assert_int_equal(unmatched, 1); // TongueOut
  float at[5];
  mien_take_sample(bound, 0.5, at, NULL, NULL);
  const float expected[5] = {0.6f, 0.6f, 1, 0.3f, 0};
  for (int s = 0; s < 5; s++) assert_near(at[s], expected[s], 1e-6);
  assert_string_equal(mien_take_get_info(bound)->channels[2], "jaw_open");
  mien_take_free(take);
  mien_take_free(bound);
  mien_rig_free(rig);
}

// A rig of three vertices whose shapes are only names, and what its file says of them.
static mien_rig *rig_that_says(const char *const *names, int count, const char *extras) {
  static const float positions[9] = {0, 0, 0, 0.1f, 0, 0, 0, 0.1f, 0}, delta[3] = {0, 0, 0.01f};
  static const int32_t face[3] = {0, 1, 2}, vertex[1] = {1};
  mien_shape shapes[8];
  mien_rig_def def;
  mien_rig *rig = NULL;
  mien_error err;
  mien_rig_def_init(&def);
  for (int s = 0; s < count; s++) shapes[s] = (mien_shape){names[s], {vertex, 1}, {delta, 1, 3}};
  def.positions = (mien_f32s){positions, 3, 3};
  def.faces = (mien_i32s){face, 3};
  def.shapes = shapes;
  def.nshape = count;
  def.extras = extras;
  if (mien_rig_create(&def, NULL, &rig, &err) < 0) fail_msg("%s", err.text);
  return rig;
}

// The weights of the bound take in its one frame.
static void bind_once(const mien_rig *rig, const char *const *names, const float *given, int count,
                      float *out) {
  static const double zero[1] = {0};
  mien_take_def def;
  mien_take_def_init(&def);
  def.channels = names;
  def.nchannel = count;
  def.nframe = 1;
  def.times = zero;
  def.weights = given;
  mien_take *take = make(&def), *bound = NULL;
  mien_error err;
  if (mien_take_bind(take, rig, &bound, NULL, &err) < 0) fail_msg("%s", err.text);
  mien_take_sample(bound, 0, out, NULL, NULL);
  mien_take_free(bound);
  mien_take_free(take);
}

static void inbetweens_lie_on_the_way(void **state) {
  (void)state;
  static const char *const names[] = {"smile", "smile_25", "smile_75", "blink"};
  static const char *const channel[] = {"smile"};
  mien_rig *rig =
      rig_that_says(names, 4, "{\"inbetweens\":{\"smile\":{\"smile_75\":0.75,\"smile_25\":0.25}}}");
  static const struct {
    float given, wanted[3]; // smile, smile_25, smile_75
  } cases[] = {{0, {0, 0, 0}},          {0.125f, {0, 0.5f, 0}}, {0.25f, {0, 1, 0}},
               {0.5f, {0, 0.5f, 0.5f}}, {0.75f, {0, 0, 1}},     {0.875f, {0.5f, 0, 0.5f}},
               {1, {1, 0, 0}},          {1.5f, {1.5f, 0, 0}},   {-0.25f, {0, -1, 0}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    float at[4];
    bind_once(rig, channel, &cases[i].given, 1, at);
    for (int k = 0; k < 3; k++) assert_near(at[k], cases[i].wanted[k], 1e-6);
    assert_near(at[3], 0, 0);
  }
  // a take that moves the in-between itself is played as it is
  static const char *const both[] = {"smile", "smile_25"};
  static const float given[] = {0.5f, 0.25f};
  float at[4];
  bind_once(rig, both, given, 2, at);
  assert_near(at[0], 0.5, 0);
  assert_near(at[1], 0.25, 0);
  assert_near(at[2], 0, 0);
  mien_rig_free(rig);
}

static void correctives_follow_their_drivers(void **state) {
  (void)state;
  static const char *const names[] = {
      "jawOpen", "mouth_smile_L", "jawOpen_mouth_smile_L", "cor_mouth_smile_L__jawOpen",
      "pout",    "jawOpen_wide"};
  static const char *const channel[] = {"jawOpen", "mouth_smile_L", "jawOpen_mouth_smile_L"};
  mien_rig *rig = rig_that_says(
      names, 6, "{\"correctives\":{\"pout\":[\"jawOpen\"],\"nothing\":[\"jawOpen\"]}}");
  static const float given[] = {0.5f, 0.4f, 0.9f};
  float at[6];
  bind_once(rig, channel, given, 2, at);
  assert_near(at[2], 0.2, 1e-6); // by its name
  assert_near(at[3], 0.2, 1e-6); // by its name, in any order
  assert_near(at[4], 0.5, 1e-6); // by what the file says
  assert_near(at[5], 0, 0);      // "wide" is no shape
  bind_once(rig, channel, given, 3, at);
  assert_near(at[2], 0.9, 1e-6); // the take says it
  mien_rig_free(rig);
}

static void bad_takes_are_refused(void **state) {
  (void)state;
  static const double backwards[] = {0, 1, 1}, nan_time[] = {0, NAN, 2};
  static float bad[15];
  static const mien_rigid loose[3] = {{{0, 0, 0, 2}, {0}}};
  bad[7] = INFINITY;
  for (int kind = 0; kind < 6; kind++) {
    mien_take_def def = plain_def();
    mien_result expected = MIEN_ERR_ARGUMENT;
    switch (kind) {
    case 0:
      def.struct_size = 0, expected = MIEN_ERR_OPTIONS;
      break;
    case 1:
      def.times = backwards;
      break;
    case 2:
      def.times = nan_time;
      break;
    case 3:
      def.weights = bad, expected = MIEN_ERR_NOT_FINITE;
      break;
    case 4:
      def.head = loose;
      break;
    case 5:
      def.nframe = 0;
      break;
    }
    mien_take *take = NULL;
    mien_error err;
    assert_int_equal(mien_take_create(&def, NULL, &take, &err), expected);
    assert_null(take);
    assert_true(err.text[0]);
  }
}

static mien_result make_bind_free(const mien_host *host, void *user) {
  mien_take_def def = plain_def();
  mien_take *take = NULL, *bound = NULL;
  mien_result result = mien_take_create(&def, host, &take, NULL);
  if (result >= 0) result = mien_take_bind(take, user, &bound, NULL, NULL);
  mien_take_free(take);
  mien_take_free(bound);
  return result;
}

static void survives_every_failed_allocation(void **state) {
  (void)state;
  static const char *const names[] = {"jawOpen"};
  mien_rig *rig = rig_with(names, 1);
  scene_fail_every_allocation(make_bind_free, rig);
  mien_rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(samples_between_frames_and_holds_the_ends),
                                     cmocka_unit_test(the_head_turns_evenly_and_the_short_way),
                                     cmocka_unit_test(binding_matches_splits_and_joins),
                                     cmocka_unit_test(inbetweens_lie_on_the_way),
                                     cmocka_unit_test(correctives_follow_their_drivers),
                                     cmocka_unit_test(bad_takes_are_refused),
                                     cmocka_unit_test(survives_every_failed_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
