// One cache for the public, the formats behind it.
#include "io/cache.h"

#include "io/name_table.h"
#include "io/output.h"
#include "rig/rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct mien_cache {
  mien_cache_info info;
  mi_arena arena;
  mien_host host;
  const mien_rig *rig;
  mien_cache_def def;
  mi_pc2 *pc2;   // frames being written
  mi_file *file; // the final format; NULL = the frames are the file
  mi_frames_writer *write;
  float *points; // of one frame, as render vertices; NULL = welded                 (npoint x 3)
  const char *per_mesh; // name with "{mesh}" in it: one file for every part; NULL = one file
};

static const char MESH[] = "{mesh}";

// Writers that run when all frames are there.
static const struct {
  const char *ending;
  mi_frames_writer *write;
} formats[] = {{".usda", mi_usda_write},
               {".usdc", mi_usdc_write},
               {".abc", mi_abc_write},
               {".glb", mi_glb_bake}};

static bool ends_with(const char *path, const char *end) {
  size_t length = strlen(path), n = strlen(end);
  return length > n && mi_text_is_same(path + length - n, end);
}

static mien_result check(const mien_cache_def *def, mien_error *err) {
  if (!def->rig) return mi_fail(err, MIEN_ERR_ARGUMENT, "a cache needs a rig");
  if (!(def->frame_rate > 0 && def->frame_rate <= 10000))
    return mi_fail(err, MIEN_ERR_OPTIONS, "a frame rate of %g is not above 0 and at most 10000",
                   def->frame_rate);
  return MIEN_OK;
}

static mien_cache *reserve(const mien_cache_def *def, const mien_host *host) {
  mien_cache *cache = MI_CREATE(mien_cache, host);
  if (!cache) return NULL;
  if (!def) return cache;
  cache->def = *def;
  cache->rig = def->rig;
  cache->info.first_frame = def->first_frame;
  cache->info.npoint = def->welded ? def->rig->info.nvert : def->rig->info.nrender;
  if (!def->welded) cache->points = MI_PUSH(&cache->arena, float, 3 * (size_t)cache->info.npoint);
  if (def->welded || cache->points) return cache;
  mi_arena_delete(cache->arena);
  return NULL;
}

static void release(mien_cache *cache) {
  mi_arena_delete(cache->arena);
}

static mi_pc2_def pc2_def(const mien_cache *cache) {
  return (mi_pc2_def){cache->info.npoint, (float)cache->info.first_frame, 1};
}

static mi_frames_writer *find_writer(const char *path) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (ends_with(path, formats[i].ending)) return formats[i].write;
  return NULL;
}

// The frames of another format lie beside it.
static char *name_frames(mien_cache *cache, const char *path) {
  size_t size = strlen(path) + sizeof ".frames";
  char *name = MI_PUSH(&cache->arena, char, size);
  if (name) snprintf(name, size, "%s.frames", path);
  return name;
}

// "shot.{mesh}.pc2" -> "shot.head.pc2"; what file names cannot hold becomes "_".
static char *name_mesh(mien_cache *cache, const char *part) {
  const char *gap = strstr(cache->per_mesh, MESH);
  size_t before = (size_t)(gap - cache->per_mesh), length = strlen(part);
  char *name = MI_PUSH(&cache->arena, char, strlen(cache->per_mesh) + length + 1);
  if (!name) return NULL;
  memcpy(name, cache->per_mesh, before);
  for (size_t i = 0; i < length; i++)
    name[before + i] = strchr("/\\:*?\"<>|", part[i]) ? '_' : part[i];
  strcpy(name + before + length, gap + sizeof MESH - 1);
  return name;
}

// Before hours of work: two meshes of one name would be one, and every file's place is free.
static mien_result check_meshes(mien_cache *cache, mien_error *err) {
  const mien_rig_info *rig = &cache->rig->info;
  mi_name_table seen = {.arena = &cache->arena};
  for (int p = 0; p < rig->npart; p++) {
    char why[MI_OUTPUT_WHY];
    const char *name = rig->parts[p].name;
    if (cache->per_mesh) name = name_mesh(cache, name);
    int first = name ? mi_name_add(&seen, name) : -1;
    if (first < 0) return mi_fail_memory(err);
    if (first < p)
      return mi_fail(err, MIEN_ERR_MISMATCH,
                     "what is written for the meshes '%.60s' and '%.60s' would have the same name; "
                     "rename one of them",
                     rig->parts[first].name, rig->parts[p].name);
    if (cache->per_mesh && !mi_output_check(name, why)) return mi_fail(err, MIEN_ERR_IO, "%s", why);
  }
  return MIEN_OK;
}

