// The fit's two blocks against IPOPT, which the thesis used (Dinev, 4.2.8): positions and the
// balance are its variables and constraints, cost and pulls are written here anew.
#include "fit/muscle_geometry.h"
#include "math/vec.h"
#include "scenes/scene.h"

#include <coin/IpStdCInterface.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MUSCLES = 3, TARGETS = 2 };
static const double MM = 1e3;
static const mi_muscle_weights WEIGHTS = {0.003, 0.03, 0.1};

static scene_mesh mesh;
static mien_rig *rig;
static mien_face *face;
static mi_balance balance;
static mi_expression expressions[TARGETS];
static float *first; // shares before any fit

// A sheet with three muscles under it, two of them across each other.
static void make_face(void) {
  static const struct {
    const char *name;
    double size[3], at[3];
  } form[MUSCLES] = {{"long", {0.06, 0.012, 0.004}, {0.05, 0.04, -0.003}},
                     {"across", {0.012, 0.06, 0.004}, {0.05, 0.05, -0.003}},
                     {"short", {0.03, 0.012, 0.004}, {0.03, 0.08, -0.003}}};
  mien_muscle_mesh muscles[MUSCLES];
  scene_mesh box[MUSCLES];
  mien_error err;
  mien_face_def def;
  mesh = scene_grid(6, 6, 0.1);
  rig = scene_rig(&mesh);
  double low[3] = {INFINITY, INFINITY, 0};
  for (int i = 0; i < 2 * mesh.nvert; i++)
    low[i % 2] = fmin(low[i % 2], (double)mesh.position[3 * (i / 2) + i % 2]);
  for (int m = 0; m < MUSCLES; m++) {
    box[m] = scene_box(form[m].size[0], form[m].size[1], form[m].size[2]);
    double centre[3] = {0};
    for (int i = 0; i < 3 * box[m].nvert; i++)
      centre[i % 3] += (double)box[m].position[i] / box[m].nvert;
    for (int i = 0; i < 3 * box[m].nvert; i++)
      box[m].position[i] += (float)(form[m].at[i % 3] + low[i % 3] - centre[i % 3]);
    muscles[m] = (mien_muscle_mesh){
        form[m].name, {box[m].position, box[m].nvert, 3}, {box[m].tri, 3 * box[m].ntri}};
  }
  mien_face_def_init(&def);
  def.blendvolumes = 0;
  def.attachment_rate = 8;
  def.muscle_meshes = muscles;
  def.nmuscle_mesh = MUSCLES;
  if (mien_face_create(rig, &def, NULL, &face, &err) < 0) fail_msg("%s", err.text);
  for (int m = 0; m < MUSCLES; m++) scene_mesh_free(box + m);
}

static void rest_again(mi_expression *e) {
  memset(e->activation, 0, MI_ACTIVATION * MUSCLES * sizeof(float));
  for (int k = 0; k < balance.nvert; k++)
    memcpy(e->x + 4 * (size_t)k, face->rest + 3 * (size_t)balance.solver->perm[k],
           3 * sizeof(float));
}

// Targets that these muscles reach but for a wave.
static void aim(int which, mi_expression *e) {
  float *scan = malloc(3 * (size_t)mesh.nvert * sizeof *scan);
  for (int m = 0; m < MUSCLES; m++)
    mi_muscle_contract(which ? 0.1 + 0.15 * m : 0.35 - 0.15 * m, e->activation + 6 * m);
  for (int k = 0; k < 4; k++) mi_balance_settle(&balance, e, 200);
  memcpy(scan, mesh.position, 3 * (size_t)mesh.nvert * sizeof *scan);
  for (int i = 0; i < face->skin.nvert; i++) {
    const float *at = e->x + 4 * (size_t)balance.solver->iperm[i];
    for (int c = 0; c < 3; c++)
      scan[3 * face->skin.vert[i] + c] =
          at[c] + 0.0003f * (float)sin(60.0 * (double)at[0] + 90.0 * (double)at[1] + c + which);
  }
  mi_expression_aim(&balance, e, &(mien_f32s){scan, mesh.nvert, 3});
  rest_again(e);
  free(scan);
}

