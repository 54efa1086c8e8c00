#include "track/net_flat.h"

#include <string.h>

// `size` little-endian bytes at `at` as an unsigned number.
static uint64_t number_at(mi_flat *flat, size_t at, int size) {
  if (at > flat->size || (size_t)size > flat->size - at) {
    flat->is_broken = true;
    return 0;
  }
  uint64_t number = 0;
  for (int i = size; i--;) number = number << 8 | flat->bytes[at + (size_t)i];
  return number;
}

// The table whose offset is stored at `at`, relative to `at`.
static mi_flat_table table_from(mi_flat *flat, size_t at) {
  mi_flat_table none = {0, 0, 0}, table = none;
  table.at = at + (size_t)number_at(flat, at, 4);
  int64_t back = (int32_t)number_at(flat, table.at, 4);
  int64_t vtable = (int64_t)table.at - back;
  if (flat->is_broken || vtable < 0 || vtable > (int64_t)flat->size) {
    flat->is_broken = true;
    return none;
  }
  table.vtable = (size_t)vtable;
  table.vtable_size = (int)number_at(flat, table.vtable, 2);
  return flat->is_broken ? none : table;
}

// Where a field lies, 0 = it is not there.
static size_t field_at(mi_flat *flat, mi_flat_table table, int field) {
  int entry = 4 + 2 * field;
  if (!table.at || entry + 2 > table.vtable_size) return 0;
  size_t offset = (size_t)number_at(flat, table.vtable + (size_t)entry, 2);
  return offset ? table.at + offset : 0;
}

mi_flat_table mi_flat_root(mi_flat *flat) {
  return table_from(flat, 0);
}

mi_flat_table mi_flat_child(mi_flat *flat, mi_flat_table table, int field) {
  size_t at = field_at(flat, table, field);
  return at ? table_from(flat, at) : (mi_flat_table){0, 0, 0};
}

mi_flat_vector mi_flat_items(mi_flat *flat, mi_flat_table table, int field, int size) {
  mi_flat_vector none = {0, 0};
  size_t at = field_at(flat, table, field);
  if (!at) return none;
  at += (size_t)number_at(flat, at, 4);
  uint64_t count = number_at(flat, at, 4);
  if (flat->is_broken || count > (flat->size - at - 4) / (size_t)size || count > INT32_MAX) {
    flat->is_broken = true;
    return none;
  }
  return (mi_flat_vector){at + 4, (int)count};
}

mi_flat_table mi_flat_table_at(mi_flat *flat, mi_flat_vector tables, int i) {
  if (i < 0 || i >= tables.count) {
    flat->is_broken = true;
    return (mi_flat_table){0, 0, 0};
  }
  return table_from(flat, tables.at + 4 * (size_t)i);
}

int32_t mi_flat_i32(mi_flat *flat, mi_flat_table table, int field, int32_t otherwise) {
  size_t at = field_at(flat, table, field);
  return at ? (int32_t)number_at(flat, at, 4) : otherwise;
}

int mi_flat_i8(mi_flat *flat, mi_flat_table table, int field, int otherwise) {
  size_t at = field_at(flat, table, field);
  return at ? (int8_t)number_at(flat, at, 1) : otherwise;
}

int32_t mi_flat_i32_at(mi_flat *flat, mi_flat_vector items, int i) {
  if (i < 0 || i >= items.count) {
    flat->is_broken = true;
    return 0;
  }
  return (int32_t)number_at(flat, items.at + 4 * (size_t)i, 4);
}

// -- FlexBuffers ----------------------------------------------------------------------------------

// Types as they are packed with a width: type << 2 | log2(width).
enum { FLEX_INT = 1, FLEX_FLOAT = 3, FLEX_MAP = 9, FLEX_VECTOR_INT = 11 };

typedef struct flex_value {
  size_t at; // of the value, or of the target when it is a vector
  int type, width;
} flex_value;

