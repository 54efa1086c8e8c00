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

// scratch, of shapes that have to be put in order first
typedef struct spread {
  float *delta;         // (nvert x 3), all zero between shapes
  unsigned char *moved; // (nvert)
  int32_t *index;       // (nvert)
  float *packed;        // (nvert x 3)
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

static bool is_finite(const mien_shape *shape) {
  const mien_f32s *deltas = &shape->deltas;
  if (deltas->stride == 0 || deltas->stride == 3)
    return all_finite(deltas->data, 3 * (size_t)deltas->count);
  for (int k = 0; k < deltas->count; k++)
    if (!all_finite(mi_f32s_at(deltas, 3, k), 3)) return false;
  return true;
}

static mien_result refuse(mi_rig_build *b, const mien_shape *shape) {
  int k = 0;
  while (all_finite(mi_f32s_at(&shape->deltas, 3, k), 3)) k++;
  return mi_fail(b->err, MIEN_ERR_NOT_FINITE, "shape '%s': the delta of vertex %d is not finite",
                 shape->name, shape->indices.data ? shape->indices.data[k] : k);
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

// One pass that counts, one that copies: most shapes are a few long runs.
typedef struct found {
  int nrun, nmoved;
  run only; // when there is one
  bool is_finite;
} found;

static found count_runs(const entries *from) {
  found f = {.is_finite = true};
  for (run r = next_run(from, 0); r.begin < r.end; r = next_run(from, r.end)) {
    f.nrun++;
    f.nmoved += r.end - r.begin;
    f.only = r;
  }
  return f;
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

static bool reserve_shape(mi_rig_build *b, int s, found f) {
  mi_arena *arena = &b->rig->arena;
  int32_t *vert = MI_PUSH(arena, int32_t, f.nrun), *count = MI_PUSH(arena, int32_t, f.nrun);
  int32_t *first = MI_PUSH(arena, int32_t, f.nrun), *index = MI_PUSH_RAW(arena, int32_t, f.nmoved);
  float *delta = MI_PUSH_RAW(arena, float, 3 * (size_t)f.nmoved);
  if (!vert || !count || !first || !index || !delta) return false;
  b->rig->runs[s] = (mi_shape_runs){f.nrun, vert, count, first, delta};
  mien_shape *shape = (mien_shape *)b->rig->info.shapes + s;
  shape->name = mi_arena_name(arena, b->def->shapes[s].name);
  shape->indices = (mien_i32s){index, f.nmoved};
  shape->deltas = (mien_f32s){delta, f.nmoved, 3};
  return shape->name != NULL;
}

static void copy_shape(const mi_rig_build *b, int s, const entries *from, const found *f) {
  const mi_shape_runs *runs = b->rig->runs + s;
  int32_t *index = (int32_t *)b->rig->info.shapes[s].indices.data;
  int entry = 0;
  for (int k = 0, at = 0; k < f->nrun; k++) {
    run r = f->nrun == 1 ? f->only : next_run(from, at);
    at = r.end;
    ((int32_t *)runs->vert)[k] = vertex_of(from, r.begin);
    ((int32_t *)runs->first)[k] = entry;
    ((int32_t *)runs->count)[k] = r.end - r.begin;
    copy_run(from, r, (float)b->def->metres_per_unit, index + entry,
             (float *)runs->delta + 3 * (size_t)entry);
    entry += r.end - r.begin;
  }
}

static mien_result check_names(mi_rig_build *b) {
  for (int s = 0; s < b->def->nshape; s++)
    for (int r = 0; r < s; r++)
      if (!strcmp(b->def->shapes[r].name, b->def->shapes[s].name))
        return mi_fail(b->err, MIEN_ERR_ARGUMENT, "shapes %d and %d are both called '%s'", r, s,
                       b->def->shapes[s].name);
  return MIEN_OK;
}

// Shapes with valid arrays are checked and copied by all threads; between the two
// their memory is taken.
typedef struct copy_ctx {
  const mi_rig_build *b;
  found *found;
  bool *in_order;
} copy_ctx;

static entries entries_of(const mien_shape *shape) {
  return (entries){shape->indices.data, shape->deltas};
}

static void check_shapes(void *user, int begin, int end) {
  copy_ctx *c = user;
  for (int s = begin; s < end; s++) {
    const mien_shape *shape = c->b->def->shapes + s;
    entries from = entries_of(shape);
    c->in_order[s] = is_in_order(c->b, shape);
    if (c->in_order[s]) c->found[s] = count_runs(&from);
    c->found[s].is_finite = is_finite(shape);
  }
}

static void copy_shapes(void *user, int begin, int end) {
  const copy_ctx *c = user;
  for (int s = begin; s < end; s++) {
    entries from = entries_of(c->b->def->shapes + s);
    if (c->in_order[s]) copy_shape(c->b, s, &from, c->found + s);
  }
}

static mien_result reserve_shapes(mi_rig_build *b, const copy_ctx *c, spread *at) {
  for (int s = 0; s < b->def->nshape; s++) {
    const mien_shape *shape = b->def->shapes + s;
    if (!c->found[s].is_finite) return refuse(b, shape);
    if (c->in_order[s]) {
      if (!reserve_shape(b, s, c->found[s])) return mi_fail_memory(b->err);
      continue;
    }
    entries from = spread_entries(b, shape, at);
    found f = count_runs(&from);
    if (!reserve_shape(b, s, f)) return mi_fail_memory(b->err);
    copy_shape(b, s, &from, &f);
  }
  return MIEN_OK;
}

mien_result mi_rig_build_shapes(mi_rig_build *b) {
  mien_rig *rig = b->rig;
  int nshape = b->def->nshape;
  rig->info.shapes = MI_PUSH(&rig->arena, mien_shape, nshape);
  rig->info.nshape = nshape;
  rig->runs = MI_PUSH(&rig->arena, mi_shape_runs, nshape);
  spread at = {MI_PUSH(&b->scratch, float, 3 * (size_t)b->nvert),
               MI_PUSH(&b->scratch, unsigned char, b->nvert),
               MI_PUSH(&b->scratch, int32_t, b->nvert),
               MI_PUSH(&b->scratch, float, 3 * (size_t)b->nvert)};
  copy_ctx c = {b, MI_PUSH(&b->scratch, found, nshape), MI_PUSH(&b->scratch, bool, nshape)};
  if (!rig->info.shapes || !rig->runs || !at.delta || !at.moved || !at.index || !at.packed ||
      !c.found || !c.in_order)
    return mi_fail_memory(b->err);
  mien_result result = check_names(b);
  if (result != MIEN_OK) return result;
  mi_parallel(b->rig->host.threads, nshape, 1, check_shapes, &c);
  result = reserve_shapes(b, &c, &at);
  if (result == MIEN_OK) mi_parallel(b->rig->host.threads, nshape, 1, copy_shapes, &c);
  return result;
}
