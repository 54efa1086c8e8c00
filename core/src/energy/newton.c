// The Hessian of every element is made positive semi-definite, so that each direction goes
// downhill. CHOLMOD solves the linear systems, analysed once; without it, or where a factor fails,
// conjugate gradients do.
#include "energy/newton.h"

#include "energy/assemble.h"
#include "sparse/cholesky.h"

#include <math.h>
#include <string.h>

enum { MOST_HALVINGS = 30 };

struct mi_newton {
  mi_arena arena;
  int nvert;
  mi_assembly assembly;
  mi_cholesky *factor; // of its Hessian, or NULL: conjugate gradients
  mi_term *terms;      // every element of every law, law by law
  int nterm;
  double *x, *trial, *gradient, *direction, *diagonal; // (nvert x 3)
  double *work; // of conjugate gradients: a step that runs out of memory would be half a step
};

static bool reserve(mi_newton *n, const mi_flesh *flesh) {
  size_t size = 3 * (size_t)flesh->nvert;
  for (int l = 0; l < mi_nlaw; l++) n->nterm += mi_laws[l]->count(flesh);
  n->terms = MI_PUSH(&n->arena, mi_term, n->nterm);
  double **vectors[] = {&n->x, &n->trial, &n->gradient, &n->direction, &n->diagonal};
  bool done = n->terms != NULL;
  for (size_t k = 0; done && k < sizeof vectors / sizeof *vectors; k++)
    done = (*vectors[k] = MI_PUSH(&n->arena, double, size)) != NULL;
  n->work = MI_PUSH(&n->arena, double, 4 * size);
  return done && n->work;
}

// Weights and targets of the moment. A degenerate element keeps the ones it had; false when there
// is one.
static bool set_up_terms(mi_newton *n, const mi_flesh *flesh) {
  mi_term *term = n->terms;
  bool done = true;
  for (int l = 0; l < mi_nlaw; l++)
    for (int e = 0; e < mi_laws[l]->count(flesh); e++, term++) {
      term->law = mi_laws[l];
      done &= mi_laws[l]->set_up(flesh, e, &term->stencil, term->vert);
    }
  return done;
}

mien_result mi_newton_create(const mi_flesh *given, const mien_host *host, mi_newton **out,
                             mien_error *err) {
  mi_arena arena, scratch;
  mi_arena_init(&arena, host);
  mi_arena_init(&scratch, host);
  mi_newton *n = MI_PUSH(&arena, struct mi_newton, 1);
  if (!n) return mi_fail_memory(err);
  n->arena = arena;
  mien_result result = MIEN_OK;
  mi_flesh flesh = *given;
  flesh.posed = NULL; // no step has set it yet
  n->nvert = flesh.nvert;
  if (!reserve(n, &flesh))
    result = mi_fail_memory(err);
  else if (!set_up_terms(n, &flesh))
    result = mi_fail(err, MIEN_ERR_MISMATCH, "a tetrahedron is too flat for Newton's method");
  else if (!mi_assembly_create(n->nvert, n->nterm, n->terms, &n->arena, &scratch, &n->assembly))
    result = mi_fail_memory(err);
  else // the vertices are already in a fill-reducing order
    n->factor = mi_cholesky_create(&n->assembly.hessian, MI_CHOLESKY_ORDERED, &n->arena.allocator);
  if (result >= 0 && !n->factor && mi_cholesky_is_built())
    result = mi_fail_memory(err); // gradients would do, to other bits
  mi_arena_free(&scratch);
  *out = n; // the caller frees it, whatever the result
  return result;
}

void mi_newton_drop_factor(mi_newton *n) {
  mi_cholesky_free(n->factor);
  n->factor = NULL;
}

void mi_newton_free(mi_newton *n) {
  if (!n) return;
  mi_cholesky_free(n->factor);
  mi_arena_delete(n->arena);
}

// -- the method -----------------------------------------------------------------------------------

