// Small dense matrices: the factor against the textbook's, on any number of threads.
#include "scenes/scene.h"
#include "sparse/factor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 151 };

// B B' + 1, the lower triangle; B has random entries
static void fill(double *m, int side) {
  for (int i = 0; i < side; i++)
    for (int j = 0; j <= i; j++) {
      double sum = i == j;
      for (uint32_t k = 0; k < 20; k++)
        sum +=
            (mi_random_unit(3, (uint32_t)i, k) - 0.5) * (mi_random_unit(3, (uint32_t)j, k) - 0.5);
      m[i * side + j] = sum;
    }
}

static void textbook(double *m, int side) {
  for (int j = 0; j < side; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < side; i++) m[i * side + j] -= m[i * side + k] * m[j * side + k];
    double pivot = sqrt(m[j * side + j]);
    for (int i = j; i < side; i++) m[i * side + j] /= pivot;
  }
}

typedef struct matrices {
  double m[MOST * MOST], expected[MOST * MOST], first[MOST * MOST];
} matrices;

static void is_the_textbooks_factor(void **state) {
  (void)state;
  static const int sides[] = {1, 3, 4, 31, 32, 33, 36, 100, MOST}, threads[] = {1, 2, 8, 32};
  matrices *a = calloc(1, sizeof *a);
  assert_non_null(a);
  for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
    int side = sides[s];
    size_t size = (size_t)(side * side) * sizeof(double);
    fill(a->expected, side);
    textbook(a->expected, side);
    for (int t = 0; t < 4; t++) {
      fill(a->m, side);
      assert_true(mi_dense_factor(a->m, side, threads[t]));
      if (t == 0) memcpy(a->first, a->m, size);
      for (int i = 0; i < side; i++) { // entries above the diagonal are not used
        assert_memory_equal(a->m + i * side, a->first + i * side, (size_t)(i + 1) * sizeof *a->m);
        for (int j = 0; j <= i; j++)
          assert_near(a->m[i * side + j], a->expected[i * side + j], 1e-13);
      }
    }
  }
  free(a);
}

static void what_is_not_positive_is_refused(void **state) {
  (void)state;
  matrices *a = calloc(1, sizeof *a);
  assert_non_null(a);
  static const int bad[] = {0, 5, 40, 99};
  for (int k = 0; k < 4; k++) {
    fill(a->m, 100);
    a->m[bad[k] * 101] = -1;
    assert_false(mi_dense_factor(a->m, 100, 2));
  }
  free(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_the_textbooks_factor),
                                     cmocka_unit_test(what_is_not_positive_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
