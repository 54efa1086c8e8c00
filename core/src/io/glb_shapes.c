// Morph targets -> shapes. The same name on several parts is one shape.
#include "io/glb_rig.h"
#include "io/name_table.h"

enum { MOST_SHAPES = 10000 };

// One target of one chunk.
typedef struct piece {
  int chunk, accessor; // accessor -1 = no deltas
  int next;            // of the same shape, -1 = last
} piece;

typedef struct gather {
  mi_glb_rig *r;
  mi_name_table names;
  piece *piece;
  int ncomponent;
  int *first, *last; // pieces of a shape, -1 = not met yet                       (MOST_SHAPES)
  int32_t *iota;     // 0 1 2 ... nvert - 1: the indices of a chunk are a piece of it
} gather;

static mien_result add_piece(gather *g, const char *name, int chunk, int accessor) {
  mi_glb *glb = g->r->glb;
  int s = mi_name_add(&g->names, name);
  if (s < 0) return mi_fail_memory(glb->err);
  if (s >= MOST_SHAPES)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file has more than %d shapes", MOST_SHAPES);
  int last = g->last[s];
  if (last >= 0 && g->piece[last].chunk == chunk)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "a mesh has two morph targets named \"%.80s\"", name);
  g->piece[g->ncomponent] = (piece){chunk, accessor, -1};
  if (last >= 0) g->piece[last].next = g->ncomponent;
  if (last < 0) g->first[s] = g->ncomponent;
  g->last[s] = g->ncomponent++;
  return MIEN_OK;
}

static mien_result gather_chunk(gather *g, int c) {
  mi_glb *glb = g->r->glb;
  const mi_glb_chunk *chunk = &g->r->chunk[c];
  if (!mi_glb_length(chunk->targets)) return MIEN_OK;
  int ntarget = 0;
  const char **names = mi_glb_target_names(glb, g->r->part[chunk->part].mesh, &ntarget);
  if (!names) return glb->err->code;
  for (int t = 0; t < mi_glb_length(chunk->targets); t++) {
    int accessor;
    const json_t *target = json_array_get(chunk->targets, (size_t)t);
    mien_result result = mi_glb_index(glb, target, "POSITION", glb->accessors, &accessor);
    if (result >= 0) result = add_piece(g, names[t], c, accessor);
    if (result < 0) return result;
  }
  return MIEN_OK;
}

// extras.mien.shapes of the first part that has it: the order shapes had when mien wrote the file,
// which the parts' own lists of targets may not show.
static mien_result read_order(gather *g) {
  for (int p = 0; p < g->r->npart; p++) {
    const json_t *extras = json_object_get(g->r->part[p].node, "extras");
    const json_t *list = json_object_get(json_object_get(extras, "mien"), "shapes");
    int n = mi_glb_length(list);
    for (int i = 0; i < n && i < MOST_SHAPES; i++) {
      const char *name = json_string_value(json_array_get(list, (size_t)i));
      if (name && mi_name_add(&g->names, name) < 0) return mi_fail_memory(g->r->glb->err);
    }
    if (n) return MIEN_OK;
  }
  return MIEN_OK;
}

static mien_result gather_pieces(gather *g) {
  mi_glb *glb = g->r->glb;
  size_t total = 0;
  for (int c = 0; c < g->r->nchunk; c++) total += (size_t)mi_glb_length(g->r->chunk[c].targets);
  g->piece = mi_glb_push(glb, total, sizeof *g->piece);
  g->first = mi_glb_push(glb, MOST_SHAPES, sizeof *g->first);
  g->last = mi_glb_push(glb, MOST_SHAPES, sizeof *g->last);
  if (!g->piece || !g->first || !g->last) return glb->err->code;
  for (int s = 0; s < MOST_SHAPES; s++) g->first[s] = g->last[s] = -1;
  mien_result result = read_order(g);
  for (int c = 0; result >= 0 && c < g->r->nchunk; c++) result = gather_chunk(g, c);
  return result;
}

// The vertices of a chunk as indices into the rig; NULL with an error.
static const int32_t *chunk_indices(gather *g, int first) {
  if (!g->iota) {
    g->iota = mi_glb_push(g->r->glb, (size_t)g->r->nvert, sizeof *g->iota);
    for (int i = 0; g->iota && i < g->r->nvert; i++) g->iota[i] = i;
  }
  return g->iota ? g->iota + first : NULL;
}

