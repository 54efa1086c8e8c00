// The heat equation on the flesh (Kozlov et al. 6.2): the skin is fixed at the painted values, and
// the steady state gives every inner vertex an average of the skin around it. There is no time to
// choose: paint reaches as deep as the flesh.
#include "face/face.h"

#include "math/kernels.h"
#include "mesh/stiffness.h"

#include <math.h>
#include <string.h>

struct mi_diffusion {
  mi_face_build *b;
  mi_csr matrix; // the flesh's Laplacian
  double *value, *right, *diagonal;
};

// y = A x for inner vertices; y = x for the skin, whose values are given.
static void apply(const void *matrix, const double *x, double *y) {
  const mi_diffusion *d = matrix;
  int nskin = d->b->face->skin.nvert;
  mi_csr_multiply(&d->matrix, 1, x, y);
  for (int i = 0; i < d->matrix.nrow; i++)
    if (i < nskin || !(d->diagonal[i] > 0)) y[i] = x[i];
}

mi_diffusion *mi_diffusion_create(mi_face_build *b) {
  const mien_face *face = b->face;
  mi_diffusion *d = MI_PUSH(&b->scratch, mi_diffusion, 1);
  float *volume = MI_PUSH(&b->scratch, float, face->info.ntet);
  if (!d || !volume) return NULL;
  int nvert = face->info.nvert;
  *d = (mi_diffusion){.b = b,
                      .value = MI_PUSH(&b->scratch, double, nvert),
                      .right = MI_PUSH(&b->scratch, double, nvert),
                      .diagonal = MI_PUSH(&b->scratch, double, nvert)};
  mi_kernels_best()->measure_tets(face->rest, face->tets, face->info.ntet, volume, NULL);
  mi_stiffness_def def = {.nvert = nvert,
                          .ntet = face->info.ntet,
                          .tets = face->tets,
                          .rest = face->rest,
                          .weight_a = volume};
  if (!d->value || !d->right || !d->diagonal ||
      !mi_stiffness_assemble(&def, &b->scratch, &d->matrix))
    return NULL;
  for (int i = 0; i < nvert; i++)
    for (int p = d->matrix.first[i]; p < d->matrix.first[i + 1]; p++)
      if (d->matrix.column[p] == i) d->diagonal[i] = d->matrix.value[p];
  return d;
}

bool mi_diffuse(mi_diffusion *d, float *values) {
  const mien_face *face = d->b->face;
  int nskin = face->skin.nvert, nvert = face->info.nvert;
  float least = INFINITY, most = -INFINITY;
  for (int i = 0; i < nskin; i++) {
    least = fminf(least, values[i]);
    most = fmaxf(most, values[i]);
  }
  // Skin values move to the right side; each inner vertex starts from its carrier's value.
  memset(d->value, 0, (size_t)nvert * sizeof *d->value);
  for (int i = 0; i < nskin; i++) d->value[i] = values[i];
  mi_csr_multiply(&d->matrix, 1, d->value, d->right);
  double *unit = MI_PUSH(&d->b->scratch, double, nvert);
  if (!unit) return false;
  for (int i = 0; i < nvert; i++) {
    bool is_fixed = i < nskin || !(d->diagonal[i] > 0);
    d->value[i] = i < nskin ? 0 : values[face->carrier[i]];
    d->right[i] = i < nskin ? 0 : is_fixed ? d->value[i] : -d->right[i];
    unit[i] = is_fixed ? 1 : d->diagonal[i];
  }
  mi_pcg pcg = {apply, d, nvert, unit, 1e-5, 300};
  mi_pcg_info info;
  if (least < most && !mi_pcg_solve(&pcg, d->right, d->value, &d->b->scratch, &info)) return false;
  // Obtuse angles of flat tetrahedra let the discrete solution leave the given range a little.
  for (int i = nskin; i < nvert; i++) values[i] = fminf(most, fmaxf(least, (float)d->value[i]));
  return true;
}
