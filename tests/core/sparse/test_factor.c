#include "face/face.h"
#include "math/kernels.h"
#include "mesh/stiffness.h"
#include "shell.h"

#include <math.h>
#include <string.h>

static mien_host plain_host(void) {
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  return host;
}

static mi_factor *factor_of(const mi_csr *a, int nfront) {
  mien_host host = plain_host();
  mi_factor *factor = NULL;
  mien_error err;
  if (mi_factor_create(a, nfront, &host, &factor, &err) < 0) fail_msg("%s", err.text);
  return factor;
}

// a random pattern of about six entries a row, made dominant so that it is positive definite
static mi_csr random_matrix(mi_arena *arena, int n, uint64_t seed) {
  double *m = MI_PUSH(arena, double, (size_t)n *(size_t)n);
  for (uint32_t k = 0; k < 3 * (uint32_t)n; k++) {
    int i = (int)(mi_random_unit(seed, k, 0) * n), j = (int)(mi_random_unit(seed, k, 1) * n);
    double value = mi_random_unit(seed, k, 2) - 0.5;
    m[i * n + j] += value;
    m[j * n + i] += value;
  }
  mi_csr a = {n, MI_PUSH(arena, int32_t, n + 1), MI_PUSH(arena, int32_t, n * n),
              MI_PUSH(arena, double, n *n)};
  int at = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0.1;
    for (int j = 0; j < n; j++) sum += i == j ? 0 : fabs(m[i * n + j]);
    m[i * n + i] = sum;
    for (int j = 0; j < n; j++) {
      if (m[i * n + j] == 0) continue;
      a.column[at] = j;
      a.value[at++] = m[i * n + j];
    }
    a.first[i + 1] = at;
  }
  return a;
}

static void agrees_with_a_dense_solve(void **state) {
  (void)state;
  mien_host host = plain_host();
  for (int n = 1; n <= 150; n += n < 20 ? 1 : 13)
    for (int part = 0; part < 3; part++) {
      mi_arena arena;
      mi_arena_init(&arena, &host);
      mi_csr a = random_matrix(&arena, n, (uint64_t)n);
      int nfront = part == 0 ? n : part == 1 ? n - n / 3 : 0; // no root, some, all of it
      mi_factor *factor = factor_of(&a, nfront);
      float *b = shell_random(&arena, n, 7), *x = MI_PUSH(&arena, float, 4 * (size_t)n);
      mi_factor_solve(factor, b, 2, x);
      assert_true(dense_error(&arena, &a, NULL, b, x) < 5e-6);
      for (int i = 0; i < n; i++) assert_true(x[4 * i + 3] == 0);
      mi_factor_solve(factor, b, 2, b); // in place
      assert_memory_equal(b, x, 4 * (size_t)n * sizeof *b);
      assert_int_equal(mi_factor_get_info(factor).nroot, n - nfront);
      mi_factor_free(factor);
      mi_arena_free(&arena);
    }
}

static double product(const float *a, const float *b, int n) {
  double sum = 0;
  for (int i = 0; i < 4 * n; i++) sum += (double)a[i] * (double)b[i];
  return sum;
}

