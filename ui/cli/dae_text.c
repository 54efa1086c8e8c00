// memmem
#define _GNU_SOURCE
#include "dae_text.h"

#include <ctype.h>
#include <string.h>

bool dae_is_tag(const char *at, const char *end, const char *name) {
  size_t length = strlen(name);
  if ((size_t)(end - at) <= length + 1 || strncmp(at + 1, name, length) != 0) return false;
  char after = at[1 + length];
  return isspace((unsigned char)after) || after == '/' || after == '>';
}

const char *dae_find_tag(const char *from, const char *end, const char *name) {
  for (const char *at = from; (at = memchr(at, '<', (size_t)(end - at))); at++)
    if (dae_is_tag(at, end, name)) return at;
  return NULL;
}

dae_span dae_attribute(const char *tag, const char *end, const char *name) {
  const char *close = memchr(tag, '>', (size_t)(end - tag));
  size_t length = strlen(name);
  for (const char *at = tag; close && (at = memmem(at, (size_t)(close - at), name, length)); at++) {
    const char *quote = at + length;
    while (quote < close && isspace((unsigned char)*quote)) quote++;
    if (*quote != '=' || !isspace((unsigned char)at[-1])) continue;
    do quote++;
    while (quote < close && isspace((unsigned char)*quote));
    const char *last = memchr(quote + 1, *quote, (size_t)(close - quote));
    if (last) return (dae_span){quote + 1, (size_t)(last - quote - 1)};
  }
  return (dae_span){"", 0};
}

dae_span dae_reference(const char *tag, const char *end, const char *name) {
  dae_span s = dae_attribute(tag, end, name);
  if (s.size && *s.at == '#') s = (dae_span){s.at + 1, s.size - 1};
  return s;
}

bool dae_same(dae_span a, dae_span b) {
  return a.size && a.size == b.size && !memcmp(a.at, b.at, a.size);
}

dae_span dae_content(const char *tag, const char *end) {
  const char *from = tag ? memchr(tag, '>', (size_t)(end - tag)) : NULL;
  const char *to = from ? memchr(from, '<', (size_t)(end - from)) : NULL;
  return to ? (dae_span){from + 1, (size_t)(to - from - 1)} : (dae_span){"", 0};
}
