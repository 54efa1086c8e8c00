// The constant matrix of projective dynamics: one number per pair of vertices.
#ifndef MI_STIFFNESS_H
#define MI_STIFFNESS_H

#include "math/vec.h"
#include "sparse/sparse.h"

// Z_ij = d_i [i = j] + sum over tetrahedra (a_t + b_t) g_i . g_j, with g_i the gradient of corner
// i's shape function: the Hessian of sum a_t / 2 |F_t - T_t|^2 + b_t / 2 |F_t - P_t|^2 with T and P
// held (Bouaziz et al. 2014, eq. 10; the weights already contain the rest volume), plus a diagonal
// (mass / h^2, attachment).
typedef struct mi_stiffness_def {
  int nvert, ntet;
  const int32_t *tets;    //                                                         (ntet x 4)
  const float *rest;      // m                                                       (nvert x 3)
  const float *weight_a;  // N m                                                     (ntet)
  const float *weight_b;  // N m; NULL = none                                        (ntet)
  const double *diagonal; // d_i, N / m; NULL = none                                 (nvert)
} mi_stiffness_def;

// Both triangles, columns ascending, every diagonal entry present. Flat tetrahedra add nothing.
// False when memory ends.
bool mi_stiffness_assemble(const mi_stiffness_def *def, mi_arena *arena, mi_csr *out);

// Gradients of the four shape functions, 1 / m; false for a flat tetrahedron.
bool mi_tet_gradients(const float *rest, const int32_t *tet, mi_vec3 g[4]);

#endif
