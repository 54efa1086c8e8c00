// A known triangle gives known pixels; planes cut; colours, placement and order are right.
#include "picture.h"

static const float corners[] = {-0.5f, -0.5f, 0, 0.5f, -0.5f, 0, 0.5f, 0.5f, 0, -0.5f, 0.5f, 0};
static const int32_t square[] = {0, 1, 2, 0, 2, 3};

typedef struct stage {
  render_target *target;
  render_mesh *mesh;
  render_image image;
} stage;

static int set_up(void **state) {
  stage *s = calloc(1, sizeof *s);
  s->target = flat_target(64);
  s->mesh = make_mesh(s->target, corners, 4, square, 2);
  *state = s;
  return 0;
}

static int tear_down(void **state) {
  stage *s = *state;
  render_mesh_free(s->mesh);
  render_target_free(s->target);
  render_image_free(&s->image);
  free(s);
  return 0;
}

static void draw(stage *s, const render_item *items, int nitem) {
  render_scene scene = {square_camera(), items, nitem, 1.0f};
  mien_error err = {0};
  if (render_scene_draw(s->target, &scene, &s->image, &err) < 0) fail_msg("%s", err.text);
}

static void triangle_fills_its_inside_only(void **state) {
  stage *s = *state;
  render_mesh *mesh = make_mesh(s->target, corners, 4, square, 1);
  render_item item = flat_item(mesh, 0xE08020);
  draw(s, &item, 1);
  assert_pixel(&s->image, 40, 40, 0xE08020); // right of and below the diagonal
  assert_pixel(&s->image, 24, 24, 0x204060); // the other half of the square
  assert_pixel(&s->image, 4, 4, 0x204060);
  assert_pixel(&s->image, 60, 60, 0x204060);
  render_mesh_free(mesh);
}

static void edges_of_the_square_are_where_they_should(void **state) {
  stage *s = *state;
  render_item item = flat_item(s->mesh, 0xFFFFFF);
  draw(s, &item, 1);
  assert_pixel(&s->image, 16, 32, 0xFFFFFF);
  assert_pixel(&s->image, 15, 32, 0x204060);
  assert_pixel(&s->image, 47, 16, 0xFFFFFF);
  assert_pixel(&s->image, 48, 15, 0x204060);
}

static void plane_removes_one_half(void **state) {
  stage *s = *state;
  render_item item = flat_item(s->mesh, 0xFFFFFF);
  item.clip = 1;
  item.plane[0] = 1.0f; // keeps x >= 0
  draw(s, &item, 1);
  assert_pixel(&s->image, 40, 32, 0xFFFFFF);
  assert_pixel(&s->image, 24, 32, 0x204060);
  item.plane[0] = 0.0f, item.plane[1] = -1.0f; // keeps y <= 0: the lower half of the picture
  draw(s, &item, 1);
  assert_pixel(&s->image, 32, 40, 0xFFFFFF);
  assert_pixel(&s->image, 32, 24, 0x204060);
}

static void nearer_item_hides_the_farther_in_any_order(void **state) {
  stage *s = *state;
  render_item items[2] = {flat_item(s->mesh, 0xFF0000), flat_item(s->mesh, 0x00FF00)};
  items[0].placement.translation[2] = 0.5; // towards the camera
  draw(s, items, 2);
  assert_pixel(&s->image, 32, 32, 0xFF0000);
  items[0].placement.translation[2] = -0.5;
  draw(s, items, 2);
  assert_pixel(&s->image, 32, 32, 0x00FF00);
}

static void placement_turns_then_moves(void **state) {
  stage *s = *state;
  render_mesh *mesh = make_mesh(s->target, corners, 4, square, 1); // right and below
  render_item item = flat_item(mesh, 0xFFFFFF);
  item.placement.rotation[2] = 1.0, item.placement.rotation[3] = 0.0; // half a turn about z
  draw(s, &item, 1);
  assert_pixel(&s->image, 24, 24, 0xFFFFFF);
  assert_pixel(&s->image, 40, 40, 0x204060);
  item.placement.translation[0] = 0.5;
  draw(s, &item, 1);
  assert_pixel(&s->image, 40, 24, 0xFFFFFF);
  assert_pixel(&s->image, 20, 30, 0x204060);
  render_mesh_free(mesh);
}

