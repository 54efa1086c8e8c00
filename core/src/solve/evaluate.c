// E(x) = sum m/2h^2 |x - y|^2 + hold/2 |x - anchor|^2 + pull weight/2 |c x - target|^2 + elastic(x)
// and its gradient. Sums are kept per chunk in double and added in order: same bits for any number
// of threads.
#include "solve/solver.h"

enum { CHUNK = 1024 };

typedef struct quadratic {
  const mi_solver *solver;
  const float *x;
  float *gradient;
  double *sums; // inertia and attachment, a pair a chunk
} quadratic;

static void quadratic_range(void *task, int begin, int end) {
  const quadratic *q = task;
  const mi_solver *s = q->solver;
  double inertia = 0, held = 0;
  for (int i = begin; i < end; i++) {
    float from_prediction = 0, from_anchor = 0;
    for (int c = 0; c < 4; c++) {
      size_t at = 4 * (size_t)i + (size_t)c;
      float a = q->x[at] - s->predicted[at], b = q->x[at] - s->anchor[at];
      q->gradient[at] = s->inertia[i] * a + s->hold[i] * b;
      from_prediction += a * a;
      from_anchor += b * b;
    }
    inertia += 0.5 * (double)s->inertia[i] * (double)from_prediction;
    held += 0.5 * (double)s->hold[i] * (double)from_anchor;
  }
  q->sums[2 * (begin / CHUNK)] = inertia;
  q->sums[2 * (begin / CHUNK) + 1] = held;
}

// |c x - target|^2, pull after pull: there are a hundred or two
static double add_pulls(const mi_solver *s, const float *x, float *gradient) {
  double energy = 0;
  for (int k = 0; k < s->pulls.count; k++) {
    const mi_pull *pull = s->pulls.pull + k;
    float off[3];
    for (int c = 0; c < 3; c++) off[c] = -s->pull_target[3 * k + c];
    for (int j = 0; j < 4 && pull->vert[j] >= 0; j++)
      for (int c = 0; c < 3; c++)
        off[c] += pull->coef[j] * x[4 * (size_t)pull->vert[j] + (size_t)c];
    for (int j = 0; j < 4 && pull->vert[j] >= 0; j++)
      for (int c = 0; c < 3; c++)
        gradient[4 * (size_t)pull->vert[j] + (size_t)c] += pull->weight * pull->coef[j] * off[c];
    energy += 0.5 * (double)pull->weight *
              ((double)off[0] * off[0] + (double)off[1] * off[1] + (double)off[2] * off[2]);
  }
  return energy;
}

void mi_solver_evaluate(mi_solver *solver, const float *x, float *gradient, mi_energies *energies) {
  *energies = (mi_energies){0};
  quadratic q = {solver, x, gradient, solver->sums};
  mi_parallel(solver->host.threads, solver->nvert, CHUNK, quadratic_range, &q);
  for (int chunk = 0; chunk * CHUNK < solver->nvert; chunk++) {
    energies->inertia += solver->sums[2 * chunk];
    energies->attachment += solver->sums[2 * chunk + 1];
  }
  energies->pulls = add_pulls(solver, x, gradient);
  mi_elastic_evaluate(solver->elastic, x, solver->local, solver->host.threads, gradient,
                      &energies->detail);
  energies->elastic = energies->detail.energy;
  energies->total = energies->inertia + energies->attachment + energies->pulls + energies->elastic;
}
