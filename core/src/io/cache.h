// Point caches: the positions of a mesh frame after frame, written as they are made.
#ifndef MI_CACHE_H
#define MI_CACHE_H

#include "io/io.h"

// -- PC2 ------------------------------------------------------------------------------------------
// "POINTCACHE2\0", int32 version 1, int32 points, float start, float sample rate, int32 samples,
// then the samples, 3 floats a point. Blender and 3ds Max read it in the mesh's own space and unit.

typedef struct mi_pc2_def {
  int npoint;
  float start; // the first frame's number
  float step;  // frames between samples, 1 as a rule (PC2 calls it the sample rate)
} mi_pc2_def;

// Everything goes to "path.part"; commit patches the number of samples in and renames, abandon
// removes, suspend leaves the part for mi_pc2_resume, and so does a commit that fails.
typedef struct mi_pc2 mi_pc2;
mien_result mi_pc2_create(const char *path, const mi_pc2_def *def, const mien_host *host,
                          mi_pc2 **out, mien_error *err);
// Goes on where a suspended or killed program stopped: whole frames are kept, `most` at most (-1 =
// all), *nframe says how many; with nothing to go on with it begins. MIEN_ERR_MISMATCH when the
// frames are another mesh's.
mien_result mi_pc2_resume(const char *path, const mi_pc2_def *def, int most, const mien_host *host,
                          mi_pc2 **out, int *nframe, mien_error *err);
// width 3, npoint of them
mien_result mi_pc2_append(mi_pc2 *pc2, const mien_f32s *points, mien_error *err);
// A frame that was appended, valid until the next call; NULL when it cannot be read. Reading moves
// the place where frames are appended: none may be appended after it.
const float *mi_pc2_get(mi_pc2 *pc2, int frame);
mien_result mi_pc2_sync(mi_pc2 *pc2, mien_error *err);
void mi_pc2_suspend(mi_pc2 *pc2);
mien_result mi_pc2_commit(mi_pc2 *pc2, mien_error *err);
void mi_pc2_abandon(mi_pc2 *pc2);

typedef struct mi_pc2_frames {
  mi_pc2_def def;
  int nframe;
  const float *points; // frame after frame, valid as long as the arena (nframe x npoint x 3)
} mi_pc2_frames;
mien_result mi_pc2_read(const char *path, mi_arena *arena, mi_pc2_frames *out, mien_error *err);

// -- Frames into other formats
// --------------------------------------------------------------------- A writer gets all frames
// when they are there, and a file that is open and locked already.

typedef struct mi_frames {
  const mien_rig *rig;
  const mien_cache_def *def;
  const mien_host *host;
  mi_arena *arena; // of the cache
  mi_pc2 *pc2;     // render vertices, m, Y up
  int nframe;
  mien_cache_info *info; // for what a writer has to say
} mi_frames;

// A frame, valid until the next call; NULL with an error when it cannot be read back.
const float *mi_frames_get(const mi_frames *frames, int frame, mien_error *err);

// A part as its file has it: vertex order and count, unit, axes and space.
typedef struct mi_part_mesh {
  const char *name;
  int npoint, ncorner;   // corners of triangles
  const int32_t *render; // point -> render vertex, -1 = the rig has none                  (npoint)
  const int32_t *corner; // as points                                                    (ncorner)
  const float *uvs;      // width 2, v upwards, or NULL                                        (nuv)
  int nuv;               // npoint, or ncorner where a vertex has several
  double space[12];      // rows (M | t) from the rig to the mesh
  double world[12];      // and back; the identity when the mesh's place cannot be undone
} mi_part_mesh;

// cache_parts.c
// The vertices of a part's mesh in its file: render vertex -> vertex, -1 = none of it. How many.
int mi_part_points(const mien_rig *rig, int part, int32_t *point);
// All parts that have points, NULL with an error; names differ.
mi_part_mesh *mi_part_meshes(const mi_frames *frames, int *count, mien_error *err);
void mi_part_mesh_gather(const mi_part_mesh *mesh, const float *frame, float *points);

typedef mien_result mi_frames_writer(const mi_frames *frames, mi_file *file, mien_error *err);
mi_frames_writer mi_usda_write; // usda.c: text, a Mesh for every part
mi_frames_writer mi_usdc_write; // usdc.c: the same, binary
mi_frames_writer mi_abc_write;  // abc.c: Alembic (Ogawa), a PolyMesh for every part
mi_frames_writer mi_glb_bake;   // glb_bake.c: the rig's own file with the bake as its animation

// usd_stage.c: what text and binary say alike
typedef struct mi_usd_stage {
  char (*names)[64]; // identifiers of the meshes, different ones                          (nmesh)
  char root[64];
  mi_part_mesh *mesh;
  int nmesh;
  float (*low)[3], (*high)[3]; // over all frames                                          (nmesh)
  double start, end, rate;
  const char *doc, *space; // in words; "head" or "world"
} mi_usd_stage;
mien_result mi_usd_stage_make(const mi_frames *frames, mi_usd_stage *out, mien_error *err);

// -- Either ---------------------------------------------------------------------------------------

// cache.c: behind mien_cache_...; the format goes by the end of the path. Frames are kept as PC2
// whatever the format: a .pc2 is what it was written as, another format is made of the frames in
// "path.frames.part" when all are there. So every format can be resumed, and a writer of one need
// not know how.
mien_result mi_cache_create(const char *path, const mien_cache_def *def, const mien_host *host,
                            mien_cache **out, mien_error *err);
mien_result mi_cache_resume(const char *path, const mien_cache_def *def, const mien_host *host,
                            mien_cache **out, int *nframe, mien_error *err);
mien_result mi_cache_append(mien_cache *cache, mien_f32s positions, mien_error *err);
mien_result mi_cache_sync(mien_cache *cache, mien_error *err);
mien_result mi_cache_finish(mien_cache *cache, mien_error *err);
mien_result mi_cache_suspend(mien_cache *cache, mien_error *err);
void mi_cache_free(mien_cache *cache);
mien_result mi_cache_load(const char *path, const mien_host *host, mien_cache **out,
                          mien_error *err);
const mien_cache_info *mi_cache_info(const mien_cache *cache);

#endif
