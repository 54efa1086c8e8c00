#include "head/head.h"
#include "mesh_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NDENSITY = 3 };

typedef struct heads {
  head_model model[NDENSITY];
} heads;

static int make_heads(void **state) {
  heads *h = calloc(1, sizeof *h);
  if (!h) return -1;
  *state = h;
  for (int d = 0; d < NDENSITY; d++) {
    if (head_model_create(&(head_options){d}, &h->model[d])) return -1;
  }
  return 0;
}

static int drop_heads(void **state) {
  heads *h = *state;
  for (int d = 0; d < NDENSITY; d++) head_model_free(&h->model[d]);
  free(h);
  return 0;
}

static const head_model *medium(void **state) {
  return &((heads *)*state)->model[1];
}

static const head_shape *find_shape(const head_model *m, const char *name) {
  for (int s = 0; s < m->nshape; s++) {
    if (strcmp(m->shape[s].name, name) == 0) return &m->shape[s];
  }
  fail_msg("no shape %s", name);
  return NULL;
}

static double length(const float d[3]) {
  return sqrt((double)d[0] * d[0] + (double)d[1] * d[1] + (double)d[2] * d[2]);
}

// The parts as one definition without texture seams, so that the shared checks can read them.
typedef struct welded {
  mien_rig_def def;
  mien_part part[8];
  mien_part everything;
  float *position;
  int32_t *face;
} welded;

static void weld(const head_model *m, welded *w) {
  int nvert = m->first_vertex[m->npart], ntri = 0;
  for (int p = 0; p < m->npart; p++) ntri += m->part[p].ntri;
  memset(w, 0, sizeof *w);
  w->position = malloc(3 * (size_t)nvert * sizeof *w->position);
  w->face = malloc(3 * (size_t)ntri * sizeof *w->face);
  assert_true(w->position && w->face && m->npart == 8);
  int32_t *face = w->face;
  for (int p = 0; p < m->npart; p++) {
    const head_part *part = &m->part[p];
    int first = m->first_vertex[p];
    memcpy(w->position + 3 * first, part->position, (size_t)part->nvert * sizeof *part->position);
    w->part[p] = (mien_part){
        part->name, MIEN_PART_SKIN, first, part->nvert, (int)((face - w->face) / 3), part->ntri};
    for (int k = 0; k < 3 * part->ntri; k++) *face++ = first + part->triangle[k / 3][k % 3];
  }
  w->everything = (mien_part){"everything", MIEN_PART_SKIN, 0, nvert, 0, ntri};
  w->def.positions = (mien_f32s){.data = w->position, .count = nvert};
  w->def.faces = (mien_i32s){.data = w->face, .count = 3 * ntri};
}

static void unweld(welded *w) {
  free(w->position);
  free(w->face);
}

static void test_counts(void **state) {
  static const int least[NDENSITY] = {1300, 7000, 48000};
  static const int most[NDENSITY] = {1800, 7600, 52000};
  const heads *h = *state;
  for (int d = 0; d < NDENSITY; d++) {
    assert_in_range(h->model[d].part[0].nvert, least[d], most[d]);
  }
  // 42-45 thousand tetrahedra from three per triangle.
  assert_in_range(h->model[1].part[0].ntri, 14000, 15000);
  head_model none;
  assert_int_equal(head_model_create(&(head_options){3}, &none), -1);
  assert_null(none.part);
}

static void test_surfaces(void **state) {
  const heads *h = *state;
  for (int d = 0; d < NDENSITY; d++) {
    welded w;
    weld(&h->model[d], &w);
    for (int p = 0; p < h->model[d].npart; p++) {
      mesh_report r;
      assert_int_equal(mesh_check(&w.def, &w.part[p], &r), 0);
      assert_int_equal(r.ncomponent, 1);
      assert_int_equal(r.nbad_edge, 0);
      assert_int_equal(r.nbad_vertex, 0);
      assert_int_equal(r.nborder_loop, p == 0);
      assert_true(r.volume > 0.0);
      assert_true(r.least_area > 1e-9);
      if (p == 0) assert_true(r.least_angle > 1.5);
    }
    unweld(&w);
  }
}

