// A take from the first animation of a .glb: morph weights, and the motion of the head's node.
#include "io/glb_take.h"

#include "io/name_table.h"
#include "rig/rig.h"

#include <stdlib.h>

enum { RESAMPLE = 60 }; // per second, between keys that are not joined by straight lines

// A track of weights, and which channel each of its targets is (-1 = told by an earlier track).
typedef struct weight_track {
  mi_glb_track track;
  int *channel;
} weight_track;

typedef struct take_reader {
  mi_glb *glb;
  mi_glb_scene scene;
  const json_t *animation;
  mi_name_table channels;
  weight_track *weight;
  int nweight;
  mi_glb_head head;
  double *times;
  int nframe;
} take_reader;

static mien_result add_weights(take_reader *r, const json_t *channel, int node) {
  mi_glb *glb = r->glb;
  int mesh, ntarget = 0;
  mien_result result =
      mi_glb_index(glb, json_array_get(glb->nodes, (size_t)node), "mesh", glb->meshes, &mesh);
  if (result < 0 || mesh < 0) return result;
  const json_t *json = json_array_get(glb->meshes, (size_t)mesh);
  const char **names = mi_glb_target_names(glb, json, &ntarget);
  if (!names) return glb->err->code;
  if (!ntarget) return MIEN_OK;
  weight_track *weight = &r->weight[r->nweight];
  weight->channel = mi_glb_push(glb, (size_t)ntarget, sizeof *weight->channel);
  if (!weight->channel) return glb->err->code;
  result = mi_glb_read_track(glb, r->animation, channel, ntarget, &weight->track);
  if (result < 0) return result;
  for (int t = 0; t < ntarget; t++) {
    int before = r->channels.count, c = mi_name_add(&r->channels, names[t]);
    if (c < 0) return mi_fail_memory(glb->err);
    weight->channel[t] = c == before ? c : -1;
  }
  r->nweight++;
  return MIEN_OK;
}

static mien_result read_channels(take_reader *r) {
  mi_glb *glb = r->glb;
  const json_t *channels = json_object_get(r->animation, "channels");
  int count = mi_glb_length(channels);
  r->weight = mi_glb_push(glb, (size_t)count, sizeof *r->weight);
  if (!r->weight) return glb->err->code;
  for (int i = 0; i < count; i++) {
    const json_t *channel = json_array_get(channels, (size_t)i);
    const json_t *target = json_object_get(channel, "target");
    const char *path = json_string_value(json_object_get(target, "path"));
    int node;
    mien_result result = mi_glb_index(glb, target, "node", glb->nodes, &node);
    if (result >= 0 && node >= 0 && path && strcmp(path, "weights") == 0)
      result = add_weights(r, channel, node);
    if (result < 0) return result;
  }
  return mi_glb_read_head(glb, &r->scene, r->animation, &r->head);
}

// -- Frames: the times of all keys ----------------------------------------------------------------

static double extra_frames(const mi_glb_track *track, int key) {
  if (track->interpolation == MI_LINEAR || key + 1 >= track->nkey) return 0;
  double gap = (double)track->times[key + 1] - (double)track->times[key];
  return fmax(0, ceil(gap * RESAMPLE - 1e-3) - 1);
}

static double count_frames(const mi_glb_track *track) {
  double count = track->nkey;
  for (int k = 0; k < track->nkey; k++) count += extra_frames(track, k);
  return count;
}

static int add_frames(const mi_glb_track *track, double *times) {
  int n = 0;
  for (int k = 0; k < track->nkey; k++) {
    double at = track->times[k];
    int extra = (int)extra_frames(track, k);
    times[n++] = at;
    for (int i = 1; i <= extra; i++)
      times[n++] = at + ((double)track->times[k + 1] - at) * i / (extra + 1);
  }
  return n;
}

