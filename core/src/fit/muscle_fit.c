#include "fit/muscle_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Weights of the first round and of the last; between them they fall evenly, as powers. Activations
// are numbers of about 0.3, the mean square distance is in mm^2.
static const mi_muscle_weights FIRST = {0.1, 0.1, 300}, LAST = {0.003, 0.03, 1};
enum { TURNS = 2, STEPS = 2, CHORDS = 3, ALONE = 3 };

static mi_muscle_weights weights_of(const mi_muscle_fit *fit, int round) {
  double t = fit->rounds > 1 ? round / (double)(fit->rounds - 1) : 1;
  return (mi_muscle_weights){FIRST.activation * pow(LAST.activation / FIRST.activation, t),
                             FIRST.volume * pow(LAST.volume / FIRST.volume, t),
                             FIRST.shares * pow(LAST.shares / FIRST.shares, t)};
}

static double mean_error(const mi_muscle_fit *fit) {
  double sum = 0;
  for (int k = 0; k < fit->count; k++) sum += fit->expressions[k].error / fit->count;
  return sum;
}

// Hessians until a round begins: those of the fit with the atlas's shares, then in each turn one
// for the activations and STEPS for the shares of every expression. A Hessian with what is solved
// by it is what takes time.
static int work_until(const mi_muscle_fit *fit, int round) {
  return fit->count * (ALONE + round * TURNS * (1 + STEPS));
}

// Fails when the host wants to stop.
static mien_result report(const mi_muscle_fit *fit, mien_error *err) {
  char what[96] = "muscles as in the atlas";
  if (fit->work >= work_until(fit, 0))
    snprintf(what, sizeof what, "muscles, round %d of %d: %.2f mm", fit->round + 1, fit->rounds + 1,
             1e3 * mean_error(fit));
  double done = fit->work / (double)(work_until(fit, fit->rounds) + fit->count * ALONE);
  if (mi_progress(&fit->face->host, what, done)) return MIEN_OK;
  return mi_fail(err, MIEN_ERR_CANCELLED, "the fit of the muscles was stopped");
}

// Activations of every expression, by `jacobians` Jacobians each. The host may stop it before each
// of them: in a large face one takes seconds.
static mien_result activate(mi_muscle_fit *fit, const mi_muscle_weights *w, int jacobians,
                            mien_error *err) {
  mi_balance *b = &fit->balance;
  double *residual = MI_PUSH(&fit->arena, double, 3 * (size_t)b->nseen);
  if (!residual) return mi_fail_memory(err);
  for (int k = 0; k < fit->count; k++, fit->work += jacobians) {
    mi_expression *e = fit->expressions + k;
    double cost = mi_activations_cost(b, e, w, residual);
    mien_result result = report(fit, err);
    for (int n = 0; n < jacobians && result == MIEN_OK; n++) {
      double before = cost;
      result = mi_activations_improve(b, e, w, CHORDS, &cost, err);
      if (before - cost < 0.02 * before) break;
    }
    if (result < 0) return result;
  }
  return MIEN_OK;
}

static mien_result turn(mi_muscle_fit *fit, const mi_muscle_weights *w, mien_error *err) {
  mi_balance *b = &fit->balance;
  double *residual = MI_PUSH(&fit->arena, double, 3 * (size_t)b->nseen);
  mien_result result = residual ? activate(fit, w, 1, err) : mi_fail_memory(err);
  if (result < 0) return result;
  double cost = mi_geometry_cost(b, fit->expressions, fit->count, fit->first, w, residual);
  for (int n = 0; n < STEPS && result == MIEN_OK; n++, fit->work += fit->count) {
    result = report(fit, err);
    if (result == MIEN_OK)
      result = mi_geometry_improve(b, fit->expressions, fit->count, fit->first, w, &cost, err);
  }
  return result < 0 ? result : MIEN_OK;
}

static mien_result run_rounds(mi_muscle_fit *fit, mien_error *err) {
  while (fit->round < fit->rounds) {
    mi_muscle_weights w = weights_of(fit, fit->round);
    for (int k = 0; k < TURNS; k++) {
      fit->work = work_until(fit, fit->round) + k * fit->count * (1 + STEPS);
      mien_result result = turn(fit, &w, err);
      if (result < 0) return result;
    }
    fit->round++;
    mien_result result = mi_muscle_fit_save(fit, err);
    if (result < 0) return result;
  }
  fit->work = work_until(fit, fit->rounds);
  return activate(fit, &LAST, ALONE, err);
}

