// Tangled tetrahedra: the energy's derivative, and that free vertices find their way back.
#include "mesh/untangle_kernels.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, NPOINT = SIDE * SIDE * SIDE, NTET = 6 * 27 };

// A cube of 3 x 3 x 3 cells, six tetrahedra each; inner vertices are free and come first.
typedef struct block {
  float rest[3 * NPOINT];
  int32_t tets[4 * NTET];
  double inverse[9 * NTET], x[3 * NPOINT];
  mi_untangle u;
} block;

static int place_of(int i, int j, int k, const int *order) {
  return order[(k * SIDE + j) * SIDE + i];
}

static void build(block *b) {
  static const int way[6][3] = {{1, 2, 4}, {2, 1, 4}, {1, 4, 2}, {4, 1, 2}, {2, 4, 1}, {4, 2, 1}};
  int order[NPOINT], next = 0, ntet = 0;
  memset(b, 0, sizeof *b);
  for (int pass = 0; pass < 2; pass++)
    for (int p = 0; p < NPOINT; p++) {
      int i = p % SIDE, j = p / SIDE % SIDE, k = p / SIDE / SIDE;
      bool inner = i % 3 && j % 3 && k % 3;
      if (inner == !pass) order[p] = next++;
      if (!pass && inner) b->u.nfree++;
    }
  for (int p = 0; p < NPOINT; p++) {
    float *at = b->rest + 3 * order[p];
    at[0] = 0.01f * (float)(p % SIDE);
    at[1] = 0.01f * (float)(p / SIDE % SIDE);
    at[2] = 0.01f * (float)(p / SIDE / SIDE);
  }
  for (int c = 0; c < 27; c++)
    for (int w = 0; w < 6; w++) {
      int32_t *tet = b->tets + 4 * ntet;
      for (int s = 0, at = 0; s < 4; at |= s < 3 ? way[w][s] : 0, s++)
        tet[s] = place_of(c % 3 + (at & 1), c / 3 % 3 + (at >> 1 & 1), c / 9 + (at >> 2), order);
      // half of them are turned the other way round
      if (w == 1 || w == 2 || w == 5) {
        int32_t swapped = tet[0];
        tet[0] = tet[1];
        tet[1] = swapped;
      }
      assert_true(mi_untangle_inverse(b->rest, tet, b->inverse + 9 * ntet++));
    }
  for (int i = 0; i < 3 * NPOINT; i++) b->x[i] = b->rest[i];
  b->u.ntet = NTET;
  b->u.tets = b->tets;
  b->u.inverse = b->inverse;
  b->u.x = b->x;
  b->u.enough = 0.05;
  b->u.rounds = 20;
  b->u.steps = 60;
}

static mi_untangle_info solve(block *b) {
  double *memory = calloc(mi_untangle_memory(b->u.nfree, NPOINT), sizeof *memory);
  mi_untangle_info info;
  assert_non_null(memory);
  mi_untangle_solve(&b->u, NPOINT, memory, &info);
  free(memory);
  return info;
}

static void scramble(block *b, double far) {
  for (int i = 0; i < 3 * b->u.nfree; i++)
    b->x[i] += far * (mi_random_unit(7, (uint32_t)i, 0) - 0.5);
}

static void the_gradient_is_the_derivative(void **state) {
  (void)state;
  block b;
  build(&b);
  scramble(&b, 0.03); // some are inverted
  double gradient[3 * NPOINT];
  static const double widths[] = {1, 0.1, 0.02};
  for (int w = 0; w < 3; w++) {
    mi_untangle_energy(&b.u, widths[w], gradient);
    double scale = 0;
    for (int i = 0; i < 3 * b.u.nfree; i++) scale = fmax(scale, fabs(gradient[i]));
    for (int i = 0; i < 3 * b.u.nfree; i++) {
      double h = 1e-8, at = b.x[i];
      b.x[i] = at + h;
      double more = mi_untangle_energy(&b.u, widths[w], NULL);
      b.x[i] = at - h;
      double less = mi_untangle_energy(&b.u, widths[w], NULL);
      b.x[i] = at;
      assert_near((more - less) / (2 * h), gradient[i], 2e-5 * scale);
    }
  }
}

