// The public functions of caches: arguments are checked here and nowhere else.
#include "io/cache.h"

mien_result mien_cache_create(const char *path, const mien_cache_def *given_def,
                              const mien_host *given, mien_cache **out, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!path || !out)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no path, or nowhere to put the cache");
  mien_cache_def def;
  mien_host host;
  mien_result result = MI_TAKE(mien_cache_def, &def, given_def, err);
  if (result >= 0) result = mi_host_resolve(given, &host, err);
  return result >= 0 ? mi_cache_create(path, &def, &host, out, err) : result;
}

mien_result mien_cache_resume(const char *path, const mien_cache_def *given_def,
                              const mien_host *given, mien_cache **out, int *nframe,
                              mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!path || !out || !nframe)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no path, or nowhere to put the cache");
  mien_cache_def def;
  mien_host host;
  mien_result result = MI_TAKE(mien_cache_def, &def, given_def, err);
  if (result >= 0) result = mi_host_resolve(given, &host, err);
  return result >= 0 ? mi_cache_resume(path, &def, &host, out, nframe, err) : result;
}

mien_result mien_cache_append(mien_cache *cache, mien_f32s positions, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!cache) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no cache");
  return mi_cache_append(cache, positions, err);
}

mien_result mien_cache_sync(mien_cache *cache, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!cache) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no cache");
  return mi_cache_sync(cache, err);
}

mien_result mien_cache_finish(mien_cache *cache, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!cache) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no cache");
  return mi_cache_finish(cache, err);
}

mien_result mien_cache_suspend(mien_cache *cache, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!cache) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no cache");
  return mi_cache_suspend(cache, err);
}

void mien_cache_free(mien_cache *cache) {
  if (cache) mi_cache_free(cache);
}

mien_result mien_cache_load(const char *path, const mien_host *given, mien_cache **out,
                            mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!path || !out)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no path, or nowhere to put the cache");
  mien_host host;
  mien_result result = mi_host_resolve(given, &host, err);
  return result == MIEN_OK ? mi_cache_load(path, &host, out, err) : result;
}

const mien_cache_info *mien_cache_get_info(const mien_cache *cache) {
  return cache ? mi_cache_info(cache) : NULL;
}
