// The hot loop against the same energy written plainly in double.
#include "elastic_flesh.h"

enum { SIGMAS = 400 };

static void test_closest_diagonal_is_the_closest(void **state) {
  (void)state;
  static const double products[] = {1, 0.4, 2.5, 1e-3, -1, 0};
  for (int n = 0; n < SIGMAS; n++) {
    double s[3], best[3], product = products[n % 6], spread = n % 5 ? 1.2 : 0.05;
    for (int k = 0; k < 3; k++) s[k] = (n % 7 ? 1 : 2.2) * exp(spread * random_signed(20 + k, n));
    if (n % 11 == 3) s[2] = 0;
    if (n % 13 == 5) s[1] = s[2] = 0;
    if (n % 17 == 4) s[0] = s[1] = s[2] = 2; // several minima
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < 2; i++)
        if (s[i] < s[i + 1]) {
          double larger = s[i + 1];
          s[i + 1] = s[i];
          s[i] = larger;
        }
    if (n % 3 == 1) s[2] = -s[2];
    mi_closest_diagonal(s, product, best);
    assert_near(best[0] * best[1] * best[2], product, 1e-9 * fabs(product));
    double distance = 0, sampled = INFINITY;
    for (int k = 0; k < 3; k++) distance += (best[k] - s[k]) * (best[k] - s[k]);
    for (int i = 0; i <= 400; i++)
      for (int j = 0; j <= 400; j++) {
        double a = 0.02 * exp(i * 0.0175), b = 0.02 * exp(j * 0.0175), c = product / (a * b);
        double d = (a - s[0]) * (a - s[0]) + (b - s[1]) * (b - s[1]) + (c - s[2]) * (c - s[2]);
        if (d < sampled) sampled = d;
      }
    assert_true(distance <= sampled + 1e-12);
    assert_true(sampled <= distance + 0.01 * (1 + distance)); // the samples do come near
  }
}

static void check_state(flesh *f, int kind, bool is_posed, mi_local local) {
  place(f, kind, f->x);
  double wanted = reference_energy(f, f->x, is_posed ? f->posed : NULL);
  mi_elastic_info info = evaluate(f, f->elastic, local, f->gradient);
  double size = 1e-12;
  for (int t = 0; t < f->ntet; t++) size += 1e-9 * (f->strain[t] + f->volume[t]);
  if (fabs(info.energy - wanted) > 2e-6 * wanted + size)
    fail_msg("state %d, posed %d, mode %d: energy %.9g, not %.9g", kind, is_posed, local,
             info.energy, wanted);
  // at rest there is none; where F is singular everywhere the minimisers are not unique
  if (kind == RESTING || kind == FLAT || kind == LINE || kind == POINT) return;
  double worst = worst_gradient(f);
  if (!(worst < 2e-5))
    fail_msg("state %d, posed %d, mode %d: gradient off by %.3g", kind, is_posed, local, worst);
}

static void test_energy_and_gradient_match_the_reference(void **state) {
  flesh *f = *state;
  place_pose(f, f->posed);
  for (int is_posed = 0; is_posed < 2; is_posed++) {
    mi_elastic_set_pose(f->elastic, is_posed ? f->posed : NULL, 1);
    for (int kind = 0; kind < NSTATE; kind++)
      for (int local = 0; local < 3; local++) check_state(f, kind, is_posed, (mi_local)local);
  }
  mi_elastic_set_pose(f->elastic, NULL, 1);
}

static void test_gradient_is_the_slope_of_the_energy(void **state) {
  flesh *f = *state;
  place(f, NOISY, f->x);
  evaluate(f, f->elastic, MI_LOCAL_INVARIANTS, f->gradient);
  for (int trial = 0; trial < 5; trial++) {
    double slope = 0, energy[2];
    const double h = 1e-6;
    for (int side = 0; side < 2; side++) {
      place(f, NOISY, f->x);
      for (int i = 0; i < 4 * f->nvert; i++)
        if (i % 4 < 3) f->x[i] += (float)((side ? h : -h) * random_signed(30 + trial, i));
      energy[side] = evaluate(f, f->elastic, MI_LOCAL_INVARIANTS, f->other).energy;
    }
    // the steps that were really made: positions are floats
    double moved = 0;
    for (int i = 0; i < 4 * f->nvert; i++)
      if (i % 4 < 3) {
        slope += f->gradient[i] * 2 * h * random_signed(30 + trial, i);
        moved += fabs(f->gradient[i] * 2 * h);
      }
    assert_near(energy[1] - energy[0], slope, 2e-3 * moved / sqrt(f->nvert));
  }
}

