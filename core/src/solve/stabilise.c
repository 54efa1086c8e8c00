// Stabilised midpoint (Dinev, 3.3): implicit midpoint gains or loses energy; blending its end with
// that of backward Euler takes out what is too much. The blend is looked for by a binary search,
// begun where the slope of the energy points.
//
// Too little energy: the paper blends with forward Euler. Its velocities are those of the stiffest
// tetrahedra (h times their acceleration), which would tremble. To the leading order of h forward
// Euler is the mirror image of backward Euler about midpoint, so here the blend goes on along the
// same line, away from backward Euler.
#include "solve/motion.h"

#include <math.h>
#include <string.h>

// epsilon of eq. 3.48 is 0.01; what floats round away in 10,000 steps has to fit in, too
static const double TOLERANCE = 0.009;
enum { MOST_TRIALS = 4 };

// One iteration of backward Euler from midpoint's end: dx in solver->direction.
static void find_euler(mi_solver *solver, mi_motion *motion) {
  double h = motion->h;
  float *q = solver->trial_gradient;
  for (int i = 0; i < 4 * solver->nvert; i++) {
    // m (x - y) / h^2 + dE/dx, with y = start + h first + h^2 push; force holds push already
    double m = mi_motion_mass(solver, i / 4);
    double ahead = ((double)solver->x[i] - motion->start[i]) / h - motion->first[i];
    q[i] = (float)(m * ahead / h) - motion->force[i];
  }
  mi_solver_approach(solver, q, solver->direction);
  for (int i = 0; i < 4 * solver->nvert; i++) solver->direction[i] = -solver->direction[i];
}

// Where along the way to backward Euler the error is 0, if the energy is quadratic: its slope is
// known, so is the curvature of the kinetic part, and dx = -A^-1 q says that of the elastic one.
static double guess_blend(const mi_solver *solver, const mi_motion *motion, const float *q,
                          const float *dv, double error) {
  double slope = 0, bend = 0;
  for (int i = 0; i < solver->nvert; i++) {
    double m = mi_motion_mass(solver, i);
    for (int c = 0; c < 3; c++) {
      size_t at = 4 * (size_t)i + (size_t)c;
      double dx = solver->direction[at], v = motion->velocity[at], w = dv[at];
      slope += m * v * w - motion->force[at] * dx;
      bend += m * w * w - q[at] * dx - (double)solver->inertia[i] * dx * dx;
    }
  }
  double room = slope * slope - 2 * bend * error;
  return room > 0 && slope < 0 ? 2 * error / (-slope + sqrt(room)) : -error / slope;
}

// the blend, evaluated
static double try_blend(mi_solver *solver, mi_motion *motion, const float *x, const float *v,
                        const float *dv, double blend) {
  float b = (float)blend;
  for (int i = 0; i < 4 * solver->nvert; i++) {
    solver->x[i] = x[i] + b * solver->direction[i];
    motion->velocity[i] = v[i] + b * dv[i];
  }
  mi_motion_evaluate(solver, motion);
  return mi_motion_error(solver, motion);
}

// The way here leads to one iteration of backward Euler, not to its end. Where that takes too
// little (a head shaken at 24 frames a second), projection takes the rest.
static mi_projection give_up(mi_solver *solver, mi_motion *motion, mi_projection done) {
  mi_projection rest = mi_fepr(solver, motion);
  done.steps += rest.steps;
  done.error = rest.error;
  return done;
}

mi_projection mi_stabilise(mi_solver *solver, mi_motion *motion) {
  mi_projection done = {.error = mi_motion_error(solver, motion)};
  double limit = TOLERANCE * fabs(motion->wanted) + solver->noise;
  if (!(fabs(done.error) > limit)) return done;
  float *x = solver->forward, *v = solver->trial, *dv = solver->gradient;
  find_euler(solver, motion);
  for (int i = 0; i < 4 * solver->nvert; i++) {
    x[i] = solver->x[i], v[i] = motion->velocity[i];
    dv[i] = (float)(((double)x[i] + solver->direction[i] - motion->start[i]) / motion->h) - v[i];
  }
  // Between `near`, where the error has midpoint's sign, and `far`, where it has the other.
  double near = 0, at_near = done.error, far = done.error > 0 ? 1 : -1, at_far = 0, side = far;
  double guess = guess_blend(solver, motion, solver->trial_gradient, dv, done.error);
  if (!(guess * side > 0)) guess = side;
  if (guess * side > 1) return give_up(solver, motion, done); // beyond backward Euler
  while (fabs(done.error) > limit && done.steps < MOST_TRIALS) {
    done.blend = fmin(1, fmax(-1, guess));
    done.error = try_blend(solver, motion, x, v, dv, done.blend);
    done.steps++;
    if (done.error * side > 0) {
      if (done.blend == side) break;
      near = done.blend, at_near = done.error;
    } else {
      far = done.blend, at_far = done.error;
    }
    double share = at_far != 0 ? at_near / (at_near - at_far) : 1;
    guess = near + fmin(0.9, fmax(0.1, share)) * (far - near);
    if (at_far == 0) guess = fabs(2 * near) < 1 ? 2 * near : side;
  }
  return fabs(done.error) > limit ? give_up(solver, motion, done) : done;
}
