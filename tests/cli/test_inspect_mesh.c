#include "inspect.h"
#include "scenes/scene.h"

#include <string.h>

static inspect_surface look(const scene_mesh *mesh) {
  mien_part part = {.nvert = mesh->nvert, .ntri = mesh->ntri};
  mien_rig_info info = {.positions = {mesh->position, mesh->nvert, 3},
                        .triangles = {mesh->tri, 3 * mesh->ntri}};
  inspect_surface s;
  assert_true(inspect_surface_of(&info, &part, &s));
  return s;
}

static void a_closed_surface_has_no_faults(void **state) {
  (void)state;
  scene_mesh sphere = scene_sphere(6, 8, 0.1);
  const inspect_surface none = {0};
  inspect_surface s = look(&sphere);
  assert_memory_equal(&s, &none, sizeof s);
  scene_mesh_free(&sphere);
}

static void openings_are_counted(void **state) {
  (void)state;
  scene_mesh a = scene_grid(3, 2, 0.1), b = scene_grid(2, 2, 0.1);
  scene_mesh both = scene_join(&a, &b);
  inspect_surface s = look(&both);
  assert_int_equal(s.nborder, 2);
  assert_int_equal(s.nopen, 2 * (3 + 2) + 2 * (2 + 2));
  assert_int_equal(s.nflipped, 0);
  scene_mesh_free(&a);
  scene_mesh_free(&b);
  scene_mesh_free(&both);
}

static void a_turned_triangle_has_three_flipped_edges(void **state) {
  (void)state;
  scene_mesh sphere = scene_sphere(6, 8, 0.1);
  int32_t *tri = sphere.tri + 3 * 30, first = tri[0];
  tri[0] = tri[1];
  tri[1] = first;
  assert_int_equal(look(&sphere).nflipped, 3);
  scene_mesh_free(&sphere);
}

static void fins_flat_triangles_and_loose_vertices_are_counted(void **state) {
  (void)state;
  float position[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 2, 0, 0, 5, 5, 5};
  int32_t tri[] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 0, 1, 5};
  scene_mesh mesh = {position, tri, 7, 4};
  inspect_surface s = look(&mesh);
  assert_int_equal(s.nnonmanifold, 1);
  assert_int_equal(s.nflat, 1);
  assert_int_equal(s.nisolated, 1);
  assert_int_equal(s.nopen, 8);
}

static void a_part_inside_a_rig_is_looked_at_alone(void **state) {
  (void)state;
  scene_mesh a = scene_grid(2, 2, 0.1), b = scene_sphere(6, 8, 0.1);
  scene_mesh both = scene_join(&a, &b);
  mien_part part = {
      .first_vertex = a.nvert, .nvert = b.nvert, .first_triangle = a.ntri, .ntri = b.ntri};
  mien_rig_info info = {.positions = {both.position, both.nvert, 3},
                        .triangles = {both.tri, 3 * both.ntri}};
  const inspect_surface none = {0};
  inspect_surface s;
  assert_true(inspect_surface_of(&info, &part, &s));
  assert_memory_equal(&s, &none, sizeof s);
  scene_mesh_free(&a);
  scene_mesh_free(&b);
  scene_mesh_free(&both);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_closed_surface_has_no_faults), cmocka_unit_test(openings_are_counted),
      cmocka_unit_test(a_turned_triangle_has_three_flipped_edges),
      cmocka_unit_test(fins_flat_triangles_and_loose_vertices_are_counted),
      cmocka_unit_test(a_part_inside_a_rig_is_looked_at_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