// Half precision: close to the exact inverse, with pulls too, and as symmetric and positive.
static void compact_is_close_and_symmetric(void **state) {
  (void)state;
  mien_host host = plain_host();
  shell s = shell_create(14, true);
  const mi_lowrank lowrank[2] = {
      {{s.nfront, s.nfront + 3, -1, -1}, {1, -1, 0, 0}, 800},
      {{s.nfront + 1, s.nfront + 5, s.nfront + 6, -1}, {1, -0.5f, -0.5f, 0}, 90}};
  const mi_lowrank_rows lowrank_rows = {lowrank, 2};
  mi_factor *compact = NULL;
  assert_int_equal(mi_factor_create_compact(&s.a, s.nfront, &host, &compact, NULL), MIEN_OK);
  float *b = shell_random(&s.arena, s.nvert, 7), *c = shell_random(&s.arena, s.nvert, 8);
  float *x = MI_PUSH(&s.arena, float, 4 * s.nvert), *y = MI_PUSH(&s.arena, float, 4 * s.nvert);
  float *again = MI_PUSH(&s.arena, float, 4 * s.nvert);
  for (int k = 0; k < 2; k++) {
    assert_true(mi_factor_set_lowrank(compact, k ? &lowrank_rows : NULL, 1));
    mi_factor_solve(compact, b, 1, x);
    mi_factor_solve(compact, c, 1, y);
    mi_factor_solve(compact, b, 8, again);
    double error = dense_error(&s.arena, &s.a, k ? &lowrank_rows : NULL, b, x);
    print_message("half precision, %d pulls: relative error %.1e\n", 2 * k, error);
    assert_true(error < 3e-3 && error > 1e-6); // else it is not in half precision
    assert_near(product(c, x, s.nvert), product(b, y, s.nvert), 1e-5 * product(b, x, s.nvert));
    assert_true(product(b, x, s.nvert) > 0);
    assert_memory_equal(x, again, 4 * sizeof(float) * (size_t)s.nvert);
  }
  mi_factor_free(compact);
  shell_free(&s);
}

static void solves_vertices_that_touch_nothing(void **state) {
  (void)state;
  enum { N = 50 };
  int32_t first[N + 1] = {0}, column[N];
  double value[N];
  float b[4 * N] = {0}, x[4 * N];
  for (int i = 0; i < N; i++) {
    first[i + 1] = i + 1, column[i] = i, value[i] = i + 1;
    b[4 * i] = b[4 * i + 2] = (float)(i + 1);
  }
  mi_csr a = {N, first, column, value};
  mi_factor *factor = factor_of(&a, N - 7);
  mi_factor_solve(factor, b, 1, x);
  for (int i = 0; i < N; i++) {
    assert_near(x[4 * i], 1, 1e-6);
    assert_near(x[4 * i + 1], 0, 0);
    assert_near(x[4 * i + 2], 1, 1e-6);
  }
  mi_factor_free(factor);
}

static void solves_shells(void **state) {
  (void)state;
  for (int region = 0; region < 2; region++) {
    shell s = shell_create(40, region);
    mi_factor *factor = factor_of(&s.a, s.nfront);
    float *b = shell_random(&s.arena, s.nvert, 3);
    float *x = MI_PUSH(&s.arena, float, 4 * (size_t)s.nvert);
    mi_factor_solve(factor, b, 2, x);
    assert_true(relative_residual(&s.a, NULL, b, x) < 1e-5);
    mi_factor_info info = mi_factor_get_info(factor);
    assert_true(info.ntask >= 2); // otherwise threads are not tested below
    assert_true(info.nentry < 60 * s.nvert + (int64_t)info.nroot * info.nroot);
    mi_factor_free(factor);
    shell_free(&s);
  }
}

// matrix of the sample head with the lips last
static bool sample_matrix(mi_arena *arena, mi_csr *a, int *nfront) {
  mien_rig *rig = NULL;
  mien_face *face = NULL;
  mien_error err;
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head.glb", NULL, &rig, &err) < 0) return false;
  if (mien_face_create(rig, NULL, NULL, &face, &err) < 0) fail_msg("%s", err.text);
  const mien_face_info *info = mien_face_get_info(face);
  int nvert = info->nvert;
  float *weight = MI_PUSH(arena, float, info->ntet);
  double *diagonal = MI_PUSH(arena, double, nvert);
  unsigned char *last = MI_PUSH(arena, unsigned char, nvert);
  int32_t *order = MI_PUSH(arena, int32_t, nvert);
  mi_kernels_best()->measure_tets(info->positions.data, info->tets.data, info->ntet, weight, NULL);
  for (int t = 0; t < info->ntet; t++) weight[t] *= 15000; // Pa x volume
  *nfront = nvert;
  for (int i = 0; i < nvert; i++) {
    diagonal[i] = (double)info->masses.data[i] * 3600 * (1 + 30 * (double)info->attachment.data[i]);
    last[i] = i < info->nskin &&
              (info->regions.data[i] & (MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER)) != 0;
    *nfront -= last[i];
  }
  mi_stiffness_def def = {nvert,  info->ntet, info->tets.data, info->positions.data,
                          weight, NULL,       diagonal};
  mi_csr plain;
  assert_true(mi_stiffness_assemble(&def, arena, &plain));
  assert_true(mi_order_find(&plain, last, order, arena));
  assert_true(mi_csr_permute(&plain, order, arena, arena, a));
  mien_face_free(face);
  mien_rig_free(rig);
  return true;
}

