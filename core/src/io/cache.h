// Point caches: the positions of a mesh frame after frame, written as they are made.
#ifndef MI_CACHE_H
#define MI_CACHE_H

#include "base/base.h"

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

// -- USD text -------------------------------------------------------------------------------------
// A UsdGeomMesh with time samples of its points: metres, Y up.

typedef struct mi_usda_def {
  const char *name; // of the mesh; made a valid identifier
  int npoint;
  mien_i32s triangles; // corners
  mien_f32s uvs;       // width 2 per point with v downwards as in glTF, or none
  double frame_rate;   // time codes per second
  double start;        // time code of the first frame
} mi_usda_def;

typedef struct mi_usda mi_usda;
mien_result mi_usda_create(const char *path, const mi_usda_def *def, const mien_host *host,
                           mi_usda **out, mien_error *err);
mien_result mi_usda_append(mi_usda *usda, const mien_f32s *points, mien_error *err);
mien_result mi_usda_commit(mi_usda *usda, mien_error *err);
void mi_usda_abandon(mi_usda *usda);

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
