#include "mesh/mesh.h"
#include "scenes/scene.h"
#include "topology_fixture.h"

#include "math/vec.h"

static void normals_of_a_sphere_point_outwards(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(24, 36, 2);
  fixture f = build(&mesh);
  float *normal = MI_PUSH(&f.arena, float, 3 * mesh.nvert);
  mi_vertex_normals(&f.topo, mesh.position, normal);
  double area = 0;
  for (int t = 0; t < mesh.ntri; t++) area += mi_triangle_area(mesh.position, mesh.tri + 3 * t);
  assert_near(area, 16 * 3.14159265, 0.6);
  for (int i = 0; i < mesh.nvert; i++) {
    mi_vec3 outwards = mi_unit(mi_vec3_load(mesh.position + 3 * i));
    assert_true(mi_dot(outwards, mi_vec3_load(normal + 3 * i)) > 0.999);
  }
  mi_arena_free(&f.arena);
  scene_mesh_free(&mesh);
}

static void a_corner_of_a_box_looks_along_its_diagonal(void **state) {
  (void)state;
  // three faces meet at each corner, cut into different numbers of triangles: angles must weigh
  scene_mesh mesh = scene_box(1, 1, 1);
  fixture f = build(&mesh);
  float normal[24];
  mi_vertex_normals(&f.topo, mesh.position, normal);
  for (int i = 0; i < 8; i++) {
    mi_vec3 diagonal = mi_unit(mi_vec3_load(mesh.position + 3 * i));
    assert_near(mi_dot(diagonal, mi_vec3_load(normal + 3 * i)), 1, 1e-6);
  }
  assert_near(mi_mean_edge_length(&f.topo, mesh.position), (12 + 6 * sqrt(2)) / 18, 1e-6);
  mi_arena_free(&f.arena);
  scene_mesh_free(&mesh);
}

static void geodesic_matches_repeated_relaxation(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(12, 16, 1);
  fixture f = build(&mesh);
  float *start = MI_PUSH(&f.arena, float, mesh.nvert);
  float *distance = MI_PUSH(&f.arena, float, mesh.nvert);
  float *slow = MI_PUSH(&f.arena, float, mesh.nvert);
  int32_t *source = MI_PUSH(&f.arena, int32_t, mesh.nvert);
  for (int i = 0; i < mesh.nvert; i++) start[i] = INFINITY;
  start[3] = 0.25f, start[100] = 0;
  for (int i = 0; i < mesh.nvert; i++) slow[i] = start[i];
  for (int round = 0; round < mesh.nvert; round++) // Bellman and Ford
    for (int e = 0; e < f.topo.nedge; e++) {
      int a = f.topo.edge[2 * e], b = f.topo.edge[2 * e + 1];
      float length = (float)mi_distance(mi_vec3_load(mesh.position + 3 * a),
                                        mi_vec3_load(mesh.position + 3 * b));
      if (slow[a] + length < slow[b]) slow[b] = slow[a] + length;
      if (slow[b] + length < slow[a]) slow[a] = slow[b] + length;
    }
  assert_true(mi_geodesic(&f.topo, mesh.position, start, INFINITY, &f.arena, distance, source));
  for (int i = 0; i < mesh.nvert; i++) {
    assert_near(distance[i], slow[i], 1e-5);
    assert_true(source[i] == 3 || source[i] == 100);
  }
  assert_true(mi_geodesic(&f.topo, mesh.position, start, 0.6, &f.arena, distance, NULL));
  for (int i = 0; i < mesh.nvert; i++) {
    if (slow[i] < 0.599f) assert_near(distance[i], slow[i], 1e-5);
    if (slow[i] > 0.601f) assert_true(distance[i] == INFINITY);
  }
  mi_arena_free(&f.arena);
  scene_mesh_free(&mesh);
}

static void laplacian_of_a_plane_vanishes_inside(void **state) {
  (void)state;
  scene_mesh mesh = scene_grid(8, 6, 2);
  for (int i = 0; i < mesh.nvert; i++) // a tilted plane is as flat as a straight one
    mesh.position[3 * i + 2] = 0.3f * mesh.position[3 * i] - 0.7f * mesh.position[3 * i + 1];
  fixture f = build(&mesh);
  mi_csr laplacian;
  assert_true(mi_laplacian_build(&f.topo, mesh.position, &f.arena, &laplacian));
  double *x = MI_PUSH(&f.arena, double, 3 * mesh.nvert);
  double *y = MI_PUSH(&f.arena, double, 3 * mesh.nvert);
  for (int i = 0; i < 3 * mesh.nvert; i++) x[i] = mesh.position[i];
  mi_csr_multiply(&laplacian, 3, x, y);
  int ninside = 0;
  for (int i = 0; i < mesh.nvert; i++) {
    ninside += laplacian.first[i + 1] > laplacian.first[i];
    for (int k = 0; k < 3; k++) assert_near(y[3 * i + k], 0, 1e-6);
  }
  assert_int_equal(ninside, 7 * 5);
  mi_arena_free(&f.arena);
  scene_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(normals_of_a_sphere_point_outwards),
                                     cmocka_unit_test(a_corner_of_a_box_looks_along_its_diagonal),
                                     cmocka_unit_test(geodesic_matches_repeated_relaxation),
                                     cmocka_unit_test(laplacian_of_a_plane_vanishes_inside)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
