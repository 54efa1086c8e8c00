// Newton's method on the energy of a frame, for comparison: the full Hessian of every element, made
// positive semi-definite, factored anew in every iteration (Bouaziz, 7.6.3).
#include "textbook_parts.h"

#include "energy/assemble.h"
#include "energy/laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HALVINGS = 30 };

typedef struct newton {
  textbook *t;
  mi_arena arena, scratch;
  mi_term *terms;
  mi_assembly assembly;
  mi_cholesky *factor;
  double *gradient, *direction, *trial;
} newton;

static bool set_up(newton *n) {
  const textbook *t = n->t;
  for (int i = 0; i < t->ntet; i++) {
    const textbook_tet *e = t->tet + i;
    mi_term *strain = n->terms + 2 * (size_t)i, *volume = strain + 1;
    double rest[12];
    for (int k = 0; k < 12; k++) rest[k] = t->rest[3 * (size_t)e->vert[k / 3] + k % 3];
    strain->law = &mi_law_strain;
    volume->law = &mi_law_volume;
    for (int c = 0; c < 4; c++) strain->vert[c] = volume->vert[c] = e->vert[c];
    if (!mi_strain_set_up(&strain->stencil, rest, e->strain, e->target) ||
        !mi_volume_set_up(&volume->stencil, rest, e->volume, e->target_det, e->target_det))
      return false;
  }
  return mi_assembly_create(t->nvert, 2 * t->ntet, n->terms, &n->arena, &n->scratch, &n->assembly);
}

static bool find_direction(newton *n, const double *x) {
  const textbook *t = n->t;
  mi_csr *hessian = &n->assembly.hessian;
  mi_assembly_fill_hessian(&n->assembly, x, true);
  for (int i = 0; i < 3 * t->nvert; i++)
    hessian->value[n->assembly.diagonal[i]] += t->inertia[i / 3] + t->attach_stiffness[i / 3];
  if (!mi_cholesky_factor(n->factor, hessian)) return false;
  return mi_cholesky_solve(n->factor, 1, n->gradient, n->direction);
}

// x moves along -direction; false when no step is downhill
static bool search_line(newton *n, double *x) {
  int count = 3 * n->t->nvert;
  double slope = 0, step = 1, energy = textbook_energy(n->t, x, NULL);
  for (int i = 0; i < count; i++) slope -= n->gradient[i] * n->direction[i];
  for (int k = 0; k < MOST_HALVINGS; k++, step /= 2) {
    for (int i = 0; i < count; i++) n->trial[i] = x[i] - step * n->direction[i];
    if (textbook_energy(n->t, n->trial, NULL) > energy + 1e-4 * step * slope) continue;
    memcpy(x, n->trial, (size_t)count * sizeof *x);
    return true;
  }
  return false;
}

static bool reserve(newton *n) {
  size_t size = 3 * (size_t)n->t->nvert;
  n->terms = MI_PUSH(&n->arena, mi_term, 2 * (size_t)n->t->ntet);
  n->gradient = MI_PUSH(&n->arena, double, size);
  n->direction = MI_PUSH(&n->arena, double, size);
  n->trial = MI_PUSH(&n->arena, double, size);
  return n->terms && n->gradient && n->direction && n->trial;
}

bool textbook_newton(textbook *t, int iterations, double *x, textbook_seen_fn *seen, void *user) {
  newton n = {.t = t};
  n.arena.allocator = n.scratch.allocator = t->arena.allocator;
  bool done = mi_cholesky_is_built() && reserve(&n) && set_up(&n);
  if (done)
    n.factor = mi_cholesky_create(&n.assembly.hessian, MI_CHOLESKY_SUPERNODAL, &n.arena.allocator);
  done = n.factor != NULL;
  if (done && seen) seen(user, 0, x);
  for (int k = 1; done && k <= iterations; k++) {
    textbook_energy(t, x, n.gradient);
    done = find_direction(&n, x);
    if (!done || !search_line(&n, x)) break;
    if (seen) seen(user, k, x);
  }
  mi_cholesky_free(n.factor);
  mi_arena_free(&n.scratch);
  mi_arena_free(&n.arena);
  return done;
}
