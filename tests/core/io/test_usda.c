// Meshes of a rig's file as USD, text and binary.
#include "fixture.h"
#include "io/cache.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5, 6, 5, 5, 5, 6, 5};
static const float uvs[] = {0, 0, 1, 0, 0, 0.25f, 0, 0, 1, 0, 0, 0.25f};
static const int32_t corners[] = {0, 1, 2, 3, 4, 5};
static const mien_part parts[] = {{"1 face!", MIEN_PART_SKIN, 0, 3, 0, 1},
                                  {"1 face?", MIEN_PART_TEETH_UPPER, 3, 3, 1, 1}};

// The second mesh stands elsewhere than its own numbers say.
static mien_rig *make_rig(const mien_part *own) {
  static const double spaces[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0,
                                  2, 0, 0, 1, 0, 2, 0, 0, 0, 0, 2, 0};
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.name = "a rig";
  def.positions = (mien_f32s){positions, 6, 3};
  def.uvs = (mien_f32s){uvs, 6, 2};
  def.faces = (mien_i32s){corners, 6};
  def.parts = own;
  def.npart = 2;
  def.part_spaces = spaces;
  mien_rig *rig = NULL;
  mien_error err;
  if (mien_rig_create(&def, NULL, &rig, &err) < 0) fail_msg("%s", err.text);
  return rig;
}

static mien_cache_def cache_def(const mien_rig *rig) {
  mien_cache_def def;
  mien_cache_def_init(&def);
  def.rig = rig;
  def.first_frame = 101;
  return def;
}

static char *write(const char *name, size_t *size) {
  mien_rig *rig = make_rig(parts);
  mien_cache_def def = cache_def(rig);
  mien_cache *cache = NULL;
  mien_error err;
  char path[256];
  snprintf(path, sizeof path, "%s", fixture_path(name));
  if (mien_cache_create(path, &def, NULL, &cache, &err) < 0) fail_msg("%s", err.text);
  float moved[18];
  memcpy(moved, positions, sizeof moved);
  assert_int_equal(mien_cache_append(cache, (mien_f32s){moved, 6, 3}, &err), MIEN_OK);
  moved[7] = -1.5e-7f;
  assert_int_equal(mien_cache_append(cache, (mien_f32s){moved, 6, 3}, &err), MIEN_OK);
  moved[7] = NAN; // refused at once, not when hours of work are written
  assert_int_equal(mien_cache_append(cache, (mien_f32s){moved, 6, 3}, &err), MIEN_ERR_NOT_FINITE);
  if (mien_cache_finish(cache, &err) < 0) fail_msg("%s", err.text);
  mien_cache_free(cache);
  mien_rig_free(rig);
  unsigned char *bytes = fixture_read(path, size);
  bytes[*size] = 0;
  return (char *)bytes;
}

static void text_is_what_usd_expects(void **state) {
  (void)state;
  size_t size;
  char *text = write("a.usda", &size);
  static const char expected[] =
      "#usda 1.0\n(\n    defaultPrim = \"a_rig\"\n    doc = \"mien: points as if the head stood "
      "still "
      "(--space head), in each mesh's own space\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n"
      "    timeCodesPerSecond = 24\n    framesPerSecond = 24\n    startTimeCode = 101\n"
      "    endTimeCode = 102\n)\n\ndef Xform \"a_rig\"\n{\n"
      "    custom uniform token mien:space = \"head\"\n\n"
      "    def Mesh \"_1_face_\"\n    {\n"
      "        float3[] extent = [(0, -1.5e-07, 0), (1, 1, 0)]\n"
      "        int[] faceVertexCounts = [3]\n        int[] faceVertexIndices = [0, 1, 2]\n"
      "        uniform token subdivisionScheme = \"none\"\n"
      "        texCoord2f[] primvars:st = [(0, 1), (1, 1), (0, 0.75)] (\n"
      "            interpolation = \"vertex\"\n        )\n"
      "        point3f[] points.timeSamples = {\n"
      "            101: [(0, 0, 0), (1, 0, 0), (0, 1, 0)],\n"
      "            102: [(0, 0, 0), (1, 0, 0), (0, -1.5e-07, 0)],\n        }\n";
  assert_memory_equal(text, expected, sizeof expected - 1);
  // names that become the same identifier differ, points are the mesh's own, its place is said
  static const char second[] = "    def Mesh \"_1_face__2\"\n";
  assert_non_null(strstr(text, second));
  assert_non_null(strstr(text, "101: [(11, 10, 10), (13, 10, 10), (11, 12, 10)],"));
  assert_non_null(
      strstr(text, "( (0.5, 0, 0, 0), (0, 0.5, 0, 0), (0, 0, 0.5, 0), (-0.5, 0, 0, 1) )"));
  free(text);
}

