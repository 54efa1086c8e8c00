// From a list of tetrahedra to the blocks of elastic_layout.h.
#include "energy/elastic_layout.h"

#include "math/kernels.h"
#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = MI_CELL_LANES, TETS = MI_CELL_TETS, MOST_CORNERS = 12 };

typedef struct cell {
  int32_t vert[MOST_CORNERS];
  int32_t tet[TETS]; // -1 = none
  int32_t index;
  uint64_t place; // along a space-filling curve
} cell;

typedef struct build {
  const mi_elastic_def *def;
  mi_elastic *elastic;
  mi_arena *arena; // of the result
  mi_arena scratch;
  cell *cells;
  int ncell;
  int32_t *users; // chunks that use a vertex                      (nvert)
  int32_t *local; // place of a vertex in the chunk at hand, or -1 (nvert)
} build;

// The table of the body that math/kernels.h chose.
static const mi_elastic_kernels *best_kernels(void) {
  const char *name = mi_kernels_best()->name;
#if defined(MI_HAVE_AVX2)
  if (!strcmp(name, mi_elastic_body_avx2.name))
    return mi_kernels_sixteen() ? &mi_elastic_body_avx512 : &mi_elastic_body_avx2;
#elif defined(MI_HAVE_NEON)
  if (!strcmp(name, mi_elastic_body_neon.name)) return &mi_elastic_body_neon;
#endif
  (void)name;
  return &mi_elastic_body_scalar;
}

static bool has(const int32_t tet[4], int32_t vert) {
  return tet[0] == vert || tet[1] == vert || tet[2] == vert || tet[3] == vert;
}

// Three tetrahedra around a common edge, `middle` between the two others. False when they are not.
static bool fan_around(const int32_t *tets, int first, int middle, cell *c) {
  const int32_t *m = tets + 4 * (size_t)(first + middle);
  int before = first + (middle + 1) % 3, after = first + (middle + 2) % 3;
  const int32_t *a = tets + 4 * (size_t)before, *b = tets + 4 * (size_t)after;
  int32_t common[4], only_a = -1, only_b = -1, end_a = -1, end_b = -1;
  int ncommon = 0;
  for (int i = 0; i < 4; i++) {
    if (has(a, m[i]) && has(b, m[i]))
      common[ncommon++] = m[i];
    else if (has(a, m[i]))
      only_a = m[i];
    else if (has(b, m[i]))
      only_b = m[i];
  }
  if (ncommon != 2 || only_a < 0 || only_b < 0) return false;
  for (int i = 0; i < 4; i++) {
    if (!has(m, a[i])) end_a = a[i];
    if (!has(m, b[i])) end_b = b[i];
  }
  if (end_a < 0 || end_b < 0) return false;
  const int32_t vert[6] = {common[0], common[1], end_a, only_a, only_b, end_b};
  memcpy(c->vert, vert, sizeof vert);
  c->tet[0] = before;
  c->tet[1] = first + middle;
  c->tet[2] = after;
  return true;
}

static bool make_fans(build *b) {
  if (!b->def->is_prisms || b->def->ntet % TETS) return false;
  b->ncell = b->def->ntet / TETS;
  for (int i = 0; i < b->ncell; i++) {
    bool found = false;
    for (int middle = 0; middle < 3 && !found; middle++)
      found = fan_around(b->def->tets, TETS * i, middle, b->cells + i);
    if (!found) return false;
  }
  return true;
}

static uint64_t spread_bits(uint64_t a) {
  uint64_t spread = 0;
  for (int i = 0; i < 20; i++) spread |= (a >> i & 1) << (3 * i);
  return spread;
}

// Cells in the order of a Morton curve through their first corners' rest positions.
static void place_cells(build *b) {
  const float *rest = b->def->rest;
  double low[3] = {0}, high[3] = {0};
  for (int i = 0; i < b->def->nvert; i++)
    for (int k = 0; k < 3; k++) {
      double at = rest[3 * (size_t)i + k];
      if (!i || at < low[k]) low[k] = at;
      if (!i || at > high[k]) high[k] = at;
    }
  double size = 1e-30;
  for (int k = 0; k < 3; k++)
    if (high[k] - low[k] > size) size = high[k] - low[k];
  int corners = b->elastic->ncorner == 6 ? 6 : 4;
  for (int i = 0; i < b->ncell; i++) {
    cell *c = b->cells + i;
    c->index = i;
    c->place = 0;
    for (int k = 0; k < 3; k++) {
      double middle = 0;
      for (int v = 0; v < corners; v++) middle += rest[3 * (size_t)c->vert[v] + k];
      double share = (middle / corners - low[k]) / size;
      c->place |= spread_bits((uint64_t)(share * ((1 << 20) - 1))) << k;
    }
  }
}

