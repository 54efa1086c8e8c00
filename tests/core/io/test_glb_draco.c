// Meshes packed by Draco, written here byte by byte: what is read, and small files that ask for
// gigabytes. Draco itself believes the counts in its bytes.
#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NPOINT = 3000, NFACE = NPOINT / 3, ROOM = 1 << 17, NAMED_AGAIN = 3000 };

// -- Draco's sequential encoding ------------------------------------------------------------------

typedef struct packed {
  unsigned char at[ROOM];
  size_t size;
} packed;

static void byte(packed *p, unsigned value) {
  assert_true(p->size < ROOM);
  p->at[p->size++] = (unsigned char)value;
}

static void number(packed *p, unsigned value) {
  for (; value > 127; value >>= 7) byte(p, value | 128);
  byte(p, value);
}

static void raw(packed *p, const void *bytes, size_t size) {
  assert_true(size <= ROOM - p->size);
  memcpy(p->at + p->size, bytes, size);
  p->size += size;
}

// Header and counts; the corners follow, two bytes each.
static void begin(packed *p, unsigned nface, unsigned npoint, bool is_packed) {
  static const unsigned char header[] = {'D', 'R', 'A', 'C', 'O', 2, 2, 1, 0, 0, 0};
  raw(p, header, sizeof header);
  number(p, nface);
  number(p, npoint);
  byte(p, !is_packed);
}

static void put_corners(packed *p) {
  for (int c = 0; c < 3 * NFACE; c++) raw(p, &(uint16_t){(uint16_t)c}, 2);
}

// One decoder of so many attributes; of float positions as they are, when `width` is 3.
static void put_attributes(packed *p, unsigned count, unsigned width) {
  byte(p, 1);
  number(p, count);
  for (unsigned a = 0; a < count; a++) {
    byte(p, a ? 4 : 0); // position, then generic ones
    byte(p, 9);         // float
    byte(p, width);
    byte(p, 0); // not normalised
    number(p, a);
  }
  for (unsigned a = 0; a < count; a++) byte(p, 0); // values as they are
}

static packed whole_mesh(void) {
  packed p = {.size = 0};
  begin(&p, NFACE, NPOINT, false);
  put_corners(&p);
  put_attributes(&p, 1, 3);
  for (int i = 0; i < 3 * NPOINT; i++) raw(&p, &(float){(float)(i + i * i % 101)}, 4);
  return p;
}

// -- The file around it ---------------------------------------------------------------------------

// So many primitives name the mesh.
static mien_result read_it(const packed *p, int nprimitive, size_t limit, mien_rig **rig,
                           mien_error *err) {
  enum { PIECE = 180 };
  char *json = malloc(1000 + (size_t)nprimitive * PIECE);
  assert_non_null(json);
  int at = sprintf(json, "{'asset':{'version':'2.0'},"
                         "'extensionsRequired':['KHR_draco_mesh_compression'],"
                         "'nodes':[{'mesh':0}],'meshes':[{'primitives':[");
  for (int k = 0; k < nprimitive; k++)
    at += sprintf(json + at,
                  "%s{'attributes':{'POSITION':0},'indices':1,'extensions':"
                  "{'KHR_draco_mesh_compression':{'bufferView':0,'attributes':{'POSITION':0}}}}",
                  k ? "," : "");
  sprintf(json + at,
          "]}],'accessors':[{'componentType':5126,'count':%d,'type':'VEC3'},"
          "{'componentType':5125,'count':%d,'type':'SCALAR'}],"
          "'bufferViews':[{'buffer':0,'byteLength':%zu}],'buffers':[{'byteLength':%zu}]}",
          NPOINT, 3 * NFACE, p->size, p->size);
  size_t size;
  unsigned char *bytes = fixture_glb(json, p->at, p->size, &size);
  mien_host host = fixture_host();
  host.memory_limit = limit;
  *rig = NULL;
  *err = (mien_error){0};
  mien_result result = mi_glb_read_rig(bytes, size, NULL, &host, rig, err);
  free(bytes);
  free(json);
  return result;
}

