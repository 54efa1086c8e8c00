// EXT_ and KHR_meshopt_compression without meshoptimizer: files that need it are refused.
#include "io/glb.h"

#include <string.h>

mien_result mi_glb_decompress(mi_glb *glb) {
  const json_t *required = json_object_get(glb->root, "extensionsRequired");
  for (int i = 0; i < mi_glb_length(required); i++) {
    const char *name = json_string_value(json_array_get(required, (size_t)i));
    if (name && strstr(name, "_meshopt_compression")) return mi_glb_refuse_compressed(glb, name);
  }
  return MIEN_OK;
}
