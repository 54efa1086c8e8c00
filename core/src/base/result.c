#include "base/base.h"

#include <stdio.h>
#include <string.h>

const char *mien_result_name(mien_result result) {
  switch (result) {
  case MIEN_OK:
    return "done";
  case MIEN_REMARK:
    return "done with a remark";
  case MIEN_NO_FRAME:
    return "no new frame";
  case MIEN_NO_FACE:
    return "no face";
  case MIEN_ERR_ARGUMENT:
    return "wrong argument";
  case MIEN_ERR_OPTIONS:
    return "wrong options";
  case MIEN_ERR_MEMORY:
    return "out of memory";
  case MIEN_ERR_IO:
    return "file trouble";
  case MIEN_ERR_FORMAT:
    return "bad file";
  case MIEN_ERR_MISMATCH:
    return "mismatch";
  case MIEN_ERR_NOT_FINITE:
    return "not finite";
  case MIEN_ERR_CANCELLED:
    return "cancelled";
  }
  return "unknown result";
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

mien_result mi_fail_at(mien_error *err, mien_result code, const char *file, int line,
                       const char *format, ...) {
  if (!err) return code;
  err->code = code;
  err->line = line;
  err->where = base_name(file);
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  mi_text_clean(err->text);
  return code;
}

mien_result mi_fail_memory(mien_error *err) {
  return mi_fail(err, MIEN_ERR_MEMORY, "out of memory, or the host's memory limit was reached");
}

void mi_error_clear(mien_error *err) {
  if (err) *err = (mien_error){.code = MIEN_OK, .where = ""};
}