// nframe NULL = anew
static mien_result open_files(mien_cache *cache, const char *path, const mien_cache_def *def,
                              const mien_host *host, int *nframe, mien_error *err) {
  mi_pc2_def pc2 = pc2_def(cache);
  int most = def->most_frames < 0 || def->most_frames > INT32_MAX ? -1 : (int)def->most_frames;
  const char *frames = path;
  bool is_split = strstr(path, MESH) != NULL;
  mien_result result = MIEN_OK;
  if (is_split || cache->write) frames = name_frames(cache, path);
  if (is_split) cache->per_mesh = mi_arena_string(&cache->arena, path);
  if (!frames || (is_split && !cache->per_mesh)) return mi_fail_memory(err);
  if (is_split || (cache->write && cache->write != mi_glb_bake)) result = check_meshes(cache, err);
  if (result >= 0 && cache->write && !is_split)
    result = mi_file_create(path, host, &cache->file, err);
  if (result < 0) return result;
  return nframe ? mi_pc2_resume(frames, &pc2, most, host, &cache->pc2, nframe, err)
                : mi_pc2_create(frames, &pc2, host, &cache->pc2, err);
}

static mien_result begin(const char *path, const mien_cache_def *def, const mien_host *host,
                         mien_cache **out, int *nframe, mien_error *err) {
  mien_result result = check(def, err);
  if (result != MIEN_OK) return result;
  mi_frames_writer *write = find_writer(path);
  if (!write && !ends_with(path, ".pc2"))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "'%s' ends in none of .pc2, .usda, .usdc, .abc and .glb",
                   path);
  if (write && def->welded)
    return mi_fail(err, MIEN_ERR_OPTIONS, "welded points are a .pc2; other formats hold meshes");
  if (write == mi_glb_bake && !def->rig->source)
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "a .glb cache is the rig's own .glb or .gltf file with the bake in it; this rig "
                   "was not read from one");
  if (strstr(path, MESH) && (def->welded || !ends_with(path, ".pc2")))
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "one file per mesh is a .pc2 of the file's own vertices, not welded ones");
  mien_cache *cache = reserve(def, host);
  if (!cache) return mi_fail_memory(err);
  cache->host = *host;
  cache->write = write;
  result = open_files(cache, path, def, host, nframe, err);
  if (result < 0) {
    if (cache->file) mi_file_abandon(cache->file);
    release(cache);
    return result;
  }
  if (nframe) cache->info.nframe = *nframe;
  *out = cache;
  return result;
}

mien_result mi_cache_create(const char *path, const mien_cache_def *def, const mien_host *host,
                            mien_cache **out, mien_error *err) {
  return begin(path, def, host, out, NULL, err);
}

mien_result mi_cache_resume(const char *path, const mien_cache_def *def, const mien_host *host,
                            mien_cache **out, int *nframe, mien_error *err) {
  return begin(path, def, host, out, nframe, err);
}

mien_result mi_cache_append(mien_cache *cache, mien_f32s positions, mien_error *err) {
  if (!cache->pc2) return mi_fail(err, MIEN_ERR_ARGUMENT, "the cache is not being written");
  const mien_rig_info *rig = &cache->rig->info;
  if (!positions.data || positions.count != rig->nvert)
    return mi_fail(err, MIEN_ERR_MISMATCH, "a frame has %d vertices, the rig %d", positions.count,
                   rig->nvert);
  for (int i = 0; cache->points && i < cache->info.npoint; i++)
    memcpy(cache->points + 3 * (size_t)i, mi_f32s_at(&positions, 3, rig->render_map.data[i]),
           3 * sizeof(float));
  for (int i = 0; cache->write && i < rig->nvert; i++) { // text cannot say it; not after hours
    const float *p = mi_f32s_at(&positions, 3, i);
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
      return mi_fail(err, MIEN_ERR_NOT_FINITE, "vertex %d of frame %d is not finite", i,
                     cache->info.nframe);
  }
  mien_f32s points = cache->points ? (mien_f32s){cache->points, cache->info.npoint, 3} : positions;
  mien_result result = mi_pc2_append(cache->pc2, &points, err);
  if (result >= 0) cache->info.nframe++;
  return result;
}

mien_result mi_cache_sync(mien_cache *cache, mien_error *err) {
  if (!cache->pc2) return mi_fail(err, MIEN_ERR_ARGUMENT, "the cache is not being written");
  return mi_pc2_sync(cache->pc2, err);
}

static mi_frames frames_of(mien_cache *cache) {
  return (mi_frames){.rig = cache->rig,
                     .def = &cache->def,
                     .host = &cache->host,
                     .arena = &cache->arena,
                     .pc2 = cache->pc2,
                     .nframe = cache->info.nframe,
                     .info = &cache->info};
}