static void solves_the_sample_head(void **state) {
  (void)state;
  mien_host host = plain_host();
  mi_arena arena;
  mi_arena_init(&arena, &host);
  mi_csr a;
  int nfront = 0;
  if (!sample_matrix(&arena, &a, &nfront)) skip();
  assert_true(a.nrow > 10000);
  assert_in_range(a.nrow - nfront, 100, 2000);
  mi_factor *factor = factor_of(&a, nfront);
  float *b = shell_random(&arena, a.nrow, 3);
  float *x = MI_PUSH(&arena, float, 4 * (size_t)a.nrow);
  mi_factor_solve(factor, b, 2, x);
  assert_true(relative_residual(&a, NULL, b, x) < 1e-5);
  assert_true(mi_factor_bytes(factor) < 1500 * (size_t)a.nrow);
  mi_factor_free(factor);
  mi_arena_free(&arena);
}

// -- pulls ----------------------------------------------------------------------------------------

// vertex against a triangle, spread over rows [from, n)
static mi_lowrank *make_lowrank(mi_arena *arena, int count, int from, int n, float weight) {
  mi_lowrank *lowrank = MI_PUSH(arena, mi_lowrank, count);
  for (uint32_t k = 0; k < (uint32_t)count; k++) {
    int32_t vert[4];
    for (uint32_t v = 0; v < 4; v++) {
      vert[v] = from + (int)(mi_random_unit(11, k, v) * (n - from));
      for (uint32_t u = 0; u < v; u++)
        if (vert[u] == vert[v]) vert[v] = -1;
    }
    memcpy(lowrank[k].vert, vert, sizeof vert);
    const float coef[4] = {1, -0.2f, -0.3f, -0.5f};
    memcpy(lowrank[k].coef, coef, sizeof coef);
    lowrank[k].weight = weight * (float)(0.5 + mi_random_unit(12, k, 0));
  }
  return lowrank;
}

static void pulls_change_the_matrix(void **state) {
  (void)state;
  shell s = shell_create(14, true);
  int nroot = s.nvert - s.nfront;
  assert_in_range(nroot, 10, 60);
  mi_factor *factor = factor_of(&s.a, s.nfront);
  double diagonal = 0;
  for (int i = 0; i < s.nvert; i++)
    for (int p = s.a.first[i]; p < s.a.first[i + 1]; p++)
      if (s.a.column[p] == i) diagonal = fmax(diagonal, s.a.value[p]);
  float *b = shell_random(&s.arena, s.nvert, 5);
  float *x = MI_PUSH(&s.arena, float, 4 * (size_t)s.nvert);
  const float stiffness[] = {0.1f, 1, 1000};
  for (int k = 0; k < 3; k++)
    for (int kind = 0; kind < 3; kind++) { // inside the root, anywhere, both
      mi_lowrank *lowrank = make_lowrank(&s.arena, 40, kind == 0 ? s.nfront : 0, s.nvert,
                                         stiffness[k] * (float)diagonal);
      if (kind == 2) {
        mi_lowrank *inside =
            make_lowrank(&s.arena, 20, s.nfront, s.nvert, stiffness[k] * (float)diagonal);
        memcpy(lowrank, inside, 20 * sizeof *lowrank);
      }
      mi_lowrank_rows lowrank_rows = {lowrank, 40};
      assert_true(mi_factor_set_lowrank(factor, &lowrank_rows, 2));
      mi_factor_info info = mi_factor_get_info(factor);
      assert_int_equal(info.nlowrank, 40);
      assert_true(kind == 0 ? info.noutside == 0 : info.noutside > 10);
      mi_factor_solve(factor, b, 2, x);
      assert_true(dense_error(&s.arena, &s.a, &lowrank_rows, b, x) < 2e-5);
    }
  mi_factor_free(factor);
  shell_free(&s);
}

