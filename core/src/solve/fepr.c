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

// -- rigid motion ---------------------------------------------------------------------------------

typedef struct rigid {
  double velocity[3], spin[3]; // v(r) = velocity + spin x r, r from the reference point
  double kinetic;
} rigid;

static void cross_of(const double c[3], double m[9]) {
  const double cross[9] = {0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0};
  memcpy(m, cross, sizeof cross);
}

// about the reference point: sum m (r.r I - r r')
static void inertia_of(const mi_motion_sums *s, double m[9]) {
  const double *q = s->second; // xx, yy, zz, xy, yz, zx
  const double inertia[9] = {q[1] + q[2], -q[3], -q[5], -q[3],      q[0] + q[2],
                             -q[4],       -q[5], -q[4], q[0] + q[1]};
  memcpy(m, inertia, sizeof inertia);
}

// the rigid motion that has these momenta
static bool find_rigid(const mi_motion_sums *s, const double momentum[3], const double turning[3],
                       rigid *out) {
  double a[36] = {0}, b[6], cross[9], inertia[9]; // P = M v + w x C, L = C x v + I w
  cross_of(s->centre, cross);
  inertia_of(s, inertia);
  for (int i = 0; i < 3; i++) {
    a[7 * i] = s->mass;
    for (int k = 0; k < 3; k++) {
      a[6 * i + 3 + k] = -cross[3 * i + k];
      a[6 * (i + 3) + k] = cross[3 * i + k];
      a[6 * (i + 3) + 3 + k] = inertia[3 * i + k];
    }
    b[i] = momentum[i], b[i + 3] = turning[i];
  }
  if (!mi_small_solve(6, a, 1, b)) return false;
  out->kinetic = 0;
  for (int i = 0; i < 3; i++) {
    out->velocity[i] = b[i], out->spin[i] = b[i + 3];
    out->kinetic += 0.5 * (b[i] * momentum[i] + b[i + 3] * turning[i]);
  }
  return true;
}

// -- one step of the seven ------------------------------------------------------------------------

// A^-1 dH/dx is -kappa times solver->direction
static double kappa_of(const projecting *p) {
  double ratio = p->motion->h / p->solver->dt;
  return ratio * ratio;
}

