#include "race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HALVINGS = 12, SETTLING = 400 };
static const double ARMIJO = 0.1;

const char *const race_names[RACE_METHODS] = {"mien: L-BFGS, factor + Woodbury",
                                              "PD, factor + Woodbury",
                                              "GS-L-BFGS (alg. 1, 2)",
                                              "L-BFGS-1GS",
                                              "PD-1GS",
                                              "PD-Cholesky, refactored",
                                              "L-BFGS-Cholesky, refactored",
                                              "L-BFGS-Cholesky, constant"};
const int race_iterations[RACE_POINTS] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 26, 32};

bool race_open(race *r, mi_solver *solver, textbook *t) {
  size_t nvert = (size_t)solver->nvert;
  *r = (race){.solver = solver, .t = t, .least = INFINITY};
  r->sweeper = mi_gauss_seidel_create(&solver->matrix, &solver->arena);
  r->swept = mi_gauss_seidel_create(textbook_matrix(t), &solver->arena);
  mi_factor_create(textbook_matrix(t), solver->nfront, &solver->host, &r->plain, NULL);
  r->start = malloc(4 * nvert * sizeof *r->start);
  r->x = malloc(3 * nvert * sizeof *r->x);
  if (!r->sweeper || !r->swept || !r->plain || !r->start || !r->x) return false;
  memcpy(r->start, solver->predicted, 4 * nvert * sizeof *r->start);
  return true;
}

void race_close(race *r) {
  mi_factor_free(r->plain);
  free(r->start);
  free(r->x);
}

// -- the methods that the library does not have ---------------------------------------------------

static bool is_swept(race_method method) {
  return method == RACE_PD_1GS || method == RACE_LBFGS_1GS;
}

static void apply_inverse(race *r, race_method method, const float *q, float *s) {
  mi_solver *solver = r->solver;
  if (!is_swept(method)) {
    textbook_apply_inverse(r->t, q, s);
    return;
  }
  memset(s, 0, 4 * (size_t)solver->nvert * sizeof *s);
  mi_gauss_seidel_sweep(r->swept, &solver->lowrank_rows, q, 1, solver->host.threads, s);
}

static double find_direction(race *r, race_method method, bool history) {
  mi_solver *s = r->solver;
  int threads = s->host.threads;
  if (!history) {
    apply_inverse(r, method, s->gradient, s->direction);
    return -mi_lbfgs_dot(s->gradient, s->direction, s->nvert, threads, s->sums);
  }
  mi_lbfgs_forward(s->history, s->gradient, threads, s->forward);
  apply_inverse(r, method, s->forward, s->direction);
  return -mi_lbfgs_backward(s->history, s->direction, s->gradient, threads);
}

static void swap(float **a, float **b) {
  float *c = *a;
  *a = *b, *b = c;
}

// false when nothing is downhill
static bool iterate(race *r, race_method method, bool history, mi_energies *now) {
  mi_solver *s = r->solver;
  double slope = find_direction(r, method, history), step = 1;
  if (history && !(slope < 0)) {
    mi_lbfgs_reset(s->history);
    slope = find_direction(r, method, history);
  }
  for (int k = 0; k <= MOST_HALVINGS; k++, step /= 2) {
    mi_energies trial;
    for (int i = 0; i < 4 * s->nvert; i++) s->trial[i] = s->x[i] - (float)step * s->direction[i];
    mi_solver_evaluate(s, s->trial, s->trial_gradient, &trial);
    if (history && !(trial.total <= now->total + ARMIJO * step * slope)) continue;
    if (history)
      mi_lbfgs_add(s->history, s->x, s->trial, s->gradient, s->trial_gradient, s->host.threads);
    swap(&s->x, &s->trial);
    swap(&s->gradient, &s->trial_gradient);
    *now = trial;
    return true;
  }
  return false;
}

static void descend(race *r, race_method method, int iterations) {
  bool history = method != RACE_PD_1GS && method != RACE_PD_CHOLESKY;
  mi_energies now;
  if (history) mi_lbfgs_reset(r->solver->history);
  mi_solver_evaluate(r->solver, r->solver->x, r->solver->gradient, &now);
  for (int k = 0; k < iterations; k++)
    if (!iterate(r, method, history, &now)) break;
}

