// Gravity and wind, as the velocity they add in one step.
#include "solve/forces.h"

#include "energy/laws.h"

// Each triangle's force (energy/wind.c), taken at the start of the step, a third at each corner.
static void add_wind(const mien_face *face, const mi_forces *forces, double dt, float *velocity) {
  const mi_skin *skin = &face->skin;
  mi_wind wind = {.density = 1.2, .drag = 1, .lift = 1, .is_one_sided = 1};
  for (int k = 0; k < 3; k++) wind.velocity[k] = forces->wind[k];
  for (int t = 0; t < skin->ntri; t++) {
    const int32_t *tri = skin->tri + 3 * (size_t)t;
    double corner[9], mean[3] = {0}, force[3];
    for (int c = 0; c < 9; c++) {
      size_t at = 3 * (size_t)tri[c / 3] + (size_t)(c % 3);
      corner[c] = forces->flesh[at];
      mean[c % 3] += (double)forces->velocity[at] / 3;
    }
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
