// The global step: barriers as rank-1 rows on the constant factor, by Woodbury, Schur or conjugate
// gradients.
#include "solve/barrier.h"

#include <stdlib.h>
#include <string.h>

// Woodbury's step costs the third power of the rank-1 rows: those beyond the stiffest MOST_RANK1,
// or below LEAST_RANK1 of the flesh's own stiffness, bring the energy no lower, of sparse lips or
// dense.
enum { MOST_RANK1 = 256 };
static const double LEAST_RANK1 = 0.6;

static int compare_rank1(const void *a, const void *b) {
  const mi_rank1 *x = a, *y = b;
  if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
  int order = memcmp(x->vert, y->vert, sizeof x->vert);
  return order ? order : memcmp(x->vector, y->vector, sizeof x->vector);
}

// Only conjugate gradients take contacts that reach outside the factor's region (lids on eyes).
static bool is_taken(const mi_descent *d, const mi_contact *contact) {
  const mi_contacts *c = d->state->contacts;
  if (d->opts->barrier_step == MIEN_BARRIER_PCG) return true;
  for (int v = 0; v < 4; v++) {
    int vert = contact->vert[v];
    if (vert < c->nsoft && d->solver->iperm[c->flesh[vert]] < d->solver->nfront) return false;
  }
  return true;
}

// The projected Hessians as rank-1 rows: at most three a contact, without those that flesh
// outweighs.
static void find_rank1(mi_descent *d) {
  mi_contacts *c = d->state->contacts;
  struct mi_barrier_side *side = c->barrier;
  double least = LEAST_RANK1 * d->stiffness;
  mi_active_hessian(&c->active, &d->barrier, c->x_free, d->solver->host.threads, side->hessian);
  side->nrank1 = 0;
  for (int k = 0; k < c->active.count; k++)
    for (int t = 0; t < side->hessian[k].count && is_taken(d, c->active.contact + k); t++) {
      if (side->hessian[k].weight[t] < least) break; // largest first
      mi_rank1 *rank1 = side->rank1 + side->nrank1++;
      rank1->weight = (float)side->hessian[k].weight[t];
      for (int v = 0; v < 4; v++) {
        int vert = c->active.contact[k].vert[v];
        rank1->vert[v] = vert < c->nsoft ? d->solver->iperm[c->flesh[vert]] : -1;
        for (int i = 0; i < 3; i++)
          rank1->vector[v][i] = (float)side->hessian[k].vector[t][3 * v + i];
      }
    }
  qsort(side->rank1, (size_t)side->nrank1, sizeof *side->rank1, compare_rank1);
}

void mi_barrier_find_rank1(mi_descent *d) {
  struct mi_barrier_side *side = d->state->contacts->barrier;
  mi_factor *factor = d->solver->factor;
  int threads = d->solver->host.threads;
  double start = mi_clock();
  find_rank1(d);
  double found = mi_clock();
  d->info->seconds_contact += found - start;
  // the history must know no other rank-1 rows than the solve: a stiff one that only it knows makes
  // directions hundreds of times too long
  if (d->opts->barrier_step == MIEN_BARRIER_WOODBURY) {
    int most = side->nrank1 < MOST_RANK1 ? side->nrank1 : MOST_RANK1;
    side->nrank1 = mi_factor_set_rank1(factor, side->rank1, most, threads);
  } else if (d->opts->barrier_step == MIEN_BARRIER_SCHUR) {
    mi_factor_set_schur(factor, side->rank1, side->nrank1, threads);
  }
  d->info->seconds_global += mi_clock() - found;
}
