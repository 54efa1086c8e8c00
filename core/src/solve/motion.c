// Sums over moving flesh, its energy and the force on it: chunk by chunk, added in order.
#include "solve/motion.h"

#include <string.h>

enum { CHUNK = MI_MOTION_CHUNK, NSUM = MI_MOTION_SUMS };

static mi_mass_rows rows_of(const mi_solver *solver, const mi_motion *motion, const float *x,
                            const float *v) {
  mi_mass_rows rows = {x, v, solver->inertia, (float)(solver->dt * solver->dt), {0}};
  memcpy(rows.about, motion->about, sizeof rows.about);
  return rows;
}

static double *sums_of(const mi_solver *solver, int begin) {
  return solver->sums + NSUM * (size_t)(begin / CHUNK);
}

static void collect(const mi_solver *solver, double *total, int first, int count) {
  memset(total, 0, (size_t)count * sizeof *total);
  for (int begin = 0; begin < solver->nvert; begin += CHUNK)
    for (int k = 0; k < count; k++) total[k] += sums_of(solver, begin)[first + k];
}

// -- sums -----------------------------------------------------------------------------------------

enum { NEND = sizeof(mi_motion_sums) / sizeof(double), NSTART = 14 };
// of mi_motion_sums, in its order
static const struct {
  int which, first, count;
} parts[] = {
    {MI_SUM_MOMENTA, 0, 7}, {MI_SUM_SHAPE, 7, 10}, {MI_SUM_WORK, 17, 1}, {MI_SUM_ALONG, 18, 4}};
_Static_assert(NEND == 22, "parts are all of mi_motion_sums");
_Static_assert(NEND + NSTART <= NSUM, "room in solver->sums");

void mi_motion_sum_chunk(const mi_solver *solver, const mi_motion *motion, int which, int begin,
                         int end) {
  const mi_momenta_kernels *kernels = motion->kernels;
  mi_mass_rows rows = rows_of(solver, motion, solver->x, motion->velocity);
  double *sums = sums_of(solver, begin); // in the order of mi_motion_sums
  memset(sums, 0, NEND * sizeof *sums);
  if (which & MI_SUM_MOMENTA) kernels->momenta(&rows, begin, end, sums + parts[0].first);
  if (which & MI_SUM_SHAPE) kernels->shape(&rows, begin, end, sums + parts[1].first);
  if (which & MI_SUM_WORK)
    kernels->work(&rows, motion->accel, motion->start, begin, end, sums + parts[2].first);
  if (which & MI_SUM_ALONG)
    kernels->along(&rows, solver->direction, motion->force, begin, end, sums + parts[3].first);
}

void mi_motion_sum(const mi_solver *solver, mi_motion *motion, int which) {
  double total[NEND], *now = (double *)&motion->now;
  collect(solver, total, 0, NEND);
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    if (which & parts[k].which)
      memcpy(now + parts[k].first, total + parts[k].first, (size_t)parts[k].count * sizeof *total);
}

double mi_motion_error(const mi_motion *motion) {
  return motion->elastic - motion->wanted + 0.5 * motion->now.speed2 - motion->now.work;
}

// -- the start ------------------------------------------------------------------------------------

void mi_motion_prepare(const mi_solver *solver, mi_motion *motion) {
  motion->kernels = mi_kernels_best()->momenta;
  memcpy(motion->about, solver->posed, sizeof motion->about); // any point near
}

// momenta of the start, those of the push
void mi_motion_begin_chunk(const mi_solver *solver, const mi_motion *motion, int begin, int end) {
  double *sums = sums_of(solver, begin) + NEND;
  mi_mass_rows start = rows_of(solver, motion, motion->start, motion->first);
  mi_mass_rows kick = rows_of(solver, motion, solver->x, motion->accel);
  mi_motion_sum_chunk(solver, motion, MI_SUM_ALL, begin, end);
  memset(sums, 0, NSTART * sizeof *sums);
  motion->kernels->momenta(&start, begin, end, sums);
  motion->kernels->momenta(&kick, begin, end, sums + 7);
}

void mi_motion_begin(const mi_solver *solver, mi_motion *motion) {
  double sums[NSTART];
  collect(solver, sums, NEND, NSTART);
  motion->kinetic = 0.5 * sums[6];
  for (int k = 0; k < 6; k++) motion->target[k] = sums[k] + motion->h * sums[7 + k];
  mi_motion_sum(solver, motion, MI_SUM_ALL);
}

// -- energy and force -----------------------------------------------------------------------------

static void keep_energies(mi_motion *motion, const mi_energies *energies, const float *gradient) {
  motion->elastic = energies->elastic + energies->attachment;
  motion->nflat = energies->detail.nflat;
  motion->gradient = gradient;
  motion->has_force = false;
}

void mi_motion_evaluate(mi_solver *solver, mi_motion *motion) {
  mi_energies energies;
  mi_solver_evaluate(solver, solver->x, solver->trial_gradient, &energies);
  keep_energies(motion, &energies, solver->trial_gradient);
}

void mi_motion_measure(mi_solver *solver, mi_motion *motion) {
  mi_energies energies;
  mi_solver_measure(solver, solver->x, &energies);
  keep_energies(motion, &energies, NULL);
}

// the gradient without inertia, and with the push
void mi_motion_force_chunk(const mi_solver *solver, const mi_motion *motion, int begin, int end) {
  const float *x = solver->x, *predicted = solver->predicted, *inertia = solver->inertia;
  const float *gradient = motion->gradient, *accel = motion->accel;
  float *restrict force = motion->force;
  float unit = (float)(solver->dt * solver->dt);
  for (int i = begin; i < end; i++)
    for (int c = 0; c < 4; c++) {
      size_t at = 4 * (size_t)i + (size_t)c;
      force[at] = inertia[i] * (x[at] - predicted[at] + unit * accel[at]) - gradient[at];
    }
}

typedef struct task {
  const mi_solver *solver;
  mi_motion *motion;
} task;

static void force_range(void *user, int begin, int end) {
  const task *t = user;
  mi_motion_force_chunk(t->solver, t->motion, begin, end);
}

void mi_motion_find_force(mi_solver *solver, mi_motion *motion) {
  task t = {solver, motion};
  if (!motion->gradient) mi_motion_evaluate(solver, motion);
  if (!motion->has_force) mi_parallel(solver->host.threads, solver->nvert, CHUNK, force_range, &t);
  motion->has_force = true;
}
