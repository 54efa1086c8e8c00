// Room for the barrier, made by the first step that wants it.
#include "solve/barrier.h"

mien_result mi_barrier_reserve(mien_state *state, mien_barrier_step kind, mien_error *err) {
  mi_contacts *c = state->contacts;
  mi_arena *arena = &state->arena;
  mi_factor *factor = state->solver->factor;
  size_t flesh = (size_t)state->face->info.nvert, active = (size_t)c->active.capacity;
  if (!c->barrier) {
    struct mi_barrier_side *side = MI_PUSH(arena, struct mi_barrier_side, 1);
    if (!side) return mi_fail_memory(err);
    side->gradient = MI_PUSH(arena, double, 3 * (size_t)c->nvert);
    side->hessian = MI_PUSH(arena, mi_contact_hessian, active);
    side->rank1 = MI_PUSH(arena, mi_rank1, 3 * active);
    side->stretch = MI_PUSH(arena, double, 3 * active * MI_LBFGS_MOST);
    if (!side->gradient || !side->hessian || !side->rank1 || !side->stretch)
      return mi_fail_memory(err);
    c->barrier = side;
  }
  struct mi_barrier_side *side = c->barrier;
  if (kind == MIEN_BARRIER_PCG && !side->row) {
    float **vectors[] = {&side->residual, &side->search, &side->product, &side->preconditioned};
    for (int k = 0; k < 4; k++)
      if (!(*vectors[k] = MI_PUSH(arena, float, 4 * flesh))) return mi_fail_memory(err);
    side->row = MI_PUSH(arena, double, 6 * flesh);
    if (!side->row) return mi_fail_memory(err);
  }
  if (kind == MIEN_BARRIER_SCHUR && !mi_factor_reserve_schur(factor)) return mi_fail_memory(err);
  return MIEN_OK;
}
