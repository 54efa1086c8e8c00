// The dynamic fields of a state (state_fields.h) as a list.
#ifndef MI_FIELDS_H
#define MI_FIELDS_H

#include "solve/state.h"

// m, m / s: values as large as this would overflow in a step.
#define MI_FARTHEST 1e9f

// The valid values of a field and its value after a reset: 0, except for transforms and springs.
typedef enum mi_field_kind {
  MI_FIELD_NUMBER,  // double
  MI_FIELD_COUNT,   // int64_t, 0 or more
  MI_FIELD_FLAG,    // int64_t, 0 or 1
  MI_FIELD_SPAN,    // double, s of physics: no longer than a step may be
  MI_FIELD_ACCOUNT, // mi_energy_budget
  MI_FIELD_RIGID,   // mien_rigid
  MI_FIELD_FLOAT,   // float, not far off
  MI_FIELD_STICK    // mi_stick, whose corners are other elements of its array
} mi_field_kind;

typedef struct mi_field {
  const char *name;
  mi_field_kind kind;
  void *data;
  void **array;        // where the pointer to it is kept, NULL = a value
  size_t count, size;  // elements, and bytes of one
  const void *at_rest; // or NULL
} mi_field;

// clang-format off
enum {
#define VALUE(kind, type, name) +1
#define ARRAY(kind, type, name, count, at_rest)
  MI_NVALUE = 0
#include "solve/state_fields.h"
#undef VALUE
#undef ARRAY
  ,
#define VALUE(kind, type, name) +1
#define ARRAY(kind, type, name, count, at_rest) +1
  MI_NFIELD = 0
#include "solve/state_fields.h"
#undef VALUE
#undef ARRAY
  ,
#define VALUE(kind, type, name) +(int)sizeof(type)
#define ARRAY(kind, type, name, count, at_rest)
  MI_VALUES_SIZE = 0 // bytes
#include "solve/state_fields.h"
#undef VALUE
#undef ARRAY
};
// clang-format on

// In the order of the list. A state that is const is not changed through it.
void mi_fields_of(const mien_state *state, mi_field fields[MI_NFIELD]);
size_t mi_field_bytes(const mi_field *field);
bool mi_field_reserve(const mi_field *field, mi_arena *arena); // false when memory ends
void mi_field_reset(const mi_field *field);
// Whether a snapshot would be accepted with the flesh where it is, and as fast as it is.
bool mi_fields_are_sound(const mien_state *state);
// Is this, which need not be aligned, something that the field may hold?
mien_result mi_field_check(const mi_field *field, const unsigned char *bytes, mien_error *err);

#endif
