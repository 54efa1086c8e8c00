// dlib's file format, written by the test itself, against a naive evaluation.
#include "scenes/scene.h"
#include "track/ert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NCASCADE = 3, NTREE = 4, NSPLIT = 7, NPIXEL = 20, NVALUE = 136 };

typedef struct model {
  double mean[NVALUE];
  struct {
    struct {
      int a, b;
      double threshold;
    } split[NSPLIT];
    double leaf[NSPLIT + 1][NVALUE];
  } tree[NCASCADE][NTREE];
  int anchor[NCASCADE][NPIXEL];
  double delta[NCASCADE][NPIXEL][2];
} model;

static double draw(uint32_t *drawn) { // multiples of 2^-12 in [-1, 1): exact in a float
  return floor(8192 * mi_random_unit(77, (*drawn)++, 0)) / 4096 - 1;
}

static model *make_model(void) {
  model *m = calloc(1, sizeof *m);
  uint32_t drawn = 0;
  for (int i = 0; i < NVALUE; i++) m->mean[i] = 0.5 + 0.3 * floor(4 * draw(&drawn)) / 4;
  for (int i = 0; i < NVALUE; i++) m->mean[i] = floor(m->mean[i] * 1024) / 1024;
  for (int c = 0; c < NCASCADE; c++) {
    for (int t = 0; t < NTREE; t++) {
      for (int s = 0; s < NSPLIT; s++) {
        m->tree[c][t].split[s].a = (int)(NPIXEL * mi_random_unit(78, drawn++, 0));
        m->tree[c][t].split[s].b = (int)(NPIXEL * mi_random_unit(78, drawn++, 0));
        m->tree[c][t].split[s].threshold = 20 * draw(&drawn);
      }
      for (int l = 0; l <= NSPLIT; l++)
        for (int i = 0; i < NVALUE; i++) m->tree[c][t].leaf[l][i] = draw(&drawn) / 64;
    }
    for (int i = 0; i < NPIXEL; i++) {
      m->anchor[c][i] = (int)(68 * mi_random_unit(79, drawn++, 0));
      for (int k = 0; k < 2; k++) m->delta[c][i][k] = draw(&drawn) / 8;
    }
  }
  return m;
}

// -- Writing --------------------------------------------------------------------------------------

typedef struct file {
  unsigned char *bytes;
  size_t size, room;
} file;

static void byte(file *f, int value) {
  if (f->size == f->room) f->bytes = realloc(f->bytes, f->room = 2 * f->room + 64);
  f->bytes[f->size++] = (unsigned char)value;
}

static void whole(file *f, int64_t value) {
  uint64_t size = (uint64_t)(value < 0 ? -value : value);
  int count = 1;
  while (count < 8 && size >> (8 * count)) count++;
  byte(f, count | (value < 0 ? 0x80 : 0));
  for (int i = 0; i < count; i++) byte(f, (int)(size >> 8 * i & 255));
}

static void number(file *f, double value) {
  int exponent;
  double mantissa = frexp(value, &exponent);
  whole(f, (int64_t)(mantissa * (1 << 24)));
  whole(f, exponent - 24);
}

static void column(file *f, const double *value) {
  whole(f, -NVALUE);
  whole(f, -1);
  for (int i = 0; i < NVALUE; i++) number(f, value[i]);
}

static file write_model(const model *m) {
  file f = {NULL, 0, 0};
  whole(&f, 1);
  column(&f, m->mean);
  whole(&f, NCASCADE);
  for (int c = 0; c < NCASCADE; c++) {
    whole(&f, NTREE);
    for (int t = 0; t < NTREE; t++) {
      whole(&f, NSPLIT);
      for (int s = 0; s < NSPLIT; s++) {
        whole(&f, m->tree[c][t].split[s].a);
        whole(&f, m->tree[c][t].split[s].b);
        number(&f, m->tree[c][t].split[s].threshold);
      }
      whole(&f, NSPLIT + 1);
      for (int l = 0; l <= NSPLIT; l++) column(&f, m->tree[c][t].leaf[l]);
    }
  }
  whole(&f, NCASCADE);
  for (int c = 0; c < NCASCADE; c++) {
    whole(&f, NPIXEL);
    for (int i = 0; i < NPIXEL; i++) whole(&f, m->anchor[c][i]);
  }
  whole(&f, NCASCADE);
  for (int c = 0; c < NCASCADE; c++) {
    whole(&f, NPIXEL);
    for (int i = 0; i < 2 * NPIXEL; i++) number(&f, m->delta[c][i / 2][i % 2]);
  }
  return f;
}

// -- Evaluating -----------------------------------------------------------------------------------

enum { WIDTH = 120, HEIGHT = 90 };
static uint8_t pixels[WIDTH * HEIGHT];

static double grey(double x, double y) {
  if (x < 0 || y < 0 || x > WIDTH || y > HEIGHT) return 0;
  int x0 = (int)floor(x - 0.5), y0 = (int)floor(y - 0.5);
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    int px = x0 + k % 2, py = y0 + k / 2;
    double w = (1 - fabs(x - 0.5 - px)) * (1 - fabs(y - 0.5 - py));
    px = px < 0 ? 0 : px > WIDTH - 1 ? WIDTH - 1 : px;
    py = py < 0 ? 0 : py > HEIGHT - 1 ? HEIGHT - 1 : py;
    sum += w * pixels[py * WIDTH + px];
  }
  return sum;
}

