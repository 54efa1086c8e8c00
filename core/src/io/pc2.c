#include "io/cache.h"
#include "io/io.h"

#include <math.h>
#include <string.h>

enum { HEADER = 32, COUNT_AT = 28 };

struct mi_pc2 {
  mi_arena arena; // holds this very struct
  mi_file *file;
  mi_pc2_def def;
  int nframe;
  float *row; // a frame, tightly packed
};

static void pack_header(const mi_pc2_def *def, int32_t nframe, unsigned char out[HEADER]) {
  const int32_t version = 1, npoint = def->npoint;
  memcpy(out, "POINTCACHE2", 12);
  memcpy(out + 12, &version, 4);
  memcpy(out + 16, &npoint, 4);
  memcpy(out + 20, &def->start, 4);
  memcpy(out + 24, &def->step, 4);
  memcpy(out + COUNT_AT, &nframe, 4);
}

static mien_result unpack_header(const unsigned char *bytes, const char *path, mi_pc2_frames *out,
                                 mien_error *err) {
  int32_t version, npoint, nframe;
  memcpy(&version, bytes + 12, 4);
  memcpy(&npoint, bytes + 16, 4);
  memcpy(&out->def.start, bytes + 20, 4);
  memcpy(&out->def.step, bytes + 24, 4);
  memcpy(&nframe, bytes + COUNT_AT, 4);
  if (memcmp(bytes, "POINTCACHE2", 12) != 0 || version != 1)
    return mi_fail(err, MIEN_ERR_FORMAT, "%.150s is not a PC2 cache of version 1", path);
  if (npoint < 1 || nframe < 0 || !isfinite(out->def.start) || !isfinite(out->def.step))
    return mi_fail(err, MIEN_ERR_FORMAT, "%.150s is damaged: %d points, %d samples", path, npoint,
                   nframe);
  out->def.npoint = npoint;
  out->nframe = nframe;
  return MIEN_OK;
}

static mien_result check_def(const mi_pc2_def *def, mien_error *err) {
  if (def->npoint < 1 || !isfinite(def->start) || !(def->step > 0) || !isfinite(def->step))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "a PC2 cache needs points and a step above 0");
  return MIEN_OK;
}

static mien_result make(const mi_pc2_def *def, const mien_host *host, mi_pc2 **out,
                        mien_error *err) {
  mi_arena arena;
  mi_arena_init(&arena, host);
  mi_pc2 *pc2 = MI_PUSH(&arena, mi_pc2, 1);
  float *row = MI_PUSH(&arena, float, 3 * (size_t)def->npoint);
  if (!pc2 || !row) {
    mi_arena_free(&arena);
    return mi_fail_memory(err);
  }
  *pc2 = (mi_pc2){.arena = arena, .def = *def, .row = row};
  *out = pc2;
  return MIEN_OK;
}

static void release(mi_pc2 *pc2) {
  mi_arena_delete(pc2->arena);
}

static void write_header(mi_pc2 *pc2) {
  unsigned char header[HEADER];
  pack_header(&pc2->def, 0, header);
  mi_file_write(pc2->file, header, sizeof header);
}

mien_result mi_pc2_create(const char *path, const mi_pc2_def *def, const mien_host *host,
                          mi_pc2 **out, mien_error *err) {
  mi_pc2 *pc2;
  mien_result result = check_def(def, err);
  if (result >= 0) result = make(def, host, &pc2, err);
  if (result < 0) return result;
  result = mi_file_begin(path, host, &pc2->file, err);
  if (result < 0) {
    release(pc2);
    return result;
  }
  write_header(pc2);
  *out = pc2;
  return MIEN_OK;
}

// Whole frames of an earlier program are kept, `most` at most (-1 = all). A part that holds none is
// begun anew, whatever it is.
static mien_result find_end(mi_pc2 *pc2, const char *path, int most, mien_error *err) {
  unsigned char header[HEADER];
  mi_pc2_frames found = {0};
  int64_t frame = 12 * (int64_t)pc2->def.npoint, size = mi_file_size(pc2->file), whole = 0;
  if (size < 0) return mi_fail(err, MIEN_ERR_IO, "%.150s.part cannot be read", path);
  if (size > HEADER) {
    if (!mi_file_get(pc2->file, 0, header, sizeof header))
      return mi_fail(err, MIEN_ERR_IO, "%.150s.part cannot be read", path);
    mien_result result = unpack_header(header, path, &found, err);
    if (result < 0) return result;
    if (found.def.npoint != pc2->def.npoint || found.def.start != pc2->def.start ||
        found.def.step != pc2->def.step)
      return mi_fail(
          err, MIEN_ERR_MISMATCH, "%.150s.part holds %d points from frame %g, not %d from %g", path,
          found.def.npoint, (double)found.def.start, pc2->def.npoint, (double)pc2->def.start);
    whole = (size - HEADER) / frame;
  }
  if (most >= 0 && whole > most) whole = most;
  if (whole > INT32_MAX)
    return mi_fail(err, MIEN_ERR_IO, "%.150s.part holds too many frames", path);
  pc2->nframe = (int)whole;
  mi_file_cut(pc2->file, whole ? HEADER + whole * frame : 0);
  if (!whole) write_header(pc2);
  return mi_file_check(pc2->file, err);
}

