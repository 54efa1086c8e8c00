// Shapes as the runs of vertices they really move.
#include "rig/build.h"

#include <string.h>

// the deltas of one shape spread over the welded vertices, and which vertices it moves
typedef struct spread {
  float *delta;         // (nvert x 3), all zero between shapes
  unsigned char *moved; // (nvert)
} spread;

// Every render vertex of a seam carries the same delta, so the last write is as good as the first.
static mien_result spread_deltas(mi_rig_build *b, const mien_shape *shape, spread *at, int *low,
                                 int *high) {
  float scale = (float)b->def->metres_per_unit;
  const int32_t *index = shape->indices.data;
  *low = b->nvert;
  *high = -1;
  for (int k = 0; k < shape->deltas.count; k++) {
    const float *delta = mi_f32s_at(&shape->deltas, 3, k);
    if (delta[0] == 0 && delta[1] == 0 && delta[2] == 0) continue;
    if (!isfinite(delta[0]) || !isfinite(delta[1]) || !isfinite(delta[2]))
      return mi_fail(b->err, MIEN_ERR_NOT_FINITE,
                     "shape '%s': the delta of vertex %d is not finite", shape->name,
                     index ? index[k] : k);
    int i = b->weld[index ? index[k] : k];
    for (int c = 0; c < 3; c++) at->delta[3 * (size_t)i + c] = scale * delta[c];
    at->moved[i] = 1;
    if (i < *low) *low = i;
    if (i > *high) *high = i;
  }
  return MIEN_OK;
}

static void count_runs(const spread *at, int low, int high, int *nrun, int *nmoved) {
  *nrun = *nmoved = 0;
  for (int i = low; i <= high; i++) {
    *nmoved += at->moved[i];
    *nrun += at->moved[i] && (i == low || !at->moved[i - 1]);
  }
}

static bool store_runs(mi_rig_build *b, spread *at, int low, int high, int s) {
  int nrun, nmoved;
  count_runs(at, low, high, &nrun, &nmoved);
  mi_arena *arena = &b->rig->arena;
  int32_t *vert = MI_PUSH(arena, int32_t, nrun), *count = MI_PUSH(arena, int32_t, nrun);
  int32_t *first = MI_PUSH(arena, int32_t, nrun), *index = MI_PUSH(arena, int32_t, nmoved);
  float *delta = MI_PUSH(arena, float, 3 * (size_t)nmoved);
  if (!vert || !count || !first || !index || !delta) return false;
  int run = -1, entry = 0;
  for (int i = low; i <= high; i++) {
    if (!at->moved[i]) continue;
    if (i == low || !at->moved[i - 1]) {
      vert[++run] = i;
      first[run] = entry;
    }
    count[run]++;
    index[entry] = i;
    memcpy(delta + 3 * (size_t)entry++, at->delta + 3 * (size_t)i, 3 * sizeof *delta);
  }
  if (low <= high) {
    memset(at->delta + 3 * (size_t)low, 0, 3 * (size_t)(high - low + 1) * sizeof *at->delta);
    memset(at->moved + low, 0, (size_t)(high - low + 1));
  }
  b->rig->runs[s] = (mi_shape_runs){nrun, vert, count, first, delta};
  mien_shape *shape = (mien_shape *)b->rig->info.shapes + s;
  shape->indices = (mien_i32s){index, nmoved};
  shape->deltas = (mien_f32s){delta, nmoved, 3};
  return true;
}

static mien_result check_names(mi_rig_build *b) {
  for (int s = 0; s < b->def->nshape; s++)
    for (int r = 0; r < s; r++)
      if (!strcmp(b->def->shapes[r].name, b->def->shapes[s].name))
        return mi_fail(b->err, MIEN_ERR_ARGUMENT, "shapes %d and %d are both called '%s'", r, s,
                       b->def->shapes[s].name);
  return MIEN_OK;
}

mien_result mi_rig_build_shapes(mi_rig_build *b) {
  mien_rig *rig = b->rig;
  int nshape = b->def->nshape;
  mien_shape *shapes = MI_PUSH(&rig->arena, mien_shape, nshape);
  rig->runs = MI_PUSH(&rig->arena, mi_shape_runs, nshape);
  spread at = {MI_PUSH(&b->scratch, float, 3 * (size_t)b->nvert),
               MI_PUSH(&b->scratch, unsigned char, b->nvert)};
  if (!shapes || !rig->runs || !at.delta || !at.moved) return mi_fail_memory(b->err);
  rig->info.shapes = shapes;
  rig->info.nshape = nshape;
  mien_result result = check_names(b);
  for (int s = 0; result == MIEN_OK && s < nshape; s++) {
    int low, high;
    result = spread_deltas(b, b->def->shapes + s, &at, &low, &high);
    if (result != MIEN_OK) return result;
    shapes[s].name = mi_arena_string(&rig->arena, b->def->shapes[s].name);
    if (!shapes[s].name || !store_runs(b, &at, low, high, s)) return mi_fail_memory(b->err);
  }
  return result;
}
