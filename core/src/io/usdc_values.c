// Values of a crate file. A value is 64 bits: what it is, and either itself or where it lies.
#include "io/usdc_crate.h"

#include <string.h>

static const uint64_t IS_ARRAY = (uint64_t)1 << 63, IS_INLINED = (uint64_t)1 << 62;

static uint64_t value_of(mi_crate_type type, uint64_t flags, uint64_t payload) {
  return flags | (uint64_t)type << 48 | (payload & (((uint64_t)1 << 48) - 1));
}

uint64_t mi_crate_fail(mi_crate *crate) {
  crate->has_failed = true;
  return 0;
}

void mi_crate_put(mi_crate *crate, const void *bytes, size_t size) {
  mi_file_write(crate->file, bytes, size);
  crate->at += size;
}

bool mi_crate_grow(mi_crate *crate, void *array, int count, int *capacity, size_t size) {
  if (count < *capacity) return true;
  int more = *capacity ? 2 * *capacity : 32;
  void *larger = mi_arena_push(crate->arena, (size_t)more, size), *now;
  if (!larger) {
    mi_fail_memory(crate->err);
    return mi_crate_fail(crate);
  }
  memcpy(&now, array, sizeof now); // `array` is the address of some pointer
  if (count) memcpy(larger, now, (size_t)count * size);
  memcpy(array, &larger, sizeof larger);
  *capacity = more;
  return true;
}

// Values lie at multiples of eight, so that readers may map them.
static uint64_t align(mi_crate *crate) {
  static const char zeros[8] = {0};
  mi_crate_put(crate, zeros, (size_t)(-crate->at & 7));
  return crate->at;
}

int mi_crate_token(mi_crate *crate, const char *text) {
  for (int t = 0; t < crate->ntoken; t++)
    if (!strcmp(crate->token[t], text)) return t;
  const char *kept = mi_arena_string(crate->arena, text);
  if (!kept) mi_fail_memory(crate->err);
  if (!kept || !mi_crate_grow(crate, &crate->token, crate->ntoken, &crate->token_capacity,
                              sizeof *crate->token))
    return (int)mi_crate_fail(crate);
  crate->token[crate->ntoken] = kept;
  return crate->ntoken++;
}

uint64_t mi_crate_token_value(mi_crate *crate, const char *text) {
  return value_of(MI_CRATE_TOKEN, IS_INLINED, (uint64_t)mi_crate_token(crate, text));
}

uint64_t mi_crate_string(mi_crate *crate, const char *text) {
  mi_crate_table *strings = &crate->strings;
  int token = mi_crate_token(crate, text);
  if (!mi_crate_grow(crate, &strings->data, strings->count, &strings->capacity,
                     sizeof *strings->data))
    return 0;
  strings->data[strings->count] = (uint32_t)token;
  return value_of(MI_CRATE_STRING, IS_INLINED, (uint64_t)strings->count++);
}

uint64_t mi_crate_small(mi_crate_type type, uint32_t value) {
  return value_of(type, IS_INLINED, value);
}

// A double that is a float is its own value.
uint64_t mi_crate_double(mi_crate *crate, double value) {
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  if ((double)narrow == value) return value_of(MI_CRATE_DOUBLE, IS_INLINED, bits);
  return mi_crate_data(crate, MI_CRATE_DOUBLE, &value, sizeof value);
}

uint64_t mi_crate_data(mi_crate *crate, mi_crate_type type, const void *bytes, size_t size) {
  uint64_t at = align(crate);
  mi_crate_put(crate, bytes, size);
  return value_of(type, 0, at);
}

uint64_t mi_crate_array(mi_crate *crate, mi_crate_type type, const void *values, int count,
                        size_t size) {
  if (!count) return value_of(type, IS_ARRAY, 0);
  if (!values) return mi_crate_fail(crate);
  uint64_t at = align(crate), n = (uint64_t)count;
  mi_crate_put(crate, &n, sizeof n);
  mi_crate_put(crate, values, (size_t)count * size);
  return value_of(type, IS_ARRAY, at);
}

// An array is an attribute's value, a vector lists a prim's children.
uint64_t mi_crate_tokens(mi_crate *crate, const char *const *text, int count, bool is_array) {
  uint64_t at = align(crate), n = (uint64_t)count;
  mi_crate_put(crate, &n, sizeof n);
  for (int i = 0; i < count; i++) {
    uint32_t token = (uint32_t)mi_crate_token(crate, text[i]);
    mi_crate_put(crate, &token, sizeof token);
  }
  return is_array ? value_of(MI_CRATE_TOKEN, IS_ARRAY, at) : value_of(MI_CRATE_TOKEN_VECTOR, 0, at);
}

// Both lists stand behind an offset from where the offset is; here it is always the next byte.
uint64_t mi_crate_samples(mi_crate *crate, const double *times, const uint64_t *values, int count) {
  uint64_t at = align(crate), n = (uint64_t)count;
  mi_crate_put(crate, &n, sizeof n);
  mi_crate_put(crate, times, (size_t)count * sizeof *times);
  uint64_t list = value_of(MI_CRATE_DOUBLE_VECTOR, 0, at);
  const int64_t next = sizeof next;
  at = align(crate);
  mi_crate_put(crate, &next, sizeof next);
  mi_crate_put(crate, &list, sizeof list);
  mi_crate_put(crate, &next, sizeof next);
  mi_crate_put(crate, &n, sizeof n);
  mi_crate_put(crate, values, (size_t)count * sizeof *values);
  return value_of(MI_CRATE_TIME_SAMPLES, 0, at);
}