// tests/io/check_usd.mjs reads the binary with a reader of its own; here: container and contents.
static void binary_is_a_crate(void **state) {
  (void)state;
  size_t size;
  char *bytes = write("a.usdc", &size);
  assert_memory_equal(bytes, "PXR-USDC\0\7\0", 11);
  int64_t contents, nsection, range[2];
  memcpy(&contents, bytes + 16, sizeof contents);
  assert_true(contents > 88 && (size_t)contents + 8 + 6 * 32 == size);
  memcpy(&nsection, bytes + contents, sizeof nsection);
  assert_int_equal(nsection, 6);
  static const char *const names[] = {"TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"};
  for (int i = 0; i < 6; i++) {
    const char *section = bytes + contents + 8 + 32 * i;
    assert_string_equal(section, names[i]);
    memcpy(range, section + 16, sizeof range);
    assert_true(range[0] >= 88 && range[1] > 0 && range[0] + range[1] <= contents);
  }
  const float point[3] = {13, 10, 10}; // as the file's mesh has it
  bool is_found = false;
  for (size_t i = 0; i + sizeof point <= size && !is_found; i++)
    is_found = !memcmp(bytes + i, point, sizeof point);
  assert_true(is_found);
  free(bytes);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  mien_rig *rig = make_rig(parts);
  mien_cache_def def = cache_def(rig);
  mien_cache *cache = NULL;
  mien_error err;
  def.welded = 1;
  assert_int_equal(mien_cache_create(fixture_path("b.usdc"), &def, NULL, &cache, &err),
                   MIEN_ERR_OPTIONS);
  def.welded = 0; // a rig that no file holds has no file to go back into
  assert_int_equal(mien_cache_create(fixture_path("b.glb"), &def, NULL, &cache, &err),
                   MIEN_ERR_OPTIONS);
  assert_int_equal(mien_cache_create(fixture_path("b.xyz"), &def, NULL, &cache, &err),
                   MIEN_ERR_ARGUMENT);
  mien_rig_free(rig);
}

// Not after hours of work, and never one file over the other.
static void names_are_looked_at_first(void **state) {
  (void)state;
  static const mien_part as_files[] = {{"a/face", MIEN_PART_SKIN, 0, 3, 0, 1},
                                       {"a:face", MIEN_PART_TEETH_UPPER, 3, 3, 1, 1}};
  static const mien_part twins[] = {{"face", MIEN_PART_SKIN, 0, 3, 0, 1},
                                    {"face", MIEN_PART_TEETH_UPPER, 3, 3, 1, 1}};
  static const struct {
    const mien_part *parts;
    const char *path;
    mien_result result;
  } cases[] = {{as_files, "{mesh}.pc2", MIEN_ERR_MISMATCH},
               {twins, "{mesh}.pc2", MIEN_ERR_MISMATCH},
               {twins, "c.usda", MIEN_ERR_MISMATCH},
               {twins, "c.abc", MIEN_ERR_MISMATCH},
               {parts, "taken.{mesh}.pc2", MIEN_ERR_IO},
               {as_files, "c.usdc", MIEN_OK},
               {twins, "c.pc2", MIEN_OK}};
  assert_int_equal(mkdir(fixture_path("taken.1 face_.pc2"), 0777), 0);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    mien_rig *rig = make_rig(cases[k].parts);
    mien_cache_def def = cache_def(rig);
    mien_cache *cache = NULL;
    mien_error err;
    mien_result result = mien_cache_create(fixture_path(cases[k].path), &def, NULL, &cache, &err);
    if (result != cases[k].result) fail_msg("case %zu: %d: %s", k, (int)result, err.text);
    mien_cache_free(cache);
    mien_rig_free(rig);
  }
}

// A small file may hold thousands of meshes that are all called the same in USD.
static void many_meshes_take_no_more_each(void **state) {
  (void)state;
  enum { MANY = 3000 };
  static mien_part many[MANY];
  static char names[MANY][16];
  static float place[9 * MANY];
  static int32_t corner[3 * MANY];
  for (int p = 0; p < MANY; p++) {
    snprintf(names[p], sizeof names[p], "\xe4%c%c", 0xb8 + p / 64 % 8, 0x80 + p % 64);
    snprintf(names[p] + 3, sizeof names[p] - 3, "%c%c", 0xc4 + p / 512, 0x80);
    many[p] = (mien_part){names[p], p ? MIEN_PART_OTHER : MIEN_PART_SKIN, 3 * p, 3, p, 1};
    for (int k = 0; k < 3; k++) corner[3 * p + k] = 3 * p + k;
    place[9 * p + 4] = place[9 * p + 8] = 1;
    place[9 * p] = place[9 * p + 3] = place[9 * p + 6] = (float)p;
  }
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.positions = (mien_f32s){place, 3 * MANY, 3};
  def.faces = (mien_i32s){corner, 3 * MANY};
  def.parts = many;
  def.npart = MANY;
  mien_rig *rig = NULL;
  mien_error err;
  if (mien_rig_create(&def, NULL, &rig, &err) < 0) fail_msg("%s", err.text);
  static const char *const ends[] = {"many.usda", "many.usdc", "many.abc"};
  for (size_t k = 0; k < 3; k++) {
    mien_host host;
    mien_cache_def about = cache_def(rig);
    mien_cache *cache = NULL;
    mien_f32s points = {place, mien_rig_get_info(rig)->nvert, 3};
    mien_host_init(&host);
    host.memory_limit = (size_t)64 << 20;
    if (mien_cache_create(fixture_path(ends[k]), &about, &host, &cache, &err) < 0 ||
        mien_cache_append(cache, points, &err) < 0 || mien_cache_finish(cache, &err) < 0)
      fail_msg("%s: %s", ends[k], err.text);
    mien_cache_free(cache);
  }
  mien_rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_what_usd_expects),      cmocka_unit_test(binary_is_a_crate),
      cmocka_unit_test(what_cannot_be_is_refused),     cmocka_unit_test(names_are_looked_at_first),
      cmocka_unit_test(many_meshes_take_no_more_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
