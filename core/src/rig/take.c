// A performance: weights and head motion over time.
#include "rig/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void(mien_take_def_init)(mien_take_def *def, size_t struct_size) {
  mi_struct_init(def, struct_size, &(mien_take_def){0}, sizeof *def);
}

static mien_result check_head(const mien_rigid *head, int frame, mien_error *err) {
  double length2 = 0;
  for (int k = 0; k < 4; k++) length2 += head->rotation[k] * head->rotation[k];
  double place = head->translation[0] + head->translation[1] + head->translation[2];
  if (!isfinite(length2) || !isfinite(place))
    return mi_fail(err, MIEN_ERR_NOT_FINITE, "the head of frame %d is not finite", frame);
  if (fabs(length2 - 1) > 1e-3)
    return mi_fail(err, MIEN_ERR_ARGUMENT,
                   "the head's rotation in frame %d is not a unit quaternion", frame);
  return MIEN_OK;
}

static mien_result check_frame(const mien_take_def *def, int f, mien_error *err) {
  if (!isfinite(def->times[f]) || (f && !(def->times[f] > def->times[f - 1])))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the time of frame %d does not come after frame %d", f,
                   f - 1);
  for (int c = 0; c < def->nchannel; c++)
    if (!isfinite(def->weights[(size_t)f * (size_t)def->nchannel + (size_t)c]))
      return mi_fail(err, MIEN_ERR_NOT_FINITE, "channel '%s' is not finite in frame %d",
                     def->channels[c], f);
  return def->head ? check_head(def->head + f, f, err) : MIEN_OK;
}

static mien_result check(const mien_take_def *def, mien_error *err) {
  if (def->nframe <= 0 || !def->times)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the take has no frames");
  if (def->nchannel < 0 || (def->nchannel && (!def->channels || !def->weights)))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the take's channels are missing");
  for (int c = 0; c < def->nchannel; c++)
    if (!def->channels[c]) return mi_fail(err, MIEN_ERR_ARGUMENT, "channel %d has no name", c);
  mien_result result = MIEN_OK;
  for (int f = 0; result == MIEN_OK && f < def->nframe; f++) result = check_frame(def, f, err);
  return result;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median_rate(const double *times, int nframe, double *gaps) {
  if (nframe < 2) return 0;
  for (int f = 1; f < nframe; f++) gaps[f - 1] = times[f] - times[f - 1];
  qsort(gaps, (size_t)nframe - 1, sizeof *gaps, by_size);
  return 1 / gaps[(nframe - 1) / 2];
}

// unit length, and never the long way round to the next frame
static void copy_head(mien_rigid *to, const mien_rigid *from, int nframe) {
  for (int f = 0; f < nframe; f++) {
    to[f] = from[f];
    double length2 = 0, towards = 0;
    for (int k = 0; k < 4; k++) {
      length2 += to[f].rotation[k] * to[f].rotation[k];
      if (f) towards += to[f].rotation[k] * to[f - 1].rotation[k];
    }
    double scale = (towards < 0 ? -1 : 1) / sqrt(length2);
    for (int k = 0; k < 4; k++) to[f].rotation[k] *= scale;
  }
}

static bool copy(mien_take *take, const mien_take_def *def) {
  mien_take_info *info = &take->info;
  size_t nframe = (size_t)def->nframe, nchannel = (size_t)def->nchannel;
  const char **channels = MI_PUSH(&take->arena, const char *, nchannel);
  double *times = MI_PUSH(&take->arena, double, nframe);
  double *gaps = MI_PUSH(&take->arena, double, nframe);
  float *weights = MI_PUSH(&take->arena, float, nframe *nchannel);
  mien_rigid *head = def->head ? MI_PUSH(&take->arena, mien_rigid, nframe) : NULL;
  info->name = mi_arena_name(&take->arena, def->name ? def->name : "take");
  if (!channels || !times || !gaps || !weights || !info->name || (def->head && !head)) return false;
  for (int c = 0; c < def->nchannel; c++) {
    channels[c] = mi_arena_name(&take->arena, def->channels[c]);
    if (!channels[c]) return false;
  }
  memcpy(times, def->times, nframe * sizeof *times);
  if (nchannel) memcpy(weights, def->weights, nframe * nchannel * sizeof *weights);
  if (head) copy_head(head, def->head, def->nframe);
  info->nchannel = def->nchannel;
  info->nframe = def->nframe;
  info->start = times[0];
  info->end = times[nframe - 1];
  info->frame_rate = median_rate(times, def->nframe, gaps);
  info->channels = channels;
  info->times = times;
  info->weights = weights;
  info->head = head;
  info->about_pivot = def->head && def->about_pivot != 0;
  return true;
}

mien_result mi_take_create(const mien_take_def *def, const mien_host *given, mien_take **out,
                           mien_error *err) {
  mien_host host;
  mien_result result = mi_host_resolve(given, &host, err);
  if (result == MIEN_OK) result = check(def, err);
  if (result != MIEN_OK) return result;
  mien_take *take = MI_CREATE(mien_take, &host);
  if (!take) return mi_fail_memory(err);
  take->host = host;
  if (!copy(take, def)) {
    mi_arena_delete(take->arena);
    return mi_fail_memory(err);
  }
  *out = take;
  return MIEN_OK;
}

static mien_rigid blend(const mien_rigid *a, const mien_rigid *b, double t) {
  mien_rigid out;
  double cosine = 0;
  for (int k = 0; k < 4; k++) cosine += a->rotation[k] * b->rotation[k];
  double angle = acos(fmin(1, cosine)), wa = 1 - t, wb = t;
  if (angle > 1e-4) {
    wa = sin((1 - t) * angle) / sin(angle);
    wb = sin(t * angle) / sin(angle);
  }
  double length2 = 0;
  for (int k = 0; k < 4; k++) {
    out.rotation[k] = wa * a->rotation[k] + wb * b->rotation[k];
    length2 += out.rotation[k] * out.rotation[k];
  }
  for (int k = 0; k < 4; k++) out.rotation[k] /= sqrt(length2);
  for (int k = 0; k < 3; k++)
    out.translation[k] = (1 - t) * a->translation[k] + t * b->translation[k];
  return out;
}

void mi_take_sample(const mien_take *take, double time, float *weights, mien_rigid *head) {
  const mien_take_info *info = &take->info;
  int low = 0, high = info->nframe - 1; // the last frame at or before `time`
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (info->times[middle] <= time)
      low = middle;
    else
      high = middle - 1;
  }
  int next = low + 1 < info->nframe ? low + 1 : low;
  double gap = info->times[next] - info->times[low];
  double t = gap > 0 ? fmin(1, fmax(0, (time - info->times[low]) / gap)) : 0;
  // a time written with fewer digits than a double has is still that frame's, to the last bit
  if (t < 1e-6) t = 0;
  if (t > 1 - 1e-6) t = 1;
  const float *a = info->weights + (size_t)low * (size_t)info->nchannel;
  const float *b = info->weights + (size_t)next * (size_t)info->nchannel;
  for (int c = 0; weights && c < info->nchannel; c++)
    weights[c] = (float)((1 - t) * a[c] + t * b[c]);
  if (!head) return;
  *head = (mien_rigid){.rotation = {0, 0, 0, 1}};
  if (info->head) *head = blend(info->head + low, info->head + next, t);
}