// Four lanes or one, a last block that is not full, or tetrahedra one by one: the same bits.
static void bodies_give_the_same_bits(void **state) {
  (void)state;
  const mi_untangle_kernels *table[] = {&mi_untangle_body_scalar, mi_untangle_kernels_best()};
  block b;
  build(&b);
  scramble(&b, 0.05);
  for (int ntet = NTET - 3; ntet <= NTET; ntet++) {
    double energy[3] = {0}, gradient[3][3 * NPOINT] = {{0}}, least[2];
    int nbad[2];
    b.u.ntet = ntet;
    for (int k = 0; k < 2; k++) {
      energy[k] = table[k]->energy(&b.u, b.x, 0.1, 0, ntet, gradient[k]);
      table[k]->measure(&b.u, least + k, nbad + k);
    }
    for (int t = 0; t < ntet; t++)
      energy[2] += table[0]->energy(&b.u, b.x, 0.1, t, t + 1, gradient[2]);
    assert_true(nbad[0] > 0 && least[0] < 0);
    assert_true(nbad[0] == nbad[1] && least[0] == least[1]);
    for (int k = 1; k < 3; k++) {
      assert_true(energy[k] == energy[0]);
      assert_memory_equal(gradient[k], gradient[0], sizeof *gradient);
    }
  }
}

static void rest_is_the_minimum(void **state) {
  (void)state;
  block b;
  build(&b);
  double gradient[3 * NPOINT];
  double energy = mi_untangle_energy(&b.u, 1e-6, gradient);
  assert_near(energy, 5.0 * NTET, 1e-3); // 3 + 2 each
  for (int i = 0; i < 3 * b.u.nfree; i++) assert_near(gradient[i], 0, 0.5);
}

static void tangles_come_undone(void **state) {
  (void)state;
  static const double far[] = {0.02, 0.05, 0.2};
  for (int k = 0; k < 3; k++) {
    block b;
    build(&b);
    scramble(&b, far[k]);
    double held[3 * NPOINT];
    memcpy(held, b.x, sizeof held);
    mi_untangle_info before = {0}, info;
    b.u.rounds = 0;
    before = solve(&b);
    b.u.rounds = 20;
    info = solve(&b);
    print_message("moved by %g mm: %d inverted, then %d, least %.3g, %d steps\n", 1e3 * far[k],
                  before.nbad, info.nbad, info.least, info.nstep);
    assert_true(before.nbad > 0);
    assert_int_equal(info.nbad, 0);
    assert_true(info.least >= b.u.enough);
    size_t first = 3 * (size_t)b.u.nfree;
    assert_memory_equal(held + first, b.x + first, sizeof held - first * sizeof *held);
  }
}

// What has to be done in a frame looks at so many tetrahedra and no more, and does some good.
static void effort_is_limited(void **state) {
  (void)state;
  enum { EFFORT = 6 * NTET };
  block b;
  build(&b);
  scramble(&b, 0.2);
  mi_untangle_info all, some, before;
  double start[3 * NPOINT];
  memcpy(start, b.x, sizeof start);
  b.u.rounds = 0;
  before = solve(&b);
  b.u.rounds = 20;
  all = solve(&b);
  memcpy(b.x, start, sizeof start);
  b.u.effort = EFFORT;
  some = solve(&b);
  print_message("%d evaluations of %d: %d inverted, %d left\n", some.nevaluation, all.nevaluation,
                before.nbad, some.nbad);
  assert_true(all.nevaluation > 2 * EFFORT && !all.nbad);
  assert_true(some.nevaluation >= EFFORT &&
              some.nevaluation <= EFFORT + 24 * NTET); // ends after a whole step
  assert_true(some.nbad > 0 && some.nbad < before.nbad);
}

// A held corner pushed through the block: nothing inside can help, and it must end, saying so.
static void what_cannot_be_untangled_ends(void **state) {
  (void)state;
  block b;
  build(&b);
  int corner = b.u.nfree; // of the cube: its tetrahedra with two other held vertices stay inverted
  for (int k = 0; k < 3; k++) b.x[3 * corner + k] = 0.05;
  mi_untangle_info info = solve(&b);
  assert_true(info.nbad > 0);
  assert_true(isfinite(info.least));
  for (int i = 0; i < 3 * NPOINT; i++) assert_true(isfinite(b.x[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_gradient_is_the_derivative),
                                     cmocka_unit_test(bodies_give_the_same_bits),
                                     cmocka_unit_test(rest_is_the_minimum),
                                     cmocka_unit_test(tangles_come_undone),
                                     cmocka_unit_test(effort_is_limited),
                                     cmocka_unit_test(what_cannot_be_untangled_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
