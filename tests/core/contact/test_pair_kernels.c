#include "contact/pair_kernels.h"
#include "soups.h"

#include <math.h>
#include <string.h>

static double number(uint32_t i, uint32_t j) {
  return 2 * mi_random_unit(61, i, j) - 1;
}

static const mi_pair_kernels *bodies[2];
static int nbody;

static void list_bodies(void) {
  bodies[nbody++] = &mi_pair_body_scalar;
  if (mi_pair_kernels_best() != bodies[0]) bodies[nbody++] = mi_pair_kernels_best();
}

// Random pairs of all sizes; some flat, parallel, without extent, or touching.
static void make(uint32_t i, mi_pair_batch *batch) {
  double size = pow(10, -4 * mi_random_unit(61, i, 0));
  *batch = (mi_pair_batch){.is_edges = i & 1, .count = MI_PAIRS};
  for (uint32_t l = 0; l < MI_PAIRS; l++) {
    for (uint32_t k = 0; k < 12; k++) {
      batch->from[8 * k + l] = (float)(size * number(i, 20 * l + k) + 0.2 * (k % 3));
      batch->to[8 * k + l] = batch->from[8 * k + l] + (float)(size * number(i, 500 + 20 * l + k));
    }
    for (uint32_t k = 0; k < 3; k++) {
      float *x = batch->from + 8 * k + l;
      if (l == 2) x[24 * 3] = x[24 * 2];                // an edge without length
      if (l == 3) x[24 * 3] = x[24 * 2] + x[24] - x[0]; // parallel
      if (l == 4) x[0] = x[24];                         // touching
    }
    batch->offset[l] = l % 2 ? (float)(0.1 * size) : 0;
  }
}

static void lane_of(const mi_pair_batch *batch, int l, double *from, double *to) {
  for (int k = 0; k < 12; k++) {
    from[k] = batch->from[8 * k + l];
    to[k] = batch->to[8 * k + l];
  }
}

static void bounds_are_below_and_mostly_close(void **state) {
  (void)state;
  int nclose = 0, nall = 0;
  for (int b = 0; b < nbody; b++)
    for (uint32_t i = 0; i < 1500; i++) {
      mi_pair_batch batch;
      float least[MI_PAIRS];
      make(i, &batch);
      bodies[b]->least_distance(&batch, least);
      for (int l = 0; l < MI_PAIRS; l++) {
        double from[12], to[12];
        lane_of(&batch, l, from, to);
        mi_closest c =
            batch.is_edges ? mi_closest_edge_edge(from) : mi_closest_vertex_triangle(from);
        assert_true((double)least[l] <= sqrt(c.d2));
        nclose += (double)least[l] > 0.99 * sqrt(c.d2);
        nall++;
      }
    }
  assert_true(nclose > nall * 8 / 10);
}

// Nowhere on the way is a pair closer than what is said, and mostly something is.
static void bounds_hold_on_the_whole_way(void **state) {
  (void)state;
  enum { STEPS = 20 };
  int nuseful = 0, nall = 0;
  for (int b = 0; b < nbody; b++)
    for (uint32_t i = 0; i < 1500; i++) {
      mi_pair_batch batch;
      float least[MI_PAIRS];
      make(i, &batch);
      bodies[b]->least_on_way(&batch, least);
      for (int l = 0; l < MI_PAIRS; l++) {
        double from[12], to[12], x[12];
        lane_of(&batch, l, from, to);
        for (int step = 0; step <= STEPS; step++) {
          for (int k = 0; k < 12; k++) x[k] = from[k] + step * (to[k] - from[k]) / STEPS;
          mi_closest c = batch.is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
          assert_true((double)least[l] <= sqrt(c.d2));
        }
        nuseful += least[l] > 0;
        nall++;
      }
    }
  assert_true(nuseful > nall * 2 / 10);
}