static int set_up(void **unused) {
  (void)unused;
  mien_host host;
  make_face();
  mi_host_resolve(NULL, &host, NULL);
  if (mi_balance_create(face, &host, &balance, NULL) < 0) return -1;
  first = malloc((size_t)face->muscles.nentry * sizeof *first);
  memcpy(first, face->muscles.share, (size_t)face->muscles.nentry * sizeof *first);
  for (int k = 0; k < TARGETS; k++) {
    if (mi_expression_create(&balance, expressions + k, NULL) < 0) return -1;
    aim(k, expressions + k);
    mi_balance_settle(&balance, expressions + k, 1);
  }
  return 0;
}

static int tear_down(void **unused) {
  (void)unused;
  for (int k = 0; k < TARGETS; k++) mi_expression_free(expressions + k);
  mi_balance_free(&balance);
  free(first);
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
  return 0;
}

// -- IPOPT's view ---------------------------------------------------------------------------------

// Variables: offsets from rest in mm of each expression, then activations minus 1, or shares.
typedef struct problem {
  mi_expression *e;
  int count;      // expressions
  bool of_shares; // or of the activations of a single expression
  int nx, nown;   // 3 nvert; the unknowns beside x
  double *x, *f;  // (nx)
} problem;

static void place(const problem *p, int which, const double *z) {
  for (int i = 0; i < p->nx; i++) {
    double rest = (double)face->rest[3 * (size_t)balance.solver->perm[i / 3] + (size_t)(i % 3)];
    p->x[i] = rest + z[which * p->nx + i] / MM;
    p->e[which].x[4 * (i / 3) + i % 3] = (float)p->x[i];
  }
  const double *own = z + p->count * p->nx;
  for (int k = 0; k < p->nown; k++)
    (p->of_shares ? face->muscles.share : p->e->activation)[k] = (float)own[k];
}

// The pulls of the activations (eq. 4.9, 4.10) or of the shares, and their gradient.
static double pull_activations(const double *own, double *gradient) {
  double cost = 0;
  for (int m = 0; m < MUSCLES; m++) {
    const double *d = own + 6 * m;
    double a = 1 + d[0], b = d[1], c = d[2], g = 1 + d[3], h = d[4], i = 1 + d[5];
    double off = a * (g * i - h * h) - b * (b * i - h * c) + c * (b * h - g * c) - 1;
    double slope[6] = {g * i - h * h, -2 * b * i + 2 * h * c, 2 * b * h - 2 * g * c,
                       a * i - c * c, -2 * a * h + 2 * b * c, a * g - b * b};
    cost += 0.5 * WEIGHTS.volume * off * off;
    for (int k = 0; k < 6; k++) {
      cost += 0.5 * WEIGHTS.activation * d[k] * d[k];
      if (gradient)
        gradient[6 * m + k] = WEIGHTS.volume * off * slope[k] + WEIGHTS.activation * d[k];
    }
  }
  return cost;
}

static double pull_shares(int count, const double *own, double *gradient) {
  double cost = 0, weight = WEIGHTS.shares / face->info.ntet;
  for (int k = 0; k < count; k++) {
    double off = own[k] - (double)first[k];
    cost += 0.5 * weight * off * off;
    if (gradient) gradient[k] = weight * off;
  }
  return cost;
}

static double objective(const problem *p, const double *z, double *gradient) {
  double cost = 0;
  if (gradient) memset(gradient, 0, (size_t)(p->count * p->nx) * sizeof *gradient);
  for (int n = 0; n < p->count; n++) {
    const mi_expression *e = p->e + n;
    place(p, n, z);
    for (int r = 0; r < 3 * balance.nseen; r++) {
      int at = 3 * balance.place[r / 3] + r % 3;
      double off = MM * (p->x[at] - e->target[r]);
      cost += 0.5 * off * off / e->total;
      if (gradient) gradient[n * p->nx + at] += off / e->total;
    }
  }
  const double *own = z + p->count * p->nx;
  double *to = gradient ? gradient + p->count * p->nx : NULL;
  return cost + (p->of_shares ? pull_shares(p->nown, own, to) : pull_activations(own, to));
}

static Bool eval_f(Index n, Number *z, Bool is_new, Number *value, UserDataPtr user) {
  (void)n, (void)is_new;
  *value = objective(user, z, NULL);
  return TRUE;
}

static Bool eval_grad_f(Index n, Number *z, Bool is_new, Number *gradient, UserDataPtr user) {
  (void)n, (void)is_new;
  objective(user, z, gradient);
  return TRUE;
}

