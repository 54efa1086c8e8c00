// OBJ files -> rig: one file is the neutral, every other one a shape with the same vertices.
#ifndef MI_OBJ_H
#define MI_OBJ_H

#include "io/name_table.h"

// A file in memory.
typedef struct mi_obj_text {
  const char *what; // its name, for messages
  const void *bytes;
  size_t size;
} mi_obj_text;

// Contents of a file. Numbers of vertices and uvs start at 0; -1 = no uv.
typedef struct mi_obj {
  float *positions; // (nvert x 3)
  float *uvs;       // (nuv x 2)
  int32_t *corner_vert, *corner_uv;
  int32_t *face_size, *face_group; // group -1 = before the first o or g line
  int nvert, nuv, ncorner, nface;
  mi_name_table groups;
} mi_obj;

// obj_parse.c. Without faces only positions are read.
mien_result mi_obj_parse(const mi_obj_text *text, bool with_faces, mi_arena *arena, mi_obj *out,
                         mien_error *err);

// A rig in the making. begin, add_shape for each shape, finish; end in any case.
typedef struct mi_obj_rig {
  const mien_host *host;
  const mien_rig_opts *opts; // or NULL
  mien_error *err;
  mi_arena arena;
  mi_remarks remarks;
  mi_obj neutral;
  int nrender;
  int32_t *render_vert, *render_uv; // render vertices, in the order of the file's         (nrender)
  int32_t *first_render;            // file vertex -> its first render vertex            (nvert + 1)
  int32_t *faces;                   // render vertices                                   (ncorner)
  mien_shape *shapes;
  int nshape, capacity;
} mi_obj_rig;

// obj_rig.c
void mi_obj_begin(mi_obj_rig *rig, const mien_host *host, mien_error *err);
mien_result mi_obj_set_neutral(mi_obj_rig *rig, const mi_obj_text *text);
mien_result mi_obj_add_shape(mi_obj_rig *rig, const char *name, const mi_obj_text *text);
// json: the text of rig.json, or NULL
mien_result mi_obj_finish(mi_obj_rig *rig, const char *json, size_t json_size, mien_rig **out);
void mi_obj_end(mi_obj_rig *rig);

// obj_parts.c: parts from groups, when every group has its own stretch of vertices
mien_result mi_obj_make_parts(mi_obj_rig *rig, mien_rig_def *def);
// obj_split.c: render vertices, one for every vertex and uv that are used together
mien_result mi_obj_split(mi_obj_rig *rig);

#endif