static void gathering_keeps_kinds_apart(void **state) {
  (void)state;
  soup s = soup_create(SOUP_STRIPS, true);
  mi_broad *broad = mi_broad_create(s.surface, 0, &s.arena);
  mi_candidates c = mi_broad_find(broad, s.mesh.position, NULL, 0.2e-3, 1);
  int at = 0, nbatch = 0;
  while (at < c.nvt + c.nee) {
    mi_pair_batch batch;
    int next = mi_pair_gather(s.surface, &c, at, c.nvt + c.nee, s.mesh.position, s.moved, &batch);
    assert_true(next > at && next <= at + MI_PAIRS && batch.count == next - at);
    assert_true(batch.is_edges ? at >= c.nvt : next <= c.nvt);
    for (int i = at; i < next; i++) {
      bool is_edges;
      mi_pair pair = mi_candidate(&c, i, &is_edges);
      int32_t vert[4];
      assert_int_equal(is_edges, batch.is_edges);
      mi_surface_vertices(s.surface, pair, is_edges, vert);
      for (int k = 0; k < 12; k++) {
        assert_true(batch.from[8 * k + i - at] == s.mesh.position[3 * vert[k / 3] + k % 3]);
        assert_true(batch.to[8 * k + i - at] == s.moved[3 * vert[k / 3] + k % 3]);
      }
    }
    at = next;
    nbatch++;
  }
  assert_true(nbatch > 20);
  soup_free(&s);
}

// Rows of q are orthonormal, q a q' is the diagonal; zeros, diagonals and small matrices in a
// corner are among them. Every body gives the same bits, and a lane does not depend on its
// neighbours.
static void eigenvectors_take_matrices_apart(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 200; i++) {
    mi_five a = {0}, first = {0}, value[2], q[2];
    double size = pow(10, 16 * number(i, 900));
    for (int l = 0; l < MI_PAIRS; l++)
      for (int j = 0; j < 5; j++)
        for (int k = j; k < 5 && l != 3; k++) {
          bool is_there = l == 4 ? j == k : l == 5 ? k < 3 : true;
          if (is_there) a.entry[j][k][l] = size * number(i, (uint32_t)(100 * l + 10 * j + k));
        }
    for (int b = 0; b < nbody; b++) {
      value[b] = a;
      bodies[b]->diagonalise(value + b, q + b);
    }
    for (int l = 0; l < MI_PAIRS; l++)
      for (int j = 0; j < 25; j++) {
        double sum = 0, dot = 0;
        for (int m = 0; m < 25; m++) {
          int row = m / 5 < m % 5 ? m / 5 : m % 5, column = m / 5 + m % 5 - row;
          sum +=
              q[0].entry[j / 5][m / 5][l] * a.entry[row][column][l] * q[0].entry[j % 5][m % 5][l];
        }
        for (int m = 0; m < 5; m++) dot += q[0].entry[j / 5][m][l] * q[0].entry[j % 5][m][l];
        double wanted = j % 6 ? 0 : value[0].entry[j / 5][j / 5][l];
        assert_true(fabs(sum - wanted) <= 1e-14 * size && fabs(dot - (j % 6 == 0)) < 1e-14);
      }
    assert_memory_equal(q, q + nbody - 1, sizeof *q);
    for (int j = 0; j < 25; j++) first.entry[j / 5][j % 5][0] = a.entry[j / 5][j % 5][0];
    mi_five alone;
    bodies[0]->diagonalise(&first, &alone);
    for (int j = 0; j < 25; j++)
      assert_true(alone.entry[j / 5][j % 5][0] == q[0].entry[j / 5][j % 5][0]);
  }
}

int main(void) {
  list_bodies();
  const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_are_below_and_mostly_close),
                                     cmocka_unit_test(bounds_hold_on_the_whole_way),
                                     cmocka_unit_test(gathering_keeps_kinds_apart),
                                     cmocka_unit_test(eigenvectors_take_matrices_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
