// Any bytes as a PNG picture. Run: fuzz_png corpus/png
#include "io/png.h"
#include "limited_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mien_host host;
  if (!make_limited_host(&host)) return 0;
  mi_arena arena;
  mi_arena_init(&arena, &host);
  mi_image image;
  mien_error err;
  mi_png_read(data, size, &arena, &image, &err);
  mi_arena_free(&arena);
  return 0;
}