// J W, energy first. Everything is multiplied by h^2, as W is.
static void fill_system(const projecting *p, double a[49]) {
  const mi_motion_sums *s = &p->motion->now;
  double h2 = p->motion->h * p->motion->h, kappa = kappa_of(p), cross[9], inertia[9];
  cross_of(s->centre, cross);
  inertia_of(s, inertia);
  memset(a, 0, 49 * sizeof *a);
  a[0] = kappa * s->along + s->speed2;
  for (int i = 0; i < 3; i++) {
    a[1 + i] = a[7 * (1 + i)] = s->momentum[i];
    a[4 + i] = s->turning[i];
    a[7 * (4 + i)] = s->turning[i] - kappa * s->frame_velocity[i]; // x moves, too
    for (int k = 0; k < 3; k++) {
      a[7 * (1 + i) + 1 + k] = i == k ? s->mass : 0;
      a[7 * (1 + i) + 4 + k] = -cross[3 * i + k];
      a[7 * (4 + i) + 1 + k] = cross[3 * i + k];
      a[7 * (4 + i) + 4 + k] = inertia[3 * i + k];
    }
  }
  for (int i = 0; i < 3; i++) // s and t, which let momentum go where the start had it
    for (int k = 0; k < 3; k++) {
      a[7 * (1 + i) + 1 + k] += h2 * p->lost[i] * p->lost[k] / SLACK;
      a[7 * (4 + i) + 4 + k] += h2 * p->lost[3 + i] * p->lost[3 + k] / SLACK;
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
  const change c = *(const change *)task;
  const mi_motion *m = c.p->motion;
  const float about[3] = {m->about[0], m->about[1], m->about[2]}, *s = c.spin;
  const float *d = c.p->solver->direction;
  float *restrict x = c.p->solver->x, *restrict v = m->velocity;
  for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; i += 4) {
    float r[3] = {x[i] - about[0], x[i + 1] - about[1], x[i + 2] - about[2]};
    v[i] = c.keep * v[i] + (c.shift[0] + (s[1] * r[2] - s[2] * r[1]));
    v[i + 1] = c.keep * v[i + 1] + (c.shift[1] + (s[2] * r[0] - s[0] * r[2]));
    v[i + 2] = c.keep * v[i + 2] + (c.shift[2] + (s[0] * r[1] - s[1] * r[0]));
    for (size_t k = i; k < i + 3; k++) x[k] += c.far * d[k];
  }
  mi_motion_sum_chunk(c.p->solver, m, c.which, begin, end);
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
static bool find_bodies(const projecting *p, rigid *is, rigid *wanted) {
  const mi_motion_sums *s = &p->motion->now;
  const double *momentum = p->motion->is_free ? p->motion->target : s->momentum;
  const double *turning = p->motion->is_free ? p->motion->target + 3 : s->turning;
  return find_rigid(s, s->momentum, s->turning, is) && find_rigid(s, momentum, turning, wanted);
}

// scales the non-rigid part of the velocities
static void change_velocities(projecting *p, const rigid *is, const rigid *wanted, double scale) {
  change c = {.p = p, .keep = (float)scale, .which = MI_SUM_MOMENTA};
  for (int k = 0; k < 3; k++) {
    c.shift[k] = (float)(wanted->velocity[k] - scale * is->velocity[k]);
    c.spin[k] = (float)(wanted->spin[k] - scale * is->spin[k]);
  }
  make_change(p, &c);
}

// A free body gets its momenta back first: most of the energy that is missing is theirs.
static void restore_momenta(projecting *p) {
  rigid is, wanted;
  if (find_bodies(p, &is, &wanted)) change_velocities(p, &is, &wanted, 1);
  memset(p->lost, 0, sizeof p->lost);
}

// Closes the rest by velocities. False when they would change by more than `most` times; `by_force`
// they change by as much as that.
static bool close(projecting *p, double most, bool by_force) {
  rigid is, wanted;
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

typedef struct turning_body {               // about the centre of mass
  double mass, from[3], to[3], velocity[3]; // centres at both ends; the start's velocity
  double spread[9], turning[3];             // sum m x s' (end, start); angular momentum
} turning_body;

static void find_centres(const projecting *p, turning_body *b) {
  const mi_solver *solver = p->solver;
  for (int i = 0; i < 3 * solver->nvert; i++) {
    size_t at = 4 * (size_t)(i / 3) + (size_t)(i % 3);
    double mass = (double)solver->inertia[i / 3];
    b->from[i % 3] += mass * (double)p->motion->start[at];
    b->to[i % 3] += mass * (double)solver->x[at];
    b->velocity[i % 3] += mass * (double)p->motion->first[at];
    b->mass += mass / 3;
  }
  for (int k = 0; k < 3 && b->mass > 0; k++)
    b->from[k] /= b->mass, b->to[k] /= b->mass, b->velocity[k] /= b->mass;
}

// How far the body has turned about the axis of its angular momentum: such a turn leaves energy and
// both momenta as they are.
static void find_turn(const projecting *p, turning_body *b, double turn[9]) {
  const mi_solver *solver = p->solver;
  double *l = b->turning, *s = b->spread, n[3], cross[9];
  for (int i = 0; i < solver->nvert; i++) {
    double r[3], x[3], v[3], mass = (double)solver->inertia[i];
    for (int c = 0; c < 3; c++) {
      size_t at = 4 * (size_t)i + (size_t)c;
      r[c] = (double)p->motion->start[at] - b->from[c];
      v[c] = (double)p->motion->first[at] - b->velocity[c];
      x[c] = (double)solver->x[at] - b->to[c];
    }
    for (int c = 0; c < 3; c++)
      l[c] += mass * (r[(c + 1) % 3] * v[(c + 2) % 3] - r[(c + 2) % 3] * v[(c + 1) % 3]);
    for (int k = 0; k < 9; k++) s[k] += mass * x[k / 3] * r[k % 3];
  }
  double length = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]), across = s[0] + s[4] + s[8];
  if (!(length > 0)) return;
  for (int c = 0; c < 3; c++) n[c] = l[c] / length;
  for (int k = 0; k < 9; k++) across -= n[k / 3] * s[k] * n[k % 3];
  double along = n[0] * (s[7] - s[5]) + n[1] * (s[2] - s[6]) + n[2] * (s[3] - s[1]);
  double size = hypot(along, across), cosine = across / size, sine = along / size;
  if (!(size > 0)) return;
  cross_of(n, cross);
  for (int k = 0; k < 9; k++)
    turn[k] = cosine * (k % 4 ? 0 : 1) + (1 - cosine) * n[k / 3] * n[k % 3] + sine * cross[k];
}

// A state that meets all constraints (3.4.1.1): the start; for a free body the start moved and
// turned with the body. (The straight way back from a turn would compress the body, and a
// compressed body spins with more energy than there is.) Into solver->forward and ->trial.
static void find_refuge(projecting *p) {
  mi_solver *solver = p->solver;
  const float *start = p->motion->start, *first = p->motion->first;
  turning_body body = {0};
  double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (p->motion->is_free) find_centres(p, &body);
  if (body.mass > 0) find_turn(p, &body, turn);
  for (int i = 0; i < 3 * solver->nvert; i++) {
    size_t at = 4 * (size_t)(i / 3), c = (size_t)(i % 3);
    const double *row = turn + 3 * c;
    double place = body.to[c], speed = body.velocity[c];
    for (size_t k = 0; k < 3; k++) {
      place += row[k] * ((double)start[at + k] - body.from[k]);
      speed += row[k] * ((double)first[at + k] - body.velocity[k]);
    }
    bool is_bone = !(solver->inertia[i / 3] > 0);
    solver->forward[at + c] = is_bone ? start[at + c] : (float)place;
    solver->trial[at + c] = (float)speed;
  }
}

static void retreat_range(void *task, int begin, int end) {
  const projecting *p = task;
  float *x = p->solver->x, *v = p->motion->velocity;
  for (int i = 4 * begin; i < 4 * end; i++) {
    if (i % 4 == 3) continue;
    x[i] += p->back * (p->solver->forward[i] - x[i]);
    v[i] += p->back * (p->solver->trial[i] - v[i]);
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
