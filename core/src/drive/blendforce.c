// Blendforces and their control.
#include "drive/blendforce.h"

#include "mesh/stiffness.h"
#include "sparse/factor.h"

#include <math.h>
#include <string.h>

enum { MARKERS = 400, OF_A_SHAPE = 5 };

struct mi_blendforce {
  mi_arena arena;
  mien_host host;
  const mien_face *face; // the solver's
  int nvert, nshape, nmarker;
  int32_t *marker;         // places in the solver's order                              (nmarker)
  int32_t *first, *at;     // forces of shape k: places at[first[k]..]                  (nshape + 1)
  float *push;             // N per unit of u                                           (n x 3)
  float *influence;        // T' A^-1 B                                  (nmarker x 3 x nshape)
  double *left;            // Cholesky factor of its normal equations    (nshape x nshape)
  double *u;               //                                                           (nshape)
  mi_factor *factor;       // of hold + elastic, volume term and all
  float *force;            // B u*                                                    (nvert x 4)
  unsigned char *is_flesh; // in some tetrahedron                                      (nvert)
  float *artist, *bones;   //                                                          (nvert x 3)
  float *x, *gradient, *step, *anchor; //                                            (nvert x 4)
};

void mi_blendforce_free(mi_blendforce *drive) {
  if (!drive) return;
  mi_factor_free(drive->factor);
  mi_arena arena = drive->arena; // it lies in its own arena
  mi_arena_free(&arena);
}

// -- the basis of forces --------------------------------------------------------------------------

// Forces that hold each shape at weight 1 (the gradient there), and deltas times the matrix A, were
// tried as well: single shapes come out exact, combinations buckle where poses fold the flesh.
// A vertex is pushed by its mass times the shape's delta times the square of the attachment's rate:
// the force that its attachment would take, so that u is about as large as the weight.
static bool build_basis(mi_blendforce *d, const mi_solver *solver) {
  const mien_face *face = d->face;
  const mien_rig_info *rig = &face->rig->info;
  int32_t *skin_of = MI_PUSH(&d->arena, int32_t, rig->nvert);
  size_t total = 0;
  for (int k = 0; k < d->nshape; k++) total += (size_t)rig->shapes[k].deltas.count;
  d->first = MI_PUSH(&d->arena, int32_t, d->nshape + 1);
  d->at = MI_PUSH(&d->arena, int32_t, total);
  d->push = MI_PUSH(&d->arena, float, 3 * total);
  if (!skin_of || !d->first || !d->at || !d->push) return false;
  double rate = 2 * 3.14159265358979323846 * face->attachment_rate;
  for (int i = 0; i < rig->nvert; i++) skin_of[i] = -1;
  for (int i = 0; i < face->skin.nvert; i++)
    if (!(face->regions.bits[i] & MIEN_REGION_PASSIVE)) skin_of[face->skin.vert[i]] = i;
  int n = 0;
  for (int k = 0; k < d->nshape; k++) {
    const mien_shape *shape = rig->shapes + k;
    d->first[k] = n;
    for (int j = 0; j < shape->deltas.count; j++) {
      int v = shape->indices.data ? shape->indices.data[j] : j, i = skin_of[v];
      if (i < 0) continue;
      const float *delta = mi_f32s_at(&shape->deltas, 3, j);
      for (int c = 0; c < 3; c++)
        d->push[3 * (size_t)n + (size_t)c] =
            (float)(rate * rate * (double)face->mass[i] * (double)delta[c]);
      d->at[n++] = solver->place[i];
    }
  }
  d->first[d->nshape] = n;
  return true;
}

static void add_force(const mi_blendforce *d, int k, double u, float *force) {
  for (int n = d->first[k]; n < d->first[k + 1]; n++)
    for (int c = 0; c < 3; c++)
      force[4 * (size_t)d->at[n] + (size_t)c] += (float)(u * (double)d->push[3 * n + c]);
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
    d->marker[d->nmarker++] = c->solver->place[best];
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

// A few where each shape moves the skin most, the others wherever the shapes move it. What hides in
// the mouth or swings freely is left alone.
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
  for (int k = 0; k < d->nshape; k++) {
    memset(c.moved, 0, (size_t)rig->nvert * sizeof *c.moved);
    float most = add_motion(rig->shapes + k, c.moved);
    if (most > 0) spread_markers(&c, 0.25f * most, OF_A_SHAPE); // half as far
  }
  float most = 0;
  for (int k = 0; k < d->nshape; k++) most = fmaxf(most, add_motion(rig->shapes + k, c.moved));
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
  mi_kernels_best()->measure_tets(face->rest, face->tets, face->info.ntet, strain, NULL);
  for (int t = 0; t < face->info.ntet; t++) {
    volume[t] = (float)face->volume_stiffness * strain[t];
    strain[t] *= (float)face->stiffness;
  }
  // a little of the inertia, so that flesh held by nothing has a place
  for (int k = 0; k < d->nvert; k++)
    diagonal[solver->order[k]] = (double)solver->hold[k] + 0.01 * (double)solver->inertia[k];
  mi_stiffness_def def = {.nvert = d->nvert,
                          .ntet = face->info.ntet,
                          .tets = face->tets,
                          .rest = face->rest,
                          .weight_a = strain,
                          .weight_b = volume,
                          .diagonal = diagonal};
  if (!mi_stiffness_assemble(&def, scratch, &unordered) ||
      !mi_csr_permute(&unordered, solver->order, scratch, scratch, &matrix))
    return mi_fail_memory(err);
  return mi_factor_create(&matrix, d->nvert, &d->host, &d->factor, err);
}

