#include "plugin/tetgen/tetgen_adapter.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// An outer surface around an inner one, moved along x.
typedef struct nest {
  double *position;
  int32_t *tri;
  mien_surface surface;
} nest;

static nest make_nest(scene_mesh outer, scene_mesh inner, double along) {
  for (int i = 0; i < inner.nvert; i++) inner.position[3 * i] += (float)along;
  scene_mesh both = scene_join(&outer, &inner);
  nest n = {.position = malloc(3 * (size_t)both.nvert * sizeof *n.position),
            .tri = malloc(3 * (size_t)both.ntri * sizeof *n.tri)};
  assert_true(n.position && n.tri);
  for (int k = 0; k < 3 * both.nvert; k++) n.position[k] = both.position[k];
  memcpy(n.tri, both.tri, 3 * (size_t)both.ntri * sizeof *n.tri);
  n.surface = (mien_surface){.positions = n.position,
                             .triangles = n.tri,
                             .nvert = both.nvert,
                             .ntri = both.ntri,
                             .max_volume = 1e-5};
  scene_mesh_free(&outer);
  scene_mesh_free(&inner);
  scene_mesh_free(&both);
  return n;
}

static void free_nest(nest *n) {
  free(n->position);
  free(n->tri);
}

static void free_answer(mien_tet_mesh *mesh) {
  free(mesh->positions);
  free(mesh->tets);
}

