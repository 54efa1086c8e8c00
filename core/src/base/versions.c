// Structs of callers that were built with an older or a newer header.
#include "base/base.h"

#include <string.h>

enum { LEAST = 8, MOST = 4096 }; // bytes of any struct with a struct_size: else it is garbage

bool mi_struct_size_is_valid(uint32_t size) {
  return size >= LEAST && size <= MOST && size % 4 == 0;
}

void mi_struct_init(void *given, size_t given_size, const void *defaults, size_t size) {
  if (!given || given_size < LEAST || given_size > MOST) return;
  memset(given, 0, given_size);
  memcpy(given, defaults, size < given_size ? size : given_size);
  uint32_t struct_size = (uint32_t)given_size;
  memcpy(given, &struct_size, sizeof struct_size);
}

mien_result mi_struct_take(void *full, size_t size, const void *given, const char *name,
                           mien_error *err) {
  if (!given) return MIEN_OK;
  uint32_t given_size;
  memcpy(&given_size, given, sizeof given_size);
  if (!mi_struct_size_is_valid(given_size))
    return mi_fail(err, MIEN_ERR_OPTIONS, "%s was not set up with %s_init", name, name);
  const unsigned char *bytes = given;
  for (size_t i = size; i < given_size; i++)
    if (bytes[i])
      return mi_fail(err, MIEN_ERR_OPTIONS,
                     "%s sets a field that this libmien, %d.%d.%d, does not know: update libmien",
                     name, MIEN_VERSION_MAJOR, MIEN_VERSION_MINOR, MIEN_VERSION_PATCH);
  memcpy(full, given, size < given_size ? size : given_size);
  uint32_t struct_size = (uint32_t)size;
  memcpy(full, &struct_size, sizeof struct_size);
  return MIEN_OK;
}
