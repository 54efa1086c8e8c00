// Newton's method on the same energy, in double, with the laws of energy/: what the real-time
// solvers are compared with. The Hessian of every element is made positive semi-definite, so that
// each direction goes downhill. The linear systems are solved by CHOLMOD, analysed once; without
// it, or where a factor fails, by conjugate gradients.
#include "solve/solver.h"

#include "energy/assemble.h"
#include "energy/laws.h"
#include "sparse/cholesky.h"

#include <math.h>
#include <string.h>

enum { MOST_HALVINGS = 30 };

struct mi_newton {
  mi_arena arena;
  mi_assembly assembly;
  mi_cholesky *factor; // of its Hessian, or NULL: conjugate gradients
  mi_term *terms;      // strain and volume of every tetrahedron
  double *weight;      // their weights, in pairs
  double *rest; // of the four corners                                              (ntet x 12)
  double *x, *trial, *gradient, *direction, *diagonal; // (nvert x 3)
};

static bool reserve(struct mi_newton *n, int nvert, int ntet) {
  size_t size = 3 * (size_t)nvert;
  n->terms = MI_PUSH(&n->arena, mi_term, 2 * (size_t)ntet);
  n->weight = MI_PUSH(&n->arena, double, 2 * (size_t)ntet);
  n->rest = MI_PUSH(&n->arena, double, 12 * (size_t)ntet);
  double **vectors[] = {&n->x, &n->trial, &n->gradient, &n->direction, &n->diagonal};
  bool done = n->terms && n->weight && n->rest;
  for (size_t k = 0; done && k < sizeof vectors / sizeof *vectors; k++)
    done = (*vectors[k] = MI_PUSH(&n->arena, double, size)) != NULL;
  return done;
}

static bool set_up_terms(struct mi_newton *n, const mien_face *face, const mi_solver *solver) {
  for (int e = 0; e < face->info.ntet; e++) {
    const int32_t *tet = face->tets + 4 * (size_t)e;
    double *rest = n->rest + 12 * (size_t)e;
    for (int c = 0; c < 12; c++) rest[c] = face->rest[3 * (size_t)tet[c / 3] + (size_t)(c % 3)];
    n->weight[2 * e] = (double)mi_elastic_strain(solver->elastic, e);
    n->weight[2 * e + 1] = (double)mi_elastic_volume(solver->elastic, e);
    mi_term *strain = n->terms + 2 * (size_t)e, *kept = strain + 1;
    strain->law = &mi_law_strain;
    kept->law = &mi_law_volume;
    for (int c = 0; c < 4; c++) strain->vert[c] = kept->vert[c] = solver->place[tet[c]];
    if (!mi_strain_set_up(&strain->stencil, rest, n->weight[2 * e], NULL) ||
        !mi_volume_set_up(&kept->stencil, rest, n->weight[2 * e + 1], 1, 1))
      return false;
  }
  return true;
}

mien_result mi_newton_create(mi_solver *solver, const mien_face *face, mien_error *err) {
  mi_arena arena, scratch;
  mi_arena_init(&arena, &solver->host);
  mi_arena_init(&scratch, &solver->host);
  struct mi_newton *n = MI_PUSH(&arena, struct mi_newton, 1);
  if (!n) return mi_fail_memory(err);
  n->arena = arena;
  mien_result result = MIEN_OK;
  if (!reserve(n, solver->nvert, face->info.ntet))
    result = mi_fail_memory(err);
  else if (!set_up_terms(n, face, solver))
    result = mi_fail(err, MIEN_ERR_MISMATCH, "a tetrahedron is too flat for Newton's method");
  else if (!mi_assembly_create(solver->nvert, 2 * face->info.ntet, n->terms, &n->arena, &scratch,
                               &n->assembly))
    result = mi_fail_memory(err);
  else // vertices are in the order that keeps the direct solver's factor sparse: good for this too
    n->factor = mi_cholesky_create(&n->assembly.hessian, MI_CHOLESKY_ORDERED, &n->arena.allocator);
  mi_arena_free(&scratch);
  solver->newton = n; // freed with the solver, whatever the result
  return result;
}

void mi_newton_drop_factor(struct mi_newton *n) {
  mi_cholesky_free(n->factor);
  n->factor = NULL;
}

void mi_newton_free(struct mi_newton *n) {
  if (!n) return;
  mi_cholesky_free(n->factor);
  mi_arena arena = n->arena; // it lies in its own arena
  mi_arena_free(&arena);
}

// -- targets: the posed shape of every tetrahedron ------------------------------------------------

static void load_edges(const double *p, double edges[9]) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) edges[3 * r + c] = p[3 * (c + 1) + r] - p[r];
}

static double invert(const double a[9], double inverse[9]) {
  double det = 0;
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++) {
      int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      inverse[3 * c + r] = a[3 * r1 + c1] * a[3 * r2 + c2] - a[3 * r1 + c2] * a[3 * r2 + c1];
    }
  for (int c = 0; c < 3; c++) det += a[c] * inverse[3 * c];
  for (int k = 0; k < 9; k++) inverse[k] /= det;
  return det;
}

static void set_targets(struct mi_newton *n, const mi_solver *solver, int ntet) {
  for (int e = 0; e < ntet; e++) {
    mi_term *strain = n->terms + 2 * (size_t)e, *kept = strain + 1;
    double posed[12], edges[9], rest[9], inverse[9], target[9] = {0};
    for (int c = 0; c < 12; c++)
      posed[c] = solver->posed[4 * (size_t)strain->vert[c / 3] + (size_t)(c % 3)];
    n->weight[2 * e] = (double)mi_elastic_strain(solver->elastic, e);
    n->weight[2 * e + 1] = (double)mi_elastic_volume(solver->elastic, e);
    load_edges(posed, edges);
    load_edges(n->rest + 12 * (size_t)e, rest);
    invert(rest, inverse);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) target[3 * r + c] += edges[3 * r + k] * inverse[3 * k + c];
    double det = invert(edges, inverse) / invert(rest, inverse);
    mi_strain_set_up(&strain->stencil, n->rest + 12 * (size_t)e, n->weight[2 * e], target);
    if (det > 0)
      mi_volume_set_up(&kept->stencil, n->rest + 12 * (size_t)e, n->weight[2 * e + 1], det, det);
  }
}

