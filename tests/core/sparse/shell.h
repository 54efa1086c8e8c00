// A bumpy two-layered shell of prisms, three tetrahedra each: the kind of matrix a face gives.
#ifndef SHELL_H
#define SHELL_H

#include "scenes/scene.h"
#include "sparse/spd.h"

typedef struct shell {
  mi_arena arena;
  int side, nvert, nfront;
  mi_csr a; // ordered: the first rows are the shell's, from nfront on is a rectangle in its middle
} shell;
// side x side x 2 vertices. With `region` the rectangle is ordered last, else nfront = nvert.
shell shell_create(int side, bool region);
void shell_free(shell *s);

// A random right-hand side, rows of four with 0 at the end.
float *shell_random(mi_arena *arena, int nvert, uint64_t seed);

// (A + sum w c c') in full, row-major.
double *dense_matrix(mi_arena *arena, const mi_csr *a, const mi_lowrank_rows *lowrank_rows);
// Solves in place of b (n x 3), destroying the matrix: Gaussian elimination.
void dense_solve(double *matrix, int n, double *b);
// |b - (A + sum w c c') x| / |b|
double relative_residual(const mi_csr *a, const mi_lowrank_rows *lowrank_rows, const float *b,
                         const float *x);
// max |x - expected| / max |expected| against a dense solve
double dense_error(mi_arena *arena, const mi_csr *a, const mi_lowrank_rows *lowrank_rows,
                   const float *b, const float *x);

#endif
