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
// that
//   they can bear; the rest is lost, as it is where bodies hit each other.
// - A free body's momenta are given back whole (s = t = 1); the paper leaves that to the weight of
//   s and t, which matter where bones take up momentum.
#include "solve/motion.h"

#include "math/mat3.h"
#include "math/small.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 1024, NSUM = MI_MOTION_SUMS, MOST_STEPS = 10, MOST_HALVINGS = 10 };
static const double TOO_FAR = 0.01; // of the energy, after all steps
static const double SLACK = 0.001;  // epsilon of eq. 3.60
static const double CLOSE = 1e-7;   // of the energy: where it stops
static const double MOST = 1.6;     // times, or its inverse, velocities may change in the last bit
static const double MOST_ALONE = 4; // the same where nothing else may change

// Sums over all vertices, in the order of this list.
typedef struct sums {
  double mass, centre[3]; // first moment
  double inertia[9];      // about the reference point: sum m (r.r I - r r')
  double momentum[3], turning[3];
  double drift[3];       // sum dx x m v: turning that the direction brings by moving x
  double kinetic, along; // m/2 v.v; dH/dx . dx
} sums;

typedef struct work {
  const mi_solver *solver;
  const mi_motion *motion;
  mi_vec3 about; // reference point of angular momentum
  const float *velocity;
  double *sums; // NSUM a chunk
} work;

static void sum_range(void *task, int begin, int end) {
  const work *w = task;
  sums s = {0};
  for (int i = begin; i < end; i++) {
    size_t at = 4 * (size_t)i;
    double m = mi_motion_mass(w->solver, i);
    mi_vec3 r = mi_sub(mi_vec3_load(w->solver->x + at), w->about);
    mi_vec3 v = mi_vec3_load(w->velocity + at), d = mi_vec3_load(w->solver->direction + at);
    mi_vec3 p = mi_scale(m, v), l = mi_cross(r, p), turned = mi_cross(d, p);
    double rr = mi_dot(r, r);
    const double arm[3] = {r.x, r.y, r.z}, pp[3] = {p.x, p.y, p.z}, ll[3] = {l.x, l.y, l.z};
    const double tt[3] = {turned.x, turned.y, turned.z};
    s.mass += m;
    for (int c = 0; c < 3; c++) {
      s.centre[c] += m * arm[c];
      s.momentum[c] += pp[c];
      s.turning[c] += ll[c];
      s.drift[c] += tt[c];
      for (int k = 0; k < 3; k++) s.inertia[3 * c + k] += m * ((c == k ? rr : 0) - arm[c] * arm[k]);
    }
    s.kinetic += 0.5 * mi_dot(v, p);
    s.along -= mi_dot(mi_vec3_load(w->motion->force + at), d);
  }
  memcpy(w->sums + NSUM * (size_t)(begin / CHUNK), &s, sizeof s);
}

static sums add_up(const mi_solver *solver, const mi_motion *motion, mi_vec3 about,
                   const float *velocity) {
  work w = {solver, motion, about, velocity, solver->sums};
  double total[sizeof(sums) / sizeof(double)] = {0};
  sums out;
  mi_parallel(solver->host.threads, solver->nvert, CHUNK, sum_range, &w);
  for (int chunk = 0; chunk * CHUNK < solver->nvert; chunk++)
    for (size_t k = 0; k < sizeof total / sizeof *total; k++)
      total[k] += solver->sums[NSUM * (size_t)chunk + k];
  memcpy(&out, total, sizeof out);
  return out;
}

// -- rigid motion ---------------------------------------------------------------------------------

typedef struct rigid {
  double velocity[3], spin[3]; // v(r) = velocity + spin x r, r from the reference point
  double kinetic;
} rigid;

static mi_vec3 rigid_at(const rigid *body, mi_vec3 r) {
  mi_vec3 spin = {body->spin[0], body->spin[1], body->spin[2]};
  return mi_add((mi_vec3){body->velocity[0], body->velocity[1], body->velocity[2]},
                mi_cross(spin, r));
}

