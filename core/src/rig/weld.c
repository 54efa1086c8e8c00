// Render vertices that are one point of the skin: split by an exporter along UV or normal seams.
//
// Two vertices are one when they belong to one part, stand in the same place (same bits) and every
// shape moves them by the same delta. Lips that touch at rest stay two: their deltas differ.
// Only vertices at the same position have their deltas compared, so a rig without seams costs one
// pass into a table for each vertex.
#include "rig/rig.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
  uint64_t place;  // hash of part and position
  uint64_t deltas; // hash of all deltas, for vertices that share a place
  int32_t vert;
} entry;

static float plain_zero(float a) {
  return a + 0.0f;
} // -0 becomes +0

static uint64_t hash3(uint64_t seed, const float *at) {
  float value[3] = {plain_zero(at[0]), plain_zero(at[1]), plain_zero(at[2])};
  return mi_hash(seed, value, sizeof value);
}

static int by_place(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->place != y->place) return x->place < y->place ? -1 : 1;
  if (x->deltas != y->deltas) return x->deltas < y->deltas ? -1 : 1;
  return (x->vert > y->vert) - (x->vert < y->vert);
}

static void hash_places(const mien_rig_def *def, entry *entries) {
  int part = 0;
  for (int i = 0; i < def->positions.count; i++) {
    while (part < def->npart && i >= def->parts[part].first_vertex + def->parts[part].nvert) part++;
    entries[i].vert = i;
    entries[i].place = hash3((uint64_t)part, mi_f32s_at(&def->positions, 3, i));
  }
}

// Marks vertices with equal positions. `table` has `size` (a power of two, at least twice the
// count) zeros. True when there are any.
static bool mark_shared(const entry *entries, int count, int32_t *table, size_t size,
                        unsigned char *shared) {
  bool any = false;
  for (int i = 0; i < count; i++) {
    size_t at = entries[i].place & (size - 1);
    while (table[at] && entries[table[at] - 1].place != entries[i].place)
      at = (at + 1) & (size - 1);
    if (table[at])
      shared[i] = shared[table[at] - 1] = any = true;
    else
      table[at] = i + 1;
  }
  return any;
}

// deltas of the vertices with shared[i] != 0, into hash[i]
static void hash_deltas(const mien_rig_def *def, const unsigned char *shared, uint64_t *hash) {
  for (int s = 0; s < def->nshape; s++) {
    const mien_shape *shape = def->shapes + s;
    for (int k = 0; k < shape->deltas.count; k++) {
      int i = shape->indices.data ? shape->indices.data[k] : k;
      const float *delta = mi_f32s_at(&shape->deltas, 3, k);
      if (!shared[i] || (delta[0] == 0 && delta[1] == 0 && delta[2] == 0)) continue;
      hash[i] = hash3(mi_hash_u64(hash[i], (uint64_t)s), delta);
    }
  }
}

// number the groups in order of their first vertex, so that an unsplit mesh keeps its numbering
static int number_groups(const int32_t *leader, int count, int32_t *weld) {
  int nweld = 0;
  for (int i = 0; i < count; i++) weld[i] = leader[i] == i ? nweld++ : weld[leader[i]];
  return nweld;
}

int mi_weld(const mien_rig_def *def, mi_arena *scratch, int32_t *weld) {
  int count = def->positions.count;
  for (int i = 0; i < count; i++) weld[i] = i;
  if (!def->weld) return count;
  size_t size = 16;
  while (size < 2 * (size_t)count) size *= 2;
  entry *entries = MI_PUSH(scratch, entry, count);
  unsigned char *shared = MI_PUSH(scratch, unsigned char, count);
  uint64_t *hash = MI_PUSH(scratch, uint64_t, count);
  int32_t *leader = MI_PUSH(scratch, int32_t, count), *table = MI_PUSH(scratch, int32_t, size);
  if (!entries || !shared || !hash || !leader || !table) return -1;
  hash_places(def, entries);
  if (!mark_shared(entries, count, table, size, shared)) return count;
  hash_deltas(def, shared, hash);
  for (int k = 0; k < count; k++) entries[k].deltas = hash[entries[k].vert];
  qsort(entries, (size_t)count, sizeof *entries, by_place);
  for (int k = 0; k < count; k++) {
    bool same = k && entries[k].place == entries[k - 1].place &&
                entries[k].deltas == entries[k - 1].deltas && shared[entries[k].vert];
    leader[entries[k].vert] = same ? leader[entries[k - 1].vert] : entries[k].vert;
  }
  return number_groups(leader, count, weld);
}
