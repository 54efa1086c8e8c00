#include "io/glb_track.h"

// Floats one after the other, whatever the accessor's stride.
static mien_result read_tight(mi_glb *glb, const mi_accessor *accessor, const float **out) {
  mien_f32s view;
  mien_result result = mi_glb_floats(glb, accessor, &view);
  if (result < 0) return result;
  *out = view.data;
  if (view.stride == accessor->width) return MIEN_OK;
  size_t width = (size_t)accessor->width;
  float *tight = mi_glb_push(glb, (size_t)view.count * width, sizeof *tight);
  if (!tight) return glb->err->code;
  for (int i = 0; i < view.count; i++)
    memcpy(tight + (size_t)i * width, view.data + (size_t)i * (size_t)view.stride,
           width * sizeof *tight);
  *out = tight;
  return MIEN_OK;
}

static mien_result check_times(mi_glb *glb, const mi_glb_track *track) {
  for (int k = 0; k < track->nkey; k++)
    if (!(fabsf(track->times[k]) < 1e7f) || (k && track->times[k] <= track->times[k - 1]))
      return mi_fail(glb->err, MIEN_ERR_FORMAT,
                     "the animation is damaged: the time of key %d does not come after key %d", k,
                     k - 1);
  return MIEN_OK;
}

mien_result mi_glb_read_track(mi_glb *glb, const json_t *animation, const json_t *channel,
                              int width, mi_glb_track *out) {
  const json_t *samplers = json_object_get(animation, "samplers");
  int index, input, output;
  mien_result result = mi_glb_index(glb, channel, "sampler", samplers, &index);
  if (result < 0) return result;
  const json_t *sampler = index >= 0 ? json_array_get(samplers, (size_t)index) : NULL;
  result = mi_glb_index(glb, sampler, "input", glb->accessors, &input);
  if (result >= 0) result = mi_glb_index(glb, sampler, "output", glb->accessors, &output);
  if (result < 0) return result;
  if (input < 0 || output < 0)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the animation is damaged: a sampler has no keys");
  mi_accessor times, values;
  result = mi_glb_accessor(glb, input, &times);
  if (result >= 0) result = mi_glb_accessor(glb, output, &values);
  if (result < 0) return result;

  const char *how = json_string_value(json_object_get(sampler, "interpolation"));
  *out = (mi_glb_track){.nkey = times.count, .width = width, .interpolation = MI_LINEAR};
  if (how && strcmp(how, "STEP") == 0) out->interpolation = MI_STEP;
  if (how && strcmp(how, "CUBICSPLINE") == 0) out->interpolation = MI_CUBIC;
  int64_t expected = (int64_t)times.count * width * (out->interpolation == MI_CUBIC ? 3 : 1);
  if (times.width != 1 || times.count < 1 || (int64_t)values.count * values.width != expected)
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the animation is damaged: %d keys and %d values do not match", times.count,
                   values.count);
  result = read_tight(glb, &times, &out->times);
  if (result >= 0) result = read_tight(glb, &values, &out->values);
  return result < 0 ? result : check_times(glb, out);
}

static void copy_key(const mi_glb_track *track, int key, double *out) {
  int stride = track->interpolation == MI_CUBIC ? 3 * track->width : track->width;
  int skip = track->interpolation == MI_CUBIC ? track->width : 0;
  const float *value = track->values + (size_t)key * (size_t)stride + skip;
  for (int k = 0; k < track->width; k++) out[k] = value[k];
}

static void blend_linear(const mi_glb_track *track, int key, double t, double *out) {
  const float *a = track->values + (size_t)key * (size_t)track->width, *b = a + track->width;
  for (int k = 0; k < track->width; k++) out[k] = (1 - t) * (double)a[k] + t * (double)b[k];
}

static void blend_sphere(const mi_glb_track *track, int key, double t, double *out) {
  const float *a = track->values + (size_t)key * 4, *b = a + 4;
  double cosine = 0;
  for (int k = 0; k < 4; k++) cosine += (double)a[k] * (double)b[k];
  double sign = cosine < 0 ? -1 : 1, angle = acos(fmin(1, fabs(cosine)));
  double wa = 1 - t, wb = t;
  if (angle > 1e-4) {
    wa = sin((1 - t) * angle) / sin(angle);
    wb = sin(t * angle) / sin(angle);
  }
  for (int k = 0; k < 4; k++) out[k] = wa * (double)a[k] + sign * wb * (double)b[k];
}

// The Hermite cubic of glTF 2.0 appendix C.5: tangents are per second.
static void blend_cubic(const mi_glb_track *track, int key, double t, double *out) {
  int n = track->width;
  const float *a = track->values + (size_t)key * 3 * (size_t)n, *b = a + 3 * n;
  double span = (double)track->times[key + 1] - (double)track->times[key];
  double t2 = t * t, t3 = t2 * t;
  for (int k = 0; k < n; k++)
    out[k] = (2 * t3 - 3 * t2 + 1) * (double)a[n + k] +
             (t3 - 2 * t2 + t) * span * (double)a[2 * n + k] +
             (3 * t2 - 2 * t3) * (double)b[n + k] + (t3 - t2) * span * (double)b[k];
}

static void normalise(double q[4]) {
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  bool is_good = length > 1e-12 && isfinite(length);
  for (int k = 0; k < 4; k++) q[k] = is_good ? q[k] / length : (k == 3);
}

void mi_glb_track_at(const mi_glb_track *track, double time, bool is_rotation, int *cursor,
                     double *out) {
  int key = *cursor, last = track->nkey - 1;
  if ((double)track->times[key] > time) key = 0;
  while (key < last && (double)track->times[key + 1] <= time) key++;
  *cursor = key;
  double at = track->times[key];
  if (key == last || time <= at || track->interpolation == MI_STEP) {
    copy_key(track, key, out);
  } else {
    double t = (time - at) / ((double)track->times[key + 1] - at);
    if (track->interpolation == MI_CUBIC)
      blend_cubic(track, key, t, out);
    else if (is_rotation)
      blend_sphere(track, key, t, out);
    else
      blend_linear(track, key, t, out);
  }
  if (is_rotation) normalise(out);
}
