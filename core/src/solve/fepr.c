// FEPR: the end of a substep put onto the energy it should have (Dinev, 3.4).
//
// A step of eq. 3.67 moves q = (x, v, s, t) by -W l, where the columns of W are how each of the
// seven constraints (energy, momentum, angular momentum) would move it, and J W l = c, 7 x 7. Five
// things differ from the paper, all for real time and large steps:
//
// - Positions move in the metric of the implicit matrix, A^-1, not of the masses: with masses a
//   stiff mode moves by its frequency squared, and flesh at 24 frames a second is all stiff modes.
//   For short steps both are the same. W need not be the constraints' own gradient for that: any W
//   with a regular J W ends on the constraints, so angular momentum, too, moves velocities only.
// - How far along the direction: the energy is nearly quadratic and A bounds its curvature, so
//   (1 - l)^2 = 1 - 2 c / b ends where Newton's l = c / b would go far beyond when much is missing.
// - The last bit is closed by velocities alone. What is not rigid motion is scaled; that keeps both
//   momenta, needs no evaluation, and is exact. So the common case costs one linear solve and one
//   evaluation: the first one is the minimiser's last.
// - With contacts flesh stays where it is, since nothing crosses there, and velocities take all
//   that they can bear; the rest is lost, as it is where bodies hit each other.
// - A free body's momenta are given back whole (s = t = 1); the paper leaves that to the weight of
//   s and t, which matter where bones take up momentum.
#include "solve/motion.h"

#include "math/rows.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

enum { CHUNK = MI_MOTION_CHUNK, MOST_STEPS = 10, MOST_HALVINGS = 10 };
static const double TOO_FAR =
    1e-4; // of the energy, after all steps: smaller errors do not accumulate
static const double SLACK = 0.001;  // epsilon of eq. 3.60
static const double CLOSE = 1e-7;   // of the energy: where it stops
static const double MOST = 1.6;     // times, or its inverse, velocities may change in the last bit
static const double MOST_ALONE = 4; // the same where positions may not change

typedef struct projecting {
  mi_solver *solver;
  mi_motion *motion;
  double lost[6]; // momenta at the start minus momenta at the end
  float back;     // of a retreat
} projecting;

// -- one step of the seven ------------------------------------------------------------------------

// A^-1 dH/dx is -kappa times solver->direction
static double kappa_of(const projecting *p) {
  double ratio = p->motion->h / p->solver->dt;
  return ratio * ratio;
}

// J W, energy first. Everything is multiplied by h^2, as W is.
static void fill_system(const projecting *p, double a[49]) {
  const mi_motion_sums *s = &p->motion->now;
  double h2 = p->motion->h * p->motion->h, kappa = kappa_of(p);
  mi_momentum_matrix(&s->masses, 7, a + 8);
  a[0] = kappa * s->along + s->speed2;
  for (int i = 0; i < 3; i++) {
    a[1 + i] = a[7 * (1 + i)] = s->momentum[i];
    a[4 + i] = s->turning[i];
    a[7 * (4 + i)] = s->turning[i] - kappa * s->frame_velocity[i]; // x moves, too
    for (int k = 0; k < 3; k++) { // s and t, which let momentum go where the start had it
      a[7 * (1 + i) + 1 + k] += h2 * p->lost[i] * p->lost[k] / SLACK;
      a[7 * (4 + i) + 4 + k] += h2 * p->lost[3 + i] * p->lost[3 + k] / SLACK;
    }
  }
}

// False when no step along the direction lowers the error.
static bool solve_seven(const projecting *p, double error, double l[7]) {
  double a[49], scale = 0;
  fill_system(p, a);
  for (int i = 0; i < 7; i++) scale = fmax(scale, a[8 * i]);
  for (int i = 1; i < 7; i++) a[8 * i] += 1e-12 * scale; // a flat or tiny body has no full rank
  memset(l, 0, 7 * sizeof *l);
  l[0] = error;
  if (!(a[0] > 0) || !mi_small_solve(7, a, 1, l) || l[0] == 0 || !isfinite(l[0])) return false;
  double room = 1 - 2 * l[0]; // l[0] = c / b
  double best = 1 - (room > 0 ? sqrt(room) : 0);
  for (int k = 6; k >= 0; k--) l[k] *= best / l[0];
  return true;
}

// -- changing x and v -----------------------------------------------------------------------------

