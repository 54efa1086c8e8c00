// Making the solver of a state: order, matrix, factor or sweeps, vectors. Done once per time step
// length and kind; steps after that allocate nothing.
#include "solve/motion.h"
#include "solve/step.h"

#include "drive/blendforce.h"
#include "mesh/stiffness.h"
#include "solve/materials.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Pairs that L-BFGS remembers (Barrielle & Stoiber 5.2: m = 5), beside those that it keeps.
enum { HISTORY = 5, SOFT_MODES = 3 };

typedef struct making {
  const mien_face *face;
  mi_solver *solver;
  mi_arena scratch;
  mien_error *err;
  int nfront;           // vertices before the lips
  unsigned char *bound; // in at least one tetrahedron                                (nvert)
  float *tone;          // N / m, at least, of what holds a vertex; or NULL           (nvert)
} making;

// In every race that was measured (mien reproduce B3, mien bench) the factor reached the lower
// energy in the same time.
static mien_solver choose(mien_solver wanted) {
  return wanted == MIEN_SOLVER_AUTO ? MIEN_SOLVER_DIRECT : wanted;
}

// -- order ----------------------------------------------------------------------------------------

// What can touch goes last, lids apart: touching and sticking change only the end of the factor,
// where a dense inverse is kept. That grows with the square of their number, so of many only those
// nearest to the other lip are taken; pulls on the others still work, at the price of a solve.
enum { MOST_LAST = 1500 };

typedef struct lip_vert {
  float gap2; // m^2, from the other lip at rest
  int vert;
} lip_vert;

static int compare_gaps(const void *a, const void *b) {
  const lip_vert *x = a, *y = b;
  if (x->gap2 != y->gap2) return x->gap2 < y->gap2 ? -1 : 1;
  return (x->vert > y->vert) - (x->vert < y->vert);
}

static float gap_to(const mien_face *face, int vert, int32_t other) {
  const float *from = face->rest + 3 * (size_t)vert;
  float least = INFINITY;
  for (int i = 0; i < face->skin.nvert; i++) {
    if (!(face->regions.bits[i] & other)) continue;
    const float *to = face->rest + 3 * (size_t)i;
    float x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
    least = fminf(least, x * x + y * y + z * z);
  }
  return least;
}

static mien_result find_order(making *m, const mi_csr *matrix) {
  const mien_face *face = m->face;
  mi_solver *solver = m->solver;
  unsigned char *last = MI_PUSH(&m->scratch, unsigned char, solver->nvert);
  lip_vert *lips = MI_PUSH(&m->scratch, lip_vert, face->skin.nvert);
  int nlip = 0;
  if (!last || !lips) return mi_fail_memory(m->err);
  for (int i = 0; i < face->skin.nvert; i++) {
    int32_t bits = face->regions.bits[i];
    if ((bits & MIEN_REGION_CONTACT) && !(bits & MIEN_REGION_EYELID))
      lips[nlip++] = (lip_vert){.vert = i};
  }
  for (int k = 0; k < nlip && nlip > MOST_LAST; k++) {
    int32_t bits = face->regions.bits[lips[k].vert];
    bool upper = bits & MIEN_REGION_LIP_UPPER;
    if (bits & MIEN_REGION_PASSIVE) continue; // tentacles meet anywhere
    lips[k].gap2 =
        gap_to(face, lips[k].vert, upper ? MIEN_REGION_LIP_LOWER : MIEN_REGION_LIP_UPPER);
  }
  qsort(lips, (size_t)nlip, sizeof *lips, compare_gaps);
  if (nlip > MOST_LAST) nlip = MOST_LAST;
  for (int k = 0; k < nlip; k++) last[lips[k].vert] = 1;
  m->nfront = solver->nvert - nlip;
  if (!mi_order_find(matrix, last, solver->order, &m->scratch)) return mi_fail_memory(m->err);
  for (int k = 0; k < solver->nvert; k++) solver->place[solver->order[k]] = k;
  return MIEN_OK;
}

// -- weights and elements -------------------------------------------------------------------------

// Flesh follows its bone like a mass on a spring (face/support.c). A vertex in no tetrahedron
// follows the pose: nothing else holds it. Where blendforces drive, flesh that they press hangs on
// springs, too (drive/tone.c).
static void find_hold(const making *m, int i, float *inertia, float *hold) {
  const mien_face *face = m->face;
  double held = m->bound[i] ? face->attachment[i] : 1;
  *inertia = (float)(face->mass[i] / (m->solver->dt * m->solver->dt));
  *hold = (float)mi_support_hold(face, i, held);
  if (m->tone) *hold = fmaxf(*hold, m->tone[i]);
}

