// The flesh of a sphere in all sorts of states, and its energy written plainly in double.
#ifndef MIEN_TESTS_ELASTIC_FLESH_H
#define MIEN_TESTS_ELASTIC_FLESH_H

#include "elastic_reference.h"
#include "scenes/scene.h"

#include <stdlib.h>

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

#endif
