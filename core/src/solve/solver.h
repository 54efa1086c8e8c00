// The minimiser behind a step: E(x) = inertia + elastic + attachment + spring rows, from a start to
// (nearly) the minimum. Works on its own order of the vertices and on four floats a vertex.
#ifndef MI_SOLVER_H
#define MI_SOLVER_H

#include "energy/newton.h"
#include "math/kernels.h"
#include "solve/system.h"

struct mi_solver {
  mi_arena arena;
  mien_host host;
  const mien_face *face;
  mien_solver kind; // never AUTO, never KINEMATIC
  double dt;        // s, of the inertia: mi_integrate_span
  const struct mi_drive *drive;
  int nvert;
  // of the face, shared (system.h):
  const mi_operator *op;
  int nfront;     // vertices before the lips, in the solver's order
  int32_t *perm;  // place -> flesh vertex                                             (nvert)
  int32_t *iperm; // flesh vertex -> place                                             (nvert)
  double noise;   // J: what rounding of positions adds to or takes from the energy
  mi_csr matrix;  // of the operator
  // of this state:
  float *inertia; // m / h^2, N / m                                                   (nvert)
  float *attach_stiffness; // stiffness of the attachment, N / m (nvert)
  float *diagonal; // of the matrix with this inertia                                  (nvert)
  mi_elastic *elastic;
  struct mi_solver_materials *materials; // NULL = those of the neutral in every shape
  mi_local local;
  mi_factor *factor;            // or NULL
  mi_gauss_seidel *sweeper;     // or NULL
  mi_lbfgs *history;            // or NULL: plain steps
  mi_lowrank_rows lowrank_rows; // of this step
  const float *pull_target; // where each spring row should be                        (npull x 3)
  int nmore;                // spring rows after those that count in the energy, not in the matrix
  mi_lowrank_rows
      sweep_lowrank; // of sweeps: spring rows and rows of contacts; none = the spring rows
  const struct mi_actuation *actuation; // targets of muscles, or NULL
  float *force;      // N, constant in a step, or NULL: energy -force . x              (nvert x 4)
  void *driven;      // the drive's own, or NULL
  mi_newton *newton; // or NULL
  mi_background *background;    // makes the factor, or NULL
  double *sums;                 // of reductions, per chunk
  mi_energies at_start, at_end; // of the last descent
  bool has_compliance;          // the next:
  double compliance[16];        // m N: how the flesh gives way to a push, see energy.c
  bool is_posed;                // elements and materials are set to the current moment
  bool has_diverged;   // the flesh is far from its pose: minimise.c chooses the better start
  bool is_transported; // at_start is where the head carried the flesh
  bool is_evaluated;   // at_end and `gradient` are those of x
  // vectors (nvert x 4)
  float *x, *gradient;               // the iterate
  float *trial, *trial_gradient;     // of the line search
  float *direction, *forward;        //
  float *predicted, *anchor, *posed; // y; targets of the attachment; the artist's pose
};

// Pairs that L-BFGS keeps of every operator with a factor.
enum { MI_SOFT_MODES = 3 };

// solver.c. The work space of a state. Makes it anew when the kind or the drive changes; goes over
// to another operator when the span changes. `opts` are those of one substep, `frame` is the
// length of the whole step, s.
mien_result mi_solver_prepare(mien_state *state, const mien_step_opts *opts, double frame,
                              mien_error *err);
// Vectors and elements for this operator, without what inverts its matrix.
mien_result mi_solver_create(const mien_face *face, const mien_host *host, const mi_system *system,
                             const mi_operator *op, mi_solver **out, mien_error *err);
void mi_solver_free(mi_solver *solver);
void mi_solver_release(mi_solver *solver); // frees it and releases its operator
void mi_solver_forget_lowrank(mi_solver *solver);

// evaluate.c
// The flesh as the laws see it: predicted state, anchors, targets and springs set in the solver.
mi_flesh mi_solver_flesh(const mi_solver *solver);
// E(x) and its gradient, of all laws
void mi_solver_evaluate(mi_solver *solver, const float *x, float *gradient, mi_energies *energies);
// E without spring rows and without gradient, to the same bits; uses solver->trial_gradient
void mi_solver_measure(mi_solver *solver, const float *x, mi_energies *energies);
double mi_solver_add_lowrank(const mi_solver *solver, const float *x,
                             float *gradient); // their part

// descend.c: minimises from solver->x in place; fills iterations, energies and times of `info`
void mi_solver_descend(mi_solver *solver, const mien_step_opts *opts, double deadline,
                       mien_state_info *info);
// s = A^-1 q, or, where there is no factor, a good part of the way there.
void mi_solver_approach(mi_solver *solver, const float *q, float *s);

// For line searches: the error that rounding may add to an energy; a shorter step after one with
// this rise.
double mi_energy_slack(double energy);
double mi_shorter_step(double step, double slope, double rise);

#endif
