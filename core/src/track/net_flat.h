// FlatBuffers and FlexBuffers, read without trust: whatever points outside the bytes marks the
// buffer as broken and reads as nothing, so a reader checks once per stage and never per field.
#ifndef MI_NET_FLAT_H
#define MI_NET_FLAT_H

#include "base/base.h"

typedef struct mi_flat {
  const unsigned char *bytes;
  size_t size;
  bool is_broken;
} mi_flat;

typedef struct mi_flat_table {
  size_t at, vtable; // at 0 = there is none
  int vtable_size;
} mi_flat_table;

typedef struct mi_flat_vector {
  size_t at; // of the first item
  int count;
} mi_flat_vector;

mi_flat_table mi_flat_root(mi_flat *flat);
mi_flat_table mi_flat_child(mi_flat *flat, mi_flat_table table, int field);
// Items of `size` bytes; a missing vector has count 0.
mi_flat_vector mi_flat_items(mi_flat *flat, mi_flat_table table, int field, int size);
mi_flat_table mi_flat_table_at(mi_flat *flat, mi_flat_vector tables, int i);
int32_t mi_flat_i32(mi_flat *flat, mi_flat_table table, int field, int32_t otherwise);
int mi_flat_i8(mi_flat *flat, mi_flat_table table, int field, int otherwise);
int32_t mi_flat_i32_at(mi_flat *flat, mi_flat_vector items, int i);

// The value of a key in a FlexBuffers map. False when it is not there or the buffer is broken.
bool mi_flex_number(mi_flat *flex, const char *key, double *number);
// Up to `most` integers of a typed vector; returns how many there are, -1 = not there.
int mi_flex_integers(mi_flat *flex, const char *key, int32_t *integer, int most);

#endif
