// The hot loop against the same energy written plainly in double.
#include "solve/elastic_layout.h"

#include "scenes/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIGMAS = 400 };

// -- The reference
// ----------------------------------------------------------------------------------

static double random_unit(int a, int b) {
  return mi_random_unit(7, (uint32_t)a, (uint32_t)b);
}

static double random_signed(int a, int b) {
  return 2 * random_unit(a, b) - 1;
}

static double det3(const double m[9]) {
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
         m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static void multiply(const double a[9], const double b[9], double out[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) out[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    }
}

// out = a b'
static void multiply_turned(const double a[9], const double b[9], double out[9]) {
  double turned[9];
  for (int i = 0; i < 9; i++) turned[i] = b[3 * (i % 3) + i / 3];
  multiply(a, turned, out);
}

// One-sided Jacobi: the columns of f v become orthogonal.
static void rotate_columns(double a[9], double v[9], int p, int q) {
  double pp = 0, qq = 0, pq = 0;
  for (int i = 0; i < 9; i += 3) {
    pp += a[i + p] * a[i + p];
    qq += a[i + q] * a[i + q];
    pq += a[i + p] * a[i + q];
  }
  double angle = 0.5 * atan2(2 * pq, pp - qq), c = cos(angle), s = sin(angle);
  for (int i = 0; i < 9; i += 3)
    for (int k = 0; k < 2; k++) {
      double *m = k ? v : a, x = m[i + p], y = m[i + q];
      m[i + p] = c * x + s * y;
      m[i + q] = c * y - s * x;
    }
}

static void cross(const double a[9], int p, int q, double out[3]) {
  for (int i = 0; i < 3; i++) {
    int j = 3 * ((i + 1) % 3), k = 3 * ((i + 2) % 3);
    out[i] = a[j + p] * a[k + q] - a[k + p] * a[j + q];
  }
}

// f = u diag(s) v' with rotations u and v and only s[2] perhaps negative.
static void svd(const double f[9], double u[9], double s[3], double v[9]) {
  const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double a[9];
  memcpy(a, f, sizeof a);
  memcpy(v, one, sizeof one);
  // a rotation puts the larger column first, so the values end up sorted and v is a rotation
  for (int sweep = 0; sweep < 30; sweep++) {
    rotate_columns(a, v, 0, 1);
    rotate_columns(a, v, 0, 2);
    rotate_columns(a, v, 1, 2);
  }
  for (int k = 0; k < 3; k++) s[k] = sqrt(a[k] * a[k] + a[3 + k] * a[3 + k] + a[6 + k] * a[6 + k]);
  double least = 1e-14 * s[0];
  memcpy(u, one, sizeof one);
  if (!(s[0] > 0)) return;
  for (int i = 0; i < 3; i++) u[3 * i] = a[3 * i] / s[0];
  double second[3];
  if (s[1] > least) {
    for (int i = 0; i < 3; i++) second[i] = a[3 * i + 1] / s[1];
  } else {
    int small = fabs(u[0]) < 0.6 ? 0 : 1;
    double length = 0, along = u[3 * small];
    for (int i = 0; i < 3; i++) second[i] = (i == small) - along * u[3 * i];
    for (int i = 0; i < 3; i++) length += second[i] * second[i];
    for (int i = 0; i < 3; i++) second[i] /= sqrt(length);
  }
  for (int i = 0; i < 3; i++) u[3 * i + 1] = second[i];
  double third[3], along = 0;
  cross(u, 0, 1, third);
  for (int i = 0; i < 3; i++) {
    u[3 * i + 2] = third[i];
    along += third[i] * a[3 * i + 2];
  }
  s[2] = along;
}

static void rotation_of(const double f[9], double r[9]) {
  double u[9], s[3], v[9];
  svd(f, u, s, v);
  multiply_turned(u, v, r);
}

static void closest_of(const double f[9], double product, double p[9]) {
  double u[9], s[3], v[9], star[3];
  svd(f, u, s, v);
  mi_closest_diagonal(s, product, star);
  for (int i = 0; i < 9; i++) u[i] *= star[i % 3];
  multiply_turned(u, v, p);
}

// -- A flesh and its states
// -------------------------------------------------------------------------

typedef struct flesh {
  scene_mesh mesh;
  mien_rig *rig;
  mien_face *face;
  int nvert, ntet;
  const float *rest;
  const int32_t *tets;
  float *strain, *volume;
  float *x, *posed, *gradient, *other; // (nvert x 4)
  double *reference;                   // (nvert x 3)
  double *size;                        // sum of the sizes of the forces on a vertex (nvert)
  mi_arena arena;
  mi_elastic *elastic;
} flesh;

static mi_elastic *make(flesh *f, int is_prisms) {
  mi_elastic_def def = {f->nvert, f->ntet, f->rest, f->tets, f->strain, f->volume, is_prisms, 1};
  mi_elastic *elastic = mi_elastic_create(&def, &f->arena);
  assert_non_null(elastic);
  return elastic;
}

static int set_up(void **state) {
  flesh *f = calloc(1, sizeof *f);
  mien_error err = {0};
  mien_face_def def;
  mien_face_def_init(&def);
  f->mesh = scene_sphere(24, 36, 0.1);
  f->rig = scene_rig(&f->mesh);
  if (mien_face_create(f->rig, &def, NULL, &f->face, &err) < 0) fail_msg("%s", err.text);
  const mien_face_info *info = mien_face_get_info(f->face);
  f->nvert = info->nvert;
  f->ntet = info->ntet;
  f->rest = info->positions.data;
  f->tets = info->tets.data;
  f->strain = calloc((size_t)f->ntet, sizeof(float));
  f->volume = calloc((size_t)f->ntet, sizeof(float));
  for (int t = 0; t < f->ntet; t++) {
    f->strain[t] = (float)(1 + random_unit(1, t));
    f->volume[t] = (float)(2 + 3 * random_unit(2, t));
  }
  float **vector[] = {&f->x, &f->posed, &f->gradient, &f->other};
  for (int i = 0; i < 4; i++) *vector[i] = calloc(4 * (size_t)f->nvert, sizeof(float));
  f->reference = calloc(3 * (size_t)f->nvert, sizeof(double));
  f->size = calloc((size_t)f->nvert, sizeof(double));
  mien_host host;
  mien_host_init(&host);
  assert_int_equal(mi_host_resolve(&host, &host, NULL), MIEN_OK);
  mi_arena_init(&f->arena, &host);
  f->elastic = make(f, 1);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  flesh *f = *state;
  mi_arena_free(&f->arena);
  mien_face_free(f->face);
  mien_rig_free(f->rig);
  scene_mesh_free(&f->mesh);
  void *memory[] = {f->strain, f->volume,    f->x,    f->posed, f->gradient,
                    f->other,  f->reference, f->size, f};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) free(memory[i]);
  return 0;
}

