// METIS runs out of its own memory: that is said, not taken for an order.
#include "scenes/scene.h"
#include "sparse/spd.h"

#include <string.h>

// In the place of METIS's own, which CHOLMOD calls and whose answer it does not look at.
int METIS_NodeND(void *n, void *first, void *column, void *weight, void *options, void *order,
                 void *place);
__attribute__((visibility("default"))) int METIS_NodeND(void *n, void *first, void *column,
                                                        void *weight, void *options, void *order,
                                                        void *place) {
  (void)n, (void)first, (void)column, (void)weight, (void)options, (void)order, (void)place;
  return -3; // METIS_ERROR_MEMORY
}

static void no_memory_is_no_order(void **state) {
  (void)state;
  if (strcmp(mi_order_method(), "METIS") != 0) skip();
  enum { COUNT = 100 }; // vertices in a row
  int32_t first[COUNT + 1] = {0}, column[3 * COUNT], order[COUNT];
  mi_csr a = {.nrow = COUNT, .first = first, .column = column};
  for (int i = 0; i < COUNT; i++) {
    first[i + 1] = first[i];
    for (int j = i - 1; j <= i + 1; j++)
      if (j >= 0 && j < COUNT) column[first[i + 1]++] = j;
  }
  mien_host host;
  mi_arena arena;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena_init(&arena, &host);
  assert_false(mi_order_find(&a, NULL, order, &arena));
  mi_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_memory_is_no_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
