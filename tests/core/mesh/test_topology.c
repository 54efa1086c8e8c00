#include "mesh/mesh.h"
#include "scenes/scene.h"
#include "topology_fixture.h"

static void a_closed_sphere_obeys_euler(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(9, 14, 1);
  fixture f = build(&mesh);
  assert_int_equal(f.topo.nvert - f.topo.nedge + f.topo.ntri, 2);
  assert_int_equal(f.topo.nborder, 0);
  assert_int_equal(f.topo.nnonmanifold, 0);
  assert_int_equal(f.topo.nflipped, 0);
  mi_arena_free(&f.arena);
  scene_mesh_free(&mesh);
}

// every neighbour and triangle against a search through the list
static void rows_match_brute_force(void **state) {
  (void)state;
  scene_mesh mesh = scene_grid(5, 4, 1);
  fixture f = build(&mesh);
  assert_int_equal(f.topo.nborder, 2 * (5 + 4));
  for (int a = 0; a < mesh.nvert; a++)
    for (int b = 0; b < mesh.nvert; b++) {
      int shared = 0;
      for (int t = 0; t < mesh.ntri; t++) {
        const int32_t *tri = mesh.tri + 3 * t;
        bool has_a = tri[0] == a || tri[1] == a || tri[2] == a;
        bool has_b = tri[0] == b || tri[1] == b || tri[2] == b;
        shared += a != b && has_a && has_b;
      }
      int e = a == b ? -1 : mi_topology_edge(&f.topo, a, b);
      assert_int_equal(e >= 0, shared > 0);
      if (e >= 0) assert_int_equal(f.topo.edge_ntri[e], shared);
    }
  for (int i = 0; i < mesh.nvert; i++)
    for (int k = f.topo.vert_first[i]; k < f.topo.vert_first[i + 1]; k++) {
      const int32_t *tri = mesh.tri + 3 * f.topo.vert_tri[k];
      assert_true(tri[0] == i || tri[1] == i || tri[2] == i);
    }
  mi_arena_free(&f.arena);
  scene_mesh_free(&mesh);
}

static void faults_are_counted(void **state) {
  (void)state;
  const int32_t fan[] = {0, 1, 2, 0, 1, 3, 1, 0, 4}; // three triangles at one edge
  const int32_t flipped[] = {0, 1, 2, 0, 1, 3};      // two that run the same way
  const int32_t twice[] = {0, 0, 1};                 // names a vertex twice
  scene_mesh mesh = {NULL, (int32_t *)fan, 5, 3};
  fixture f = build(&mesh);
  assert_int_equal(f.topo.nnonmanifold, 1);
  mi_arena_free(&f.arena);
  mesh = (scene_mesh){NULL, (int32_t *)flipped, 4, 2};
  f = build(&mesh);
  assert_int_equal(f.topo.nflipped, 1);
  assert_int_equal(f.topo.nborder, 4);
  mi_arena_free(&f.arena);
  mesh = (scene_mesh){NULL, (int32_t *)twice, 2, 1};
  f = build(&mesh);
  assert_int_equal(f.topo.nedge, 1);
  mi_arena_free(&f.arena);
}

static void components_are_separate_pieces(void **state) {
  (void)state;
  scene_mesh grid = scene_grid(3, 3, 1), box = scene_box(1, 1, 1);
  scene_mesh both = scene_join(&grid, &box);
  fixture f = build(&both);
  int32_t component[64];
  assert_int_equal(mi_topology_components(&f.topo, &f.arena, component), 2);
  for (int i = 0; i < both.nvert; i++) assert_int_equal(component[i], i >= grid.nvert);
  mi_arena_free(&f.arena);
  scene_mesh_free(&grid);
  scene_mesh_free(&box);
  scene_mesh_free(&both);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_closed_sphere_obeys_euler), cmocka_unit_test(rows_match_brute_force),
      cmocka_unit_test(faults_are_counted), cmocka_unit_test(components_are_separate_pieces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
