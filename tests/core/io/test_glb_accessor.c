// Accessors: every component type, strides, sparse ones, and bounds.
#include "fixture.h"
#include "io/glb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *file_bytes;

static mi_glb open_json(const char *accessors, const char *views, const void *bin, size_t size) {
  char json[2048];
  snprintf(json, sizeof json,
           "{'buffers':[{'byteLength':%zu}],'bufferViews':[%s],'accessors':[%s]}", size, views,
           accessors);
  size_t file_size;
  free(file_bytes);
  file_bytes = fixture_glb(json, bin, size, &file_size);
  static mien_host host;
  static mien_error err;
  host = fixture_host();
  mi_glb glb;
  if (mi_glb_open(&glb, file_bytes, file_size, &host, &err) < 0) fail_msg("%s", err.text);
  glb.remarks.arena = NULL; // the copy returned would point into this frame
  return glb;
}

static void expect(const char *accessor, const void *bin, size_t size, int count,
                   const float *expected) {
  char view[64];
  snprintf(view, sizeof view, "{'buffer':0,'byteLength':%zu}", size);
  mi_glb glb = open_json(accessor, view, bin, size);
  mi_accessor a;
  mien_f32s out;
  if (mi_glb_accessor(&glb, 0, &a) < 0 || mi_glb_floats(&glb, &a, &out) < 0)
    fail_msg("%s", glb.err->text);
  assert_int_equal(out.count * a.width, count);
  for (int i = 0; i < count; i++) {
    float got = out.data[(i / a.width) * out.stride + i % a.width];
    if (got != expected[i]) fail_msg("%s: element %d is %g", accessor, i, (double)got);
  }
  mi_glb_close(&glb);
}

static void every_component_type_is_read(void **state) {
  (void)state;
  static const int8_t i8[] = {-128, -127, 0, 127};
  static const uint8_t u8[] = {0, 255, 51, 1};
  static const int16_t i16[] = {-32768, 32767, 1, 0};
  static const uint16_t u16[] = {0, 65535, 13107, 2};
  static const uint32_t u32[] = {0, 7, 65536};
  static const float f32[] = {1.5f, -2, 3e-20f};
  expect("{'bufferView':0,'componentType':5120,'count':4,'type':'SCALAR'}", i8, 4, 4,
         (const float[]){-128, -127, 0, 127});
  expect("{'bufferView':0,'componentType':5120,'count':4,'type':'SCALAR','normalized':true}", i8, 4,
         4, (const float[]){-1, -1, 0, 1});
  expect("{'bufferView':0,'componentType':5121,'count':2,'type':'VEC2','normalized':true}", u8, 4,
         4, (const float[]){0, 1, 51 / 255.0f, 1 / 255.0f});
  expect("{'bufferView':0,'componentType':5122,'count':4,'type':'SCALAR','normalized':true}", i16,
         8, 4, (const float[]){-1, 1, 1 / 32767.0f, 0});
  expect("{'bufferView':0,'componentType':5123,'count':1,'type':'VEC4','normalized':true}", u16, 8,
         4, (const float[]){0, 1, 13107 / 65535.0f, 2 / 65535.0f});
  expect("{'bufferView':0,'componentType':5123,'count':1,'type':'VEC4'}", u16, 8, 4,
         (const float[]){0, 65535, 13107, 2});
  expect("{'bufferView':0,'componentType':5125,'count':3,'type':'SCALAR'}", u32, 12, 3,
         (const float[]){0, 7, 65536});
  expect("{'bufferView':0,'componentType':5126,'count':1,'type':'VEC3'}", f32, 12, 3, f32);
}

