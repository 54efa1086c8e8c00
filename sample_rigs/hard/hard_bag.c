// A mouth bag without room: behind the lips it is two sheets a fraction of a millimetre apart,
// which hang on the inner lips and move with them, less the deeper they are.
#include "hard_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct curve { // c[0] + c[1] x^2
  double c[2];
} curve;

static double at(const curve *f, double x) {
  return f->c[0] + f->c[1] * x * x;
}

static bool is_rim(const hard_mesh *m, int i) {
  return m->bag[i] > 0.5f && m->upper[i] + m->lower[i] > 0.75f;
}

static bool is_bag(const hard_mesh *m, int i) {
  return m->bag[i] > 0.5f && !is_rim(m, i);
}

// A coordinate of the inner lips over x, by least squares.
static curve fit_rim(const hard_mesh *m, int axis) {
  double n = 0, x2 = 0, x4 = 0, y = 0, x2y = 0;
  for (int i = 0; i < m->nskin; i++) {
    if (!is_rim(m, i)) continue;
    double q = (double)m->position[3 * i] * (double)m->position[3 * i];
    double value = m->position[3 * i + axis];
    n++;
    x2 += q;
    x4 += q * q;
    y += value;
    x2y += q * value;
  }
  double det = n * x4 - x2 * x2;
  return (curve){{(y * x4 - x2 * x2y) / det, (n * x2y - x2 * y) / det}};
}

// For every vertex of the bag the steps to the inner lips and where they end; returns the most.
static int measure(const hard_mesh *m, int *steps, int *root) {
  int most = 0;
  for (int i = 0; i < m->nskin; i++) {
    steps[i] = is_rim(m, i) ? 0 : 1000;
    root[i] = i;
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (int k = 0; k < 6 * m->nskin_tri; k++) {
      const int32_t *v = m->tri + 3 * (k / 6);
      int a = v[k % 3], b = v[(k % 6 < 3 ? k + 1 : k + 2) % 3];
      if (!is_bag(m, b) || steps[a] + 1 >= steps[b]) continue;
      steps[b] = steps[a] + 1;
      root[b] = root[a];
      changes = true;
    }
  }
  for (int i = 0; i < m->nskin; i++)
    if (is_bag(m, i) && steps[i] < 1000 && steps[i] > most) most = steps[i];
  return most;
}

static void flatten(hard_mesh *m, int i, int root, double deep, const curve fit[2]) {
  static const double ROOM = 0.0004, DEPTH = 0.014, NARROW = 0.8; // m, m, share
  float *p = m->position + 3 * i;
  double x = p[0] * NARROW * (1 - 0.2 * deep);
  double side = fmax(-1, fmin(1, (p[1] - at(fit, 0)) / 0.008));
  p[0] = (float)x;
  p[1] = (float)(at(fit, x) + ROOM * side);
  p[2] = (float)(at(fit + 1, x) - DEPTH * deep);
  for (int s = 0; s < m->nshape; s++)
    for (int k = 0; k < 3; k++)
      m->delta[s][3 * i + k] = (float)((1 - 0.7 * deep) * m->delta[s][3 * root + k]);
}

// Where the roots of neighbours are far apart the sheets would tear into each other.
static bool smooth(hard_mesh *m, int rounds) {
  size_t count = 3 * (size_t)m->nskin;
  double *sum = malloc(count * sizeof *sum);
  int *n = malloc((size_t)m->nskin * sizeof *n);
  for (int s = 0; sum && n && s < m->nshape * rounds; s++) {
    float *delta = m->delta[s / rounds];
    memset(sum, 0, count * sizeof *sum);
    memset(n, 0, (size_t)m->nskin * sizeof *n);
    for (int k = 0; k < 6 * m->nskin_tri; k++) {
      const int32_t *v = m->tri + 3 * (k / 6);
      int a = v[k % 3], b = v[(k % 6 < 3 ? k + 1 : k + 2) % 3];
      n[b]++;
      for (int c = 0; c < 3; c++) sum[3 * b + c] += (double)delta[3 * a + c];
    }
    for (int i = 0; i < m->nskin; i++)
      for (int c = 0; is_bag(m, i) && c < 3; c++) delta[3 * i + c] = (float)(sum[3 * i + c] / n[i]);
  }
  bool done = sum && n;
  free(sum);
  free(n);
  return done;
}

bool hard_thin_bag(hard_mesh *m) {
  int *steps = malloc((size_t)m->nskin * sizeof *steps);
  int *root = malloc((size_t)m->nskin * sizeof *root);
  if (steps && root) {
    const curve fit[2] = {fit_rim(m, 1), fit_rim(m, 2)};
    int most = measure(m, steps, root);
    for (int i = 0; i < m->nskin; i++)
      if (is_bag(m, i) && steps[i] < 1000) flatten(m, i, root[i], (double)steps[i] / most, fit);
  }
  bool done = steps && root && smooth(m, 6);
  free(steps);
  free(root);
  return done;
}

// Scanned faces have bags that nobody looked into: an open jaw leads them through teeth and gums.
void hard_lead_bag(hard_mesh *m, double by) {
  for (int i = 0; i < m->nskin; i++) {
    double side = fmax(-1, fmin(1, (double)m->position[3 * i] / 0.01));
    m->delta[m->jaw_open][3 * i] -= (float)((double)m->bag[i] * side * by);
  }
}