// v = keep v + shift + spin x r, then x = x + far d
typedef struct change {
  projecting *p;
  float keep, shift[3], spin[3], far;
  int which; // of the sums are wanted afterwards
} change;

static void change_range(void *task, int begin, int end) {
  const change *c = task;
  const mi_motion *m = c->p->motion;
  mi_rows_change rows = {.x = c->p->solver->x,
                         .v = m->velocity,
                         .d = c->p->solver->direction,
                         .keep = c->keep,
                         .far = c->far};
  for (int k = 0; k < 3; k++)
    rows.shift[k] = c->shift[k], rows.spin[k] = c->spin[k], rows.about[k] = m->about[k];
  mi_rows_apply(&rows, begin, end);
  mi_motion_sum_chunk(c->p->solver, m, c->which, begin, end);
}

static void make_change(projecting *p, const change *what) {
  change task = *what;
  mi_parallel(p->solver->host.threads, p->solver->nvert, CHUNK, change_range, &task);
  mi_motion_sum(p->solver, p->motion, what->which);
}

// along -W l
static void step_along(projecting *p, const double l[7]) {
  change c = {
      .p = p, .keep = (float)(1 - l[0]), .far = (float)(l[0] * kappa_of(p)), .which = MI_SUM_ALL};
  for (int k = 0; k < 3; k++) c.shift[k] = (float)-l[1 + k], c.spin[k] = (float)-l[4 + k];
  make_change(p, &c);
}

// rigid motion as it is at x and v, and as it is to be
static bool find_bodies(const projecting *p, mi_rigid_momenta *is, mi_rigid_momenta *wanted) {
  const mi_motion_sums *s = &p->motion->now;
  const double *momentum = p->motion->is_free ? p->motion->target : s->momentum;
  const double *turning = p->motion->is_free ? p->motion->target + 3 : s->turning;
  return mi_rigid_from_momenta(&s->masses, s->momentum, s->turning, is) &&
         mi_rigid_from_momenta(&s->masses, momentum, turning, wanted);
}

// scales the non-rigid part of the velocities
static void change_velocities(projecting *p, const mi_rigid_momenta *is,
                              const mi_rigid_momenta *wanted, double scale) {
  change c = {.p = p, .keep = (float)scale, .which = MI_SUM_MOMENTA};
  for (int k = 0; k < 3; k++) {
    c.shift[k] = (float)(wanted->velocity[k] - scale * is->velocity[k]);
    c.spin[k] = (float)(wanted->spin[k] - scale * is->spin[k]);
  }
  make_change(p, &c);
}

// A free body gets its momenta back first: most of the energy that is missing is theirs.
static void restore_momenta(projecting *p) {
  mi_rigid_momenta is, wanted;
  if (find_bodies(p, &is, &wanted)) change_velocities(p, &is, &wanted, 1);
  memset(p->lost, 0, sizeof p->lost);
}

// Closes the rest by velocities. False when they would change by more than `most` times; `by_force`
// they change by as much as that.
static bool close(projecting *p, double most, bool by_force) {
  mi_rigid_momenta is, wanted;
  if (!find_bodies(p, &is, &wanted)) return false;
  double kinetic = 0.5 * p->motion->now.speed2, own = kinetic - is.kinetic;
  double needed = kinetic - mi_motion_error(p->motion) - wanted.kinetic;
  if (!(own > 0)) return false;
  double scale = needed > 0 ? sqrt(needed / own) : 0;
  bool is_whole = scale > 1 / most && scale < most;
  if (is_whole || by_force) change_velocities(p, &is, &wanted, fmin(most, fmax(1 / most, scale)));
  return is_whole;
}

// -- the method -----------------------------------------------------------------------------------