static mien_result turn_deltas(mi_glb *glb, const mi_affine *world, mien_f32s *deltas) {
  float *to = mi_glb_push(glb, (size_t)deltas->count * 3, sizeof *to);
  if (!to) return glb->err->code;
  for (int i = 0; i < deltas->count; i++)
    mi_affine_apply(world, deltas->data + (size_t)i * (size_t)deltas->stride, 0,
                    to + (size_t)i * 3);
  *deltas = (mien_f32s){to, deltas->count, 3};
  return MIEN_OK;
}

// The deltas of a piece where the file has them, and the vertices they belong to.
static mien_result read_piece(gather *g, const piece *p, mien_shape *out) {
  mi_glb *glb = g->r->glb;
  const mi_glb_chunk *chunk = &g->r->chunk[p->chunk];
  const mi_glb_part *part = &g->r->part[chunk->part];
  mi_accessor accessor = {.width = 3, .component = MI_GLB_FLOAT, .count = chunk->nvert};
  mien_result result = MIEN_OK;
  if (p->accessor >= 0) result = mi_glb_accessor(glb, p->accessor, &accessor);
  if (result < 0) return result;
  if (accessor.width != 3 || accessor.count != chunk->nvert)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the shape \"%.80s\" has %d deltas for %d vertices",
                   out->name, accessor.count, chunk->nvert);
  if (!accessor.data) {
    result = mi_glb_sparse(glb, &accessor, chunk->first, &out->indices, &out->deltas);
    if (result < 0) return result;
    int kept = out->indices.count; // rising
    while (kept && out->indices.data[kept - 1] >= chunk->first + chunk->nkept) kept--;
    out->indices.count = out->deltas.count = kept;
  } else {
    result = mi_glb_floats(glb, &accessor, &out->deltas);
    out->deltas.count = chunk->nkept;
    out->indices = (mien_i32s){NULL, chunk->nkept};
    if (result >= 0 && g->r->nchunk > 1) out->indices.data = chunk_indices(g, chunk->first);
    if (result >= 0 && g->r->nchunk > 1 && !out->indices.data) return glb->err->code;
    if (g->r->nchunk == 1) out->indices.count = 0;
  }
  if (result >= 0 && part->is_moved) result = turn_deltas(glb, &part->world, &out->deltas);
  return result;
}

// A shape on several chunks: their pieces, one after the other.
static mien_result join_pieces(gather *g, int s, mien_shape *out) {
  mi_glb *glb = g->r->glb;
  int ncomponent = 0, total = 0, at = 0, k = 0;
  for (int p = g->first[s]; p >= 0; p = g->piece[p].next) ncomponent++;
  mien_shape *parts = mi_glb_push(glb, (size_t)ncomponent, sizeof *parts);
  if (!parts) return glb->err->code;
  for (int p = g->first[s]; p >= 0; p = g->piece[p].next, k++) {
    parts[k].name = out->name;
    mien_result result = read_piece(g, &g->piece[p], &parts[k]);
    if (result < 0) return result;
    total += parts[k].deltas.count; // chunks do not overlap: at most nvert
  }
  int32_t *index = mi_glb_push(glb, (size_t)total, sizeof *index);
  float *delta = index ? mi_glb_push(glb, (size_t)total * 3, sizeof *delta) : NULL;
  if (!delta) return glb->err->code;
  for (k = 0; k < ncomponent; k++) {
    const mien_shape *part = &parts[k];
    for (int i = 0; i < part->deltas.count; i++, at++) {
      index[at] = part->indices.data[i];
      memcpy(delta + (size_t)at * 3, part->deltas.data + (size_t)i * (size_t)part->deltas.stride,
             3 * sizeof *delta);
    }
  }
  out->indices = (mien_i32s){index, total};
  out->deltas = (mien_f32s){delta, total, 3};
  return MIEN_OK;
}

mien_result mi_glb_read_shapes(mi_glb_rig *r) {
  gather g = {.r = r, .names = {.arena = &r->glb->arena}};
  mien_result result = gather_pieces(&g);
  if (result < 0) return result;
  mien_shape *shapes = mi_glb_push(r->glb, (size_t)g.names.count, sizeof *shapes);
  if (!shapes) return r->glb->err->code;
  int nshape = 0;
  for (int s = 0; s < g.names.count && s < MOST_SHAPES; s++) {
    if (g.first[s] < 0) continue; // in the list of names only
    mien_shape *shape = &shapes[nshape++];
    shape->name = g.names.name[s];
    const piece *first = &g.piece[g.first[s]];
    result = first->next < 0 ? read_piece(&g, first, shape) : join_pieces(&g, s, shape);
    if (result < 0) return result;
  }
  r->def.shapes = shapes;
  r->def.nshape = nshape;
  return MIEN_OK;
}