// Neither the skin with itself nor any two parts.
static void test_nothing_crosses_at_rest(void **state) {
  const heads *h = *state;
  for (int d = 0; d < NDENSITY; d++) {
    welded w;
    weld(&h->model[d], &w);
    assert_int_equal(mesh_count_crossings(&w.def, &w.everything, NULL), 0);
    unweld(&w);
  }
}

// In these poses, too, lips, lids, teeth and bones stay clear of each other.
static void test_nothing_crosses_in_poses(void **state) {
  static const char *const pose[][2] = {{"jawOpen", NULL},
                                        {"jawOpen", "mouthClose"},
                                        {"eyeBlinkLeft", "eyeBlinkRight"},
                                        {"mouthSmileLeft", "mouthSmileRight"},
                                        {"mouthPucker", NULL},
                                        {"mouthFunnel", NULL},
                                        {"cheekPuff", NULL},
                                        {"tongueOut", NULL}};
  const head_model *m = medium(state);
  welded w;
  weld(m, &w);
  int n = 3 * m->first_vertex[m->npart];
  float *moved = malloc((size_t)n * sizeof *moved);
  assert_non_null(moved);
  for (size_t i = 0; i < sizeof pose / sizeof *pose; i++) {
    memcpy(moved, w.position, (size_t)n * sizeof *moved);
    for (int k = 0; k < 2 && pose[i][k]; k++) {
      const float *delta = find_shape(m, pose[i][k])->delta[0];
      for (int j = 0; j < n; j++) moved[j] += delta[j];
    }
    int crossings = mesh_count_crossings(&w.def, &w.everything, moved);
    if (crossings) fail_msg("%d crossings in %s", crossings, pose[i][0]);
  }
  free(moved);
  unweld(&w);
}

static void expect_mirrored(const float a[3], const float b[3]) {
  assert_true(a[0] == -b[0] && a[1] == b[1] && a[2] == b[2]);
}

static void test_mirror(void **state) {
  const head_model *m = medium(state);
  for (int v = 0; v < m->part[0].nvert; v++) {
    expect_mirrored(m->part[0].position[v], m->part[0].position[m->mirror[v]]);
  }
  int npair = 0;
  for (int s = 0; s < m->nshape; s++) {
    char other[64];
    size_t n = strlen(m->shape[s].name);
    if (n < 4 || strcmp(m->shape[s].name + n - 4, "Left") != 0) continue;
    memcpy(other, m->shape[s].name, n - 4);
    strcpy(other + n - 4, "Right");
    const head_shape *right = find_shape(m, other);
    npair++;
    for (int v = 0; v < m->part[0].nvert; v++) {
      expect_mirrored(m->shape[s].delta[v], right->delta[m->mirror[v]]);
    }
  }
  assert_int_equal(npair, 20);
}

static void test_names(void **state) {
  static const char *const arkit[] = {
      "eyeBlinkLeft",      "eyeLookDownLeft",    "eyeLookInLeft",
      "eyeLookOutLeft",    "eyeLookUpLeft",      "eyeSquintLeft",
      "eyeWideLeft",       "eyeBlinkRight",      "eyeLookDownRight",
      "eyeLookInRight",    "eyeLookOutRight",    "eyeLookUpRight",
      "eyeSquintRight",    "eyeWideRight",       "jawForward",
      "jawLeft",           "jawRight",           "jawOpen",
      "mouthClose",        "mouthFunnel",        "mouthPucker",
      "mouthLeft",         "mouthRight",         "mouthSmileLeft",
      "mouthSmileRight",   "mouthFrownLeft",     "mouthFrownRight",
      "mouthDimpleLeft",   "mouthDimpleRight",   "mouthStretchLeft",
      "mouthStretchRight", "mouthRollLower",     "mouthRollUpper",
      "mouthShrugLower",   "mouthShrugUpper",    "mouthPressLeft",
      "mouthPressRight",   "mouthLowerDownLeft", "mouthLowerDownRight",
      "mouthUpperUpLeft",  "mouthUpperUpRight",  "browDownLeft",
      "browDownRight",     "browInnerUp",        "browOuterUpLeft",
      "browOuterUpRight",  "cheekPuff",          "cheekSquintLeft",
      "cheekSquintRight",  "noseSneerLeft",      "noseSneerRight",
      "tongueOut"};
  const head_model *m = medium(state);
  assert_int_equal(m->nshape, 52);
  for (int i = 0; i < 52; i++) find_shape(m, arkit[i]);
}

