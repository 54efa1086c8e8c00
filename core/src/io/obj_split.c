// OBJ indexes positions and uvs separately; a rig has one vertex for every pair in use.
#include "io/obj.h"

#include <string.h>

typedef struct pair {
  int32_t vert, uv;
} pair;

typedef struct pair_table {
  pair *pair; // in the order they are met
  int count;
  int32_t *slot; // open addressing, number + 1
  size_t nslot;  // a power of two, at least twice the pairs
} pair_table;

static int add_pair(pair_table *table, pair wanted) {
  uint64_t key = (uint64_t)(uint32_t)wanted.vert << 32 | (uint32_t)wanted.uv;
  size_t at = mi_hash_u64(0, key) & (table->nslot - 1);
  for (; table->slot[at]; at = (at + 1) & (table->nslot - 1)) {
    const pair *has = &table->pair[table->slot[at] - 1];
    if (has->vert == wanted.vert && has->uv == wanted.uv) return table->slot[at] - 1;
  }
  table->pair[table->count] = wanted;
  table->slot[at] = ++table->count;
  return table->count - 1;
}

// Render vertices in the order of the file's vertices, those of one vertex in the order of use.
static bool order_pairs(mi_obj_rig *rig, const pair_table *table, int32_t *number) {
  int nvert = rig->neutral.nvert;
  int32_t *next = MI_PUSH(&rig->arena, int32_t, nvert);
  if (!next) return false;
  for (int i = 0; i < table->count; i++) rig->first_render[table->pair[i].vert + 1]++;
  for (int v = 0; v < nvert; v++) {
    if (rig->first_render[v + 1] == 0) rig->first_render[v + 1] = 1; // no face uses it: it stays
    rig->first_render[v + 1] += rig->first_render[v];
    next[v] = rig->first_render[v];
  }
  rig->nrender = rig->first_render[nvert];
  rig->render_vert = MI_PUSH(&rig->arena, int32_t, rig->nrender);
  rig->render_uv = MI_PUSH(&rig->arena, int32_t, rig->nrender);
  if (!rig->render_vert || !rig->render_uv) return false;
  for (int v = 0; v < nvert; v++) {
    rig->render_vert[next[v]] = v;
    rig->render_uv[next[v]] = -1;
  }
  for (int i = 0; i < table->count; i++) {
    pair from = table->pair[i];
    number[i] = next[from.vert]++;
    rig->render_vert[number[i]] = from.vert;
    rig->render_uv[number[i]] = from.uv;
  }
  return true;
}

mien_result mi_obj_split(mi_obj_rig *rig) {
  const mi_obj *obj = &rig->neutral;
  pair_table table = {.nslot = 64};
  while (table.nslot < 2 * (size_t)obj->ncorner) table.nslot *= 2;
  table.pair = MI_PUSH(&rig->arena, pair, obj->ncorner);
  table.slot = MI_PUSH(&rig->arena, int32_t, table.nslot);
  int32_t *number = MI_PUSH(&rig->arena, int32_t, obj->ncorner);
  rig->faces = MI_PUSH(&rig->arena, int32_t, obj->ncorner);
  rig->first_render = MI_PUSH(&rig->arena, int32_t, (size_t)obj->nvert + 1);
  if (!table.pair || !table.slot || !number || !rig->faces || !rig->first_render)
    return mi_fail_memory(rig->err);
  for (int i = 0; i < obj->ncorner; i++)
    rig->faces[i] = add_pair(&table, (pair){obj->corner_vert[i], obj->corner_uv[i]});
  if (!order_pairs(rig, &table, number)) return mi_fail_memory(rig->err);
  for (int i = 0; i < obj->ncorner; i++) rig->faces[i] = number[rig->faces[i]];
  return MIEN_OK;
}