// Forces in balance; then the rows' sums.
static Bool eval_g(Index n, Number *z, Bool is_new, Index m, Number *g, UserDataPtr user) {
  const problem *p = user;
  (void)n, (void)is_new, (void)m;
  for (int k = 0; k < p->count; k++) {
    place(p, k, z);
    if (mi_balance_linearise(&balance, p->e + k, NULL) < 0) return FALSE;
    mi_assembly_gradient(&balance.assembly, p->x, g + k * p->nx);
  }
  if (!p->of_shares) return TRUE;
  for (int t = 0; t < face->info.ntet; t++) {
    double sum = 0;
    for (int k = face->muscles.first[t]; k < face->muscles.first[t + 1]; k++)
      sum += z[p->count * p->nx + k];
    g[p->count * p->nx + t] = sum;
  }
  return TRUE;
}

static void push(problem *p, int which, int own) {
  memset(p->f, 0, (size_t)p->nx * sizeof *p->f);
  if (!p->of_shares) {
    mi_balance_push(&balance, p->e, own, 1, p->f);
    return;
  }
  double *one = calloc((size_t)p->nown, sizeof *one);
  one[own] = 1;
  mi_balance_push_shares(&balance, p->e + which, one, p->f);
  free(one);
}

// K, minus what a unit of each unknown takes away, and the rows' sums.
static Bool eval_jac_g(Index n, Number *z, Bool is_new, Index m, Index count, Index *row,
                       Index *column, Number *value, UserDataPtr user) {
  problem *p = user;
  const mi_csr *k = &balance.assembly.hessian;
  int at = 0;
  (void)n, (void)is_new, (void)m, (void)count;
  for (int which = 0; which < p->count; which++) {
    int shift = which * p->nx;
    if (value) {
      place(p, which, z);
      if (mi_balance_linearise(&balance, p->e + which, NULL) < 0) return FALSE;
      mi_assembly_fill_hessian(&balance.assembly, p->x, false);
    }
    for (int i = 0; i < p->nx; i++)
      for (int c = k->first[i]; c < k->first[i + 1]; c++, at++)
        if (value)
          value[at] = k->value[c] / MM;
        else
          row[at] = shift + i, column[at] = shift + k->column[c];
    for (int own = 0; own < p->nown; own++) {
      if (value) push(p, which, own);
      for (int i = 0; i < p->nx; i++, at++)
        if (value)
          value[at] = -p->f[i];
        else
          row[at] = shift + i, column[at] = p->count * p->nx + own;
    }
  }
  for (int t = 0; p->of_shares && t < face->info.ntet; t++)
    for (int c = face->muscles.first[t]; c < face->muscles.first[t + 1]; c++, at++)
      if (value)
        value[at] = 1;
      else
        row[at] = p->count * p->nx + t, column[at] = p->count * p->nx + c;
  return TRUE;
}

static Bool eval_h(Index n, Number *z, Bool is_new, Number factor, Index m, Number *lambda,
                   Bool is_new_lambda, Index count, Index *row, Index *column, Number *value,
                   UserDataPtr user) {
  (void)n, (void)z, (void)is_new, (void)factor, (void)m, (void)lambda, (void)is_new_lambda;
  (void)count, (void)row, (void)column, (void)value, (void)user;
  return FALSE; // by limited memory
}

// The least cost, from rest; z is where it is.
static double solve(problem *p, double *z) {
  int nz = p->count * p->nx + p->nown, nrow = p->count * p->nx;
  int nentry = p->count * (balance.assembly.hessian.first[p->nx] + p->nx * p->nown);
  if (p->of_shares) nrow += face->info.ntet, nentry += p->nown;
  double *low = calloc((size_t)nz, sizeof *low), *high = calloc((size_t)nz, sizeof *high);
  double *least = calloc((size_t)nrow, sizeof *least), *most = calloc((size_t)nrow, sizeof *most);
  p->x = calloc((size_t)p->nx, sizeof *p->x);
  p->f = calloc((size_t)p->nx, sizeof *p->f);
  for (int i = 0; i < nz; i++) {
    bool is_own = i >= p->count * p->nx;
    low[i] = is_own ? (p->of_shares ? 0 : -0.7) : -1e20;
    high[i] = is_own ? 1 : 1e20;
  }
  for (int i = 0; i < nrow; i++)
    if (i >= p->count * p->nx) least[i] = -1e20, most[i] = 1;
  IpoptProblem ipopt = CreateIpoptProblem(nz, low, high, nrow, least, most, nentry, 0, 0, eval_f,
                                          eval_g, eval_grad_f, eval_jac_g, eval_h);
  assert_non_null(ipopt);
  AddIpoptStrOption(ipopt, "hessian_approximation", "limited-memory");
  AddIpoptIntOption(ipopt, "limited_memory_max_history", 30);
  AddIpoptIntOption(ipopt, "print_level", 0);
  AddIpoptStrOption(ipopt, "sb", "yes");
  AddIpoptIntOption(ipopt, "max_iter", 400);
  AddIpoptNumOption(ipopt, "tol", 1e-5); // activations and shares are floats
  AddIpoptNumOption(ipopt, "acceptable_tol", 1e-4);
  double cost = NAN;
  int status = (int)IpoptSolve(ipopt, z, NULL, &cost, NULL, NULL, NULL, p);
  FreeIpoptProblem(ipopt);
  free(low), free(high), free(least), free(most), free(p->x), free(p->f);
  if (status != Solve_Succeeded && status != Solved_To_Acceptable_Level)
    fail_msg("IPOPT ended with %d", status);
  return cost;
}