static void test_rest_and_pose_are_minima(void **state) {
  flesh *f = *state;
  place_pose(f, f->posed);
  for (int is_posed = 0; is_posed < 2; is_posed++) {
    place(f, NOISY, f->x);
    mi_elastic_set_pose(f->elastic, is_posed ? f->posed : NULL, 1);
    reference_energy(f, f->x, is_posed ? f->posed : NULL);
    double most = 0, weight = 0;
    for (int i = 0; i < f->nvert; i++) most = fmax(most, f->size[i]);
    for (int t = 0; t < f->ntet; t++) weight += f->strain[t] + f->volume[t];
    place(f, RESTING, f->x);
    if (is_posed) memcpy(f->x, f->posed, 4 * (size_t)f->nvert * sizeof(float));
    for (int local = 0; local < 3; local++) {
      mi_elastic_info info = evaluate(f, f->elastic, (mi_local)local, f->gradient);
      assert_near(info.energy / weight, 0, 1e-11);
      for (int i = 0; i < 4 * f->nvert; i++) assert_near(f->gradient[i] / most, 0, 3e-5);
    }
  }
  mi_elastic_set_pose(f->elastic, NULL, 1);
}

static void test_rigid_motion_changes_nothing(void **state) {
  flesh *f = *state;
  place(f, NOISY, f->x);
  double before = evaluate(f, f->elastic, MI_LOCAL_INVARIANTS, f->gradient).energy;
  for (int i = 0; i < f->nvert; i++) {
    float *x = f->x + 4 * (size_t)i, a = x[0], c = x[2];
    x[0] = (float)(cos(2.0) * a - sin(2.0) * c + 0.05);
    x[2] = (float)(sin(2.0) * a + cos(2.0) * c - 0.02);
  }
  double after = evaluate(f, f->elastic, MI_LOCAL_INVARIANTS, f->other).energy;
  assert_near(after, before, 1e-4 * before);
}

static void test_same_bits_for_any_number_of_threads(void **state) {
  flesh *f = *state;
  place_pose(f, f->posed);
  place(f, WILD, f->x);
  for (int is_posed = 0; is_posed < 2; is_posed++)
    for (int local = 0; local < 3; local++) {
      mi_elastic_set_pose(f->elastic, is_posed ? f->posed : NULL, 1);
      mi_elastic_info one = evaluate(f, f->elastic, (mi_local)local, f->gradient), many;
      static const int threads[] = {2, 8, 32};
      for (int i = 0; i < 3; i++) {
        if (is_posed) mi_elastic_set_pose(f->elastic, f->posed, threads[i]);
        memset(f->other, 0, 4 * (size_t)f->nvert * sizeof(float));
        mi_elastic_evaluate(f->elastic, f->x, (mi_local)local, threads[i], f->other, &many);
        assert_memory_equal(f->other, f->gradient, 4 * (size_t)f->nvert * sizeof(float));
        assert_true(many.energy == one.energy);
        assert_int_equal(many.nflat, one.nflat);
        assert_int_equal(many.nfull, one.nfull);
      }
    }
  mi_elastic_set_pose(f->elastic, NULL, 1);
}

static void test_energy_alone_is_the_same(void **state) {
  flesh *f = *state;
  place_pose(f, f->posed);
  for (int way = 0; way < 12; way++) {
    place(f, way % 2 ? WILD : NOISY, f->x);
    mi_elastic_set_pose(f->elastic, way / 2 % 2 ? f->posed : NULL, 1);
    mi_local local = (mi_local)(way / 4);
    mi_elastic_info all = evaluate(f, f->elastic, local, f->gradient), alone;
    mi_elastic_evaluate(f->elastic, f->x, local, 2, NULL, &alone);
    assert_true(all.energy > 0 && alone.energy == all.energy);
    assert_int_equal(alone.nflat, all.nflat);
    assert_int_equal(alone.nfull, all.nfull);
  }
  mi_elastic_set_pose(f->elastic, NULL, 1);
}