// the rigid motion that has these momenta
static bool find_rigid(const sums *s, const double momentum[3], const double turning[3],
                       rigid *out) {
  double a[36] = {0}, b[6];
  const double *c = s->centre; // P = M v + w x C, L = C x v + I w
  const double cross[9] = {0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0};
  for (int i = 0; i < 3; i++) {
    a[7 * i] = s->mass;
    for (int k = 0; k < 3; k++) {
      a[6 * i + 3 + k] = -cross[3 * i + k];
      a[6 * (i + 3) + k] = cross[3 * i + k];
      a[6 * (i + 3) + 3 + k] = s->inertia[3 * i + k];
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

// J W, energy first. Everything is multiplied by h^2, as W is.
static void fill_system(const sums *s, const double lost[6], double h, double a[49]) {
  const double *c = s->centre;
  const double cross[9] = {0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0};
  memset(a, 0, 49 * sizeof *a);
  a[0] = s->along + 2 * s->kinetic;
  for (int i = 0; i < 3; i++) {
    a[1 + i] = a[7 * (1 + i)] = s->momentum[i];
    a[4 + i] = s->turning[i];
    a[7 * (4 + i)] = s->turning[i] + s->drift[i];
    for (int k = 0; k < 3; k++) {
      a[7 * (1 + i) + 1 + k] = i == k ? s->mass : 0;
      a[7 * (1 + i) + 4 + k] = -cross[3 * i + k];
      a[7 * (4 + i) + 1 + k] = cross[3 * i + k];
      a[7 * (4 + i) + 4 + k] = s->inertia[3 * i + k];
    }
  }
  for (int i = 0; i < 3; i++) // s and t, which let momentum go where the start had it
    for (int k = 0; k < 3; k++) {
      a[7 * (1 + i) + 1 + k] += h * h * lost[i] * lost[k] / SLACK;
      a[7 * (4 + i) + 4 + k] += h * h * lost[3 + i] * lost[3 + k] / SLACK;
    }
}

// False when nothing can be gained along the direction.
static bool solve_seven(const sums *s, const double lost[6], double h, double error, double l[7]) {
  double a[49], scale = 0;
  fill_system(s, lost, h, a);
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

typedef struct move {
  mi_solver *solver;
  mi_motion *motion;
  mi_vec3 about;
  const double *l;
  rigid now, wanted; // closing: rigid motion as it is and as it is to be
  float scale;       // closing: of what is not rigid
} move;

static void step_range(void *task, int begin, int end) {
  const move *m = task;
  mi_vec3 p = {m->l[1], m->l[2], m->l[3]}, turn = {m->l[4], m->l[5], m->l[6]};
  for (int i = begin; i < end; i++) {
    size_t at = 4 * (size_t)i;
    float *x = m->solver->x + at, *v = m->motion->velocity + at;
    mi_vec3 r = mi_sub(mi_vec3_load(x), m->about), speed = mi_vec3_load(v);
    mi_vec3 change = mi_add(mi_add_scaled(p, m->l[0], speed), mi_cross(turn, r));
    mi_vec3_store(v, mi_sub(speed, change));
    for (int c = 0; c < 3; c++) x[c] -= (float)m->l[0] * m->solver->direction[at + (size_t)c];
  }
}

static void close_range(void *task, int begin, int end) {
  const move *m = task;
  for (int i = begin; i < end; i++) {
    size_t at = 4 * (size_t)i;
    float *v = m->motion->velocity + at;
    mi_vec3 r = mi_sub(mi_vec3_load(m->solver->x + at), m->about);
    mi_vec3 own = mi_sub(mi_vec3_load(v), rigid_at(&m->now, r));
    mi_vec3_store(v, mi_add_scaled(rigid_at(&m->wanted, r), m->scale, own));
  }
}

// -- the method -----------------------------------------------------------------------------------

typedef struct projecting {
  mi_solver *solver;
  mi_motion *motion;
  mi_vec3 about;
  double target[6]; // momentum and angular momentum of a free body
  double lost[6];   // what the integrator took from both
} projecting;

// P and L at the start, and what the push adds to them
static void find_momenta(projecting *p) {
  const mi_solver *solver = p->solver;
  const mi_motion *motion = p->motion;
  double at_end[6] = {0};
  memset(p->target, 0, sizeof p->target);
  for (int i = 0; i < solver->nvert; i++) {
    size_t at = 4 * (size_t)i;
    double m = mi_motion_mass(solver, i);
    mi_vec3 from = mi_sub(mi_vec3_load(motion->start + at), p->about);
    mi_vec3 to = mi_sub(mi_vec3_load(solver->x + at), p->about);
    mi_vec3 before = mi_scale(m, mi_vec3_load(motion->first + at));
    mi_vec3 after = mi_scale(m, mi_vec3_load(motion->velocity + at));
    mi_vec3 kick = mi_scale(m * motion->h, mi_vec3_load(motion->push + at));
    mi_vec3 turned = mi_add(mi_cross(from, before), mi_cross(to, kick)), now = mi_cross(to, after);
    before = mi_add(before, kick);
    const double t[6] = {before.x, before.y, before.z, turned.x, turned.y, turned.z};
    const double e[6] = {after.x, after.y, after.z, now.x, now.y, now.z};
    for (int k = 0; k < 6; k++) p->target[k] += t[k], at_end[k] += e[k];
  }
  for (int k = 0; k < 6; k++) p->lost[k] = p->target[k] - at_end[k];
}

// A^-1 dH/dx, as long as h needs it
static void find_direction(projecting *p) {
  mi_solver *solver = p->solver;
  double h = p->motion->h;
  float kappa = (float)(h * h / (solver->dt * solver->dt));
  mi_solver_approach(solver, p->motion->force, solver->direction);
  for (int i = 0; i < 4 * solver->nvert; i++) solver->direction[i] *= -kappa;
}

// rigid motion as it is at x and v, and as it is to be
static bool find_bodies(const projecting *p, const sums *s, move *m) {
  const double *momentum = p->motion->is_free ? p->target : s->momentum;
  const double *turning = p->motion->is_free ? p->target + 3 : s->turning;
  return find_rigid(s, s->momentum, s->turning, &m->now) &&
         find_rigid(s, momentum, turning, &m->wanted);
}

static void change_velocities(const projecting *p, move *m, double scale) {
  m->scale = (float)scale;
  mi_parallel(p->solver->host.threads, p->solver->nvert, CHUNK, close_range, m);
}

// A free body gets its momenta back first: most of the energy that is missing is theirs.
static void restore_momenta(projecting *p) {
  sums s = add_up(p->solver, p->motion, p->about, p->motion->velocity);
  move m = {.solver = p->solver, .motion = p->motion, .about = p->about};
  if (find_bodies(p, &s, &m)) change_velocities(p, &m, 1);
  memset(p->lost, 0, sizeof p->lost);
}

// Velocities take what is left. False when that is too much for them; alone they take what they
// can.
static bool close(projecting *p) {
  sums s = add_up(p->solver, p->motion, p->about, p->motion->velocity);
  move m = {.solver = p->solver, .motion = p->motion, .about = p->about};
  if (!find_bodies(p, &s, &m)) return false;
  double own = s.kinetic - m.now.kinetic;
  double needed = s.kinetic - mi_motion_error(p->solver, p->motion) - m.wanted.kinetic;
  if (!(own > 0)) return false;
  double scale = needed > 0 ? sqrt(needed / own) : 0;
  double most = p->motion->stays ? MOST_ALONE : MOST;
  bool is_whole = scale > 1 / most && scale < most;
  if (is_whole || p->motion->stays) change_velocities(p, &m, fmin(most, fmax(1 / most, scale)));
  return is_whole;
}

// Halfway back to the start, as often as it takes: there all constraints are met (3.4.1.1), so this
// ends. For steps so wrong that linear constraints say nothing about them.
static void retreat(projecting *p) {
  mi_solver *solver = p->solver;
  mi_motion *m = p->motion;
  for (int halving = 0; halving < MOST_HALVINGS; halving++) {
    for (int i = 0; i < 4 * solver->nvert; i++) {
      solver->x[i] = 0.5f * (solver->x[i] + m->start[i]);
      m->velocity[i] = 0.5f * (m->velocity[i] + m->first[i]);
    }
    mi_motion_evaluate(solver, m);
    if (m->is_free) restore_momenta(p);
    if (close(p)) return;
  }
}

mi_projection mi_fepr(mi_solver *solver, mi_motion *motion) {
  projecting p = {.solver = solver, .motion = motion, .about = mi_vec3_load(solver->x)};
  mi_projection done = {0};
  double limit = CLOSE * fabs(motion->wanted) + solver->noise;
  find_momenta(&p);
  if (motion->is_free) restore_momenta(&p);
  done.error = mi_motion_error(solver, motion);
  if (motion->stays) {
    close(&p); // the rest is what contacts took
    done.error = mi_motion_error(solver, motion);
    done.steps = 1;
    return done;
  }
  while (fabs(done.error) > limit && done.steps < MOST_STEPS) {
    double l[7];
    find_direction(&p);
    sums s = add_up(solver, motion, p.about, motion->velocity);
    if (!solve_seven(&s, p.lost, motion->h, done.error, l)) break;
    move m = {.solver = solver, .motion = motion, .about = p.about, .l = l};
    mi_parallel(solver->host.threads, solver->nvert, CHUNK, step_range, &m);
    mi_motion_evaluate(solver, motion);
    done.steps++;
    bool is_closed = close(&p);
    if (!is_closed && motion->is_free) restore_momenta(&p); // x has moved
    done.error = mi_motion_error(solver, motion);
    if (is_closed) break;
  }
  if (fabs(done.error) > TOO_FAR * fabs(motion->wanted) + solver->noise) {
    retreat(&p);
    done.error = mi_motion_error(solver, motion);
  }
  return done;
}
