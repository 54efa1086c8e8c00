#include "io/ogawa.h"

#include <string.h>

const uint64_t mi_ogawa_no_data = (uint64_t)1 << 63;

static void put(mi_ogawa *ogawa, const void *bytes, size_t size) {
  mi_file_write(ogawa->file, bytes, size);
  ogawa->at += size;
}

void mi_ogawa_begin(mi_ogawa *ogawa, mi_file *file, mi_arena *arena, mien_error *err) {
  static const unsigned char head[16] = {'O', 'g', 'a', 'w', 'a', 0xff, 0, 1};
  *ogawa = (mi_ogawa){.file = file, .arena = arena, .err = err};
  put(ogawa, head, sizeof head); // the file has no name before it is whole
}

uint64_t mi_ogawa_data(mi_ogawa *ogawa, const void *bytes, size_t size) {
  if (!size) return mi_ogawa_no_data;
  uint64_t at = ogawa->at, n = size;
  put(ogawa, &n, sizeof n);
  put(ogawa, bytes, size);
  return at | mi_ogawa_no_data;
}

uint64_t mi_ogawa_sample(mi_ogawa *ogawa, const void *bytes, size_t size) {
  uint64_t at = ogawa->at, n = size + 16;
  uint64_t key[2] = {mi_hash(0, bytes, size), mi_hash(1, bytes, size)};
  put(ogawa, &n, sizeof n);
  put(ogawa, key, sizeof key);
  put(ogawa, bytes, size);
  return at | mi_ogawa_no_data;
}

uint64_t mi_ogawa_end_group(mi_ogawa *ogawa, const mi_ogawa_group *group) {
  if (!group->count) return 0;
  uint64_t at = ogawa->at, n = (uint64_t)group->count;
  put(ogawa, &n, sizeof n);
  put(ogawa, group->child, (size_t)group->count * sizeof *group->child);
  return at;
}

static void *grow(mi_ogawa *ogawa, const void *data, size_t used, size_t size) {
  void *larger = mi_arena_push(ogawa->arena, size, 1);
  if (!larger) {
    mi_fail_memory(ogawa->err);
    ogawa->has_failed = true;
  }
  if (larger && used) memcpy(larger, data, used);
  return larger;
}

void mi_ogawa_add(mi_ogawa *ogawa, mi_ogawa_group *group, uint64_t child) {
  if (group->count == group->capacity) {
    int capacity = group->capacity ? 2 * group->capacity : 16;
    size_t size = sizeof *group->child;
    uint64_t *larger =
        grow(ogawa, group->child, (size_t)group->count * size, (size_t)capacity * size);
    if (!larger) return;
    group->child = larger;
    group->capacity = capacity;
  }
  group->child[group->count++] = child;
}

void mi_ogawa_append(mi_ogawa *ogawa, mi_ogawa_bytes *to, const void *bytes, size_t size) {
  if (to->size + size > to->capacity) {
    size_t capacity = 2 * (to->size + size) + 64;
    unsigned char *larger = grow(ogawa, to->data, to->size, capacity);
    if (!larger) return;
    to->data = larger;
    to->capacity = capacity;
  }
  memcpy(to->data + to->size, bytes, size);
  to->size += size;
}

mien_result mi_ogawa_finish(mi_ogawa *ogawa, const mi_ogawa_group *root) {
  uint64_t at = mi_ogawa_end_group(ogawa, root);
  if (ogawa->has_failed) return MIEN_ERR_MEMORY;
  mi_file_patch(ogawa->file, 8, &at, sizeof at);
  return mi_file_check(ogawa->file, ogawa->err);
}