static void floats_are_used_in_place(void **state) {
  (void)state;
  static const float f32[] = {9, 1, 2, 3, 9, 4, 5, 6, 9};
  mi_glb glb =
      open_json("{'bufferView':0,'byteOffset':4,'componentType':5126,'count':2,'type':'VEC3'},"
                "{'bufferView':1,'componentType':5126,'count':1,'type':'VEC3'}",
                "{'buffer':0,'byteLength':36,'byteStride':16},"
                "{'buffer':0,'byteLength':34,'byteOffset':2}",
                f32, sizeof f32);
  mi_accessor a;
  mien_f32s out;
  assert_int_equal(mi_glb_accessor(&glb, 0, &a), MIEN_OK);
  assert_int_equal(mi_glb_floats(&glb, &a, &out), MIEN_OK);
  assert_ptr_equal(out.data, glb.buffer[0].data + 4);
  assert_int_equal(out.stride, 4);
  assert_true(out.data[out.stride] == 4);
  // not aligned: copied
  assert_int_equal(mi_glb_accessor(&glb, 1, &a), MIEN_OK);
  assert_int_equal(mi_glb_floats(&glb, &a, &out), MIEN_OK);
  assert_int_equal(out.stride, 3);
  mi_glb_close(&glb);
}

static void sparse_elements_replace_others(void **state) {
  (void)state;
  struct {
    float base[3], value[2];
    uint16_t index[2];
  } bin = {{1, 2, 3}, {20, 30}, {0, 2}};
  const char *views = "{'buffer':0,'byteLength':12},{'buffer':0,'byteOffset':12,'byteLength':8},"
                      "{'buffer':0,'byteOffset':20,'byteLength':4}";
  const char *sparse = "'sparse':{'count':2,'indices':{'bufferView':2,'componentType':5123},"
                       "'values':{'bufferView':1}}}";
  char accessors[1024];
  snprintf(accessors, sizeof accessors,
           "{'bufferView':0,'componentType':5126,'count':3,'type':'SCALAR',%s,"
           "{'componentType':5126,'count':4,'type':'SCALAR',%s,"
           "{'componentType':5126,'count':2,'type':'VEC2'}",
           sparse, sparse);
  mi_glb glb = open_json(accessors, views, &bin, sizeof bin);
  mi_accessor a;
  mien_f32s out;
  mien_i32s indices;
  assert_int_equal(mi_glb_accessor(&glb, 0, &a), MIEN_OK);
  assert_int_equal(mi_glb_floats(&glb, &a, &out), MIEN_OK);
  assert_memory_equal(out.data, ((const float[]){20, 2, 30}), 12);
  assert_int_equal(mi_glb_accessor(&glb, 1, &a), MIEN_OK);
  assert_int_equal(mi_glb_floats(&glb, &a, &out), MIEN_OK);
  assert_memory_equal(out.data, ((const float[]){20, 0, 30, 0}), 16);
  assert_int_equal(mi_glb_sparse(&glb, &a, 100, &indices, &out), MIEN_OK);
  assert_memory_equal(indices.data, ((const int32_t[]){100, 102}), 8);
  assert_ptr_equal(out.data, glb.buffer[0].data + 12);
  assert_int_equal(mi_glb_accessor(&glb, 2, &a), MIEN_OK);
  assert_int_equal(mi_glb_floats(&glb, &a, &out), MIEN_OK);
  assert_memory_equal(out.data, ((const float[]){0, 0, 0, 0}), 16);
  mi_glb_close(&glb);
}

static void refuse(const char *accessor, const char *view, const char *says) {
  static const uint16_t bin[8] = {2, 1, 0, 5};
  mi_glb glb = open_json(accessor, view, bin, sizeof bin);
  mi_accessor a;
  mien_f32s out;
  mien_result result = mi_glb_accessor(&glb, 0, &a);
  if (result >= 0) result = mi_glb_floats(&glb, &a, &out);
  assert_int_equal(result, MIEN_ERR_FORMAT);
  assert_text_has(glb.err->text, says);
  mi_glb_close(&glb);
}