mien_result mi_pc2_resume(const char *path, const mi_pc2_def *def, int most, const mien_host *host,
                          mi_pc2 **out, int *nframe, mien_error *err) {
  mi_pc2 *pc2;
  mien_result result = check_def(def, err);
  if (result >= 0) result = make(def, host, &pc2, err);
  if (result < 0) return result;
  result = mi_file_resume(path, host, &pc2->file, err);
  if (result >= 0) result = find_end(pc2, path, most, err);
  if (result < 0) {
    mi_file_suspend(pc2->file); // existing frames stay
    release(pc2);
    return result;
  }
  *nframe = pc2->nframe;
  *out = pc2;
  return MIEN_OK;
}

mien_result mi_pc2_append(mi_pc2 *pc2, const mien_f32s *points, mien_error *err) {
  if (points->count != pc2->def.npoint)
    return mi_fail(err, MIEN_ERR_MISMATCH, "a frame of %d points for a cache of %d", points->count,
                   pc2->def.npoint);
  if (pc2->nframe == INT32_MAX) return mi_fail(err, MIEN_ERR_ARGUMENT, "the cache is full");
  size_t stride = points->stride ? (size_t)points->stride : 3;
  for (int i = 0; i < points->count; i++)
    memcpy(pc2->row + 3 * (size_t)i, points->data + (size_t)i * stride, 3 * sizeof *pc2->row);
  mi_file_write(pc2->file, pc2->row, 3 * (size_t)points->count * sizeof *pc2->row);
  mien_result result = mi_file_flush(pc2->file, err); // a frame that was taken is not lost any more
  if (result >= 0) pc2->nframe++;
  return result;
}

const float *mi_pc2_get(mi_pc2 *pc2, int frame) {
  size_t size = 3 * (size_t)pc2->def.npoint * sizeof *pc2->row;
  bool is_there = frame >= 0 && frame < pc2->nframe &&
                  mi_file_get(pc2->file, HEADER + (int64_t)size * frame, pc2->row, size);
  return is_there ? pc2->row : NULL;
}

mien_result mi_pc2_sync(mi_pc2 *pc2, mien_error *err) {
  return mi_file_sync(pc2->file, err);
}

mien_result mi_pc2_commit(mi_pc2 *pc2, mien_error *err) {
  int32_t nframe = pc2->nframe;
  mi_file_patch(pc2->file, COUNT_AT, &nframe, sizeof nframe);
  mien_result result = mi_file_commit(pc2->file, err);
  release(pc2);
  return result;
}

void mi_pc2_suspend(mi_pc2 *pc2) {
  if (!pc2) return;
  mi_file_suspend(pc2->file);
  release(pc2);
}

void mi_pc2_abandon(mi_pc2 *pc2) {
  if (!pc2) return;
  mi_file_abandon(pc2->file);
  release(pc2);
}

mien_result mi_pc2_read(const char *path, mi_arena *arena, mi_pc2_frames *out, mien_error *err) {
  unsigned char *bytes;
  size_t size;
  mien_result result = mi_file_read(path, arena, &bytes, &size, err);
  if (result < 0) return result;
  if (size < HEADER) return mi_fail(err, MIEN_ERR_FORMAT, "%.150s is not a PC2 cache", path);
  result = unpack_header(bytes, path, out, err);
  if (result < 0) return result;
  uint64_t frame = 12 * (uint64_t)out->def.npoint;
  if ((size - HEADER) / frame < (uint64_t)out->nframe)
    return mi_fail(err, MIEN_ERR_FORMAT, "%.150s is cut short: it should hold %d samples", path,
                   out->nframe);
  out->points = (const float *)(const void *)(bytes + HEADER); // arenas align to 64
  return MIEN_OK;
}
