// A factor made by another thread while Gauss-Seidel keeps the frames coming (Barrielle & Stoiber
// 5.3, "offline" variant).
#include "solve/solver.h"

#include <pthread.h>

struct mi_background {
  pthread_t thread;
  bool is_running; // started and not joined
  atomic_int done;
  const mi_csr *matrix;
  int nfront;
  mien_host host;
  mi_factor *factor;
  mien_result result;
};

static void *work(void *user) {
  struct mi_background *b = user;
  b->result = mi_factor_create_compact(b->matrix, b->nfront, &b->host, &b->factor, NULL);
  atomic_store(&b->done, 1);
  return NULL;
}

mien_result mi_background_start(mi_solver *solver, mien_error *err) {
  struct mi_background *b = MI_PUSH(&solver->arena, struct mi_background, 1);
  if (!b) return mi_fail_memory(err);
  b->matrix = &solver->op->matrix; // the solver's own view of it is set anew while this one is read
  b->nfront = solver->nfront;
  b->host = solver->host;
  atomic_init(&b->done, 0);
  solver->background = b;
  if (pthread_create(&b->thread, NULL, work, b))
    return mi_fail(err, MIEN_ERR_MEMORY, "no thread could be started for the factor");
  b->is_running = true;
  return MIEN_OK;
}

static void join(struct mi_background *b) {
  if (b->is_running) pthread_join(b->thread, NULL);
  b->is_running = false;
}

void mi_background_switch(mi_solver *solver, int after, int64_t nstep) {
  struct mi_background *b = solver->background;
  if (solver->factor) return;
  bool ready = after > 0 ? nstep >= after : atomic_load(&b->done) != 0;
  if (!ready) return;
  join(b);
  solver->has_compliance = false;
  solver->factor = b->factor; // NULL when it failed: the sweeps go on
  b->factor = NULL;
}

void mi_background_free(mi_solver *solver) {
  if (!solver->background) return;
  join(solver->background);
  mi_factor_free(solver->background->factor);
}
