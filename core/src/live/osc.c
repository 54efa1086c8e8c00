// Open Sound Control 1.0, reading and writing.
#include "live/osc.h"

#include <string.h>

enum { DEEPEST = 4 }; // bundles in bundles

static uint32_t read_u32(const uint8_t *b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// A text with its end and padding; NULL when it is not closed.
static const char *read_text(const uint8_t **at, const uint8_t *end) {
  const uint8_t *start = *at, *stop = memchr(start, 0, (size_t)(end - start));
  if (!stop) return NULL;
  size_t padded = ((size_t)(stop - start) & ~(size_t)3) + 4;
  if (padded > (size_t)(end - start)) return NULL;
  *at = start + padded;
  return (const char *)start;
}

static bool read_argument(char type, const uint8_t **at, const uint8_t *end, mi_osc_argument *out) {
  *out = (mi_osc_argument){.type = type};
  if (type == 's') return (out->text = read_text(at, end)) != NULL;
  if ((type != 'f' && type != 'i') || end - *at < 4) return false;
  uint32_t bits = read_u32(*at);
  *at += 4;
  if (type == 'i') {
    out->number = (double)(int32_t)bits;
    return true;
  }
  float value;
  memcpy(&value, &bits, sizeof value);
  out->number = (double)value;
  return value - value == 0; // finite
}

static bool walk_message(const uint8_t *at, const uint8_t *end, mi_osc_fn *fn, void *user) {
  mi_osc_message message = {0};
  message.address = read_text(&at, end);
  const char *types = message.address && *message.address == '/' ? read_text(&at, end) : NULL;
  if (!types || *types != ',') return false;
  for (types++; *types; types++) {
    if (message.nargument == MI_OSC_ARGUMENTS) return false;
    if (!read_argument(*types, &at, end, &message.argument[message.nargument++])) return false;
  }
  if (at != end) return false;
  if (fn) fn(user, &message);
  return true;
}

static bool walk(const uint8_t *at, const uint8_t *end, int depth, mi_osc_fn *fn, void *user) {
  if (end - at < 4 || (end - at) % 4) return false;
  if (end - at < 16 || memcmp(at, "#bundle", 8)) return walk_message(at, end, fn, user);
  if (depth == DEEPEST) return false;
  for (at += 16; at < end;) { // after the name and the time tag
    if (end - at < 4) return false;
    uint32_t size = read_u32(at);
    at += 4;
    if (size > (size_t)(end - at) || !walk(at, at + size, depth + 1, fn, user)) return false;
    at += size;
  }
  return true;
}

bool mi_osc_walk(const uint8_t *bytes, size_t size, mi_osc_fn *fn, void *user) {
  return walk(bytes, bytes + size, 0, fn, user);
}

static void write_u32(uint8_t *to, uint32_t value) {
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static size_t padded(const char *text) {
  return (strlen(text) & ~(size_t)3) + 4;
}

static uint8_t *write_text(uint8_t *to, const char *text) {
  size_t length = strlen(text), size = padded(text);
  memcpy(to, text, length);
  memset(to + length, 0, size - length);
  return to + size;
}

void mi_osc_begin(mi_osc_writer *writer, uint8_t *bytes, size_t capacity) {
  *writer = (mi_osc_writer){bytes, 16, capacity};
  memcpy(bytes, "#bundle\0\0\0\0\0\0\0\0\1", 16); // at once
}

bool mi_osc_add(mi_osc_writer *writer, const char *address, const char *types,
                const char *const *texts, const float *numbers) {
  char tags[MI_OSC_ARGUMENTS + 2] = ",";
  strncat(tags, types, MI_OSC_ARGUMENTS);
  size_t size = padded(address) + padded(tags);
  int ntext = 0;
  for (const char *t = types; *t; t++) size += *t == 's' ? padded(texts[ntext++]) : 4;
  if (writer->size + 4 + size > writer->capacity) return false;
  uint8_t *at = writer->bytes + writer->size;
  write_u32(at, (uint32_t)size);
  at = write_text(write_text(at + 4, address), tags);
  for (const char *t = types; *t; t++) {
    if (*t == 's') {
      at = write_text(at, *texts++);
      continue;
    }
    uint32_t bits;
    if (*t == 'f')
      memcpy(&bits, numbers, sizeof bits);
    else
      bits = (uint32_t)(int32_t)*numbers;
    write_u32(at, bits);
    numbers++;
    at += 4;
  }
  writer->size += 4 + size;
  return true;
}
