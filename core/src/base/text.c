// Names and sentences are UTF-8 without control characters: a name in a file must not move a
// terminal's cursor, begin a new line of a log, or make a whole JSON text invalid by one byte.
#include "base/base.h"

#include <string.h>

// Bytes of the character at `text`, 0 when it is none: a control character, or not UTF-8.
static int character_size(const unsigned char *text) {
  unsigned char c = text[0];
  if (c < 0x80) return c >= 0x20 && c != 0x7f;
  int size = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
  if (c < 0xc2 || c > 0xf4) return 0;
  uint32_t code = c & (0xffu >> (size + 1));
  for (int k = 1; k < size; k++) { // the end of the text is no such byte
    if ((text[k] & 0xc0) != 0x80) return 0;
    code = code << 6 | (text[k] & 0x3fu);
  }
  static const uint32_t least[5] = {0, 0, 0xa0, 0x800, 0x10000};
  bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[size] || is_surrogate || code > 0x10ffff ? 0 : size;
}

bool mi_text_is_same(const char *a, const char *b) {
  while (*a && mi_lower(*a) == mi_lower(*b)) a++, b++;
  return mi_lower(*a) == mi_lower(*b);
}

void mi_text_clean(char *text) {
  for (unsigned char *at = (unsigned char *)text; *at;) {
    int size = character_size(at);
    if (!size) *at = '?';
    at += size ? size : 1;
  }
}

bool mi_text_is_clean(const char *text) {
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    int size = character_size(at);
    if (!size) return false;
    at += size;
  }
  return true;
}

// Replaces a byte that is no character: by the picture of a control character, the letter that
// the byte is in Latin 1, otherwise U+FFFD. Different names stay different.
static uint32_t stand_in(unsigned char c) {
  if (c < 0x20) return 0x2400u + c;
  if (c == 0x7f) return 0x2421;
  return c >= 0xa0 ? c : 0xfffd;
}

char *mi_arena_name(mi_arena *arena, const char *text) {
  char *name = mi_arena_push(arena, 3 * strlen(text) + 1, 1), *to = name;
  for (const unsigned char *at = (const unsigned char *)text; name && *at;) {
    int size = character_size(at);
    if (size) {
      memcpy(to, at, (size_t)size);
      at += size;
      to += size;
      continue;
    }
    uint32_t code = stand_in(*at++);
    if (code >= 0x800) *to++ = (char)(0xe0 | code >> 12);
    *to++ = (char)(code >= 0x800 ? 0x80 | (code >> 6 & 0x3f) : 0xc0 | code >> 6);
    *to++ = (char)(0x80 | (code & 0x3f));
  }
  return name;
}
