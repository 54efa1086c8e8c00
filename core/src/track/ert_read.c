// dlib's files: whole numbers are a byte that tells length and sign, then that many bytes; a float
// is two of them, mantissa and exponent; vectors begin with their length, matrices with minus their
// sides.
#include "track/ert_model.h"

#include <math.h>

typedef struct reader {
  const unsigned char *at, *end;
  bool is_broken;
} reader;

static int64_t read_whole(reader *r) {
  if (r->at >= r->end) {
    r->is_broken = true;
    return 0;
  }
  int control = *r->at++, count = control & 15;
  if (count > 8 || control & 0x70 || count > r->end - r->at) {
    r->is_broken = true;
    return 0;
  }
  uint64_t value = 0;
  for (int i = count; i--;) value = value << 8 | r->at[i];
  r->at += count;
  if (value > INT64_MAX) r->is_broken = true;
  return control & 0x80 ? -(int64_t)(value & INT64_MAX) : (int64_t)(value & INT64_MAX);
}

static float read_float(reader *r) {
  int64_t mantissa = read_whole(r), exponent = read_whole(r);
  double value = exponent > -2000 && exponent < 2000 ? ldexp((double)mantissa, (int)exponent) : NAN;
  if (!(fabs(value) < 1e6)) r->is_broken = true; // parts of a box, grey values
  return r->is_broken ? 0 : (float)value;
}

// A number that must be in [low, high].
static int read_count(reader *r, int64_t low, int64_t high) {
  int64_t count = read_whole(r);
  if (count < low || count > high) r->is_broken = true;
  return r->is_broken ? 0 : (int)count;
}

static void read_column(reader *r, float *value) {
  read_count(r, -MI_ERT_VALUES, -MI_ERT_VALUES);
  read_count(r, -1, -1);
  for (int i = 0; i < MI_ERT_VALUES && !r->is_broken; i++) value[i] = read_float(r);
}

static bool is_tree_size(int nsplit) {
  return nsplit >= 1 && nsplit <= 255 && (nsplit & (nsplit + 1)) == 0;
}

static void read_tree(reader *r, mi_ert *ert, size_t tree) {
  read_count(r, ert->nsplit, ert->nsplit);
  for (int s = 0; s < ert->nsplit && !r->is_broken; s++) {
    mi_ert_split *split = &ert->split[tree * (size_t)ert->nsplit + (size_t)s];
    split->a = (uint16_t)read_count(r, 0, MI_ERT_MOST_PIXEL - 1);
    split->b = (uint16_t)read_count(r, 0, MI_ERT_MOST_PIXEL - 1);
    split->threshold = read_float(r);
  }
  int nleaf = ert->nsplit + 1;
  read_count(r, nleaf, nleaf);
  for (int l = 0; l < nleaf && !r->is_broken; l++)
    read_column(r, ert->leaf + (tree * (size_t)nleaf + (size_t)l) * MI_ERT_VALUES);
}

static void read_pixels(reader *r, mi_ert *ert) {
  read_count(r, ert->ncascade, ert->ncascade);
  for (int c = 0; c < ert->ncascade && !r->is_broken; c++) {
    read_count(r, ert->npixel, ert->npixel);
    for (int i = 0; i < ert->npixel && !r->is_broken; i++)
      ert->anchor[c * ert->npixel + i] = (uint8_t)read_count(r, 0, MIEN_POINTS_ERT - 1);
  }
  read_count(r, ert->ncascade, ert->ncascade);
  for (int c = 0; c < ert->ncascade && !r->is_broken; c++) {
    read_count(r, ert->npixel, ert->npixel);
    for (int i = 0; i < 2 * ert->npixel && !r->is_broken; i++)
      ert->delta[2 * c * ert->npixel + i] = read_float(r);
  }
}