static bool build_left(mi_blendforce *d) {
  size_t n = (size_t)d->nshape, rows = 3 * (size_t)d->nmarker;
  d->influence = MI_PUSH(&d->arena, float, rows *n);
  d->left = MI_PUSH(&d->arena, double, n *n);
  d->u = MI_PUSH(&d->arena, double, n + 1);
  if (!d->influence || !d->left || !d->u) return false;
  for (int k = 0; k < d->nshape; k++) {
    memset(d->step, 0, 4 * (size_t)d->nvert * sizeof *d->step);
    add_force(d, k, 1, d->step);
    mi_factor_solve(d->factor, d->step, d->host.threads, d->step);
    for (int m = 0; m < d->nmarker; m++)
      for (size_t c = 0; c < 3; c++)
        d->influence[(3 * (size_t)m + c) * n + (size_t)k] = d->step[4 * (size_t)d->marker[m] + c];
  }
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b <= a; b++) {
      double sum = 0;
      for (size_t r = 0; r < rows; r++)
        sum += (double)d->influence[r * n + a] * (double)d->influence[r * n + b];
      d->left[a * n + b] = sum;
    }
  // Shapes that do nearly the same share the work instead of fighting: without this u grows to 30
  // where weights are 1, and thin lips buckle.
  for (size_t a = 0; a < n; a++) d->left[a * n + a] = 1.1 * d->left[a * n + a] + 1e-30;
  return mi_dense_factor(d->left, d->nshape);
}

static mien_result build(mi_blendforce *d, const mi_solver *solver, mi_arena *scratch,
                         mien_error *err) {
  size_t size = 4 * (size_t)d->nvert;
  d->x = MI_PUSH(&d->arena, float, size);
  d->gradient = MI_PUSH(&d->arena, float, size);
  d->step = MI_PUSH(&d->arena, float, size);
  d->anchor = MI_PUSH(&d->arena, float, size);
  d->force = MI_PUSH(&d->arena, float, size);
  d->is_flesh = MI_PUSH(&d->arena, unsigned char, d->nvert);
  d->artist = MI_PUSH(&d->arena, float, size);
  d->bones = MI_PUSH(&d->arena, float, size);
  if (!d->x || !d->gradient || !d->step || !d->anchor || !d->force || !d->is_flesh || !d->artist ||
      !d->bones || !build_basis(d, solver) || !choose_markers(d, solver, scratch))
    return mi_fail_memory(err);
  for (int k = 0; k < 4 * d->face->info.ntet; k++) d->is_flesh[d->face->tets[k]] = 1;
  if (d->nmarker == 0) return mi_fail(err, MIEN_ERR_MISMATCH, "no shape of the rig moves its skin");
  mien_result result = build_factor(d, solver, scratch, err);
  if (result >= 0 && !build_left(d)) result = mi_fail_memory(err);
  return result;
}

mien_result mi_blendforce_create(mi_solver *solver, const mien_face *face, mi_blendforce **out,
                                 mien_error *err) {
  mi_arena arena, scratch;
  mi_arena_init(&arena, &solver->host);
  mi_blendforce *d = MI_PUSH(&arena, mi_blendforce, 1);
  if (!d) return mi_fail_memory(err);
  d->arena = arena;
  d->host = solver->host;
  d->face = face;
  d->nvert = solver->nvert;
  d->nshape = face->rig->info.nshape;
  mi_arena_init(&scratch, &solver->host);
  mien_result result = build(d, solver, &scratch, err);
  mi_arena_free(&scratch);
  if (result < 0)
    mi_blendforce_free(d);
  else
    *out = d;
  return result;
}

// -- control --------------------------------------------------------------------------------------

