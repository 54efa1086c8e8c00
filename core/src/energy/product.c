// Bouaziz, D.3, without the printed iteration (D.5), which may stop at a point that is not the
// closest one.
//
// The closest values t to s with product c > 0 satisfy t_i^2 - s_i t_i + m = 0 for one m shared by
// all (Lagrange). Its larger root is t_i = (s_i + sqrt(s_i^2 - 4 m)) / 2. In y_i = log t_i the
// constraint is linear and the second derivative of the distance is t_i (2 t_i - s_i) each, which
// is negative on the smaller root: a minimum has at most one of those, and comparing roots shows
// that it must be at the smallest s_i. This leaves one curve to search:
//   product of s < c: m < 0, all on the larger root, the product grows with -m: one solution;
//   product of s > c: m = z (s_last - z) for z = t_last in (0, s_last], the others on the larger
//   root. Going to zero, the product need not fall all the way, so that solutions far apart have to
//   be compared (strong compression only: from about a seventh of the volume).
#include "energy/product.h"

#include "math/small.h"

#include <math.h>
#include <string.h>

enum { NPROBE = 64 };

// The larger root of t^2 - s t + m = 0, with root = sqrt(s^2 - 4 m); no cancellation for s < 0
// (then m < 0).
static double larger_root(double s, double m, double root) {
  return s >= 0 ? (s + root) / 2 : -2 * m / (root - s);
}

// Values at parameter q of the curve, and their product. Growing: q = -m; shrinking: q = t_last.
static double follow(int n, const double *s, bool is_growing, double q, double *t) {
  double last = s[n - 1], m = is_growing ? -q : q * (last - q), product = 1;
  for (int k = 0; k < n; k++) {
    // s^2 - 4 m; when shrinking in a form that stays exact where it is close to zero
    double square = is_growing ? s[k] * s[k] + 4 * q
                               : (s[k] - last) * (s[k] + last) + (last - 2 * q) * (last - 2 * q);
    t[k] = !is_growing && k == n - 1 ? q : larger_root(s[k], m, sqrt(square));
    product *= t[k];
  }
  return product;
}

// Where the product passes `product` between a (not above it) and b (not below it).
static void bisect(int n, const double *s, bool is_growing, double product, double ab[2],
                   double *t) {
  for (int i = 0; i < 1100; i++) {
    double middle = ab[0] + (ab[1] - ab[0]) / 2;
    if (middle == ab[0] || middle == ab[1]) break;
    ab[follow(n, s, is_growing, middle, t) < product ? 0 : 1] = middle;
  }
  follow(n, s, is_growing, ab[1], t);
}

static void grow(int n, const double *s, double product, double *closest) {
  double ab[2] = {0, pow(product, 2.0 / n)};
  for (int i = 0; i < 1100 && follow(n, s, true, ab[1], closest) < product; i++) {
    ab[0] = ab[1];
    ab[1] *= 4;
  }
  bisect(n, s, true, product, ab, closest);
}

static void shrink(int n, const double *s, double product, double *closest) {
  double least = INFINITY, t[3], last = s[n - 1];
  double after = follow(n, s, false, last, t) - product;
  for (int j = NPROBE - 1; j >= 0; j--) {
    double z = last * j / NPROBE;
    double here = follow(n, s, false, z, t) - product;
    if ((here < 0) != (after < 0)) {
      double ab[2] = {here < 0 ? z : last * (j + 1) / NPROBE,
                      here < 0 ? last * (j + 1) / NPROBE : z};
      double distance = 0;
      bisect(n, s, false, product, ab, t);
      for (int k = 0; k < n; k++) distance += (t[k] - s[k]) * (t[k] - s[k]);
      if (distance < least) memcpy(closest, t, sizeof *t * (size_t)n);
      least = fmin(least, distance);
    }
    after = here;
  }
}

void mi_product_closest(int n, const double *s, double product, double *closest) {
  double now = 1;
  for (int k = 0; k < n; k++) now *= closest[k] = s[k];
  if (now < product)
    grow(n, s, product, closest);
  else if (now > product)
    shrink(n, s, product, closest);
}