// -- the two blocks -------------------------------------------------------------------------------

static double *start(const problem *p) {
  return calloc((size_t)(p->count * p->nx + p->nown), sizeof(double));
}

static double settled_cost(mi_expression *e, double *residual) {
  mi_balance_settle(&balance, e, 200);
  return mi_activations_cost(&balance, e, &WEIGHTS, residual);
}

static void test_activations(void **unused) {
  (void)unused;
  mi_expression *e = expressions;
  double *residual = calloc(3 * (size_t)balance.nseen, sizeof *residual), ours[6 * MUSCLES];
  double cost = settled_cost(e, residual), began = cost, most = 0;
  for (int n = 0; n < 20; n++)
    if (mi_activations_improve(&balance, e, &WEIGHTS, 3, &cost, NULL) != MIEN_OK) break;
  for (int k = 0; k < 6 * MUSCLES; k++) ours[k] = (double)e->activation[k];
  rest_again(e);
  problem p = {.e = e, .count = 1, .nx = 3 * balance.nvert, .nown = 6 * MUSCLES};
  double *z = start(&p), theirs = solve(&p, z);
  for (int k = 0; k < 6 * MUSCLES; k++) most = fmax(most, fabs(ours[k] - z[p.nx + k]));
  printf("activations: cost %.6f -> %.6f, IPOPT's %.6f; largest difference %.4f\n", began, cost,
         theirs, most);
  assert_true(theirs < 0.5 * began);
  assert_true(cost <= 1.002 * theirs);
  assert_true(most < 0.02);
  free(z);
  free(residual);
}

static void test_shares(void **unused) {
  (void)unused;
  int nentry = face->muscles.nentry;
  double *residual = calloc(3 * (size_t)balance.nseen, sizeof *residual);
  for (int k = 0; k < TARGETS; k++) {
    double alone = settled_cost(expressions + k, residual);
    for (int n = 0; n < 3; n++)
      mi_activations_improve(&balance, expressions + k, &WEIGHTS, 3, &alone, NULL);
  }
  double cost = mi_geometry_cost(&balance, expressions, TARGETS, first, &WEIGHTS, residual);
  double began = cost, fixed = 0;
  int nstep = 0;
  while (nstep < 60 && mi_geometry_improve(&balance, expressions, TARGETS, first, &WEIGHTS, &cost,
                                           NULL) == MIEN_OK)
    nstep++;
  problem p = {.e = expressions,
               .count = TARGETS,
               .of_shares = true,
               .nx = 3 * balance.nvert,
               .nown = nentry};
  double *z = start(&p);
  for (int k = 0; k < nentry; k++) z[TARGETS * p.nx + k] = (double)first[k];
  for (int k = 0; k < TARGETS; k++) { // the activations' own pulls are no part of IPOPT's cost
    double own[6 * MUSCLES];
    for (int c = 0; c < 6 * MUSCLES; c++) own[c] = (double)expressions[k].activation[c];
    fixed += pull_activations(own, NULL);
  }
  double theirs = solve(&p, z) + fixed;
  printf("shares: cost %.6f -> %.6f in %d steps, IPOPT's %.6f\n", began, cost, nstep, theirs);
  assert_true(theirs < 0.98 * began);
  assert_true(began - cost >= 0.98 * (began - theirs));
  free(z);
  free(residual);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_activations),
                                     cmocka_unit_test(test_shares)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
