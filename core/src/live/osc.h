// Open Sound Control, as much of it as VMC speaks: bundles of messages with strings, floats and
// integers, everything padded to four bytes and big-endian.
#ifndef MI_OSC_H
#define MI_OSC_H

#include "base/base.h"

enum { MI_OSC_ARGUMENTS = 16 };

typedef struct mi_osc_argument {
  char type; // 's', 'f' or 'i'
  const char *text;
  double number;
} mi_osc_argument;

typedef struct mi_osc_message {
  const char *address;
  int nargument;
  mi_osc_argument argument[MI_OSC_ARGUMENTS];
} mi_osc_message;

typedef void mi_osc_fn(void *user, const mi_osc_message *message);

// Calls `fn` (NULL = only check) for every message of a packet; false when the packet is not sound.
// Then `fn` was called for those before the damage, so check first.
bool mi_osc_walk(const uint8_t *bytes, size_t size, mi_osc_fn *fn, void *user);

// Appends to a bundle. `size` bytes of `capacity` are in use; false, with nothing written, when
// there is no room.
typedef struct mi_osc_writer {
  uint8_t *bytes;
  size_t size, capacity;
} mi_osc_writer;
void mi_osc_begin(mi_osc_writer *writer, uint8_t *bytes, size_t capacity);
// `types` like "sf"; texts and numbers are taken in turn.
bool mi_osc_add(mi_osc_writer *writer, const char *address, const char *types,
                const char *const *texts, const float *numbers);

#endif
