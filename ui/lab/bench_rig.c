// Reading a large rig against the least that reading it could cost, and posing it.
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NVERT = 26000, NSHAPE = 53, COLUMNS = 200 };

typedef struct subject {
  char path[64];
  size_t size;
  unsigned char *bytes;
  float *floats;
  mien_rig *rig;
  float *weights, *out;
} subject;

// A sheet with dense shapes: the largest file that many vertices and shapes can make.
static int make_file(subject *s) {
  int nrow = NVERT / COLUMNS, ntri = 2 * (nrow - 1) * (COLUMNS - 1), code = CLI_FAILED, t = 0;
  float *position = calloc(3 * NVERT, sizeof *position);
  float *delta = calloc((size_t)3 * NVERT * NSHAPE, sizeof *delta);
  int32_t *tri = calloc(3 * (size_t)ntri, sizeof *tri);
  mien_shape shapes[NSHAPE];
  char names[NSHAPE][20];
  mien_error err = {0};
  mien_rig *rig = NULL;
  if (!position || !delta || !tri) goto done;
  for (int i = 0; i < NVERT; i++) {
    position[3 * i] = 0.001f * (float)(i % COLUMNS);
    position[3 * i + 1] = 0.001f * (float)(i / COLUMNS);
  }
  for (int i = 0; i < 3 * NVERT * NSHAPE; i++) delta[i] = 1e-4f + 1e-7f * (float)(i % 9973);
  for (int j = 0; j + 1 < nrow; j++)
    for (int i = 0; i + 1 < COLUMNS; i++) {
      int a = j * COLUMNS + i;
      const int32_t pair[6] = {a, a + 1, a + COLUMNS + 1, a, a + COLUMNS + 1, a + COLUMNS};
      memcpy(tri + 6 * t++, pair, sizeof pair);
    }
  for (int k = 0; k < NSHAPE; k++) {
    snprintf(names[k], sizeof names[k], "shape%d", k);
    shapes[k] =
        (mien_shape){names[k], {NULL, 0}, {delta + (size_t)3 * NVERT * (size_t)k, NVERT, 3}};
  }
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.positions = (mien_f32s){position, NVERT, 3};
  def.faces = (mien_i32s){tri, 3 * ntri};
  def.shapes = shapes;
  def.nshape = NSHAPE;
  if (mien_rig_create(&def, NULL, &rig, &err) < 0 ||
      mien_rig_save(rig, NULL, NULL, s->path, &err) < 0)
    cli_report(&err, "bench");
  else
    code = CLI_DONE;
done:
  mien_rig_free(rig);
  free(position);
  free(delta);
  free(tri);
  return code;
}

static int load(void *user) {
  subject *s = user;
  mien_rig *rig = NULL;
  mien_result result = mien_rig_load(s->path, NULL, &rig, NULL);
  mien_rig_free(rig);
  return result < 0;
}

// the yardstick: the bytes into memory, and every four of them once through a float
static int read_and_convert(void *user) {
  subject *s = user;
  FILE *file = fopen(s->path, "rb");
  if (!file) return 1;
  size_t got = fread(s->bytes, 1, s->size, file);
  fclose(file);
  for (size_t i = 0; i < got / 4; i++) {
    float value;
    memcpy(&value, s->bytes + 4 * i, 4);
    s->floats[i] = 0.01f * value;
  }
  return got != s->size;
}

static int pose(void *user) {
  subject *s = user;
  const mien_rig_info *info = mien_rig_get_info(s->rig);
  return mien_rig_pose(s->rig, s->weights, info->nshape, s->out, NULL) < 0;
}

static int measure(bench *b, subject *s) {
  FILE *file = fopen(s->path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) return cli_fail("the bench's own file is gone");
  s->size = (size_t)ftell(file);
  fclose(file);
  s->bytes = malloc(s->size);
  s->floats = malloc(s->size);
  s->weights = calloc(NSHAPE, sizeof *s->weights);
  s->out = calloc(3 * NVERT, sizeof *s->out);
  if (!s->bytes || !s->floats || !s->weights || !s->out) return cli_fail("out of memory");
  if (mien_rig_load(s->path, NULL, &s->rig, NULL) < 0)
    return cli_fail("the bench's own file is bad");
  for (int k = 0; k < NSHAPE; k++) s->weights[k] = 0.5f;
  double reading = bench_time(b, read_and_convert, s);
  bench_add(b, (bench_row){"P18", "read a 26k-vertex 53-shape .glb", bench_time(b, load, s),
                           reading, "reading and converting its bytes", 3});
  bench_add(b, (bench_row){"", "pose it, every shape on", bench_time(b, pose, s), reading,
                           "reading and converting its bytes", 0});
  return CLI_DONE;
}

int bench_rig(bench *b) {
  subject s = {.path = "/tmp/mien-bench-XXXXXX"};
  int handle = mkstemp(s.path);
  if (handle < 0) return cli_fail("there is no room for a temporary file");
  close(handle);
  int code = make_file(&s);
  if (!code) code = measure(b, &s);
  unlink(s.path);
  mien_rig_free(s.rig);
  free(s.bytes);
  free(s.floats);
  free(s.weights);
  free(s.out);
  return code;
}
