#include "fit/stiffness.h"

#include "fit/stiffness_drift.h"
#include "fit/stiffness_parts.h"
#include "mesh/stiffness.h"
#include "sparse/nnls.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 400 };
static const double TOLERANCE = 1e-6; // of the largest slope
static const double PULL = 0.02;      // towards 1, of a column's usual square
static const double FREE = 0.6;       // attachment that flesh held by no bone may come to
static const double LEAST = 0.02;     // factor that a map can hold
static const double MOST = 1000;

static bool solve(mi_equations *q, const mi_columns *c, const double *prior, double *w,
                  mien_face_info *info, float **even, float **left) {
  double *ridge = MI_PUSH(&q->scratch, double, q->ncol);
  *left = MI_PUSH(&q->scratch, float, 3 * (size_t)q->nrow);
  *even = MI_PUSH(&q->scratch, float, 3 * (size_t)q->nrow);
  q->right = MI_PUSH(&q->scratch, float, 3 * (size_t)q->nrow);
  if (!ridge || !*left || !*even || !q->right) return false;
  for (int which = 0; which < 3; which++) {
    int64_t begin = c->first[which * q->nskin], end = c->first[(which + 1) * q->nskin];
    double square = 0;
    for (int64_t e = begin; e < end; e++) square += (double)c->value[e] * (double)c->value[e];
    for (int v = 0; v < q->nskin; v++)
      ridge[which * q->nskin + v] = PULL * square / q->nskin + 1e-30;
  }
  for (int j = 3 * q->nskin; j < q->ncol; j++) ridge[j] = 1e-30; // as strong as it must be
  memcpy(w, prior, (size_t)q->ncol * sizeof *w);
  mi_nnls problem = {.nrow = 3 * q->nrow,
                     .ncol = q->ncol,
                     .first = c->first,
                     .row = c->row,
                     .value = c->value,
                     .right = q->right,
                     .ridge = ridge,
                     .prior = prior};
  mi_nnls_solve(&problem, 0, 0, w, *even);
  info->fit_residual_before = mi_equations_norm(*even, 3 * q->nrow) / mi_equations_push(q, c, w);
  info->fit_violation = mi_nnls_solve(&problem, SWEEPS, TOLERANCE, w, *left);
  info->fit_residual = mi_equations_norm(*left, 3 * q->nrow) / mi_equations_push(q, c, w);
  info->nfit_zero = 0;
  info->fit_least = INFINITY;
  for (int j = 0; j < 3 * q->nskin; j++) {
    info->nfit_zero += w[j] == 0;
    info->fit_least = fmin(info->fit_least, w[j]);
  }
  return true;
}

// The whole inner surface hangs on springs here, as in the paper; vertices without bone start at 0.
static bool is_held(const mien_face *face, int i) {
  return i >= face->skin.nvert && !(face->regions.bits[face->carrier[i]] & MIEN_REGION_PASSIVE);
}

static double held_at_least(const mien_face *face, int i) {
  return fmax((double)face->attachment[i], FREE);
}

// Springs as the solver will make them (face/support.h): skin that is too thin has some of its own.
static void find_springs(mi_equations *q, float *attach_stiffness, double *prior) {
  mien_face *face = q->face;
  for (int j = 0; j < q->ncol; j++) prior[j] = 1;
  for (int i = q->nskin; i < q->nvert; i++) {
    if (!is_held(face, i)) continue;
    int v = face->carrier[i];
    double held = held_at_least(face, i);
    prior[2 * q->nskin + v] = pow((double)face->attachment[i] / held, 2);
    face->regions.attachment[v] = (float)held; // what hangs on the skin follows it
    attach_stiffness[i] = (float)mi_support_hold(face, i, held, true);
    attach_stiffness[v] = (float)mi_support_hold(face, v, 0, true);
  }
}

double mi_fit_hung_mass(const mien_face *face, int i) {
  int v = face->carrier[i];
  if (face->regions.bits[v] & MIEN_REGION_PASSIVE) return 0;
  if (i == v) return (double)face->lack[v] + (double)face->lost[v];
  return (double)face->mass[i] + (double)face->mass[v] + (double)face->lack[v];
}

