// Sections of tetrahedra: exact areas, filled pictures, closed surfaces.
#include "picture.h"

// The cube from -0.5 to 0.5 in six tetrahedra around its diagonal.
static const float cube[] = {-0.5f, -0.5f, -0.5f, 0.5f,  -0.5f, -0.5f, -0.5f, 0.5f,
                             -0.5f, 0.5f,  0.5f,  -0.5f, -0.5f, -0.5f, 0.5f,  0.5f,
                             -0.5f, 0.5f,  -0.5f, 0.5f,  0.5f,  0.5f,  0.5f,  0.5f};
static const int32_t tets[] = {0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7,
                               0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7};

static render_solid *make_cube(render_target *target) {
  render_solid_def def = {.positions = {cube, 8, 3}, .tets = {tets, 24}};
  render_solid *solid = NULL;
  mien_error err = {0};
  if (render_solid_create(target, &def, &solid, &err) < 0) fail_msg("%s", err.text);
  return solid;
}

static void section_areas_are_exact(void **state) {
  (void)state;
  render_target *target = flat_target(16);
  render_solid *solid = make_cube(target);
  const struct {
    float plane[4];
    double area;
  } cases[] = {
      {{1, 0, 0, 0}, 1.0},
      {{0, -1, 0, 0.2f}, 1.0},
      {{0, 0, 1, 0.5f}, 0.0},                                   // touches a face: all is kept
      {{0, 0, 1, 2}, 0.0},                                      // misses it
      {{0.70710678f, 0.70710678f, 0, 0}, 1.41421356},           // through two edges
      {{0.57735027f, 0.57735027f, 0.57735027f, 0}, 1.29903811}, // the regular hexagon
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double area = render_solid_section(solid, cases[i].plane);
    assert_true(fabs(area - cases[i].area) < 1e-5);
  }
  render_solid_free(solid);
  render_target_free(target);
}

static void cut_is_filled_without_holes(void **state) {
  (void)state;
  render_target *target = flat_target(64);
  render_solid *solid = make_cube(target);
  render_item item = flat_item(NULL, 0x0000FF);
  item.solid = solid;
  item.clip = 1;
  item.plane[2] = -1.0f, item.plane[3] = 0.1f; // the near part is taken away
  render_linear_colour(0xC04040, item.section);
  render_scene scene = {square_camera(), &item, 1, 1.0f};
  render_image image = {0};
  assert_int_equal(render_scene_draw(target, &scene, &image, NULL), MIEN_OK);
  for (int y = 17; y < 47; y++) {
    for (int x = 17; x < 47; x++) assert_pixel(&image, x, y, 0xC04040);
  }
  assert_pixel(&image, 8, 32, 0x204060);
  item.edges = 1; // the outlines darken some of these pixels and not all of them
  assert_int_equal(render_scene_draw(target, &scene, &image, NULL), MIEN_OK);
  int changed = 0;
  for (int y = 17; y < 47; y++) {
    for (int x = 17; x < 47; x++) changed += channel_gap(pixel(&image, x, y), 0xC04040) > 4;
  }
  assert_true(changed > 20 && changed < 500);
  render_image_free(&image);
  render_solid_free(solid);
  render_target_free(target);
}

static void section_of_a_plane_through_vertices_faces_out(void **state) {
  (void)state;
  render_target *target = flat_target(64);
  // Two layers of cubes with vertices exactly on z = 0, the cutting plane.
  float layers[12 * 3];
  for (int i = 0; i < 12; i++) {
    layers[3 * i] = i % 2 ? 0.5f : -0.5f;
    layers[3 * i + 1] = i / 2 % 2 ? 0.5f : -0.5f;
    layers[3 * i + 2] = 0.5f * (float)(i / 4 - 1);
  }
  int32_t both[48];
  for (int i = 0; i < 24; i++) both[i] = tets[i], both[24 + i] = tets[i] + 4;
  render_solid_def def = {.positions = {layers, 12, 3}, .tets = {both, 48}};
  render_solid *solid = NULL;
  assert_int_equal(render_solid_create(target, &def, &solid, NULL), MIEN_OK);
  render_item item = flat_item(NULL, 0x0000FF);
  item.solid = solid;
  item.material = RENDER_CLAY; // lit: back faces would show `inside`
  item.inside[0] = item.inside[1] = item.inside[2] = 0.0f;
  item.section[0] = item.section[1] = item.section[2] = 0.5f;
  item.clip = 1;
  item.plane[2] = -1.0f;
  render_scene scene = {square_camera(), &item, 1, 1.0f};
  render_image image = {0};
  assert_int_equal(render_scene_draw(target, &scene, &image, NULL), MIEN_OK);
  uint32_t middle = pixel(&image, 32, 32);
  assert_true((middle & 255u) > 100u);
  for (int i = 18; i < 46; i++) assert_true(channel_gap(pixel(&image, i, 63 - i), middle) < 12);
  render_image_free(&image);
  render_solid_free(solid);
  render_target_free(target);
}

static void surface_faces_outwards_whatever_the_order(void **state) {
  (void)state;
  int32_t mixed[24];
  memcpy(mixed, tets, sizeof mixed);
  for (int t = 0; t < 6; t += 2) { // turn every second tetrahedron inside out
    int32_t keep = mixed[4 * t];
    mixed[4 * t] = mixed[4 * t + 1];
    mixed[4 * t + 1] = keep;
  }
  render_target *target = flat_target(64);
  render_solid_def def = {.positions = {cube, 8, 3}, .tets = {mixed, 24}};
  render_solid *solid = NULL;
  assert_int_equal(render_solid_create(target, &def, &solid, NULL), MIEN_OK);
  render_item item = flat_item(NULL, 0xFFFFFF);
  item.solid = solid;
  item.material = RENDER_CLAY;
  item.inside[0] = item.inside[1] = item.inside[2] = 0.0f;
  render_scene scene = {square_camera(), &item, 1, 1.0f};
  render_image image = {0};
  assert_int_equal(render_scene_draw(target, &scene, &image, NULL), MIEN_OK);
  for (int i = 18; i < 46; i++) {
    assert_true((pixel(&image, i, i) & 255u) > 100u);
    assert_true((pixel(&image, i, 63 - i) & 255u) > 100u);
  }
  render_image_free(&image);
  render_solid_free(solid);
  render_target_free(target);
}

static void bad_solids_are_refused(void **state) {
  (void)state;
  render_target *target = flat_target(16);
  int32_t beyond[] = {0, 1, 2, 8};
  mien_error err = {0};
  render_solid *solid = NULL;
  render_solid_def def = {.positions = {cube, 8, 3}, .tets = {beyond, 4}};
  assert_int_equal(render_solid_create(target, &def, &solid, &err), MIEN_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "vertex 8"));
  assert_null(solid);
  render_target_free(target);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(section_areas_are_exact),
      cmocka_unit_test(cut_is_filled_without_holes),
      cmocka_unit_test(section_of_a_plane_through_vertices_faces_out),
      cmocka_unit_test(surface_faces_outwards_whatever_the_order),
      cmocka_unit_test(bad_solids_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
