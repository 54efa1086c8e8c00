// Buffer views packed by meshoptimizer, under both names of the extension; a stream that it cannot
// unpack is refused.
#include "fixture.h"

#include <meshoptimizer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NVERT = 4, NCORNER = 6, ROOM = 1024 };
static const float rest[3 * NVERT] = {0, 0, 0, 0.1F, 0, 0, 0.1F, 0.2F, 0, 0, 0.2F, 0.05F};
static const uint16_t corner[NCORNER] = {0, 1, 2, 0, 2, 3};
static const float shape[3 * NVERT] = {0, -0.01F, 0, 0, -0.02F, 0, 0, 0, 0, 0, 0, 0.03F};

static const char START[] =
    "{'asset':{'version':'2.0'},'extensionsRequired':['%s_meshopt_compression'],"
    "'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1,"
    "'targets':[{'POSITION':2}]}],'extras':{'targetNames':['jawOpen']}}],"
    "'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'},"
    "{'bufferView':1,'componentType':5123,'count':6,'type':'SCALAR'},"
    "{'bufferView':2,'componentType':5126,'count':4,'type':'VEC3'}],"
    "'buffers':[{'byteLength':%zu},{'byteLength':108,'extensions':{'%s_meshopt_compression':"
    "{'fallback':true}}}],'bufferViews':[";
static const char VIEW[] =
    "{'buffer':1,'byteLength':%d,'extensions':{'%s_meshopt_compression':{'buffer':0,"
    "'byteOffset':%zu,'byteLength':%zu,'byteStride':%d,'count':%d,'mode':'%s'}}}%s";

static mien_result read_it(const char *vendor, int spoilt, mien_rig **rig, mien_error *err) {
  unsigned char bin[ROOM] = {0};
  char json[4 * ROOM];
  unsigned int index[NCORNER];
  for (int i = 0; i < NCORNER; i++) index[i] = corner[i];
  size_t a = meshopt_encodeVertexBuffer(bin, ROOM, rest, NVERT, 12);
  size_t b = meshopt_encodeIndexBuffer(bin + a, ROOM - a, index, NCORNER);
  size_t c = meshopt_encodeVertexBuffer(bin + a + b, ROOM - a - b, shape, NVERT, 12);
  assert_true(a && b && c);
  if (spoilt >= 0) bin[spoilt] ^= 0xff;
  size_t all = (a + b + c + 3) & ~(size_t)3, size;
  size_t n = (size_t)snprintf(json, sizeof json, START, vendor, all, vendor);
  n += (size_t)snprintf(json + n, sizeof json - n, VIEW, 48, vendor, (size_t)0, a, 12, NVERT,
                        "ATTRIBUTES", ",");
  n += (size_t)snprintf(json + n, sizeof json - n, VIEW, 12, vendor, a, b, 2, NCORNER, "TRIANGLES",
                        ",");
  snprintf(json + n, sizeof json - n, VIEW, 48, vendor, a + b, c, 12, NVERT, "ATTRIBUTES", "]}");
  unsigned char *bytes = fixture_glb(json, bin, all, &size);
  mien_host host = fixture_host();
  *err = (mien_error){0};
  mien_result result = mi_glb_read_rig(bytes, size, NULL, &host, rig, err);
  free(bytes);
  return result;
}

static void both_names_are_unpacked(void **state) {
  (void)state;
  static const char *const vendors[] = {"EXT", "KHR"};
  for (int k = 0; k < 2; k++) {
    mien_rig *rig = NULL;
    mien_error err;
    if (read_it(vendors[k], -1, &rig, &err) < 0) fail_msg("%s: %s", vendors[k], err.text);
    const mien_rig_info *info = mien_rig_get_info(rig);
    assert_int_equal(info->nrender, NVERT);
    assert_int_equal(info->ntri, 2);
    assert_int_equal(info->nshape, 1);
    assert_int_equal(info->shapes[0].indices.count, 3);
    float height = info->box_max[1] - info->box_min[1];
    float width = info->box_max[0] - info->box_min[0];
    assert_float_equal(height / width, 2, 1e-5F);
    mien_rig_free(rig);
  }
}

static void what_cannot_be_unpacked_is_refused(void **state) {
  (void)state;
  mien_rig *rig = NULL;
  mien_error err;
  assert_int_equal(read_it("KHR", 0, &rig, &err), MIEN_ERR_FORMAT);
  assert_text_has(err.text, "packed by a later meshoptimizer");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_names_are_unpacked),
      cmocka_unit_test(what_cannot_be_unpacked_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