typedef struct elements {
  float *rest, *strain, *volume;
  float *strain_in_matrix, *volume_in_matrix;
  double *diagonal;
  int32_t *tets;
} elements;

static bool reserve_elements(making *m, elements *e) {
  size_t nvert = (size_t)m->solver->nvert, ntet = (size_t)m->face->info.ntet;
  *e = (elements){MI_PUSH(&m->scratch, float, 3 * nvert), MI_PUSH(&m->scratch, float, ntet),
                  MI_PUSH(&m->scratch, float, ntet),      MI_PUSH(&m->scratch, float, ntet),
                  MI_PUSH(&m->scratch, float, ntet),      MI_PUSH(&m->scratch, double, nvert),
                  MI_PUSH(&m->scratch, int32_t, 4 * ntet)};
  return e->rest && e->strain && e->volume && e->strain_in_matrix && e->volume_in_matrix &&
         e->diagonal && e->tets;
}

// Painted materials of the neutral. The matrix keeps them while shapes change the flesh (see
// solve/materials.c), but plain PD has no line search: its matrix must never be the softer one.
static bool apply_material(making *m, mi_material material, float *weight, float *in_matrix) {
  const mi_blend *blend = m->face->materials.of + material;
  float *most = MI_PUSH(&m->scratch, float, blend->nvary);
  if (!most) return false;
  mi_blend_most(blend, most);
  for (int t = 0; t < blend->count; t++) in_matrix[t] = weight[t] *= mi_blend_neutral(blend, t);
  bool is_plain = m->solver->kind == MIEN_SOLVER_PREFACTORED;
  for (int k = 0; is_plain && k < blend->nvary; k++)
    in_matrix[blend->vary[k]] *= most[k] / mi_blend_neutral(blend, blend->vary[k]);
  return true;
}

// The same for masses and what holds them.
static bool apply_masses(making *m, double *diagonal) {
  const mi_blend *density = m->face->materials.of + MI_DENSITY;
  const mi_blend *attachment = m->face->materials.of + MI_ATTACHMENT;
  bool is_plain = m->solver->kind == MIEN_SOLVER_PREFACTORED;
  float *heavier = MI_PUSH(&m->scratch, float, density->nvary);
  float *held = MI_PUSH(&m->scratch, float, attachment->nvary);
  if (!heavier || !held) return false;
  for (int i = 0; i < m->solver->nvert; i++) {
    float inertia, hold;
    find_hold(m, i, &inertia, &hold);
    diagonal[i] = (double)inertia + hold;
  }
  if (!is_plain) return true;
  mi_blend_most(density, heavier);
  mi_blend_most(attachment, held);
  double most = 1;
  for (int k = 0; k < density->nvary; k++)
    most = fmax(most, heavier[k] / mi_blend_neutral(density, density->vary[k]));
  for (int i = 0; i < m->solver->nvert; i++) diagonal[i] *= most;
  for (int k = 0; k < attachment->nvary; k++) {
    double neutral = mi_blend_neutral(attachment, attachment->vary[k]);
    double more = mi_support_rate(m->face, held[k]) / mi_support_rate(m->face, fmax(neutral, 1e-6));
    diagonal[attachment->vary[k]] *= more * more;
  }
  return true;
}