static void many_pulls_on_the_same_vertices_stay_accurate(void **state) {
  (void)state;
  shell s = shell_create(14, true);
  mi_factor *factor = factor_of(&s.a, s.nfront);
  float *b = shell_random(&s.arena, s.nvert, 5);
  float *x = MI_PUSH(&s.arena, float, 4 * (size_t)s.nvert);
  mi_lowrank *lowrank = make_lowrank(&s.arena, 120, s.nfront, s.nvert, 1e5f);
  for (int k = 60; k < 120; k++) lowrank[k] = lowrank[k - 60]; // each of them twice
  mi_lowrank_rows lowrank_rows = {lowrank, 120};
  assert_true(mi_factor_set_lowrank(factor, &lowrank_rows, 2));
  mi_factor_solve(factor, b, 2, x);
  assert_true(dense_error(&s.arena, &s.a, &lowrank_rows, b, x) < 1e-4);
  mi_factor_free(factor);
  shell_free(&s);
}

static void pulls_can_be_taken_back_and_refused(void **state) {
  (void)state;
  shell s = shell_create(14, true);
  mi_factor *factor = factor_of(&s.a, s.nfront);
  float *b = shell_random(&s.arena, s.nvert, 5);
  float *before = MI_PUSH(&s.arena, float, 4 * (size_t)s.nvert);
  float *after = MI_PUSH(&s.arena, float, 4 * (size_t)s.nvert);
  size_t size = 4 * (size_t)s.nvert * sizeof *b;
  mi_factor_solve(factor, b, 1, before);
  int most = mi_factor_most_lowrank(factor);
  mi_lowrank *lowrank = make_lowrank(&s.arena, most + 1, s.nfront, s.nvert, 100);
  mi_lowrank_rows lowrank_rows = {lowrank, 30};
  assert_true(mi_factor_set_lowrank(factor, &lowrank_rows, 1));
  mi_factor_solve(factor, b, 1, after);
  assert_true(memcmp(before, after, size) != 0);
  assert_true(mi_factor_set_lowrank(factor, NULL, 1));
  mi_factor_solve(factor, b, 1, after);
  assert_memory_equal(before, after, size);

  lowrank_rows.count = most;
  assert_true(mi_factor_set_lowrank(factor, &lowrank_rows, 1));
  lowrank_rows.count = most + 1;
  assert_false(mi_factor_set_lowrank(factor, &lowrank_rows, 1));
  lowrank_rows.count = 30;
  lowrank[29].weight = 0; // not a pull
  assert_true(mi_factor_set_lowrank(factor, &lowrank_rows, 1));
  assert_int_equal(mi_factor_get_info(factor).nlowrank, 29);
  lowrank[29].weight = NAN;
  assert_false(mi_factor_set_lowrank(factor, &lowrank_rows, 1));
  lowrank[29].weight = 5;
  lowrank[29].vert[0] = s.nvert;
  assert_false(mi_factor_set_lowrank(factor, &lowrank_rows, 1));
  mi_factor_solve(factor, b, 1, after); // a refusal leaves none
  assert_memory_equal(before, after, size);
  mi_factor_free(factor);
  shell_free(&s);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  const int threads[] = {2, 3, 8, 32};
  shell s = shell_create(40, true);
  size_t size = 4 * (size_t)s.nvert;
  float *b = shell_random(&s.arena, s.nvert, 5);
  float *one = MI_PUSH(&s.arena, float, size), *many = MI_PUSH(&s.arena, float, size);
  mi_lowrank_rows lowrank_rows = {make_lowrank(&s.arena, 90, s.nfront, s.nvert, 100), 90};
  lowrank_rows.lowrank = memcpy(make_lowrank(&s.arena, 100, 0, s.nvert, 100), lowrank_rows.lowrank,
                                90 * sizeof(mi_lowrank));
  lowrank_rows.count = 100; // ten of them anywhere
  mi_factor *factor = factor_of(&s.a, s.nfront);
  mi_factor *again = factor_of(&s.a, s.nfront);
  assert_true(mi_factor_set_lowrank(factor, &lowrank_rows, 1));
  mi_factor_solve(factor, b, 1, one);
  for (int k = 0; k < 4; k++)
    for (int repeat = 0; repeat < 10; repeat++) {
      assert_true(mi_factor_set_lowrank(again, &lowrank_rows, threads[k]));
      mi_factor_solve(again, b, threads[k], many);
      assert_memory_equal(one, many, size * sizeof *one);
    }
  mi_factor_free(factor);
  mi_factor_free(again);
  shell_free(&s);
}

