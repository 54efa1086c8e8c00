// The table of laws, and the loops over it.
#include "energy/energy.h"

#include <math.h>

const mi_law *const mi_laws[] = {
    &mi_law_inertia, &mi_law_attachment, &mi_law_spring,  &mi_law_force,
    &mi_law_strain,  &mi_law_volume,     &mi_law_gravity, &mi_law_wind,
};
const int mi_nlaw = sizeof mi_laws / sizeof *mi_laws;

double mi_energies_total(const mi_energies *e) {
  return e->inertia + e->attachment + e->lowrank_rows + e->elastic;
}

void mi_laws_evaluate(const mi_flesh *flesh, const float *x, float *gradient,
                      mi_energies *energies) {
  mi_body_fn *last = NULL;
  *energies = (mi_energies){0};
  for (int l = 0; l < mi_nlaw; l++) {
    mi_body_fn *body = mi_laws[l]->body;
    if (body && body != last) body(flesh, x, gradient, energies);
    last = body;
  }
  energies->total = mi_energies_total(energies);
}

void mi_laws_accelerate(const mien_face *face, const mi_forces *forces, double dt,
                        float *velocity) {
  for (int l = 0; l < mi_nlaw; l++)
    if (mi_laws[l]->accelerate) mi_laws[l]->accelerate(face, forces, dt, velocity);
}
