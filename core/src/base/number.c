#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool starts_with(const char *at, const char *end, const char *word) {
  for (; *word; word++, at++)
    if (at == end || (*at | 0x20) != *word) return false;
  return true;
}

// mantissa * 10^exponent. Both are exact doubles in nearly every file, and then one operation
// rounds once (Clinger 1990); the rest goes through long double.
static double scale(uint64_t mantissa, int exponent) {
  static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  static const long double power[] = {1e1L, 1e2L, 1e4L, 1e8L, 1e16L, 1e32L, 1e64L, 1e128L, 1e256L};
  if (mantissa == 0) return 0;
  if (mantissa <= (UINT64_C(1) << 53) && exponent >= -22 && exponent <= 22) {
    double m = (double)mantissa;
    return exponent < 0 ? m / exact[-exponent] : m * exact[exponent];
  }
  if (exponent > 400) return HUGE_VAL;
  if (exponent < -400) return 0;
  long double factor = 1;
  unsigned left = (unsigned)(exponent < 0 ? -exponent : exponent);
  for (int k = 0; left; k++, left >>= 1)
    if (left & 1) factor *= power[k];
  long double m = (long double)mantissa;
  return (double)(exponent < 0 ? m / factor : m * factor);
}

static const char *parse_exponent(const char *at, const char *end, int *exponent) {
  const char *start = at;
  if (at == end || (*at | 0x20) != 'e') return start;
  at++;
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  if (at == end || !is_digit(*at)) return start; // "1e" is the number 1 followed by a letter
  int e = 0;
  for (; at < end && is_digit(*at); at++)
    if (e < 100000) e = e * 10 + (*at - '0');
  *exponent += negative ? -e : e;
  return at;
}

const char *mi_parse_double(const char *at, const char *end, double *value) {
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  if (starts_with(at, end, "nan")) {
    *value = (double)NAN;
    return at + 3;
  }
  if (starts_with(at, end, "inf")) {
    *value = negative ? -HUGE_VAL : HUGE_VAL;
    return at + (starts_with(at, end, "infinity") ? 8 : 3);
  }
  const uint64_t full = (UINT64_MAX - 9) / 10;
  uint64_t mantissa = 0;
  int exponent = 0, ndigit = 0;
  for (bool fraction = false; at < end; at++) {
    if (*at == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_digit(*at)) break;
    ndigit++;
    bool fits = mantissa <= full;
    if (fits) mantissa = mantissa * 10 + (uint64_t)(*at - '0');
    // a digit that does not fit any more only counts when it stands before the point
    if (fits && fraction && exponent > -100000) exponent--;
    if (!fits && !fraction && exponent < 100000) exponent++;
  }
  if (ndigit == 0) return NULL;
  at = parse_exponent(at, end, &exponent);
  double magnitude = scale(mantissa, exponent);
  *value = negative ? -magnitude : magnitude;
  return at;
}

const char *mi_parse_int(const char *at, const char *end, int64_t *value) {
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  if (at == end || !is_digit(*at)) return NULL;
  int64_t v = 0;
  for (; at < end && is_digit(*at); at++) {
    if (v > INT64_MAX / 10 - 1) return NULL;
    v = v * 10 + (*at - '0');
  }
  *value = negative ? -v : v;
  return at;
}

// snprintf writes the locale's decimal point.
static int undo_locale(char *text) {
  const char *point = localeconv()->decimal_point;
  char *at = point[0] && strcmp(point, ".") != 0 ? strstr(text, point) : NULL;
  if (at) {
    *at = '.';
    memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
  }
  return (int)strlen(text);
}

int mi_format_double(char out[MI_NUMBER_CHARS], double value) {
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, MI_NUMBER_CHARS, "%.*g", digits, value);
    length = undo_locale(out);
    double back;
    if (mi_parse_double(out, out + length, &back) && back == value) break;
  }
  return length;
}

int mi_format_float(char out[MI_NUMBER_CHARS], float value) {
  int length = 0;
  for (int digits = 6; digits <= 9; digits += 3) {
    snprintf(out, MI_NUMBER_CHARS, "%.*g", digits, (double)value);
    length = undo_locale(out);
    double back;
    if (mi_parse_double(out, out + length, &back) && (float)back == value) break;
  }
  return length;
}