// -- failures -------------------------------------------------------------------------------------

static void refuses_what_is_not_positive_definite(void **state) {
  (void)state;
  const double bad[] = {-1, 0, NAN, INFINITY};
  for (int k = 0; k < 4; k++)
    for (int region = 0; region < 2; region++) {
      shell s = shell_create(12, true);
      int row = region ? s.nvert - 3 : s.nvert / 3;
      for (int p = s.a.first[row]; p < s.a.first[row + 1]; p++)
        if (s.a.column[p] == row) s.a.value[p] = bad[k];
      scene_memory memory = {0};
      mien_host host = scene_counting_host(&memory);
      mi_factor *factor = (mi_factor *)&host;
      mien_error err;
      assert_int_equal(mi_factor_create(&s.a, s.nfront, &host, &factor, &err), MIEN_ERR_MISMATCH);
      assert_null(factor);
      assert_int_equal(memory.live, 0);
      assert_non_null(strstr(err.text, "positive definite"));
      shell_free(&s);
    }
}

static mien_result make(const mien_host *host, void *user) {
  const shell *s = user;
  mi_factor *factor;
  mien_result result = mi_factor_create(&s->a, s->nfront, host, &factor, NULL);
  mi_factor_free(factor);
  return result;
}

static void survives_memory_that_ends(void **state) {
  (void)state;
  shell s = shell_create(12, true);
  scene_fail_every_allocation(make, &s);
  shell_free(&s);
}

static void allocates_nothing_after_it_was_made(void **state) {
  (void)state;
  shell s = shell_create(14, true);
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  mi_factor *factor;
  assert_int_equal(mi_factor_create(&s.a, s.nfront, &host, &factor, NULL), MIEN_OK);
  float *b = shell_random(&s.arena, s.nvert, 5);
  mi_lowrank_rows lowrank_rows = {make_lowrank(&s.arena, 40, 0, s.nvert, 100), 40};
  int before = memory.nalloc;
  assert_true(mi_factor_set_lowrank(factor, &lowrank_rows, 1));
  mi_factor_solve(factor, b, 1, b);
  assert_int_equal(memory.nalloc, before);
  mi_factor_free(factor);
  assert_int_equal(memory.live, 0);
  shell_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_a_dense_solve),
      cmocka_unit_test(compact_is_close_and_symmetric),
      cmocka_unit_test(solves_vertices_that_touch_nothing),
      cmocka_unit_test(solves_shells),
      cmocka_unit_test(solves_the_sample_head),
      cmocka_unit_test(pulls_change_the_matrix),
      cmocka_unit_test(many_pulls_on_the_same_vertices_stay_accurate),
      cmocka_unit_test(pulls_can_be_taken_back_and_refused),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(refuses_what_is_not_positive_definite),
      cmocka_unit_test(survives_memory_that_ends),
      cmocka_unit_test(allocates_nothing_after_it_was_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
