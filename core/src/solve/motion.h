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

#include "solve/solver.h"

enum { MI_MOTION_SUMS = 32 }; // doubles a chunk of 1024 vertices, in solver->sums

// Vectors are in the solver's order, four floats a vertex. The end is solver->x.
typedef struct mi_motion {
  double h;             // s
  float *start, *first; // m, m / s: x and v at the start
  float *velocity;      // m / s: v at the end
  float *push;    // m / s^2: gravity, wind, the head's motion, and what contacts do at the end
  float *force;   // N: -dH/dx at the end
  double wanted;  // J: H at the start, and what earlier substeps owe
  double elastic; // J: E at the end
  bool is_free;   // nothing holds it: both momenta are its own
  bool stays;     // where it is at the end, because of contacts: velocities alone may change
} mi_motion;

static inline double mi_motion_mass(const mi_solver *solver, int i) {
  return solver->inertia[i] * (solver->dt * solver->dt);
}

// energy.c
// E and -dH/dx at solver->x; solver->trial_gradient is used.
void mi_motion_evaluate(mi_solver *solver, mi_motion *motion);
// J: H at the end, minus what is wanted.
double mi_motion_error(const mi_solver *solver, const mi_motion *motion);

typedef struct mi_projection {
  int steps;    // 7 x 7 systems solved, or blends tried
  double blend; // stabilise: 0 = midpoint, 1 = backward Euler, below 0 = away from it
  double error; // J: H minus wanted, at the end
} mi_projection;

// fepr.c: moves x and v to the wanted energy, momenta kept or given back (Dinev, 3.4).
mi_projection mi_fepr(mi_solver *solver, mi_motion *motion);
// stabilise.c: blends midpoint with backward Euler until the energy is within 1 % (Dinev, 3.3).
mi_projection mi_stabilise(mi_solver *solver, mi_motion *motion);

#endif
