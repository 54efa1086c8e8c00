// Shapes as the runs of vertices they really move.
#include "rig/build.h"

#include <string.h>

// One shape's entries in ascending order of welded vertices: either the caller's own arrays, when
// nothing was welded and they are in order, or the copy that `spread_entries` makes.
typedef struct entries {
  const int32_t *index; // NULL = entry k belongs to vertex k
  mien_f32s delta;
} entries;

// Entries [begin, end) that move neighbours: vertices that follow each other.
typedef struct run {
  int begin, end;
} run;

// scratch; but for the runs, of shapes that have to be put in order first
typedef struct spread {
  float *delta;         // (nvert x 3), all zero between shapes
  unsigned char *moved; // (nvert)
  int32_t *index;       // (nvert)
  float *packed;        // (nvert x 3)
  run *runs;            // (nvert)
} spread;

static bool moves(const float *delta) {
  return delta[0] != 0 || delta[1] != 0 || delta[2] != 0;
}

// By the bits of the exponent and without a branch, so that it runs on vectors.
static bool all_finite(const float *values, size_t count) {
  uint32_t bad = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t bits;
    memcpy(&bits, values + i, sizeof bits);
    bad |= (bits & 0x7f800000u) == 0x7f800000u;
  }
  return !bad;
}

static mien_result check_finite(mi_rig_build *b, const mien_shape *shape) {
  const mien_f32s *deltas = &shape->deltas;
  bool packed = deltas->stride == 0 || deltas->stride == 3;
  if (packed && all_finite(deltas->data, 3 * (size_t)deltas->count)) return MIEN_OK;
  for (int k = 0; k < deltas->count; k++)
    if (!all_finite(mi_f32s_at(deltas, 3, k), 3))
      return mi_fail(b->err, MIEN_ERR_NOT_FINITE,
                     "shape '%s': the delta of vertex %d is not finite", shape->name,
                     shape->indices.data ? shape->indices.data[k] : k);
  return MIEN_OK;
}

static bool is_in_order(const mi_rig_build *b, const mien_shape *shape) {
  if (b->nvert != b->def->positions.count) return false; // something was welded
  for (int k = 1; shape->indices.data && k < shape->indices.count; k++)
    if (shape->indices.data[k] <= shape->indices.data[k - 1]) return false;
  return true;
}

// Every render vertex of a seam carries the same delta, so the last write is as good as the first.
static entries spread_entries(const mi_rig_build *b, const mien_shape *shape, spread *at) {
  const int32_t *index = shape->indices.data;
  int low = b->nvert, high = -1, count = 0;
  for (int k = 0; k < shape->deltas.count; k++) {
    const float *delta = mi_f32s_at(&shape->deltas, 3, k);
    if (!moves(delta)) continue;
    int i = b->weld[index ? index[k] : k];
    memcpy(at->delta + 3 * (size_t)i, delta, 3 * sizeof *delta);
    at->moved[i] = 1;
    if (i < low) low = i;
    if (i > high) high = i;
  }
  for (int i = low; i <= high; i++) {
    if (!at->moved[i]) continue;
    at->moved[i] = 0;
    at->index[count] = i;
    memcpy(at->packed + 3 * (size_t)count++, at->delta + 3 * (size_t)i, 3 * sizeof(float));
  }
  return (entries){at->index, {at->packed, count, 3}};
}

static int vertex_of(const entries *from, int k) {
  return from->index ? from->index[k] : k;
}

// The next run at or after entry k; empty at the end.
static run next_run(const entries *from, int k) {
  int count = from->delta.count;
  while (k < count && !moves(mi_f32s_at(&from->delta, 3, k))) k++;
  run r = {k, k};
  while (r.end < count && moves(mi_f32s_at(&from->delta, 3, r.end)) &&
         vertex_of(from, r.end) == vertex_of(from, k) + (r.end - k))
    r.end++;
  return r;
}

// One pass that looks, one that copies: most shapes are a few long runs.
static int find_runs(const entries *from, run *runs, int *nmoved) {
  int nrun = 0;
  *nmoved = 0;
  for (run r = next_run(from, 0); r.begin < r.end; r = next_run(from, r.end)) {
    runs[nrun++] = r;
    *nmoved += r.end - r.begin;
  }
  return nrun;
}

static void copy_run(const entries *from, run r, float scale, int32_t *index, float *delta) {
  int first = vertex_of(from, r.begin), count = r.end - r.begin;
  const float *at = mi_f32s_at(&from->delta, 3, r.begin);
  for (int k = 0; k < count; k++) index[k] = first + k;
  if (from->delta.stride == 0 || from->delta.stride == 3) {
    for (int k = 0; k < 3 * count; k++) delta[k] = scale * at[k];
    return;
  }
  for (int k = 0; k < 3 * count; k++)
    delta[k] = scale * mi_f32s_at(&from->delta, 3, r.begin + k / 3)[k % 3];
}

static bool store_runs(mi_rig_build *b, const entries *from, run *runs, int s) {
  int nmoved, nrun = find_runs(from, runs, &nmoved), entry = 0;
  mi_arena *arena = &b->rig->arena;
  int32_t *vert = MI_PUSH(arena, int32_t, nrun), *count = MI_PUSH(arena, int32_t, nrun);
  int32_t *first = MI_PUSH(arena, int32_t, nrun), *index = MI_PUSH_RAW(arena, int32_t, nmoved);
  float *delta = MI_PUSH_RAW(arena, float, 3 * (size_t)nmoved);
  if (!vert || !count || !first || !index || !delta) return false;
  for (int k = 0; k < nrun; k++) {
    vert[k] = vertex_of(from, runs[k].begin);
    first[k] = entry;
    count[k] = runs[k].end - runs[k].begin;
    copy_run(from, runs[k], (float)b->def->metres_per_unit, index + entry,
             delta + 3 * (size_t)entry);
    entry += count[k];
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

static mien_result build_shape(mi_rig_build *b, int s, spread *at) {
  const mien_shape *shape = b->def->shapes + s;
  mien_result result = check_finite(b, shape);
  if (result != MIEN_OK) return result;
  entries from = is_in_order(b, shape) ? (entries){shape->indices.data, shape->deltas}
                                       : spread_entries(b, shape, at);
  mien_shape *to = (mien_shape *)b->rig->info.shapes + s;
  to->name = mi_arena_string(&b->rig->arena, shape->name);
  return to->name && store_runs(b, &from, at->runs, s) ? MIEN_OK : mi_fail_memory(b->err);
}

mien_result mi_rig_build_shapes(mi_rig_build *b) {
  mien_rig *rig = b->rig;
  int nshape = b->def->nshape;
  rig->info.shapes = MI_PUSH(&rig->arena, mien_shape, nshape);
  rig->info.nshape = nshape;
  rig->runs = MI_PUSH(&rig->arena, mi_shape_runs, nshape);
  spread at = {
      MI_PUSH(&b->scratch, float, 3 * (size_t)b->nvert),
      MI_PUSH(&b->scratch, unsigned char, b->nvert), MI_PUSH(&b->scratch, int32_t, b->nvert),
      MI_PUSH(&b->scratch, float, 3 * (size_t)b->nvert), MI_PUSH_RAW(&b->scratch, run, b->nvert)};
  if (!rig->info.shapes || !rig->runs || !at.delta || !at.moved || !at.index || !at.packed ||
      !at.runs)
    return mi_fail_memory(b->err);
  mien_result result = check_names(b);
  for (int s = 0; result == MIEN_OK && s < nshape; s++) result = build_shape(b, s, &at);
  return result;
}
