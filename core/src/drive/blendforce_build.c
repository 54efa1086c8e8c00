// The basis of blendforces, the markers, and the constant left side of the control.
#include "drive/blendforce.h"

#include "drive/materials.h"
#include "drive/pose.h"
#include "mesh/stiffness.h"

#include <math.h>
#include <string.h>

enum { MARKERS = 400, OF_A_SHAPE = 5 };
static const double SHARING = 0.1;
static const float NEGLIGIBLE = 1e-4f; // of a column's largest force

// -- the basis of forces --------------------------------------------------------------------------

// Flesh and bones of a single shape, into x and anchor.
static void pose_shape(mi_blendforce *d, mi_solver *solver, const float *weights, float *rig) {
  const mien_face *face = d->face;
  mi_bone_motion jaw = mi_bone_hinge(face, weights);
  mi_rig_pose(face->rig, weights, face->rig->info.nshape, rig);
  mi_carry(face, rig, &jaw, d->host.threads, d->artist);
  mi_blendvolumes_add(&face->blendvolumes, weights, d->artist);
  mi_bones_carry(face, &jaw, d->is_flesh, d->artist, d->bones);
  mi_blendforce_gather(solver, d->artist, d->x);
  mi_blendforce_gather(solver, d->bones, d->anchor);
  mi_solver_set_materials(solver, face, weights);
  mi_elastic_set_volumes(solver->elastic, d->x, d->host.threads);
}

static bool keep_force(mi_blendforce *d, float weight, mi_force *out) {
  float largest = 0;
  for (int i = 0; i < 4 * d->nvert; i++) largest = fmaxf(largest, fabsf(d->gradient[i]));
  float least = NEGLIGIBLE * largest + 1e-30f;
  for (int pass = 0; pass < 2; pass++) {
    out->count = 0;
    for (int i = 0; i < d->nvert; i++) {
      const float *g = d->gradient + 4 * (size_t)i;
      if (fabsf(g[0]) + fabsf(g[1]) + fabsf(g[2]) < least) continue;
      if (pass) {
        out->at[out->count] = i;
        for (int c = 0; c < 3; c++) out->push[3 * (size_t)out->count + (size_t)c] = g[c] / weight;
      }
      out->count++;
    }
    if (pass) return true;
    out->at = MI_PUSH(&d->arena, int32_t, out->count);
    out->push = MI_PUSH(&d->arena, float, 3 * (size_t)out->count);
    if (!out->at || !out->push) return false;
  }
  return true;
}

// Each shape's forces are those that hold it, dE/dx there, at weight 1 and at 1/2; a parabola
// through them and zero gives any other weight. (Masses times deltas do not hold the shapes and
// lost half of most expressions; deltas times the matrix ignore rotations.)
static bool build_basis(mi_blendforce *d, mi_solver *solver, mi_arena *scratch) {
  const mien_rig_info *rig = &d->face->rig->info;
  float *weights = MI_PUSH(scratch, float, rig->nshape);
  float *posed = MI_PUSH(scratch, float, 3 * (size_t)rig->nvert);
  d->nforce = MI_PER_SHAPE * rig->nshape;
  d->force_of = MI_PUSH(&d->arena, mi_force, d->nforce);
  if (!weights || !posed || !d->force_of) return false;
  for (int k = 0; k < d->nforce; k++) {
    float weight = k % MI_PER_SHAPE ? 0.5f : 1;
    weights[k / MI_PER_SHAPE] = weight;
    pose_shape(d, solver, weights, posed);
    mi_blendforce_gradient(d, solver);
    if (!keep_force(d, weight, d->force_of + k)) return false;
    weights[k / MI_PER_SHAPE] = 0;
  }
  mi_solver_set_materials(solver, d->face, weights); // the neutral's again
  mi_elastic_set_pose(solver->elastic, NULL, d->host.threads);
  return true;
}

// -- markers --------------------------------------------------------------------------------------

