// Inside the .glb reader: the open file, its accessors, its nodes. Nothing in the file is trusted:
// every index, offset and count is checked before it is used, and what a file may unfold to is
// bounded by a multiple of its size.
#ifndef MI_GLB_H
#define MI_GLB_H

#include "io/affine.h"
#include "io/io.h"

#include <jansson.h>

typedef struct mi_bytes {
  const unsigned char *data;
  size_t size;
} mi_bytes;

typedef struct mi_glb {
  const mien_host *host;
  mien_error *err; // never NULL
  mien_error own_error;
  mi_arena arena;     // thrown away when the file is closed
  mi_remarks remarks; // for the user
  size_t budget;      // bytes that may still be made of the file or looked at in it
  json_t *root;
  const json_t *nodes, *meshes, *accessors, *views; // NULL = the file has none
  mi_bytes *buffer;                                 // (nbuffer)
  mi_bytes *unpacked; // of buffer views that were compressed; NULL = none was       (nview)
  mi_bytes *decoded;  // elements of accessors that were packed; NULL = none was   (naccessor)
  int nbuffer;
} mi_glb;

// glb_open.c: header, chunks, JSON, extensions, buffers. After a failure nothing is left to close.
mien_result mi_glb_open(mi_glb *glb, const void *bytes, size_t size, const mien_host *host,
                        mien_error *err);
void mi_glb_close(mi_glb *glb);

// glb_meshopt.c: buffer views that are compressed (EXT_meshopt_compression) are unpacked. Without
// meshoptimizer (glb_meshopt_none.c) files that need it are refused.
mien_result mi_glb_decompress(mi_glb *glb);
mien_result mi_glb_refuse_compressed(mi_glb *glb, const char *extension);

// glb_draco.c: meshes that are packed (KHR_draco_mesh_compression) are unpacked. Without Draco
// (glb_draco_none.c) files that need it are refused.
mien_result mi_glb_unpack_meshes(mi_glb *glb);

// Counts bytes against the budget: memory that is made, and parts of the file that are looked at
// once more because many others name them. False with the error filled in.
bool mi_glb_charge(mi_glb *glb, size_t count, size_t size);
// Zeroed memory of the reader's, counted against the budget; NULL with the error filled in.
void *mi_glb_push(mi_glb *glb, size_t count, size_t size);

// glb_json.c: members with their defaults. An absent index is -1; a present but wrong one fails.
mien_result mi_glb_index(mi_glb *glb, const json_t *owner, const char *key, const json_t *array,
                         int *out);
mien_result mi_glb_whole(mi_glb *glb, const json_t *owner, const char *key, int64_t fallback,
                         int64_t *out);
mien_result mi_glb_numbers(mi_glb *glb, const json_t *owner, const char *key, int count,
                           double *out);      // unchanged when absent
int mi_glb_length(const json_t *array);       // 0 for NULL and for anything but an array
const char *mi_glb_name(const json_t *owner); // NULL when absent or empty

// -- Accessors ------------------------------------------------------------------------------------

enum {
  MI_GLB_BYTE = 5120,
  MI_GLB_UBYTE = 5121,
  MI_GLB_SHORT = 5122,
  MI_GLB_USHORT = 5123,
  MI_GLB_UINT = 5125,
  MI_GLB_FLOAT = 5126
};

typedef struct mi_accessor {
  const unsigned char *data; // element 0, NULL = all zeros
  size_t stride;             // bytes
  int count, width, component;
  bool is_normalised;
  int nsparse, sparse_component; // elements that replace those of `data`
  const unsigned char *sparse_index, *sparse_value;
} mi_accessor;

// glb_accessor.c. `index` is checked by mi_glb_index.
int mi_glb_component_size(int component); // bytes, 0 = no such type
mien_result mi_glb_view(mi_glb *glb, int index, mi_bytes *out,
                        size_t *stride); // stride 0 = not given
mien_result mi_glb_accessor(mi_glb *glb, int index, mi_accessor *out);
// As floats: the file's own bytes where they are floats already, otherwise converted.
mien_result mi_glb_floats(mi_glb *glb, const mi_accessor *accessor, mien_f32s *out);
// Whole numbers below `limit`, each plus `offset`, into out[count].
mien_result mi_glb_indices(mi_glb *glb, const mi_accessor *accessor, int limit, int offset,
                           int32_t *out);
// The sparse part alone: which elements, and their values.
mien_result mi_glb_sparse(mi_glb *glb, const mi_accessor *accessor, int offset, mien_i32s *indices,
                          mien_f32s *values);

// -- Nodes ----------------------------------------------------------------------------------------

typedef struct mi_glb_node {
  const json_t *json;
  int parent; // -1 at the top
  bool is_reached;
  mi_affine local, world;
} mi_glb_node;

typedef struct mi_glb_scene {
  const char *name; // or NULL
  mi_glb_node *node;
  int nnode;
  int *order; // reached nodes, parents first, in the order a reader of the file meets them
  int norder;
} mi_glb_scene;

// glb_scene.c
mien_result mi_glb_read_scene(mi_glb *glb, mi_glb_scene *out);
mien_result mi_glb_read_trs(mi_glb *glb, const json_t *node, double t[3], double q[4], double s[3]);

// The names of a mesh's morph targets, wherever the file has them ("target_3" where it has none);
// NULL with an error.
const char **mi_glb_target_names(mi_glb *glb, const json_t *mesh, int *ntarget);

// -- What mien adds: the object "mien" in a node's extras, and rig.json beside OBJ files ----------

typedef struct mi_extras {
  double metres_per_unit; // 0 = not said
  mien_part_kind kind;
  bool has_unknown_kind;
  bool has_landmarks;
  int64_t landmarks[68]; // as written, -1 = unknown; not checked against a vertex count
  mien_jaw jaw;
  bool has_pivot;
  double pivot[3];
} mi_extras;

// extras.c
mien_result mi_extras_read(const json_t *mien, mi_extras *out, mien_error *err);
const char *mi_part_kind_name(mien_part_kind kind);

#endif
