#include "creature_model.h"

static int place(mesh_builder *mesh, vec3 p) {
  return mesh_builder_vertex(mesh, (float)p.x, (float)p.y, (float)p.z);
}

// -- Eyeballs: a globe whose pole looks along the gaze, with finer circles around the pupil

static void model_eyeball(mesh_builder *mesh, const creature_eye *eye) {
  enum { SIDES = 28, CIRCLES = 15 };
  const double half_turn = acos(-1.0);
  int outer[SIDES], inner[SIDES];
  for (int c = 0; c < CIRCLES; c++) {
    double t = (c + 1.0) / (CIRCLES + 1.0);
    double from_pole = half_turn * pow(1.0 - t, 1.7);
    for (int j = 0; j < SIDES; j++) {
      double a = 2.0 * half_turn * j / SIDES;
      vec3 ring = v3_add(v3_scale(eye->right, cos(a)), v3_scale(eye->up, sin(a)));
      vec3 d = v3_add(v3_scale(eye->gaze, cos(from_pole)), v3_scale(ring, sin(from_pole)));
      inner[j] = place(mesh, v3_madd(eye->centre, eye->radius, d));
    }
    if (c > 0) mesh_builder_bridge(mesh, outer, inner, SIDES, 1);
    if (c == 0) {
      int back = place(mesh, v3_madd(eye->centre, -eye->radius, eye->gaze));
      for (int j = 0; j < SIDES; j++)
        mesh_builder_triangle(mesh, inner[(j + 1) % SIDES], inner[j], back);
    }
    for (int j = 0; j < SIDES; j++) outer[j] = inner[j];
  }
  vec3 pole = v3_madd(eye->centre, eye->radius, eye->gaze);
  mesh_builder_fan(mesh, outer, SIDES, (float[3]){(float)pole.x, (float)pole.y, (float)pole.z});
}

// -- Skull: what is left inside the skin after taking away flesh, orbits, mouth and throat

static const double FLESH = 0.013; // m between skin and bone
static const double BONE_ROUNDING = 0.006;

static double skull_field(const void *context, vec3 p) {
  const creature_model *model = context;
  const creature_surface plain = {.is_plain = 1};
  double term[4] = {creature_surface_distance(&plain, p) + FLESH};
  for (int e = 0; e < 2; e++)
    term[1 + e] = model->eye[e].radius + 0.0045 - v3_length(v3_sub(p, model->eye[e].centre));
  // The palate rises towards the back of the mouth and the neck.
  double floor_height = model->mouth_centre.y + 0.023 - 0.12 * (model->mouth_centre.z - p.z);
  term[3] = floor_height - p.y;
  double sum = 0.0;
  for (int i = 0; i < 4; i++) sum += exp(term[i] / BONE_ROUNDING);
  return BONE_ROUNDING * log(sum);
}

// A closed surface around `centre` over a cube's faces pushed out to a sphere: no poles.
static void model_star(creature_model *model, creature_field *field, vec3 centre) {
  enum { N = 14 };
  mesh_builder *mesh = &model->store->mesh;
  int node[N + 1][N + 1][N + 1];
  for (int i = 0; i <= N; i++) {
    for (int j = 0; j <= N; j++) {
      for (int k = 0; k <= N; k++) {
        int on_face = i % N == 0 || j % N == 0 || k % N == 0;
        if (!on_face) continue;
        double q = 0.25 * acos(-1.0);
        vec3 d = v3(tan(q * (2.0 * i / N - 1.0)), tan(q * (2.0 * j / N - 1.0)),
                    tan(q * (2.0 * k / N - 1.0)));
        node[i][j][k] = place(mesh, creature_field_exit(field, model, centre, v3_unit(d)));
      }
    }
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      mesh_builder_quad(mesh, node[N][i][j], node[N][i + 1][j], node[N][i + 1][j + 1],
                        node[N][i][j + 1]);
      mesh_builder_quad(mesh, node[0][i][j], node[0][i][j + 1], node[0][i + 1][j + 1],
                        node[0][i + 1][j]);
      mesh_builder_quad(mesh, node[j][N][i], node[j][N][i + 1], node[j + 1][N][i + 1],
                        node[j + 1][N][i]);
      mesh_builder_quad(mesh, node[j][0][i], node[j + 1][0][i], node[j + 1][0][i + 1],
                        node[j][0][i + 1]);
      mesh_builder_quad(mesh, node[i][j][N], node[i + 1][j][N], node[i + 1][j + 1][N],
                        node[i][j + 1][N]);
      mesh_builder_quad(mesh, node[i][j][0], node[i][j + 1][0], node[i + 1][j + 1][0],
                        node[i + 1][j][0]);
    }
  }
}

