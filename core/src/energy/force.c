// The forces of a drive, constant in a step: -f . (x - anchor), the work from where bone has the
// flesh.
#include "energy/linear.h"

#include <stddef.h>

static int count(const mi_flesh *flesh) {
  return flesh->force ? flesh->nvert : 0;
}

static bool set_up(const mi_flesh *flesh, int element, mi_stencil *stencil, int32_t *vert) {
  double force[3], origin[3];
  for (int k = 0; k < 3; k++) {
    force[k] = (double)flesh->force[4 * (size_t)element + (size_t)k];
    origin[k] = (double)flesh->anchor[4 * (size_t)element + (size_t)k];
  }
  vert[0] = element;
  return mi_linear_set_up(stencil, 1, force, origin);
}

static void body(const mi_flesh *flesh, const float *x, float *gradient, mi_energies *energies) {
  double work = 0;
  if (!flesh->force) return;
  for (int i = 0; i < 4 * flesh->nvert; i++) {
    work += (double)flesh->force[i] * (double)(x[i] - flesh->anchor[i]);
    if (gradient) gradient[i] -= flesh->force[i];
  }
  energies->lowrank_rows -= work;
}

const mi_law mi_law_force = {.name = "force",
                             .value = mi_linear_value,
                             .gradient = mi_linear_gradient,
                             .count = count,
                             .set_up = set_up,
                             .body = body,
                             .sum = offsetof(mi_energies, lowrank_rows)};
