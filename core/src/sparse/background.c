#include "sparse/background.h"

#include <pthread.h>
#include <stdatomic.h>

struct mi_background {
  pthread_t thread;
  bool is_running; // started and not joined
  atomic_int done;
  const mi_csr *matrix;
  int nfront;
  mien_host host;
  mi_factor *factor;
};

static void *work(void *user) {
  mi_background *b = user;
  if (mi_factor_create_compact(b->matrix, b->nfront, &b->host, &b->factor, NULL) < 0)
    b->factor = NULL;
  atomic_store(&b->done, 1);
  return NULL;
}

mien_result mi_background_start(const mi_csr *matrix, int nfront, const mien_host *host,
                                mi_arena *arena, mi_background **out, mien_error *err) {
  mi_background *b = MI_PUSH(arena, mi_background, 1);
  if (!b) return mi_fail_memory(err);
  b->matrix = matrix;
  b->nfront = nfront;
  b->host = *host;
  atomic_init(&b->done, 0);
  *out = b;
  if (pthread_create(&b->thread, NULL, work, b))
    return mi_fail(err, MIEN_ERR_MEMORY, "no thread could be started for the factor");
  b->is_running = true;
  return MIEN_OK;
}

bool mi_background_is_done(const mi_background *b) {
  return atomic_load(&b->done) != 0;
}

mi_factor *mi_background_wait(mi_background *b) {
  if (b->is_running) pthread_join(b->thread, NULL);
  b->is_running = false;
  mi_factor *factor = b->factor;
  b->factor = NULL;
  return factor;
}

void mi_background_free(mi_background *b) {
  if (b) mi_factor_free(mi_background_wait(b));
}
