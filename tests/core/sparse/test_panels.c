// The products with strips, in every body there is, against the same written plainly in double.
#include "scenes/scene.h"

#include "base/base.h"
#include "math/kernels.h"
#include "sparse/sparse_kernels.h"

#include <math.h>
#include <string.h>

enum { MOST_BLOCKS = 9, MOST_WIDTH = 19, ROWS = 8 * MOST_BLOCKS, NBODY = 3 };

typedef struct sample {
  int nblock, width;
  float entry[ROWS * MOST_WIDTH];
  uint16_t half[ROWS * MOST_WIDTH];
  float rows[4 * ROWS], gathered[24 * MOST_BLOCKS]; // what is multiplied
  int32_t place[ROWS];
} sample;

static float random_at(uint32_t stream, int k) {
  return (float)(2 * mi_random_unit(11, stream, (uint32_t)k) - 1);
}

// numbers that half precision has: small multiples of 1/64
static uint16_t half_of(int n) {
  unsigned sign = n < 0 ? 0x8000 : 0;
  unsigned size = (unsigned)(n < 0 ? -n : n), power = 0;
  if (!size) return (uint16_t)sign;
  while (size >> (power + 1)) power++;
  return (uint16_t)(sign | (power + 15 - 6) << 10 | (size << (10 - power) & 0x3ff));
}

static void make(sample *s, int nblock, int width) {
  *s = (sample){.nblock = nblock, .width = width};
  for (int k = 0; k < 8 * nblock * width; k++) {
    int n = (int)(64 * random_at(1, k));
    s->entry[k] = (float)n / 64;
    s->half[k] = half_of(n);
  }
  for (int k = 0; k < 4 * ROWS; k++) s->rows[k] = k % 4 == 3 ? 0 : random_at(2, k);
  for (int k = 0; k < ROWS; k++) s->place[k] = (k * 5) % ROWS; // each row once
  for (int k = 0; k < 24 * MOST_BLOCKS; k++) s->gathered[k] = random_at(3, k);
}

static int bodies(const mi_sparse_kernels *body[NBODY]) {
  int count = 0;
  body[count++] = &mi_sparse_body_scalar;
#if defined(MI_HAVE_AVX2)
  if (mi_kernels_best() == &mi_kernels_body_avx2) body[count++] = &mi_sparse_body_avx2;
  if (count == 2 && mi_kernels_sixteen()) body[count++] = &mi_sparse_body_avx512;
#elif defined(MI_HAVE_NEON)
  body[count++] = &mi_sparse_body_neon;
#endif
  return count;
}

static double entry_at(const sample *s, int row, int column) {
  return (double)s->entry[8 * (row / 8 * s->width + column) + row % 8];
}

static mi_panel panel_of(const sample *s, bool half) {
  return (mi_panel){half ? NULL : s->entry, s->nblock, s->width, s->width, half ? s->half : NULL};
}

static void check_products(const sample *s, const mi_sparse_kernels *body, bool half) {
  float work[4 * ROWS] = {0}, z[4 * ROWS] = {0}, x[4 * MOST_WIDTH] = {0};
  body->panel_subtract(panel_of(s, half), s->place, s->rows, work);
  body->panel_multiply(panel_of(s, false), s->rows, z);
  body->panel_subtract_transposed(panel_of(s, half), s->gathered, x);
  for (int c = 0; c < 3; c++) {
    for (int row = 0; row < 8 * s->nblock; row++) {
      double sum = 0;
      for (int k = 0; k < s->width; k++) sum += entry_at(s, row, k) * (double)s->rows[4 * k + c];
      assert_near(work[4 * s->place[row] + c], -sum, 1e-5);
      assert_near(z[4 * row + c], sum, 1e-5);
    }
    for (int k = 0; k < s->width; k++) {
      double sum = 0;
      for (int row = 0; row < 8 * s->nblock; row++)
        sum += entry_at(s, row, k) * (double)s->gathered[24 * (row / 8) + 8 * c + row % 8];
      assert_near(x[4 * k + c], -sum, 1e-5);
    }
  }
}

static void products_are_right(void **state) {
  (void)state;
  const mi_sparse_kernels *body[NBODY] = {0};
  int nbody = bodies(body);
  sample s;
  for (int nblock = 1; nblock <= MOST_BLOCKS; nblock++)
    for (int width = 1; width <= MOST_WIDTH; width++) {
      make(&s, nblock, width);
      for (int k = 0; k < 2 * nbody; k++) check_products(&s, body[k / 2], k % 2);
    }
}

static void columns_of_zeros_can_be_left_out(void **state) {
  (void)state;
  const mi_sparse_kernels *body[NBODY] = {0};
  int nbody = bodies(body);
  sample s;
  for (int run = 0; run < MOST_BLOCKS * MOST_WIDTH * nbody; run++) {
    const mi_sparse_kernels *own = body[run % nbody];
    float all[4 * ROWS] = {0}, some[4 * ROWS] = {0};
    int32_t column[MOST_WIDTH];
    int count = 0;
    make(&s, 1 + run / nbody % MOST_BLOCKS, 1 + run / nbody / MOST_BLOCKS);
    for (int c = 0; c < s.width; c++) {
      if (random_at(5, c) > 0)
        memset(s.rows + 4 * c, 0, 4 * sizeof *s.rows);
      else
        column[count++] = c;
    }
    own->panel_multiply(panel_of(&s, false), s.rows, all);
    own->panel_multiply_some(panel_of(&s, false), column, count, s.rows, some);
    assert_memory_equal(all, some, sizeof all);
  }
}

static void sixteen_lanes_have_the_bits_of_eight(void **state) {
  (void)state;
  const mi_sparse_kernels *body[NBODY] = {0};
  if (bodies(body) < NBODY) {
    print_message("no AVX-512 here: sixteen lanes are not compared\n");
    skip();
  }
  sample s;
  for (int run = 0; run < 2 * MOST_BLOCKS * MOST_WIDTH; run++) {
    float work[2][4 * ROWS] = {{0}}, z[2][4 * ROWS] = {{0}}, x[2][4 * MOST_WIDTH] = {{0}};
    bool half = run % 2;
    make(&s, 1 + run / 2 % MOST_BLOCKS, 1 + run / 2 / MOST_BLOCKS);
    for (int k = 0; k < 8 * s.nblock * s.width; k++) s.entry[k] *= 1 + 1e-3f * random_at(4, k);
    for (int i = 0; i < 2; i++) {
      body[1 + i]->panel_subtract(panel_of(&s, half), s.place, s.rows, work[i]);
      body[1 + i]->panel_multiply(panel_of(&s, false), s.rows, z[i]);
      body[1 + i]->panel_subtract_transposed(panel_of(&s, half), s.gathered, x[i]);
    }
    assert_memory_equal(work[0], work[1], sizeof work[0]);
    assert_memory_equal(z[0], z[1], sizeof z[0]);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_right),
      cmocka_unit_test(columns_of_zeros_can_be_left_out),
      cmocka_unit_test(sixteen_lanes_have_the_bits_of_eight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