// dE/dx of hold and elastic at x: projections are those of x.
static void find_gradient(mi_blendforce *d, mi_solver *solver) {
  mi_elastic_info info;
  for (int i = 0; i < d->nvert; i++)
    for (size_t c = 0; c < 4; c++) {
      size_t at = 4 * (size_t)i + c;
      d->gradient[at] = solver->hold[i] * (d->x[at] - d->anchor[at]);
    }
  mi_elastic_evaluate(solver->elastic, d->x, solver->local, d->host.threads, d->gradient, &info);
}

// u* for x0 = x - A^-1 g, and what is left of the markers' distance
static double solve_u(mi_blendforce *d, const float *artist, const mi_solver *solver) {
  size_t n = (size_t)d->nshape;
  double left2 = 0;
  memset(d->u, 0, n * sizeof *d->u);
  for (int m = 0; m < d->nmarker; m++)
    for (size_t c = 0; c < 3; c++) {
      size_t at = 4 * (size_t)d->marker[m] + c;
      double off = (double)artist[3 * (size_t)solver->order[d->marker[m]] + c] -
                   (double)(d->x[at] - d->step[at]);
      const float *row = d->influence + (3 * (size_t)m + c) * n;
      for (size_t k = 0; k < n; k++) d->u[k] += (double)row[k] * off;
    }
  mi_dense_solve(d->left, d->nshape, d->u);
  for (int m = 0; m < d->nmarker; m++)
    for (size_t c = 0; c < 3; c++) {
      size_t at = 4 * (size_t)d->marker[m] + c;
      double off = (double)artist[3 * (size_t)solver->order[d->marker[m]] + c] -
                   (double)(d->x[at] - d->step[at]);
      const float *row = d->influence + (3 * (size_t)m + c) * n;
      for (size_t k = 0; k < n; k++) off -= (double)row[k] * d->u[k];
      left2 += off * off;
    }
  return sqrt(left2 / d->nmarker);
}

// three floats a vertex in flesh order to four in the solver's
static void gather(const mi_solver *solver, const float *flesh, float *vector) {
  for (int k = 0; k < solver->nvert; k++)
    memcpy(vector + 4 * (size_t)k, flesh + 3 * (size_t)solver->order[k], 3 * sizeof *vector);
}

mi_control mi_blendforce_control(mi_blendforce *d, mi_solver *solver, const float *artist,
                                 const float *bones, int iterations, float *force) {
  mi_control control = {.nmarker = d->nmarker};
  size_t size = 4 * (size_t)d->nvert * sizeof *force;
  gather(solver, artist, d->x);
  gather(solver, bones, d->anchor);
  for (int k = 0; k < iterations; k++) {
    find_gradient(d, solver);
    mi_factor_solve(d->factor, d->gradient, d->host.threads, d->step);
    control.residual = solve_u(d, artist, solver);
    memset(force, 0, size);
    for (int s = 0; s < d->nshape; s++) add_force(d, s, d->u[s], force);
    if (k + 1 == iterations) break;
    for (int i = 0; i < 4 * d->nvert; i++) d->gradient[i] -= force[i];
    mi_factor_solve(d->factor, d->gradient, d->host.threads, d->step);
    for (int i = 0; i < 4 * d->nvert; i++) d->x[i] -= d->step[i];
  }
  for (int s = 0; s < d->nshape; s++) control.is_forced |= fabs(d->u[s]) > 1e-6;
  return control;
}

// -- the stage of a step --------------------------------------------------------------------------

mien_result mi_blendforce_prepare(mi_step_run *run) {
  mi_solver *solver = run->state->solver;
  solver->force = NULL;
  if (run->opts.drive != MIEN_DRIVE_BLENDFORCE) return MIEN_OK;
  if (!solver->blendforce) {
    mien_result result =
        mi_blendforce_create(solver, run->state->face, &solver->blendforce, run->err);
    if (result < 0) return result;
  }
  solver->force = solver->blendforce->force;
  return MIEN_OK;
}

void mi_blendforce_drive(mi_step_run *run) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  mi_blendforce *d = solver->blendforce;
  size_t size = 3 * (size_t)d->nvert * sizeof(float);
  double started = mi_clock();
  memcpy(d->artist, state->moving.posed, size);
  mi_input_bones(state, run->input, d->is_flesh, d->bones);
  memcpy(state->moving.posed, d->bones, size);
  bool is_neutral = !memcmp(d->artist, d->face->rest, size);
  mi_control control = {.nmarker = d->nmarker};
  if (is_neutral) {
    memset(d->force, 0, 4 * (size_t)d->nvert * sizeof *d->force);
  } else {
    mi_elastic_set_pose(solver->elastic, NULL, d->host.threads);
    control = mi_blendforce_control(d, solver, d->artist, d->bones, run->opts.control_iterations,
                                    d->force);
  }
  run->is_forced = control.is_forced;
  state->info.marker_error = control.residual;
  state->info.seconds_drive += mi_clock() - started;
}