enum { RESTING, SMOOTH, NOISY, WILD, INVERTED, FLAT, LINE, POINT, HUGE_ONE, TINY_ONE, NSTATE };

// A bend, a stretch and a turn of the whole, noise on top, and linear maps of all that.
static void place(const flesh *f, int kind, float *x) {
  static const double noise[NSTATE] = {0, 0, 4e-4, 4e-3, 4e-4, 1e-3, 1e-3, 0, 4e-4, 4e-4};
  static const double scale[NSTATE][3] = {{1, 1, 1},    {1, 1, 1},         {1, 1, 1}, {1, 1, 1},
                                          {-1, 1, 1},   {1, 1, 0},         {1, 0, 0}, {0, 0, 0},
                                          {50, 50, 50}, {0.02, 0.02, 0.02}};
  for (int i = 0; i < f->nvert; i++) {
    const float *r = f->rest + 3 * (size_t)i;
    double p[3] = {r[0], r[1], r[2]};
    if (kind != RESTING) {
      p[0] = 1.15 * r[0] + 0.7 * r[1] * r[2];
      p[1] = 0.95 * r[1] + 0.01 * sin(20 * (double)r[0]);
      p[2] = 0.9 * r[2] - 0.9 * r[0] * r[1];
    }
    double turned[3] = {0.6 * p[0] - 0.8 * p[1], 0.8 * p[0] + 0.6 * p[1], p[2]};
    for (int k = 0; k < 3; k++) {
      double at = (kind == RESTING ? p[k] : turned[k]) + noise[kind] * random_signed(10 + k, i);
      x[4 * (size_t)i + k] = (float)(scale[kind][k] * at);
    }
    x[4 * (size_t)i + 3] = 0;
  }
}

// the artist's pose: something smooth, not far from rest
static void place_pose(const flesh *f, float *x) {
  for (int i = 0; i < f->nvert; i++) {
    const float *r = f->rest + 3 * (size_t)i;
    x[4 * (size_t)i] = (float)(1.1 * r[0] + 0.5 * r[1] * r[1]);
    x[4 * (size_t)i + 1] = (float)(0.9 * r[1] + 0.2 * r[2]);
    x[4 * (size_t)i + 2] = (float)(1.05 * r[2] - 0.3 * r[0]);
    x[4 * (size_t)i + 3] = 0;
  }
}

