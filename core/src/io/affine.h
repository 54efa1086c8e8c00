// Affine transforms of nodes, in double: p -> M p + t, rows (M | t).
#ifndef MI_AFFINE_H
#define MI_AFFINE_H

#include "base/base.h"

#include <math.h>
#include <string.h>

typedef struct mi_affine {
  double m[3][4];
} mi_affine;

static inline mi_affine mi_affine_identity(void) {
  return (mi_affine){.m = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
}

static inline bool mi_affine_is_identity(const mi_affine *a) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      if (a->m[i][j] != (i == j)) return false;
  return true;
}

// a after b
static inline mi_affine mi_affine_multiply(const mi_affine *a, const mi_affine *b) {
  mi_affine c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j] +
                  (j == 3 ? a->m[i][3] : 0);
  return c;
}

static inline double mi_affine_determinant(const mi_affine *a) {
  const double(*m)[4] = a->m;
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// False when it cannot be undone.
static inline bool mi_affine_invert(const mi_affine *a, mi_affine *inverse) {
  double det = mi_affine_determinant(a);
  if (!(fabs(det) > 1e-300) || !isfinite(det)) return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int r0 = (j + 1) % 3, r1 = (j + 2) % 3, c0 = (i + 1) % 3, c1 = (i + 2) % 3;
      inverse->m[i][j] = (a->m[r0][c0] * a->m[r1][c1] - a->m[r0][c1] * a->m[r1][c0]) / det;
    }
  for (int i = 0; i < 3; i++) {
    inverse->m[i][3] = 0;
    for (int k = 0; k < 3; k++) inverse->m[i][3] -= inverse->m[i][k] * a->m[k][3];
  }
  return true;
}

// Translate after rotate (unit quaternion x y z w) after scale.
static inline mi_affine mi_affine_from_trs(const double t[3], const double q[4],
                                           const double s[3]) {
  double x = q[0], y = q[1], z = q[2], w = q[3];
  const double r[3][3] = {
      {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
  };
  mi_affine a;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) a.m[i][j] = r[i][j] * s[j];
    a.m[i][3] = t[i];
  }
  return a;
}

// `w` is 1 for a place, 0 for a difference of places.
static inline void mi_affine_apply(const mi_affine *a, const float from[3], double w, float to[3]) {
  double x = from[0], y = from[1], z = from[2];
  for (int i = 0; i < 3; i++)
    to[i] = (float)(a->m[i][0] * x + a->m[i][1] * y + a->m[i][2] * z + w * a->m[i][3]);
}

#endif
