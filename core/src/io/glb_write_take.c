// A take as glTF animation: the weights of every part, and the head's node.
#include "io/glb_writer.h"

#include "rig/rig.h"

// The frames that are written: glTF wants times of 0 or more that rise as floats.
typedef struct frames {
  float *times;
  int *frame;
  int count;
  int input; // accessor
} frames;

static bool pick_frames(mi_glb_writer *w, const mien_take_info *take, frames *out) {
  out->times = mi_glb_take(w, (size_t)take->nframe, sizeof *out->times);
  out->frame = mi_glb_take(w, (size_t)take->nframe, sizeof *out->frame);
  if (!out->times || !out->frame) return false;
  double shift = take->times[0] < 0 ? -take->times[0] : 0;
  for (int f = 0; f < take->nframe; f++) {
    float time = (float)(take->times[f] + shift);
    if (out->count && time <= out->times[out->count - 1]) continue;
    out->times[out->count] = time;
    out->frame[out->count++] = f;
  }
  float *last = &out->times[out->count - 1];
  size_t size = (size_t)out->count * sizeof *out->times;
  mi_glb_array array = {.view = mi_glb_add_view(w, out->times, size, 0),
                        .component = MI_GLB_FLOAT,
                        .count = out->count,
                        .width = 1,
                        .low = out->times,
                        .high = last};
  out->input = mi_glb_add_accessor(w, &array);
  return true;
}

static void add_channel(mi_glb_writer *w, json_t *animation, const frames *at, int output, int node,
                        const char *path) {
  json_t *samplers = json_object_get(animation, "samplers");
  int sampler = mi_glb_length(samplers);
  mi_glb_append(w, samplers,
                json_pack("{s:i, s:i, s:s}", "input", at->input, "output", output, "interpolation",
                          "LINEAR"));
  mi_glb_append(
      w, json_object_get(animation, "channels"),
      json_pack("{s:i, s:{s:i, s:s}}", "sampler", sampler, "target", "node", node, "path", path));
}

static void add_weights(mi_glb_writer *w, json_t *animation, const frames *at,
                        const mien_take_info *bound, int p) {
  const mi_glb_out *out = &w->part[p];
  size_t n = (size_t)out->nshape;
  float *value = n ? mi_glb_take(w, (size_t)at->count * n, sizeof *value) : NULL;
  if (!value) return;
  for (int f = 0; f < at->count; f++) {
    const float *row = bound->weights + (size_t)at->frame[f] * (size_t)bound->nchannel;
    for (size_t i = 0; i < n; i++) value[(size_t)f * n + i] = row[out->shape[i]];
  }
  int output = mi_glb_add_floats(w, value, at->count * out->nshape, 1, 0);
  add_channel(w, animation, at, output, p, "weights");
}

static void add_head(mi_glb_writer *w, json_t *animation, const frames *at,
                     const mien_take_info *take, int node) {
  float *rotation = mi_glb_take(w, (size_t)at->count * 4, sizeof *rotation);
  float *translation = mi_glb_take(w, (size_t)at->count * 3, sizeof *translation);
  if (!rotation || !translation) return;
  for (int f = 0; f < at->count; f++) {
    const mien_rigid *head = &take->head[at->frame[f]];
    for (int k = 0; k < 4; k++) rotation[4 * (size_t)f + (size_t)k] = (float)head->rotation[k];
    for (int k = 0; k < 3; k++)
      translation[3 * (size_t)f + (size_t)k] = (float)head->translation[k];
  }
  add_channel(w, animation, at, mi_glb_add_floats(w, rotation, at->count, 4, 0), node, "rotation");
  add_channel(w, animation, at, mi_glb_add_floats(w, translation, at->count, 3, 0), node,
              "translation");
}

mien_result mi_glb_make_animation(mi_glb_writer *w, const mien_rig *rig, const mien_take *take,
                                  int head_node, json_t **out) {
  mien_take *bound;
  int unmatched = 0;
  mien_result result = mi_take_bind(take, rig, &bound, &unmatched, w->err);
  if (result < 0) return result;
  frames at = {0};
  json_t *animation = mi_glb_keep(w, json_object());
  mi_glb_set(w, animation, "name", mi_glb_text(w, take->info.name));
  mi_glb_set(w, animation, "samplers", json_array());
  mi_glb_set(w, animation, "channels", json_array());
  bool has_weights = unmatched < take->info.nchannel;
  if (pick_frames(w, &take->info, &at)) {
    for (int p = 0; has_weights && p < w->rig->npart; p++)
      add_weights(w, animation, &at, &bound->info, p);
    if (head_node >= 0) add_head(w, animation, &at, &bound->info, head_node);
  }
  mi_arena_delete(bound->arena);
  *out = animation;
  return MIEN_OK;
}
