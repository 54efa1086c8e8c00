#include "base/base.h"

#include <string.h>

// 64-bit finaliser: every input bit changes about half of the output bits.
static uint64_t mix(uint64_t value) {
  value ^= value >> 32;
  value *= UINT64_C(0xd6e8feb86659fd93);
  value ^= value >> 32;
  value *= UINT64_C(0xd6e8feb86659fd93);
  return value ^ (value >> 32);
}

uint64_t mi_hash_u64(uint64_t seed, uint64_t value) {
  return mix(seed * UINT64_C(0x9e3779b97f4a7c15) + mix(value + UINT64_C(0x632be59bd9b4e019)));
}

uint64_t mi_hash(uint64_t seed, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  uint64_t hash = mi_hash_u64(seed, size);
  for (; size >= 8; at += 8, size -= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    hash = mi_hash_u64(hash, word);
  }
  uint64_t tail = 0;
  if (size) memcpy(&tail, at, size);
  return size ? mi_hash_u64(hash, tail) : hash;
}
