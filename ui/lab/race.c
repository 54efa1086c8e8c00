#include "race.h"

#include "lab_clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HALVINGS = 12, MOST_SWEEPS = 64, SETTLING = 400 };
static const double ARMIJO = 0.1;

const char *const race_names[RACE_METHODS] = {"mien: L-BFGS, factor + Woodbury",
                                              "PD, factor + Woodbury",
                                              "GS-L-BFGS (alg. 1, 2)",
                                              "L-BFGS-1GS",
                                              "PD-1GS",
                                              "PD-Cholesky, refactored",
                                              "L-BFGS-Cholesky, refactored",
                                              "L-BFGS-Cholesky, constant",
                                              "GS-L-BFGS, offline"};
const int race_iterations[RACE_POINTS] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 26, 32};

static double now(const race *r) {
  return lab_clock(r->solver->host.threads);
}

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

bool race_set_planes(race *r, const race_plane *plane, int nplane, float *target) {
  r->plane = plane, r->nplane = nplane, r->target = target;
  r->rank1 = malloc((size_t)(nplane + 1) * sizeof *r->rank1);
  return r->rank1 != NULL;
}

void race_close(race *r) {
  mi_factor_free(r->plain);
  free(r->start);
  free(r->x);
  free(r->rank1);
}

// -- One-sided rows -------------------------------------------------------------------------------

// The local step of the planes: each target is the closest point of the free side.
static void project(race *r, const float *x) {
  for (int k = 0; k < r->nplane; k++) {
    const race_plane *plane = r->plane + k;
    const mi_lowrank *row = r->solver->lowrank_rows.lowrank + plane->row;
    float *to = r->target + 3 * (size_t)plane->row, along = 0;
    memset(to, 0, 3 * sizeof *to);
    for (int j = 0; j < 4 && row->vert[j] >= 0; j++)
      for (size_t c = 0; c < 3; c++) to[c] += row->coef[j] * x[4 * (size_t)row->vert[j] + c];
    for (int c = 0; c < 3; c++) along += plane->normal[c] * to[c];
    for (int c = 0; c < 3; c++) to[c] += fmaxf(0, plane->gap - along) * plane->normal[c];
  }
}

static void evaluate(race *r, const float *x, float *gradient, mi_energies *energies) {
  project(r, x);
  mi_solver_evaluate(r->solver, x, gradient, energies);
}

// Rows of the frame into a factor of the library's: springs, and planes along their normals alone.
static bool set_rows(race *r, mi_factor *factor) {
  mi_solver *s = r->solver;
  mi_lowrank_rows springs = {s->lowrank_rows.lowrank, s->lowrank_rows.count - r->nplane};
  if (!mi_factor_set_lowrank(factor, &springs, s->host.threads)) return false;
  if (!r->nplane) return true;
  for (int k = 0; k < r->nplane; k++) {
    const mi_lowrank *row = s->lowrank_rows.lowrank + r->plane[k].row;
    mi_rank1 *to = r->rank1 + k;
    to->weight = row->weight;
    memcpy(to->vert, row->vert, sizeof to->vert);
    for (int j = 0; j < 4; j++)
      for (int c = 0; c < 3; c++) to->vector[j][c] = row->coef[j] * r->plane[k].normal[c];
  }
  if (!mi_factor_reserve_rank1(factor)) return false;
  mi_factor_set_rank1(factor, r->rank1, r->nplane, s->host.threads);
  return true;
}

// -- the methods ----------------------------------------------------------------------------------

typedef struct run_of {
  race *r;
  race_method method;
  double start; // s
  bool history; // L-BFGS, with a line search
  int sweeps;   // of the adaptive ones
  mi_energies now;
} run_of;

static bool is_swept(const run_of *run) {
  if (run->method == RACE_OFFLINE) return now(run->r) - run->start < run->r->factor_seconds;
  return run->method == RACE_PD_1GS || run->method == RACE_LBFGS_1GS ||
         run->method == RACE_GS_LBFGS;
}

static bool is_adaptive(race_method method) {
  return method == RACE_GS_LBFGS || method == RACE_OFFLINE;
}

static void apply_inverse(const run_of *run, const float *q, float *s) {
  race *r = run->r;
  mi_solver *solver = r->solver;
  int threads = solver->host.threads;
  if (run->method == RACE_OURS || run->method == RACE_PLAIN) {
    mi_factor_solve(run->method == RACE_OURS ? solver->factor : r->plain, q, threads, s);
    return;
  }
  if (!is_swept(run)) {
    textbook_apply_inverse(r->t, q, s);
    return;
  }
  // from zero: to start from q, as algorithm 1 has it, depends on the unit of force
  memset(s, 0, 4 * (size_t)solver->nvert * sizeof *s);
  int sweeps = is_adaptive(run->method) ? run->sweeps : 1;
  mi_gauss_seidel_sweep(r->swept, &solver->lowrank_rows, q, sweeps, threads, s);
}

