#include "exact.h"

#include <math.h>

enum { MOST_TERMS = 64 };

// A sum of doubles that do not overlap, smallest first.
typedef struct expansion {
  int count;
  double term[MOST_TERMS];
} expansion;

// Shewchuk, GROW-EXPANSION: adds one double exactly.
static void grow(expansion *e, double b) {
  int count = 0;
  double q = b;
  for (int i = 0; i < e->count; i++) {
    double a = e->term[i], sum = q + a, part = sum - q;
    double error = (q - (sum - part)) + (a - part);
    q = sum;
    if (error != 0) e->term[count++] = error;
  }
  if (q != 0) e->term[count++] = q;
  e->count = count;
}

// the largest part decides
static int sign(const expansion *e) {
  if (e->count == 0) return 0;
  return e->term[e->count - 1] > 0 ? 1 : -1;
}

// s a b c, s = 1 or -1
static void add_product(expansion *e, double s, float a, float b, float c) {
  double ab = s * (double)a * (double)b, high = ab * (double)c;
  grow(e, fma(ab, (double)c, -high));
  grow(e, high);
}

// s times the determinant of three rows
static void add_determinant(expansion *e, double s, const float *a, const float *b,
                            const float *c) {
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, m = (k + 2) % 3;
    add_product(e, s, a[k], b[l], c[m]);
    add_product(e, -s, a[k], b[m], c[l]);
  }
}

int exact_side_3d(const float a[3], const float b[3], const float c[3], const float d[3]) {
  // in double first; each difference is right to half a bit, so is what follows to a few
  double u[3], v[3], w[3], det = 0, size = 0;
  for (int k = 0; k < 3; k++) {
    u[k] = (double)b[k] - (double)a[k];
    v[k] = (double)c[k] - (double)a[k];
    w[k] = (double)d[k] - (double)a[k];
  }
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, m = (k + 2) % 3;
    det += w[k] * (u[l] * v[m] - u[m] * v[l]);
    size += fabs(w[k]) * (fabs(u[l] * v[m]) + fabs(u[m] * v[l]));
  }
  if (fabs(det) > 1e-14 * size && size > 1e-250) return det > 0 ? 1 : -1;
  // det(b, c, d) - det(a, c, d) + det(a, b, d) - det(a, b, c)
  expansion e = {.count = 0};
  add_determinant(&e, 1, b, c, d);
  add_determinant(&e, -1, a, c, d);
  add_determinant(&e, 1, a, b, d);
  add_determinant(&e, -1, a, b, c);
  return sign(&e);
}

int exact_side_2d(const float a[3], const float b[3], const float c[3], int drop) {
  int x = (drop + 1) % 3, y = (drop + 2) % 3;
  const float *p[4] = {a, b, c, a};
  double ux = (double)b[x] - (double)a[x], uy = (double)b[y] - (double)a[y];
  double vx = (double)c[x] - (double)a[x], vy = (double)c[y] - (double)a[y];
  double det = ux * vy - uy * vx, size = fabs(ux * vy) + fabs(uy * vx); // in double first
  if (fabs(det) > 1e-14 * size && size > 1e-250) return det > 0 ? 1 : -1;
  expansion e = {.count = 0};
  for (int i = 0; i < 3; i++) { // a x b + b x c + c x a; products of two floats are exact
    grow(&e, (double)p[i][x] * (double)p[i + 1][y]);
    grow(&e, -((double)p[i][y] * (double)p[i + 1][x]));
  }
  return sign(&e);
}
