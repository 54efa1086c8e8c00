#include "mesh/mesh.h"
#include "scenes/scene.h"

#include "math/vec.h"

static double number(uint32_t i, uint32_t j) {
  return 2 * mi_random_unit(21, i, j) - 1;
}

// the same ray against every triangle, by solving for barycentric coordinates
static double brute_force(const scene_mesh *mesh, mi_vec3 from, mi_vec3 along, int except) {
  double nearest = INFINITY;
  for (int t = 0; t < mesh->ntri; t++) {
    const int32_t *tri = mesh->tri + 3 * t;
    if (tri[0] == except || tri[1] == except || tri[2] == except) continue;
    mi_vec3 a = mi_vec3_load(mesh->position + 3 * tri[0]);
    mi_vec3 b = mi_vec3_load(mesh->position + 3 * tri[1]);
    mi_vec3 c = mi_vec3_load(mesh->position + 3 * tri[2]);
    mi_vec3 n = mi_cross(mi_sub(b, a), mi_sub(c, a));
    double d = mi_dot(n, mi_sub(a, from)) / mi_dot(n, along);
    mi_vec3 p = mi_add_scaled(from, d, along);
    bool inside = mi_dot(n, mi_cross(mi_sub(b, a), mi_sub(p, a))) >= 0 &&
                  mi_dot(n, mi_cross(mi_sub(c, b), mi_sub(p, b))) >= 0 &&
                  mi_dot(n, mi_cross(mi_sub(a, c), mi_sub(p, c))) >= 0;
    if (inside && d >= 0 && d < nearest) nearest = d;
  }
  return nearest;
}

static void rays_match_brute_force(void **state) {
  (void)state;
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena arena;
  mi_arena_init(&arena, &host);
  scene_mesh mesh = scene_sphere(14, 20, 1);
  for (int i = 0; i < 3 * mesh.nvert; i++) mesh.position[i] += 0.1f * (float)number((uint32_t)i, 9);
  const mi_bvh *bvh = mi_bvh_build(mesh.ntri, mesh.tri, mesh.position, &arena);
  int nhit = 0;
  for (uint32_t r = 0; r < 2000; r++) {
    mi_vec3 from = {2 * number(r, 0), 2 * number(r, 1), 2 * number(r, 2)};
    mi_vec3 along = mi_unit((mi_vec3){number(r, 3), number(r, 4), number(r, 5)});
    if (r % 7 == 0) along = (mi_vec3){0, 1, 0}; // along an axis
    int except = r % 3 ? -1 : (int)r % mesh.nvert;
    double expected = brute_force(&mesh, from, along, except);
    mi_hit hit = mi_bvh_ray(bvh, (double[3]){from.x, from.y, from.z},
                            (double[3]){along.x, along.y, along.z}, INFINITY, except);
    assert_int_equal(hit.tri >= 0, expected < INFINITY);
    if (hit.tri < 0) continue;
    nhit++;
    assert_near(hit.distance, expected, 1e-9);
    double n[3];
    mi_triangle_normal(mesh.position, mesh.tri + 3 * hit.tri, n);
    assert_int_equal(hit.from_behind, n[0] * along.x + n[1] * along.y + n[2] * along.z > 0);
    mi_hit cut = mi_bvh_ray(bvh, (double[3]){from.x, from.y, from.z},
                            (double[3]){along.x, along.y, along.z}, 0.99 * expected, except);
    assert_int_equal(cut.tri, -1);
  }
  assert_true(nhit > 200);
  mi_arena_free(&arena);
  scene_mesh_free(&mesh);
}

static void an_empty_tree_is_never_hit(void **state) {
  (void)state;
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena arena;
  mi_arena_init(&arena, &host);
  const mi_bvh *bvh = mi_bvh_build(0, NULL, NULL, &arena);
  assert_non_null(bvh);
  assert_int_equal(mi_bvh_ray(bvh, (double[3]){0}, (double[3]){0, 0, 1}, INFINITY, -1).tri, -1);
  mi_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rays_match_brute_force),
                                     cmocka_unit_test(an_empty_tree_is_never_hit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
