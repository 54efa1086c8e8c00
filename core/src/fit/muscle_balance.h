// The flesh in balance with its muscles, and how the balance moves: x(a, S, b) with dE/dx = 0
// (Dinev, eq. 4.4b), so that fits have activations, shares and the jaw as their only unknowns.
//
//   K dx = - d(dE/dx)/da . da          K = the true Hessian of strain, volume and attachment there
//
// x is found by the real-time solver without inertia, K is factored by CHOLMOD (conjugate gradients
// where it is not built, or not positive definite), and serves forwards (columns of a Jacobian) and
// backwards (the adjoint of a distance).
#ifndef MI_MUSCLE_BALANCE_H
#define MI_MUSCLE_BALANCE_H

#include "energy/assemble.h"
#include "energy/muscle.h"
#include "math/vec.h"
#include "solve/solver.h"
#include "sparse/cholesky.h"

enum { MI_JAW = 5 }; // opening, turning to the left, x, y, z

// One face at work. Vertices are in solver order.
typedef struct mi_balance {
  const mien_face *face;
  mien_host host;
  mi_arena arena;
  mien_state *state;
  mi_solver *solver;
  mi_actuation actuation;
  int nvert, ntet, nmuscle, njaw; // njaw is 0 where the hinge is not known
  int nunknown;                   // 6 nmuscle + njaw, of an expression
  double settled;    // m: a balance whose next iteration moves no vertex farther is found; 0 = the
                     // gradient alone decides
  int nseen;         // skin vertices that targets speak of
  int32_t *seen;     // of them: skin vertices                               (nseen)
  int32_t *place;    // and their places in solver order                     (nseen)
  mi_vec3 *gradient; // of shape functions, 1 / m                         (ntet x 4)
  int32_t *user_first, *user; // entries of S by muscle                          (nmuscle + 1)
  int32_t *tet_of;            // of an entry                                         (nentry)
  mi_term *terms;
  int nterm;
  mi_assembly assembly;
  double *shapes; // scratch                                                            (ntet x 6)
} mi_balance;

// One expression: where the skin should be, and what brings it there.
typedef struct mi_expression {
  double *target;        // m                                                          (nseen x 3)
  double *weight;        // 1 = seen, 0 = not                                           (nseen)
  double total;          // of weights
  float *activation;     // minus 1                                                    (nmuscle x 6)
  double jaw[MI_JAW];    // rad, rad, m
  float *x;              // in balance                                                 (nvert x 4)
  mi_shape_slope *slope; // of tetrahedra                                             (ntet)
  mi_cholesky *factor;   // of K, or NULL
  double error;          // m, mean distance
  const float *shape;    // targets of tetrahedra (ntet x 6) instead of muscles, or NULL
} mi_expression;

mien_result mi_balance_create(const mien_face *face, const mien_host *host, mi_balance *b,
                              mien_error *err);
void mi_balance_free(mi_balance *b);
// An expression at rest without a target.
mien_result mi_expression_create(mi_balance *b, mi_expression *e, mien_error *err);
// Room for its factor again, after mi_expression_free.
void mi_expression_reserve(mi_balance *b, mi_expression *e);
void mi_expression_free(mi_expression *e);
// Takes a target: every vertex of the rig; NaN = not seen.
void mi_expression_aim(const mi_balance *b, mi_expression *e, const mien_f32s *target);

// e->error at x.
void mi_expression_measure(const mi_balance *b, mi_expression *e);
// x for the expression's activations and jaw, from where it is; then e->error.
void mi_balance_settle(mi_balance *b, mi_expression *e, int iterations);
// Slopes and K at x.
mien_result mi_balance_linearise(mi_balance *b, mi_expression *e, mien_error *err);
// K y = f for `width` right-hand sides (1 without a factor) side by side (3 nvert x width).
bool mi_balance_solve(mi_balance *b, const mi_expression *e, int width, const double *f, double *y);

// mm, skin minus target, times the root of weight / total (nseen x 3). Returns its square.
double mi_expression_residual(const mi_balance *b, const mi_expression *e, double *residual);

// Adds to f (stride `width`) the force that a unit of unknown k takes away: K dx = f.
void mi_balance_push(const mi_balance *b, const mi_expression *e, int unknown, int width,
                     double *f);
// The same for changes of all tetrahedra's targets (ntet x 6), and its transpose, for an adjoint y;
// then of shares (nentry), added to.
void mi_balance_push_shapes(const mi_balance *b, const mi_expression *e, const double *change,
                            double *f);
void mi_balance_pull_shapes(const mi_balance *b, const mi_expression *e, const double *y,
                            double *shapes);
void mi_balance_push_shares(const mi_balance *b, const mi_expression *e, const double *change,
                            double *f);
void mi_balance_pull_shares(const mi_balance *b, const mi_expression *e, const double *y,
                            double *share);

// muscle_jaw.c
mien_rigid mi_jaw_place(const mien_face *face, const double jaw[MI_JAW]);
mi_vec3 mi_jaw_move(const mien_face *face, const double jaw[MI_JAW], mi_vec3 p); // away from rest

#endif
