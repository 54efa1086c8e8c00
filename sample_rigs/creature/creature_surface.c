#include "creature_surface.h"

typedef struct ellipsoid {
  vec3 centre, radius; // m
  double pitch;        // rad around x, positive tips the front down
  double inward;       // rad around z, positive tips the left end down
  int is_mirrored;
} ellipsoid;

static const ellipsoid ELLIPSOIDS[] = {
    {{0.000, 0.040, -0.020}, {0.084, 0.082, 0.098}, 0.0, 0.0, 0},   // cranium
    {{0.000, 0.068, -0.062}, {0.068, 0.062, 0.076}, 0.6, 0.0, 0},   // mantle, swept up and back
    {{0.000, -0.030, 0.026}, {0.069, 0.085, 0.070}, 0.0, 0.0, 0},   // face
    {{0.045, 0.041, 0.070}, {0.040, 0.012, 0.028}, 0.25, 0.14, 1},  // brow
    {{0.060, -0.020, 0.050}, {0.026, 0.017, 0.034}, 0.2, 0.45, 1},  // cheekbone
    {{0.000, -0.050, 0.068}, {0.050, 0.034, 0.036}, 0.15, 0.0, 0},  // muzzle
    {{0.000, -0.092, 0.048}, {0.044, 0.026, 0.044}, 0.1, 0.0, 0},   // chin
    {{0.050, -0.070, 0.010}, {0.026, 0.030, 0.045}, 0.35, 0.0, 1},  // jowl
    {{0.000, 0.010, 0.086}, {0.012, 0.040, 0.012}, -0.15, 0.0, 0},  // ridge between the eyes
    {{0.000, 0.090, -0.035}, {0.016, 0.026, 0.080}, 0.45, 0.0, 0},  // crest
    {{0.076, 0.000, -0.030}, {0.014, 0.022, 0.046}, 0.30, 0.25, 1}, // fin fold
};
enum { NELLIPSOID = sizeof ELLIPSOIDS / sizeof ELLIPSOIDS[0], NPLAIN = 3 };

static const double BLEND = 0.0075; // m, how far neighbouring forms melt into each other
static const double NECK_RADIUS = 0.054;
static const vec3 NECK = {0.0, -0.98481, -0.17365}; // unit, from the origin

// First-order distance: the implicit value over the length of its gradient.
static double ellipsoid_distance(const ellipsoid *e, vec3 p) {
  vec3 q = v3_turn(v3_sub(p, e->centre), v3(1, 0, 0), -e->pitch);
  q = v3_turn(q, v3(0, 0, 1), e->inward);
  vec3 scaled = v3(q.x / e->radius.x, q.y / e->radius.y, q.z / e->radius.z);
  vec3 gradient = v3(scaled.x / e->radius.x, scaled.y / e->radius.y, scaled.z / e->radius.z);
  double k = v3_length(scaled);
  return k < 1e-9 ? -fmin(fmin(e->radius.x, e->radius.y), e->radius.z)
                  : k * (k - 1.0) / v3_length(gradient);
}

static double neck_distance(vec3 p) {
  double down = v3_dot(p, NECK);
  vec3 across = v3_madd(p, -down, NECK);
  double end = fmax(0.0, 0.02 - down); // the column starts inside the head
  return sqrt(v3_dot(across, across) + end * end) - NECK_RADIUS;
}

static double root_distance(const creature_surface *s, int i, vec3 p) {
  vec3 q = v3_sub(p, s->root[i]);
  double out = fmin(fmax(v3_dot(q, s->root_direction[i]), -0.02), 0.004);
  return v3_length(v3_madd(q, -out, s->root_direction[i])) - 0.86 * s->root_radius[i];
}

double creature_surface_distance(const creature_surface *surface, vec3 p) {
  // A log-sum does not depend on the order of the forms and has every derivative.
  double sum = exp(-neck_distance(p) / BLEND);
  for (int i = 0; i < (surface->is_plain ? NPLAIN : NELLIPSOID); i++) {
    sum += exp(-ellipsoid_distance(&ELLIPSOIDS[i], p) / BLEND);
    if (ELLIPSOIDS[i].is_mirrored)
      sum += exp(-ellipsoid_distance(&ELLIPSOIDS[i], v3(-p.x, p.y, p.z)) / BLEND);
  }
  for (int i = 0; i < surface->nroot; i++) sum += exp(-root_distance(surface, i, p) / BLEND);
  return -BLEND * log(sum);
}

vec3 creature_surface_normal(const creature_surface *surface, vec3 p) {
  const double h = 1e-4;
  vec3 x = v3(h, 0, 0), y = v3(0, h, 0), z = v3(0, 0, h);
  return v3_unit(v3(creature_surface_distance(surface, v3_add(p, x)) -
                        creature_surface_distance(surface, v3_sub(p, x)),
                    creature_surface_distance(surface, v3_add(p, y)) -
                        creature_surface_distance(surface, v3_sub(p, y)),
                    creature_surface_distance(surface, v3_add(p, z)) -
                        creature_surface_distance(surface, v3_sub(p, z))));
}

vec3 creature_field_exit(creature_field *field, const void *context, vec3 centre, vec3 direction) {
  const double step = 0.004, steepest = 4;
  double outside = 0.4;
  while (outside > step) {
    double value = field(context, v3_madd(centre, outside - step, direction));
    if (!(value > 0.0)) break;
    // a field is about a distance: so many more steps are outside, too
    for (double far = value; far > 0.0 && outside > step; far -= steepest * step) outside -= step;
  }
  double inside = outside - step;
  for (int i = 0; i < 40; i++) {
    double middle = 0.5 * (inside + outside);
    if (field(context, v3_madd(centre, middle, direction)) > 0.0)
      outside = middle;
    else
      inside = middle;
  }
  return v3_madd(centre, inside, direction);
}

static double surface_field(const void *context, vec3 p) {
  return creature_surface_distance(context, p);
}

vec3 creature_surface_at(const creature_surface *surface, vec3 direction) {
  return creature_field_exit(surface_field, surface, v3(0, 0, 0), direction);
}
