// Any bytes as a CSV take. Run: fuzz_csv corpus/csv
#include "io/io.h"
#include "limited_host.h"
#include "rig/rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mien_host host;
  if (!make_limited_host(&host)) return 0;
  mien_error err;
  mien_take *take;
  if (mi_csv_read_take(data, size, &host, &take, &err) >= 0) {
    mi_arena arena = take->arena;
    mi_arena_free(&arena);
  }
  return 0;
}
