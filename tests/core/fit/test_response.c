// The response of flesh to unknowns without the blocks that hardly move: what it says, forwards and
// backwards, against all of it.
#include "fit/response.h"

#include "scenes/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWNS = 37, SIZE = 4 * 611 };

// Each unknown moves a bump of its own; the last one moves everything, as a jaw does.
static void fill(float *dense) {
  for (int u = 0; u < UNKNOWNS; u++)
    for (int i = 0; i < SIZE; i++) {
      double off = (i - SIZE * (u + 0.5) / UNKNOWNS) / 90;
      double bump = u == UNKNOWNS - 1 ? 1 : exp(-off * off);
      dense[u * SIZE + i] = (float)(bump * cos(0.1 * i * (u + 1)));
    }
}

static void test_against_all(void **unused) {
  (void)unused;
  mien_host host;
  mi_arena arena;
  mi_response r;
  float least[UNKNOWNS];
  float *dense = malloc(sizeof(float[UNKNOWNS][SIZE]));
  fill(dense);
  for (int u = 0; u < UNKNOWNS; u++) least[u] = 1e-3f;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena_init(&arena, &host);
  assert_true(mi_response_create(UNKNOWNS, SIZE, dense, least, &arena, &r));
  int npiece = r.first[r.nblock], room = r.nblock * MI_RESPONSE_BLOCK;
  assert_true(npiece < UNKNOWNS * r.nblock / 3); // most is left out
  double u[UNKNOWNS], back[UNKNOWNS], again[UNKNOWNS];
  float *x = calloc((size_t)room, sizeof *x), *y = calloc((size_t)room, sizeof *y);
  for (int k = 0; k < UNKNOWNS; k++) u[k] = 0.3 * sin(k);
  mi_response_apply(&r, u, 1, x);
  for (int i = 0; i < SIZE; i++) {
    double all = 0;
    for (int k = 0; k < UNKNOWNS; k++) all += u[k] * (double)dense[k * SIZE + i];
    assert_true(fabs(all - (double)x[i]) < 2e-3);
  }
  for (int i = 0; i < SIZE; i++) y[i] = (float)cos(0.37 * i);
  mi_response_apply_transposed(&r, y, 1, back);
  for (int k = 0; k < UNKNOWNS; k++) {
    double all = 0;
    for (int i = 0; i < SIZE; i++) all += (double)dense[k * SIZE + i] * (double)y[i];
    assert_true(fabs(all - back[k]) < 0.05);
  }
  // one is the other's transpose to rounding, and any number of threads adds up alike
  double forth = 0, round = 0;
  for (int i = 0; i < SIZE; i++) forth += (double)x[i] * (double)y[i];
  for (int k = 0; k < UNKNOWNS; k++) round += u[k] * back[k];
  assert_true(fabs(forth - round) < 1e-4 * (1 + fabs(forth)));
  mi_response_apply_transposed(&r, y, 4, again);
  assert_memory_equal(back, again, sizeof back);
  free(x);
  free(y);
  free(dense);
  mi_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
