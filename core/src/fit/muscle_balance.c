#include "fit/muscle_balance.h"

#include "face/carry.h"
#include "mesh/stiffness.h"
#include "solve/solver.h"

#include <math.h>
#include <string.h>

static const double MM = 1e3; // in a metre

// -- making ---------------------------------------------------------------------------------------

// The linings of mouth and lips are on no scan.
static bool is_seen(const mien_face *face, const unsigned char *is_flesh, int i) {
  return is_flesh[i] && !(face->regions.bits[i] & (MIEN_REGION_MOUTH_BAG | MIEN_REGION_LIP_INNER));
}

static bool list_seen(mi_balance *b) {
  const mien_face *face = b->face;
  unsigned char *is_flesh = MI_PUSH(&b->arena, unsigned char, b->nvert);
  b->seen = MI_PUSH(&b->arena, int32_t, face->skin.nvert);
  b->place = MI_PUSH(&b->arena, int32_t, face->skin.nvert);
  if (!is_flesh || !b->seen || !b->place) return false;
  for (int k = 0; k < 4 * b->ntet; k++) is_flesh[face->tets[k]] = 1;
  for (int i = 0; i < face->skin.nvert; i++) {
    if (!is_seen(face, is_flesh, i)) continue;
    b->place[b->nseen] = b->solver->iperm[i];
    b->seen[b->nseen++] = i;
  }
  return true;
}

static bool list_entries(mi_balance *b) {
  const mi_muscles *muscles = &b->face->muscles;
  b->user_first = MI_PUSH(&b->arena, int32_t, b->nmuscle + 2);
  b->user = MI_PUSH(&b->arena, int32_t, muscles->nentry);
  b->tet_of = MI_PUSH(&b->arena, int32_t, muscles->nentry);
  b->gradient = MI_PUSH(&b->arena, mi_vec3, 4 * (size_t)b->ntet);
  if (!b->user_first || !b->user || !b->tet_of || !b->gradient) return false;
  int32_t *count = b->user_first + 1; // shifted by one while the lists are filled
  for (int e = 0; e < muscles->nentry; e++) count[muscles->index[e] + 1]++;
  for (int m = 0; m < b->nmuscle; m++) count[m + 1] += count[m];
  for (int e = 0; e < muscles->nentry; e++) b->user[count[muscles->index[e]]++] = e;
  for (int t = 0; t < b->ntet; t++) {
    mi_tet_gradients(b->face->rest, b->face->tets + 4 * (size_t)t, b->gradient + 4 * (size_t)t);
    for (int e = muscles->first[t]; e < muscles->first[t + 1]; e++) b->tet_of[e] = t;
  }
  return true;
}

// The terms of E, as Newton's method has them, without inertia.
static bool set_up_terms(mi_balance *b) {
  const mi_law *const laws[] = {&mi_law_attachment, &mi_law_strain, &mi_law_volume};
  mi_flesh flesh = mi_solver_flesh(b->solver);
  mi_term *term = b->terms;
  bool done = true;
  for (int l = 0; l < 3; l++)
    for (int e = 0; e < laws[l]->count(&flesh); e++, term++) {
      term->law = laws[l];
      done &= laws[l]->set_up(&flesh, e, &term->stencil, term->vert);
    }
  return done;
}