// diagonal entry of a vertex in the even material's matrix
static bool find_ease(mi_equations *q, const float *attach_stiffness) {
  const mien_face *face = q->face;
  q->ease = MI_PUSH(&q->scratch, float, q->nvert);
  if (!q->ease) return false;
  for (int i = 0; i < q->nvert; i++) q->ease[i] = attach_stiffness[i];
  for (int t = 0; t < face->info.ntet; t++) {
    mi_vec3 g[4];
    const int32_t *tet = face->tets + 4 * (size_t)t;
    double weight = (face->stiffness + face->volume_stiffness) * (double)face->volume[t];
    for (int p = 0; p < 4 && mi_tet_gradients(face->rest, tet, g); p++)
      q->ease[tet[p]] += (float)(weight * mi_dot(g[p], g[p]));
  }
  for (int i = 0; i < q->nvert; i++) q->ease[i] = q->ease[i] > 0 ? 1 / q->ease[i] : 0;
  return true;
}

// Stores into the face: factors of its tetrahedra, and attachments, whose springs are proportional
// to their square.
static bool apply(mi_equations *q, const double *w) {
  mien_face *face = q->face;
  float *factor[2] = {MI_PUSH(&face->arena, float, q->nskin),
                      MI_PUSH(&face->arena, float, q->nskin)};
  if (!factor[0] || !factor[1]) return false;
  for (int which = 0; which < 2; which++) {
    mi_blend *blend = face->materials.of + (which ? MI_VOLUME_STIFFNESS : MI_STIFFNESS);
    float *of_tets = MI_PUSH(&face->arena, float, face->info.ntet);
    if (!of_tets) return false;
    for (int v = 0; v < q->nskin; v++)
      factor[which][v] = (float)fmin(MOST, fmax(LEAST, w[which * q->nskin + v]));
    for (int t = 0; t < face->info.ntet; t++) {
      for (int p = 0; p < 4; p++)
        of_tets[t] += 0.25f * factor[which][face->carrier[face->tets[4 * (size_t)t + (size_t)p]]];
      of_tets[t] *= mi_blend_neutral(blend, t);
    }
    blend->neutral = of_tets;
  }
  for (int i = q->nskin; i < q->nvert; i++) {
    int v = face->carrier[i];
    if (!is_held(face, i)) continue;
    face->attachment[i] = (float)fmin(1, held_at_least(face, i) * sqrt(w[2 * q->nskin + v]));
    face->regions.attachment[v] = face->attachment[i];
  }
  face->fitted_stiffness = factor[0];
  face->fitted_volume = factor[1];
  uint64_t hash = mi_hash(face->info.hash, w, (size_t)q->ncol * sizeof *w);
  face->info.hash = hash;
  return true;
}

static bool fit(mi_equations *q, mien_error *err) {
  mien_face *face = q->face;
  mi_columns c;
  float *attach_stiffness = MI_PUSH(&q->scratch, float, q->nvert), *even, *left;
  double *w = MI_PUSH(&q->scratch, double, q->ncol);
  double *prior = MI_PUSH(&q->scratch, double, q->ncol);
  if (!attach_stiffness || !w || !prior) return false;
  find_springs(q, attach_stiffness, prior);
  if (!find_ease(q, attach_stiffness) || !mi_equations_build(q, attach_stiffness, &c) ||
      !mi_equations_forces(q, &c, prior) || !solve(q, &c, prior, w, &face->info, &even, &left))
    return false;
  mi_drift drift = {.face = face,
                    .nskin = q->nskin,
                    .nshape = q->nshape,
                    .attach_stiffness = attach_stiffness,
                    .ease = q->ease,
                    .row_of = q->row_of};
  for (int pass = 0; pass < 2; pass++) {
    float *out = MI_PUSH(&face->arena, float, q->nshape);
    drift.w = pass ? w : prior;
    drift.left = pass ? left : even;
    if (!out || mi_drift_find(&drift, &q->scratch, out, err) < 0) return false;
    *(pass ? &face->info.fit_drift : &face->info.fit_drift_before) = (mien_f32s){out, q->nshape, 1};
  }
  return apply(q, w);
}

mien_result mi_fit_stiffness(mien_face *face, mien_error *err) {
  double started = mi_clock();
  mi_equations q = {.face = face,
                    .nskin = face->skin.nvert,
                    .nvert = face->info.nvert,
                    .nshape = face->rig->info.nshape,
                    .ncol = 3 * face->skin.nvert + face->rig->info.nshape};
  mi_arena_init(&q.scratch, &face->host);
  mien_result result = fit(&q, err) ? MIEN_OK : mi_fail_memory(err);
  mi_arena_free(&q.scratch);
  face->info.seconds_fit = mi_clock() - started;
  return result;
}
