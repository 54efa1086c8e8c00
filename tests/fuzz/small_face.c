#include "small_face.h"

#include <math.h>

enum {
  RINGS = 5,
  SECTORS = 6,
  NVERT = (RINGS - 1) * SECTORS + 2,
  NTRI = 2 * (RINGS - 1) * SECTORS
};

static const double PI = 3.14159265358979, RADIUS = 0.1;

// Poles first and last, rings between them.
static void make_points(float point[NVERT][3]) {
  point[0][1] = (float)RADIUS;
  point[NVERT - 1][1] = (float)-RADIUS;
  for (int r = 1; r < RINGS; r++)
    for (int s = 0; s < SECTORS; s++) {
      float *at = point[1 + (r - 1) * SECTORS + s];
      double down = PI * r / RINGS, around = 2 * PI * s / SECTORS;
      at[0] = (float)(RADIUS * sin(down) * cos(around));
      at[1] = (float)(RADIUS * cos(down));
      at[2] = (float)(RADIUS * sin(down) * sin(around));
    }
}

static int point_at(int ring, int sector) {
  if (ring == 0) return 0;
  return ring == RINGS ? NVERT - 1 : 1 + (ring - 1) * SECTORS + sector % SECTORS;
}

static void make_triangles(int32_t tri[NTRI][3]) {
  int n = 0;
  for (int r = 0; r < RINGS; r++)
    for (int s = 0; s < SECTORS; s++) {
      int a = point_at(r, s), b = point_at(r, s + 1);
      int c = point_at(r + 1, s), d = point_at(r + 1, s + 1);
      if (r > 0) tri[n][0] = a, tri[n][1] = b, tri[n++][2] = d;
      if (r < RINGS - 1) tri[n][0] = a, tri[n][1] = d, tri[n++][2] = c;
    }
}

mien_state *small_face_state(void) {
  float point[NVERT][3] = {{0}}, up[NVERT][3] = {{0}}, held[NVERT];
  int32_t tri[NTRI][3];
  make_points(point);
  make_triangles(tri);
  for (int i = 0; i < NVERT; i++) {
    up[i][1] = point[i][1] > 0 ? 0.2f * point[i][1] : 0;
    held[i] = 0.3f;
  }
  const mien_shape shape = {"up", {NULL, 0}, {up[0], NVERT, 3}};
  const mien_map map = {"attachment", 1, {held, NVERT, 1}};
  mien_rig_def def;
  mien_host host;
  mien_rig_def_init(&def);
  mien_host_init(&host);
  host.threads = 1;
  def.positions = (mien_f32s){point[0], NVERT, 3};
  def.faces = (mien_i32s){tri[0], 3 * NTRI};
  def.shapes = &shape;
  def.nshape = 1;
  def.maps = &map;
  def.nmap = 1;
  mien_rig *rig = NULL;
  mien_face *face = NULL;
  mien_state *state = NULL;
  if (mien_rig_create(&def, &host, &rig, NULL) >= 0 &&
      mien_face_create(rig, NULL, &host, &face, NULL) >= 0)
    mien_state_create(face, &host, &state, NULL);
  mien_face_free(face);
  mien_rig_free(rig);
  return state;
}

int small_face_step(mien_state *state, mien_solver solver, double head) {
  const float weight = 0.5f;
  mien_input input;
  mien_step_opts opts;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.solver = solver;
  opts.iterations = 1; // under a fuzzer every one counts
  input.weights = (mien_f32s){&weight, 1, 1};
  input.head.translation[0] = head;
  return mien_step(state, &input, &opts, NULL) >= 0;
}
