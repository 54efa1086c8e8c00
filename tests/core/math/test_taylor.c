// Derivatives of the decomposition against finite differences, and what may be kept of it.
#include "bodies.h"
#include "math/taylor_wide.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = MI_SVD_LANES };

static double uniform(uint32_t i, uint32_t j) {
  return 2 * mi_random_unit(9, i, j) - 1;
}

// Three Euler angles of U, three singular values, three Euler angles of V.
typedef struct pose {
  double at[9];
} pose;

// eq. 22, with the subscripts it should have
static void rotation(const double angle[3], double out[9]) {
  double c[3], s[3], xy[9];
  for (int i = 0; i < 3; i++) c[i] = cos(angle[i]), s[i] = sin(angle[i]);
  const double x[9] = {1, 0, 0, 0, c[0], s[0], 0, -s[0], c[0]};
  const double y[9] = {c[1], 0, -s[1], 0, 1, 0, s[1], 0, c[1]};
  const double z[9] = {c[2], s[2], 0, -s[2], c[2], 0, 0, 0, 1};
  multiply(x, y, xy);
  multiply(xy, z, out);
}

static void unfold(const pose *p, double u[9], double v[9], double f[9]) {
  rotation(p->at, u);
  rotation(p->at + 6, v);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      f[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) f[3 * i + j] += u[3 * i + k] * p->at[3 + k] * v[3 * j + k];
    }
}

static pose moved(const pose *p, const double *direction, double step) {
  pose q = *p;
  for (int i = 0; i < 9; i++) q.at[i] += step * direction[i];
  return q;
}

static pose random_pose(uint32_t i) {
  pose p;
  for (uint32_t k = 0; k < 9; k++) p.at[k] = 3 * uniform(i, k);
  p.at[3] = 1.5 + 0.2 * uniform(i, 3);
  p.at[4] = 1 + 0.2 * uniform(i, 4);
  p.at[5] = 0.5 * uniform(i, 5);
  return p;
}

static void fill(const pose *p, int l, float *f, mi_svd3 *svd) {
  double u[9], v[9], m[9];
  unfold(p, u, v, m);
  for (int i = 0; i < 9; i++) {
    f[8 * i + l] = (float)m[i];
    svd->u[8 * i + l] = (float)u[i];
    svd->v[8 * i + l] = (float)v[i];
  }
  for (int i = 0; i < 3; i++) svd->s[8 * i + l] = (float)p->at[3 + i];
}

// The six values turn the off-diagonal entries of a turned diagonal matrix into its angles.
static void six_values_are_the_derivatives(void **state) {
  const mi_kernels *body = *state;
  for (uint32_t i = 0; i < 500; i++) {
    float f[72];
    mi_svd3 svd;
    mi_svd_jacobian jacobian;
    pose p = random_pose(i);
    for (int k = 0; k < 3; k++) p.at[k] = p.at[6 + k] = 0;
    for (int l = 0; l < LANES; l++) fill(&p, l, f, &svd);
    body->svd3->jacobian(&svd, &jacobian, 1);
    static const int pair[3][2] = {{5, 7}, {2, 6}, {1, 3}};
    double direction[9], u[9], v[9], plus[9], minus[9], step = 1e-5;
    for (uint32_t k = 0; k < 9; k++) direction[k] = uniform(i, 20 + k);
    pose up = moved(&p, direction, step), down = moved(&p, direction, -step);
    unfold(&up, u, v, plus);
    unfold(&down, u, v, minus);
    for (int a = 0; a < 3; a++) {
      double upper = (plus[pair[a][0]] - minus[pair[a][0]]) / (2 * step);
      double lower = (plus[pair[a][1]] - minus[pair[a][1]]) / (2 * step);
      double even = jacobian.j[16 * a + 5], odd = jacobian.j[16 * a + 8 + 5];
      assert_near(even * upper + odd * lower, direction[a], 2e-5);
      assert_near(odd * upper + even * lower, direction[6 + a], 2e-5);
    }
  }
}