static mien_result prepare(mi_balance *b, mien_error *err) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.drive = MIEN_DRIVE_MUSCLE;
  opts.integrator = MIEN_INTEGRATOR_QUASI_STATIC;
  mien_result result = mi_state_create(b->face, &b->host, &b->state, err);
  if (result >= 0) result = mi_solver_prepare(b->state, &opts, opts.dt, err);
  if (result < 0) return result;
  b->solver = b->state->solver;
  b->solver->actuation = &b->actuation;
  memset(b->solver->inertia, 0, (size_t)b->nvert * sizeof *b->solver->inertia);
  b->nterm = b->nvert + 2 * b->ntet;
  b->terms = MI_PUSH(&b->arena, mi_term, b->nterm);
  b->actuation.shape = MI_PUSH(&b->arena, float, 6 * (size_t)b->ntet);
  b->actuation.volume = MI_PUSH(&b->arena, float, b->ntet);
  b->shapes = MI_PUSH(&b->arena, double, 6 * (size_t)b->ntet);
  float *rest = MI_PUSH(&b->arena, float, MI_ACTIVATION *(size_t)b->nmuscle);
  if (!b->terms || !b->actuation.shape || !b->actuation.volume || !b->shapes || !rest ||
      !list_seen(b) || !list_entries(b))
    return mi_fail_memory(err);
  mi_muscle_actuate(b->face, rest, 1, &b->actuation);
  if (!set_up_terms(b))
    return mi_fail(err, MIEN_ERR_MISMATCH, "a tetrahedron is too flat for a fit of muscles");
  mi_arena scratch;
  mi_arena_init(&scratch, &b->host);
  bool done = mi_assembly_create(b->nvert, b->nterm, b->terms, &b->arena, &scratch, &b->assembly);
  mi_arena_free(&scratch);
  return done ? MIEN_OK : mi_fail_memory(err);
}

mien_result mi_balance_create(const mien_face *face, const mien_host *host, mi_balance *b,
                              mien_error *err) {
  *b = (mi_balance){.face = face,
                    .host = *host,
                    .nvert = face->info.nvert,
                    .ntet = face->info.ntet,
                    .nmuscle = face->muscles.count,
                    .njaw = face->regions.jaw_hinge.is_known ? MI_JAW : 0};
  b->nunknown = MI_ACTIVATION * b->nmuscle + b->njaw;
  mi_arena_init(&b->arena, host);
  mien_result result = prepare(b, err);
  if (result < 0) mi_balance_free(b);
  return result;
}

void mi_balance_free(mi_balance *b) {
  mi_state_free(b->state);
  mi_arena_free(&b->arena);
  *b = (mi_balance){0};
}

mien_result mi_expression_create(mi_balance *b, mi_expression *e, mien_error *err) {
  *e = (mi_expression){.target = MI_PUSH(&b->arena, double, 3 * (size_t)b->nseen),
                       .weight = MI_PUSH(&b->arena, double, b->nseen),
                       .activation = MI_PUSH(&b->arena, float, MI_ACTIVATION *(size_t)b->nmuscle),
                       .x = MI_PUSH(&b->arena, float, 4 * (size_t)b->nvert),
                       .slope = MI_PUSH(&b->arena, mi_shape_slope, b->ntet)};
  if (!e->target || !e->weight || !e->activation || !e->x || !e->slope) return mi_fail_memory(err);
  for (int k = 0; k < b->nvert; k++)
    memcpy(e->x + 4 * (size_t)k, b->face->rest + 3 * (size_t)b->solver->perm[k], 3 * sizeof(float));
  mi_expression_reserve(b, e);
  return MIEN_OK;
}

void mi_expression_reserve(mi_balance *b, mi_expression *e) {
  if (!e->factor && mi_cholesky_is_built())
    e->factor = mi_cholesky_create(&b->assembly.hessian, MI_CHOLESKY_ORDERED, &b->arena.allocator);
}

void mi_expression_free(mi_expression *e) {
  mi_cholesky_free(e->factor);
  e->factor = NULL;
}

void mi_expression_aim(const mi_balance *b, mi_expression *e, const mien_f32s *target) {
  e->total = 0;
  for (int k = 0; k < b->nseen; k++) {
    int vert = b->face->skin.vert[b->seen[k]];
    if (b->face->embedding.render_skin) vert = b->face->embedding.source[vert];
    const float *at = mi_f32s_at(target, 3, vert);
    e->weight[k] = isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]);
    for (int c = 0; c < 3; c++) e->target[3 * k + c] = e->weight[k] > 0 ? (double)at[c] : 0;
    e->total += e->weight[k];
  }
}

// -- the balance ----------------------------------------------------------------------------------

