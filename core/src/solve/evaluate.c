// E(x) and its gradient: the laws of energy/ on the solver's flesh.
#include "solve/solver.h"

mi_flesh mi_solver_flesh(const mi_solver *s) {
  return (mi_flesh){.face = s->face,
                    .nvert = s->nvert,
                    .threads = s->host.threads,
                    .iperm = s->iperm,
                    .inertia = s->inertia,
                    .attach_stiffness = s->attach_stiffness,
                    .predicted = s->predicted,
                    .anchor = s->anchor,
                    .posed = s->posed,
                    .actuation = s->actuation,
                    .elastic = s->elastic,
                    .local = s->local,
                    .spring = s->lowrank_rows.lowrank,
                    .spring_target = s->pull_target,
                    .nspring = s->lowrank_rows.count + s->nmore,
                    .force = s->force,
                    .sums = s->sums,
                    .unused = s->trial_gradient};
}

double mi_solver_add_lowrank(const mi_solver *s, const float *x, float *gradient) {
  mi_flesh flesh = mi_solver_flesh(s);
  mi_energies energies = {0};
  mi_law_spring.body(&flesh, x, gradient, &energies);
  return energies.lowrank_rows;
}

void mi_solver_evaluate(mi_solver *solver, const float *x, float *gradient, mi_energies *energies) {
  mi_flesh flesh = mi_solver_flesh(solver);
  mi_laws_evaluate(&flesh, x, gradient, energies);
}

void mi_solver_measure(mi_solver *solver, const float *x, mi_energies *energies) {
  mi_flesh flesh = mi_solver_flesh(solver);
  flesh.nspring = 0;
  flesh.force = NULL;
  mi_laws_evaluate(&flesh, x, NULL, energies);
}