static void full_derivatives_match_differences(void **state) {
  const mi_kernels *body = *state;
  for (uint32_t i = 0; i < 500; i++) {
    float f[72];
    mi_svd3 svd;
    mi_svd_jacobian_full jacobian;
    pose p = random_pose(i);
    for (int l = 0; l < LANES; l++) fill(&p, l, f, &svd);
    body->svd3->jacobian_full(&svd, &jacobian, 1);
    double direction[9], u[2][9], v[2][9], m[2][9], step = 1e-5;
    for (uint32_t k = 0; k < 9; k++) direction[k] = uniform(i, 40 + k);
    pose up = moved(&p, direction, step), down = moved(&p, direction, -step);
    unfold(&up, u[0], v[0], m[0]);
    unfold(&down, u[1], v[1], m[1]);
    for (int k = 0; k < 9; k++) {
      double du = 0, dv = 0, ds = 0;
      for (int e = 0; e < 9; e++) {
        double change = (m[0][e] - m[1][e]) / (2 * step);
        du += change * jacobian.by[e].u[8 * k + 2];
        dv += change * jacobian.by[e].v[8 * k + 2];
        ds += change * jacobian.by[e].s[8 * (k % 3) + 2];
      }
      assert_near(du, (u[0][k] - u[1][k]) / (2 * step), 2e-5);
      assert_near(dv, (v[0][k] - v[1][k]) / (2 * step), 2e-5);
      assert_near(ds, direction[3 + k % 3], 2e-5);
    }
  }
}

// eq. 31: of equal singular values only the part that is defined is left
static void equal_values_stay_finite(void **state) {
  const mi_kernels *body = *state;
  const float values[][3] = {{2, 2, 2}, {2, 2, -2}, {0, 0, 0}, {3, 3, 1}};
  for (int c = 0; c < 4; c++) {
    mi_svd3 svd = {0};
    mi_svd_jacobian jacobian;
    for (int k = 0; k < 24; k++) svd.s[k] = values[c][k / 8];
    body->svd3->jacobian(&svd, &jacobian, 1);
    for (int k = 0; k < 48; k++) assert_true(isfinite((double)jacobian.j[k]));
    if (c == 0 || c == 3) assert_near(jacobian.j[32], 0.25 / (double)values[c][0], 1e-6);
    if (c == 0 || c == 3) assert_near(jacobian.j[40], -0.25 / (double)values[c][0], 1e-6);
    if (c == 2) assert_near(jacobian.j[0], 0, 0);
  }
}

static double rebuild_error(const float *f, const mi_svd3 *svd, int l) {
  double sum = 0;
  for (int i = 0; i < 9; i++) {
    double x = 0;
    for (int k = 0; k < 3; k++)
      x += (double)svd->u[8 * (i / 3 * 3 + k) + l] * (double)svd->s[8 * k + l] *
           (double)svd->v[8 * (i % 3 * 3 + k) + l];
    sum += (x - (double)f[8 * i + l]) * (x - (double)f[8 * i + l]);
  }
  return sqrt(sum);
}

static double not_a_rotation(const float *m, int l) {
  double worst = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double dot = 0;
      for (int k = 0; k < 3; k++)
        dot += (double)m[8 * (3 * i + k) + l] * (double)m[8 * (3 * j + k) + l];
      worst = fmax(worst, fabs(dot - (i == j)));
    }
  return worst;
}

