// Inside the writer that puts a bake into the rig's own file.
#ifndef MI_GLB_BAKE_H
#define MI_GLB_BAKE_H

#include "io/cache.h"
#include "io/glb_rig.h"
#include "io/glb_writer.h"
#include "io/target_fit.h"

typedef struct mi_glb_bake_ctx {
  const mi_frames *frames;
  mi_glb_rig r;      // the file as the reader sees it
  mi_glb_writer w;   // the same file, growing
  float *weights;    // of the rig's shapes; NULL = all 0                       (nframe x nshape)
  float *played;     // the same, 0 for shapes that the file does not have      (nframe x nshape)
  float *pose;       // (nvert x 3)
  json_t *animation; // ours
  int times;         // accessor
} mi_glb_bake_ctx;

// A part being written, in the file's numbers.
typedef struct mi_glb_bake_mesh {
  int part, node, nvert;
  int32_t *render; // render vertices                                                  (nvert)
  int *first;      // first vertex of each of its chunks                             (nchunk)
} mi_glb_bake_mesh;

// glb_bake.c
// Opens the file a rig was read from; fails when it is no longer the same.
mien_result mi_glb_open_source(const mien_rig *rig, mi_arena *arena, mi_glb *glb, mi_glb_rig *r,
                               mien_error *err);
// The writer goes on after what the file's first buffer holds.
void mi_glb_keep_buffer(mi_glb_writer *w, const mi_glb *glb);
void mi_glb_end_buffer(mi_glb_writer *w);

// glb_images.c: pictures beside the file at `source`; after the first buffer is kept
void mi_glb_take_images(mi_glb_writer *w, const char *source);

// glb_bake_mesh.c
void mi_glb_bake_begin(mi_glb_bake_ctx *b);
// The targets after those that the part's mesh has.
void mi_glb_bake_targets(mi_glb_bake_ctx *b, mi_glb_bake_mesh *mesh, const mi_target_fit *fit);
// And the weights of both over time.
void mi_glb_bake_weights(mi_glb_bake_ctx *b, const mi_glb_bake_mesh *mesh,
                         const mi_target_fit *fit);
// Animations of the file that play weights get zeros for the new targets.
void mi_glb_bake_end(mi_glb_bake_ctx *b);

#endif
