// The reference of `mien bench`, kept honest and simple on purpose: Projective Dynamics as in the
// textbook, in double, with a factor of CHOLMOD made once and a scalar singular value
// decomposition per tetrahedron and iteration, on as many threads as ours. The energies are those
// of solve/evaluate.c and energy/elastic.h, written down a second time, so that it also measures
// how far from the minimum any other solver is.
#ifndef MIEN_LAB_TEXTBOOK_H
#define MIEN_LAB_TEXTBOOK_H

#include "solve/solver.h"
#include "sparse/cholesky.h"

typedef struct textbook textbook;

typedef struct textbook_def { // all arrays are copied
  int nvert, ntet, threads;
  const float *rest;    // m                                                         (nvert x 3)
  const int32_t *tets;  //                                                           (ntet x 4)
  const float *strain;  // N m                                                       (ntet)
  const float *volume;  // N m                                                       (ntet)
  const float *inertia; // m / h^2, N / m                                            (nvert)
  const float *attach_stiffness; // N / m (nvert)
} textbook_def;

// NULL when memory ends.
textbook *textbook_create(const textbook_def *def);
// The elements of a state's solver, in its order; strain and volume lie behind rest. False when
// memory ends; free them in any case.
typedef struct textbook_elements {
  float *rest, *strain, *volume;
  int32_t *tets;
} textbook_elements;
bool textbook_find_elements(const mien_state *state, textbook_elements *out);
void textbook_free_elements(textbook_elements *elements);
// The same body as a state's solver, in the solver's order.
textbook *textbook_of_state(const mien_state *state);
void textbook_free(textbook *t);

// The minimisation problem of one frame. Vectors have four floats a vertex, as in mi_solver;
// copied.
typedef struct textbook_frame {
  const float *predicted, *anchor; // (nvert x 4)
  const float *posed;              // (nvert x 4), or NULL: targets are the rest state
  mi_lowrank_rows lowrank_rows;    // borrowed
  const float *pull_target;        // (npull x 3), borrowed
} textbook_frame;
void textbook_set_frame(textbook *t, const textbook_frame *frame);

// Factors the matrix of the frame: inertia, hold, elastic and the pulls of the frame. The analysis
// is made when the pattern changed and is not part of *seconds. False without CHOLMOD.
bool textbook_factor(textbook *t, bool with_pulls, double *seconds);
// s = A^-1 q, four floats a vertex.
void textbook_apply_inverse(textbook *t, const float *q, float *s);
// Local step, global step, so many times; x has three doubles a vertex.
void textbook_iterate(textbook *t, int iterations, double *x);

// E(x) in double and, unless NULL, its gradient (nvert x 3).
double textbook_energy(textbook *t, const double *x, double *gradient);
void textbook_to_double(int nvert, const float *x, double *out); // (nvert x 4) -> (nvert x 3)
const mi_csr *textbook_matrix(const textbook *t);                // without pulls

// textbook_newton.c: Newton's method with the full Hessian, made positive definite element by
// element, and a line search. Calls `seen` after every iteration with the iterate.
typedef void textbook_seen_fn(void *user, int iteration, const double *x);
bool textbook_newton(textbook *t, int iterations, double *x, textbook_seen_fn *seen, void *user);

// textbook_svd.c: A = U diag(s) V', U and V rotations, row-major, by Jacobi on A'A
void textbook_svd(const double a[9], double u[9], double s[3], double v[9]);

#endif
