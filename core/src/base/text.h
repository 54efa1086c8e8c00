// Letters, and texts that people read. The command line uses it, too.
#ifndef MI_TEXT_H
#define MI_TEXT_H

#include <stdbool.h>

// Letters of ASCII, whatever the host's locale calls one: in Turkish an I has another small letter.
static inline bool mi_is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
static inline bool mi_is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
static inline bool mi_is_alnum(char c) {
  return mi_is_upper(c) || mi_is_lower(c) || (c >= '0' && c <= '9');
}
static inline char mi_lower(char c) {
  return mi_is_upper(c) ? (char)(c + 32) : c;
}
bool mi_text_is_same(const char *a, const char *b); // but for capitals

// Bytes of a sentence that are no characters, or control the terminal, become question marks.
void mi_text_clean(char *text);
bool mi_text_is_clean(const char *text);

#endif
