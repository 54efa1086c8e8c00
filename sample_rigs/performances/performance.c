#include "curves.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double FRAME_RATE = 60.0;

double curve_ease(double from, double to, double x) {
  double t = fmin(fmax((x - from) / (to - from), 0.0), 1.0);
  return t * t * t * (t * (6.0 * t - 15.0) + 10.0);
}

double curve_pulse_at(curve_pulse p, double time) {
  double top = p.start + p.rise, end = top + p.hold;
  return curve_ease(p.start, top, time) * (1.0 - curve_ease(end, end + p.fall, time));
}

static double lattice(unsigned lane, int x) {
  uint32_t h = (uint32_t)x * 0x9e3779b1u ^ (lane + 1u) * 0x85ebca77u;
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  h ^= h >> 16;
  return h * (2.0 / 4294967296.0) - 1.0;
}

double curve_noise(unsigned lane, double x) {
  int cell = (int)floor(x);
  double a = lattice(lane, cell), b = lattice(lane, cell + 1);
  return a + (b - a) * curve_ease(0.0, 1.0, x - cell);
}

mien_rigid head_rigid(head_pose p) {
  double cy = cos(0.5 * p.yaw), sy = sin(0.5 * p.yaw);
  double cp = cos(0.5 * p.pitch), sp = sin(0.5 * p.pitch);
  double cr = cos(0.5 * p.roll), sr = sin(0.5 * p.roll);
  // The quaternion product (0, sy, 0, cy) (sp, 0, 0, cp) (0, 0, sr, cr).
  return (mien_rigid){.rotation = {cy * sp * cr + sy * cp * sr, sy * cp * cr - cy * sp * sr,
                                   cy * cp * sr - sy * sp * cr, cy * cp * cr + sy * sp * sr},
                      .translation = {p.x, p.y, p.z}};
}

int performance_begin(performance *out, const char *name, const char *const *channel, int nchannel,
                      double seconds) {
  const int room = (int)(sizeof out->channel / sizeof out->channel[0]);
  if (nchannel > room) return -1;
  memset(out, 0, sizeof *out);
  int nframe = (int)floor(seconds * FRAME_RATE + 0.5) + 1;
  size_t nweight = (size_t)nframe * (size_t)nchannel;
  out->time = malloc((size_t)nframe * sizeof *out->time);
  out->weight = calloc(nweight ? nweight : 1, sizeof *out->weight);
  out->head = malloc((size_t)nframe * sizeof *out->head);
  if (!out->time || !out->weight || !out->head) {
    performance_free(out);
    return -1;
  }
  for (int f = 0; f < nframe; f++) {
    out->time[f] = f / FRAME_RATE;
    out->head[f] = head_rigid((head_pose){0});
  }
  for (int c = 0; c < nchannel; c++) out->channel[c] = channel[c];
  mien_take_def_init(&out->def);
  out->def.name = name;
  out->def.channels = out->channel;
  out->def.nchannel = nchannel;
  out->def.nframe = nframe;
  out->def.times = out->time;
  out->def.weights = out->weight;
  out->def.head = out->head;
  return 0;
}

int performance_create(performance *out, performance_kind kind) {
  switch (kind) {
  case PERFORMANCE_PHRASE:
    return performance_fill_phrase(out);
  case PERFORMANCE_REEL:
    return performance_fill_reel(out);
  case PERFORMANCE_PRESS:
    return performance_fill_press(out);
  case PERFORMANCE_KISS:
    return performance_fill_kiss(out);
  case PERFORMANCE_SHAKE:
  case PERFORMANCE_RUN:
  case PERFORMANCE_JUMP:
  case PERFORMANCE_STILL:
    return performance_fill_head(out, kind);
  case PERFORMANCE_COUNT:
    break;
  }
  return -1;
}

void performance_free(performance *take) {
  free(take->time);
  free(take->weight);
  free(take->head);
  memset(take, 0, sizeof *take);
}