static void nothing_is_read_outside(void **state) {
  (void)state;
  const char *v16 = "{'buffer':0,'byteLength':16}";
  refuse("{'bufferView':0,'componentType':5126,'count':5,'type':'SCALAR'}", v16, "do not fit");
  refuse("{'bufferView':0,'byteOffset':1,'componentType':5126,'count':4,'type':'SCALAR'}", v16,
         "do not fit");
  refuse("{'bufferView':0,'byteOffset':1000000000000,'componentType':5126,'count':1,"
         "'type':'SCALAR'}",
         v16, "do not fit");
  refuse("{'bufferView':0,'componentType':5126,'count':3,'type':'SCALAR'}",
         "{'buffer':0,'byteLength':16,'byteStride':8}", "do not fit");
  refuse("{'bufferView':0,'componentType':5126,'count':100000000,'type':'SCALAR'}",
         "{'buffer':0,'byteLength':16,'byteStride':2147483647}", "do not fit");
  refuse("{'bufferView':0,'componentType':5126,'count':1,'type':'SCALAR'}",
         "{'buffer':0,'byteLength':17}", "ends outside");
  refuse("{'bufferView':0,'componentType':5126,'count':1,'type':'SCALAR'}",
         "{'buffer':0,'byteLength':8,'byteOffset':9}", "ends outside");
  refuse("{'bufferView':0,'componentType':5126,'count':1,'type':'SCALAR'}",
         "{'buffer':7,'byteLength':8}", "\"buffer\" is 7");
  refuse("{'bufferView':3,'componentType':5126,'count':1,'type':'SCALAR'}", v16,
         "\"bufferView\" is 3");
  refuse("{'bufferView':0,'componentType':5127,'count':1,'type':'SCALAR'}", v16, "well formed");
  refuse("{'bufferView':0,'componentType':5126,'count':1,'type':'VEC9'}", v16, "well formed");
  refuse("{'bufferView':0,'componentType':5126,'count':1}", v16, "well formed");
  refuse("{'bufferView':0,'componentType':5121,'count':1,'type':'MAT2'}", v16, "well formed");
  refuse("{'bufferView':0,'componentType':5126,'count':99999999999,'type':'SCALAR'}", v16,
         "well formed");
  refuse("7", v16, "well formed");
}

static void sparse_indices_must_rise_and_exist(void **state) {
  (void)state;
  const char *view = "{'buffer':0,'byteLength':16}";
  refuse("{'componentType':5121,'count':4,'type':'SCALAR','sparse':{'count':2,"
         "'indices':{'bufferView':0,'componentType':5123},'values':{'bufferView':0}}}",
         view, "do not rise");
  refuse("{'componentType':5121,'count':2,'type':'SCALAR','sparse':{'count':1,"
         "'indices':{'bufferView':0,'componentType':5123},'values':{'bufferView':0}}}",
         view, "do not rise");
  refuse("{'componentType':5121,'count':1,'type':'SCALAR','sparse':{'count':2,"
         "'indices':{'bufferView':0,'componentType':5123},'values':{'bufferView':0}}}",
         view, "well formed");
  refuse("{'componentType':5121,'count':1,'type':'SCALAR','sparse':{'count':1,"
         "'indices':{'componentType':5123},'values':{'bufferView':0}}}",
         view, "no values");
}

static void zeros_do_not_unfold_without_end(void **state) {
  (void)state;
  refuse("{'componentType':5126,'count':100000000,'type':'VEC3'}", "{'buffer':0,'byteLength':16}",
         "many times its own size");
}

static int free_bytes(void **state) {
  (void)state;
  free(file_bytes);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_component_type_is_read),
      cmocka_unit_test(floats_are_used_in_place),
      cmocka_unit_test(sparse_elements_replace_others),
      cmocka_unit_test(nothing_is_read_outside),
      cmocka_unit_test(sparse_indices_must_rise_and_exist),
      cmocka_unit_test(zeros_do_not_unfold_without_end),
  };
  return cmocka_run_group_tests(tests, NULL, free_bytes);
}
