// Pictures that lie beside a file go into the .glb that is made of it: their names are relative to
// the file's folder, and the .glb may be written into another one.
#include "io/glb_bake.h"

#include "base/text.h"

static const char *type_of(const char *name) {
  static const char *const types[][2] = {{".png", "image/png"},
                                         {".jpg", "image/jpeg"},
                                         {".jpeg", "image/jpeg"},
                                         {".webp", "image/webp"},
                                         {".ktx2", "image/ktx2"}};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    size_t tail = strlen(types[i][0]), k = 0;
    while (k < tail && length > tail && mi_lower(name[length - tail + k]) == types[i][0][k]) k++;
    if (k == tail) return types[i][1];
  }
  return NULL;
}

// One that is not there, or no picture by its name, stays a name.
static void take_image(mi_glb_writer *w, const char *source, json_t *image) {
  const char *uri = json_string_value(json_object_get(image, "uri"));
  const char *type = uri && strncmp(uri, "data:", 5) ? type_of(uri) : NULL;
  unsigned char *bytes;
  size_t size;
  if (!type || mi_gltf_read_beside(source, uri, &w->arena, &bytes, &size, w->err) < 0) return;
  mi_glb_set(w, image, "bufferView", json_integer(mi_glb_add_view(w, bytes, size, 0)));
  if (!json_object_get(image, "mimeType")) mi_glb_set(w, image, "mimeType", json_string(type));
  json_object_del(image, "uri");
}

void mi_glb_take_images(mi_glb_writer *w, const char *source) {
  const json_t *images = json_object_get(w->root, "images");
  for (int i = 0; i < mi_glb_length(images); i++)
    take_image(w, source, json_array_get(images, (size_t)i));
  mi_error_clear(w->err);
}