static void set_anchors(mi_balance *b, const mi_expression *e) {
  const mien_face *face = b->face;
  mien_rigid place = mi_jaw_place(face, e->jaw);
  mi_bone_motion jaw = mi_bone_motion_of(&place);
  for (int k = 0; k < b->nvert; k++) {
    int i = b->solver->perm[k];
    mi_vec3 at = mi_vec3_load(face->rest + 3 * (size_t)i);
    if (b->njaw && face->jaw[i] > 0) at = mi_add_scaled(at, face->jaw[i], mi_bone_move(&jaw, at));
    mi_vec3_store(b->solver->anchor + 4 * (size_t)k, at);
  }
}

static void set_moment(mi_balance *b, const mi_expression *e) {
  if (e->shape)
    memcpy(b->actuation.shape, e->shape, 6 * (size_t)b->ntet * sizeof(float));
  else
    mi_muscle_actuate(b->face, e->activation, 1, &b->actuation);
  mi_elastic_set_shapes(b->solver->elastic, b->actuation.shape, b->actuation.volume,
                        b->host.threads);
  set_anchors(b, e);
}

void mi_expression_measure(const mi_balance *b, mi_expression *e) {
  e->error = 0;
  for (int k = 0; k < b->nseen; k++) {
    double d2 = 0;
    for (int c = 0; c < 3; c++) {
      double off = (double)e->x[4 * (size_t)b->place[k] + (size_t)c] - e->target[3 * k + c];
      d2 += off * off;
    }
    e->error += e->weight[k] * sqrt(d2);
  }
  if (e->total > 0) e->error /= e->total;
}

void mi_balance_settle(mi_balance *b, mi_expression *e, int iterations) {
  mi_solver *solver = b->solver;
  size_t size = 4 * (size_t)b->nvert * sizeof(float);
  mien_state_info info = {0};
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.iterations = iterations;
  opts.tolerance = 1e-4;
  opts.least_step = b->settled / b->face->skin.size;
  set_moment(b, e);
  memcpy(solver->x, e->x, size);
  memcpy(solver->predicted, e->x, size);
  mi_solver_descend(solver, &opts, 0, &info);
  memcpy(e->x, solver->x, size);
  mi_expression_measure(b, e);
}

double mi_expression_residual(const mi_balance *b, const mi_expression *e, double *residual) {
  double square = 0;
  for (int k = 0; k < 3 * b->nseen; k++) {
    double off = (double)e->x[4 * (size_t)b->place[k / 3] + (size_t)(k % 3)] - e->target[k];
    residual[k] = MM * sqrt(e->weight[k / 3] / fmax(1, e->total)) * off;
    if (!(e->weight[k / 3] > 0)) residual[k] = 0;
    square += residual[k] * residual[k];
  }
  return square;
}

// F of a tetrahedron at the expression's x, row-major.
static void gradient_at(const mi_balance *b, const mi_expression *e, int t, double f[9]) {
  memset(f, 0, 9 * sizeof *f);
  for (int c = 0; c < 4; c++) {
    const float *x = e->x + 4 * (size_t)b->solver->iperm[b->face->tets[4 * (size_t)t + (size_t)c]];
    const mi_vec3 *g = b->gradient + 4 * (size_t)t + c;
    const double axis[3] = {g->x, g->y, g->z};
    for (int k = 0; k < 9; k++) f[k] += (double)x[k / 3] * axis[k % 3];
  }
}

typedef struct sloping {
  mi_balance *b;
  mi_expression *e;
} sloping;

static void slope_range(void *user, int begin, int end) {
  const sloping *s = user;
  for (int t = begin; t < end; t++) {
    double f[9], a[6], target[9];
    for (int c = 0; c < 6; c++) a[c] = (double)s->b->actuation.shape[6 * (size_t)t + (size_t)c];
    mi_symmetric_unpack(a, target);
    gradient_at(s->b, s->e, t, f);
    mi_shape_slope_at(f, target, s->e->slope + t);
  }
}

