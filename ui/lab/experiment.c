// Lines, files and the guard against broken figures, for every claim's experiment.
#include "reproduce.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void experiment_note(experiment *e, const char *format, ...) {
  size_t used = strlen(e->rows);
  va_list args;
  va_start(args, format);
  int length = vsnprintf(e->rows + used, sizeof e->rows - used, format, args);
  va_end(args);
  if (length >= 0 && used + (size_t)length + 1 < sizeof e->rows) strcat(e->rows, "\n");
}

const char *experiment_path(const experiment *e, const char *id, const char *end) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s%s", e->folder, id, end);
  return path;
}

bool experiment_is_finite(experiment *e, const char *what, const double *figures, int count) {
  for (int k = 0; k < count; k++) {
    if (isfinite(figures[k])) continue;
    e->holds = false;
    snprintf(e->ours, sizeof e->ours, "%s: figure %d of %d is not finite, nothing follows from it",
             what, k + 1, count);
    return false;
  }
  return true;
}
