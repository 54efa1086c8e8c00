// Bouaziz, D.6. The paper alternates between the rotation and the weights; that stops at the
// nearest stationary point, and the set has several. Here alternation runs from each of the 24 ways
// to bring the axes of D onto those of the rest state, and the most promising are finished by
// Newton's method in (turn, weights), which the derivative of p needs anyway.
#include "law_example_fit.h"

#include "math/mat3.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

enum { NKEEP = 6, NALTERNATE = 4, MOST_STEPS = 80, MOST_UNKNOWNS = 7 };

static double dot(int count, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

static void shape(const lab_example_set *set, const double *v, double *b) {
  for (int i = 0; i < 3 * set->n; i++) {
    b[i] = i % 4 == 0;
    for (int k = 0; k < set->ndirection; k++) b[i] += v[k] * set->direction[9 * k + i];
  }
}

// out = a Q, a (n x 3)
static void rotate(int n, const double *a, const double *q, double *out) {
  double padded[9] = {0}, product[9];
  memcpy(padded, a, sizeof *a * (size_t)(3 * n));
  mi_mat3_multiply(padded, q, product);
  memcpy(out, product, sizeof *a * (size_t)(3 * n));
}

static void place(const lab_example_set *set, const double *d, lab_example_fit *fit) {
  double b[9];
  shape(set, fit->v, b);
  rotate(set->n, b, fit->q, fit->p);
  fit->distance = 0;
  for (int i = 0; i < 3 * set->n; i++) fit->distance += (d[i] - fit->p[i]) * (d[i] - fit->p[i]);
}

// Best weights for a rotation: v_i = N_i . (D Q' - B0)
static void fit_weights(const lab_example_set *set, const double *d, lab_example_fit *fit) {
  double transposed[9], turned[9];
  mi_mat3_transpose(fit->q, transposed);
  rotate(set->n, d, transposed, turned);
  for (int i = 0; i < set->n; i++) turned[4 * i] -= 1;
  for (int k = 0; k < set->ndirection; k++)
    fit->v[k] = dot(3 * set->n, set->direction + 9 * k, turned);
}

// Best rotation for weights: the one closest to B'D.
static void fit_rotation(const lab_example_set *set, const double *d, lab_example_fit *fit) {
  double b[9], product[9] = {0};
  shape(set, fit->v, b);
  for (int i = 0; i < 9; i++)
    for (int r = 0; r < set->n; r++) product[i] += b[3 * r + i / 3] * d[3 * r + i % 3];
  mi_mat3_rotation(product, fit->q);
}

// Derivatives of p by (turn about three axes, weights), Q <- Q exp(turn).         (count x 3n)
static void derive(const lab_example_set *set, const lab_example_fit *fit, double *jacobian) {
  int width = 3 * set->n;
  for (int a = 0; a < 3; a++) // row r of p W_a = p_r x e_a, turned the other way round
    for (int r = 0; r < set->n; r++) {
      double *out = jacobian + a * width + 3 * r;
      out[a] = 0;
      out[(a + 1) % 3] = fit->p[3 * r + (a + 2) % 3];
      out[(a + 2) % 3] = -fit->p[3 * r + (a + 1) % 3];
    }
  for (int k = 0; k < set->ndirection; k++)
    rotate(set->n, set->direction + 9 * k, fit->q, jacobian + (3 + k) * width);
}

// row . W_a W_b, the two turns in sequence, against `by`
static double turn_twice(const double *row, int a, int b, const double *by) {
  double once[3] = {0};
  once[(a + 1) % 3] = row[(a + 2) % 3];
  once[(a + 2) % 3] = -row[(a + 1) % 3];
  return once[(b + 2) % 3] * by[(b + 1) % 3] - once[(b + 1) % 3] * by[(b + 2) % 3];
}

// Hessian and gradient of |D - p|^2 / 2 by (turn, weights).
static void second_order(const lab_example_set *set, const double *d, const lab_example_fit *fit,
                         double *jacobian, double *hessian, double *gradient) {
  int width = 3 * set->n, count = 3 + set->ndirection;
  double r[9];
  for (int i = 0; i < width; i++) r[i] = d[i] - fit->p[i];
  derive(set, fit, jacobian);
  for (int a = 0; a < count; a++) {
    gradient[a] = -dot(width, r, jacobian + a * width);
    for (int b = 0; b < count; b++)
      hessian[a * count + b] = dot(width, jacobian + a * width, jacobian + b * width);
  }
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++)
      for (int i = 0; i < set->n; i++)
        hessian[a * count + b] -= (turn_twice(fit->p + 3 * i, a, b, r + 3 * i) +
                                   turn_twice(fit->p + 3 * i, b, a, r + 3 * i)) /
                                  2;
    for (int k = 3; k < count; k++) { // (N Q) W_a
      double mixed = 0;
      for (int i = 0; i < set->n; i++) {
        const double *row = jacobian + k * width + 3 * i;
        mixed +=
            row[(a + 2) % 3] * r[3 * i + (a + 1) % 3] - row[(a + 1) % 3] * r[3 * i + (a + 2) % 3];
      }
      hessian[a * count + k] -= mixed;
      hessian[k * count + a] -= mixed;
    }
  }
}

