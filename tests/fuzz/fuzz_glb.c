// Any bytes as a .glb: rig and take. Run: fuzz_glb -max_len=20000 corpus/glb
#include "io/io.h"
#include "limited_host.h"
#include "rig/rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mien_host host;
  if (!make_limited_host(&host)) return 0;
  mien_error err;
  mien_rig *rig;
  mien_take *take;
  if (mi_glb_read_rig(data, size, NULL, &host, &rig, &err) >= 0) mi_rig_release(rig);
  if (mi_glb_read_take(data, size, &host, &take, &err) >= 0) {
    mi_arena arena = take->arena;
    mi_arena_free(&arena);
  }
  return 0;
}
