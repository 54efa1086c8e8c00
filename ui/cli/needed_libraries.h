// Which builds of other libraries this program computes with: those it needs, and those that they
// need. What is loaded besides (a preloaded allocator, a driver) is left out.
#ifndef MIEN_CLI_NEEDED_LIBRARIES_H
#define MIEN_CLI_NEEDED_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

// Calls fn for each of them with the identity its linker gave it, or else with what of it cannot
// be written.
typedef void needed_library_fn(void *self, const void *bytes, size_t size);
void needed_libraries(needed_library_fn *fn, void *self);

#endif
