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

enum { LANES = 4 };

static uint64_t load_word(const unsigned char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

// Four lanes side by side: a lane's multiplications need not wait for the other lanes'.
uint64_t mi_hash(uint64_t seed, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  uint64_t lane[LANES];
  for (uint64_t k = 0; k < LANES; k++) lane[k] = mi_hash_u64(seed + k, size);
  for (; size >= 8 * LANES; at += 8 * LANES, size -= 8 * LANES)
    for (int k = 0; k < LANES; k++) {
      lane[k] = (lane[k] ^ load_word(at + 8 * k)) * UINT64_C(0x9fb21c651e98df25);
      lane[k] ^= lane[k] >> 29;
    }
  uint64_t hash = lane[0];
  for (int k = 1; k < LANES; k++) hash = mi_hash_u64(hash, lane[k]);
  for (; size >= 8; at += 8, size -= 8) hash = mi_hash_u64(hash, load_word(at));
  uint64_t tail = 0;
  if (size) memcpy(&tail, at, size);
  return size ? mi_hash_u64(hash, tail) : hash;
}
