// Weight: -m g . x.
#include "energy/laws.h"
#include "energy/linear.h"

#include <math.h>

bool mi_gravity_set_up(mi_stencil *stencil, double mass, const double *g) {
  double force[3] = {mass * g[0], mass * g[1], mass * g[2]};
  return mass >= 0 && isfinite(mass) && mi_linear_set_up(stencil, 1, force, NULL);
}

static int count(const mi_flesh *flesh) {
  return flesh->forces ? flesh->nvert : 0;
}

static bool set_up(const mi_flesh *flesh, int element, mi_stencil *stencil, int32_t *vert) {
  vert[0] = flesh->iperm[element];
  return mi_gravity_set_up(stencil, (double)flesh->face->mass[element], flesh->forces->gravity);
}

static void accelerate(const mien_face *face, const mi_forces *forces, double dt, float *velocity) {
  const double *g = forces->gravity;
  if (g[0] == 0 && g[1] == 0 && g[2] == 0) return;
  for (int i = 0; i < 3 * face->info.nvert; i++) velocity[i] += (float)(dt * g[i % 3]);
}

const mi_law mi_law_gravity = {.name = "gravity",
                               .value = mi_linear_value,
                               .gradient = mi_linear_gradient,
                               .count = count,
                               .set_up = set_up,
                               .accelerate = accelerate};