static void naive(const model *m, const mien_box *box, double shape[NVALUE]) {
  memcpy(shape, m->mean, sizeof m->mean);
  for (int c = 0; c < NCASCADE; c++) {
    double from[2] = {0, 0}, to[2] = {0, 0}, dot = 0, cross = 0, size = 0, value[NPIXEL];
    for (int i = 0; i < NVALUE; i++) from[i % 2] += m->mean[i] / 68, to[i % 2] += shape[i] / 68;
    for (int i = 0; i < NVALUE; i += 2) {
      double x = m->mean[i] - from[0], y = m->mean[i + 1] - from[1];
      double u = shape[i] - to[0], v = shape[i + 1] - to[1];
      dot += x * u + y * v, cross += x * v - y * u, size += x * x + y * y;
    }
    double p = dot / size, q = cross / size;
    for (int i = 0; i < NPIXEL; i++) {
      const double *at = shape + 2 * m->anchor[c][i], *d = m->delta[c][i];
      value[i] = grey((double)box->x + (double)box->width * (at[0] + p * d[0] - q * d[1]),
                      (double)box->y + (double)box->height * (at[1] + q * d[0] + p * d[1]));
    }
    for (int t = 0; t < NTREE; t++) {
      int node = 0;
      while (node < NSPLIT)
        node = 2 * node + (value[m->tree[c][t].split[node].a] - value[m->tree[c][t].split[node].b] >
                                   m->tree[c][t].split[node].threshold
                               ? 1
                               : 2);
      for (int i = 0; i < NVALUE; i++) shape[i] += m->tree[c][t].leaf[node - NSPLIT][i];
    }
  }
}

static mien_host plain_host(void) {
  mien_host given, host;
  mien_host_init(&given);
  assert_int_equal(mi_host_resolve(&given, &host, NULL), MIEN_OK);
  return host;
}

static void trees_agree_with_a_naive_walk(void **state) {
  (void)state;
  mien_host host = plain_host();
  model *m = make_model();
  file f = write_model(m);
  mi_ert *ert = NULL;
  mien_error err;
  if (mi_ert_read(f.bytes, f.size, &host, &ert, &err) < 0) fail_msg("%s", err.text);
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    pixels[i] = (uint8_t)(128 + 100 * sin(0.13 * (i % WIDTH)) * cos(0.21 * (double)(i / WIDTH)));
  mien_image image = {pixels, WIDTH, HEIGHT, 0, 1, 0};
  const mien_box boxes[] = {{20, 10, 70, 70}, {-30, -20, 60, 60}, {90, 60, 50, 50}};
  for (int b = 0; b < 3; b++) {
    float xy[NVALUE];
    double shape[NVALUE];
    mi_ert_evaluate(ert, &image, &boxes[b], xy);
    naive(m, &boxes[b], shape);
    for (int i = 0; i < NVALUE; i++) {
      double first = (double)(i % 2 ? boxes[b].y : boxes[b].x), side = (double)boxes[b].width;
      assert_near(xy[i], first + side * shape[i], 1e-3);
    }
  }
  mi_ert_free(ert);
  free(f.bytes);
  free(m);
}

static void damaged_files_are_refused(void **state) {
  (void)state;
  mien_host host = plain_host();
  host.memory_limit = (size_t)64 << 20;
  model *m = make_model();
  file f = write_model(m);
  for (uint32_t i = 0; i < 600; i++) {
    bool is_cut = i < 200;
    size_t size = is_cut ? (size_t)(mi_random_unit(5, i, 0) * (double)f.size) : f.size;
    unsigned char *copy = malloc(size + 1); // of its own, so that a sanitizer sees a step outside
    memcpy(copy, f.bytes, size);
    if (!is_cut) {
      // the beginning holds the counts
      size_t at = (size_t)(mi_random_unit(6, i, 0) * (i % 2 ? 900 : (double)size));
      copy[at] = (unsigned char)(256 * mi_random_unit(7, i, 0));
    }
    mi_ert *ert = NULL;
    mien_error err = {0};
    mien_result result = mi_ert_read(copy, size, &host, &ert, &err);
    if (is_cut) assert_int_equal(result, MIEN_ERR_FORMAT);
    assert_true(result >= 0 ? ert != NULL : ert == NULL && err.text[0]);
    mi_ert_free(ert);
    free(copy);
  }
  free(f.bytes);
  free(m);
}

static mien_result make_ert(const mien_host *host, void *user) {
  const file *f = user;
  mi_ert *ert = NULL;
  mien_result result = mi_ert_read(f->bytes, f->size, host, &ert, NULL);
  mi_ert_free(ert);
  return result;
}

static void memory_may_end(void **state) {
  (void)state;
  model *m = make_model();
  file f = write_model(m);
  scene_fail_every_allocation(make_ert, &f);
  free(f.bytes);
  free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(trees_agree_with_a_naive_walk),
                                     cmocka_unit_test(damaged_files_are_refused),
                                     cmocka_unit_test(memory_may_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
