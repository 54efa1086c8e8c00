// Caches that drop onto the artist's own meshes: one file per mesh, in its vertex order, unit, axes
// and space, whatever the rig made of them.
#include "fixture.h"
#include "io/cache.h"
#include "io/io.h"
#include "rig/rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NVERT = 8, NPART = 2 };

// Two quads in centimetres, Z up. The first one's rows are written in another order by its file,
// the second one stands elsewhere in the scene than its own space says.
static void make(mien_rig_def *def, float *positions) {
  static const int32_t faces[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
  static const int32_t number[] = {2, 0, 1, 3, 0, 1, 2, 3};
  static const mien_part parts[] = {{"head:01", MIEN_PART_SKIN, 0, 4, 0, 2},
                                    {"teeth", MIEN_PART_TEETH_UPPER, 4, 4, 2, 2}};
  static const double spaces[] = {1, 0, 0, 0, 0, 1, 0, 0,  0, 0, 1, 0,
                                  0, 1, 0, 5, 2, 0, 0, -7, 0, 0, 1, 3};
  for (int i = 0; i < 3 * NVERT; i++) positions[i] = (float)((i * 37) % 23) + (float)i * 0.25f;
  mien_rig_def_init(def);
  def->metres_per_unit = 0.01;
  def->weld = 0;
  def->up = MIEN_AXIS_Z;
  def->facing = MIEN_AXIS_MINUS_Y;
  def->positions = (mien_f32s){positions, NVERT, 3};
  def->faces = (mien_i32s){faces, 12};
  def->parts = parts;
  def->npart = NPART;
  def->part_spaces = spaces;
  def->file_vertices = (mien_i32s){number, NVERT};
}

static void check_mesh(const char *path, const mien_rig_def *def, int part) {
  mien_cache *cache = NULL;
  mien_error err;
  if (mien_cache_load(path, NULL, &cache, &err) < 0) fail_msg("%s", err.text);
  const mien_cache_info *info = mien_cache_get_info(cache);
  assert_int_equal(info->npoint, 4);
  assert_int_equal(info->nframe, 2);
  for (int i = 0; i < 4; i++) {
    const float *from = def->positions.data + 3 * (4 * part + i);
    const double *space = def->part_spaces + 12 * part;
    const float *to = info->points + 3 * def->file_vertices.data[4 * part + i];
    for (int k = 0; k < 3; k++) {
      double wanted = space[4 * k + 3];
      for (int j = 0; j < 3; j++) wanted += space[4 * k + j] * (double)from[j];
      assert_true(fabs((double)to[k] - wanted) < 2e-5);
    }
  }
  mien_cache_free(cache);
}

static void meshes_come_back_as_they_were(void **state) {
  (void)state;
  float positions[3 * NVERT];
  mien_rig_def def;
  make(&def, positions);
  mien_rig *rig = NULL;
  mien_error err;
  if (mien_rig_create(&def, NULL, &rig, &err) < 0) fail_msg("%s", err.text);
  mien_cache_def cache_def;
  mien_cache_def_init(&cache_def);
  cache_def.rig = rig;
  mien_cache *cache = NULL;
  char path[512];
  snprintf(path, sizeof path, "%s", fixture_path("shot.{mesh}.pc2"));
  if (mien_cache_create(path, &cache_def, NULL, &cache, &err) < 0) fail_msg("%s", err.text);
  for (int f = 0; f < 2; f++)
    assert_int_equal(mien_cache_append(cache, mien_rig_get_info(rig)->positions, &err), MIEN_OK);
  if (mien_cache_finish(cache, &err) < 0) fail_msg("%s", err.text);
  mien_cache_free(cache);
  check_mesh(fixture_path("shot.head_01.pc2"), &def, 0);
  check_mesh(fixture_path("shot.teeth.pc2"), &def, 1);
  cache_def.welded = 1;
  assert_int_equal(mien_cache_create(path, &cache_def, NULL, &cache, &err), MIEN_ERR_OPTIONS);
  mien_rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(meshes_come_back_as_they_were)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