static void check_same(flesh *f, mi_elastic *a, mi_elastic *b, double tolerance) {
  mi_elastic_info one = evaluate(f, a, MI_LOCAL_INVARIANTS, f->gradient);
  mi_elastic_info two = evaluate(f, b, MI_LOCAL_INVARIANTS, f->other);
  assert_near(two.energy, one.energy, tolerance * one.energy);
  assert_int_equal(one.nflat, two.nflat);
  double most = 0;
  for (int i = 0; i < 4 * f->nvert; i++) most = fmax(most, fabs((double)f->gradient[i]));
  for (int i = 0; i < 4 * f->nvert; i++) assert_near(f->other[i], f->gradient[i], tolerance * most);
}

static void test_bodies_and_layouts_agree(void **state) {
  flesh *f = *state;
  setenv("MIEN_SIMD", "scalar", 1);
  mi_elastic *scalar = make(f, 1);
  unsetenv("MIEN_SIMD");
  assert_string_equal(scalar->kernels->name, "scalar");
  mi_elastic *single = make(f, 0);
  assert_int_equal(f->elastic->ncorner, 6);
  assert_int_equal(single->ncorner, 12);
  place_pose(f, f->posed);
  for (int is_posed = 0; is_posed < 2; is_posed++) {
    mi_elastic *all[] = {f->elastic, scalar, single};
    for (int i = 0; i < 3; i++) mi_elastic_set_pose(all[i], is_posed ? f->posed : NULL, 1);
    place(f, NOISY, f->x);
    check_same(f, f->elastic, scalar, 1e-5);
    check_same(f, f->elastic, single, 1e-5);
  }
  mi_elastic_set_pose(f->elastic, NULL, 1);
}

// A farm may have processors of both kinds.
static void test_sixteen_lanes_have_the_bits_of_eight(void **state) {
  flesh *f = *state;
  if (strcmp(f->elastic->kernels->name, "avx512") != 0) {
    print_message("no AVX-512 here: sixteen lanes are not compared\n");
    skip();
  }
  setenv("MIEN_SIMD", "avx2", 1);
  mi_elastic *eight[2] = {make(f, 1), make(f, 0)}, *sixteen[2] = {f->elastic, NULL};
  unsetenv("MIEN_SIMD");
  sixteen[1] = make(f, 0);
  assert_string_equal(eight[0]->kernels->name, "avx2");
  place_pose(f, f->posed);
  for (int run = 0; run < 4 * NSTATE; run++) {
    int layout = run % 2, is_posed = run / 2 % 2;
    mi_elastic *both[2] = {eight[layout], sixteen[layout]};
    mi_elastic_info info[2];
    place(f, run / 4, f->x);
    for (int i = 0; i < 2; i++) {
      mi_elastic_set_pose(both[i], is_posed ? f->posed : NULL, 1);
      info[i] = evaluate(f, both[i], MI_LOCAL_INVARIANTS, i ? f->other : f->gradient);
    }
    assert_memory_equal(f->other, f->gradient, 4 * (size_t)f->nvert * sizeof(float));
    assert_true(info[0].energy == info[1].energy);
    assert_int_equal(info[0].nflat, info[1].nflat);
    assert_int_equal(info[0].nfull, info[1].nfull);
  }
  mi_elastic_set_pose(f->elastic, NULL, 1);
}

// A few tetrahedra in a scrambled order, so that blocks and cells are not full.
static void test_odd_numbers_of_tetrahedra(void **state) {
  flesh *f = *state;
  int whole = f->ntet;
  place(f, NOISY, f->x);
  for (int ntet = 1; ntet < 60; ntet += 7) {
    f->ntet = ntet;
    mi_elastic *elastic = make(f, 0);
    double wanted = reference_energy(f, f->x, NULL);
    assert_near(evaluate(f, elastic, MI_LOCAL_SVD, f->gradient).energy, wanted, 1e-5 * wanted);
    assert_true(worst_gradient(f) < 3e-5);
    mi_elastic_info info = evaluate(f, elastic, MI_LOCAL_SVD, f->gradient);
    assert_int_equal(info.nfull, ntet);
  }
  f->ntet = whole;
}

