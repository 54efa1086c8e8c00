// Small files that ask for much: each names the same things again and again, so that reading it
// would take memory or time out of all proportion to its size. Refused, or read as fast as others.
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 8 << 20, NVERT = 40000 };

// -- A .glb of pieces of text ---------------------------------------------------------------------

typedef struct text {
  char *at;
  size_t size;
} text;

static text open_text(void) {
  text t = {malloc(MOST), 0};
  assert_non_null(t.at);
  t.at[0] = 0;
  return t;
}

static void put(text *t, const char *piece) {
  size_t length = strlen(piece);
  assert_true(t->size + length < MOST);
  memcpy(t->at + t->size, piece, length + 1);
  t->size += length;
}

static void put_times(text *t, const char *piece, int count) {
  for (int k = 0; k < count; k++) {
    if (k) put(t, ",");
    put(t, piece);
  }
}

// All points, a triangle's corners, three points.
static const char ARRAYS[] =
    "'accessors':[{'bufferView':0,'componentType':5126,'count':40000,'type':'VEC3'},"
    "{'bufferView':1,'componentType':5125,'count':3,'type':'SCALAR'},"
    "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}],"
    "'bufferViews':[{'buffer':0,'byteLength':480000},{'buffer':0,'byteOffset':480000,"
    "'byteLength':12}],'buffers':[{'byteLength':480012}]}";
static const char PRIMITIVE[] = "'attributes':{'POSITION':0},'indices':1";

static mien_result read_it(text *json, mien_error *err, double *seconds) {
  static float points[3 * NVERT + 3];
  static const int32_t corner[3] = {0, 1, 2};
  for (int i = 0; i < 3 * NVERT; i++) points[i] = (float)(i % 7) + 0.001f * (float)i;
  memcpy(points + 3 * (size_t)NVERT, corner, sizeof corner);
  size_t size;
  put(json, ARRAYS);
  unsigned char *bytes = fixture_glb(json->at, points, sizeof points, &size);
  mien_host host = fixture_host();
  host.memory_limit = (size_t)1 << 31;
  mien_rig *rig = NULL;
  *err = (mien_error){0};
  double begun = (double)clock() / CLOCKS_PER_SEC;
  mien_result result = mi_glb_read_rig(bytes, size, NULL, &host, &rig, err);
  *seconds = (double)clock() / CLOCKS_PER_SEC - begun;
  if (result >= 0) mi_rig_release(rig);
  free(bytes);
  free(json->at);
  return result;
}

static void assert_refused(text *json) {
  mien_error err;
  double seconds;
  mien_result result = read_it(json, &err, &seconds);
  if (result != MIEN_ERR_FORMAT || !strstr(err.text, "would unfold") || seconds > 10)
    fail_msg("%d in %.1f s: %s", (int)result, seconds, err.text);
}

// -- The files ------------------------------------------------------------------------------------

// A thousandth of the memory that the shapes would take.
static void one_array_is_not_thousands_of_shapes(void **state) {
  (void)state;
  text t = open_text();
  put(&t, "{'asset':{'version':'2.0'},'nodes':[{'mesh':0}],'meshes':[{'primitives':[{");
  put(&t, PRIMITIVE);
  put(&t, ",'targets':[");
  put_times(&t, "{'POSITION':0}", 3000);
  put(&t, "]}]}],");
  assert_refused(&t);
}

// As many as any exporter shares.
static void some_shapes_may_share_an_array(void **state) {
  (void)state;
  mien_error err;
  double seconds;
  text t = open_text();
  put(&t, "{'asset':{'version':'2.0'},'nodes':[{'mesh':0}],'meshes':[{'primitives':[{");
  put(&t, PRIMITIVE);
  put(&t, ",'targets':[");
  put_times(&t, "{'POSITION':0}", 100);
  put(&t, "]}]}],");
  if (read_it(&t, &err, &seconds) < 0) fail_msg("%s", err.text);
}

static void an_expression_does_not_add_for_hours(void **state) {
  (void)state;
  text t = open_text();
  put(&t, "{'asset':{'version':'2.0'},'extensions':{'VRM':{'blendShapeMaster':{'blendShapeGroups':["
          "{'name':'joy','binds':[");
  put_times(&t, "{'mesh':0,'index':0,'weight':1}", 20000);
  put(&t, "]}]}}},'nodes':[{'mesh':0}],'meshes':[{'primitives':[{");
  put(&t, PRIMITIVE);
  put(&t, ",'targets':[{'POSITION':0}]}]}],");
  assert_refused(&t);
}