// Closest values, and true when the product was out of bounds.
static bool clamp_product(const mi_stencil *stencil, const mi_stretch *stretch, double *closest) {
  double now = 1;
  for (int k = 0; k < stretch->n; k++) now *= closest[k] = stretch->s[k];
  double wanted = fmin(stencil->parameter[1], fmax(stencil->parameter[0], now));
  if (now == wanted && stencil->parameter[0] < stencil->parameter[1]) return false;
  mi_product_closest(stretch->n, stretch->s, wanted, closest);
  return true;
}

void mi_product_reduce(const mi_stencil *stencil, const double *x, double *gx, double *p) {
  double closest[3];
  mi_stretch stretch;
  mi_stretch_of(stencil, x, &stretch);
  memcpy(gx, stretch.d, sizeof(double) * 3 * (size_t)stretch.n);
  if (clamp_product(stencil, &stretch, closest))
    mi_stretch_compose(&stretch, closest, p);
  else
    memcpy(p, gx, sizeof(double) * 3 * (size_t)stretch.n);
}

// dt/ds by differentiating  t - s + kappa c(t) = 0  and  c . dt = 0  with c = gradient of the
// product:  [I + kappa C, c; c', 0] [dt; dkappa] = [ds; 0].                        (n x n)
static void differentiate(int n, const double *t, double kappa, double *dt) {
  double a[16] = {0}, b[12] = {0}, product = 1;
  int m = n + 1;
  for (int k = 0; k < n; k++) product *= t[k];
  for (int i = 0; i < n; i++) {
    a[i * m + i] = b[i * n + i] = 1;
    a[i * m + n] = a[n * m + i] = product / t[i];
    for (int j = 0; j < n; j++)
      if (i != j) a[i * m + j] = kappa * product / (t[i] * t[j]);
  }
  // singular only where two minima meet or split; there the Hessian has no value
  if (!mi_small_solve(m, a, n, b)) memset(b, 0, sizeof b);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) dt[i * n + j] = (b[i * n + j] + b[j * n + i]) / 2;
}

// a / b, with b kept from zero
static double divide(double a, double b) {
  return a / copysign(fmax(fabs(b), 1e-12), b);
}

void mi_product_hessian(const mi_stencil *stencil, const double *x, bool project, double *hessian) {
  double t[3], dt[9], w = stencil->weight;
  mi_stretch stretch;
  mi_curvature curvature = {0};
  mi_stretch_of(stencil, x, &stretch);
  int n = stretch.n;
  if (!clamp_product(stencil, &stretch, t)) {
    memset(hessian, 0, sizeof *hessian * (size_t)(9 * stencil->nvert * stencil->nvert));
    return;
  }
  // s_i - t_i = kappa c_i, c_i = product of the others; the largest t is the safest to read it from
  double others = n == 3 ? t[1] * t[2] : t[1];
  double kappa = (stretch.s[0] - t[0]) / others;
  differentiate(n, t, kappa, dt);
  for (int i = 0; i < n; i++) {
    curvature.first[i] = w * (stretch.s[i] - t[i]);
    for (int j = 0; j < n; j++) curvature.second[i * n + j] = w * ((i == j) - dt[i * n + j]);
  }
  // first_i -+ first_j and s_i -+ s_j share the factor t_i -+ t_j, so that nothing is divided by 0
  for (int k = n == 3 ? 0 : 2; k < 3; k++) {
    double bend = kappa * (n == 3 ? t[k] : 1);
    curvature.twist[k] = w * divide(bend, 1 + bend);
    curvature.flip[k] = -w * divide(bend, 1 - bend);
  }
  for (int i = 0; n == 2 && i < 2; i++)
    curvature.lift[i] = divide(curvature.first[i], stretch.s[i]);
  mi_simplex_hessian(stencil, &stretch, &curvature, project, hessian);
}
