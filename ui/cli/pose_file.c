#include "pose_file.h"

#include <stdlib.h>
#include <string.h>

int pose_file_open(pose_file *file, const cli_args *args, const char *path, const mien_rig *rig) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  mien_host host;
  mien_error err;
  *file = (pose_file){0};
  if (!path) return CLI_DONE;
  cli_host(args, &host);
  if (mien_cache_load(path, &host, &file->cache, &err) < 0) return cli_report(&err, path);
  int npoint = mien_cache_get_info(file->cache)->npoint;
  if (npoint != info->nvert && npoint != info->nrender)
    return cli_fail("'%s' has %d points, the rig %d vertices (%d welded)", path, npoint,
                    info->nrender, info->nvert);
  if (npoint == info->nvert) return CLI_DONE;
  file->welded = malloc(3 * (size_t)info->nvert * sizeof *file->welded);
  return file->welded ? CLI_DONE : cli_fail("out of memory");
}

int pose_file_count(const pose_file *file) {
  return file->cache ? mien_cache_get_info(file->cache)->nframe : 0;
}

mien_f32s pose_file_at(const pose_file *file, const mien_rig *rig, int frame) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  if (!file->cache) return (mien_f32s){0};
  const mien_cache_info *cache = mien_cache_get_info(file->cache);
  const float *points = cache->points + 3 * (size_t)frame * (size_t)cache->npoint;
  if (!file->welded) return (mien_f32s){points, info->nvert, 3};
  for (int i = 0; i < info->nrender; i++)
    memcpy(file->welded + 3 * (size_t)info->render_map.data[i], points + 3 * (size_t)i,
           3 * sizeof(float));
  return (mien_f32s){file->welded, info->nvert, 3};
}

void pose_file_close(pose_file *file) {
  mien_cache_free(file->cache);
  free(file->welded);
  *file = (pose_file){0};
}