typedef struct choice {
  mi_blendforce *drive;
  const mi_solver *solver;
  float *far;   // m^2 from the markers chosen so far, -1 = not to be chosen        (nskin)
  float *moved; // m^2, of rig vertices                                             (rig nvert)
} choice;

// Spreads up to `count` more markers over skin that moves by at least `least` (m^2): each is the
// vertex farthest from those there are.
static void spread_markers(choice *c, float least, int count) {
  mi_blendforce *d = c->drive;
  const mien_face *face = d->face;
  for (int n = 0; n < count && d->nmarker < MARKERS; n++) {
    int best = -1;
    for (int i = 0; i < face->skin.nvert; i++)
      if (c->far[i] > 0 && c->moved[face->skin.vert[i]] >= least &&
          (best < 0 || c->far[i] > c->far[best]))
        best = i;
    if (best < 0) return;
    d->marker[d->nmarker++] = c->solver->iperm[best];
    const float *p = face->rest + 3 * (size_t)best;
    for (int i = 0; i < face->skin.nvert; i++) {
      const float *q = face->rest + 3 * (size_t)i;
      float x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
      c->far[i] = fminf(c->far[i], x * x + y * y + z * z);
    }
  }
}

static float add_motion(const mien_shape *shape, float *moved) {
  float most = 0;
  for (int j = 0; j < shape->deltas.count; j++) {
    const float *delta = mi_f32s_at(&shape->deltas, 3, j);
    int v = shape->indices.data ? shape->indices.data[j] : j;
    float d2 = delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2];
    moved[v] = fmaxf(moved[v], d2);
    most = fmaxf(most, d2);
  }
  return most;
}

// Chooses a few markers where each shape moves the skin most, the others where any shape moves it.
// Skin inside the mouth and passive skin get none.
static bool choose_markers(mi_blendforce *d, const mi_solver *solver, mi_arena *scratch) {
  const mien_face *face = d->face;
  const mien_rig_info *rig = &face->rig->info;
  choice c = {.drive = d,
              .solver = solver,
              .far = MI_PUSH(scratch, float, face->skin.nvert),
              .moved = MI_PUSH(scratch, float, rig->nvert)};
  d->marker = MI_PUSH(&d->arena, int32_t, MARKERS);
  if (!c.far || !c.moved || !d->marker) return false;
  int32_t hidden = MIEN_REGION_MOUTH_BAG | MIEN_REGION_PASSIVE;
  for (int i = 0; i < face->skin.nvert; i++)
    c.far[i] = face->regions.bits[i] & hidden ? -1 : INFINITY;
  for (int k = 0; k < d->face->rig->info.nshape; k++) {
    memset(c.moved, 0, (size_t)rig->nvert * sizeof *c.moved);
    float most = add_motion(rig->shapes + k, c.moved);
    if (most > 0) spread_markers(&c, 0.25f * most, OF_A_SHAPE); // half as far
  }
  float most = 0;
  for (int k = 0; k < d->face->rig->info.nshape; k++)
    most = fmaxf(most, add_motion(rig->shapes + k, c.moved));
  spread_markers(&c, 0.0025f * most + 1e-20f, MARKERS);
  return true;
}

// -- the constant left side -----------------------------------------------------------------------