// -- Jaw: a bent bar from hinge to hinge around the floor of the mouth

typedef struct jaw_point {
  vec3 at;       // m, left half; the right half mirrors it
  double height; // m, half of the bar's section, which is 0.7 as thick as high
} jaw_point;

static const jaw_point JAW[] = {
    {{0.0525, -0.0540, -0.0010}, 0.0070}, {{0.0520, -0.0640, 0.0030}, 0.0085},
    {{0.0490, -0.0770, 0.0130}, 0.0085},  {{0.0400, -0.0930, 0.0380}, 0.0080},
    {{0.0220, -0.0990, 0.0620}, 0.0075},  {{0.0000, -0.1005, 0.0700}, 0.0075},
};
enum { NJAW = sizeof JAW / sizeof JAW[0], JAW_STEPS = 40, JAW_SIDES = 12 };

static jaw_point jaw_control(int i) { // 0 the left end .. 2 * NJAW - 2 the right end
  int last = 2 * NJAW - 2;
  i = i < 0 ? 0 : i > last ? last : i;
  if (i < NJAW) return JAW[i];
  jaw_point mirrored = JAW[last - i];
  mirrored.at.x = -mirrored.at.x;
  return mirrored;
}

static double spline(const double p[4], double t) { // Catmull-Rom
  return p[1] + 0.5 * t *
                    (p[2] - p[0] +
                     t * (2.0 * p[0] - 5.0 * p[1] + 4.0 * p[2] - p[3] +
                          t * (3.0 * (p[1] - p[2]) + p[3] - p[0])));
}

static jaw_point jaw_at(double share) {
  double s = fmin(share, 0.999999) * (2 * NJAW - 2);
  int i = (int)s;
  double x[4], y[4], z[4], h[4];
  for (int k = 0; k < 4; k++) {
    jaw_point p = jaw_control(i - 1 + k);
    x[k] = p.at.x, y[k] = p.at.y, z[k] = p.at.z, h[k] = p.height;
  }
  double t = s - i;
  return (jaw_point){v3(spline(x, t), spline(y, t), spline(z, t)), spline(h, t)};
}

static void model_jaw(mesh_builder *mesh) {
  int outer[JAW_SIDES], inner[JAW_SIDES];
  vec3 side = v3(0, 0, 1);
  for (int s = 0; s <= JAW_STEPS; s++) {
    double share = (double)s / JAW_STEPS;
    jaw_point here = jaw_at(share);
    vec3 direction =
        v3_unit(v3_sub(jaw_at(fmin(1.0, share + 0.01)).at, jaw_at(fmax(0.0, share - 0.01)).at));
    side = v3_unit(v3_madd(side, -v3_dot(side, direction), direction));
    vec3 up = v3_cross(direction, side);
    double cap = sqrt(fmax(0.0, 1.0 - pow(fabs(2.0 * share - 1.0), 24.0))); // rounded ends
    for (int j = 0; j < JAW_SIDES; j++) {
      double a = 2.0 * acos(-1.0) * j / JAW_SIDES;
      vec3 spoke = v3_add(v3_scale(side, 0.85 * cos(a)), v3_scale(up, 0.85 * sin(a)));
      inner[j] = place(mesh, v3_madd(here.at, here.height * (0.35 + 0.65 * cap), spoke));
    }
    if (s > 0) mesh_builder_bridge(mesh, outer, inner, JAW_SIDES, 1);
    if (s == 0) {
      int end = place(mesh, v3_madd(here.at, -0.002, direction));
      for (int j = 0; j < JAW_SIDES; j++)
        mesh_builder_triangle(mesh, inner[(j + 1) % JAW_SIDES], inner[j], end);
    }
    for (int j = 0; j < JAW_SIDES; j++) outer[j] = inner[j];
    if (s == JAW_STEPS) {
      vec3 end = v3_madd(here.at, 0.002, direction);
      mesh_builder_fan(mesh, outer, JAW_SIDES,
                       (float[3]){(float)end.x, (float)end.y, (float)end.z});
    }
  }
}

void creature_model_bones(creature_model *model) {
  rig_store *store = model->store;
  model_eyeball(&store->mesh, &model->eye[0]);
  rig_store_part(store, "eye_left", MIEN_PART_EYE_LEFT);
  model_eyeball(&store->mesh, &model->eye[1]);
  rig_store_part(store, "eye_right", MIEN_PART_EYE_RIGHT);
  model_star(model, skull_field, v3(0.0, 0.040, -0.010));
  rig_store_part(store, "skull", MIEN_PART_SKULL);
  model_jaw(&store->mesh);
  rig_store_part(store, "jaw", MIEN_PART_JAW);
}
