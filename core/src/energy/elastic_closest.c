// The closest diagonal matrix of a given determinant, carefully and one at a time: for the lanes
// where the quick way of elastic_project.h gives up.
//
// Lagrange: s_i^2 - sigma_i s_i = mu for all i, one mu. s_i = (sigma_i + sqrt(sigma_i^2 + 4 mu)) /
// 2 except that the smallest may take the other root when mu < 0 (two of them never at a minimum).
#include "energy/elastic_layout.h"

#include <math.h>

enum { SAMPLES = 32, STEPS = 100 };

// mu >= 0: the product grows with mu and the problem is convex
static double grown(const double sigma[3], double mu, double s[3]) {
  for (int i = 0; i < 3; i++) {
    double root = sqrt(sigma[i] * sigma[i] + 4 * mu);
    s[i] = sigma[i] >= 0 ? (sigma[i] + root) / 2 : 2 * mu / (root - sigma[i]);
  }
  return s[0] * s[1] * s[2];
}

static void grow(const double sigma[3], double product, double s[3]) {
  double low = 0, high = cbrt(product) * cbrt(product);
  for (int i = 0; i < 1100 && grown(sigma, high, s) < product; i++) high *= 2;
  for (int i = 0; i < STEPS && low < high; i++) {
    double middle = low > 0 && high > 4 * low ? sqrt(low * high) : (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (grown(sigma, middle, s) < product)
      low = middle;
    else
      high = middle;
  }
  grown(sigma, high, s);
}

// by the smallest value x = s2 in (0, sigma2]: mu = x^2 - sigma2 x <= 0 covers both of its roots
static double shrunk(const double sigma[3], double x, double s[3]) {
  double rest = sigma[2] - 2 * x;
  for (int i = 0; i < 2; i++)
    s[i] = (sigma[i] + sqrt((sigma[i] - sigma[2]) * (sigma[i] + sigma[2]) + rest * rest)) / 2;
  s[2] = x;
  return s[0] * s[1] * x;
}

static double distance(const double a[3], const double b[3]) {
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

static void shrink(const double sigma[3], double product, double s[3]) {
  // the product is at most x sigma0 sigma1, so no root lies below `first`; local minima are where
  // the product rises through its target
  double first = 0.999999 * product / (sigma[0] * sigma[1]),
         ratio = pow(sigma[2] / first, 1.0 / SAMPLES);
  double best = INFINITY, trial[3], from = first;
  for (int n = 1; n <= SAMPLES; n++) {
    double to = n == SAMPLES ? sigma[2] : from * ratio, low = from, high = to;
    from = to;
    if (shrunk(sigma, low, trial) > product || shrunk(sigma, high, trial) < product) continue;
    for (int i = 0; i < STEPS; i++) {
      double middle = (low + high) / 2;
      if (middle <= low || middle >= high) break;
      if (shrunk(sigma, middle, trial) < product)
        low = middle;
      else
        high = middle;
    }
    shrunk(sigma, high, trial);
    double far = distance(trial, sigma);
    if (far >= best) continue;
    best = far;
    for (int i = 0; i < 3; i++) s[i] = trial[i];
  }
}

void mi_closest_diagonal(const double sigma[3], double product, double s[3]) {
  // a negative determinant is the mirror image of a positive one
  double sign = product < 0 ? -1 : 1, target = fabs(product);
  double mirrored[3] = {sigma[0], sigma[1], sign * sigma[2]};
  double now = mirrored[0] * mirrored[1] * mirrored[2];
  for (int i = 0; i < 3; i++) s[i] = mirrored[i];
  if (!(target > 0))
    s[2] = 0;
  else if (now < target || !(mirrored[2] > 0))
    grow(mirrored, target, s);
  else if (now > target)
    shrink(mirrored, target, s);
  s[2] *= sign;
}