static void heat_map_reaches_its_end_colours(void **state) {
  stage *s = *state;
  const float values[] = {2.0f, 4.0f, 4.0f, 2.0f}; // from left to right
  mien_error err = {0};
  assert_int_equal(render_mesh_measure(s->mesh, (mien_f32s){values, 4, 1}, &err), MIEN_OK);
  for (int map = 0; map < 2; map++) {
    render_item item = flat_item(s->mesh, 0xFFFFFF);
    item.use_values = 1;
    item.map = (render_map)map;
    item.values_min = 2.05f, item.values_max = 3.95f;
    draw(s, &item, 1);
    assert_pixel(&s->image, 16, 32, render_map_colour((render_map)map, 0.0f));
    assert_pixel(&s->image, 47, 32, render_map_colour((render_map)map, 1.0f));
    uint32_t middle = render_map_colour((render_map)map, 0.5f);
    assert_true(channel_gap(pixel(&s->image, 32, 20), middle) <= 8);
  }
}

static void vertex_colours_are_linear_light(void **state) {
  stage *s = *state;
  float colours[16];
  for (int i = 0; i < 16; i++) colours[i] = 0.5f;
  mien_error err = {0};
  assert_int_equal(
      render_mesh_paint(s->mesh, (mien_f32s){colours, 4, 4}, (mien_f32s){NULL, 0, 0}, &err), 0);
  render_item item = flat_item(s->mesh, 0xFFFFFF);
  draw(s, &item, 1);
  assert_pixel(&s->image, 32, 32, 0xBCBCBC); // half the light is 188 in sRGB
}

static void glass_mixes_light(void **state) {
  stage *s = *state;
  render_item items[2] = {flat_item(s->mesh, 0xFFFFFF), flat_item(s->mesh, 0x000000)};
  items[1].placement.translation[2] = 0.5;
  items[1].opacity = 0.5f;
  draw(s, items, 2);
  assert_pixel(&s->image, 32, 32, 0xBCBCBC);
}

static void light_falls_on_the_side_of_the_lamp(void **state) {
  stage *s = *state;
  render_item item = flat_item(s->mesh, 0x808080);
  item.material = RENDER_CLAY;
  item.placement.rotation[1] = -0.38268343; // the key light is at the camera's upper left
  item.placement.rotation[3] = 0.92387953;
  draw(s, &item, 1);
  uint32_t towards = pixel(&s->image, 32, 32);
  item.placement.rotation[1] = 0.38268343;
  draw(s, &item, 1);
  assert_true((towards & 255u) > (pixel(&s->image, 32, 32) & 255u) + 10u);
}

static void back_faces_show_the_inside_colour(void **state) {
  stage *s = *state;
  render_item item = flat_item(s->mesh, 0xFFFFFF);
  item.material = RENDER_CLAY;
  item.inside[0] = 0.5f, item.inside[1] = 0.0f, item.inside[2] = 0.0f;
  item.placement.rotation[1] = 1.0, item.placement.rotation[3] = 0.0;
  draw(s, &item, 1);
  uint32_t seen = pixel(&s->image, 32, 32);
  assert_true((seen >> 16) > 2 * (seen & 255u));
}

static void key_light_throws_shadows(void **state) {
  (void)state;
  render_target_def def;
  render_target_def_init(&def);
  def.width = def.height = 64;
  uint32_t seen[2];
  for (int shadows = 0; shadows < 2; shadows++) {
    def.shadows = shadows;
    render_target *target = NULL;
    assert_int_equal(render_target_create(&def, &target, NULL), MIEN_OK);
    render_mesh *mesh = make_mesh(target, corners, 4, square, 2);
    render_item items[2] = {flat_item(mesh, 0xC0C0C0), flat_item(mesh, 0xC0C0C0)};
    for (int i = 0; i < 2; i++) items[i].material = RENDER_CLAY;
    // Between the lamp (upper left, before the picture) and the square, out of the camera's way.
    items[1].placement.translation[0] = -0.75, items[1].placement.translation[1] = 0.9;
    items[1].placement.translation[2] = 1.2;
    render_scene scene = {square_camera(), items, 2, 1.0f};
    render_image image = {0};
    assert_int_equal(render_scene_draw(target, &scene, &image, NULL), MIEN_OK);
    seen[shadows] = pixel(&image, 38, 38);
    render_image_free(&image);
    render_mesh_free(mesh);
    render_target_free(target);
  }
  assert_true((seen[0] & 255u) > (seen[1] & 255u) + 20u);
}

