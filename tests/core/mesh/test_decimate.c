// Coarser meshes: some of the old vertices, still the same surface.
#include "mesh/decimate.h"
#include "scenes/scene.h"

#include "math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct made {
  mi_arena arena;
  mi_decimated coarse;
  mi_topology topo;
} made;

static made decimate(const scene_mesh *mesh, const float *importance, int target) {
  mien_host host, given;
  mien_host_init(&given);
  assert_int_equal(mi_host_resolve(&given, &host, NULL), MIEN_OK);
  made m;
  mi_arena_init(&m.arena, &host);
  mi_decimate_def def = {mesh->nvert, mesh->ntri, mesh->position, mesh->tri, importance, target};
  assert_true(mi_decimate(&def, &m.arena, &m.coarse));
  assert_true(mi_topology_build(mesh->nvert, m.coarse.ntri, m.coarse.tri, &m.arena, &m.topo));
  unsigned char *used = calloc((size_t)mesh->nvert, 1);
  for (int i = 0; i < m.coarse.nvert; i++) {
    assert_true(i == 0 || m.coarse.vert[i] > m.coarse.vert[i - 1]);
    used[m.coarse.vert[i]] = 1;
  }
  for (int k = 0; k < 3 * m.coarse.ntri; k++) assert_true(used[m.coarse.tri[k]]);
  free(used);
  assert_int_equal(m.topo.nnonmanifold, 0);
  assert_int_equal(m.topo.nflipped, 0);
  return m;
}

static void a_sphere_stays_one(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(60, 90, 0.1);
  made m = decimate(&mesh, NULL, 400);
  assert_int_equal(m.coarse.nvert, 400);
  assert_int_equal(m.topo.nborder, 0);
  assert_int_equal(m.coarse.nvert - m.topo.nedge + m.coarse.ntri, 2); // Euler
  double area = 0, inside = 0;
  for (int t = 0; t < m.coarse.ntri; t++) {
    const int32_t *tri = m.coarse.tri + 3 * t;
    mi_vec3 p[3];
    for (int c = 0; c < 3; c++) p[c] = mi_vec3_load(mesh.position + 3 * tri[c]);
    mi_vec3 n = mi_cross(mi_sub(p[1], p[0]), mi_sub(p[2], p[0]));
    assert_true(mi_dot(n, p[0]) > 0); // outwards
    area += mi_length(n) / 2;
    inside += mi_dot(p[0], mi_cross(p[1], p[2])) / 6;
  }
  assert_near(area, 4 * 3.14159265 * 0.01, 0.04 * 0.1257);
  assert_near(inside, 4.0 / 3 * 3.14159265 * 0.001, 0.05 * 0.00419);
  mi_arena_free(&m.arena);
  scene_mesh_free(&mesh);
}

static void borders_and_important_vertices_stay(void **state) {
  (void)state;
  scene_mesh mesh = scene_grid(40, 40, 0.2);
  float *importance = calloc((size_t)mesh.nvert, sizeof *importance);
  for (int i = 0; i < mesh.nvert; i++) importance[i] = i % 97 == 5 ? INFINITY : 1;
  made m = decimate(&mesh, importance, 120);
  assert_int_equal(m.coarse.nvert, 120);
  assert_int_equal(m.coarse.nvert - m.topo.nedge + m.coarse.ntri, 1);
  for (int i = 5, k = 0; i < mesh.nvert; i += 97) {
    while (k < m.coarse.nvert && m.coarse.vert[k] < i) k++;
    assert_true(k < m.coarse.nvert && m.coarse.vert[k] == i);
  }
  double area = 0;
  for (int t = 0; t < m.coarse.ntri; t++)
    area += mi_triangle_area(mesh.position, m.coarse.tri + 3 * t);
  assert_near(area, 0.04, 1e-6); // the square is whole
  free(importance);
  mi_arena_free(&m.arena);
  scene_mesh_free(&mesh);
}

static void it_ends_where_nothing_can_go(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(8, 10, 0.1);
  made m = decimate(&mesh, NULL, 1);
  assert_true(m.coarse.nvert >= 4 && m.coarse.ntri >= 4);
  mi_arena_free(&m.arena);
  scene_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_sphere_stays_one),
                                     cmocka_unit_test(borders_and_important_vertices_stay),
                                     cmocka_unit_test(it_ends_where_nothing_can_go)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