mien_result mi_balance_linearise(mi_balance *b, mi_expression *e, mien_error *err) {
  mi_arena scratch;
  sloping s = {b, e};
  set_moment(b, e);
  set_up_terms(b);
  mi_parallel(b->host.threads, b->ntet, 256, slope_range, &s);
  mi_arena_init(&scratch, &b->host);
  double *x = MI_PUSH(&scratch, double, 3 * (size_t)b->nvert);
  if (!x) return mi_fail_memory(err);
  for (int i = 0; i < 3 * b->nvert; i++) x[i] = (double)e->x[4 * (size_t)(i / 3) + (size_t)(i % 3)];
  // true where that is positive definite, as it is at a minimum; else the nearest that is
  for (int project = 0; project < 2; project++) {
    mi_assembly_fill_hessian(&b->assembly, x, project);
    if (e->factor && mi_cholesky_factor(e->factor, &b->assembly.hessian)) break;
  }
  mi_arena_free(&scratch);
  return MIEN_OK;
}

static void apply_hessian(const void *matrix, const double *x, double *y) {
  mi_csr_multiply(matrix, 1, x, y);
}

// Without a factor the assembly's matrix must be this expression's own: it is filled anew.
static bool solve_by_gradients(mi_balance *b, const mi_expression *e, const double *f, double *y) {
  mi_arena scratch;
  mi_arena_init(&scratch, &b->host);
  int count = 3 * b->nvert;
  double *diagonal = MI_PUSH(&scratch, double, count), *x = MI_PUSH(&scratch, double, count);
  bool done = diagonal && x;
  mi_pcg_info info;
  if (done) {
    for (int i = 0; i < count; i++) x[i] = (double)e->x[4 * (size_t)(i / 3) + (size_t)(i % 3)];
    set_moment(b, e);
    set_up_terms(b);
    mi_assembly_fill_hessian(&b->assembly, x, true);
    for (int i = 0; i < count; i++)
      diagonal[i] = b->assembly.hessian.value[b->assembly.diagonal[i]];
    mi_pcg pcg = {apply_hessian, &b->assembly.hessian, count, diagonal, 1e-8, 4000};
    memset(y, 0, (size_t)count * sizeof *y);
    done = mi_pcg_solve(&pcg, f, y, &scratch, &info);
  }
  mi_arena_free(&scratch);
  return done;
}

bool mi_balance_solve(mi_balance *b, const mi_expression *e, int width, const double *f,
                      double *y) {
  if (e->factor) return mi_cholesky_solve(e->factor, width, f, y);
  return width == 1 && solve_by_gradients(b, e, f, y);
}

// -- how it moves ---------------------------------------------------------------------------------

// f -= ws dP g of one tetrahedron whose target changes by dT
static void push_tet(const mi_balance *b, const mi_expression *e, int t, const double shape[6],
                     int width, double *f) {
  double dt[9], dp[9], weight = (double)mi_elastic_strain(b->solver->elastic, t);
  mi_symmetric_unpack(shape, dt);
  mi_shape_slope_apply(e->slope + t, dt, dp);
  for (int c = 0; c < 4; c++) {
    size_t at = 3 * (size_t)b->solver->iperm[b->face->tets[4 * (size_t)t + (size_t)c]];
    const mi_vec3 *g = b->gradient + 4 * (size_t)t + c;
    for (size_t r = 0; r < 3; r++)
      f[(at + r) * (size_t)width] -=
          weight * (dp[3 * r] * g->x + dp[3 * r + 1] * g->y + dp[3 * r + 2] * g->z);
  }
}

static void push_jaw(const mi_balance *b, const mi_expression *e, int which, int width, double *f) {
  double h = 1e-5, low[MI_JAW], high[MI_JAW];
  memcpy(low, e->jaw, sizeof low);
  memcpy(high, e->jaw, sizeof high);
  low[which] -= h;
  high[which] += h;
  for (int k = 0; k < b->nvert; k++) {
    int i = b->solver->perm[k];
    mi_vec3 at = mi_vec3_load(b->face->rest + 3 * (size_t)i);
    double stiffness = (double)b->solver->attach_stiffness[k] * b->face->jaw[i] / (2 * h);
    if (!(stiffness > 0)) continue;
    mi_vec3 by = mi_sub(mi_jaw_move(b->face, high, at), mi_jaw_move(b->face, low, at));
    f[3 * (size_t)k * (size_t)width] += stiffness * by.x;
    f[(3 * (size_t)k + 1) * (size_t)width] += stiffness * by.y;
    f[(3 * (size_t)k + 2) * (size_t)width] += stiffness * by.z;
  }
}

