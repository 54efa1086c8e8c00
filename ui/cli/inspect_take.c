#include "inspect.h"

#include <math.h>
#include <string.h>

static json_t *describe_channel(const mien_take_info *t, int channel) {
  double low = INFINITY, high = -INFINITY;
  for (int f = 0; f < t->nframe; f++) {
    double weight = t->weights[(size_t)f * (size_t)t->nchannel + (size_t)channel];
    low = fmin(low, weight);
    high = fmax(high, weight);
  }
  return json_pack("{s:s, s:f, s:f}", "name", t->channels[channel], "min", low, "max", high);
}

// How far the head gets from where it started.
static json_t *describe_head(const mien_take_info *t) {
  if (!t->head) return json_null();
  double way = 0, turn = 0;
  for (int f = 0; f < t->nframe; f++) {
    double squared = 0, cosine = 0;
    for (int k = 0; k < 3; k++) {
      double d = t->head[f].translation[k] - t->head[0].translation[k];
      squared += d * d;
    }
    for (int k = 0; k < 4; k++) cosine += t->head[f].rotation[k] * t->head[0].rotation[k];
    way = fmax(way, sqrt(squared));
    turn = fmax(turn, 2 * acos(fmin(1, fabs(cosine))));
  }
  return json_pack("{s:f, s:f}", "largest_way_cm", 100 * way, "largest_turn_degrees",
                   57.29577951308232 * turn);
}

json_t *inspect_take(const mien_take *take) {
  const mien_take_info *t = mien_take_get_info(take);
  json_t *channels = json_array(), *warnings = json_array();
  int noutside = 0;
  for (int c = 0; c < t->nchannel; c++) {
    json_t *channel = describe_channel(t, c);
    noutside += json_number_value(json_object_get(channel, "min")) < -0.5 ||
                json_number_value(json_object_get(channel, "max")) > 1.5;
    json_array_append_new(channels, channel);
  }
  if (noutside)
    json_array_append_new(warnings, json_sprintf("%d channels go far outside 0 to 1", noutside));
  double slowest = 0;
  for (int f = 1; f < t->nframe; f++) slowest = fmax(slowest, t->times[f] - t->times[f - 1]);
  if (t->frame_rate > 0 && slowest * t->frame_rate > 2.5)
    json_array_append_new(warnings,
                          json_sprintf("frames are missing: the longest gap is %.2f s", slowest));
  return json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:o, s:o, s:o}", "kind", "take", "name",
                   t->name ? t->name : "", "frames", t->nframe, "start", t->start, "end", t->end,
                   "frame_rate", t->frame_rate, "channels", channels, "head", describe_head(t),
                   "warnings", warnings);
}

json_t *inspect_matching(const mien_rig *rig, const mien_take *bound) {
  static const char *const kinds[] = {"name", "meaning", "stand-in"};
  const mien_take_info *t = mien_take_get_info(bound);
  const mien_rig_info *info = mien_rig_get_info(rig);
  json_t *matches = json_array(), *missing = json_array(), *still = json_array();
  for (int k = 0; k < t->nmatch; k++)
    json_array_append_new(matches,
                          json_pack("{s:s, s:s, s:f, s:s}", "channel", t->matches[k].channel,
                                    "shape", t->matches[k].shape, "share",
                                    (double)t->matches[k].share, "by", kinds[t->matches[k].kind]));
  for (int k = 0; k < t->nmissing; k++) json_array_append_new(missing, json_string(t->missing[k]));
  for (int s = 0; s < info->nshape; s++) {
    bool is_driven = false;
    for (int k = 0; k < t->nmatch; k++)
      is_driven |= !strcmp(t->matches[k].shape, info->shapes[s].name);
    // in-betweens and correctives move without a channel of their own
    for (int f = 0; f < t->nframe && !is_driven; f++)
      is_driven = t->weights[(size_t)f * (size_t)info->nshape + (size_t)s] != 0;
    if (!is_driven) json_array_append_new(still, json_string(info->shapes[s].name));
  }
  return json_pack("{s:o, s:o, s:o}", "matches", matches, "missing", missing, "still", still);
}

json_t *inspect_cache(const mien_cache *cache) {
  const mien_cache_info *info = mien_cache_get_info(cache);
  float low[3] = {0}, high[3] = {0}, most = 0;
  size_t row = 3 * (size_t)info->npoint, nbad = 0;
  for (size_t k = 0; k < (size_t)info->nframe * row; k++) {
    float value = info->points[k];
    if (!isfinite(value)) {
      nbad++;
      continue;
    }
    low[k % 3] = k < 3 ? value : fminf(low[k % 3], value);
    high[k % 3] = k < 3 ? value : fmaxf(high[k % 3], value);
    if (k >= row) most = fmaxf(most, fabsf(value - info->points[k - row]));
  }
  json_t *warnings = json_array();
  if (!info->nframe) json_array_append_new(warnings, json_string("the cache has no frames"));
  if (nbad) json_array_append_new(warnings, json_sprintf("%zu numbers are not finite", nbad));
  return json_pack("{s:s, s:i, s:i, s:f, s:o, s:o, s:f, s:o}", "kind", "cache", "points",
                   info->npoint, "frames", info->nframe, "first_frame", info->first_frame,
                   "box_min_cm", inspect_numbers(low, 3, 100), "box_max_cm",
                   inspect_numbers(high, 3, 100), "largest_change_mm", 1000.0 * most, "warnings",
                   warnings);
}
