// KHR_draco_mesh_compression without Draco: files that need it are refused.
#include "io/glb.h"

#include <string.h>

mien_result mi_glb_unpack_meshes(mi_glb *glb) {
  const json_t *required = json_object_get(glb->root, "extensionsRequired");
  for (int i = 0; i < mi_glb_length(required); i++) {
    const char *name = json_string_value(json_array_get(required, (size_t)i));
    if (name && !strcmp(name, "KHR_draco_mesh_compression"))
      return mi_glb_refuse_compressed(glb, name);
  }
  return MIEN_OK;
}