static void refuse(const packed *p, int nprimitive, size_t limit, mien_result want,
                   const char *why) {
  mien_rig *rig;
  mien_error err;
  mien_result result = read_it(p, nprimitive, limit, &rig, &err);
  if (result != want) fail_msg("%d, not %d: %s", (int)result, (int)want, err.text);
  assert_null(rig);
  assert_text_has(err.text, why);
}

// -- Tests ----------------------------------------------------------------------------------------

static void a_packed_mesh_is_read(void **state) {
  (void)state;
  packed p = whole_mesh();
  mien_rig *rig;
  mien_error err;
  if (read_it(&p, 1, 0, &rig, &err) < 0) fail_msg("%s", err.text);
  assert_int_equal(rig->info.nvert, NPOINT);
  mi_rig_release(rig);
}

static void a_mesh_named_again_counts_again(void **state) {
  (void)state;
  packed p = whole_mesh();
  refuse(&p, NAMED_AGAIN, 0, MIEN_ERR_FORMAT, "would unfold");
}

// An edge breaker of a hundred million triangles, in twenty bytes: Draco takes 2.3 GB before it
// sees that the bytes end.
static packed edge_breaker(unsigned nface) {
  packed p = {.size = 0};
  static const unsigned char header[] = {'D', 'R', 'A', 'C', 'O', 2, 2, 1, 1, 0, 0, 0};
  raw(&p, header, sizeof header);
  number(&p, 3); // vertices
  number(&p, nface);
  byte(&p, 0); // seams
  number(&p, nface);
  number(&p, 0); // symbols that split
  return p;
}

static void counts_are_not_believed(void **state) {
  (void)state;
  packed p = edge_breaker(100000000);
  refuse(&p, 1, 0, MIEN_ERR_FORMAT, "would unfold");
  p = edge_breaker(1);
  refuse(&p, 1, 0, MIEN_ERR_FORMAT, "Draco cannot unpack");
  p.size = 0;
  begin(&p, 350000000, 3, true);
  refuse(&p, 1, 0, MIEN_ERR_FORMAT, "would unfold");
}

// Thousands of points are believed where each has 50 kB of attributes, and not before.
static void attributes_are_counted_before_they_are_made(void **state) {
  (void)state;
  packed p = {.size = 0};
  begin(&p, NFACE, NPOINT, false);
  put_corners(&p);
  put_attributes(&p, 50, 255);
  refuse(&p, 1, 0, MIEN_ERR_FORMAT, "would unfold");
}

static void memory_is_limited(void **state) {
  (void)state;
  packed p = edge_breaker(1000000);
  refuse(&p, 1, 4 << 20, MIEN_ERR_MEMORY, "memory");
}

static int nchild;

static void count_child(void) {
  nchild++;
}

// Draco's own faults end a process that is not the host's: one for a file, however many meshes.
static void draco_works_in_a_child(void **state) {
  (void)state;
  packed p = whole_mesh();
  mien_rig *rig;
  mien_error err;
  assert_int_equal(pthread_atfork(count_child, NULL, NULL), 0);
  if (read_it(&p, 3, 0, &rig, &err) < 0) fail_msg("%s", err.text);
  assert_int_equal(nchild, 1);
  mi_rig_release(rig);
}

static void an_older_stream_is_refused(void **state) {
  (void)state;
  packed p = whole_mesh();
  p.at[6] = 1; // the version
  refuse(&p, 1, 0, MIEN_ERR_FORMAT, "Draco cannot unpack");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_packed_mesh_is_read),
      cmocka_unit_test(a_mesh_named_again_counts_again),
      cmocka_unit_test(counts_are_not_believed),
      cmocka_unit_test(attributes_are_counted_before_they_are_made),
      cmocka_unit_test(memory_is_limited),
      cmocka_unit_test(an_older_stream_is_refused),
      cmocka_unit_test(draco_works_in_a_child),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