static void expressions_are_not_looked_for_for_hours(void **state) {
  (void)state;
  text t = open_text();
  put(&t, "{'asset':{'version':'2.0'},'extensions':{'VRMC_vrm':{'expressions':{'custom':{");
  for (int k = 0; k < 40000; k++) {
    char piece[32];
    snprintf(piece, sizeof piece, "%s'e%d':{}", k ? "," : "", k);
    put(&t, piece);
  }
  put(&t, "}}}},'nodes':[{'mesh':0}],'meshes':[{'primitives':[{");
  put(&t, PRIMITIVE);
  put(&t, ",'targets':[{'POSITION':0}]}]}],");
  assert_refused(&t);
}

// Equal pieces of JSON, compared for every node that shows their mesh.
static void a_mesh_is_not_compared_for_hours(void **state) {
  (void)state;
  text t = open_text();
  put(&t, "{'asset':{'version':'2.0'},'nodes':[");
  put_times(&t, "{'mesh':0}", 2000);
  put(&t, "],'meshes':[{'primitives':[");
  for (int k = 0; k < 2; k++) {
    put(&t, k ? ",{'indices':1,'attributes':{'POSITION':2,'x':["
              : "{'indices':1,'attributes':{'POSITION':2,'x':[");
    put_times(&t, "1", 100000);
    put(&t, "]}}");
  }
  put(&t, "]}],");
  assert_refused(&t);
}

// A second "a" would be "a_N", which is taken, as is the next, and the next.
static void names_are_not_looked_for_for_hours(void **state) {
  (void)state;
  enum { HALF = 2500 };
  text t = open_text();
  put(&t, "{'asset':{'version':'2.0'},'nodes':[{'mesh':0}],'meshes':[{'extras':{'targetNames':[");
  for (int k = 0; k < HALF; k++) {
    char piece[32];
    snprintf(piece, sizeof piece, "'a_%d',", HALF + k);
    put(&t, piece);
  }
  put_times(&t, "'a'", HALF);
  put(&t, "]},'primitives':[{'attributes':{'POSITION':2},'targets':[");
  put_times(&t, "{'POSITION':2}", 2 * HALF);
  put(&t, "]}]}],");
  assert_refused(&t);
}

static void part_names_are_not_looked_for_for_hours(void **state) {
  (void)state;
  enum { HALF = 3000 };
  text t = open_text();
  put(&t, "{'asset':{'version':'2.0'},'nodes':[");
  for (int k = 0; k < HALF; k++) {
    char piece[48];
    snprintf(piece, sizeof piece, "{'mesh':0,'name':'a_%d'},", HALF + k);
    put(&t, piece);
  }
  put_times(&t, "{'mesh':0,'name':'a'}", HALF);
  put(&t, "],'meshes':[{'primitives':[{'attributes':{'POSITION':2}}]}],");
  assert_refused(&t);
}

// Every part asks the same skin for the head's joint.
static void a_skin_is_looked_through_once(void **state) {
  (void)state;
  mien_error err;
  double seconds;
  text t = open_text();
  put(&t, "{'asset':{'version':'2.0'},'nodes':[{'name':'");
  put_times(&t, "neck", 200);
  put(&t, "'},");
  put_times(&t, "{'mesh':0,'skin':0}", 6000);
  put(&t, "],'skins':[{'joints':[");
  put_times(&t, "0", 60000);
  put(&t, "]}],'meshes':[{'primitives':[{'attributes':{'POSITION':2}}]}],");
  if (read_it(&t, &err, &seconds) < 0) fail_msg("%s", err.text);
  if (seconds > 3) fail_msg("%.1f s", seconds);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_array_is_not_thousands_of_shapes),
      cmocka_unit_test(some_shapes_may_share_an_array),
      cmocka_unit_test(an_expression_does_not_add_for_hours),
      cmocka_unit_test(expressions_are_not_looked_for_for_hours),
      cmocka_unit_test(a_mesh_is_not_compared_for_hours),
      cmocka_unit_test(names_are_not_looked_for_for_hours),
      cmocka_unit_test(part_names_are_not_looked_for_for_hours),
      cmocka_unit_test(a_skin_is_looked_through_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