static mien_result build_elements(making *m) {
  const mien_face *face = m->face;
  mi_solver *solver = m->solver;
  elements e;
  mi_csr unordered;
  m->bound = MI_PUSH(&m->scratch, unsigned char, solver->nvert);
  if (!m->bound || !reserve_elements(m, &e)) return mi_fail_memory(m->err);
  for (int k = 0; k < 4 * face->info.ntet; k++) m->bound[face->tets[k]] = 1;
  // Plain PD needs the whole volume term in its matrix or it overshoots. The volume's true
  // curvature is a ninth of that on average, most directions have none, and L-BFGS with its line
  // search converges faster on less of it: measured on a jaw stepped by 4 mm, error after 10
  // iterations 1.9 % with a quarter, 1.5 % with 0.06; with 0 the line search works more. A lone
  // tetrahedron has no neighbours to steady it, and the energy of the whole does not feel where it
  // goes: it gets the whole term, too.
  float share = solver->kind == MIEN_SOLVER_PREFACTORED ? 1 : 0.06f;
  mi_kernels_best()->measure_tets(face->rest, face->tets, face->info.ntet, e.strain, NULL);
  for (int t = 0; t < face->info.ntet; t++) {
    e.volume[t] = (float)(face->volume_stiffness * e.strain[t]);
    e.strain[t] *= (float)face->stiffness;
  }
  if (!apply_material(m, MI_STIFFNESS, e.strain, e.strain_in_matrix) ||
      !apply_material(m, MI_VOLUME_STIFFNESS, e.volume, e.volume_in_matrix))
    return mi_fail_memory(m->err);
  for (int t = 0; t < face->info.ntet; t++) {
    if (!mi_support_is_frail(face, t)) e.volume_in_matrix[t] *= share;
    solver->noise += (double)(e.strain[t] + e.volume[t]) * 16 * FLT_EPSILON * FLT_EPSILON;
  }
  if (solver->is_toned) {
    m->tone = MI_PUSH(&m->scratch, float, solver->nvert);
    if (!m->tone || !mi_tone_find(face, e.strain, solver->host.threads, &m->scratch, m->tone))
      return mi_fail_memory(m->err);
  }
  if (!apply_masses(m, e.diagonal)) return mi_fail_memory(m->err);
  mi_stiffness_def stiffness = {.nvert = solver->nvert,
                                .ntet = face->info.ntet,
                                .tets = face->tets,
                                .rest = face->rest,
                                .weight_a = e.strain_in_matrix,
                                .weight_b = e.volume_in_matrix,
                                .diagonal = e.diagonal};
  if (!mi_stiffness_assemble(&stiffness, &m->scratch, &unordered)) return mi_fail_memory(m->err);
  mien_result result = find_order(m, &unordered);
  if (result != MIEN_OK) return result;
  if (!mi_csr_permute(&unordered, solver->order, &solver->arena, &m->scratch, &solver->matrix))
    return mi_fail_memory(m->err);
  for (int k = 0; k < solver->nvert; k++) {
    find_hold(m, solver->order[k], solver->inertia + k, solver->hold + k);
    memcpy(e.rest + 3 * (size_t)k, face->rest + 3 * (size_t)solver->order[k], 3 * sizeof(float));
    for (int p = solver->matrix.first[k]; p < solver->matrix.first[k + 1]; p++)
      if (solver->matrix.column[p] == k) solver->diagonal[k] = (float)solver->matrix.value[p];
  }
  for (int k = 0; k < 4 * face->info.ntet; k++) e.tets[k] = solver->place[face->tets[k]];
  mi_elastic_def def = {.nvert = solver->nvert,
                        .ntet = face->info.ntet,
                        .rest = e.rest,
                        .tets = e.tets,
                        .strain = e.strain,
                        .volume = e.volume,
                        .is_prisms = face->is_prisms};
  solver->elastic = mi_elastic_create(&def, &solver->arena);
  if (!solver->elastic) return mi_fail_memory(m->err);
  return mi_solver_materials_create(solver, face, m->err);
}

// -- the rest -------------------------------------------------------------------------------------

static mien_result reserve(making *m) {
  mi_solver *solver = m->solver;
  size_t nvert = (size_t)solver->nvert;
  float **vectors[] = {&solver->x,         &solver->gradient,       &solver->trial,
                       &solver->predicted, &solver->trial_gradient, &solver->direction,
                       &solver->forward,   &solver->anchor,         &solver->posed};
  solver->order = MI_PUSH(&solver->arena, int32_t, nvert);
  solver->place = MI_PUSH(&solver->arena, int32_t, nvert);
  solver->inertia = MI_PUSH(&solver->arena, float, nvert);
  solver->hold = MI_PUSH(&solver->arena, float, nvert);
  solver->diagonal = MI_PUSH(&solver->arena, float, nvert);
  solver->sums =
      MI_PUSH(&solver->arena, double,
              MI_MOTION_SUMS *(nvert / 1024 + 1) + (size_t)mi_lbfgs_dot_sums(solver->nvert));
  bool done = solver->order && solver->place && solver->inertia && solver->hold &&
              solver->diagonal && solver->sums;
  for (size_t k = 0; done && k < sizeof vectors / sizeof *vectors; k++)
    done = (*vectors[k] = MI_PUSH(&solver->arena, float, 4 * nvert)) != NULL;
  return done ? MIEN_OK : mi_fail_memory(m->err);
}