static void test_inverted_tetrahedra_are_counted(void **state) {
  flesh *f = *state;
  static const int kinds[] = {RESTING, INVERTED, POINT};
  for (int i = 0; i < 3; i++) {
    place(f, kinds[i], f->x);
    mi_elastic_info info = evaluate(f, f->elastic, MI_LOCAL_INVARIANTS, f->gradient);
    assert_int_equal(info.nflat, kinds[i] == RESTING ? 0 : f->ntet);
  }
}

// A pose may turn tetrahedra inside out or flatten them: det T <= 0.
static void test_any_pose_is_a_minimum(void **state) {
  flesh *f = *state;
  static const int kinds[] = {WILD, INVERTED, FLAT, LINE, POINT};
  double weight = 0;
  for (int t = 0; t < f->ntet; t++) weight += f->strain[t] + f->volume[t];
  for (int i = 0; i < 5; i++) {
    place(f, kinds[i], f->posed);
    mi_elastic_set_pose(f->elastic, f->posed, 1);
    memcpy(f->x, f->posed, 4 * (size_t)f->nvert * sizeof(float));
    for (int local = 0; local < 3; local++)
      assert_near(evaluate(f, f->elastic, (mi_local)local, f->gradient).energy / weight, 0, 1e-9);
    place(f, NOISY, f->x);
    double wanted = reference_energy(f, f->x, f->posed);
    for (int local = 0; local < 3; local++)
      assert_near(evaluate(f, f->elastic, (mi_local)local, f->gradient).energy, wanted,
                  1e-5 * wanted);
  }
  mi_elastic_set_pose(f->elastic, NULL, 1);
}

static void random_rotation(int n, double r[9]) {
  double f[9];
  for (int i = 0; i < 9; i++) f[i] = random_signed(60 + i, n);
  rotation_of(f, r);
}

