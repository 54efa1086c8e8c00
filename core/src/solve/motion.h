// The flesh between the two ends of a substep, against its bones: what keeping the energy works on.
//
// Against the bones, because in the world the work of a moving head is the small difference of
// large numbers: bones that go 8 cm in a frame stretch what holds the flesh by 8 cm for a moment,
// a hundred times the energy of any jiggle, and an integrator that keeps energy would keep that.
// Seen from the head, its motion is one more force, known when the substep ends and as constant
// during it as gravity (mi_motion.push). Then
//
//   H = E(x) + m/2 |v|^2 - m push . (x - start)
//
// is the same at both ends of an exact substep.
#ifndef MI_MOTION_H
#define MI_MOTION_H

#include "math/rigid_body.h"
#include "solve/solver.h"

enum { MI_MOTION_SUMS = 40, MI_MOTION_CHUNK = 1024 }; // doubles a chunk of vertices, solver->sums

// Sums over all vertices; r = x - about.
typedef struct mi_motion_sums {
  double momentum[3], turning[3], speed2; // sum m v, r x m v, m v.v
  mi_mass_sums masses;
  double work;                     // sum m push . (x - start)
  double frame_velocity[3], along; // sum d x m v, force . d, with d in solver->direction
} mi_motion_sums;
enum { MI_SUM_MOMENTA = 1, MI_SUM_SHAPE = 2, MI_SUM_WORK = 4, MI_SUM_ALONG = 8 };
enum { MI_SUM_PLACE = MI_SUM_SHAPE | MI_SUM_WORK, MI_SUM_ALL = MI_SUM_PLACE | MI_SUM_MOMENTA };

// Vectors are in the solver's order, four floats a vertex. The end is solver->x.
typedef struct mi_motion {
  double h;              // s
  float *start, *first;  // m, m / s: x and v at the start
  float *velocity;       // m / s: v at the end
  float *accel;          // m / s^2: gravity, wind, the head's motion, what contacts do at the end
  float *force;          // N: -dH/dx at the end, once mi_motion_find_force was called
  float *work[4];        // scratch of fepr.c or stabilise.c
  const float *gradient; // of all that the minimiser sees, at the end; NULL = not known
  bool has_force;        // `force` belongs to `gradient`
  double wanted;         // J: H at the start plus the budget of earlier substeps
  double elastic;        // J: E at the end
  int nflat;             // tetrahedra that are inverted there, or nearly
  bool is_free;          // nothing holds the body: both momenta are conserved
  bool stays;            // contacts fix the positions of the end: only velocities may change
  const mi_momenta_kernels *kernels;
  float about[3];     // m, the point that angular momentum is measured about
  double kinetic;     // J, at the start
  double target[6];   // momentum and angular momentum of a free body at the end
  mi_motion_sums now; // MI_SUM_ALL of x and v as they are
} mi_motion;

// motion.c. Passes over the flesh wait for memory, so what can be is done while a chunk is at hand:
// functions named _chunk belong at the end of a loop over chunks, the ones after them behind it.
//
// Finds kinetic, target and now from start, first, accel, velocity and x. Prepare first.
void mi_motion_prepare(const mi_solver *solver, mi_motion *motion);
void mi_motion_begin_chunk(const mi_solver *solver, const mi_motion *motion, int begin, int end);
void mi_motion_begin(const mi_solver *solver, mi_motion *motion);
// The sums that `which` asks for; the others stay as they were.
void mi_motion_sum_chunk(const mi_solver *solver, const mi_motion *motion, int which, int begin,
                         int end);
void mi_motion_sum(const mi_solver *solver, mi_motion *motion, int which);
void mi_motion_force_chunk(const mi_solver *solver, const mi_motion *motion, int begin, int end);
void mi_motion_find_force(mi_solver *solver, mi_motion *motion); // runs its own loop
// E and the gradient at solver->x, or E alone; both use solver->trial_gradient.
void mi_motion_evaluate(mi_solver *solver, mi_motion *motion);
void mi_motion_measure(mi_solver *solver, mi_motion *motion);
// J: H at the end minus the wanted energy.
double mi_motion_error(const mi_motion *motion);

typedef struct mi_projection {
  int steps;    // 7 x 7 systems solved, or blends tried
  double blend; // stabilise: 0 = midpoint, 1 = backward Euler, below 0 = away from it
  double error; // J: H minus wanted, at the end
} mi_projection;

// fepr.c: moves x and v to the wanted energy, momenta kept or given back (Dinev, 3.4).
mi_projection mi_fepr(mi_solver *solver, mi_motion *motion);
// Closes the error by velocities alone. False, with nothing changed, when their non-rigid part
// would have to be scaled by more than `most` or less than its inverse.
bool mi_fepr_close(mi_solver *solver, mi_motion *motion, double most);
// Gives a free body the momenta back that the integrator took, whatever its energy is then.
void mi_fepr_restore_momenta(mi_solver *solver, mi_motion *motion);
// stabilise.c: blends midpoint with backward Euler until the energy is within 1 % (Dinev, 3.3).
mi_projection mi_stabilise(mi_solver *solver, mi_motion *motion);

#endif
