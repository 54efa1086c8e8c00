// Whole files in, safely replaced files out.
#define _POSIX_C_SOURCE 200809L

#include "io/io.h"
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 16 };

struct mi_file {
  mi_arena arena; // holds this very struct
  FILE *stream;
  const char *path;
  bool is_kept; // complete frames are worth keeping when the file cannot be finished
  int why;      // errno of the first thing that went wrong, 0 = all is well
};

mien_result mi_file_read(const char *path, mi_arena *arena, unsigned char **bytes, size_t *size,
                         mien_error *err) {
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe without a writer must not wait
  FILE *stream = fd >= 0 ? fdopen(fd, "rb") : NULL;
  if (!stream && fd >= 0) close(fd);
  if (!stream) return mi_fail(err, MIEN_ERR_IO, "cannot open %.150s: %s", path, strerror(errno));
  struct stat about;
  if (fstat(fileno(stream), &about) != 0 || !S_ISREG(about.st_mode)) {
    fclose(stream);
    return mi_fail(err, MIEN_ERR_IO, "cannot read %.150s: not a file", path);
  }
  size_t want = (size_t)about.st_size;
  *bytes = mi_arena_push_raw(arena, want, 1);
  size_t got = *bytes ? fread(*bytes, 1, want, stream) : 0;
  int why = errno;
  fclose(stream);
  if (!*bytes) return mi_fail_memory(err);
  if (got != want) return mi_fail(err, MIEN_ERR_IO, "cannot read %.150s: %s", path, strerror(why));
  *size = want;
  return MIEN_OK;
}

static mien_result open_part(const char *path, mi_output_kind kind, bool is_kept,
                             const mien_host *host, mi_file **out, mien_error *err) {
  mi_arena arena;
  mi_arena_init(&arena, host);
  mi_file *file = MI_PUSH(&arena, mi_file, 1);
  char *copy = mi_arena_string(&arena, path);
  char *buffer = MI_PUSH(&arena, char, BUFFER);
  if (!file || !copy || !buffer) {
    mi_arena_free(&arena);
    return mi_fail_memory(err);
  }
  char why[MI_OUTPUT_WHY];
  int fd = mi_output_open(path, kind, why);
  FILE *stream = fd >= 0 ? fdopen(fd, "r+b") : NULL;
  if (!stream) {
    if (fd >= 0) mi_output_discard(fd, path), close(fd);
    mi_arena_free(&arena);
    return fd >= 0 ? mi_fail_memory(err) : mi_fail(err, MIEN_ERR_IO, "%s", why);
  }
  setvbuf(stream, buffer, _IOFBF, BUFFER);
  *file = (mi_file){.arena = arena, .stream = stream, .path = copy, .is_kept = is_kept};
  *out = file;
  return MIEN_OK;
}

mien_result mi_file_create(const char *path, const mien_host *host, mi_file **out,
                           mien_error *err) {
  return open_part(path, MI_OUTPUT_NEW, false, host, out, err);
}

mien_result mi_file_begin(const char *path, const mien_host *host, mi_file **out, mien_error *err) {
  return open_part(path, MI_OUTPUT_NEW, true, host, out, err);
}

mien_result mi_file_resume(const char *path, const mien_host *host, mi_file **out,
                           mien_error *err) {
  return open_part(path, MI_OUTPUT_RESUME, true, host, out, err);
}

static void note(mi_file *file, bool good) {
  if (!good && !file->why) file->why = errno ? errno : EIO;
}

void mi_file_write(mi_file *file, const void *bytes, size_t size) {
  errno = 0;
  if (!file->why && size) note(file, fwrite(bytes, 1, size, file->stream) == size);
}

void mi_file_print(mi_file *file, const char *format, ...) {
  if (file->why) return;
  va_list args;
  va_start(args, format);
  errno = 0;
  note(file, vfprintf(file->stream, format, args) >= 0);
  va_end(args);
}

bool mi_file_get(mi_file *file, int64_t offset, void *bytes, size_t size) {
  return !file->why && fseeko(file->stream, (off_t)offset, SEEK_SET) == 0 &&
         fread(bytes, 1, size, file->stream) == size;
}

void mi_file_patch(mi_file *file, int64_t offset, const void *bytes, size_t size) {
  if (file->why) return;
  errno = 0;
  off_t end = ftello(file->stream);
  note(file, end >= 0 && fseeko(file->stream, (off_t)offset, SEEK_SET) == 0);
  mi_file_write(file, bytes, size);
  if (!file->why) note(file, fseeko(file->stream, end, SEEK_SET) == 0);
}

int64_t mi_file_size(mi_file *file) {
  struct stat about;
  if (fflush(file->stream) != 0 || fstat(fileno(file->stream), &about) != 0) return -1;
  return (int64_t)about.st_size;
}

void mi_file_cut(mi_file *file, int64_t size) {
  if (file->why) return;
  errno = 0;
  note(file, fflush(file->stream) == 0 && ftruncate(fileno(file->stream), (off_t)size) == 0 &&
                 fseeko(file->stream, (off_t)size, SEEK_SET) == 0);
}

static void release(mi_file *file) {
  mi_arena_delete(file->arena);
}

mien_result mi_file_check(const mi_file *file, mien_error *err) {
  if (!file->why) return MIEN_OK;
  return mi_fail(err, MIEN_ERR_IO, "cannot write %.150s: %s", file->path, strerror(file->why));
}

mien_result mi_file_flush(mi_file *file, mien_error *err) {
  errno = 0;
  if (!file->why) note(file, fflush(file->stream) == 0);
  return mi_file_check(file, err);
}

mien_result mi_file_sync(mi_file *file, mien_error *err) {
  errno = 0;
  if (!file->why) note(file, fflush(file->stream) == 0 && fsync(fileno(file->stream)) == 0);
  return mi_file_check(file, err);
}

mien_result mi_file_commit(mi_file *file, mien_error *err) {
  char why[MI_OUTPUT_WHY];
  errno = 0;
  if (!file->why) note(file, fflush(file->stream) == 0);
  mien_result result = mi_file_check(file, err);
  if (result >= 0 && !mi_output_commit(fileno(file->stream), file->path, why))
    result = mi_fail(err, MIEN_ERR_IO, "%s", why);
  if (result < 0 && !file->is_kept) mi_output_discard(fileno(file->stream), file->path);
  fclose(file->stream);
  release(file);
  return result;
}

void mi_file_suspend(mi_file *file) {
  if (!file) return;
  fclose(file->stream);
  release(file);
}

void mi_file_abandon(mi_file *file) {
  if (!file) return;
  mi_output_discard(fileno(file->stream), file->path);
  fclose(file->stream);
  release(file);
}