static int by_time(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static mien_result merge_times(take_reader *r) {
  const mi_glb_track *head[2] = {&r->head.rotation, &r->head.translation};
  double total = 0;
  for (int i = 0; i < r->nweight; i++) total += count_frames(&r->weight[i].track);
  for (int i = 0; i < 2; i++) total += count_frames(head[i]);
  if (total > 1e7)
    return mi_fail(r->glb->err, MIEN_ERR_FORMAT, "the animation is too long: %.0f frames", total);
  double *times = mi_glb_push(r->glb, (size_t)total, sizeof *times);
  if (!times) return r->glb->err->code;
  int n = 0, kept = 0;
  for (int i = 0; i < r->nweight; i++) n += add_frames(&r->weight[i].track, times + n);
  for (int i = 0; i < 2; i++) n += add_frames(head[i], times + n);
  qsort(times, (size_t)n, sizeof *times, by_time);
  // exporters round the same frame differently in different samplers
  for (int i = 0; i < n; i++)
    if (kept == 0 || times[i] - times[kept - 1] > 1e-6) times[kept++] = times[i];
  r->times = times;
  r->nframe = kept;
  return MIEN_OK;
}

static mien_result sample_weights(take_reader *r, float **out) {
  mi_glb *glb = r->glb;
  int widest = 1, nchannel = r->channels.count;
  for (int i = 0; i < r->nweight; i++)
    if (r->weight[i].track.width > widest) widest = r->weight[i].track.width;
  float *weights = mi_glb_push(glb, (size_t)r->nframe * (size_t)nchannel, sizeof *weights);
  double *value = weights ? mi_glb_push(glb, (size_t)widest, sizeof *value) : NULL;
  if (!value) return glb->err->code;
  for (int i = 0; i < r->nweight; i++) {
    const weight_track *weight = &r->weight[i];
    int cursor = 0;
    size_t width = (size_t)weight->track.width;
    if (!mi_glb_charge(glb, (size_t)r->nframe * width, sizeof *weights)) return glb->err->code;
    for (int f = 0; f < r->nframe; f++) {
      mi_glb_track_at(&weight->track, r->times[f], false, &cursor, value);
      float *row = weights + (size_t)f * (size_t)nchannel;
      for (int k = 0; k < weight->track.width; k++)
        if (weight->channel[k] >= 0) row[weight->channel[k]] = (float)value[k];
    }
  }
  *out = weights;
  return MIEN_OK;
}

static mien_result make_take(take_reader *r, mien_take **out) {
  mi_glb *glb = r->glb;
  mien_take_def def;
  mien_take_def_init(&def);
  float *weights = NULL;
  mien_result result = merge_times(r);
  if (result >= 0) result = sample_weights(r, &weights);
  if (result < 0) return result;
  if (r->head.node >= 0) {
    mien_rigid *head = mi_glb_push(glb, (size_t)r->nframe, sizeof *head);
    if (!head) return glb->err->code;
    mi_glb_sample_head(&r->head, r->times, r->nframe, head);
    def.head = head;
  }
  const char *name = mi_glb_name(r->animation);
  def.name = name ? name : "take";
  def.channels = r->channels.name;
  def.nchannel = r->channels.count;
  def.nframe = r->nframe;
  def.times = r->times;
  def.weights = weights;
  return mi_take_create(&def, glb->host, out, glb->err);
}

static mien_result read_take(mi_glb *glb, mien_take **out) {
  take_reader r = {.glb = glb, .channels = {.arena = &glb->arena}};
  const json_t *animations = json_object_get(glb->root, "animations");
  int count = mi_glb_length(animations);
  r.animation = count ? json_array_get(animations, 0) : NULL;
  mien_result result = mi_glb_read_scene(glb, &r.scene);
  if (result >= 0) result = read_channels(&r);
  if (result < 0) return result;
  if (r.nweight == 0 && r.head.node < 0)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file holds no animation of shapes or head");
  result = make_take(&r, out);
  if (result >= 0 && count > 1)
    mi_log(glb->host, MIEN_LOG_WARNING, "the file holds %d animations; only the first is read",
           count);
  return result;
}

mien_result mi_glb_read_take(const void *bytes, size_t size, const mien_host *host, mien_take **out,
                             mien_error *err) {
  mi_glb glb;
  mien_result result = mi_glb_open(&glb, bytes, size, host, err);
  if (result < 0) return result;
  result = read_take(&glb, out);
  mi_glb_close(&glb);
  return result;
}