static double six_volumes(const double *a, const double *b, const double *c, const double *d) {
  double e[3][3];
  for (int k = 0; k < 3; k++) {
    e[0][k] = b[k] - a[k];
    e[1][k] = c[k] - a[k];
    e[2][k] = d[k] - a[k];
  }
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
         e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

// every volume positive and at most max_volume; the sum
static double volume_of(const mien_tet_mesh *mesh, double max_volume) {
  double sum = 0;
  for (int e = 0; e < mesh->ntet; e++) {
    const double *p[4];
    for (int c = 0; c < 4; c++) {
      assert_in_range(mesh->tets[4 * e + c], 0, mesh->nvert - 1);
      p[c] = mesh->positions + 3 * (size_t)mesh->tets[4 * e + c];
    }
    double volume = six_volumes(p[0], p[1], p[2], p[3]) / 6;
    assert_true(volume > 0);
    assert_true(volume <= max_volume * (1 + 1e-9));
    sum += volume;
  }
  return sum;
}

static double enclosed_by(const nest *n, int first, int end) {
  const double origin[3] = {0};
  double sum = 0;
  for (int t = first; t < end; t++)
    sum += six_volumes(origin, n->position + 3 * n->tri[3 * t], n->position + 3 * n->tri[3 * t + 1],
                       n->position + 3 * n->tri[3 * t + 2]) /
           6;
  return fabs(sum);
}

// how many tetrahedra have all three corners of a triangle
static int sides_of(const mien_tet_mesh *mesh, const int32_t *tri) {
  int sides = 0;
  for (int e = 0; e < mesh->ntet; e++) {
    int shared = 0;
    for (int c = 0; c < 4; c++)
      for (int k = 0; k < 3; k++) shared += mesh->tets[4 * e + c] == tri[k];
    sides += shared == 3;
  }
  return sides;
}

static void fill_and_check(nest *n, int nouter) {
  const double hole[3] = {0};
  mien_tet_mesh mesh;
  char why[160] = "";
  n->surface.holes = hole;
  n->surface.nhole = 1;
  assert_int_equal(mien_tetgen(NULL, &n->surface, &mesh, why), 0);
  assert_true(mesh.nvert >= n->surface.nvert);
  assert_memory_equal(mesh.positions, n->position,
                      3 * (size_t)n->surface.nvert * sizeof *n->position);
  double expected = enclosed_by(n, 0, nouter) - enclosed_by(n, nouter, n->surface.ntri);
  assert_true(fabs(volume_of(&mesh, INFINITY) - expected) < 1e-9 * expected);
  for (int t = 0; t < n->surface.ntri; t++)
    assert_int_equal(sides_of(&mesh, n->tri + 3 * (size_t)t), 1);
  free_answer(&mesh);
}

static void a_box_with_a_hole_is_filled(void **state) {
  (void)state;
  nest n = make_nest(scene_box(0.2, 0.2, 0.2), scene_box(0.1, 0.1, 0.1), 0);
  fill_and_check(&n, 12);
  free_nest(&n);
}

static void a_shell_is_filled_without_vertices_on_its_surface(void **state) {
  (void)state;
  scene_mesh outer = scene_sphere(12, 24, 0.1);
  int nouter = outer.ntri;
  nest n = make_nest(outer, scene_sphere(8, 16, 0.04), 0.01);
  fill_and_check(&n, nouter);
  free_nest(&n);
}

static int fill_spheres(double max_volume, mien_tet_mesh *mesh, char why[160]) {
  nest n = make_nest(scene_sphere(12, 24, 0.1), scene_sphere(8, 16, 0.04), 0);
  const double hole[3] = {0};
  n.surface.holes = hole;
  n.surface.nhole = 1;
  n.surface.max_volume = max_volume;
  why[0] = 0;
  int result = mien_tetgen(NULL, &n.surface, mesh, why);
  free_nest(&n);
  return result;
}

// Millions of tetrahedra would take memory by the gigabyte; the child has less.
static void too_many_tetrahedra_are_a_sentence(void **state) {
  (void)state;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  mien_tet_mesh mesh;
  char why[160];
  assert_int_equal(fill_spheres(1e-9, &mesh, why), -1);
  assert_non_null(strstr(why, "not enough memory"));
#endif
}

static void smaller_tetrahedra_are_more(void **state) {
  (void)state;
  int ntet[2];
  for (int i = 0; i < 2; i++) {
    mien_tet_mesh mesh;
    char why[160];
    assert_int_equal(fill_spheres(i ? 1e-6 : 0, &mesh, why), 0);
    volume_of(&mesh, INFINITY);
    ntet[i] = mesh.ntet;
    free_answer(&mesh);
  }
  assert_true(ntet[1] > 2 * ntet[0]);
}

// What is written to standard output while `surface` is refused.
static long refuse(const mien_surface *surface, const char *reason, char why[160]) {
  FILE *noise = tmpfile();
  assert_non_null(noise);
  fflush(stdout);
  int kept = dup(STDOUT_FILENO);
  dup2(fileno(noise), STDOUT_FILENO);
  mien_tet_mesh mesh = {.nvert = 7};
  int result = mien_tetgen(NULL, surface, &mesh, why);
  fflush(stdout);
  dup2(kept, STDOUT_FILENO);
  close(kept);
  fseek(noise, 0, SEEK_END);
  long written = ftell(noise);
  fclose(noise);
  assert_int_equal(result, -1);
  assert_null(mesh.positions);
  assert_null(mesh.tets);
  assert_int_equal(mesh.nvert, 0);
  assert_non_null(strstr(why, reason));
  return written;
}

static void crossing_surfaces_are_refused_with_the_place(void **state) {
  (void)state;
  nest n = make_nest(scene_box(0.2, 0.2, 0.2), scene_box(0.1, 0.1, 0.1), 0.08);
  char why[160] = "";
  assert_int_equal(refuse(&n.surface, "cross", why), 0);
  double x, y, z;
  const char *place = strstr(why, "near x ");
  assert_non_null(place);
  assert_int_equal(sscanf(place, "near x %lf, y %lf, z %lf m", &x, &y, &z), 3);
  assert_true(x > 0 && x < 0.14 && fabs(y) <= 0.1 && fabs(z) <= 0.1);
  free_nest(&n);
}

static void a_room_that_is_a_hole_or_no_surface_is_refused(void **state) {
  (void)state;
  nest n = make_nest(scene_box(0.2, 0.2, 0.2), scene_box(0.1, 0.1, 0.1), 0);
  char why[160] = "";
  n.surface.ntri = 12; // only the outer box, and its inside is a hole
  n.surface.holes = (const double[]){0, 0, 0};
  n.surface.nhole = 1;
  assert_int_equal(refuse(&n.surface, "enclose nothing", why), 0);
  n.tri[5] = n.surface.nvert;
  assert_int_equal(refuse(&n.surface, "out of range", why), 0);
  n.surface.ntri = 3;
  assert_int_equal(refuse(&n.surface, "too few", why), 0);
  free_nest(&n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_with_a_hole_is_filled),
      cmocka_unit_test(a_shell_is_filled_without_vertices_on_its_surface),
      cmocka_unit_test(smaller_tetrahedra_are_more),
      cmocka_unit_test(too_many_tetrahedra_are_a_sentence),
      cmocka_unit_test(crossing_surfaces_are_refused_with_the_place),
      cmocka_unit_test(a_room_that_is_a_hole_or_no_surface_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