// Q <- Q exp(W(turn)): every row of Q is turned by -turn.
static void turn_by(double *q, const double *turn) {
  double angle = sqrt(dot(3, turn, turn)), w[9] = {0}, ww[9], turned[9], e[9];
  for (int a = 0; a < 3; a++) { // e_j' W_a as in `derive`
    w[3 * ((a + 2) % 3) + (a + 1) % 3] = turn[a];
    w[3 * ((a + 1) % 3) + (a + 2) % 3] = -turn[a];
  }
  mi_mat3_multiply(w, w, ww);
  double s = angle > 1e-8 ? sin(angle) / angle : 1, h = sin(angle / 2);
  double c = angle > 1e-8 ? 2 * h * h / (angle * angle) : 0.5;
  for (int i = 0; i < 9; i++) e[i] = (i % 4 == 0) + s * w[i] + c * ww[i];
  mi_mat3_multiply(q, e, turned);
  mi_mat3_rotation(turned, q); // rounding must not add up
}

// Newton's method with a damping that keeps every step downhill (Levenberg and Marquardt). Close to
// the end the distance no longer tells steps apart; the gradient does.
static void finish(const lab_example_set *set, const double *d, lab_example_fit *fit) {
  int count = 3 + set->ndirection;
  double scale = 1 + dot(3 * set->n, d, d), damping = 1e-3 * scale;
  double jacobian[MOST_UNKNOWNS * 9];
  struct {
    double hessian[MOST_UNKNOWNS * MOST_UNKNOWNS], gradient[MOST_UNKNOWNS], steepness;
  } here, there;
  second_order(set, d, fit, jacobian, here.hessian, here.gradient);
  here.steepness = dot(count, here.gradient, here.gradient);
  for (int i = 0; i < MOST_STEPS && damping < 1e12 * scale; i++) {
    lab_example_fit next = *fit;
    double a[MOST_UNKNOWNS * MOST_UNKNOWNS], step[MOST_UNKNOWNS];
    if (here.steepness <= 1e-30 * scale * scale) break;
    memcpy(a, here.hessian, sizeof a);
    for (int k = 0; k < count; k++) {
      step[k] = -here.gradient[k];
      a[k * count + k] += damping;
    }
    bool is_better = false;
    if (mi_small_solve(count, a, 1, step) && isfinite(dot(count, step, step))) {
      turn_by(next.q, step);
      for (int k = 0; k < set->ndirection; k++) next.v[k] += step[3 + k];
      place(set, d, &next);
      second_order(set, d, &next, jacobian, there.hessian, there.gradient);
      there.steepness = dot(count, there.gradient, there.gradient);
      double gain = fit->distance - next.distance;
      is_better =
          gain > 1e-13 * scale || (gain > -1e-13 * scale && there.steepness < here.steepness);
    }
    damping = is_better ? damping * 1e-2 : fmax(damping * 8, 1e-9 * scale);
    if (!is_better && here.steepness <= 1e-24 * scale * scale) break; // as flat as rounding allows
    if (!is_better) continue;
    *fit = next;
    here = there;
  }
}