// A left shape works on the left, and every shape leaves most of the skin exactly alone.
static void test_shapes_are_local(void **state) {
  const head_model *m = medium(state);
  for (int s = 0; s < m->nshape; s++) {
    const head_shape *shape = &m->shape[s];
    double side[2] = {0.0, 0.0};
    int moved = 0;
    for (int v = 0; v < m->part[0].nvert; v++) {
      double d = length(shape->delta[v]);
      side[m->part[0].position[v][0] > 0.0f] += d;
      moved += d > 0.0;
    }
    assert_true(moved < 0.7 * m->part[0].nvert);
    int is_left = strstr(shape->name, "Left") && strcmp(shape->name, "jawLeft") != 0 &&
                  strcmp(shape->name, "mouthLeft") != 0;
    if (is_left && !(side[1] > 4.0 * side[0])) fail_msg("%s moves both sides", shape->name);
  }
}

static double lip_gap(const head_model *m, int upper, int lower, const char *one, const char *two) {
  int a = m->landmark[upper], b = m->landmark[lower];
  const float *d1 = find_shape(m, one)->delta[0], *d2 = two ? find_shape(m, two)->delta[0] : NULL;
  double gap =
      m->part[0].position[a][1] - m->part[0].position[b][1] + d1[3 * a + 1] - d1[3 * b + 1];
  return d2 ? gap + d2[3 * a + 1] - d2[3 * b + 1] : gap;
}

static void test_lips(void **state) {
  static const int pair[3][2] = {{62, 66}, {61, 67}, {63, 65}};
  const heads *h = *state;
  for (int d = 0; d < NDENSITY; d++) {
    const head_model *m = &h->model[d];
    for (int k = 0; k < 3; k++) {
      int upper = pair[k][0], lower = pair[k][1];
      double rest = lip_gap(m, upper, lower, "browInnerUp", NULL);
      assert_true(rest > 0.0003 && rest < 0.0006);
      assert_true(lip_gap(m, upper, lower, "jawOpen", NULL) > 0.025);
      double closed = lip_gap(m, upper, lower, "jawOpen", "mouthClose");
      assert_true(closed > 0.0 && closed < 0.001);
      double pressed = -lip_gap(m, upper, lower, "mouthPressLeft", "mouthPressRight");
      assert_true(pressed > 0.0 && pressed < 0.0015);
    }
  }
  // The lips are less than a millimetre apart, yet one moves without the other.
  const head_model *m = medium(state);
  const head_shape *down = find_shape(m, "mouthLowerDownLeft"),
                   *up = find_shape(m, "mouthUpperUpLeft");
  for (int v = 0; v < m->part[0].nvert; v++) {
    if (fabsf(m->part[0].position[v][0]) > 0.018f) continue;
    if (m->label.lip_upper[v] > 0.9f) assert_true(length(down->delta[v]) < 0.0005);
    if (m->label.lip_lower[v] > 0.9f) assert_true(length(up->delta[v]) < 0.0005);
  }
}

