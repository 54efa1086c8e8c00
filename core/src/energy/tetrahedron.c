#include "energy/tetrahedron.h"

#include "energy/muscle.h"
#include "math/mat3.h"

#include <string.h>

int mi_tet_count(const mi_flesh *flesh) {
  return flesh->face->info.ntet;
}

void mi_tet_corners(const mi_flesh *flesh, int element, double *rest, int32_t *vert) {
  const int32_t *tet = flesh->face->tets + 4 * (size_t)element;
  for (int c = 0; c < 12; c++)
    rest[c] = (double)flesh->face->rest[3 * (size_t)tet[c / 3] + (size_t)(c % 3)];
  for (int c = 0; c < 4; c++) vert[c] = flesh->iperm[tet[c]];
}

// the edges from the first corner as columns
static void load_edges(const double *corners, double edges[9]) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) edges[3 * r + c] = corners[3 * (c + 1) + r] - corners[r];
}

void mi_tet_target(const mi_flesh *flesh, int element, const double *rest, const int32_t *vert,
                   double *target) {
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double posed[12], edges[9], inverse[9];
  memcpy(target, identity, sizeof identity);
  if (flesh->actuation) {
    double shape[6];
    for (size_t c = 0; c < 6; c++)
      shape[c] = (double)flesh->actuation->shape[6 * (size_t)element + c];
    mi_symmetric_unpack(shape, target);
    return;
  }
  load_edges(rest, edges);
  if (!flesh->posed || !mi_mat3_invert(edges, inverse)) return;
  for (int c = 0; c < 12; c++)
    posed[c] = (double)flesh->posed[4 * (size_t)vert[c / 3] + (size_t)(c % 3)];
  load_edges(posed, edges);
  mi_mat3_multiply(edges, inverse, target);
}

void mi_tet_body(const mi_flesh *flesh, const float *x, float *gradient, mi_energies *energies) {
  mi_elastic_evaluate(flesh->elastic, x, flesh->local, flesh->threads, gradient, &energies->detail);
  energies->elastic += energies->detail.energy;
}
