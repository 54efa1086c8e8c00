// Inside the .glb writer: JSON and the binary chunk growing side by side.
#ifndef MI_GLB_WRITER_H
#define MI_GLB_WRITER_H

#include "io/glb.h"

enum { MI_GLB_VERTICES = 34962, MI_GLB_CORNERS = 34963 }; // target of a buffer view; 0 = neither

// A part as it is written: its render vertices, numbered from 0. Where its triangles reach over
// into another part (a face and the neck it grows from) the vertices there are written again, after
// its own, and extras.mien.borrowed says whose they are.
typedef struct mi_glb_out {
  const int32_t *render; // render vertex of the rig                                     (nvert)
  const int32_t *welded; // and the welded one behind it                                 (nvert)
  const int32_t *corner; // of its triangles, as vertices of the part                 (3 x ntri)
  int nvert, nown;
  const int32_t *file_vertex; // in the file that the rig came from; NULL = as here     (nvert)
  int *shape; // shapes that are its morph targets                                       (nshape)
  int nshape;
} mi_glb_out;

typedef struct mi_glb_writer {
  const mien_rig_info *rig;
  const mien_map *maps; // the rig's and the caller's
  int nmap;
  mi_arena arena;
  mien_error *err;
  bool is_out_of_memory; // checked once, at the end
  json_t *root, *views, *accessors;
  mi_bytes *segment; // of the binary chunk, in order
  int nsegment, capacity;
  uint64_t bin_size;
  int32_t *local;   // render vertex -> vertex of the part it belongs to              (nrender)
  int32_t *part_of; // welded vertex -> part                                            (nvert)
  int *slot;        // welded vertex -> entry of the shape being written, -1 = none        (nvert)
  float *normals;   // welded                                                          (nvert x 3)
  mi_glb_out *part; // (npart)
  int main_part;    // the skin: holds the unit, the jaw, and shapes without deltas
} mi_glb_writer;

// glb_pack.c. The data must live until the file is written. Trouble is remembered in the writer.
void *mi_glb_take(mi_glb_writer *w, size_t count, size_t size);         // NULL when memory ends
void mi_glb_add_bytes(mi_glb_writer *w, const void *data, size_t size); // to the binary chunk
int mi_glb_add_view(mi_glb_writer *w, const void *data, size_t size, int target);
// view -1 = zeros, unless `sparse` (stolen) says otherwise. Writes min and max when they are given.
typedef struct mi_glb_array {
  int view, component, count, width;
  const float *low, *high;
  json_t *sparse;
} mi_glb_array;
int mi_glb_add_accessor(mi_glb_writer *w, const mi_glb_array *array);
int mi_glb_add_floats(mi_glb_writer *w, const float *data, int count, int width, int target);
// Records out-of-memory and returns its argument.
json_t *mi_glb_keep(mi_glb_writer *w, json_t *json);
// A name as JSON.
json_t *mi_glb_text(mi_glb_writer *w, const char *name);
void mi_glb_set(mi_glb_writer *w, json_t *object, const char *key, json_t *value); // steals
void mi_glb_append(mi_glb_writer *w, json_t *array, json_t *value);                // steals
void mi_glb_bounds(const float *data, int count, int width, float *low, float *high);
mien_result mi_glb_put(mi_glb_writer *w, mi_file *file);
mien_result mi_glb_save(mi_glb_writer *w, const char *path, const mien_host *host);

// glb_write_parts.c: which render vertices and shapes belong to which part, and normals
bool mi_glb_split_parts(mi_glb_writer *w);
// glb_write_mesh.c
// The deltas of a morph target: `count` of them, for the mesh's vertices `vert`, rising.
typedef struct mi_glb_moved {
  uint32_t *vert;
  float *delta;
  int count;
} mi_glb_moved;
int mi_glb_add_moved(mi_glb_writer *w, const mi_glb_moved *moved, int nvert); // the accessor
json_t *mi_glb_make_mesh(mi_glb_writer *w, int part, int material);
json_t *mi_glb_make_material(mi_glb_writer *w, int part);
// glb_write_extras.c
json_t *mi_glb_make_extras(mi_glb_writer *w, int part, const json_t *more);
// glb_write.c: the rig's maps and the caller's
mien_result mi_glb_join_maps(mi_glb_writer *w, const mi_glb_extra *extra);
// glb_keep.c: into the file the rig came from; `more` goes into extras.mien
mien_result mi_glb_write_face(const mien_rig *rig, const mi_glb_extra *extra, const json_t *more,
                              const char *path, mien_error *err);
// glb_write_take.c
mien_result mi_glb_make_animation(mi_glb_writer *w, const mien_rig *rig, const mien_take *take,
                                  int head_node, json_t **out);

#endif
