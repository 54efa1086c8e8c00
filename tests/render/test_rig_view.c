// A rig of a few parts: colours, posing, head motion, colour maps, cuts and flesh.
#include "picture.h"

#include "rig_view.h"

// A skin square in front (z 0), a bone square behind it (z -0.2), both 2 x 2 with a middle column.
static const float positions[] = {-1, -1, 0,     1, -1, 0,     1, 1, 0,     -1, 1, 0,
                                  -1, -1, -0.2f, 1, -1, -0.2f, 1, 1, -0.2f, -1, 1, -0.2f};
static const int32_t triangles[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
static const int32_t tets[] = {0, 1, 2, 6, 0, 1, 5, 6, 0, 4, 5, 6,
                               0, 2, 3, 6, 0, 3, 7, 6, 0, 4, 7, 6};
static const mien_part parts[] = {{"face", MIEN_PART_SKIN, 0, 4, 0, 2},
                                  {"skull", MIEN_PART_SKULL, 4, 4, 2, 2}};
static const int32_t jaw_vertices[] = {0, 1};
static const float jaw_deltas[] = {0, -0.5f, 0, 0, -0.5f, 0};
static const mien_shape shapes[] = {{"Jaw_Open", {jaw_vertices, 2}, {jaw_deltas, 2, 3}}};

typedef struct stage {
  render_target *target;
  mien_rig_info rig;
  mien_face_info face;
  rig_view *view;
  rig_view_opts opts;
  render_image image;
} stage;

static int set_up(void **state) {
  stage *s = calloc(1, sizeof *s);
  s->target = flat_target(64);
  s->rig = (mien_rig_info){.name = "squares",
                           .nvert = 8,
                           .ntri = 4,
                           .nrender = 8,
                           .npart = 2,
                           .nshape = 1,
                           .box_min = {-1, -1, -0.2f},
                           .box_max = {1, 1, 0},
                           .positions = {positions, 8, 3},
                           .triangles = {triangles, 12},
                           .parts = parts,
                           .shapes = shapes};
  s->face = (mien_face_info){
      .nskin = 4, .nvert = 8, .ntet = 6, .positions = {positions, 8, 3}, .tets = {tets, 24}};
  static const int32_t skin[] = {0, 1, 2, 3};
  static const int32_t regions[] = {MIEN_REGION_LIP_UPPER, MIEN_REGION_LIP_UPPER,
                                    MIEN_REGION_LIP_UPPER, MIEN_REGION_LIP_UPPER};
  s->face.skin = (mien_i32s){skin, 4};
  s->face.regions = (mien_i32s){regions, 4};
  mien_error err = {0};
  if (rig_view_create(s->target, &s->rig, NULL, &s->view, &err) < 0) fail_msg("%s", err.text);
  rig_view_opts_init(&s->opts);
  s->opts.camera = square_camera();
  s->opts.camera.height = 3.0f;
  *state = s;
  return 0;
}

static int tear_down(void **state) {
  stage *s = *state;
  rig_view_free(s->view);
  render_target_free(s->target);
  render_image_free(&s->image);
  free(s);
  return 0;
}

static uint32_t draw_at(stage *s, const float *posed, int x, int y) {
  mien_error err = {0};
  if (rig_view_draw(s->view, (mien_f32s){posed, 8, 3}, &s->opts, &s->image, &err) < 0) {
    fail_msg("%s", err.text);
  }
  return pixel(&s->image, x, y);
}

static int redness(uint32_t c) {
  return (int)(c >> 16) - (int)(c >> 8 & 255u);
}

static void skin_covers_bone_until_cut(void **state) {
  stage *s = *state;
  uint32_t skin = draw_at(s, positions, 32, 32);
  assert_true(redness(skin) > 25);
  s->opts.clip_skin = 1;
  s->opts.skin_plane[0] = -1.0f; // the skin stays where x <= 0: the subject's right
  assert_true(channel_gap(draw_at(s, positions, 20, 32), skin) < 16);
  uint32_t bone = pixel(&s->image, 44, 32);
  assert_true(redness(bone) < redness(skin) - 10);
  s->opts.hidden = 1u << MIEN_PART_SKULL;
  assert_int_equal(draw_at(s, positions, 44, 32), 0x204060);
  s->opts.skin_opacity = 0.0f;
  assert_int_equal(draw_at(s, positions, 20, 32), 0x204060);
}

static void positions_and_head_move_it(void **state) {
  stage *s = *state;
  float moved[24];
  memcpy(moved, positions, sizeof moved);
  for (int i = 0; i < 8; i++) moved[3 * i] = 0.2f + 0.2f * positions[3 * i];
  assert_int_equal(draw_at(s, moved, 16, 32), 0x204060);
  assert_int_not_equal(pixel(&s->image, 36, 32), 0x204060);
  s->opts.head.translation[0] = -0.6;
  assert_int_not_equal(draw_at(s, moved, 24, 32), 0x204060);
  assert_int_equal(pixel(&s->image, 40, 32), 0x204060);
}

static void planes_go_with_the_head(void **state) {
  stage *s = *state;
  s->opts.hidden = 1u << MIEN_PART_SKULL;
  s->opts.clip_skin = 1;
  s->opts.skin_plane[0] = -1.0f;
  s->opts.head.rotation[2] = 1.0, s->opts.head.rotation[3] = 0.0; // upside down
  s->opts.head.translation[0] = 0.25;
  assert_int_equal(draw_at(s, positions, 34, 32), 0x204060); // x < 0.25
  assert_int_not_equal(pixel(&s->image, 42, 32), 0x204060);
}

static void values_colour_the_skin(void **state) {
  stage *s = *state;
  const float values[] = {0, 1, 1, 0, 0, 0, 0, 0};
  s->opts.values = (mien_f32s){values, 8, 1};
  s->opts.map = RENDER_MAP_SIGNED;
  uint32_t low = draw_at(s, positions, 13, 32), high = pixel(&s->image, 50, 32);
  assert_true((low & 255u) > (low >> 16));
  assert_true((high >> 16) > (high & 255u));
}

static void rig_colours_win_over_defaults(void **state) {
  stage *s = *state;
  float colours[32];
  for (int i = 0; i < 32; i++) colours[i] = i % 4 == 1 || i % 4 == 3 ? 0.6f : 0.02f; // green
  mien_rig_info rig = s->rig;
  rig.colours = (mien_f32s){colours, 8, 4};
  rig_view_free(s->view);
  assert_int_equal(rig_view_create(s->target, &rig, NULL, &s->view, NULL), MIEN_OK);
  assert_true(redness(draw_at(s, positions, 32, 32)) < -60);
  s->opts.clay = 1;
  assert_true(abs(redness(draw_at(s, positions, 32, 32))) < 20);
  s->opts.clay = 0;
  assert_true(redness(draw_at(s, positions, 32, 32)) < -60);
}

static void lips_are_redder_than_skin(void **state) {
  stage *s = *state;
  int skin = redness(draw_at(s, positions, 32, 32));
  rig_view_free(s->view);
  assert_int_equal(rig_view_create(s->target, &s->rig, &s->face, &s->view, NULL), MIEN_OK);
  assert_true(redness(draw_at(s, positions, 32, 32)) > skin + 10);
}

static void flesh_is_shown_cut(void **state) {
  stage *s = *state;
  mien_error err = {0};
  s->opts.flesh = s->face.positions;
  assert_int_equal(rig_view_draw(s->view, s->rig.positions, &s->opts, &s->image, &err),
                   MIEN_ERR_ARGUMENT);
  rig_view_free(s->view);
  assert_int_equal(rig_view_create(s->target, &s->rig, &s->face, &s->view, &err), MIEN_OK);
  s->opts.skin_opacity = 0.0f;
  s->opts.clip_flesh = 1;
  s->opts.flesh_edges = 0;
  s->opts.flesh_plane[0] = -1.0f;
  assert_int_equal(draw_at(s, positions, 44, 32), 0x204060);
  assert_true(redness(draw_at(s, positions, 20, 32)) > 40);
}

static void wrong_counts_are_refused(void **state) {
  stage *s = *state;
  mien_error err = {0};
  assert_int_equal(rig_view_draw(s->view, (mien_f32s){positions, 7, 3}, &s->opts, &s->image, &err),
                   MIEN_ERR_MISMATCH);
  s->opts.values = (mien_f32s){positions, 5, 1};
  assert_int_equal(rig_view_draw(s->view, s->rig.positions, &s->opts, &s->image, &err),
                   MIEN_ERR_MISMATCH);
  assert_non_null(strstr(err.text, "5 values"));
}

static void cameras_see_their_subject(void **state) {
  stage *s = *state;
  int32_t landmarks[68];
  for (int i = 0; i < 68; i++) landmarks[i] = i < 48 ? i % 4 : -1;
  for (int i = 48; i < 52; i++) landmarks[i] = 2;
  s->rig.landmarks = (mien_i32s){landmarks, 68};
  render_angle front = {.zoom = 1.0f};
  render_camera head = rig_view_camera(s->view, RIG_VIEW_HEAD, front);
  render_camera mouth = rig_view_camera(s->view, RIG_VIEW_MOUTH, front);
  assert_true(fabsf(head.at[0]) < 1e-6f && fabsf(mouth.at[0] - 1.0f) < 1e-5f);
  assert_true(mouth.field_of_view < 0.5f * head.field_of_view);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      TEST(skin_covers_bone_until_cut),
      TEST(positions_and_head_move_it),
      TEST(planes_go_with_the_head),
      TEST(values_colour_the_skin),
      TEST(rig_colours_win_over_defaults),
      TEST(lips_are_redder_than_skin),
      TEST(flesh_is_shown_cut),
      TEST(wrong_counts_are_refused),
      TEST(cameras_see_their_subject),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
