// Wind on a triangle, by its direction, area and normal (Bouaziz, 7.6.1; Dinev, 3.4.2.6). The
// formula of a flat plate: with u = the air's velocity relative to the triangle, n = the normal on
// the side the air leaves through, cos = n . u / |u|,
//   f = density/2 |u|^2 area cos (drag u/|u| + lift (n - cos u/|u|)).
// The second part is the share of the pressure that acts across the wind.
#include "energy/laws.h"
#include "energy/reduce.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

static mi_vec3 load(const double *at) {
  return (mi_vec3){at[0], at[1], at[2]};
}

void mi_wind_force(const mi_wind *wind, const double *x, const double *velocity, double *force) {
  mi_vec3 a = load(x), normal = mi_cross(mi_sub(load(x + 3), a), mi_sub(load(x + 6), a));
  mi_vec3 u = mi_sub(load(wind->velocity), load(velocity));
  double area = mi_length(normal) / 2, speed = mi_length(u);
  mi_vec3 n = mi_unit(normal), along = mi_unit(u);
  double cosine = mi_dot(n, along);
  bool is_sheltered = wind->is_one_sided && cosine > 0; // looks the way the wind blows
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
  if (!mi_all_finite(force, 3)) return false;
  memset(stencil, 0, sizeof *stencil);
  stencil->nvert = 3;
  for (int k = 0; k < 3; k++) stencil->parameter[k] = -force[k] / 3; // a third at each corner
  return true;
}

static double value(const mi_stencil *stencil, const double *x) {
  double sum = 0;
  for (int i = 0; i < 9; i++) sum += stencil->parameter[i % 3] * x[i];
  return sum;
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  (void)x;
  for (int i = 0; i < 9; i++) out[i] = stencil->parameter[i % 3];
}

const mi_law mi_law_wind = {"wind", value, gradient, NULL, NULL};
