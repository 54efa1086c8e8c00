#include "small_performer.h"

#include <math.h>

enum { ROWS = 8, COLUMNS = 9, NVERT = ROWS * COLUMNS, NTRI = 2 * (ROWS - 1) * (COLUMNS - 1) };
enum { NPOINT = 68, WIDTH = 640, HEIGHT = 480 };

// A vaulted sheet that looks along +z, rows from the brow down.
static void make_points(float point[NVERT][3]) {
  for (int i = 0; i < NVERT; i++) {
    float x = 0.016f * (float)(i % COLUMNS - COLUMNS / 2),
          y = 0.02f * (float)(ROWS / 2 - i / COLUMNS);
    point[i][0] = x;
    point[i][1] = y;
    point[i][2] = 0.05f - 6 * x * x - 4 * y * y;
  }
}

static void make_triangles(int32_t tri[NTRI][3]) {
  int n = 0;
  for (int r = 0; r + 1 < ROWS; r++)
    for (int c = 0; c + 1 < COLUMNS; c++) {
      int a = r * COLUMNS + c, b = a + COLUMNS;
      tri[n][0] = a, tri[n][1] = b, tri[n++][2] = a + 1;
      tri[n][0] = a + 1, tri[n][1] = b, tri[n++][2] = b + 1;
    }
}

mien_rig *small_performer_rig(void) {
  float point[NVERT][3], open[NVERT][3] = {{0}}, wide[NVERT][3] = {{0}};
  int32_t tri[NTRI][3], landmark[NPOINT];
  make_points(point);
  make_triangles(tri);
  for (int i = 0; i < NVERT; i++) {
    open[i][1] = i >= NVERT / 2 ? -0.01f : 0;
    wide[i][0] = i >= NVERT / 2 ? 0.3f * point[i][0] : 0;
  }
  for (int i = 0; i < NPOINT; i++) landmark[i] = i;
  const mien_shape shapes[] = {{"open", {NULL, 0}, {open[0], NVERT, 3}},
                               {"wide", {NULL, 0}, {wide[0], NVERT, 3}}};
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.positions = (mien_f32s){point[0], NVERT, 3};
  def.faces = (mien_i32s){tri[0], 3 * NTRI};
  def.shapes = shapes;
  def.nshape = 2;
  def.landmarks = (mien_i32s){landmark, NPOINT};
  mien_rig *rig = NULL;
  mien_rig_create(&def, NULL, &rig, NULL);
  return rig;
}

void small_performer_see(const mien_rig *rig, int k, mien_points *points) {
  const float *at = mien_rig_get_info(rig)->positions.data;
  double focal = 0.5 * WIDTH / tan(0.5236), nod = k > 45 ? 0.2 * sin(0.3 * (k - 45)) : 0;
  *points = (mien_points){.time = k / 30.0,
                          .width = WIDTH,
                          .height = HEIGHT,
                          .count = NPOINT,
                          .presence = 1,
                          .confidence = 1};
  for (int i = 0; i < NPOINT; i++) {
    double y = at[3 * i + 1] * cos(nod) - at[3 * i + 2] * sin(nod);
    double z = at[3 * i + 1] * sin(nod) + at[3 * i + 2] * cos(nod);
    points->point[i] = (mien_point){.x = (float)(0.5 * WIDTH + focal * at[3 * i] / (0.55 - z)),
                                    .y = (float)(0.5 * HEIGHT - focal * y / (0.55 - z)),
                                    .sigma = 0.5f,
                                    .visibility = 1};
  }
}