// A tenth of the change leaves a hundredth of the error, and U and V stay rotations.
static void taylor_is_of_second_order(void **state) {
  const mi_kernels *body = *state;
  double total[3] = {0};
  for (uint32_t i = 0; i < 300; i++) {
    const double steps[3] = {0.1, 0.01, 10};
    for (int t = 0; t < 3; t++) {
      float f[72], ignored[72];
      mi_svd3 from, unused, out;
      for (uint32_t l = 0; l < LANES; l++) {
        pose p = random_pose(LANES * i + l);
        double direction[9];
        for (uint32_t k = 0; k < 9; k++) direction[k] = uniform(LANES * i + l, 60 + k);
        fill(&p, (int)l, ignored, &from);
        pose q = moved(&p, direction, steps[t]);
        fill(&q, (int)l, f, &unused);
      }
      body->svd3->taylor(f, &from, &out, 1);
      for (int l = 0; l < LANES; l++) {
        total[t] += rebuild_error(f, &out, l);
        assert_true(not_a_rotation(out.u, l) < 2e-6 && not_a_rotation(out.v, l) < 2e-6);
      }
    }
  }
  assert_true(total[1] > 0 && total[1] < 0.015 * total[0]);
}

static void memo_chooses_and_counts(void **state) {
  const mi_kernels *body = *state;
  enum { NBLOCK = 37 };
  static mi_svd_memo memo[NBLOCK];
  static mi_svd3 out[NBLOCK], exact[NBLOCK], made;
  static float f[NBLOCK][72], g[NBLOCK][72];
  for (int b = 0; b < NBLOCK; b++)
    for (int l = 0; l < LANES; l++) {
      pose p = random_pose((uint32_t)(LANES * b + l));
      fill(&p, l, f[b], &made);
    }
  mi_svd_shares shares = {0};
  body->svd3->memo(f[0], memo, (mi_svd_limits){0, 0}, out, NBLOCK, &shares);
  body->svd3->full(f[0], exact, NBLOCK);
  assert_memory_equal(out, exact, sizeof out);
  assert_int_equal(shares.needed[MI_SVD_FULL], NBLOCK * LANES);

  // block 5 does not move, block 6 a little, lane 3 of block 7 a lot
  memcpy(g, f, sizeof f);
  for (int k = 0; k < 72; k++) g[6][k] += 0.002f;
  g[7][3] += 1;
  shares = (mi_svd_shares){0};
  mi_svd_limits limits = {1e-4f, 0.2f};
  body->svd3->memo(g[0], memo, limits, out, NBLOCK, &shares);
  assert_memory_equal(out + 5, exact + 5, sizeof *out);
  assert_int_equal(shares.needed[MI_SVD_KEPT], (NBLOCK - 2) * LANES + 7);
  assert_int_equal(shares.needed[MI_SVD_TAYLOR], LANES);
  assert_int_equal(shares.needed[MI_SVD_FULL], 1);
  assert_int_equal(shares.run[MI_SVD_KEPT], (NBLOCK - 2) * LANES);
  assert_int_equal(shares.run[MI_SVD_FULL], LANES);
  body->svd3->taylor(g[6], exact + 6, &made, 1);
  assert_memory_equal(out + 6, &made, sizeof made);
  body->svd3->full(g[7], &made, 1);
  assert_memory_equal(out + 7, &made, sizeof made);
  // only the full one is remembered
  assert_memory_equal(memo[6].f, f[6], sizeof f[6]);
  assert_memory_equal(memo[7].f, g[7], sizeof g[7]);
}

// The inlined form, for loops that do more with a block, does what the table does.
static void memo_in_registers_is_the_same(void **state) {
  (void)state;
  mi_svd_memo a = {0}, b = {0};
  for (uint32_t i = 0; i < 200; i++) {
    float f[72], got[72];
    mi_svd3 out, made;
    mi_wide w[9], u[9], s[3], v[9];
    for (int l = 0; l < LANES; l++) {
      pose p = random_pose(i / 10);
      p.at[1] += 0.01 * uniform(i, (uint32_t)l);
      fill(&p, l, f, &made);
    }
    mi_svd_limits limits = {0.002f * (float)(i % 10), 0.02f * (float)(i % 10)};
    mi_kernels_scalar()->svd3->memo(f, &a, limits, &out, 1, NULL);
    for (int k = 0; k < 9; k++) w[k] = mi_wload(f + 8 * k);
    mi_svd_memo_wide(&b, mi_svd_memo_choose(&b, w, limits, NULL), w, u, s, v);
    for (int k = 0; k < 9; k++) mi_wstore(got + 8 * k, u[k]);
    assert_memory_equal(got, out.u, sizeof got);
    assert_memory_equal(&a, &b, sizeof a);
  }
}

