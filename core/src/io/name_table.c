#include "io/name_table.h"

#include <string.h>

enum { FIRST_SLOTS = 64 };

// The slot that holds the name, or the free one where it belongs.
static int find_slot(const mi_name_table *table, const char *name) {
  uint64_t hash = mi_hash(0, name, strlen(name));
  int at = (int)(hash & (uint64_t)(table->nslot - 1));
  while (table->slot[at] && strcmp(table->name[table->slot[at] - 1], name) != 0)
    at = (at + 1) & (table->nslot - 1);
  return at;
}

static bool grow(mi_name_table *table) {
  int nslot = table->nslot ? 2 * table->nslot : FIRST_SLOTS;
  int32_t *slot = MI_PUSH(table->arena, int32_t, nslot);
  const char **name = MI_PUSH(table->arena, const char *, nslot / 2);
  if (!slot || !name) return false;
  if (table->count) memcpy(name, table->name, (size_t)table->count * sizeof *name);
  table->slot = slot;
  table->nslot = nslot;
  table->name = name;
  for (int i = 0; i < table->count; i++) slot[find_slot(table, name[i])] = i + 1;
  return true;
}

int mi_name_add(mi_name_table *table, const char *name) {
  if (2 * table->count >= table->nslot && !grow(table)) return -1;
  int at = find_slot(table, name);
  if (table->slot[at]) return table->slot[at] - 1;
  const char *copy = mi_arena_string(table->arena, name);
  if (!copy) return -1;
  table->name[table->count] = copy;
  table->slot[at] = ++table->count;
  return table->count - 1;
}

int mi_name_find(const mi_name_table *table, const char *name) {
  return table->nslot ? table->slot[find_slot(table, name)] - 1 : -1;
}
