// E(x) = sum m/2h^2 |x - y|^2 + hold/2 |x - anchor|^2 + pull weight/2 |c x - target|^2 + elastic(x)
// and its gradient. Sums are kept per chunk in double and added in order: same bits for any number
// of threads.
#include "solve/solver.h"
#include "sparse/sparse_kernels.h"

#include <math.h>

enum { CHUNK = 1024 };

typedef struct quadratic {
  const mi_sparse_kernels *kernels;
  const mi_solver *solver;
  const float *x;
  float *gradient;
  double *sums; // inertia and attachment, a pair a chunk
} quadratic;

static void quadratic_range(void *task, int begin, int end) {
  const quadratic *q = task;
  const mi_solver *s = q->solver;
  double *sums = q->sums + 2 * (begin / CHUNK);
  mi_spring_rows rows = {q->x, s->predicted, s->anchor, s->inertia, s->hold};
  sums[0] = sums[1] = 0;
  q->kernels->spring_rows(&rows, begin, end, q->gradient, sums);
}

static double pull_spring(float weight, const float off[3], float force[3]) {
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    force[c] = weight * off[c];
    sum += (double)off[c] * off[c];
  }
  return 0.5 * (double)weight * sum;
}

// pull after pull: there are a hundred or two
double mi_solver_add_pulls(const mi_solver *s, const float *x, float *gradient) {
  double energy = 0;
  for (int k = 0; k < s->pulls.count + s->nmore; k++) {
    const mi_pull *pull = s->pulls.pull + k;
    float off[3], force[3];
    for (int c = 0; c < 3; c++) off[c] = -s->pull_target[3 * k + c];
    for (int j = 0; j < 4 && pull->vert[j] >= 0; j++)
      for (int c = 0; c < 3; c++)
        off[c] += pull->coef[j] * x[4 * (size_t)pull->vert[j] + (size_t)c];
    energy += pull_spring(pull->weight, off, force);
    for (int j = 0; j < 4 && pull->vert[j] >= 0; j++)
      for (int c = 0; c < 3; c++)
        gradient[4 * (size_t)pull->vert[j] + (size_t)c] += pull->coef[j] * force[c];
  }
  return energy;
}

// Work of a constant force, from where bone has the flesh.
static double add_force(const mi_solver *s, const float *x, float *gradient) {
  double work = 0;
  for (int i = 0; i < 4 * s->nvert; i++) {
    work += (double)s->force[i] * (double)(x[i] - s->anchor[i]);
    gradient[i] -= s->force[i];
  }
  return work;
}

static void add_springs(mi_solver *solver, const float *x, float *gradient, mi_energies *energies) {
  quadratic q = {mi_sparse_kernels_best(), solver, x, gradient, solver->sums};
  mi_parallel(solver->host.threads, solver->nvert, CHUNK, quadratic_range, &q);
  for (int chunk = 0; chunk * CHUNK < solver->nvert; chunk++) {
    energies->inertia += solver->sums[2 * chunk];
    energies->attachment += solver->sums[2 * chunk + 1];
  }
}

void mi_solver_evaluate(mi_solver *solver, const float *x, float *gradient, mi_energies *energies) {
  *energies = (mi_energies){0};
  add_springs(solver, x, gradient, energies);
  energies->pulls = mi_solver_add_pulls(solver, x, gradient);
  if (solver->force) energies->pulls -= add_force(solver, x, gradient);
  mi_elastic_evaluate(solver->elastic, x, solver->local, solver->host.threads, gradient,
                      &energies->detail);
  energies->elastic = energies->detail.energy;
  energies->total = energies->inertia + energies->attachment + energies->pulls + energies->elastic;
}

void mi_solver_measure(mi_solver *solver, const float *x, mi_energies *energies) {
  *energies = (mi_energies){0};
  add_springs(solver, x, solver->trial_gradient, energies); // its writing is not worth a kernel
  mi_elastic_evaluate(solver->elastic, x, solver->local, solver->host.threads, NULL,
                      &energies->detail);
  energies->elastic = energies->detail.energy;
  energies->total = energies->inertia + energies->attachment + energies->elastic;
}
