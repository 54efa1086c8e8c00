// Normals, creases and refusals, seen through lit pictures.
#include "picture.h"

// Two squares that meet at a right angle along the y axis, seen from +z at 45 degrees each.
static const float roof[] = {0, -0.8f, 0.5f, 0.8f,  -0.8f, -0.3f, 0.8f,  0.8f, -0.3f,
                             0, 0.8f,  0.5f, -0.8f, -0.8f, -0.3f, -0.8f, 0.8f, -0.3f};
static const int32_t faces[] = {0, 1, 2, 0, 2, 3, 4, 0, 3, 4, 3, 5};

// Difference in light just right and left of the ridge.
static int ridge_contrast(float crease_angle) {
  render_target *target = flat_target(64);
  render_mesh_def def = {
      .positions = {roof, 6, 3}, .triangles = {faces, 12}, .crease_angle = crease_angle};
  render_mesh *mesh = NULL;
  assert_int_equal(render_mesh_create(target, &def, &mesh, NULL), MIEN_OK);
  render_item item = flat_item(mesh, 0x808080);
  item.material = RENDER_CLAY;
  render_scene scene = {square_camera(), &item, 1, 1.0f};
  render_image image = {0};
  assert_int_equal(render_scene_draw(target, &scene, &image, NULL), MIEN_OK);
  int gap = channel_gap(pixel(&image, 30, 32), pixel(&image, 33, 32));
  render_image_free(&image);
  render_mesh_free(mesh);
  render_target_free(target);
  return gap;
}

static void ridge_is_sharp_only_with_a_crease_angle(void **state) {
  (void)state;
  assert_true(ridge_contrast(40.0f) > 15);
  assert_true(ridge_contrast(0.0f) < 8);
  assert_true(ridge_contrast(150.0f) < 8);
}

static void moving_changes_the_picture(void **state) {
  (void)state;
  render_target *target = flat_target(64);
  float positions[9] = {-0.9f, -0.9f, 0, 0, -0.9f, 0, -0.9f, 0, 0};
  const int32_t triangle[] = {0, 1, 2};
  render_mesh *mesh = make_mesh(target, positions, 3, triangle, 1);
  for (int i = 0; i < 9; i += 3) positions[i] += 0.9f;
  // Every second vertex of a wider array: the stride is honoured.
  float wide[3 * 5] = {0};
  for (int i = 0; i < 3; i++) memcpy(wide + 5 * i, positions + 3 * i, 3 * sizeof(float));
  assert_int_equal(render_mesh_move(mesh, (mien_f32s){wide, 3, 5}, NULL), MIEN_OK);
  render_item item = flat_item(mesh, 0xFFFFFF);
  render_scene scene = {square_camera(), &item, 1, 1.0f};
  render_image image = {0};
  assert_int_equal(render_scene_draw(target, &scene, &image, NULL), MIEN_OK);
  assert_pixel(&image, 36, 56, 0xFFFFFF);
  assert_pixel(&image, 8, 56, 0x204060);
  render_image_free(&image);
  render_mesh_free(mesh);
  render_target_free(target);
}

static void bad_meshes_are_refused(void **state) {
  (void)state;
  render_target *target = flat_target(16);
  const int32_t beyond[] = {0, 1, 6};
  mien_error err = {0};
  render_mesh *mesh = NULL;
  render_mesh_def def = {.positions = {roof, 6, 3}, .triangles = {beyond, 3}};
  assert_int_equal(render_mesh_create(target, &def, &mesh, &err), MIEN_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "vertex 6"));
  def.triangles.data = faces;
  float broken[18];
  memcpy(broken, roof, sizeof broken);
  broken[7] = NAN;
  def.positions.data = broken;
  assert_int_equal(render_mesh_create(target, &def, &mesh, &err), MIEN_ERR_NOT_FINITE);
  def.positions.data = roof;
  assert_int_equal(render_mesh_create(target, &def, &mesh, &err), MIEN_OK);
  assert_int_equal(render_mesh_move(mesh, (mien_f32s){roof, 5, 3}, &err), MIEN_ERR_MISMATCH);
  assert_int_equal(render_mesh_measure(mesh, (mien_f32s){roof, 7, 1}, &err), MIEN_ERR_MISMATCH);
  render_mesh_free(mesh);
  render_target_free(target);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ridge_is_sharp_only_with_a_crease_angle),
      cmocka_unit_test(moving_changes_the_picture),
      cmocka_unit_test(bad_meshes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