// Closing lids never enter the ball on the way, not even between the ends of the shape.
static void test_blink(void **state) {
  const head_model *m = medium(state);
  const head_shape *blink = find_shape(m, "eyeBlinkLeft");
  int count = 0;
  for (int v = 0; v < m->part[0].nvert; v++) {
    const float *p = m->part[0].position[v];
    float inside = m->label.lid_upper[v] + m->label.lid_lower[v] + m->label.eye_pocket[v];
    if (p[0] < 0.0f || inside <= 0.0f) continue;
    count++;
    for (int step = 0; step <= 4; step++) {
      float d[3];
      for (int k = 0; k < 3; k++)
        d[k] = p[k] + 0.25f * (float)step * blink->delta[v][k] - m->eye_centre[0][k];
      assert_true(length(d) > m->eye_radius);
    }
  }
  assert_true(count > 300);
  int upper = m->landmark[43], lower = m->landmark[47];
  float open = m->part[0].position[upper][1] - m->part[0].position[lower][1];
  float closed = open + blink->delta[upper][1] - blink->delta[lower][1];
  assert_true(open > 0.006f && closed > 0.0f && closed < 0.001f);
}

// jawOpen is the rotation the hinge describes, for everything that the jaw carries rigidly.
static void test_jaw_hinge(void **state) {
  const head_model *m = medium(state);
  const head_shape *open = find_shape(m, "jawOpen");
  double c = cos(m->jaw.open_angle), s = sin(m->jaw.open_angle);
  assert_true(m->jaw.open_angle > 0.38f && m->jaw.open_angle < 0.44f);
  for (int p = 1; p < m->npart; p++) {
    for (int v = 0; v < m->part[p].nvert; v++) {
      const float *x = m->part[p].position[v], *d = open->delta[m->first_vertex[p] + v];
      double y = x[1] - m->jaw.point[1], z = x[2] - m->jaw.point[2];
      double want[2] = {0.0, 0.0};
      if (m->part[p].follows_jaw) {
        want[0] = c * y - s * z - y;
        want[1] = s * y + c * z - z;
      }
      assert_true(fabs(d[0]) < 1e-6 && fabs(d[1] - want[0]) < 1e-6 && fabs(d[2] - want[1]) < 1e-6);
    }
  }
}

static void test_landmarks_agree(void **state) {
  const heads *h = *state;
  for (int i = 0; i < HEAD_NLANDMARK; i++) {
    const float *a = h->model[0].part[0].position[h->model[0].landmark[i]];
    for (int d = 1; d < NDENSITY; d++) {
      const float *b = h->model[d].part[0].position[h->model[d].landmark[i]];
      for (int k = 0; k < 3; k++) assert_true(fabsf(a[k] - b[k]) < 1e-6f);
    }
  }
}

static void test_same_bits(void **state) {
  const head_model *m = medium(state);
  head_model again;
  assert_int_equal(head_model_create(&(head_options){1}, &again), 0);
  for (int p = 0; p < m->npart; p++) {
    assert_int_equal(again.part[p].nvert, m->part[p].nvert);
    size_t bytes = (size_t)m->part[p].nvert * sizeof *m->part[p].position;
    assert_memory_equal(again.part[p].position, m->part[p].position, bytes);
  }
  size_t bytes = (size_t)m->first_vertex[m->npart] * sizeof *m->shape[0].delta;
  for (int s = 0; s < m->nshape; s++) {
    assert_memory_equal(again.shape[s].delta, m->shape[s].delta, bytes);
  }
  head_model_free(&again);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts),
                                     cmocka_unit_test(test_surfaces),
                                     cmocka_unit_test(test_nothing_crosses_at_rest),
                                     cmocka_unit_test(test_nothing_crosses_in_poses),
                                     cmocka_unit_test(test_mirror),
                                     cmocka_unit_test(test_names),
                                     cmocka_unit_test(test_shapes_are_local),
                                     cmocka_unit_test(test_lips),
                                     cmocka_unit_test(test_blink),
                                     cmocka_unit_test(test_jaw_hinge),
                                     cmocka_unit_test(test_landmarks_agree),
                                     cmocka_unit_test(test_same_bits)};
  return cmocka_run_group_tests(tests, make_heads, drop_heads);
}
