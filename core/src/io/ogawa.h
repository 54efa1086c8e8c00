// Ogawa, the container of Alembic files: groups and blocks of bytes, written leaf first.
//   file:  "Ogawa", 0xff when it is whole, 0, 1, where the first group is
//   group: how many children, where each is; the top bit tells bytes from groups; 0 = empty
//   bytes: how many, then they
#ifndef MI_OGAWA_H
#define MI_OGAWA_H

#include "io/io.h"

typedef struct mi_ogawa {
  mi_file *file;
  mi_arena *arena;
  mien_error *err;
  uint64_t at;
  bool has_failed; // memory ended
} mi_ogawa;

// Children of a group that is not written yet.
typedef struct mi_ogawa_group {
  uint64_t *child;
  int count, capacity;
} mi_ogawa_group;

// Bytes that are put together before they are written.
typedef struct mi_ogawa_bytes {
  unsigned char *data;
  size_t size, capacity;
} mi_ogawa_bytes;

void mi_ogawa_begin(mi_ogawa *ogawa, mi_file *file, mi_arena *arena, mien_error *err);
mien_result mi_ogawa_finish(mi_ogawa *ogawa, const mi_ogawa_group *root);
uint64_t mi_ogawa_data(mi_ogawa *ogawa, const void *bytes, size_t size);
// Bytes that other programs may share: sixteen that tell them from others come first.
uint64_t mi_ogawa_sample(mi_ogawa *ogawa, const void *bytes, size_t size);
uint64_t mi_ogawa_end_group(mi_ogawa *ogawa, const mi_ogawa_group *group);
void mi_ogawa_add(mi_ogawa *ogawa, mi_ogawa_group *group, uint64_t child);
void mi_ogawa_append(mi_ogawa *ogawa, mi_ogawa_bytes *to, const void *bytes, size_t size);

extern const uint64_t mi_ogawa_no_data;

#endif
