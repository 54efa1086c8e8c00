// Philox 4x32 with 10 rounds, after Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy
// as 1, 2, 3" (SC 2011).
#include "base/base.h"

static void round_once(uint32_t word[4], const uint32_t key[2]) {
  uint64_t p0 = (uint64_t)word[0] * 0xD2511F53u;
  uint64_t p1 = (uint64_t)word[2] * 0xCD9E8D57u;
  uint32_t next[4] = {(uint32_t)(p1 >> 32) ^ word[1] ^ key[0], (uint32_t)p1,
                      (uint32_t)(p0 >> 32) ^ word[3] ^ key[1], (uint32_t)p0};
  for (int i = 0; i < 4; i++) word[i] = next[i];
}

mi_random mi_random_at(uint64_t seed, uint32_t a, uint32_t b) {
  mi_random random = {{a, b, 0, 0}};
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  for (int i = 0; i < 10; i++) {
    round_once(random.word, key);
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return random;
}

double mi_random_unit(uint64_t seed, uint32_t a, uint32_t b) {
  mi_random random = mi_random_at(seed, a, b);
  uint64_t bits = ((uint64_t)random.word[0] << 32 | random.word[1]) >> 11;
  return (double)bits * 0x1p-53;
}