static void edges(const float *at, int stride, const int32_t *tet, double out[9]) {
  for (int e = 0; e < 3; e++)
    for (int k = 0; k < 3; k++)
      out[3 * k + e] =
          (double)at[stride * (size_t)tet[e + 1] + k] - at[stride * (size_t)tet[0] + k];
}

static void invert(const double m[9], double out[9]) {
  double det = det3(m);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = 3 * ((j + 1) % 3), b = 3 * ((j + 2) % 3), c = (i + 1) % 3, d = (i + 2) % 3;
      out[3 * i + j] = (m[a + c] * m[b + d] - m[a + d] * m[b + c]) / det;
    }
}

// Energy in the plainest way; the gradient into f->reference.
static double reference_energy(flesh *f, const float *x, const float *posed) {
  double energy = 0;
  memset(f->reference, 0, 3 * (size_t)f->nvert * sizeof(double));
  memset(f->size, 0, (size_t)f->nvert * sizeof(double));
  for (int t = 0; t < f->ntet; t++) {
    const int32_t *tet = f->tets + 4 * (size_t)t;
    double rest[9], inverse[9], now[9], grad[9], target[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    edges(f->rest, 3, tet, rest);
    invert(rest, inverse);
    edges(x, 4, tet, now);
    multiply(now, inverse, grad);
    if (posed) {
      edges(posed, 4, tet, now);
      multiply(now, inverse, target);
    }
    double turned[9], r[9], shape[9], p[9], h[9], force[9];
    multiply_turned(grad, target, turned);
    rotation_of(turned, r);
    multiply(r, target, shape);
    closest_of(grad, det3(target), p);
    for (int i = 0; i < 9; i++) {
      double bent = grad[i] - shape[i], off = grad[i] - p[i];
      energy += 0.5 * (f->strain[t] * bent * bent + f->volume[t] * off * off);
      h[i] = f->strain[t] * bent + f->volume[t] * off;
    }
    multiply_turned(h, inverse, force); // column e: on corner e + 1
    for (int e = 0; e < 3; e++)
      for (int k = 0; k < 3; k++) {
        f->reference[3 * (size_t)tet[e + 1] + k] += force[3 * k + e];
        f->reference[3 * (size_t)tet[0] + k] -= force[3 * k + e];
        f->size[tet[e + 1]] += fabs(force[3 * k + e]);
        f->size[tet[0]] += fabs(force[3 * k + e]);
      }
  }
  return energy;
}

static mi_elastic_info evaluate(flesh *f, mi_elastic *elastic, mi_local local, float *gradient) {
  mi_elastic_info info;
  memset(gradient, 0, 4 * (size_t)f->nvert * sizeof(float));
  mi_elastic_evaluate(elastic, f->x, local, 1, gradient, &info);
  return info;
}

static double worst_gradient(const flesh *f) {
  double worst = 0, most = 0;
  for (int i = 0; i < f->nvert; i++) most = fmax(most, f->size[i]);
  for (int i = 0; i < f->nvert; i++)
    for (int k = 0; k < 3; k++)
      worst = fmax(worst, fabs(f->gradient[4 * (size_t)i + k] - f->reference[3 * (size_t)i + k]) /
                              (f->size[i] + 1e-3 * most + 1e-30));
  return worst;
}

// -- Tests
// ------------------------------------------------------------------------------------------

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
        assert_int_equal(many.ninverted, one.ninverted);
        assert_int_equal(many.nfull, one.nfull);
      }
    }
  mi_elastic_set_pose(f->elastic, NULL, 1);
}

static void check_same(flesh *f, mi_elastic *a, mi_elastic *b, double tolerance) {
  mi_elastic_info one = evaluate(f, a, MI_LOCAL_INVARIANTS, f->gradient);
  mi_elastic_info two = evaluate(f, b, MI_LOCAL_INVARIANTS, f->other);
  assert_near(two.energy, one.energy, tolerance * one.energy);
  assert_int_equal(one.ninverted, two.ninverted);
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
    assert_int_equal(info.ninverted, kinds[i] == RESTING ? 0 : f->ntet);
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
      cmocka_unit_test(test_bodies_and_layouts_agree),
      cmocka_unit_test(test_odd_numbers_of_tetrahedra),
      cmocka_unit_test(test_inverted_tetrahedra_are_counted),
      cmocka_unit_test(test_invariants_are_enough_near_rest),
      cmocka_unit_test(test_memoized_keeps_and_follows),
      cmocka_unit_test(test_memory_may_end),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
