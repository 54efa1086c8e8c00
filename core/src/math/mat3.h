// 3x3 matrices in double, row-major: entry (row, column) is at [3 * row + column]. For what is
// computed once, and for the reference that the SIMD code (math/svd3.h) is checked against.
#ifndef MI_MAT3_H
#define MI_MAT3_H

#include <stdbool.h>

// Outputs must not overlap inputs.
void mi_mat3_multiply(const double a[9], const double b[9], double out[9]);            // A B
void mi_mat3_multiply_transposed(const double a[9], const double b[9], double out[9]); // A B'
void mi_mat3_transpose(const double a[9], double out[9]);
double mi_mat3_det(const double a[9]);
// False, with `out` untouched, when A has no finite inverse.
bool mi_mat3_invert(const double a[9], double out[9]);

// A = U diag(s) V' with U and V rotations, s0 >= s1 >= |s2|; s2 < 0 exactly when det A < 0. Robust
// for zero, rank one and two, inverted, huge and denormal input (one-sided Jacobi).
void mi_mat3_svd(const double a[9], double u[9], double s[3], double v[9]);
// The rotation closest to A: the rotation of the polar decomposition, also when det A < 0.
void mi_mat3_rotation(const double a[9], double r[9]);

// The same for two rows of three, a triangle's deformation gradient transposed:
// A = U diag(s) (first two columns of V)', U orthogonal 2x2, V a rotation, s0 >= s1 >= 0.
void mi_mat23_svd(const double a[6], double u[4], double s[2], double v[9]);

#endif
