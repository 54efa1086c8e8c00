// Stabilised midpoint (Dinev, 3.3): implicit midpoint gains or loses energy. Its end is blended
// with that of one iteration of backward Euler from there, which takes energy out, or with that of
// forward Euler, which puts some in, as far as the energy is right (eq. 3.45 to 3.48).
//
// The blend is the root of a function whose slope is known, inside an interval at
// whose ends the error has different signs; the paper halves the interval. Where no blend is
// right the paper takes the end of the way and leaves the rest to later steps. Here projection
// takes the rest (fepr.c), and it closes what a long step has left nearly right by velocities
// alone. A body that nothing holds gets its momenta back where the energy allows it; the paper's
// loses them (figure 3.29).
#include "solve/motion.h"

#include "math/roots.h"
#include "sparse/sparse_kernels.h"

#include <math.h>
#include <string.h>

// epsilon of eq. 3.48 is 0.01; what floats round away in 10,000 steps has to fit in, too
static const double TOLERANCE = 0.009;
static const double MOST = 1.25; // times, or its inverse, velocities may change at the end
enum { CHUNK = MI_MOTION_CHUNK, MOST_TRIALS = 12 };

// H along the way from midpoint's end (0) to the end of an Euler step (1)
typedef struct blending {
  mi_solver *solver;
  mi_motion *motion;
  float *x, *v, *dv; // midpoint's end; where it goes is solver->direction and dv
  float *q;          // gradient of backward Euler at midpoint's end; of the laws at the start
  float at;          // the blend in x and v
  double kinetic[2]; // m v.dv at midpoint's end, m dv.dv
} blending;

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

// backward Euler: m (x - y) / h^2 + dE/dx, with y = start + h first + h^2 push; force holds push
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

static void backward_range(void *task, int begin, int end) {
  const blending *b = task;
  float rate = (float)(1 / b->motion->h);
  for (int i = 4 * begin; i < 4 * end; i++) {
    float dx = b->solver->direction[i] = -b->solver->direction[i];
    b->dv[i] = rate * (b->solver->x[i] + dx - b->motion->start[i]) - b->motion->velocity[i];
  }
}

// one iteration from midpoint's end
static void go_backward(blending *b) {
  for_all(b, gradient_range);
  mi_solver_approach(b->solver, b->q, b->solver->direction);
  for_all(b, backward_range);
}

// x + h v and v + h f / m; q is the gradient of all laws at the start
static void forward_range(void *task, int begin, int end) {
  const blending *b = task;
  const mi_solver *s = b->solver;
  const mi_motion *m = b->motion;
  float h = (float)m->h, unit = (float)(s->dt * s->dt);
  for (int i = begin; i < end; i++)
    for (int c = 0; c < 4; c++) {
      size_t at = 4 * (size_t)i + (size_t)c;
      float mass = unit * s->inertia[i], x = m->start[at], v = m->first[at];
      float force = s->inertia[i] * (x - s->predicted[at] + unit * m->accel[at]) - b->q[at];
      s->direction[at] = mass > 0 ? x + h * v - s->x[at] : 0;
      b->dv[at] = mass > 0 ? v + h * force / mass - m->velocity[at] : 0;
    }
}

static void go_forward(blending *b) {
  mi_energies energies;
  mi_solver_evaluate(b->solver, b->motion->start, b->q, &energies);
  for_all(b, forward_range);
}

// sums: m v.dv, m dv.dv, force.dx
static void way_range(void *task, int begin, int end) {
  const blending *b = task;
  const mi_solver *s = b->solver;
  float unit = (float)(s->dt * s->dt);
  double *sums = s->sums + MI_MOTION_SUMS * (size_t)(begin / CHUNK);
  memset(sums, 0, 3 * sizeof *sums);
  for (int i = begin; i < end; i++) {
    float speed = 0, speed2 = 0;
    for (int c = 0; c < 4; c++) {
      size_t at = 4 * (size_t)i + (size_t)c;
      float v = b->v[at] = b->motion->velocity[at], dv = b->dv[at];
      b->x[at] = s->x[at];
      speed += v * dv, speed2 += dv * dv;
    }
    sums[0] += (double)(unit * s->inertia[i] * speed);
    sums[1] += (double)(unit * s->inertia[i] * speed2);
  }
  sums[2] = dot_chunk(b->motion->force, s->direction, begin, end);
}

// The start of the way, with the slope of the error there.
static mi_curve_point find_way(blending *b, double error) {
  mi_motion_find_force(b->solver, b->motion);
  if (error > 0)
    go_backward(b);
  else
    go_forward(b);
  for_all(b, way_range);
  b->kinetic[0] = add_up(b->solver, 0), b->kinetic[1] = add_up(b->solver, 1);
  return (mi_curve_point){.value = error, .slope = b->kinetic[0] - add_up(b->solver, 2)};
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

static mi_curve_point try_blend(blending *b, double blend) {
  b->at = (float)blend;
  for_all(b, blend_range);
  mi_motion_sum(b->solver, b->motion, MI_SUM_ALL);
  mi_motion_evaluate(b->solver, b->motion);
  for_all(b, slope_range);
  b->motion->has_force = true;
  mi_curve_point p = {.at = blend, .value = mi_motion_error(b->motion)};
  p.slope = b->kinetic[0] + blend * b->kinetic[1] - add_up(b->solver, 0);
  return p;
}

// -- the search -----------------------------------------------------------------------------------

typedef struct search {
  mi_curve_point near, far; // the error has midpoint's sign; the other one
  bool has_far;
} search;

static double guess_next(const search *s, double bend) {
  if (!s->has_far) return fmin(1, mi_root_beyond(&s->near, bend));
  double width = s->far.at - s->near.at, guess = mi_root_between(&s->near, &s->far);
  return fmin(fmax(guess, s->near.at + 0.05 * width), s->far.at - 0.05 * width);
}

mi_projection mi_stabilise(mi_solver *solver, mi_motion *motion) {
  blending b = {.solver = solver,
                .motion = motion,
                .x = motion->work[0],
                .v = motion->work[1],
                .dv = motion->work[2],
                .q = motion->work[3]};
  mi_projection done = {.error = mi_motion_error(motion)};
  double limit = TOLERANCE * fabs(motion->wanted) + solver->noise;
  // eight iterations of midpoint do not keep momenta even where they keep the energy
  if (!(fabs(done.error) > limit)) mi_fepr_restore_momenta(solver, motion);
  done.error = mi_motion_error(motion);
  if (!(fabs(done.error) > limit)) return done;
  double side = done.error > 0 ? 1 : -1;
  search s = {.near = find_way(&b, done.error)};
  double bend = b.kinetic[1];
  while (done.steps < MOST_TRIALS && s.near.at < 1) {
    mi_curve_point now = try_blend(&b, guess_next(&s, bend));
    done.blend = side * now.at, done.error = now.value;
    done.steps++;
    if (fabs(now.value) <= limit && !motion->is_free) return done;
    if (mi_fepr_close(solver, motion, MOST)) {
      done.error = mi_motion_error(motion);
      return done;
    }
    if (fabs(now.value) <= limit) return done;
    bend = (now.slope - s.near.slope) / (now.at - s.near.at);
    if (now.value * side > 0)
      s.near = now;
    else
      s.far = now, s.has_far = true;
  }
  mi_projection rest = mi_fepr(solver, motion);
  done.steps += rest.steps;
  done.error = rest.error;
  return done;
}
