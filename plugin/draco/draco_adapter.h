// Meshes packed by Draco (KHR_draco_mesh_compression), unpacked by its C++ library behind a C
// interface.
#ifndef MIEN_DRACO_ADAPTER_H
#define MIEN_DRACO_ADAPTER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mien_draco mien_draco;

// The numbers of glTF for the types of an accessor's components.
enum {
  MIEN_DRACO_BYTE = 5120,
  MIEN_DRACO_UBYTE = 5121,
  MIEN_DRACO_SHORT = 5122,
  MIEN_DRACO_USHORT = 5123,
  MIEN_DRACO_UINT = 5125,
  MIEN_DRACO_FLOAT = 5126
};

// NULL with a reason when the bytes are no mesh, or when what they unfold to is more than `most`
// bytes: then `unfolded` is, too. Close what was opened.
mien_draco *mien_draco_open(const void *bytes, size_t size, size_t most, size_t *unfolded,
                            char why[160]);
void mien_draco_close(mien_draco *draco);
int mien_draco_vertices(const mien_draco *draco);
int mien_draco_triangles(const mien_draco *draco);
// The attribute of that id, packed tightly: `width` numbers of the type a vertex. 0 when there is
// no such attribute, or when it cannot be said in that type.
int mien_draco_attribute(const mien_draco *draco, unsigned id, int component, int width, void *to);
// Three corners a triangle. 0 when the type cannot hold them.
int mien_draco_corners(const mien_draco *draco, int component, void *to);

#ifdef __cplusplus
}
#endif

#endif