// -- those it has ---------------------------------------------------------------------------------

static bool descend_ours(race *r, race_method method, int iterations) {
  mi_solver *s = r->solver;
  mi_solver kept = *s;
  mien_step_opts opts;
  mien_state_info info = {0};
  mien_step_opts_init(&opts);
  opts.iterations = iterations;
  if (method == RACE_GS_LBFGS)
    s->factor = NULL, s->sweeper = r->sweeper, s->kind = MIEN_SOLVER_GAUSS_SEIDEL;
  if (method == RACE_PLAIN)
    s->factor = r->plain, s->history = NULL, s->kind = MIEN_SOLVER_PREFACTORED;
  bool done = !s->factor || mi_factor_set_lowrank(s->factor, &s->lowrank_rows, s->host.threads);
  if (done && iterations > 0) mi_solver_descend(s, &opts, 0, &info);
  s->factor = kept.factor, s->sweeper = kept.sweeper, s->kind = kept.kind;
  s->history = kept.history;
  return done;
}

double race_run(race *r, race_method method, int iterations) {
  mi_solver *s = r->solver;
  memcpy(s->x, r->start, 4 * (size_t)s->nvert * sizeof *s->x);
  double start = mi_clock();
  if (method <= RACE_GS_LBFGS) {
    if (!descend_ours(r, method, iterations)) return -1;
    return mi_clock() - start;
  }
  descend(r, method, iterations);
  bool anew = method == RACE_PD_CHOLESKY || method == RACE_LBFGS_CHOLESKY;
  return mi_clock() - start + (anew ? r->factor_seconds : 0);
}

double race_energy(race *r) {
  textbook_to_double(r->solver->nvert, r->solver->x, r->x);
  return textbook_energy(r->t, r->x, NULL);
}

// -- curves ---------------------------------------------------------------------------------------

// the factor that a method needs, the fastest of a few
static bool prepare(race *r, race_method method, int repeats) {
  if (method < RACE_PD_CHOLESKY) return true;
  double seconds, best = INFINITY;
  for (int k = 0; k < (repeats < 3 ? repeats : 3); k++) {
    if (!textbook_factor(r->t, method != RACE_LBFGS_CONSTANT, &seconds)) return false;
    best = fmin(best, seconds);
  }
  r->factor_seconds = best;
  return true;
}

void race_measure(race *r, race_method method, int points, int repeats, race_curve *curve) {
  curve->count = 0;
  if (!prepare(r, method, repeats)) return;
  for (int p = 0; p < points; p++) {
    double best = INFINITY;
    for (int k = 0; k < repeats; k++) {
      double seconds = race_run(r, method, race_iterations[p]);
      if (seconds < 0) return;
      best = fmin(best, seconds);
    }
    curve->seconds[p] = race_iterations[p] ? best : 0;
    curve->energy[p] = race_energy(r);
    curve->count = p + 1;
  }
}

void race_finish(race *r, race_curve curves[RACE_METHODS]) {
  race_run(r, RACE_OURS, SETTLING);
  r->least = race_energy(r);
  if (textbook_factor(r->t, true, NULL)) { // r->x is the state of the line above
    textbook_iterate(r->t, 30, r->x);
    r->least = fmin(r->least, textbook_energy(r->t, r->x, NULL));
  }
  for (int m = 0; m < RACE_METHODS; m++)
    for (int p = 0; p < curves[m].count; p++) r->least = fmin(r->least, curves[m].energy[p]);
  for (int m = 0; m < RACE_METHODS; m++)
    for (int p = 0; p < curves[m].count; p++) {
      double first = curves[m].energy[0] - r->least,
             error = (curves[m].energy[p] - r->least) / first;
      curves[m].error[p] = fmax(error, 1e-12);
    }
}

double race_error_at(const race_curve *curve, double seconds) {
  double least = 1;
  for (int p = 0; p < curve->count; p++)
    if (curve->seconds[p] <= seconds) least = fmin(least, curve->error[p]);
  return least;
}