void mi_balance_push(const mi_balance *b, const mi_expression *e, int unknown, int width,
                     double *f) {
  const mi_muscles *muscles = &b->face->muscles;
  int muscle = unknown / MI_ACTIVATION;
  if (muscle >= b->nmuscle) {
    push_jaw(b, e, unknown - MI_ACTIVATION * b->nmuscle, width, f);
    return;
  }
  for (int k = b->user_first[muscle]; k < b->user_first[muscle + 1]; k++) {
    int entry = b->user[k];
    double d[6] = {0}, turned[6], share = (double)muscles->share[entry];
    if (!(share > 0)) continue;
    d[unknown % MI_ACTIVATION] = share;
    mi_muscle_turn(muscles->frame + 9 * (size_t)entry, d, turned);
    push_tet(b, e, b->tet_of[entry], turned, width, f);
  }
}

static void entry_shape(const mi_balance *b, const mi_expression *e, int entry, double out[6]) {
  const mi_muscles *muscles = &b->face->muscles;
  double d[6];
  for (int c = 0; c < 6; c++)
    d[c] = (double)e->activation[MI_ACTIVATION * (size_t)muscles->index[entry] + (size_t)c];
  mi_muscle_turn(muscles->frame + 9 * (size_t)entry, d, out);
}

void mi_balance_push_shapes(const mi_balance *b, const mi_expression *e, const double *change,
                            double *f) {
  for (int t = 0; t < b->ntet; t++) {
    const double *shape = change + 6 * (size_t)t;
    bool is_any = false;
    for (int c = 0; c < 6; c++) is_any |= shape[c] != 0;
    if (is_any) push_tet(b, e, t, shape, 1, f);
  }
}

void mi_balance_pull_shapes(const mi_balance *b, const mi_expression *e, const double *y,
                            double *shapes) {
  for (int t = 0; t < b->ntet; t++) {
    double bent[9] = {0}, back[9], weight = (double)mi_elastic_strain(b->solver->elastic, t);
    double *out = shapes + 6 * (size_t)t;
    for (int c = 0; c < 4; c++) {
      const double *at = y + 3 * (size_t)b->solver->iperm[b->face->tets[4 * (size_t)t + (size_t)c]];
      const mi_vec3 *g = b->gradient + 4 * (size_t)t + c;
      const double axis[3] = {g->x, g->y, g->z};
      for (int k = 0; k < 9; k++) bent[k] += at[k / 3] * axis[k % 3];
    }
    mi_shape_slope_apply_transposed(e->slope + t, bent, back);
    out[0] = -weight * back[0];
    out[1] = -weight * (back[1] + back[3]);
    out[2] = -weight * (back[2] + back[6]);
    out[3] = -weight * back[4];
    out[4] = -weight * (back[5] + back[7]);
    out[5] = -weight * back[8];
  }
}

void mi_balance_push_shares(const mi_balance *b, const mi_expression *e, const double *change,
                            double *f) {
  const mi_muscles *muscles = &b->face->muscles;
  memset(b->shapes, 0, 6 * (size_t)b->ntet * sizeof *b->shapes);
  for (int t = 0; t < b->ntet; t++)
    for (int k = muscles->first[t]; k < muscles->first[t + 1]; k++) {
      double shape[6];
      if (change[k] == 0) continue;
      entry_shape(b, e, k, shape);
      for (int c = 0; c < 6; c++) b->shapes[6 * (size_t)t + (size_t)c] += change[k] * shape[c];
    }
  mi_balance_push_shapes(b, e, b->shapes, f);
}

void mi_balance_pull_shares(const mi_balance *b, const mi_expression *e, const double *y,
                            double *share) {
  const mi_muscles *muscles = &b->face->muscles;
  mi_balance_pull_shapes(b, e, y, b->shapes);
  for (int t = 0; t < b->ntet; t++)
    for (int k = muscles->first[t]; k < muscles->first[t + 1]; k++) {
      double shape[6];
      entry_shape(b, e, k, shape);
      for (int c = 0; c < 6; c++) share[k] += shape[c] * b->shapes[6 * (size_t)t + (size_t)c];
    }
}
