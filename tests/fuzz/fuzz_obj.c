// Any bytes as OBJ files: the neutral, a shape and rig.json, one after the other with a zero byte
// between them. Run: fuzz_obj corpus/obj
#include "io/obj.h"
#include "limited_host.h"
#include "rig/rig.h"

#include <string.h>

// The bytes up to the next zero byte.
static mi_obj_text next_text(const uint8_t **at, const uint8_t *end) {
  const uint8_t *stop = memchr(*at, 0, (size_t)(end - *at));
  if (!stop) stop = end;
  mi_obj_text text = {"fuzz.obj", *at, (size_t)(stop - *at)};
  *at = stop < end ? stop + 1 : end;
  return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const uint8_t nothing[1] = {0};
  if (!size) data = nothing;
  mien_host host;
  if (!make_limited_host(&host)) return 0;
  const uint8_t *at = data, *end = data + size;
  mi_obj_text neutral = next_text(&at, end), shape = next_text(&at, end);
  mi_obj_text json = next_text(&at, end);
  mien_error err;
  mien_rig *rig;
  mi_obj_rig making;
  mi_obj_begin(&making, &host, &err);
  mien_result result = mi_obj_set_neutral(&making, &neutral);
  if (result >= 0 && shape.size) result = mi_obj_add_shape(&making, "shape", &shape);
  if (result >= 0) result = mi_obj_finish(&making, json.size ? json.bytes : NULL, json.size, &rig);
  mi_obj_end(&making);
  if (result >= 0) mi_rig_release(rig);
  return 0;
}