// A relaxation as in 6.4: matrices pulled by loads and by their own closest rotation with a bounded
// stretch, neighbours pulled together. Returns the state after `steps` iterations.
enum { CELLS = 64, STEPS = 24 };
static void relax(const mi_kernels *body, mi_svd_limits limits, int halve, float state[][72],
                  mi_svd_shares *shares) {
  static float load[CELLS][72], next[CELLS][72];
  static mi_svd_memo memo[CELLS];
  static mi_svd3 svd[CELLS], unused;
  for (int b = 0; b < CELLS; b++)
    for (int l = 0; l < LANES; l++) {
      pose p = random_pose((uint32_t)(b / 4));
      for (int k = 0; k < 3; k++)
        p.at[6 + k] = p.at[k] + 0.4 * uniform((uint32_t)b, 90 + (uint32_t)l);
      p.at[5] = 0.75 + 0.1 * uniform((uint32_t)b, 80 + (uint32_t)l);
      fill(&p, l, load[b], &unused);
    }
  memcpy(state, load, sizeof load);
  for (int t = 0; t < STEPS; t++) {
    body->svd3->memo(state[0], memo, t ? limits : (mi_svd_limits){0, 0}, svd, CELLS, shares);
    if (t && halve) limits = mi_svd_limits_halve(limits);
    for (int b = 0; b < CELLS; b++)
      for (int i = 0; i < 72; i++) {
        int row = i / 24, column = i / 8 % 3, l = i % 8;
        double target = 0;
        for (int k = 0; k < 3; k++)
          target += (double)svd[b].u[8 * (3 * row + k) + l] *
                    fmin(fmax((double)svd[b].s[8 * k + l], 0.95), 1.05) *
                    (double)svd[b].v[8 * (3 * column + k) + l];
        double around =
            0.5 * ((double)state[b ? b - 1 : b][i] + (double)state[b + 1 < CELLS ? b + 1 : b][i]);
        next[b][i] = (float)(0.5 * (double)load[b][i] + 0.35 * target + 0.15 * around);
      }
    memcpy(state, next, sizeof next);
  }
}

static double relative_difference(float a[][72], float b[][72]) {
  double sum = 0, size = 0;
  for (int i = 0; i < CELLS * 72; i++) {
    double x = a[i / 72][i % 72], y = b[i / 72][i % 72];
    sum += (x - y) * (x - y);
    size += y * y;
  }
  return sqrt(sum / size);
}

static void halving_reaches_the_solution(void **state) {
  const mi_kernels *body = *state;
  static float exact[CELLS][72], halved[CELLS][72], constant[CELLS][72];
  mi_svd_shares none = {0}, shares = {0}, ignored = {0};
  const mi_svd_limits limits = {0.01f, 0.1f};
  relax(body, (mi_svd_limits){0, 0}, 0, exact, &none);
  relax(body, limits, 1, halved, &shares);
  relax(body, limits, 0, constant, &ignored);
  assert_int_equal(none.needed[MI_SVD_FULL], CELLS * LANES * STEPS);
  assert_true(shares.needed[MI_SVD_KEPT] > 0 && shares.needed[MI_SVD_TAYLOR] > 0);
  assert_true(shares.needed[MI_SVD_FULL] < none.needed[MI_SVD_FULL]);
  double with = relative_difference(halved, exact), without = relative_difference(constant, exact);
  assert_true(with < 1e-5);
  assert_true(without > 10 * with);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      on_each_body(six_values_are_the_derivatives),
      on_each_body(full_derivatives_match_differences),
      on_each_body(equal_values_stay_finite),
      on_each_body(taylor_is_of_second_order),
      on_each_body(memo_chooses_and_counts),
      cmocka_unit_test(memo_in_registers_is_the_same),
      on_each_body(halving_reaches_the_solution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
