// SHA-256 (FIPS 180-4), for files that come from elsewhere.
#ifndef MIEN_CLI_SHA256_H
#define MIEN_CLI_SHA256_H

#include <stddef.h>

// Sixty-four hexadecimal digits and a zero.
void sha256(const void *bytes, size_t size, char digest[65]);

#endif
