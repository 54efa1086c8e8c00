// A .gltf is text beside files that hold its buffers. They are put into the text, so that the
// reader, which knows bytes only, reads both kinds of file alike.
#include "io/io.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 256 };

static int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Looked at after the codes are resolved: "%2e%2e%2f" leads out of the folder as well.
static bool is_inside(const char *name, size_t length) {
  bool is_plain = name[0] && name[0] != '/' && strlen(name) == length;
  return is_plain && !strstr(name, "..") && !strstr(name, "://");
}

// The file a URI names, beside `path`; "%20" is a space. NULL when memory ends.
static char *beside(const char *path, const char *uri, mi_arena *arena, bool *is_there) {
  const char *slash = strrchr(path, '/');
  size_t folder = slash ? (size_t)(slash - path) + 1 : 0, used = folder;
  char *out = MI_PUSH(arena, char, folder + strlen(uri) + 1);
  if (!out) return NULL;
  memcpy(out, path, folder);
  for (const char *at = uri; *at; at++) {
    bool is_code = at[0] == '%' && at[1] && hex(at[1]) >= 0 && hex(at[2]) >= 0;
    out[used++] = is_code ? (char)(16 * hex(at[1]) + hex(at[2])) : *at;
    if (is_code) at += 2;
  }
  *is_there = is_inside(out + folder, used - folder);
  return out;
}

static char *data_uri(const unsigned char *bytes, size_t size, mi_arena *arena) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static const char start[] = "data:application/octet-stream;base64,";
  char *out = MI_PUSH_RAW(arena, char, sizeof start + (size / 3 + 1) * 4 + 1);
  if (!out) return NULL;
  memcpy(out, start, sizeof start - 1);
  char *to = out + sizeof start - 1;
  for (size_t i = 0; i < size; i += 3) {
    uint32_t bits = (uint32_t)bytes[i] << 16;
    if (i + 1 < size) bits |= (uint32_t)bytes[i + 1] << 8;
    if (i + 2 < size) bits |= bytes[i + 2];
    for (int k = 0; k < 4; k++) *to++ = digits[bits >> (18 - 6 * k) & 63];
  }
  size_t npad = (3 - size % 3) % 3;
  for (size_t k = 0; k < npad; k++) to[-1 - (ptrdiff_t)k] = '=';
  *to = 0;
  return out;
}

mien_result mi_gltf_read_beside(const char *path, const char *uri, mi_arena *arena,
                                unsigned char **bytes, size_t *size, mien_error *err) {
  bool is_there;
  char *name = beside(path, uri, arena, &is_there);
  if (!name) return mi_fail_memory(err);
  if (!is_there) return mi_fail(err, MIEN_ERR_FORMAT, "%.100s does not lie beside the file", uri);
  return mi_file_read(name, arena, bytes, size, err);
}

// The files read so far: a small text that names a large file again and again would fill memory.
typedef struct file_list {
  const char *name[MOST_FILES];
  int count;
} file_list;

static mien_result embed(const char *path, json_t *buffer, mi_arena *arena, file_list *known,
                         mien_error *err) {
  const char *uri = json_string_value(json_object_get(buffer, "uri"));
  if (!uri || !strncmp(uri, "data:", 5)) return MIEN_OK;
  bool is_there;
  char *name = beside(path, uri, arena, &is_there);
  unsigned char *bytes;
  size_t size;
  if (!name) return mi_fail_memory(err);
  if (!is_there)
    return mi_fail(err, MIEN_ERR_FORMAT, "the buffer %.100s does not lie beside the file", uri);
  for (int k = 0; k < known->count; k++)
    if (!strcmp(known->name[k], name))
      return mi_fail(err, MIEN_ERR_FORMAT, "the file %.100s is two buffers", uri);
  if (known->count == MOST_FILES)
    return mi_fail(err, MIEN_ERR_FORMAT, "the buffers lie in more than %d files", MOST_FILES);
  known->name[known->count++] = name;
  mien_result result = mi_file_read(name, arena, &bytes, &size, err);
  if (result < 0) return result;
  char *text = data_uri(bytes, size, arena);
  bool done = text && json_object_set_new(buffer, "uri", json_string_nocheck(text)) == 0;
  return done ? MIEN_OK : mi_fail_memory(err);
}

mien_result mi_gltf_embed(const char *path, mi_arena *arena, unsigned char **bytes, size_t *size,
                          mien_error *err) {
  json_error_t why;
  file_list known = {.count = 0};
  mien_result result = mi_json_check(*bytes, *size, arena->limit, err);
  if (result < 0) return result;
  json_t *root = json_loadb((const char *)*bytes, *size, 0, &why);
  if (!root)
    return mi_fail(err, MIEN_ERR_FORMAT, "the file's JSON is damaged in line %d: %.120s", why.line,
                   why.text);
  const json_t *buffers = json_object_get(root, "buffers");
  for (size_t i = 0; result >= 0 && i < json_array_size(buffers); i++)
    result = embed(path, json_array_get(buffers, i), arena, &known, err);
  char *text = result >= 0 ? json_dumps(root, JSON_COMPACT) : NULL;
  json_decref(root);
  if (result < 0) return result;
  char *kept = text ? mi_arena_string(arena, text) : NULL;
  free(text);
  if (!kept) return mi_fail_memory(err);
  *bytes = (unsigned char *)kept;
  *size = strlen(kept);
  return MIEN_OK;
}
