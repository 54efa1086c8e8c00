// Wind on a triangle, by its direction, area and normal (Bouaziz, 7.6.1; Dinev, 3.4.2.6). The
// formula of a flat plate: with u = the air's velocity relative to the triangle, n = the normal on
// the side the air leaves through, cos = n . u / |u|,
//   f = density/2 |u|^2 area cos (drag u/|u| + lift (n - cos u/|u|)).
// The second part is the share of the pressure that acts across the wind.
#include "energy/laws.h"
#include "energy/linear.h"
#include "math/vec.h"

#include <math.h>

static mi_vec3 load(const double *at) {
  return (mi_vec3){at[0], at[1], at[2]};
}

void mi_wind_force(const mi_wind *wind, const double *x, const double *velocity, double *force) {
  mi_vec3 a = load(x), normal = mi_cross(mi_sub(load(x + 3), a), mi_sub(load(x + 6), a));
  mi_vec3 u = mi_sub(load(wind->velocity), load(velocity));
  double area = mi_length(normal) / 2, speed = mi_length(u);
  mi_vec3 n = mi_unit(normal), along = mi_unit(u);
  double cosine = mi_dot(n, along);
  bool is_sheltered = wind->is_one_sided && cosine > 0; // faces the way the wind blows
  if (cosine < 0) n = mi_scale(-1, n);
  cosine = fabs(cosine);
  double pressure = is_sheltered ? 0 : wind->density / 2 * speed * speed * area * cosine;
  mi_vec3 across = mi_add_scaled(n, -cosine, along);
  mi_vec3 f =
      mi_add(mi_scale(pressure * wind->drag, along), mi_scale(pressure * wind->lift, across));
  force[0] = f.x;
  force[1] = f.y;
  force[2] = f.z;
}

bool mi_wind_set_up(mi_stencil *stencil, const mi_wind *wind, const double *x,
                    const double *velocity) {
  double force[3];
  mi_wind_force(wind, x, velocity, force);
  for (int k = 0; k < 3; k++) force[k] /= 3; // a third at each corner
  return mi_linear_set_up(stencil, 3, force, NULL);
}

// -- on the skin of a face ------------------------------------------------------------------------

// Relative gust of the wind at a place and time, -1 to 1: eddies of four sizes carried along by the
// wind (frozen turbulence). It depends on place and time only, so it is the same in every run and
// at any frame rate.
static double find_gust(double time, double along) {
  static const double rate[] = {2.3, 5.9, 13.1, 27.7}, share[] = {0.4, 0.3, 0.2, 0.1}; // 1 / s
  double sum = 0;
  for (int k = 0; k < 4; k++) sum += share[k] * sin(rate[k] * (time - along) + 1.7 * k);
  return sum;
}

// Air stands still behind the lips.
static bool is_in_mouth(const mien_face *face, const int32_t *tri) {
  const int32_t *region = face->regions.bits;
  const int32_t hidden = MIEN_REGION_LIP_INNER | MIEN_REGION_MOUTH_BAG;
  return (region[tri[0]] & hidden) && (region[tri[1]] & hidden) && (region[tri[2]] & hidden);
}

// The wind at a triangle of the skin, its corners and their mean velocity.
static mi_wind wind_at(const mi_forces *forces, const int32_t *tri, double corner[9],
                       double mean[3]) {
  mi_wind wind = {.density = 1.2, .drag = 1, .lift = 1, .is_one_sided = 1};
  const double *w = forces->wind;
  double speed2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  double along = 0; // s, since the wind was at the origin
  mean[0] = mean[1] = mean[2] = 0;
  for (int c = 0; c < 9; c++) {
    size_t at = 3 * (size_t)tri[c / 3] + (size_t)(c % 3);
    corner[c] = forces->flesh[at];
    mean[c % 3] += (double)forces->velocity[at] / 3;
  }
  for (int k = 0; k < 9; k++) along += corner[k] * w[k % 3] / (3 * speed2);
  double more = forces->gust > 0 ? forces->gust * find_gust(forces->time, along) : 0;
  for (int k = 0; k < 3; k++) wind.velocity[k] = (1 + more) * w[k];
  return wind;
}

static bool is_calm(const mi_forces *forces) {
  return forces->wind[0] == 0 && forces->wind[1] == 0 && forces->wind[2] == 0;
}

static int count(const mi_flesh *flesh) {
  return flesh->forces && !is_calm(flesh->forces) ? flesh->face->skin.ntri : 0;
}

static bool set_up(const mi_flesh *flesh, int element, mi_stencil *stencil, int32_t *vert) {
  const int32_t *tri = flesh->face->skin.tri + 3 * (size_t)element;
  double corner[9], mean[3];
  mi_wind wind = wind_at(flesh->forces, tri, corner, mean);
  if (is_in_mouth(flesh->face, tri)) wind.density = 0;
  for (int c = 0; c < 3; c++) vert[c] = flesh->iperm[tri[c]];
  return mi_wind_set_up(stencil, &wind, corner, mean);
}

static void accelerate(const mien_face *face, const mi_forces *forces, double dt, float *velocity) {
  if (is_calm(forces)) return;
  for (int t = 0; t < face->skin.ntri; t++) {
    const int32_t *tri = face->skin.tri + 3 * (size_t)t;
    double corner[9], mean[3], force[3];
    if (is_in_mouth(face, tri)) continue;
    mi_wind wind = wind_at(forces, tri, corner, mean);
    mi_wind_force(&wind, corner, mean, force);
    for (int c = 0; c < 9; c++)
      velocity[3 * (size_t)tri[c / 3] + (size_t)(c % 3)] +=
          (float)(dt * force[c % 3] / (3 * (double)face->mass[tri[c / 3]]));
  }
}

const mi_law mi_law_wind = {.name = "wind",
                            .value = mi_linear_value,
                            .gradient = mi_linear_gradient,
                            .count = count,
                            .set_up = set_up,
                            .accelerate = accelerate};
