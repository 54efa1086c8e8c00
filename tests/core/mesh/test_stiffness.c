#include "mesh/stiffness.h"
#include "scenes/scene.h"
#include "sparse/spd.h"

#include <math.h>

enum { NX = 4, NVERT = NX * NX * NX, NTET = 5 * (NX - 1) * (NX - 1) * (NX - 1) };

typedef struct block {
  float rest[3 * NVERT], weight[NTET], other[NTET];
  double diagonal[NVERT];
  int32_t tets[4 * NTET];
} block;

// a shaken grid of cubes, five tetrahedra each; that neighbours disagree on diagonals is no matter
static void make_block(block *b) {
  static const int cube[5][4] = {
      {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
  int ntet = 0;
  for (uint32_t i = 0; i < NVERT; i++) {
    const uint32_t at[3] = {i % NX, i / NX % NX, i / (NX * NX)};
    for (uint32_t k = 0; k < 3; k++)
      b->rest[3 * i + k] = (float)(0.01 * (at[k] + 0.3 * mi_random_unit(1, i, k)));
    b->diagonal[i] = mi_random_unit(2, i, 0);
  }
  for (int c = 0; c < NTET / 5; c++) {
    int x = c % (NX - 1), y = c / (NX - 1) % (NX - 1), z = c / ((NX - 1) * (NX - 1));
    for (int t = 0; t < 5; t++, ntet++)
      for (int k = 0; k < 4; k++) {
        int corner = cube[t][k];
        b->tets[4 * ntet + k] =
            x + (corner & 1) + NX * (y + (corner >> 1 & 1) + NX * (z + (corner >> 2)));
      }
  }
  for (uint32_t t = 0; t < NTET; t++) {
    b->weight[t] = (float)(1 + mi_random_unit(3, t, 0));
    b->other[t] = (float)mi_random_unit(4, t, 0);
  }
}

static mi_stiffness_def define(const block *b) {
  return (mi_stiffness_def){NVERT, NTET, b->tets, b->rest, b->weight, b->other, b->diagonal};
}

// w/2 |F|^2 summed over tetrahedra plus d/2 x^2, for one coordinate x: its second derivative is
// what was assembled. F = x B with B from the inverse of the rest edges, by Cramer's rule.
static double energy(const block *b, const double *x) {
  double sum = 0;
  for (int t = 0; t < NTET; t++) {
    const int32_t *tet = b->tets + 4 * t;
    double e[3][3], d[3];
    for (int r = 0; r < 3; r++) {
      d[r] = x[tet[r + 1]] - x[tet[0]];
      for (int k = 0; k < 3; k++)
        e[r][k] = (double)b->rest[3 * tet[r + 1] + k] - (double)b->rest[3 * tet[0] + k];
    }
    double det = 0, gradient[3] = {0};
    for (int k = 0; k < 3; k++) {
      int p = (k + 1) % 3, q = (k + 2) % 3;
      det += e[0][k] * (e[1][p] * e[2][q] - e[1][q] * e[2][p]);
      // e g = d with column k replaced by d
      gradient[k] = d[0] * (e[1][p] * e[2][q] - e[1][q] * e[2][p]) -
                    d[1] * (e[0][p] * e[2][q] - e[0][q] * e[2][p]) +
                    d[2] * (e[0][p] * e[1][q] - e[0][q] * e[1][p]);
    }
    for (int k = 0; k < 3; k++)
      sum += 0.5 * ((double)b->weight[t] + (double)b->other[t]) * gradient[k] * gradient[k] /
             (det * det);
  }
  for (int i = 0; i < NVERT; i++) sum += 0.5 * b->diagonal[i] * x[i] * x[i];
  return sum;
}

// The matrix lies in the arena, which the test frees.
static void open_assembled(const mi_stiffness_def *def, mi_arena *arena, mi_csr *a) {
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena_init(arena, &host);
  assert_true(mi_stiffness_assemble(def, arena, a));
}

static double entry(const mi_csr *a, int i, int j) {
  for (int p = a->first[i]; p < a->first[i + 1]; p++)
    if (a->column[p] == j) return a->value[p];
  return 0;
}

static void is_the_hessian(void **state) {
  (void)state;
  static block b;
  mi_arena arena;
  mi_csr a;
  make_block(&b);
  mi_stiffness_def def = define(&b);
  open_assembled(&def, &arena, &a);
  double largest = 0;
  for (int i = 0; i < NVERT; i++) {
    assert_true(entry(&a, i, i) > 0);
    largest = fmax(largest, entry(&a, i, i));
    for (int p = a.first[i]; p + 1 < a.first[i + 1]; p++)
      assert_true(a.column[p] < a.column[p + 1]);
  }
  // the energy is quadratic: H_ij = E(ei + ej) - E(ei) - E(ej)
  static double x[NVERT], alone[NVERT];
  for (int i = 0; i < NVERT; i++) {
    x[i] = 1;
    alone[i] = energy(&b, x);
    x[i] = 0;
    assert_near(entry(&a, i, i), 2 * alone[i], 1e-9 * largest);
  }
  for (int i = 0; i < NVERT; i++)
    for (int j = 0; j < i; j++) {
      x[i] = x[j] = 1;
      double both = energy(&b, x) - alone[i] - alone[j];
      x[i] = x[j] = 0;
      assert_near(entry(&a, i, j), both, 1e-9 * largest);
      assert_true(entry(&a, i, j) == entry(&a, j, i));
    }
  mi_arena_free(&arena);
}

static void permuting_moves_every_entry(void **state) {
  (void)state;
  static block b;
  mi_arena arena;
  mi_csr a, c;
  make_block(&b);
  mi_stiffness_def def = define(&b);
  open_assembled(&def, &arena, &a);
  int32_t order[NVERT];
  for (int k = 0; k < NVERT; k++) order[k] = k * 37 % NVERT; // 37 and 64 have no common divisor
  assert_true(mi_csr_permute(&a, order, &arena, &arena, &c));
  assert_int_equal(c.first[NVERT], a.first[NVERT]);
  for (int k = 0; k < NVERT; k++) {
    for (int l = 0; l < NVERT; l++) assert_true(entry(&c, k, l) == entry(&a, order[k], order[l]));
    for (int p = c.first[k]; p + 1 < c.first[k + 1]; p++)
      assert_true(c.column[p] < c.column[p + 1]);
  }
  mi_arena_free(&arena);
}

static void flat_tetrahedra_add_nothing(void **state) {
  (void)state;
  const float rest[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, weight[] = {5};
  const double diagonal[] = {1, 2, 3, 4};
  const int32_t tets[] = {0, 1, 2, 3};
  mi_stiffness_def def = {4, 1, tets, rest, weight, NULL, diagonal};
  mi_arena arena;
  mi_csr a;
  open_assembled(&def, &arena, &a);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) assert_true(entry(&a, i, j) == (i == j ? i + 1 : 0));
  mi_arena_free(&arena);
}

static mien_result assemble(const mien_host *host, void *user) {
  mi_stiffness_def def = define(user);
  mi_arena arena;
  mi_arena_init(&arena, host);
  mi_csr a;
  bool done = mi_stiffness_assemble(&def, &arena, &a);
  mi_arena_free(&arena);
  return done ? MIEN_OK : MIEN_ERR_MEMORY;
}

static void survives_memory_that_ends(void **state) {
  (void)state;
  static block b;
  make_block(&b);
  scene_fail_every_allocation(assemble, &b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_the_hessian),
      cmocka_unit_test(permuting_moves_every_entry),
      cmocka_unit_test(flat_tetrahedra_add_nothing),
      cmocka_unit_test(survives_memory_that_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