static void same_scene_gives_same_pixels(void **state) {
  stage *s = *state;
  render_item item = flat_item(s->mesh, 0xC08060);
  item.material = RENDER_SKIN;
  item.edges = 1;
  draw(s, &item, 1);
  size_t size = 3 * 64 * 64;
  unsigned char *first = malloc(size);
  memcpy(first, s->image.rgb, size);
  draw(s, &item, 1);
  assert_memory_equal(first, s->image.rgb, size);
  free(first);
}

static void wrong_scenes_are_refused(void **state) {
  stage *s = *state;
  mien_error err = {0};
  render_item item = flat_item(NULL, 0xFFFFFF);
  render_scene scene = {square_camera(), &item, 1, 1.0f};
  assert_int_equal(render_scene_draw(s->target, &scene, &s->image, &err), MIEN_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "mesh or a solid"));
  render_target *other = flat_target(32);
  item = flat_item(s->mesh, 0xFFFFFF);
  render_image image = {0};
  assert_int_equal(render_scene_draw(other, &scene, &image, &err), MIEN_ERR_MISMATCH);
  assert_null(image.rgb);
  assert_int_equal(render_image_create(10, 10, 0, &image, NULL), MIEN_OK);
  assert_int_equal(render_scene_draw(s->target, &scene, &image, &err), MIEN_ERR_MISMATCH);
  render_image_free(&image);
  render_target_free(other);
  render_target_def def;
  render_target_def_init(&def);
  def.samples = 9;
  assert_int_equal(render_target_create(&def, &other, &err), MIEN_ERR_ARGUMENT);
}

static void framed_box_fills_the_picture(void **state) {
  stage *s = *state;
  const float low[3] = {-0.5f, -0.5f, 0}, high[3] = {0.5f, 0.5f, 0};
  render_item item = flat_item(s->mesh, 0xFFFFFF);
  for (int orthographic = 0; orthographic < 2; orthographic++) {
    render_angle angle = {.zoom = 1.0f, .aspect = 1.0f, .orthographic = orthographic};
    render_scene scene = {render_camera_frame(low, high, angle), &item, 1, 1.0f};
    assert_int_equal(render_scene_draw(s->target, &scene, &s->image, NULL), MIEN_OK);
    assert_pixel(&s->image, 3, 60, 0xFFFFFF);
    assert_pixel(&s->image, 0, 32, 0x204060);
    assert_pixel(&s->image, 32, 63, 0x204060);
  }
  render_camera side = render_camera_frame(low, high, (render_angle){90.0f, 0, 1, 1, 0});
  assert_true(side.eye[0] > 0.5f && fabsf(side.eye[2]) < 1e-5f); // the subject's left is +X
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      TEST(triangle_fills_its_inside_only),
      TEST(edges_of_the_square_are_where_they_should),
      TEST(plane_removes_one_half),
      TEST(nearer_item_hides_the_farther_in_any_order),
      TEST(placement_turns_then_moves),
      TEST(heat_map_reaches_its_end_colours),
      TEST(vertex_colours_are_linear_light),
      TEST(glass_mixes_light),
      TEST(light_falls_on_the_side_of_the_lamp),
      TEST(back_faces_show_the_inside_colour),
      TEST(key_light_throws_shadows),
      TEST(same_scene_gives_same_pixels),
      TEST(wrong_scenes_are_refused),
      TEST(framed_box_fills_the_picture),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