// One tetrahedron with rest edges 1: no sampled rotation, no sampled matrix of determinant 1 is
// closer than what the energy says.
static void test_no_sample_is_closer(void **state) {
  flesh *f = *state;
  static const float rest[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const int32_t tet[4] = {0, 1, 2, 3};
  static const float one = 1, none = 0;
  float x[16] = {0}, gradient[16] = {0};
  mi_elastic_info info;
  mi_elastic_def strain = {4, 1, rest, tet, &one, &none, 0, 0};
  mi_elastic_def volume = {4, 1, rest, tet, &none, &one, 0, 0};
  mi_elastic *turning = mi_elastic_create(&strain, &f->arena);
  mi_elastic *filling = mi_elastic_create(&volume, &f->arena);
  assert_true(turning && filling);
  for (int n = 0; n < 40; n++) {
    double m[9], least[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 9; i++) {
      m[i] = (i % 4 == 0) + (n % 2 ? 1.5 : 0.4) * random_signed(70 + i, n);
      x[4 * (1 + i % 3) + i / 3] = (float)m[i];
    }
    for (int k = 0; k < 4000; k++) {
      double sample[9], scaled[9], distance[2] = {0};
      random_rotation(4000 * n + k, sample);
      double mixed = random_unit(80, 4000 * n + k);
      for (int i = 0; i < 9; i++) scaled[i] = m[i] + mixed * 1.2 * random_signed(81 + i, k);
      double det = det3(scaled);
      for (int i = 0; i < 9; i++) {
        double other = det > 0 ? scaled[i] / cbrt(det) : sample[i];
        distance[0] += 0.5 * (m[i] - sample[i]) * (m[i] - sample[i]);
        distance[1] += 0.5 * (m[i] - other) * (m[i] - other);
      }
      for (int i = 0; i < 2; i++) least[i] = fmin(least[i], distance[i]);
    }
    for (int local = 0; local < 2; local++) {
      mi_elastic_evaluate(turning, x, (mi_local)local, 1, gradient, &info);
      assert_true(info.energy <= least[0] * (1 + 1e-6) && info.energy > least[0] - 0.3);
      mi_elastic_evaluate(filling, x, (mi_local)local, 1, gradient, &info);
      assert_true(info.energy <= least[1] * (1 + 1e-6));
    }
  }
}

// The point of it all: no decomposition where nothing is awkward.
static void test_invariants_are_enough_near_rest(void **state) {
  flesh *f = *state;
  place(f, SMOOTH, f->x);
  assert_int_equal(evaluate(f, f->elastic, MI_LOCAL_INVARIANTS, f->gradient).nfull, 0);
  assert_int_equal(evaluate(f, f->elastic, MI_LOCAL_SVD, f->gradient).nfull, f->ntet);
  place(f, POINT, f->x);
  assert_int_equal(evaluate(f, f->elastic, MI_LOCAL_INVARIANTS, f->gradient).nfull, f->ntet);
}

static void test_memoized_keeps_and_follows(void **state) {
  flesh *f = *state;
  place(f, NOISY, f->x);
  mi_elastic_set_limits(f->elastic, (mi_svd_limits){0, 0});
  mi_elastic_info first = evaluate(f, f->elastic, MI_LOCAL_MEMOIZED, f->gradient);
  assert_int_equal(first.nfull, f->ntet);
  mi_elastic_set_limits(f->elastic, (mi_svd_limits){1e-6f, 0.3f});
  mi_elastic_info same = evaluate(f, f->elastic, MI_LOCAL_MEMOIZED, f->other);
  assert_int_equal(same.nkept, f->ntet);
  assert_near(same.energy, first.energy, 1e-6 * first.energy);
  for (int i = 0; i < 4 * f->nvert; i++)
    f->x[i] += (float)(i % 4 < 3 ? 2e-6 * random_signed(50, i) : 0);
  mi_elastic_info near = evaluate(f, f->elastic, MI_LOCAL_MEMOIZED, f->other);
  mi_elastic_info exact = evaluate(f, f->elastic, MI_LOCAL_SVD, f->gradient);
  assert_true(near.ntaylor > f->ntet / 4);
  assert_int_equal(near.nkept + near.ntaylor + near.nfull, f->ntet);
  assert_near(near.energy, exact.energy, 1e-4 * exact.energy);
  mi_elastic_set_limits(f->elastic, (mi_svd_limits){0, 0});
}

static mien_result make_with(const mien_host *host, void *user) {
  flesh *f = user;
  mi_arena arena;
  mien_host whole;
  if (mi_host_resolve(host, &whole, NULL) < 0) return MIEN_ERR_MEMORY;
  mi_arena_init(&arena, &whole);
  mi_elastic_def def = {f->nvert, f->ntet, f->rest, f->tets, f->strain, f->volume, 1, 1};
  mi_elastic *elastic = mi_elastic_create(&def, &arena);
  mi_arena_free(&arena);
  return elastic ? MIEN_OK : MIEN_ERR_MEMORY;
}

static void test_memory_may_end(void **state) {
  scene_fail_every_allocation(make_with, *state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closest_diagonal_is_the_closest),
      cmocka_unit_test(test_energy_and_gradient_match_the_reference),
      cmocka_unit_test(test_gradient_is_the_slope_of_the_energy),
      cmocka_unit_test(test_rest_and_pose_are_minima),
      cmocka_unit_test(test_rigid_motion_changes_nothing),
      cmocka_unit_test(test_same_bits_for_any_number_of_threads),
      cmocka_unit_test(test_energy_alone_is_the_same),
      cmocka_unit_test(test_bodies_and_layouts_agree),
      cmocka_unit_test(test_sixteen_lanes_have_the_bits_of_eight),
      cmocka_unit_test(test_odd_numbers_of_tetrahedra),
      cmocka_unit_test(test_inverted_tetrahedra_are_counted),
      cmocka_unit_test(test_any_pose_is_a_minimum),
      cmocka_unit_test(test_no_sample_is_closer),
      cmocka_unit_test(test_invariants_are_enough_near_rest),
      cmocka_unit_test(test_memoized_keeps_and_follows),
      cmocka_unit_test(test_memory_may_end),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
