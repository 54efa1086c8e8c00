// Operators of a face: found by their key, made when they are not there, shared by states.
#include "solve/system.h"

#include "solve/step.h"

#include <math.h>

enum { UNUSED_MOST = 4 }; // operators that are kept although no state uses them

double mi_operator_span(const mien_step_opts *opts, double frame) {
  mien_step_opts rounded = *opts;
  // Classic PD has no line search: it needs the very matrix of its step.
  bool is_exact = opts->solver == MIEN_SOLVER_PREFACTORED;
  double scale = is_exact ? opts->time_scale : ldexp(1, (int)lround(log2(opts->time_scale)));
  rounded.dt = scale * frame / opts->substeps; // as step.c divides a step
  return mi_integrate_span(&rounded);
}

bool mi_operator_has_key(const mi_operator *op, const mi_operator_key *key) {
  return op->key.kind == key->kind && op->key.span == key->span &&
         op->key.held_by == key->held_by && op->key.holds_neutral == key->holds_neutral;
}

void mi_operator_free(mi_operator *op) {
  mi_factor_free(op->factor);
  mi_arena_delete(op->arena);
}

static mien_result build(mi_operator *op, const mi_system *system, const mien_face *face,
                         int threads, mien_error *err) {
  mien_result result = mi_operator_assemble(op, system, face, threads, err);
  if (result < 0) return result;
  if (op->key.kind == MIEN_SOLVER_PREFACTORED)
    return mi_factor_create(&op->matrix, system->nfront, &system->host, &op->factor, err);
  if (op->key.kind != MIEN_SOLVER_DIRECT) return MIEN_OK;
  result = mi_factor_create_compact(&op->matrix, system->nfront, &system->host, &op->factor, err);
  return result < 0 ? result : mi_operator_find_soft_modes(op, system, face, threads, err);
}

static mien_result make(mi_system *system, const mien_face *face, const mi_operator_key *key,
                        int threads, mi_operator **out, mien_error *err) {
  mi_operator *op = MI_CREATE(mi_operator, &system->host);
  if (!op) return mi_fail_memory(err);
  op->key = *key;
  mien_result result = build(op, system, face, threads, err);
  if (result < 0) {
    mi_operator_free(op);
    return result;
  }
  op->next = system->operators;
  system->operators = *out = op;
  system->nmade++;
  return MIEN_OK;
}

// Frees the least recently used operators while there are too many.
static void free_unused(mi_system *system) {
  for (;;) {
    mi_operator **oldest = NULL;
    int nunused = 0;
    for (mi_operator **at = &system->operators; *at; at = &(*at)->next) {
      if ((*at)->nuser) continue;
      nunused++;
      if (!oldest || (*at)->last_use < (*oldest)->last_use) oldest = at;
    }
    if (nunused <= UNUSED_MOST) return;
    mi_operator *op = *oldest;
    *oldest = op->next;
    mi_operator_free(op);
  }
}

static mien_result acquire(const mien_face *face, const mi_operator_key *key, int threads,
                           const mi_system **out_system, const mi_operator **out, mien_error *err) {
  mi_system *system;
  mien_result result = mi_system_get(face, &system, err);
  if (result < 0) return result;
  mi_operator *op = system->operators;
  while (op && !mi_operator_has_key(op, key)) op = op->next;
  if (!op) result = make(system, face, key, threads, &op, err);
  if (result < 0) return result;
  op->nuser++;
  op->last_use = ++system->nuse;
  *out_system = system;
  *out = op;
  return MIEN_OK;
}

mien_result mi_operator_acquire(const mien_face *face, const mi_operator_key *key, int threads,
                                const mi_system **system, const mi_operator **out,
                                mien_error *err) {
  pthread_mutex_lock(&face->shared->lock);
  mien_result result = acquire(face, key, threads, system, out, err);
  pthread_mutex_unlock(&face->shared->lock);
  return result;
}

void mi_operator_release(const mien_face *face, const mi_operator *op) {
  if (!op) return;
  pthread_mutex_lock(&face->shared->lock);
  mi_system *system = face->shared->system;
  for (mi_operator *at = system->operators; at; at = at->next)
    if (at == op) at->nuser--;
  free_unused(system);
  pthread_mutex_unlock(&face->shared->lock);
}
