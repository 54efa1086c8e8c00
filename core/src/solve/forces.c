// Gravity and wind, as the velocity they add in one step.
#include "solve/forces.h"

#include "energy/laws.h"

#include <math.h>

// What the wind is stronger by at a place and time, -1 to 1: eddies of four sizes that it carries
// along (frozen turbulence). A function of both alone: the same in every run and at any frame rate.
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

// Each triangle's force (energy/wind.c), taken at the start of the step, a third at each corner.
static void add_wind(const mien_face *face, const mi_forces *forces, double dt, float *velocity) {
  const mi_skin *skin = &face->skin;
  mi_wind wind = {.density = 1.2, .drag = 1, .lift = 1, .is_one_sided = 1};
  const double *w = forces->wind;
  double speed2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  for (int t = 0; t < skin->ntri; t++) {
    const int32_t *tri = skin->tri + 3 * (size_t)t;
    double corner[9], mean[3] = {0}, force[3];
    if (is_in_mouth(face, tri)) continue;
    for (int c = 0; c < 9; c++) {
      size_t at = 3 * (size_t)tri[c / 3] + (size_t)(c % 3);
      corner[c] = forces->flesh[at];
      mean[c % 3] += (double)forces->velocity[at] / 3;
    }
    double along = 0; // s, since the wind was at the origin
    for (int k = 0; k < 9; k++) along += corner[k] * w[k % 3] / (3 * speed2);
    double more = forces->gust > 0 ? forces->gust * find_gust(forces->time, along) : 0;
    for (int k = 0; k < 3; k++) wind.velocity[k] = (1 + more) * w[k];
    mi_wind_force(&wind, corner, mean, force);
    for (int c = 0; c < 9; c++)
      velocity[3 * (size_t)tri[c / 3] + (size_t)(c % 3)] +=
          (float)(dt * force[c % 3] / (3 * (double)face->mass[tri[c / 3]]));
  }
}

void mi_forces_add(const mien_face *face, const mi_forces *forces, double dt, float *velocity) {
  const double *g = forces->gravity, *w = forces->wind;
  if (g[0] != 0 || g[1] != 0 || g[2] != 0)
    for (int i = 0; i < face->info.nvert; i++)
      for (int k = 0; k < 3; k++) velocity[3 * (size_t)i + (size_t)k] += (float)(dt * g[k]);
  if (w[0] != 0 || w[1] != 0 || w[2] != 0) add_wind(face, forces, dt, velocity);
}
