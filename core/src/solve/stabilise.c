// Stabilised midpoint (Dinev, 3.3): implicit midpoint gains or loses energy; blending its end with
// that of backward Euler takes out what is too much. The blend is looked for where the energy, as a
// cubic through two blends and their slopes, is right; the paper halves intervals.
//
// Too little energy: the paper blends with forward Euler. Its velocities are those of the stiffest
// tetrahedra (h times their acceleration), which would tremble. To the leading order of h forward
// Euler is the mirror image of backward Euler about midpoint, so here the blend goes on along the
// same line, away from backward Euler.
//
// A step so long that the blend ends nearly right is put right by velocities alone, as fepr.c puts
// right its own steps.
#include "solve/motion.h"

#include "sparse/sparse_kernels.h"

#include <math.h>
#include <string.h>

// epsilon of eq. 3.48 is 0.01; what floats round away in 10,000 steps has to fit in, too
static const double TOLERANCE = 0.009;
static const double MOST = 1.25; // times, or its inverse, velocities may change at the end
enum { CHUNK = MI_MOTION_CHUNK, MOST_TRIALS = 4 };

// H along the way from midpoint's end (0) to one iteration of backward Euler (1)
typedef struct blending {
  mi_solver *solver;
  mi_motion *motion;
  float *x, *v, *dv; // midpoint's end; where it goes is solver->direction and dv
  float *q;          // gradient of backward Euler at midpoint's end
  float at;          // the blend in x and v
  double kinetic[2]; // m v.dv at midpoint's end, m dv.dv
} blending;

typedef struct point {
  double blend, error, slope;
} point;

static void for_all(blending *b, mi_range_fn *fn) {
  mi_parallel(b->solver->host.threads, b->solver->nvert, CHUNK, fn, b);
}

static double add_up(const mi_solver *solver, int which) {
  double sum = 0;
  for (int chunk = 0; chunk * CHUNK < solver->nvert; chunk++)
    sum += solver->sums[MI_MOTION_SUMS * (size_t)chunk + (size_t)which];
  return sum;
}

static double dot_chunk(const float *a, const float *b, int begin, int end) {
  const float *other = b + 4 * (size_t)begin;
  double sum = 0;
  mi_sparse_kernels_best()->dots(a + 4 * (size_t)begin, &other, 1, 4 * (end - begin), &sum);
  return sum;
}

// -- the way --------------------------------------------------------------------------------------

// m (x - y) / h^2 + dE/dx, with y = start + h first + h^2 push; force holds push already
static void gradient_range(void *task, int begin, int end) {
  const blending *b = task;
  const mi_solver *s = b->solver;
  const mi_motion *m = b->motion;
  float rate = (float)(1 / m->h), unit = (float)(s->dt * s->dt / m->h);
  for (int i = begin; i < end; i++)
    for (int c = 0; c < 4; c++) {
      size_t at = 4 * (size_t)i + (size_t)c;
      float ahead = rate * (s->x[at] - m->start[at]) - m->first[at];
      b->q[at] = unit * s->inertia[i] * ahead - m->force[at];
    }
}

// sums: m v.dv, m dv.dv, force.dx, and the elastic part of dx A dx
static void way_range(void *task, int begin, int end) {
  const blending *b = task;
  const mi_solver *s = b->solver;
  float rate = (float)(1 / b->motion->h), unit = (float)(s->dt * s->dt);
  double *sums = s->sums + MI_MOTION_SUMS * (size_t)(begin / CHUNK);
  memset(sums, 0, 4 * sizeof *sums);
  for (int i = begin; i < end; i++) {
    float speed = 0, speed2 = 0, moved2 = 0;
    for (int c = 0; c < 4; c++) {
      size_t at = 4 * (size_t)i + (size_t)c;
      float dx = s->direction[at] = -s->direction[at];
      float x = b->x[at] = s->x[at], v = b->v[at] = b->motion->velocity[at];
      float dv = b->dv[at] = rate * (x + dx - b->motion->start[at]) - v;
      speed += v * dv, speed2 += dv * dv, moved2 += dx * dx;
    }
    sums[0] += (double)(unit * s->inertia[i] * speed);
    sums[1] += (double)(unit * s->inertia[i] * speed2);
    sums[3] -= (double)(s->inertia[i] * moved2);
  }
  sums[2] = dot_chunk(b->motion->force, s->direction, begin, end);
  sums[3] -= dot_chunk(b->q, s->direction, begin, end);
}

