#include "creature_model.h"

enum { NROW = 18 };

// How a tentacle hangs; even ones are on the left, odd ones on the right.
typedef struct tentacle {
  double length, radius; // m; radius near the root
  double outward;        // leaning to the side while it hangs
  double forward;        // the same to the front
  double curl;           // of the tip, towards the front and the side
} tentacle;

static const tentacle TENTACLES[CREATURE_TENTACLES] = {
    {0.122, 0.0078, 0.42, 0.14, 0.95},  {0.129, 0.0078, 0.44, 0.12, 0.80},
    {0.160, 0.0086, 0.24, -0.06, 0.60}, {0.152, 0.0086, 0.23, -0.06, 0.75},
    {0.140, 0.0076, 0.13, 0.18, 0.90},  {0.147, 0.0076, 0.12, 0.18, 0.70},
    {0.178, 0.0086, 0.06, 0.03, 0.70},  {0.170, 0.0086, 0.07, 0.03, 0.90},
};

static const double CARRIED_TO = 0.55; // share of the length that follows the root

double creature_carried(double s) {
  if (s >= CARRIED_TO) return 0.0;
  double t = 1.0 - s / CARRIED_TO;
  return t * t *
         (3.0 - 2.0 * t); // gentler than ease: the root moves centimetres when the jaw opens
}

static vec3 hanging_direction(const tentacle *t, vec3 out, double side, double s) {
  vec3 hang = v3(side * t->outward, -1.0, t->forward);
  vec3 direction = v3_mix(out, v3_unit(hang), ramp(-0.05, 0.33, s));
  double curl = t->curl * ramp(0.45, 1.1, s);
  return v3_unit(v3_add(direction, v3(0.55 * side * curl, 0.35 * curl, 1.25 * curl)));
}

static double radius_at(const tentacle *t, double s) {
  double taper = t->radius * (1.0 - 0.72 * s);
  return s > 0.94 ? taper * sqrt(fmax(0.0, 1.0 - pow((s - 0.94) / 0.068, 2.0))) : taper;
}

// Turns a ring's own axes with the curve, without twist.
static vec3 transport(vec3 axis, vec3 direction) {
  return v3_unit(v3_madd(axis, -v3_dot(axis, direction), direction));
}

static void model_tentacle(creature_model *model, int i) {
  const tentacle *t = &TENTACLES[i];
  const double side = i % 2 == 0 ? 1.0 : -1.0;
  int outer[CREATURE_SIDES], inner[CREATURE_SIDES];
  vec3 start[CREATURE_SIDES], centre = v3(0, 0, 0);
  for (int j = 0; j < CREATURE_SIDES; j++) {
    outer[j] = model->root_loop[i][j];
    start[j] = creature_position(model, outer[j]);
    centre = v3_madd(centre, 1.0 / CREATURE_SIDES, start[j]);
  }
  vec3 out = v3_unit(v3_madd(model->surface.root_direction[i], 0.25, v3(0, -1, 0)));
  vec3 axis = transport(v3_sub(start[0], centre), out);
  double angle[CREATURE_SIDES];
  for (int j = 0; j < CREATURE_SIDES; j++) {
    vec3 from = v3_sub(start[j], centre);
    angle[j] = atan2(v3_dot(from, v3_cross(out, axis)), v3_dot(from, axis));
  }
  vec3 at = centre, direction = out;
  double s = 0.0;
  for (int r = 1; r <= NROW; r++) {
    double next = (double)r / NROW;
    next = 0.30 * next + 0.70 * (1.0 - pow(1.0 - next, 1.7)); // shorter towards the tip
    for (int k = 0; k < 8; k++) {
      direction = hanging_direction(t, out, side, s + (next - s) * (k + 0.5) / 8.0);
      at = v3_madd(at, t->length * (next - s) / 8.0, direction);
    }
    s = next;
    direction = hanging_direction(t, out, side, s);
    axis = transport(axis, direction);
    double rounded = ramp(-0.05, 0.16, s);
    for (int j = 0; j < CREATURE_SIDES; j++) {
      vec3 spoke =
          v3_add(v3_scale(axis, cos(angle[j])), v3_scale(v3_cross(direction, axis), sin(angle[j])));
      double radius =
          v3_mix(v3(v3_length(v3_sub(start[j], centre)), 0, 0), v3(radius_at(t, s), 0, 0), rounded)
              .x;
      skin_vertex what = {
          .kind = SKIN_TENTACLE, .row = s, .feature = i, .root = model->root_loop[i][j]};
      inner[j] = creature_vertex(model, v3_madd(at, radius, spoke), what);
    }
    mesh_builder_bridge(&model->store->mesh, outer, inner, CREATURE_SIDES, 1);
    for (int j = 0; j < CREATURE_SIDES; j++) outer[j] = inner[j];
  }
  skin_vertex tip = {
      .kind = SKIN_TENTACLE, .row = 1.0, .feature = i, .root = model->root_loop[i][0]};
  int last = creature_vertex(model, v3_madd(at, 0.0012, direction), tip);
  for (int j = 0; j < CREATURE_SIDES; j++)
    mesh_builder_triangle(&model->store->mesh, outer[j], outer[(j + 1) % CREATURE_SIDES], last);
}

void creature_model_tentacles(creature_model *model) {
  for (int i = 0; i < CREATURE_TENTACLES; i++) model_tentacle(model, i);
}