static int compare_cells(const void *a, const void *b) {
  const cell *x = a, *y = b;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

// Tetrahedra one by one, sorted, then three neighbours a cell.
static void make_triples(build *b) {
  b->ncell = b->def->ntet;
  for (int i = 0; i < b->ncell; i++) {
    memcpy(b->cells[i].vert, b->def->tets + 4 * (size_t)i, 4 * sizeof(int32_t));
    b->cells[i].tet[0] = i;
  }
  place_cells(b);
  qsort(b->cells, (size_t)b->ncell, sizeof(cell), compare_cells);
  int ncell = (b->def->ntet + TETS - 1) / TETS;
  for (int i = 0; i < ncell; i++) {
    cell made = {.index = i};
    for (int k = 0; k < TETS; k++) {
      bool is_there = TETS * i + k < b->def->ntet;
      const cell *from = b->cells + (is_there ? TETS * i + k : TETS * i);
      memcpy(made.vert + 4 * k, from->vert, 4 * sizeof(int32_t));
      made.tet[k] = is_there ? from->tet[0] : -1;
    }
    b->cells[i] = made;
  }
  b->ncell = ncell;
}

// An even number: blocks are worked on in pairs.
static int blocks_of(int ncell) {
  return (ncell + 2 * LANES - 1) / (2 * LANES) * 2;
}

static int chunk_begin(const build *b, int nchunk, int chunk) {
  return (int)((int64_t)chunk * b->ncell / nchunk);
}

// Vertices of a chunk, in the order of their first use, into `local`. Returns how many, or -1 when
// there are more than a chunk holds.
static int number_chunk(build *b, int begin, int end, int32_t *verts) {
  int count = 0;
  for (int i = begin; i < end; i++)
    for (int c = 0; c < b->elastic->ncorner; c++) {
      int32_t vert = b->cells[i].vert[c];
      if (b->local[vert] >= 0) continue;
      if (count == MI_CHUNK_VERTS) count = -1;
      if (count < 0) break;
      b->local[vert] = count;
      verts[count++] = vert;
    }
  return count;
}

static void forget_chunk(build *b, int begin, int end) {
  for (int i = begin; i < end; i++)
    for (int c = 0; c < b->elastic->ncorner; c++) b->local[b->cells[i].vert[c]] = -1;
}

// Finds the number of chunks and counts the chunks of each vertex. Returns the entries of `verts`.
static int split(build *b) {
  int32_t verts[MI_CHUNK_VERTS];
  int nchunk = (b->ncell + MI_CHUNK_CELLS - 1) / MI_CHUNK_CELLS;
  if (nchunk > 4) nchunk = (nchunk + 7) / 8 * 8; // an equal share for 2, 4 and 8 threads
  for (;; nchunk *= 2) {
    bool fits = true;
    int total = 0;
    memset(b->users, 0, sizeof(int32_t) * (size_t)b->def->nvert);
    for (int i = 0; i < nchunk && fits; i++) {
      int begin = chunk_begin(b, nchunk, i), end = chunk_begin(b, nchunk, i + 1);
      int count = number_chunk(b, begin, end, verts);
      forget_chunk(b, begin, end);
      fits = count >= 0;
      for (int v = 0; v < count; v++) b->users[verts[v]]++;
      total += fits ? count : 0;
    }
    b->elastic->nchunk = nchunk;
    if (fits) return total;
  }
}

// False when there is no tetrahedron, or none that counts.
static bool fill_tet(const build *b, const cell *c, int k, int lane, float *at) {
  const float *rest = b->def->rest;
  const int fan[4] = {0, 1, 2 + k, 3 + k};
  mi_vec3 p[4];
  for (int i = 0; i < 4; i++) {
    int corner = b->elastic->ncorner == 6 ? fan[i] : 4 * k + i;
    p[i] = mi_vec3_load(rest + 3 * (size_t)c->vert[corner]);
  }
  mi_vec3 u = mi_sub(p[1], p[0]), v = mi_sub(p[2], p[0]), w = mi_sub(p[3], p[0]);
  mi_vec3 row[3] = {mi_cross(v, w), mi_cross(w, u), mi_cross(u, v)};
  double det = mi_dot(u, row[0]);
  // a tetrahedron without volume has no deformation gradient and no say
  double inverse = det != 0 ? 1 / det : 0;
  for (int e = 0; e < 3; e++) {
    at[(MI_TET_INVERSE + 3 * e) * LANES + lane] = (float)(inverse * row[e].x);
    at[(MI_TET_INVERSE + 3 * e + 1) * LANES + lane] = (float)(inverse * row[e].y);
    at[(MI_TET_INVERSE + 3 * e + 2) * LANES + lane] = (float)(inverse * row[e].z);
  }
  bool counts = c->tet[k] >= 0 && det != 0;
  at[MI_TET_STRAIN * LANES + lane] = counts ? b->def->strain[c->tet[k]] : 0;
  at[MI_TET_VOLUME * LANES + lane] = counts ? b->def->volume[c->tet[k]] : 0;
  return counts;
}

// Cells begin .. end of a chunk into its blocks: lane l takes the l-th eighth.
static void fill_blocks(build *b, const mi_elastic_chunk *chunk, int begin, int end) {
  mi_elastic *elastic = b->elastic;
  int depth = chunk->end - chunk->begin;
  for (int i = 0; i < depth; i++)
    for (int lane = 0; lane < LANES; lane++) {
      int at = begin + lane * depth + i;
      bool is_there = at < end;
      const cell *c = b->cells + (is_there ? at : end - 1);
      size_t block = (size_t)(chunk->begin + i);
      for (int v = 0; v < elastic->ncorner; v++)
        elastic->corners[(block * elastic->ncorner + v) * LANES + lane] = b->local[c->vert[v]];
      cell copy = *c;
      for (int k = 0; k < TETS; k++) {
        if (!is_there) copy.tet[k] = -1;
        float *to = elastic->tets + (block * TETS + k) * MI_TET_SIZE * LANES;
        if (copy.tet[k] >= 0)
          elastic->place[copy.tet[k]] =
              (int32_t)((block * TETS + (size_t)k) * LANES + (size_t)lane);
        if (fill_tet(b, &copy, k, lane, to))
          elastic->lanes[block * TETS + k] |= (uint8_t)(1 << lane);
      }
    }
}

static int compare_verts(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

// Own vertices before shared ones, both in rising order, so that whole cache lines are used.
static void own_first(const build *b, int32_t *verts, mi_elastic_chunk *chunk) {
  int32_t others[MI_CHUNK_VERTS];
  int nother = 0;
  qsort(verts, (size_t)chunk->nvert, sizeof *verts, compare_verts);
  for (int i = 0; i < chunk->nvert; i++)
    if (b->users[verts[i]] == 1)
      verts[chunk->nown++] = verts[i];
    else
      others[nother++] = verts[i];
  memcpy(verts + chunk->nown, others, sizeof(int32_t) * (size_t)nother);
  for (int i = 0; i < chunk->nvert; i++) b->local[verts[i]] = i;
}

static void fill_chunks(build *b) {
  mi_elastic *elastic = b->elastic;
  int block = 0, vert = 0, overlap = 0;
  for (int i = 0; i < elastic->nchunk; i++) {
    mi_elastic_chunk *chunk = elastic->chunks + i;
    int begin = chunk_begin(b, elastic->nchunk, i), end = chunk_begin(b, elastic->nchunk, i + 1);
    *chunk = (mi_elastic_chunk){.begin = block, .vert = vert, .overlap = overlap};
    chunk->end = block += blocks_of(end - begin);
    chunk->nvert = number_chunk(b, begin, end, elastic->verts + vert);
    own_first(b, elastic->verts + vert, chunk);
    fill_blocks(b, chunk, begin, end);
    forget_chunk(b, begin, end);
    vert += chunk->nvert;
    overlap += chunk->nvert - chunk->nown;
  }
}

// Slots of every shared vertex, in the order of the chunks.
static void fill_shared(build *b) {
  mi_elastic *elastic = b->elastic;
  int nslot = 0, nshared = 0;
  for (int v = 0; v < b->def->nvert; v++) {
    b->local[v] = nslot;
    if (b->users[v] < 2) continue;
    elastic->shared[nshared] = v;
    elastic->slot_begin[nshared++] = nslot;
    nslot += b->users[v];
  }
  elastic->slot_begin[nshared] = nslot;
  for (int i = 0; i < elastic->nchunk; i++) {
    const mi_elastic_chunk *chunk = elastic->chunks + i;
    for (int k = chunk->nown; k < chunk->nvert; k++)
      elastic->slots[b->local[elastic->verts[chunk->vert + k]]++] =
          chunk->overlap + k - chunk->nown;
  }
}

static bool reserve(build *b, int nentry) {
  mi_elastic *elastic = b->elastic;
  int nslot = 0;
  for (int v = 0; v < b->def->nvert; v++) {
    elastic->nshared += b->users[v] > 1;
    nslot += b->users[v] > 1 ? b->users[v] : 0;
  }
  for (int i = 0; i < elastic->nchunk; i++) {
    int ncell = chunk_begin(b, elastic->nchunk, i + 1) - chunk_begin(b, elastic->nchunk, i);
    elastic->nblock += blocks_of(ncell);
  }
  size_t nblock = (size_t)elastic->nblock;
  mi_arena *arena = b->arena;
  elastic->chunks = MI_PUSH(arena, mi_elastic_chunk, elastic->nchunk);
  elastic->verts = MI_PUSH(arena, int32_t, nentry);
  elastic->corners = MI_PUSH(arena, int32_t, nblock * (size_t)elastic->ncorner * LANES);
  elastic->lanes = MI_PUSH(arena, uint8_t, nblock * TETS);
  elastic->place = MI_PUSH(arena, int32_t, elastic->ntet);
  elastic->tets = MI_PUSH(arena, float, nblock *TETS *MI_TET_SIZE *LANES);
  elastic->shared = MI_PUSH(arena, int32_t, elastic->nshared);
  elastic->slot_begin = MI_PUSH(arena, int32_t, elastic->nshared + 1);
  elastic->slots = MI_PUSH(arena, int32_t, nslot);
  size_t nmemo = b->def->is_memoized ? 2 * nblock * TETS : 0;
  elastic->memos = nmemo ? MI_PUSH(arena, mi_svd_memo, nmemo) : NULL;
  if (nmemo && !elastic->memos) return false;
  for (size_t i = 0; i < nmemo; i++)
    for (int l = 0; l < LANES; l++)
      elastic->memos[i].reach[l] = INFINITY; // no decomposition is known yet
  return elastic->chunks && elastic->verts && elastic->corners && elastic->lanes &&
         elastic->place && elastic->tets && elastic->shared && elastic->slot_begin &&
         elastic->slots;
}

// Makes room for all that an evaluation writes, except the results in chunks.
static bool reserve_work(mi_elastic *elastic, mi_arena *arena) {
  int nslot = elastic->slot_begin[elastic->nshared];
  elastic->targets = MI_PUSH(arena, float, (size_t)elastic->nblock *TETS *MI_TARGET_SIZE *LANES);
  elastic->overlap = MI_PUSH(arena, float, 4 * (size_t)nslot);
  elastic->posed = MI_PUSH(arena, float, 4 * (size_t)elastic->nvert);
  return elastic->targets && elastic->overlap && elastic->posed;
}

mi_elastic *mi_elastic_share(const mi_elastic *from, bool owns_weights, mi_arena *arena) {
  size_t nfloat = (size_t)from->nblock * TETS * MI_TET_SIZE * LANES;
  mi_elastic *elastic = MI_PUSH(arena, mi_elastic, 1);
  mi_elastic_chunk *chunks = MI_PUSH(arena, mi_elastic_chunk, from->nchunk);
  float *tets = owns_weights ? MI_PUSH(arena, float, nfloat) : from->tets;
  if (!elastic || !chunks || !tets) return NULL;
  *elastic = *from;
  elastic->is_posed = elastic->is_target_known = false;
  elastic->memos = NULL;
  elastic->chunks = memcpy(chunks, from->chunks, (size_t)from->nchunk * sizeof *chunks);
  elastic->tets = owns_weights ? memcpy(tets, from->tets, nfloat * sizeof *tets) : tets;
  return reserve_work(elastic, arena) ? elastic : NULL;
}

static bool build_all(build *b) {
  const mi_elastic_def *def = b->def;
  b->cells = MI_PUSH(&b->scratch, cell, def->ntet);
  b->users = MI_PUSH(&b->scratch, int32_t, def->nvert);
  b->local = MI_PUSH(&b->scratch, int32_t, def->nvert);
  if (!b->cells || !b->users || !b->local) return false;
  for (int i = 0; i < def->nvert; i++) b->local[i] = -1;
  b->elastic->ncorner = make_fans(b) ? 6 : 12;
  if (b->elastic->ncorner == 6) {
    place_cells(b);
    qsort(b->cells, (size_t)b->ncell, sizeof(cell), compare_cells);
  } else {
    make_triples(b);
  }
  int nentry = split(b);
  if (!reserve(b, nentry)) return false;
  fill_chunks(b);
  fill_shared(b);
  return true;
}

mi_elastic *mi_elastic_create_blocks(const mi_elastic_def *def, mi_arena *arena) {
  mi_elastic *elastic = MI_PUSH(arena, mi_elastic, 1);
  if (!elastic) return NULL;
  elastic->kernels = best_kernels();
  elastic->nvert = def->nvert;
  elastic->ntet = def->ntet;
  build b = {.def = def, .elastic = elastic, .arena = arena};
  b.scratch.allocator = arena->allocator;
  bool made = build_all(&b);
  mi_arena_free(&b.scratch);
  return made ? elastic : NULL;
}

mi_elastic *mi_elastic_create(const mi_elastic_def *def, mi_arena *arena) {
  mi_elastic *elastic = mi_elastic_create_blocks(def, arena);
  return elastic && reserve_work(elastic, arena) ? elastic : NULL;
}