// `at` minus the offset that is stored there; broken when that leaves the bytes.
static size_t step_back(mi_flat *flex, size_t at, int width) {
  uint64_t back = number_at(flex, at, width);
  if (flex->is_broken || back > at) {
    flex->is_broken = true;
    return 0;
  }
  return at - (size_t)back;
}

// The root is described by the last two bytes and lies right before them.
static bool find_root(mi_flat *flex, flex_value *map) {
  if (flex->size < 3) return false;
  int root_width = flex->bytes[flex->size - 1], packed = flex->bytes[flex->size - 2];
  bool is_width = root_width == 1 || root_width == 2 || root_width == 4 || root_width == 8;
  if (!is_width || packed >> 2 != FLEX_MAP || flex->size < 2 + (size_t)root_width) return false;
  map->width = 1 << (packed & 3);
  map->at = step_back(flex, flex->size - 2 - (size_t)root_width, root_width);
  // before the values: where the keys are, how wide their offsets are, how many there are
  return !flex->is_broken && map->at >= 3 * (size_t)map->width;
}

static bool key_is(const mi_flat *flex, size_t at, const char *key) {
  size_t length = strlen(key) + 1;
  return at <= flex->size && length <= flex->size - at && !memcmp(flex->bytes + at, key, length);
}

static bool find_value(mi_flat *flex, const char *key, flex_value *value) {
  flex_value map = {0, 0, 0};
  if (!find_root(flex, &map)) return false;
  size_t width = (size_t)map.width;
  uint64_t count = number_at(flex, map.at - width, map.width);
  int key_width = (int)number_at(flex, map.at - 2 * width, map.width);
  size_t keys = step_back(flex, map.at - 3 * width, map.width);
  bool is_width = key_width == 1 || key_width == 2 || key_width == 4 || key_width == 8;
  if (flex->is_broken || !is_width || count > flex->size / width) return false;
  for (size_t i = 0; i < count; i++) {
    size_t name = step_back(flex, keys + i * (size_t)key_width, key_width);
    if (flex->is_broken) return false;
    if (!key_is(flex, name, key)) continue;
    int packed = (int)number_at(flex, map.at + (size_t)count * width + i, 1);
    value->at = map.at + i * width;
    value->type = packed >> 2;
    value->width = map.width;
    if (value->type != FLEX_VECTOR_INT) return !flex->is_broken;
    value->at = step_back(flex, value->at, map.width);
    value->width = 1 << (packed & 3);
    return !flex->is_broken;
  }
  return false;
}

bool mi_flex_number(mi_flat *flex, const char *key, double *number) {
  flex_value value;
  if (!find_value(flex, key, &value)) return false;
  uint64_t bits = number_at(flex, value.at, value.width);
  if (flex->is_broken) return false;
  if (value.type == FLEX_INT) {
    int unused = 64 - 8 * value.width; // the sign lies at the top of the bytes that are there
    *number = (double)((int64_t)(bits << unused) >> unused);
    return true;
  }
  if (value.type == FLEX_FLOAT && value.width == 4) {
    uint32_t word = (uint32_t)bits;
    float single;
    memcpy(&single, &word, 4);
    *number = (double)single;
    return true;
  }
  return false;
}

int mi_flex_integers(mi_flat *flex, const char *key, int32_t *integer, int most) {
  flex_value value;
  if (!find_value(flex, key, &value) || value.type != FLEX_VECTOR_INT) return -1;
  if (value.at < (size_t)value.width) return -1;
  uint64_t count = number_at(flex, value.at - (size_t)value.width, value.width);
  if (flex->is_broken || count > flex->size) return -1;
  for (uint64_t i = 0; i < count && i < (uint64_t)most; i++)
    integer[i] = (int32_t)number_at(flex, value.at + i * (size_t)value.width, value.width);
  return flex->is_broken ? -1 : (int)count;
}