// Sizes come with the data: a first pass counts, a second reads.
static void measure(const reader *from, mi_ert *ert) {
  reader r = *from;
  ert->ncascade = read_count(&r, 1, 64);
  ert->ntree = read_count(&r, 1, 4096);
  ert->nsplit = read_count(&r, 1, 255);
}

static bool reserve(mi_ert *ert) {
  size_t ntree = (size_t)ert->ncascade * (size_t)ert->ntree;
  ert->split = MI_PUSH_RAW(&ert->arena, mi_ert_split, ntree * (size_t)ert->nsplit);
  ert->leaf = MI_PUSH_RAW(&ert->arena, float, ntree *(size_t)(ert->nsplit + 1) * MI_ERT_VALUES);
  return ert->split && ert->leaf;
}

static bool reserve_pixels(mi_ert *ert) {
  size_t npixel = (size_t)ert->ncascade * (size_t)ert->npixel;
  ert->anchor = MI_PUSH(&ert->arena, uint8_t, npixel);
  ert->delta = MI_PUSH(&ert->arena, float, 2 * npixel);
  return ert->anchor && ert->delta;
}

static void read_forests(reader *r, mi_ert *ert) {
  read_count(r, ert->ncascade, ert->ncascade);
  for (int c = 0; c < ert->ncascade && !r->is_broken; c++) {
    read_count(r, ert->ntree, ert->ntree);
    for (int t = 0; t < ert->ntree && !r->is_broken; t++)
      read_tree(r, ert, (size_t)c * (size_t)ert->ntree + (size_t)t);
  }
}

static bool names_its_pixels(const mi_ert *ert) {
  size_t nsplit = (size_t)ert->ncascade * (size_t)ert->ntree * (size_t)ert->nsplit;
  for (size_t i = 0; i < nsplit; i++)
    if (ert->split[i].a >= ert->npixel || ert->split[i].b >= ert->npixel) return false;
  return true;
}

static mien_result damaged(mien_error *err) {
  return mi_fail(err, MIEN_ERR_FORMAT, "this is not a 68-point shape predictor, or it is damaged");
}

static mien_result read_model(reader *r, mi_ert *ert, mien_error *err) {
  ert->mean = MI_PUSH(&ert->arena, float, MI_ERT_VALUES);
  if (!ert->mean) return mi_fail_memory(err);
  read_count(r, 1, 1); // version
  read_column(r, ert->mean);
  measure(r, ert);
  size_t nleaf = (size_t)ert->ncascade * (size_t)ert->ntree * (size_t)(ert->nsplit + 1);
  // every number takes at least two bytes: a file that is too short must not take memory
  bool is_long = nleaf * MI_ERT_VALUES * 2 <= (size_t)(r->end - r->at);
  if (r->is_broken || !is_tree_size(ert->nsplit) || !is_long) return damaged(err);
  if (!reserve(ert)) return mi_fail_memory(err);
  read_forests(r, ert);
  reader ahead = *r;
  read_whole(&ahead);
  ert->npixel = read_count(&ahead, 1, MI_ERT_MOST_PIXEL);
  if (r->is_broken || ahead.is_broken) return damaged(err);
  if (!reserve_pixels(ert)) return mi_fail_memory(err);
  read_pixels(r, ert);
  return r->is_broken || !names_its_pixels(ert) ? damaged(err) : MIEN_OK;
}

mien_result mi_ert_read(const void *bytes, size_t size, const mien_host *host, mi_ert **out,
                        mien_error *err) {
  mi_ert *ert = MI_CREATE(mi_ert, host);
  if (!ert) return mi_fail_memory(err);
  reader r = {bytes, (const unsigned char *)bytes + size, false};
  mien_result result = read_model(&r, ert, err);
  if (result < 0) {
    mi_ert_free(ert);
    return result;
  }
  *out = ert;
  return MIEN_OK;
}

void mi_ert_free(mi_ert *ert) {
  if (!ert) return;
  mi_arena_delete(ert->arena);
}