// One iteration of backward Euler from midpoint's end, and where on the way there the error is 0 if
// the energy is quadratic: its slope is known, so is the curvature of the kinetic part, and
// dx = -A^-1 q says that of the elastic one.
static double find_way(blending *b, point *start) {
  mi_motion_find_force(b->solver, b->motion);
  for_all(b, gradient_range);
  mi_solver_approach(b->solver, b->q, b->solver->direction);
  for_all(b, way_range);
  b->kinetic[0] = add_up(b->solver, 0), b->kinetic[1] = add_up(b->solver, 1);
  double error = start->error, slope = b->kinetic[0] - add_up(b->solver, 2);
  double bend = b->kinetic[1] + add_up(b->solver, 3), room = slope * slope - 2 * bend * error;
  start->slope = slope;
  return room > 0 && slope < 0 ? 2 * error / (-slope + sqrt(room)) : -error / slope;
}

// -- along it -------------------------------------------------------------------------------------

static void blend_range(void *task, int begin, int end) {
  const blending *b = task;
  float *restrict x = b->solver->x, *restrict v = b->motion->velocity;
  for (int i = 4 * begin; i < 4 * end; i++) {
    x[i] = b->x[i] + b->at * b->solver->direction[i];
    v[i] = b->v[i] + b->at * b->dv[i];
  }
  mi_motion_sum_chunk(b->solver, b->motion, MI_SUM_ALL, begin, end);
}

static void slope_range(void *task, int begin, int end) {
  const blending *b = task;
  mi_motion_force_chunk(b->solver, b->motion, begin, end);
  b->solver->sums[MI_MOTION_SUMS * (size_t)(begin / CHUNK)] =
      dot_chunk(b->motion->force, b->solver->direction, begin, end);
}

static point try_blend(blending *b, double blend) {
  b->at = (float)blend;
  for_all(b, blend_range);
  mi_motion_sum(b->solver, b->motion, MI_SUM_ALL);
  mi_motion_evaluate(b->solver, b->motion);
  for_all(b, slope_range);
  b->motion->has_force = true;
  point p = {.blend = blend, .error = mi_motion_error(b->motion)};
  p.slope = b->kinetic[0] + blend * b->kinetic[1] - add_up(b->solver, 0);
  return p;
}

// Where the cubic through two points of different sign is 0, by halving: nothing is evaluated.
static double find_between(const point *near, const point *far) {
  double width = far->blend - near->blend, low = 0, high = 1;
  for (int k = 0; k < 30; k++) {
    double s = 0.5 * (low + high), r = 1 - s;
    double at = r * r * (1 + 2 * s) * near->error + s * s * (1 + 2 * r) * far->error +
                s * r * width * (r * near->slope - s * far->slope);
    if ((at > 0) == (near->error > 0))
      low = s;
    else
      high = s;
  }
  return near->blend + 0.5 * (low + high) * width;
}

// Where the parabola at `last`, bent as slopes have changed since `before`, is 0; NAN = nowhere.
static double find_beyond(const point *before, const point *last) {
  double bend = (last->slope - before->slope) / (last->blend - before->blend);
  double room = last->slope * last->slope - 2 * bend * last->error;
  if (!(room > 0) || !(last->slope * last->error * (last->blend - before->blend) < 0)) return NAN;
  double root = last->slope < 0 ? -sqrt(room) : sqrt(room);
  return last->blend - 2 * last->error / (last->slope + root);
}

// -- the search -----------------------------------------------------------------------------------

// The way here leads to one iteration of backward Euler, not to its end. Where that takes too
// little (a head shaken at 24 frames a second), projection takes the rest.
static mi_projection give_up(const blending *b, mi_projection done) {
  mi_projection rest = mi_fepr(b->solver, b->motion);
  done.steps += rest.steps;
  done.error = rest.error;
  return done;
}

mi_projection mi_stabilise(mi_solver *solver, mi_motion *motion) {
  blending b = {.solver = solver,
                .motion = motion,
                .x = solver->forward,
                .v = solver->trial,
                .dv = solver->gradient,
                .q = solver->trial_gradient};
  mi_projection done = {.error = mi_motion_error(motion)};
  double limit = TOLERANCE * fabs(motion->wanted) + solver->noise;
  if (!(fabs(done.error) > limit)) return done;
  double side = done.error > 0 ? 1 : -1;
  point near = {.error = done.error}, far = {0}; // the error has midpoint's sign, or the other
  bool has_far = false;
  double guess = find_way(&b, &near);
  if (!(guess * side > 0) || guess * side > 1) return give_up(&b, done); // beyond backward Euler
  while (done.steps < MOST_TRIALS) {
    point now = try_blend(&b, guess);
    done.blend = guess, done.error = now.error;
    done.steps++;
    if (fabs(now.error) <= limit) return done;
    if (mi_fepr_close(solver, motion, MOST)) {
      done.error = mi_motion_error(motion);
      return done;
    }
    bool is_beyond = !(now.error * side > 0);
    guess = is_beyond || has_far ? find_between(is_beyond ? &near : &now, is_beyond ? &now : &far)
                                 : find_beyond(&near, &now);
    if (is_beyond)
      far = now, has_far = true;
    else
      near = now;
    if (!(guess * side > 0 && guess * side <= 1)) break;
  }
  return give_up(&b, done);
}