// -- the method -----------------------------------------------------------------------------------

static void apply_hessian(const void *matrix, const double *x, double *y) {
  mi_csr_multiply(matrix, 1, x, y);
}

static void evaluate(const mi_solver *s, const double *x, mi_energies *energies) {
  *energies = (mi_energies){0};
  for (int i = 0; i < 3 * s->nvert; i++) {
    size_t at = 4 * (size_t)(i / 3) + (size_t)(i % 3);
    double a = x[i] - s->predicted[at], b = x[i] - s->anchor[at];
    energies->inertia += 0.5 * (double)s->inertia[i / 3] * a * a;
    energies->attachment += 0.5 * (double)s->hold[i / 3] * b * b;
  }
  energies->elastic = mi_assembly_value(&s->newton->assembly, x);
  energies->total = energies->inertia + energies->attachment + energies->elastic;
}

// Returns the length of the gradient.
static double find_gradient(const mi_solver *s) {
  const struct mi_newton *n = s->newton;
  double sum = 0;
  mi_assembly_gradient(&n->assembly, n->x, n->gradient);
  for (int i = 0; i < 3 * s->nvert; i++) {
    size_t at = 4 * (size_t)(i / 3) + (size_t)(i % 3);
    n->gradient[i] += (double)s->inertia[i / 3] * (n->x[i] - s->predicted[at]) +
                      (double)s->hold[i / 3] * (n->x[i] - s->anchor[at]);
    sum += n->gradient[i] * n->gradient[i];
  }
  return sqrt(sum);
}

static bool solve_by_gradients(mi_solver *s) {
  struct mi_newton *n = s->newton;
  mi_arena scratch;
  mi_arena_init(&scratch, &s->host);
  mi_pcg pcg = {apply_hessian, &n->assembly.hessian, 3 * s->nvert, n->diagonal, 1e-8, 2000};
  mi_pcg_info info;
  bool done = mi_pcg_solve(&pcg, n->gradient, n->direction, &scratch, &info);
  mi_arena_free(&scratch);
  return done;
}

// direction = -H^-1 g; false when memory ends
static bool find_direction(mi_solver *s) {
  struct mi_newton *n = s->newton;
  int count = 3 * s->nvert;
  mi_assembly_fill_hessian(&n->assembly, n->x, true);
  for (int i = 0; i < count; i++) {
    double *entry = n->assembly.hessian.value + n->assembly.diagonal[i];
    *entry += (double)s->inertia[i / 3] + s->hold[i / 3];
    n->diagonal[i] = *entry;
    n->direction[i] = 0;
  }
  bool done = n->factor && mi_cholesky_factor(n->factor, &n->assembly.hessian) &&
              mi_cholesky_solve(n->factor, 1, n->gradient, n->direction);
  if (!done) done = solve_by_gradients(s);
  for (int i = 0; i < count; i++) n->direction[i] = -n->direction[i];
  return done;
}

static bool search_line(mi_solver *s, mi_energies *energies, mien_state_info *info) {
  struct mi_newton *n = s->newton;
  int count = 3 * s->nvert;
  double slope = 0, step = 1;
  for (int i = 0; i < count; i++) slope += n->gradient[i] * n->direction[i];
  for (int halving = 0; halving < MOST_HALVINGS; halving++, step /= 2) {
    for (int i = 0; i < count; i++) n->trial[i] = n->x[i] + step * n->direction[i];
    mi_energies trial;
    evaluate(s, n->trial, &trial);
    info->line_search_steps++;
    if (!(trial.total <= energies->total + 1e-4 * step * slope)) continue;
    memcpy(n->x, n->trial, (size_t)count * sizeof *n->x);
    *energies = trial;
    return true;
  }
  return false;
}

mien_result mi_newton_descend(mien_state *state, const mien_step_opts *opts, mien_error *err) {
  mi_solver *s = state->solver;
  struct mi_newton *n = s->newton;
  mien_state_info *info = &state->info;
  mi_energies energies;
  double first = 0, length = 0, started = mi_clock();
  set_targets(n, s, state->face->info.ntet);
  for (int i = 0; i < 3 * s->nvert; i++) n->x[i] = s->x[4 * (size_t)(i / 3) + (size_t)(i % 3)];
  evaluate(s, n->x, &energies);
  info->energy_start = energies.total;
  for (; info->iterations < opts->iterations; info->iterations++) {
    length = find_gradient(s);
    if (info->iterations == 0) first = length;
    if (!(length > opts->tolerance * first) || length == 0) break;
    double solving = mi_clock();
    if (!find_direction(s)) return mi_fail_memory(err);
    info->seconds_global += mi_clock() - solving;
    if (!search_line(s, &energies, info)) break;
  }
  for (int i = 0; i < 3 * s->nvert; i++)
    s->x[4 * (size_t)(i / 3) + (size_t)(i % 3)] = (float)n->x[i];
  info->residual = first > 0 ? length / first : 0;
  info->energy = energies.total;
  info->energy_inertia = energies.inertia;
  info->energy_elastic = energies.elastic;
  info->energy_attachment = energies.attachment;
  info->seconds_local += mi_clock() - started - info->seconds_global;
  return MIEN_OK;
}