// A state that meets all constraints (3.4.1.1): the start; for a free body the start moved and
// turned with the body. (The straight way back from a turn would compress the body, and a
// compressed body spins with more energy than there is.) Into the first two work arrays.
static void find_refuge(projecting *p) {
  mi_solver *solver = p->solver;
  const float *start = p->motion->start, *first = p->motion->first;
  mi_body_turn body = {.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  if (p->motion->is_free)
    body = mi_body_turn_find(solver->nvert, solver->inertia, start, first, solver->x);
  for (int i = 0; i < 3 * solver->nvert; i++) {
    size_t at = 4 * (size_t)(i / 3), c = (size_t)(i % 3);
    const double *row = body.turn + 3 * c;
    double place = body.to[c], speed = body.velocity[c];
    for (size_t k = 0; k < 3; k++) {
      place += row[k] * ((double)start[at + k] - body.from[k]);
      speed += row[k] * ((double)first[at + k] - body.velocity[k]);
    }
    bool is_bone = !(solver->inertia[i / 3] > 0);
    p->motion->work[0][at + c] = is_bone ? start[at + c] : (float)place;
    p->motion->work[1][at + c] = (float)speed;
  }
}

static void retreat_range(void *task, int begin, int end) {
  const projecting *p = task;
  float *x = p->solver->x, *v = p->motion->velocity;
  for (int i = 4 * begin; i < 4 * end; i++) {
    if (i % 4 == 3) continue;
    x[i] += p->back * (p->motion->work[0][i] - x[i]);
    v[i] += p->back * (p->motion->work[1][i] - v[i]);
  }
  mi_motion_sum_chunk(p->solver, p->motion, MI_SUM_ALL, begin, end);
}

// Halfway back until the rest can be closed, all the way in the end: for steps so wrong that the
// linearised constraints do not describe them.
static void retreat(projecting *p) {
  mi_solver *solver = p->solver;
  find_refuge(p);
  for (int halving = 1; halving <= MOST_HALVINGS; halving++) {
    p->back = halving < MOST_HALVINGS ? 0.5f : 1;
    mi_parallel(solver->host.threads, solver->nvert, CHUNK, retreat_range, p);
    mi_motion_sum(solver, p->motion, MI_SUM_ALL);
    mi_motion_measure(solver, p->motion);
    if (p->motion->is_free) restore_momenta(p);
    if (close(p, MOST, false)) return;
  }
}

static projecting begin(mi_solver *solver, mi_motion *motion) {
  projecting p = {.solver = solver, .motion = motion};
  for (int k = 0; k < 3; k++) {
    p.lost[k] = motion->target[k] - motion->now.momentum[k];
    p.lost[3 + k] = motion->target[3 + k] - motion->now.turning[k];
  }
  return p;
}

bool mi_fepr_close(mi_solver *solver, mi_motion *motion, double most) {
  projecting p = begin(solver, motion);
  return close(&p, most, false);
}

void mi_fepr_restore_momenta(mi_solver *solver, mi_motion *motion) {
  projecting p = begin(solver, motion);
  if (motion->is_free) restore_momenta(&p);
}

static void along_range(void *task, int begin, int end) {
  const projecting *p = task;
  mi_motion_sum_chunk(p->solver, p->motion, MI_SUM_ALONG, begin, end);
}

// One step of the seven constraints; velocities close the rest. False when no step lowers the
// error; x and v may then still be off.
static bool step(projecting *p, bool *is_closed) {
  double l[7];
  mi_motion_find_force(p->solver, p->motion);
  mi_solver_approach(p->solver, p->motion->force, p->solver->direction);
  mi_parallel(p->solver->host.threads, p->solver->nvert, CHUNK, along_range, p);
  mi_motion_sum(p->solver, p->motion, MI_SUM_ALONG);
  if (!solve_seven(p, mi_motion_error(p->motion), l)) return false;
  step_along(p, l);
  mi_motion_measure(p->solver, p->motion);
  *is_closed = close(p, MOST, false);
  if (!*is_closed && p->motion->is_free) restore_momenta(p); // x has moved
  return true;
}

mi_projection mi_fepr(mi_solver *solver, mi_motion *motion) {
  projecting p = begin(solver, motion);
  mi_projection done = {0};
  double limit = CLOSE * fabs(motion->wanted) + solver->noise;
  if (motion->is_free) restore_momenta(&p);
  if (motion->stays) {
    close(&p, MOST_ALONE, true); // the rest is what contacts took
    done.error = mi_motion_error(motion);
    done.steps = 1;
    return done;
  }
  bool is_closed = false;
  while (!is_closed && fabs(mi_motion_error(motion)) > limit && done.steps < MOST_STEPS) {
    if (!step(&p, &is_closed)) break;
    done.steps++;
  }
  if (!is_closed && fabs(mi_motion_error(motion)) > TOO_FAR * fabs(motion->wanted) + solver->noise)
    retreat(&p);
  done.error = mi_motion_error(motion);
  return done;
}
