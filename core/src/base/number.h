// Numbers in text files. The C library's own functions follow the host's locale (a decimal comma in
// a German Maya) and are slow; these do neither.
#ifndef MI_NUMBER_H
#define MI_NUMBER_H

#include "base/base.h"

#ifdef __cplusplus // Maya's plug-in
extern "C" {
#endif

enum { MI_NUMBER_CHARS = 40 };

// Reads a number at the start of [at, end): sign, digits, point, exponent, or nan and inf. Returns
// where it ends, NULL when there is none. What mi_format_* wrote comes back bit for bit; other
// numbers are within one unit of the last place.
const char *mi_parse_double(const char *at, const char *end, double *value);
const char *mi_parse_int(const char *at, const char *end, int64_t *value);

// The shortest text of up to 17 (9) digits that reads back to the same bits. Returns its length.
int mi_format_double(char out[MI_NUMBER_CHARS], double value);
int mi_format_float(char out[MI_NUMBER_CHARS], float value);

#ifdef __cplusplus
}
#endif

#endif