static mien_result build_global(making *m) {
  mi_solver *solver = m->solver;
  bool sweeps =
      solver->kind == MIEN_SOLVER_GAUSS_SEIDEL || solver->kind == MIEN_SOLVER_GAUSS_SEIDEL_OFFLINE;
  solver->nfront = m->nfront;
  if (solver->kind != MIEN_SOLVER_PREFACTORED && solver->kind != MIEN_SOLVER_NEWTON) {
    int most = solver->kind == MIEN_SOLVER_DIRECT ? SOFT_MODES + HISTORY : HISTORY;
    solver->history = mi_lbfgs_create(solver->nvert, most, &solver->arena);
    if (!solver->history) return mi_fail_memory(m->err);
  }
  if (sweeps) {
    solver->sweeper = mi_gauss_seidel_create(&solver->matrix, &solver->arena);
    if (!solver->sweeper) return mi_fail_memory(m->err);
  }
  if (solver->kind == MIEN_SOLVER_DIRECT) {
    mien_result result = mi_factor_create_compact(&solver->matrix, m->nfront, &solver->host,
                                                  &solver->factor, m->err);
    return result < 0 ? result : mi_solver_find_soft_modes(solver, m->face, SOFT_MODES, m->err);
  }
  if (solver->kind == MIEN_SOLVER_PREFACTORED)
    return mi_factor_create(&solver->matrix, m->nfront, &solver->host, &solver->factor, m->err);
  if (solver->kind == MIEN_SOLVER_NEWTON) return mi_newton_create(solver, m->face, m->err);
  if (solver->kind == MIEN_SOLVER_GAUSS_SEIDEL_OFFLINE) return mi_background_start(solver, m->err);
  return MIEN_OK;
}

static mien_result make(const mien_state *state, mien_solver kind, double dt, bool is_toned,
                        mi_solver **out, mien_error *err) {
  mi_arena arena;
  mi_arena_init(&arena, &state->host);
  mi_solver *solver = MI_PUSH(&arena, mi_solver, 1);
  if (!solver) return mi_fail_memory(err);
  solver->arena = arena;
  solver->host = state->host;
  solver->kind = kind;
  solver->dt = dt;
  solver->is_toned = is_toned;
  solver->nvert = state->face->info.nvert;
  making m = {.face = state->face, .solver = solver, .err = err};
  mi_arena_init(&m.scratch, &state->host);
  mien_result result = reserve(&m);
  if (result == MIEN_OK) result = build_elements(&m);
  if (result == MIEN_OK) result = build_global(&m);
  mi_arena_free(&m.scratch);
  if (result < 0) {
    mi_solver_free(solver);
    return result;
  }
  *out = solver;
  return MIEN_OK;
}

mien_result mi_solver_prepare(mien_state *state, const mien_step_opts *opts, mien_error *err) {
  mien_solver kind = choose(opts->solver);
  mi_solver *solver = state->solver;
  double span = mi_integrate_span(opts);
  bool is_toned = opts->drive == MIEN_DRIVE_BLENDFORCE;
  if (solver && solver->kind == kind && solver->dt == span && solver->is_toned == is_toned) {
    if (solver->background) mi_background_switch(solver, opts->offline_after, state->moving.nstep);
    return MIEN_OK;
  }
  mi_solver *fresh = NULL;
  mien_result result = make(state, kind, span, is_toned, &fresh, err);
  if (result < 0) return result;
  mi_solver_free(solver);
  state->solver = fresh;
  return MIEN_OK;
}

void mi_solver_forget_pulls(mi_solver *solver) {
  solver->pulls = (mi_pulls){NULL, 0};
  solver->nmore = 0;
  solver->sweep_pulls = (mi_pulls){NULL, 0};
  if (solver->factor) mi_factor_set_pulls(solver->factor, NULL, solver->host.threads);
}

void mi_solver_free(mi_solver *solver) {
  if (!solver) return;
  mi_background_free(solver);
  mi_newton_free(solver->newton);
  mi_blendforce_free(solver->blendforce);
  mi_factor_free(solver->factor);
  mi_arena arena = solver->arena; // the solver lies in its own arena
  mi_arena_free(&arena);
}
