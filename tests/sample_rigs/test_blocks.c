#include "blocks/blocks.h"
#include "blocks/tet_block.h"
#include "mesh_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// -- Surfaces -------------------------------------------------------------------------------------

static void check_box(const mien_rig_def *def, double volume) {
  mesh_report report;
  assert_int_equal(def->npart, 1);
  assert_int_equal(mesh_check(def, &def->parts[0], &report), 0);
  assert_int_equal(report.ncomponent, 1);
  assert_int_equal(report.nborder_edge, 0);
  assert_int_equal(report.nbad_edge, 0);
  assert_int_equal(report.nbad_vertex, 0);
  assert_true(fabs(report.volume - volume) < 1e-6 * volume + 1e-10);
  assert_true(report.least_angle > 44.9);
}

static int count_held(const mien_rig_def *def) {
  assert_string_equal(def->maps[0].name, "attachment");
  int held = 0;
  for (int v = 0; v < def->positions.count; v++) held += def->maps[0].values.data[v] == 1.0f;
  return held;
}

static double posed_volume(const mien_rig_def *def, const mien_shape *shape) {
  size_t bytes = 3 * (size_t)def->positions.count * sizeof(float);
  float *pose = malloc(bytes);
  assert_non_null(pose);
  memcpy(pose, def->positions.data, bytes);
  for (int k = 0; k < shape->indices.count; k++) {
    for (int a = 0; a < 3; a++)
      pose[3 * shape->indices.data[k] + a] += shape->deltas.data[3 * k + a];
  }
  mien_rig_def posed = *def;
  posed.positions.data = pose;
  mesh_report report;
  assert_int_equal(mesh_check(&posed, &def->parts[0], &report), 0);
  assert_int_equal(mesh_count_crossings(&posed, &def->parts[0], NULL), 0);
  free(pose);
  return report.volume;
}

static void bar_is_a_box(void **state) {
  (void)state;
  for (int cells = 1; cells <= 8; cells *= 2) {
    block_rig bar;
    assert_int_equal(block_bar_create(&bar, cells), 0);
    const mien_rig_def *def = &bar.store.def;
    check_box(def, 0.2 * 0.04 * 0.04);
    assert_int_equal(count_held(def), (cells + 1) * (cells + 1));
    assert_string_equal(def->shapes[0].name, "bend");
    assert_string_equal(def->shapes[1].name, "stretch");
    block_free(&bar);
  }
}

static void bar_shapes_keep_the_volume(void **state) {
  (void)state;
  block_rig bar;
  assert_int_equal(block_bar_create(&bar, 8), 0);
  const double volume = 0.2 * 0.04 * 0.04;
  // Bending stretches one side as much as it presses the other.
  assert_true(fabs(posed_volume(&bar.store.def, &bar.store.def.shapes[0]) - volume) <
              0.01 * volume);
  assert_true(fabs(posed_volume(&bar.store.def, &bar.store.def.shapes[1]) - volume) <
              1e-4 * volume);
  block_free(&bar);
}

// Neither shape moves the middle of the held end.
static void bar_shapes_start_at_the_held_end(void **state) {
  (void)state;
  block_rig bar;
  assert_int_equal(block_bar_create(&bar, 4), 0);
  const mien_rig_def *def = &bar.store.def;
  const mien_shape *bend = &def->shapes[0];
  for (int k = 0; k < bend->indices.count; k++)
    assert_true(def->positions.data[3 * bend->indices.data[k]] > -0.0999f);
  block_free(&bar);
}

static void cube_is_a_box(void **state) {
  (void)state;
  block_rig cube;
  assert_int_equal(block_cube_create(&cube, 6), 0);
  const mien_rig_def *def = &cube.store.def;
  check_box(def, 0.001);
  assert_int_equal(count_held(def), 0);
  assert_string_equal(def->shapes[0].name, "squash");
  assert_true(fabs(posed_volume(def, &def->shapes[0]) - 0.001) < 1e-7);
  block_free(&cube);
}

static void sheet_is_open(void **state) {
  (void)state;
  block_rig sheet;
  assert_int_equal(block_sheet_create(&sheet, 10), 0);
  const mien_rig_def *def = &sheet.store.def;
  mesh_report report;
  assert_int_equal(mesh_check(def, &def->parts[0], &report), 0);
  assert_int_equal(report.nborder_edge, 40);
  assert_int_equal(report.nborder_loop, 1);
  assert_int_equal(report.nbad_edge, 0);
  assert_int_equal(report.nbad_vertex, 0);
  assert_int_equal(count_held(def), 11);
  const mien_shape *wave = &def->shapes[0];
  assert_string_equal(wave->name, "wave");
  for (int k = 0; k < wave->indices.count; k++)
    assert_true(def->maps[0].values.data[wave->indices.data[k]] == 0.0f);
  block_free(&sheet);
}