static void apply_hessian(const void *matrix, const double *x, double *y) {
  mi_csr_multiply(matrix, 1, x, y);
}

static void evaluate(const mi_newton *n, const double *x, mi_energies *energies) {
  *energies = (mi_energies){0};
  for (int t = 0; t < n->nterm; t++) {
    double *sum = (double *)((char *)energies + n->terms[t].law->sum);
    *sum += mi_term_value(n->terms + t, x);
  }
  energies->total = mi_energies_total(energies);
}

// Returns the length of the gradient.
static double find_gradient(const mi_newton *n) {
  double sum = 0;
  mi_assembly_gradient(&n->assembly, n->x, n->gradient);
  for (int i = 0; i < 3 * n->nvert; i++) sum += n->gradient[i] * n->gradient[i];
  return sqrt(sum);
}

static void solve_by_gradients(mi_newton *n) {
  mi_pcg pcg = {apply_hessian, &n->assembly.hessian, 3 * n->nvert, n->diagonal, 1e-8, 2000};
  mi_pcg_info info;
  mi_pcg_solve_in(&pcg, n->gradient, n->direction, n->work, &info);
}

// direction = -H^-1 g. CHOLMOD allocates; where that fails, conjugate gradients need nothing more.
static void find_direction(mi_newton *n) {
  int count = 3 * n->nvert;
  mi_assembly_fill_hessian(&n->assembly, n->x, true);
  for (int i = 0; i < count; i++) {
    n->diagonal[i] = n->assembly.hessian.value[n->assembly.diagonal[i]];
    n->direction[i] = 0;
  }
  bool done = n->factor && mi_cholesky_factor(n->factor, &n->assembly.hessian) &&
              mi_cholesky_solve(n->factor, 1, n->gradient, n->direction);
  if (!done) solve_by_gradients(n);
  for (int i = 0; i < count; i++) n->direction[i] = -n->direction[i];
}

static bool search_line(mi_newton *n, mi_energies *energies, mien_state_info *info) {
  int count = 3 * n->nvert;
  double slope = 0, step = 1;
  for (int i = 0; i < count; i++) slope += n->gradient[i] * n->direction[i];
  for (int halving = 0; halving < MOST_HALVINGS; halving++, step /= 2) {
    for (int i = 0; i < count; i++) n->trial[i] = n->x[i] + step * n->direction[i];
    mi_energies trial;
    evaluate(n, n->trial, &trial);
    info->line_search_steps++;
    if (!(trial.total <= energies->total + 1e-4 * step * slope)) continue;
    memcpy(n->x, n->trial, (size_t)count * sizeof *n->x);
    *energies = trial;
    return true;
  }
  return false;
}

void mi_newton_descend(mi_newton *n, const mi_flesh *flesh, const mien_step_opts *opts, float *x,
                       mien_state_info *info) {
  mi_energies energies;
  double first = 0, length = 0, started = mi_clock();
  set_up_terms(n, flesh);
  for (int i = 0; i < 3 * n->nvert; i++) n->x[i] = x[4 * (size_t)(i / 3) + (size_t)(i % 3)];
  evaluate(n, n->x, &energies);
  info->energy_start = energies.total;
  for (int iteration = 0; iteration < opts->iterations; iteration++, info->iterations++) {
    length = find_gradient(n);
    if (iteration == 0) first = length;
    if (!(length > opts->tolerance * first) || length == 0) break;
    double solving = mi_clock();
    find_direction(n);
    info->seconds_global += mi_clock() - solving;
    if (!search_line(n, &energies, info)) break;
  }
  for (int i = 0; i < 3 * n->nvert; i++) x[4 * (size_t)(i / 3) + (size_t)(i % 3)] = (float)n->x[i];
  info->residual = first > 0 ? length / first : 0;
  info->energy = energies.total;
  info->energy_inertia = energies.inertia;
  info->energy_elastic = energies.elastic;
  info->energy_attachment = energies.attachment;
  info->seconds_local += mi_clock() - started - info->seconds_global;
}