static double find_direction(const run_of *run) {
  mi_solver *s = run->r->solver;
  int threads = s->host.threads;
  if (!run->history) {
    apply_inverse(run, s->gradient, s->direction);
    return -mi_lbfgs_dot(s->gradient, s->direction, s->nvert, threads, s->sums);
  }
  mi_lbfgs_forward(s->history, s->gradient, threads, s->forward);
  apply_inverse(run, s->forward, s->direction);
  return -mi_lbfgs_backward(s->history, s->direction, s->gradient, threads);
}

// Algorithm 1: sweeps until the direction is downhill; then without history.
static double find_descent(run_of *run) {
  double slope = find_direction(run);
  while (run->history && !(slope < 0) && is_adaptive(run->method) && is_swept(run) &&
         run->sweeps < MOST_SWEEPS) {
    run->sweeps++;
    slope = find_direction(run);
  }
  if (!run->history || slope < 0) return slope;
  mi_lbfgs_reset(run->r->solver->history);
  return find_direction(run);
}

static void swap(float **a, float **b) {
  float *c = *a;
  *a = *b, *b = c;
}

// An iteration of algorithm 2; false when nothing is downhill.
static bool iterate(run_of *run) {
  mi_solver *s = run->r->solver;
  double slope = find_descent(run), step = 1;
  for (int k = 0; k <= MOST_HALVINGS; k++, step /= 2) {
    mi_energies trial;
    for (int i = 0; i < 4 * s->nvert; i++) s->trial[i] = s->x[i] - (float)step * s->direction[i];
    evaluate(run->r, s->trial, s->trial_gradient, &trial);
    if (run->history && !(trial.total <= run->now.total + ARMIJO * step * slope)) {
      if (k == 0 && run->sweeps < MOST_SWEEPS) run->sweeps *= 2;
      continue;
    }
    if (run->history)
      mi_lbfgs_add(s->history, s->x, s->trial, s->gradient, s->trial_gradient, s->host.threads);
    swap(&s->x, &s->trial);
    swap(&s->gradient, &s->trial_gradient);
    run->now = trial;
    return true;
  }
  return false;
}

static bool descend(race *r, race_method method, int iterations, double start) {
  run_of run = {.r = r, .method = method, .start = start, .sweeps = 2};
  run.history = method != RACE_PD_1GS && method != RACE_PD_CHOLESKY && method != RACE_PLAIN;
  if (method == RACE_OURS && !set_rows(r, r->solver->factor)) return false;
  if (method == RACE_PLAIN && !set_rows(r, r->plain)) return false;
  if (run.history) mi_lbfgs_reset(r->solver->history);
  evaluate(r, r->solver->x, r->solver->gradient, &run.now);
  for (int k = 0; k < iterations; k++)
    if (!iterate(&run)) break;
  return true;
}

// -- the library's own, without planes ------------------------------------------------------------

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
  double start = now(r);
  bool is_done = method <= RACE_GS_LBFGS && !r->nplane ? descend_ours(r, method, iterations)
                                                       : descend(r, method, iterations, start);
  if (!is_done) return -1;
  bool anew = method == RACE_PD_CHOLESKY || method == RACE_LBFGS_CHOLESKY;
  return now(r) - start + (anew ? r->factor_seconds : 0);
}

double race_energy(race *r) {
  project(r, r->solver->x);
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
  if (!prepare(r, method, repeats)) return;
  for (int k = 0; k < repeats; k++)
    for (int p = 0; p < points; p++) {
      double seconds = race_run(r, method, race_iterations[p]);
      if (seconds < 0) return;
      if (p == 0) seconds = 0;
      bool is_new = p >= curve->count;
      if (!is_new && !(seconds < curve->seconds[p])) continue;
      curve->seconds[p] = seconds;
      curve->energy[p] = race_energy(r);
      if (is_new) curve->count = p + 1;
    }
}

void race_finish(race *r, race_curve curves[RACE_METHODS]) {
  race_run(r, RACE_OURS, SETTLING);
  r->least = race_energy(r);
  if (!r->nplane && textbook_factor(r->t, true, NULL)) { // r->x is the state of the line above
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

// When an iteration began: the first one when matrices were factored, which is as long before its
// end as the second one took.
static double begin_of(const race_curve *curve, int p) {
  const double *seconds = curve->seconds;
  return p == 1 && curve->count > 2 ? fmax(0, 2 * seconds[1] - seconds[2]) : seconds[p - 1];
}

double race_error_at(const race_curve *curve, double seconds) {
  double least = 1;
  for (int p = 0; p < curve->count; p++) {
    if (curve->seconds[p] <= seconds) {
      least = fmin(least, curve->error[p]);
      continue;
    }
    double begin = p ? begin_of(curve, p) : seconds;
    if (begin >= seconds) break;
    double share = (seconds - begin) / (curve->seconds[p] - begin);
    double from = fmax(curve->error[p - 1], 1e-300), to = fmax(curve->error[p], 1e-300);
    return fmin(least, from * pow(to / from, share));
  }
  return least;
}
