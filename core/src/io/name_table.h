// Names to numbers: the first name added is 0, the next new one 1, and so on. Hashed, because a
// hostile file can hold a hundred thousand names.
#ifndef MI_NAME_TABLE_H
#define MI_NAME_TABLE_H

#include "base/base.h"

typedef struct mi_name_table {
  mi_arena *arena; // set this, leave the rest zero
  const char **name;
  int count;
  int32_t *slot; // open addressing, number + 1, 0 = free
  int nslot;     // a power of two
} mi_name_table;

// The name's number; it is copied when new. -1 when memory ends.
int mi_name_add(mi_name_table *table, const char *name);
// -1 when there is none.
int mi_name_find(const mi_name_table *table, const char *name);

// The number to put behind a name that others have, too: "smile_2", and where that is taken the
// number of the thing itself, so that a thousand equal names take no longer than a thousand
// different ones.
static inline int mi_next_number(int number, int own) {
  return number < own + 1 ? own + 1 : number + 1;
}

#endif