const float *mi_frames_get(const mi_frames *frames, int frame, mien_error *err) {
  const float *points = mi_pc2_get(frames->pc2, frame);
  if (!points) mi_fail(err, MIEN_ERR_IO, "frame %d cannot be read back", frame);
  return points;
}

// Frames that became other files go when those have their names, and stay when they have not.
static void end_frames(mien_cache *cache, mien_result result) {
  if (result < 0)
    mi_pc2_suspend(cache->pc2);
  else
    mi_pc2_abandon(cache->pc2);
}

// All frames into the other format.
static mien_result convert(mien_cache *cache, mien_error *err) {
  mi_frames frames = frames_of(cache);
  mien_result result = cache->write(&frames, cache->file, err);
  if (result >= 0)
    result = mi_file_commit(cache->file, err);
  else
    mi_file_abandon(cache->file);
  cache->file = NULL; // a commit ends its file whatever the result
  end_frames(cache, result);
  return result;
}

// -- One file per mesh ----------------------------------------------------------------------------

static mien_result write_mesh(mien_cache *cache, const mi_frames *frames, const mi_part_mesh *mesh,
                              mien_error *err) {
  mi_pc2_def def = pc2_def(cache);
  def.npoint = mesh->npoint;
  char *path = name_mesh(cache, mesh->name);
  float *points = MI_PUSH(&cache->arena, float, 3 * (size_t)mesh->npoint);
  if (!path || !points) return mi_fail_memory(err);
  mi_pc2 *file;
  mien_result result = mi_pc2_create(path, &def, &cache->host, &file, err);
  if (result < 0) return result;
  for (int f = 0; f < cache->info.nframe && result >= 0; f++) {
    const float *frame = mi_frames_get(frames, f, err);
    if (frame) mi_part_mesh_gather(mesh, frame, points);
    result = frame ? mi_pc2_append(file, &(mien_f32s){points, mesh->npoint, 3}, err) : MIEN_ERR_IO;
  }
  if (result >= 0) return mi_pc2_commit(file, err);
  mi_pc2_abandon(file);
  return result;
}

static mien_result split(mien_cache *cache, mien_error *err) {
  mi_frames frames = frames_of(cache);
  int nmesh = 0;
  const mi_part_mesh *meshes = mi_part_meshes(&frames, &nmesh, err);
  mien_result result = meshes ? MIEN_OK : MIEN_ERR_MISMATCH;
  for (int i = 0; i < nmesh && result >= 0; i++)
    result = write_mesh(cache, &frames, &meshes[i], err);
  end_frames(cache, result);
  return result;
}

mien_result mi_cache_finish(mien_cache *cache, mien_error *err) {
  if (!cache->pc2) return mi_fail(err, MIEN_ERR_ARGUMENT, "the cache is not being written");
  mien_result result = cache->per_mesh ? split(cache, err)
                       : cache->file   ? convert(cache, err)
                                       : mi_pc2_commit(cache->pc2, err);
  cache->pc2 = NULL;
  return result;
}

mien_result mi_cache_suspend(mien_cache *cache, mien_error *err) {
  if (!cache->pc2) return mi_fail(err, MIEN_ERR_ARGUMENT, "the cache is not being written");
  if (cache->file) mi_file_abandon(cache->file);
  mi_pc2_suspend(cache->pc2);
  cache->file = NULL;
  cache->pc2 = NULL;
  return MIEN_OK;
}

void mi_cache_free(mien_cache *cache) {
  if (cache->file) mi_file_abandon(cache->file);
  mi_pc2_abandon(cache->pc2);
  release(cache);
}

mien_result mi_cache_load(const char *path, const mien_host *host, mien_cache **out,
                          mien_error *err) {
  mien_cache *cache = reserve(NULL, host);
  if (!cache) return mi_fail_memory(err);
  mi_pc2_frames frames;
  mien_result result = mi_pc2_read(path, &cache->arena, &frames, err);
  if (result < 0) {
    release(cache);
    return result;
  }
  cache->info = (mien_cache_info){.npoint = frames.def.npoint,
                                  .nframe = frames.nframe,
                                  .first_frame = frames.def.start,
                                  .points = frames.points};
  *out = cache;
  return result;
}

const mien_cache_info *mi_cache_info(const mien_cache *cache) {
  return &cache->info;
}

void(mien_cache_def_init)(mien_cache_def *def, size_t struct_size) {
  mi_struct_init(
      def, struct_size,
      &(mien_cache_def){.frame_rate = 24, .first_frame = 1, .most_frames = -1, .tolerance = 5e-5},
      sizeof *def);
}