static void no_cells_no_block(void **state) {
  (void)state;
  block_rig rig;
  assert_int_equal(block_bar_create(&rig, 0), -1);
  assert_int_equal(block_cube_create(&rig, -3), -1);
  assert_int_equal(block_sheet_create(&rig, 0), -1);
}

// -- Tetrahedra -----------------------------------------------------------------------------------

static double tet_volume(const tet_block *block, const int32_t *tet) {
  double e[3][3];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      e[i][k] = block->position[tet[i + 1]][k] - block->position[tet[0]][k];
  }
  double x = e[0][1] * e[1][2] - e[0][2] * e[1][1];
  double y = e[0][2] * e[1][0] - e[0][0] * e[1][2];
  double z = e[0][0] * e[1][1] - e[0][1] * e[1][0];
  return (x * e[2][0] + y * e[2][1] + z * e[2][2]) / 6.0;
}

typedef struct face {
  int32_t corner[3]; // ascending
} face;

static int compare_faces(const void *left, const void *right) {
  return memcmp(left, right, sizeof(face));
}

static face sorted_face(int32_t a, int32_t b, int32_t c) {
  int32_t low = a < b ? a : b, high = a < b ? b : a;
  if (c < low) return (face){{c, low, high}};
  return c < high ? (face){{low, c, high}} : (face){{low, high, c}};
}

// Faces with one tetrahedron; fails on a face with more than two.
static int count_outer_faces(const tet_block *block) {
  size_t count = 4 * (size_t)block->ntet;
  face *all = malloc(count * sizeof *all);
  assert_non_null(all);
  for (int t = 0; t < block->ntet; t++) {
    const int32_t *v = block->tet[t];
    for (int k = 0; k < 4; k++)
      all[4 * t + k] = sorted_face(v[(k + 1) % 4], v[(k + 2) % 4], v[(k + 3) % 4]);
  }
  qsort(all, count, sizeof *all, compare_faces);
  int outer = 0;
  for (size_t i = 0; i < count;) {
    size_t n = 1;
    while (i + n < count && memcmp(&all[i], &all[i + n], sizeof *all) == 0) n++;
    assert_true(n <= 2);
    outer += n == 1;
    i += n;
  }
  free(all);
  return outer;
}

static void tets_fill_the_box(void **state) {
  (void)state;
  for (int per_cell = 5; per_cell <= 6; per_cell++) {
    tet_block block;
    tet_block_def def = {{0.2, 0.04, 0.06}, {10, 2, 3}, per_cell};
    assert_int_equal(tet_block_create(&block, &def), 0);
    assert_int_equal(block.nvert, 11 * 3 * 4);
    assert_int_equal(block.ntet, 60 * per_cell);
    double sum = 0.0, least = 1.0;
    for (int t = 0; t < block.ntet; t++) {
      double volume = tet_volume(&block, block.tet[t]);
      sum += volume, least = fmin(least, volume);
    }
    assert_true(least > 0.99 * 0.02 * 0.02 * 0.02 / 6.0);
    assert_true(fabs(sum - 0.2 * 0.04 * 0.06) < 1e-15);
    // Conforming: all faces that belong to one tetrahedron lie on the box, two per cell side.
    assert_int_equal(count_outer_faces(&block), 2 * 2 * (10 * 2 + 2 * 3 + 3 * 10));
    int corner = tet_block_vertex(&block, 10, 2, 3);
    assert_true(fabs(block.position[corner][0] - 0.1) < 1e-15);
    assert_true(fabs(block.position[corner][1] - 0.02) < 1e-15);
    assert_true(fabs(block.position[corner][2] - 0.03) < 1e-15);
    tet_block_free(&block);
  }
}

static void bad_definitions_are_refused(void **state) {
  (void)state;
  tet_block block;
  assert_int_equal(tet_block_create(&block, &(tet_block_def){{1, 1, 1}, {1, 1, 1}, 4}), -1);
  assert_int_equal(tet_block_create(&block, &(tet_block_def){{1, 1, 1}, {1, 0, 1}, 5}), -1);
  assert_int_equal(tet_block_create(&block, &(tet_block_def){{1, -1, 1}, {1, 1, 1}, 5}), -1);
  assert_int_equal(tet_block_create(&block, &(tet_block_def){{NAN, 1, 1}, {1, 1, 1}, 6}), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bar_is_a_box),
      cmocka_unit_test(bar_shapes_keep_the_volume),
      cmocka_unit_test(bar_shapes_start_at_the_held_end),
      cmocka_unit_test(cube_is_a_box),
      cmocka_unit_test(sheet_is_open),
      cmocka_unit_test(no_cells_no_block),
      cmocka_unit_test(tets_fill_the_box),
      cmocka_unit_test(bad_definitions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
