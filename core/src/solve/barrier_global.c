// The global step: barriers as bars on the constant factor, by Woodbury, Schur or conjugate
// gradients.
#include "solve/barrier.h"

#include <stdlib.h>
#include <string.h>

typedef mi_barrier_descent descent;

// CHUNK: floats of a vector to a task. Woodbury's step costs the third power of the bars: those
// beyond the stiffest MOST_BARS, or below LEAST_BAR of the flesh's own stiffness, bring the energy
// no lower, of sparse lips or dense.
enum { CHUNK = 8192, MOST_BARS = 256 };
static const double LEAST_BAR = 0.6;

static int compare_bars(const void *a, const void *b) {
  const mi_bar *x = a, *y = b;
  if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
  int order = memcmp(x->vert, y->vert, sizeof x->vert);
  return order ? order : memcmp(x->vector, y->vector, sizeof x->vector);
}

// What reaches outside the factor's region (lids on eyes) is taken by conjugate gradients alone.
static bool is_taken(const descent *d, const mi_contact *contact) {
  const mi_contacts *c = d->contacts;
  if (d->opts->barrier_step == MIEN_BARRIER_PCG) return true;
  for (int v = 0; v < 4; v++) {
    int vert = contact->vert[v];
    if (vert < c->nsoft && d->solver->place[c->flesh[vert]] < d->solver->nfront) return false;
  }
  return true;
}

// The projected Hessians as bars: at most three a contact, without those that flesh outweighs.
static void find_bars(descent *d) {
  mi_contacts *c = d->contacts;
  struct mi_barrier_side *side = d->side;
  double least = LEAST_BAR * d->stiffness;
  mi_active_hessian(&c->active, &d->barrier, c->safe, d->solver->host.threads, side->hessian);
  side->nbar = 0;
  for (int k = 0; k < c->active.count; k++)
    for (int t = 0; t < side->hessian[k].count && is_taken(d, c->active.contact + k); t++) {
      if (side->hessian[k].weight[t] < least) break; // largest first
      mi_bar *bar = side->bar + side->nbar++;
      bar->weight = (float)side->hessian[k].weight[t];
      for (int v = 0; v < 4; v++) {
        int vert = c->active.contact[k].vert[v];
        bar->vert[v] = vert < c->nsoft ? d->solver->place[c->flesh[vert]] : -1;
        for (int i = 0; i < 3; i++)
          bar->vector[v][i] = (float)side->hessian[k].vector[t][3 * v + i];
      }
    }
  qsort(side->bar, (size_t)side->nbar, sizeof *side->bar, compare_bars);
}

static void prepare_global(descent *d) {
  mi_factor *factor = d->solver->factor;
  int threads = d->solver->host.threads;
  double start = mi_clock();
  find_bars(d);
  double found = mi_clock();
  d->info->seconds_contact += found - start;
  // the history must know no other bars than the solve: a stiff one that only it knows makes
  // directions hundreds of times too long
  if (d->opts->barrier_step == MIEN_BARRIER_WOODBURY) {
    int most = d->side->nbar < MOST_BARS ? d->side->nbar : MOST_BARS;
    d->side->nbar = mi_factor_set_bars(factor, d->side->bar, most, threads);
  } else if (d->opts->barrier_step == MIEN_BARRIER_SCHUR)
    mi_factor_set_schur(factor, d->side->bar, d->side->nbar, threads);
  if (d->solver->history)
    mi_lbfgs_set_bars(d->solver->history, d->side->bar, d->side->nbar, d->side->stretch);
  d->info->seconds_global += mi_clock() - found;
}

static void turn_back(void *user, int begin, int end) {
  float *direction = user;
  for (int i = begin; i < end; i++) direction[i] = -direction[i];
}

// direction = -H^-1 g; returns g . direction
static double find_direction(descent *d) {
  mi_solver *s = d->solver;
  const float *q = d->side->total;
  int threads = s->host.threads;
  double start = mi_clock();
  if (s->history) {
    mi_lbfgs_forward(s->history, q, threads, s->forward);
    q = s->forward;
  }
  if (d->opts->barrier_step == MIEN_BARRIER_PCG)
    d->info->sweeps += mi_barrier_pcg(d->state, q, s->direction);
  else
    mi_factor_solve(s->factor, q, threads, s->direction);
  const float *total = d->side->total;
  double along = s->history ? mi_lbfgs_backward(s->history, s->direction, total, threads)
                            : mi_lbfgs_dot(total, s->direction, s->nvert, threads, s->sums);
  mi_parallel(threads, 4 * s->nvert, CHUNK, turn_back, s->direction);
  d->info->seconds_global += mi_clock() - start;
  return -along;
}

double mi_barrier_find_direction(descent *d) {
  prepare_global(d);
  double slope = find_direction(d);
  if (slope < 0 || !d->solver->history) return slope < 0 ? slope : 0;
  mi_lbfgs_reset(d->solver->history);
  slope = find_direction(d);
  return slope < 0 ? slope : 0;
}