// Fits activations alone with the atlas's shares; then all muscles relax again.
static mien_result measure_before(mi_muscle_fit *fit, mien_error *err) {
  mi_balance *b = &fit->balance;
  mien_result result = activate(fit, &LAST, ALONE, err);
  for (int k = 0; k < fit->count; k++) {
    mi_expression *e = fit->expressions + k;
    fit->errors_before[k] = (float)e->error;
    memset(e->activation, 0, MI_ACTIVATION * (size_t)b->nmuscle * sizeof(float));
    memset(e->jaw, 0, sizeof e->jaw);
    for (int v = 0; v < b->nvert; v++)
      memcpy(e->x + 4 * (size_t)v, b->face->rest + 3 * (size_t)b->solver->perm[v],
             3 * sizeof(float));
    mi_balance_settle(b, e, 1);
  }
  return result;
}

static mien_result note_errors(mi_muscle_fit *fit, mien_error *err) {
  float *errors = MI_PUSH(&fit->face->arena, float, fit->count);
  float *before = MI_PUSH(&fit->face->arena, float, fit->count);
  if (!errors || !before) return mi_fail_memory(err);
  for (int k = 0; k < fit->count; k++) errors[k] = (float)fit->expressions[k].error;
  memcpy(before, fit->errors_before, (size_t)fit->count * sizeof *before);
  fit->face->info.muscle_errors = (mien_f32s){errors, fit->count, 1};
  fit->face->info.muscle_errors_before = (mien_f32s){before, fit->count, 1};
  return MIEN_OK;
}

// From the atlas, or from where an earlier fit of the same start was stopped.
static mien_result set_out(mi_muscle_fit *fit, mien_error *err) {
  bool is_kept;
  mien_result result = mi_muscle_fit_load(fit, &is_kept, err);
  if (result < 0 || is_kept) return result;
  result = measure_before(fit, err);
  return result < 0 ? result : mi_muscle_fit_save(fit, err);
}

static mien_result aim_all(mi_muscle_fit *fit, mien_error *err) {
  mien_result result = MIEN_OK;
  int nspiked = 0;
  for (int k = 0; result >= 0 && k < fit->count; k++) {
    const mien_muscle_target *target = fit->def->muscle_targets + k;
    mien_f32s clean;
    result = mi_expression_create(&fit->balance, fit->expressions + k, err);
    if (result >= 0) result = mi_muscle_target_clean(fit->face, target, &fit->arena, &clean, err);
    if (result < 0) return result;
    nspiked += result == MIEN_REMARK;
    mi_expression_aim(&fit->balance, fit->expressions + k, &clean);
    mi_balance_settle(&fit->balance, fit->expressions + k, 1);
    fit->hash = mi_hash(fit->hash, fit->expressions[k].target,
                        3 * (size_t)fit->balance.nseen * sizeof(double));
  }
  if (nspiked &&
      !mi_remark(&fit->face->remarks,
                 "%d targets have spikes: vertices far off their neighbours are left out", nspiked))
    return mi_fail_memory(err);
  return result < 0 ? result : MIEN_OK;
}

static mien_result fit_all(mi_muscle_fit *fit, mien_error *err) {
  mien_face *face = fit->face;
  size_t nentry = (size_t)face->muscles.nentry;
  fit->first = MI_PUSH(&fit->arena, float, nentry);
  fit->expressions = MI_PUSH(&fit->arena, mi_expression, fit->count);
  fit->errors_before = MI_PUSH(&fit->arena, float, fit->count);
  if (!fit->first || !fit->expressions || !fit->errors_before) return mi_fail_memory(err);
  memcpy(fit->first, face->muscles.share, nentry * sizeof *fit->first);
  mien_result result = mi_balance_create(face, &face->host, &fit->balance, err);
  fit->hash = mi_hash_u64(face->info.hash, (uint64_t)fit->rounds);
  if (result >= 0) result = aim_all(fit, err);
  if (result >= 0) result = set_out(fit, err);
  if (result >= 0) result = run_rounds(fit, err);
  if (result >= 0) result = note_errors(fit, err);
  for (int k = 0; k < fit->count; k++) mi_expression_free(fit->expressions + k);
  mi_balance_free(&fit->balance);
  return result;
}

mien_result mi_fit_muscles(mien_face *face, const mien_face_def *def, mien_error *err) {
  mi_muscle_fit fit = {
      .face = face, .def = def, .count = def->nmuscle_target, .rounds = def->muscle_rounds};
  double started = mi_clock();
  mi_arena_init(&fit.arena, &face->host);
  mien_result result = mi_muscle_targets_check(&fit, err);
  if (result >= 0) result = fit_all(&fit, err);
  if (result >= 0) {
    face->muscles.is_fitted = true;
    face->info.remarks = face->remarks.text; // there may be more of them
    face->info.nremark = face->remarks.count;
    mi_muscles_measure(face);
    face->info.hash =
        mi_hash(face->info.hash, face->muscles.share, (size_t)face->muscles.nentry * sizeof(float));
  }
  mi_arena_free(&fit.arena);
  face->info.seconds_muscles += mi_clock() - started;
  return result;
}
