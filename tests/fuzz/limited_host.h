// What every fuzz target begins with: one thread and little memory, so that a file which asks for
// much is refused instead of served.
#ifndef MIEN_FUZZ_LIMITED_HOST_H
#define MIEN_FUZZ_LIMITED_HOST_H

#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline bool make_limited_host(mien_host *host) {
  mien_host given;
  mien_host_init(&given);
  given.threads = 1;
  given.memory_limit = (size_t)256 << 20;
  return mi_host_resolve(&given, host, NULL) >= 0;
}

#endif
