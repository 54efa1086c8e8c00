// The container: what is refused, and with which sentence.
#include "fixture.h"
#include "io/glb.h"

#include <stdlib.h>
#include <string.h>

static void refuse_bytes(const void *bytes, size_t size, mien_result code, const char *says) {
  mien_host host = fixture_host();
  mi_glb glb;
  mien_error err;
  assert_int_equal(mi_glb_open(&glb, bytes, size, &host, &err), code);
  assert_text_has(err.text, says);
  assert_int_equal(mi_glb_open(&glb, bytes, size, &host, NULL), code);
}

static void refuse(const char *json, const char *says) {
  size_t size;
  unsigned char *bytes = fixture_glb(json, NULL, 0, &size);
  refuse_bytes(bytes, size, MIEN_ERR_FORMAT, says);
  free(bytes);
}

static void other_files_are_refused(void **state) {
  (void)state;
  refuse_bytes("", 0, MIEN_ERR_FORMAT, "not a .glb");
  refuse_bytes("PK\3\4............", 16, MIEN_ERR_FORMAT, "not a .glb");
  size_t size;
  unsigned char *bytes = fixture_glb("{}", NULL, 0, &size);
  bytes[4] = 1;
  refuse_bytes(bytes, size, MIEN_ERR_FORMAT, "version 1");
  bytes[4] = 2;
  refuse_bytes(bytes, size - 1, MIEN_ERR_FORMAT, "cut short");
  bytes[12] = 200;
  refuse_bytes(bytes, size, MIEN_ERR_FORMAT, "chunk of 200 bytes");
  bytes[12] = 4;
  bytes[16] = 'X';
  refuse_bytes(bytes, size, MIEN_ERR_FORMAT, "no JSON chunk");
  free(bytes);
}

static void damaged_json_is_refused(void **state) {
  (void)state;
  refuse("{'a':", "JSON is damaged");
  refuse("[1]", "not an object");
  refuse("{'asset':{'version':'1.0'},'scene':'one'}", "glTF version 1.0; mien reads version 2");
  char deep[20001] = {0};
  memset(deep, '[', 20000);
  refuse(deep, "JSON is damaged");
}

static void compression_is_named(void **state) {
  (void)state;
  refuse("{'extensionsRequired':['ACME_secret']}", "the extension ACME_secret");
  refuse("{'extensionsRequired':[7]}", "not a name");
}

static void harmless_extensions_are_read(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = fixture_glb(
      "{'extensionsRequired':['KHR_mesh_quantization','KHR_materials_specular']}", NULL, 0, &size);
  mien_host host = fixture_host();
  mi_glb glb;
  assert_int_equal(mi_glb_open(&glb, bytes, size, &host, NULL), MIEN_OK);
  mi_glb_close(&glb);
  free(bytes);
}

// A mesh whose bytes are no Draco mesh; a build without Draco says so before it looks.
static void draco_is_read_or_refused(void **state) {
  (void)state;
  refuse("{'extensionsRequired':['KHR_draco_mesh_compression'],"
         "'buffers':[{'byteLength':3,'uri':'data:;base64,AAAA'}],"
         "'bufferViews':[{'buffer':0,'byteLength':3}],"
         "'accessors':[{'count':3,'componentType':5123,'type':'SCALAR'}],"
         "'meshes':[{'primitives':[{'attributes':{},'indices':0,'extensions':"
         "{'KHR_draco_mesh_compression':{'bufferView':0,'attributes':{}}}}]}]}",
         MIEN_HAS_DRACO ? "Draco cannot unpack buffer view 0"
                        : "compressed with KHR_draco_mesh_compression");
}

// Where meshoptimizer is built in the packed head is the one that came unpacked, else it is
// refused.
static void a_real_compressed_rig_is_unpacked(void **state) {
  (void)state;
  const char *path = fixture_shared("facecap-head/facecap_threejs.glb");
  if (!path) skip();
  mien_rig *rig = NULL;
  mien_error err;
  if (mien_rig_load(path, NULL, &rig, &err) < 0) {
    assert_non_null(strstr(err.text, "without compression"));
    return;
  }
  assert_int_equal(mien_rig_get_info(rig)->nvert, 4237);
  assert_int_equal(mien_rig_get_info(rig)->nshape, 52);
  mien_rig_free(rig);
}

static void buffers_are_inside(void **state) {
  (void)state;
  refuse("{'buffers':[{'byteLength':4,'uri':'rig.bin'}]}", "another file (rig.bin)");
  refuse("{'buffers':[{'byteLength':4}]}", "should have 4 bytes, there are 0");
  refuse("{'buffers':[{'byteLength':-1}]}", "byteLength");
  refuse("{'buffers':[{'byteLength':1.5}]}", "byteLength");
  refuse("{'buffers':[{'byteLength':4,'uri':'data:x,AAAA'}]}", "base64");
  refuse("{'buffers':[{'byteLength':3,'uri':'data:;base64,A?AA'}]}", "base64 text is damaged");
  refuse("{'buffers':[{'byteLength':4,'uri':'data:;base64,AAAA'}]}", "should have 4 bytes");
}

static void data_uris_are_decoded(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = fixture_glb("{'buffers':[{'byteLength':0},{'byteLength':5,"
                                     "'uri':'data:application/octet-stream;base64,aGVsbG8='}]}",
                                     NULL, 0, &size);
  mien_host host = fixture_host();
  mi_glb glb;
  assert_int_equal(mi_glb_open(&glb, bytes, size, &host, NULL), MIEN_OK);
  assert_int_equal(glb.buffer[1].size, 5);
  assert_memory_equal(glb.buffer[1].data, "hello", 5);
  mi_glb_close(&glb);
  free(bytes);
}

static void json_is_held_to_the_memory_limit(void **state) {
  (void)state;
  char *text = malloc(1000016);
  strcpy(text, "{'a':[0");
  for (size_t n = strlen(text); n < 1000000; n += 2) memcpy(text + n, ",0", 3);
  strcat(text, "]}");
  size_t size;
  unsigned char *bytes = fixture_glb(text, NULL, 0, &size);
  mien_host host = fixture_host();
  host.memory_limit = 10 << 20;
  mi_glb glb;
  assert_int_equal(mi_glb_open(&glb, bytes, size, &host, NULL), MIEN_ERR_MEMORY);
  host.memory_limit = 0;
  assert_int_equal(mi_glb_open(&glb, bytes, size, &host, NULL), MIEN_OK);
  mi_glb_close(&glb);
  free(bytes);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_files_are_refused),
      cmocka_unit_test(damaged_json_is_refused),
      cmocka_unit_test(compression_is_named),
      cmocka_unit_test(draco_is_read_or_refused),
      cmocka_unit_test(harmless_extensions_are_read),
      cmocka_unit_test(a_real_compressed_rig_is_unpacked),
      cmocka_unit_test(buffers_are_inside),
      cmocka_unit_test(data_uris_are_decoded),
      cmocka_unit_test(json_is_held_to_the_memory_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