// The start with the `code`-th of 48 signed permutations between the axes; false for reflections.
static bool start_at(const lab_example_set *set, const mi_stretch *t, int code,
                     lab_example_fit *fit) {
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  double c[9] = {0}, u[9] = {0}, uc[9];
  for (int k = 0; k < 3; k++) c[3 * k + order[code / 8][k]] = code >> k & 1 ? -1 : 1;
  for (int i = 0; i < set->n * set->n; i++) u[3 * (i / set->n) + i % set->n] = t->u[i];
  if (set->n == 2) u[8] = 1;
  if (mi_mat3_det(c) * mi_mat3_det(u) < 0) return false;
  mi_mat3_multiply(u, c, uc);
  mi_mat3_multiply_transposed(uc, t->v, fit->q); // Q = U C V'
  return true;
}

// On its way to one of the members that are finished already.
static bool is_same(const lab_example_set *set, const lab_example_fit *fit,
                    const lab_example_fit *finished, int count) {
  for (int k = 0; k < count; k++) {
    double apart = 0, size = 0;
    for (int i = 0; i < 3 * set->n; i++) {
      apart += (fit->p[i] - finished[k].p[i]) * (fit->p[i] - finished[k].p[i]);
      size += fit->p[i] * fit->p[i];
    }
    if (apart <= 1e-6 * size) return true;
  }
  return false;
}

void lab_example_fit_closest(const lab_example_set *set, const mi_stretch *stretch,
                             lab_example_fit *fit) {
  lab_example_fit kept[NKEEP];
  const double *d = stretch->d;
  int nkept = 0;
  for (int code = 0; code < 48; code++) {
    lab_example_fit trial = {0};
    if (!start_at(set, stretch, code, &trial)) continue;
    for (int i = 0; i < NALTERNATE; i++) {
      fit_weights(set, d, &trial);
      fit_rotation(set, d, &trial);
    }
    fit_weights(set, d, &trial);
    place(set, d, &trial);
    int at = nkept; // insert in order of distance
    while (at > 0 && kept[at - 1].distance > trial.distance) at--;
    if (at == NKEEP) continue;
    if (nkept < NKEEP) nkept++;
    memmove(kept + at + 1, kept + at, sizeof *kept * (size_t)(nkept - 1 - at));
    kept[at] = trial;
  }
  for (int i = 0; i < nkept; i++) {
    if (i > 0 && is_same(set, kept + i, kept, i)) continue;
    finish(set, d, kept + i);
    if (i == 0 || kept[i].distance < fit->distance) *fit = kept[i];
  }
}

void lab_example_fit_derive(const lab_example_set *set, const double *d, const lab_example_fit *fit,
                            double *derivative) {
  int width = 3 * set->n, count = 3 + set->ndirection;
  double jacobian[MOST_UNKNOWNS * 9], hessian[MOST_UNKNOWNS * MOST_UNKNOWNS];
  double gradient[MOST_UNKNOWNS], solved[MOST_UNKNOWNS * 9];
  second_order(set, d, fit, jacobian, hessian, gradient);
  memcpy(solved, jacobian, sizeof solved);
  // dp/dD = J' H^-1 J; H is singular only where two closest members meet
  if (!mi_small_solve(count, hessian, width, solved)) memset(solved, 0, sizeof solved);
  for (int i = 0; i < width; i++)
    for (int j = 0; j < width; j++) {
      double sum = 0;
      for (int k = 0; k < count; k++)
        sum += jacobian[k * width + i] * solved[k * width + j] +
               jacobian[k * width + j] * solved[k * width + i];
      derivative[i * width + j] = sum / 2;
    }
}
