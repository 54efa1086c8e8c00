// Solvers on one frame from the same start, all with our local step: only what stands in for A^-1
// differs. Barrielle & Stoiber, figure 3.
#ifndef MIEN_LAB_RACE_H
#define MIEN_LAB_RACE_H

#include "textbook.h"

typedef enum race_method {
  RACE_OURS = 0,           // what `auto` uses: L-BFGS over our factor, constraints by Woodbury
  RACE_PLAIN = 1,          // the same without L-BFGS, over the factor that plain PD needs
  RACE_GS_LBFGS = 2,       // the paper's: algorithms 1 and 2
  RACE_LBFGS_1GS = 3,      // L-BFGS over one sweep
  RACE_PD_1GS = 4,         // one sweep, no line search
  RACE_PD_CHOLESKY = 5,    // CHOLMOD, factored anew with the constraints of the frame
  RACE_LBFGS_CHOLESKY = 6, // Liu et al.: L-BFGS over that factor
  RACE_LBFGS_CONSTANT = 7, // Liu et al. with the factor that knows nothing of the constraints
  RACE_OFFLINE = 8, // the paper's, which goes over to that factor when a thread could have made it
  RACE_METHODS = 9
} race_method;

enum { RACE_POINTS = 14 };
extern const char *const race_names[RACE_METHODS];
extern const int race_iterations[RACE_POINTS]; // 0, 1, 2, ... 32

typedef struct race_curve {
  double seconds[RACE_POINTS], energy[RACE_POINTS], error[RACE_POINTS]; // error: relative
  int count;                                                            // 0 = could not run
} race_curve;

// A spring row that pushes one way only: normal . (sum coef x) >= gap. The closest point of the
// free side is its target, found anew wherever the energy is.
typedef struct race_plane {
  int row; // among the solver's spring rows
  float normal[3], gap;
} race_plane;

typedef struct race {
  mi_solver *solver; // direct; its frame (start, predicted, anchor, pose, pulls) is what is run
  textbook *t;       // with the same frame
  mi_gauss_seidel *sweeper; // over the matrix of the library's own L-BFGS
  mi_gauss_seidel *swept;   // over that of Projective Dynamics, with the whole volume term
  mi_factor *plain;         // of the latter
  float *start; //                                                                   (nvert x 4)
  double *x;    //                                                                   (nvert x 3)
  const race_plane *plane; // of the last spring rows; none: all are springs           (nplane)
  int nplane;
  float *target;   // the solver's pull_target, where there are planes
  mi_rank1 *rank1; // work space                                                    (nplane)
  double factor_seconds;
  double least; // J, of the best state found by anyone
} race;

// Starts at the predicted state of the frame that the solver was given last. False when memory
// ends.
bool race_open(race *r, mi_solver *solver, textbook *t);
// The last `nplane` spring rows are one-sided; `target` is what the solver's pull_target is.
// Borrowed. False when memory ends.
bool race_set_planes(race *r, const race_plane *plane, int nplane, float *target);
void race_close(race *r);

// One run of so many iterations; x is left in solver->x. Seconds, negative when it cannot run.
double race_run(race *r, race_method method, int iterations);
double race_energy(race *r); // of solver->x, in double
// The curve up to `points` of race_iterations, the fastest of `repeats` and of what `curve` has for
// every point. All points are run in turn, so that a slow moment does not fall on one of them
// alone.
void race_measure(race *r, race_method method, int points, int repeats, race_curve *curve);
// Finds the minimum with everything at hand, then fills in the errors.
void race_finish(race *r, race_curve curves[RACE_METHODS]);
// The error of a curve at a time as the figure draws it: a line between two iterates, in the
// error's logarithm. Without it a method whose iterations are long would lose at every time at
// which a rival's next one has just ended. 1 while a method is still factoring.
double race_error_at(const race_curve *curve, double seconds);

#endif
