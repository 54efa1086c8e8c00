#include "creature_model.h"

static const double LID_THICKNESS = 0.0024; // m
static const double LID_WIDTH = 0.84;       // rad, half the opening seen from the eye's centre
static const double LID_UPPER = 0.40, LID_LOWER = 0.34;

// Points of the eye's own sphere: angles to the side and up, and a distance from the surface.
static vec3 on_eye(const creature_eye *eye, double side, double up, double above) {
  vec3 direction = v3_add(
      v3_add(v3_scale(eye->gaze, cos(side) * cos(up)), v3_scale(eye->right, sin(side) * cos(up))),
      v3_scale(eye->up, sin(up)));
  return v3_madd(eye->centre, eye->radius + above, direction);
}

double creature_lid_opening(double phi) {
  double s = sin(phi);
  return copysign(pow(fabs(s), 1.3), s) * (s > 0.0 ? LID_UPPER : LID_LOWER);
}

// The almond of the opening at angle phi around the gaze, widened by `more` radians.
static vec3 margin(const creature_eye *eye, double phi, double more, double above) {
  double up = creature_lid_opening(phi) + more * sin(phi);
  return on_eye(eye, cos(phi) * (LID_WIDTH + more), up, above);
}

// Keeps a lid outside the eyeball.
static vec3 outside_eye(const creature_eye *eye, vec3 p) {
  vec3 from = v3_sub(p, eye->centre);
  double least = eye->radius + LID_THICKNESS, distance = v3_length(from);
  return distance >= least ? p : v3_madd(eye->centre, least / distance, from);
}

static vec3 lid_point(const creature_eye *eye, int row, double phi, vec3 rim) {
  static const double TOWARDS_MARGIN[3] = {0.34, 0.64, 0.86};
  static const double BEHIND[4][2] = {{0.0, 1.0}, {0.03, 0.55}, {0.10, 0.28}, {0.26, 0.28}};
  if (row < 3) {
    vec3 edge = margin(eye, phi, 0.0, 1.2 * LID_THICKNESS);
    return outside_eye(eye, v3_mix(rim, edge, TOWARDS_MARGIN[row]));
  }
  return margin(eye, phi, BEHIND[row - 3][0], BEHIND[row - 3][1] * LID_THICKNESS);
}

static void model_lid(creature_model *model, int side) {
  creature_eye *eye = &model->eye[side];
  enum { N = CREATURE_LID_SIDES };
  int outer[N], inner[N];
  vec3 rim[N];
  double phi[N];
  for (int j = 0; j < N; j++) {
    outer[j] = eye->loop[j];
    rim[j] = creature_position(model, outer[j]);
    vec3 from = v3_sub(rim[j], eye->centre);
    phi[j] = atan2(v3_dot(from, eye->up), v3_dot(from, eye->right));
  }
  for (int row = 0; row < 7; row++) {
    for (int j = 0; j < N; j++) {
      skin_vertex what = {.kind = SKIN_LID, .theta = phi[j], .row = row + 1, .feature = side};
      inner[j] = creature_vertex(model, lid_point(eye, row, phi[j], rim[j]), what);
    }
    mesh_builder_bridge(&model->store->mesh, outer, inner, N, 1);
    for (int j = 0; j < N; j++) outer[j] = inner[j];
  }
}

void creature_model_lids(creature_model *model) {
  model_lid(model, 0);
  model_lid(model, 1);
}