// A: hold + elastic with all of the volume term, so that plain steps do not overshoot.
static mien_result build_factor(mi_blendforce *d, const mi_solver *solver, mi_arena *scratch,
                                mien_error *err) {
  const mien_face *face = d->face;
  float *strain = MI_PUSH(scratch, float, face->info.ntet);
  float *volume = MI_PUSH(scratch, float, face->info.ntet);
  double *diagonal = MI_PUSH(scratch, double, d->nvert);
  mi_csr unordered, matrix;
  if (!strain || !volume || !diagonal) return mi_fail_memory(err);
  for (int t = 0; t < face->info.ntet; t++) {
    strain[t] = mi_elastic_strain(solver->elastic, t);
    volume[t] = mi_elastic_volume(solver->elastic, t);
  }
  // A little inertia makes the matrix regular where flesh is not attached.
  for (int k = 0; k < d->nvert; k++)
    diagonal[solver->perm[k]] =
        (double)solver->attach_stiffness[k] + 0.01 * (double)solver->op->inertia[k];
  mi_stiffness_def def = {.nvert = d->nvert,
                          .ntet = face->info.ntet,
                          .tets = face->tets,
                          .rest = face->rest,
                          .weight_a = strain,
                          .weight_b = volume,
                          .diagonal = diagonal};
  if (!mi_stiffness_assemble(&def, scratch, &unordered) ||
      !mi_csr_permute(&unordered, solver->perm, scratch, scratch, &matrix))
    return mi_fail_memory(err);
  return mi_factor_create(&matrix, d->nvert, &d->host, &d->factor, err);
}

static bool build_left(mi_blendforce *d) {
  size_t n = (size_t)d->nforce, rows = 3 * (size_t)d->nmarker;
  d->influence = MI_PUSH(&d->arena, float, rows *n);
  d->left = MI_PUSH(&d->arena, double, n *n);
  d->u = MI_PUSH(&d->arena, double, n + 1);
  d->expected = MI_PUSH(&d->arena, double, n + 1);
  if (!d->influence || !d->left || !d->u || !d->expected) return false;
  for (int k = 0; k < d->nforce; k++) {
    memset(d->step, 0, 4 * (size_t)d->nvert * sizeof *d->step);
    mi_blendforce_add(d, k, 1, d->step);
    mi_factor_solve(d->factor, d->step, d->host.threads, d->step);
    for (int m = 0; m < d->nmarker; m++)
      for (size_t c = 0; c < 3; c++)
        d->influence[(3 * (size_t)m + c) * n + (size_t)k] = d->step[4 * (size_t)d->marker[m] + c];
  }
  for (size_t r = 0; r < rows; r++) { // row by row: the sums stay in cache
    const float *row = d->influence + r * n;
    for (size_t a = 0; a < n; a++)
      for (size_t b = 0; b <= a; b++) d->left[a * n + b] += (double)row[a] * (double)row[b];
  }
  // Regularisation: shapes with nearly the same influence get equal shares, not opposite ones.
  for (size_t a = 0; a < n; a++) d->left[a * n + a] *= 1 + SHARING;
  for (size_t a = 0; a < n; a++) d->left[a * n + a] += 1e-30;
  return mi_dense_factor(d->left, d->nforce, d->host.threads);
}

mien_result mi_blendforce_build(mi_blendforce *d, mi_solver *solver, mien_error *err) {
  size_t size = 4 * (size_t)d->nvert;
  float **vectors[] = {&d->x,     &d->gradient, &d->step,  &d->anchor,
                       &d->force, &d->artist,   &d->bones, &d->goal};
  d->is_flesh = MI_PUSH(&d->arena, unsigned char, d->nvert);
  bool done = d->is_flesh != NULL;
  for (size_t k = 0; done && k < sizeof vectors / sizeof *vectors; k++)
    done = (*vectors[k] = MI_PUSH(&d->arena, float, size)) != NULL;
  if (!done) return mi_fail_memory(err);
  for (int k = 0; k < 4 * d->face->info.ntet; k++) d->is_flesh[d->face->tets[k]] = 1;
  mi_arena scratch;
  mi_arena_init(&scratch, &d->host);
  mien_result result = MIEN_OK;
  if (!build_basis(d, solver, &scratch) || !choose_markers(d, solver, &scratch))
    result = mi_fail_memory(err);
  else if (d->nmarker == 0)
    result = mi_fail(err, MIEN_ERR_MISMATCH, "no shape of the rig moves its skin");
  if (result == MIEN_OK) result = build_factor(d, solver, &scratch, err);
  if (result >= 0 && !build_left(d)) result = mi_fail_memory(err);
  mi_arena_free(&scratch);
  return result;
}
