#include "base/base.h"
#include "scenes/scene.h"

#include <string.h>

static void every_bit_and_every_length_counts(void **state) {
  (void)state;
  unsigned char bytes[40] = {0};
  uint64_t seen[400];
  int count = 0;
  for (size_t size = 0; size <= sizeof bytes; size++) seen[count++] = mi_hash(1, bytes, size);
  for (int bit = 0; bit < 8 * (int)sizeof bytes; bit++) {
    bytes[bit / 8] = (unsigned char)(1 << bit % 8);
    seen[count++] = mi_hash(1, bytes, sizeof bytes);
    bytes[bit / 8] = 0;
  }
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++) assert_true(seen[i] != seen[j]);
}

static void a_changed_bit_changes_half_the_output(void **state) {
  (void)state;
  int changed = 0;
  for (uint64_t bit = 0; bit < 64; bit++)
    changed += __builtin_popcountll(mi_hash_u64(3, 77) ^ mi_hash_u64(3, 77 ^ UINT64_C(1) << bit));
  assert_in_range(changed, 64 * 24, 64 * 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_bit_and_every_length_counts),
                                     cmocka_unit_test(a_changed_bit_changes_half_the_output)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
