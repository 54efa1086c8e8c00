// Sentences for users, and memory that fails politely.
#include "internal.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mien_result rd_fail_at(mien_error *err, mien_result code, const char *file, int line,
                       const char *format, ...) {
  if (!err) return code;
  const char *slash = strrchr(file, '/');
  err->code = code;
  err->line = line;
  err->where = slash ? slash + 1 : file;
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  return code;
}

mien_result rd_fail_memory_at(mien_error *err, const char *file, int line) {
  return rd_fail_at(err, MIEN_ERR_MEMORY, file, line,
                    "There is not enough memory for this picture.");
}

void *rd_alloc(size_t count, size_t size) {
  if (size && count > SIZE_MAX / 2 / size) return NULL;
  return calloc(count ? count : 1, size);
}
