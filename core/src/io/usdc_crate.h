// A crate file, USD's binary layer, being written: values as they come, then the tables of tokens,
// fields, paths and specs that say what they are. Version 0.7.0, which every reader since 2018
// knows. Tables are stored in the format's compressed form without being compressed: they are
// small, and points are the file.
#ifndef MI_USDC_CRATE_H
#define MI_USDC_CRATE_H

#include "io/io.h"

typedef enum mi_crate_type {
  MI_CRATE_BOOL = 1,
  MI_CRATE_INT = 3,
  MI_CRATE_DOUBLE = 9,
  MI_CRATE_STRING = 10,
  MI_CRATE_TOKEN = 11,
  MI_CRATE_MATRIX4D = 15,
  MI_CRATE_VEC2F = 20,
  MI_CRATE_VEC3F = 24,
  MI_CRATE_TOKEN_VECTOR = 41,
  MI_CRATE_SPECIFIER = 42,
  MI_CRATE_VARIABILITY = 44,
  MI_CRATE_TIME_SAMPLES = 46,
  MI_CRATE_DOUBLE_VECTOR = 48
} mi_crate_type;

// A table that grows in the arena.
typedef struct mi_crate_table {
  uint32_t *data;
  int count, capacity;
} mi_crate_table;

typedef struct mi_crate_spec { // a path: the root, a prim or an attribute
  int name;                    // token
  int parent;                  // spec, -1 = the root
  bool is_attribute;
  int32_t *field; // in the order in which they were given
  int nfield, capacity;
} mi_crate_spec;

typedef struct mi_crate {
  mi_file *file;
  mi_arena *arena;
  mien_error *err;
  uint64_t at; // bytes written
  bool has_failed;
  const char **token;
  int ntoken, token_capacity;
  mi_crate_table strings, field_token;
  uint64_t *field_value;
  int nvalue_capacity;
  mi_crate_spec *spec;
  int nspec, spec_capacity;
  int prim, last; // specs: the prim that is open, and what fields go to
} mi_crate;

void mi_crate_begin(mi_crate *crate, mi_file *file, mi_arena *arena, mien_error *err);
mien_result mi_crate_finish(mi_crate *crate);
uint64_t mi_crate_fail(mi_crate *crate); // 0; the error says why, or memory ended

// The tree, depth first: prims open and end, attributes belong to the open prim.
void mi_crate_prim(mi_crate *crate, const char *name, const char *type);
void mi_crate_end(mi_crate *crate);
void mi_crate_attribute(mi_crate *crate, const char *name, const char *type, uint64_t value);
void mi_crate_uniform(mi_crate *crate, const char *name, const char *type, uint64_t value);
void mi_crate_custom(mi_crate *crate, const char *name, const char *type, uint64_t value);
void mi_crate_sampled(mi_crate *crate, const char *name, const char *type, uint64_t samples);
void mi_crate_field(mi_crate *crate, const char *name, uint64_t value); // of the latest of these

// usdc_values.c: written now; what is returned stands for them in a field
int mi_crate_token(mi_crate *crate, const char *text);
uint64_t mi_crate_token_value(mi_crate *crate, const char *text);
uint64_t mi_crate_string(mi_crate *crate, const char *text);
uint64_t mi_crate_double(mi_crate *crate, double value);
uint64_t mi_crate_small(mi_crate_type type, uint32_t value); // bools, specifiers, variabilities
uint64_t mi_crate_data(mi_crate *crate, mi_crate_type type, const void *bytes, size_t size);
uint64_t mi_crate_array(mi_crate *crate, mi_crate_type type, const void *values, int count,
                        size_t size);
uint64_t mi_crate_tokens(mi_crate *crate, const char *const *text, int count, bool is_array);
uint64_t mi_crate_samples(mi_crate *crate, const double *times, const uint64_t *values, int count);
void mi_crate_put(mi_crate *crate, const void *bytes, size_t size);
// Room for one more element; false when memory ends.
bool mi_crate_grow(mi_crate *crate, void *array, int count, int *capacity, size_t size);

#endif
