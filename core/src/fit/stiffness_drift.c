#include "fit/stiffness_drift.h"

#include "mesh/stiffness.h"
#include "sparse/factor.h"
#include "sparse/spd.h"

#include <math.h>
#include <string.h>

static const double LOOSE = 12; // rad / s: gives unattached flesh a place

static double weight_of(const mi_drift *d, int which, int t) {
  const mien_face *face = d->face;
  double sum = 0;
  for (int p = 0; p < 4; p++)
    sum += 0.25 * d->w[which * d->nskin + face->carrier[face->tets[4 * (size_t)t + (size_t)p]]];
  return sum;
}

static mien_result build(const mi_drift *d, mi_arena *scratch, int32_t *order, mi_factor **factor,
                         mien_error *err) {
  const mien_face *face = d->face;
  int nvert = face->info.nvert, ntet = face->info.ntet;
  float *strain = MI_PUSH(scratch, float, ntet), *volume = MI_PUSH(scratch, float, ntet);
  double *diagonal = MI_PUSH(scratch, double, nvert);
  mi_csr unordered, matrix;
  if (!strain || !volume || !diagonal) return mi_fail_memory(err);
  for (int t = 0; t < ntet; t++) {
    strain[t] = (float)(face->stiffness * (double)face->volume[t] * weight_of(d, 0, t));
    volume[t] = (float)(face->volume_stiffness * (double)face->volume[t] * weight_of(d, 1, t));
  }
  for (int i = 0; i < nvert; i++)
    diagonal[i] = d->w[2 * d->nskin + face->carrier[i]] * (double)d->attach_stiffness[i] +
                  LOOSE * LOOSE * (double)face->mass[i];
  mi_stiffness_def def = {.nvert = nvert,
                          .ntet = ntet,
                          .tets = face->tets,
                          .rest = face->rest,
                          .weight_a = strain,
                          .weight_b = volume,
                          .diagonal = diagonal};
  unsigned char *last = MI_PUSH(scratch, unsigned char, nvert);
  if (!last || !mi_stiffness_assemble(&def, scratch, &unordered) ||
      !mi_order_find(&unordered, last, order, scratch) ||
      !mi_csr_permute(&unordered, order, scratch, scratch, &matrix))
    return mi_fail_memory(err);
  return mi_factor_create(&matrix, nvert, &face->host, factor, err);
}

mien_result mi_drift_find(const mi_drift *d, mi_arena *scratch, float *out, mien_error *err) {
  int nvert = d->face->info.nvert;
  int32_t *order = MI_PUSH(scratch, int32_t, nvert);
  float *vector = MI_PUSH(scratch, float, 4 * (size_t)nvert);
  mi_factor *factor = NULL;
  if (!order || !vector) return mi_fail_memory(err);
  mien_result result = build(d, scratch, order, &factor, err);
  for (int k = 0; result >= 0 && k < d->nshape; k++) {
    double sum = 0;
    for (int p = 0; p < nvert; p++) {
      int i = order[p], row = d->row_of[(size_t)k * (size_t)nvert + (size_t)i];
      for (size_t a = 0; a < 4; a++)
        vector[4 * (size_t)p + a] =
            row >= 0 && a < 3 && d->ease[i] > 0 ? d->left[3 * (size_t)row + a] / d->ease[i] : 0;
    }
    mi_factor_solve(factor, vector, d->face->host.threads, vector);
    for (int p = 0; p < nvert; p++)
      for (int a = 0; a < 3 && order[p] < d->nskin; a++)
        sum += pow((double)vector[4 * (size_t)p + (size_t)a], 2);
    out[k] = (float)sqrt(sum / d->nskin);
  }
  mi_factor_free(factor);
  return result;
}
