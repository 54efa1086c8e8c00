// The host's memory, messages and threads, with defaults filled in.
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

static void *default_alloc(void *user, size_t size, size_t align) {
  (void)user;
  return aligned_alloc(align, (size + align - 1) & ~(align - 1));
}

static void default_release(void *user, void *memory, size_t size) {
  (void)user;
  (void)size;
  free(memory);
}

void(mien_host_init)(mien_host *host, size_t struct_size) {
  mi_struct_init(host, struct_size, &(mien_host){0}, sizeof *host);
}

mien_result mi_host_resolve(const mien_host *given, mien_host *host, mien_error *err) {
  mien_result result = MI_TAKE(mien_host, host, given, err);
  if (result < 0) return result;
  if (!host->allocator.alloc != !host->allocator.release)
    return mi_fail(err, MIEN_ERR_OPTIONS, "an allocator needs both alloc and release");
  if (host->threads < 0 || host->threads > 1024)
    return mi_fail(err, MIEN_ERR_OPTIONS, "threads is %d; it must be 0 to 1024", host->threads);
  if (!host->allocator.alloc) {
    host->allocator.alloc = default_alloc;
    host->allocator.release = default_release;
  }
  if (!host->threads) host->threads = mi_threads_available();
  return MIEN_OK;
}

void mi_log(const mien_host *host, mien_log_level level, const char *format, ...) {
  if (!host->log) return;
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  mi_text_clean(text);
  va_end(args);
  host->log(host->user, level, text);
}

bool mi_progress(const mien_host *host, const char *what, double done) {
  return !host->progress || host->progress(host->user, what, done) == 0;
}
