// Positional constraints (Bouaziz, 7.5), and the spring rows that a step adds: sticking lips, and
// contacts of Gauss-Seidel. There are a hundred or two of them, and others in every step.
#include "energy/spring.h"

#include "energy/laws.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool mi_spring_set_up(mi_stencil *stencil, int nvert, const double *coef, double weight,
                      const double *target) {
  if (!(weight >= 0 && isfinite(weight)) || !mi_all_finite(target, 3)) return false;
  if (nvert < 1 || nvert > MI_STENCIL_MOST || !mi_all_finite(coef, nvert)) return false;
  memset(stencil, 0, sizeof *stencil);
  stencil->nvert = nvert;
  stencil->nrow = 1;
  stencil->weight = weight;
  memcpy(stencil->matrix, coef, (size_t)nvert * sizeof *coef);
  memcpy(stencil->parameter, target, 3 * sizeof *target);
  return true;
}

void mi_spring_reduce(const mi_stencil *stencil, const double *x, double *gx, double *p) {
  mi_reduce_apply(stencil, x, gx);
  memcpy(p, stencil->parameter, 3 * sizeof *p);
}

double mi_spring_value(const mi_stencil *stencil, const double *x) {
  return mi_reduce_value(stencil, x, mi_spring_reduce);
}

void mi_spring_gradient(const mi_stencil *stencil, const double *x, double *gradient) {
  mi_reduce_gradient(stencil, x, mi_spring_reduce, gradient);
}

void mi_spring_hessian(const mi_stencil *stencil, const double *x, bool project, double *hessian) {
  (void)x, (void)project; // w G'G has no negative eigenvalue
  double h[9];
  for (int i = 0; i < 9; i++) h[i] = i % 4 == 0 ? stencil->weight : 0;
  mi_reduce_pull_hessian(stencil, h, hessian);
}

// -- spring rows ----------------------------------------------------------------------------------

static int count(const mi_flesh *flesh) {
  return flesh->nspring;
}

static bool set_up(const mi_flesh *flesh, int element, mi_stencil *stencil, int32_t *vert) {
  const mi_lowrank *row = flesh->spring + element;
  double coef[4], target[3];
  int nvert = 0;
  for (; nvert < 4 && row->vert[nvert] >= 0; nvert++) {
    vert[nvert] = row->vert[nvert];
    coef[nvert] = (double)row->coef[nvert];
  }
  for (int k = 0; k < 3; k++) target[k] = (double)flesh->spring_target[3 * element + k];
  return mi_spring_set_up(stencil, nvert, coef, (double)row->weight, target);
}

static double add_row(float weight, const float off[3], float force[3]) {
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    force[c] = weight * off[c];
    sum += (double)off[c] * off[c];
  }
  return 0.5 * (double)weight * sum;
}

static void body(const mi_flesh *flesh, const float *x, float *gradient, mi_energies *energies) {
  double energy = 0;
  for (int k = 0; k < flesh->nspring; k++) {
    const mi_lowrank *row = flesh->spring + k;
    float off[3], force[3];
    for (int c = 0; c < 3; c++) off[c] = -flesh->spring_target[3 * k + c];
    for (int j = 0; j < 4 && row->vert[j] >= 0; j++)
      for (int c = 0; c < 3; c++) off[c] += row->coef[j] * x[4 * (size_t)row->vert[j] + (size_t)c];
    energy += add_row(row->weight, off, force);
    for (int j = 0; gradient && j < 4 && row->vert[j] >= 0; j++)
      for (int c = 0; c < 3; c++)
        gradient[4 * (size_t)row->vert[j] + (size_t)c] += row->coef[j] * force[c];
  }
  energies->lowrank_rows += energy;
}

// The matrix has them by a low-rank update in every step, not in its constant part.
const mi_law mi_law_spring = {.name = "spring",
                              .value = mi_spring_value,
                              .gradient = mi_spring_gradient,
                              .hessian = mi_spring_hessian,
                              .reduce = mi_spring_reduce,
                              .count = count,
                              .set_up = set_up,
                              .body = body,
                              .sum = offsetof(mi_energies, lowrank_rows)};
