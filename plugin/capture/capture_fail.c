// Sentences for the user, in the program and in the module.
#include "capture_source.h"

#include <stdarg.h>
#include <stdio.h>

mien_result capture_fail(mien_error *err, mien_result code, const char *format, ...) {
  if (!err) return code;
  va_list args;
  *err = (mien_error){.code = code, .where = "capture"};
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  return code;
}
