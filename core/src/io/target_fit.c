#include "io/target_fit.h"

#include <math.h>
#include <string.h>

static double farthest_point(const float *offset, int npoint) {
  double most = 0;
  for (int i = 0; i < npoint; i++) {
    const float *d = offset + 3 * (size_t)i;
    double square = (double)d[0] * d[0] + (double)d[1] * d[1] + (double)d[2] * d[2];
    if (square > most) most = square;
  }
  return sqrt(most);
}

static int find_worst(mi_target_fit *fit) {
  int worst = 0;
  fit->error = 0;
  for (int f = 0; f < fit->nframe; f++) {
    double off = farthest_point(fit->offset + 3 * (size_t)f * (size_t)fit->npoint, fit->npoint);
    if (off <= fit->error) continue;
    fit->error = off;
    worst = f;
  }
  return worst;
}

static double dot(const float *a, const float *b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
  return sum;
}

// Earlier targets are taken out of the frame already, so targets are orthogonal to each other.
static void take_out(mi_target_fit *fit, const float *target) {
  size_t count = 3 * (size_t)fit->npoint;
  double square = dot(target, target, count);
  for (int f = 0; f < fit->nframe; f++) {
    float *offset = fit->offset + (size_t)f * count;
    float share = (float)(dot(offset, target, count) / square);
    fit->weight[(size_t)f * (size_t)fit->nframe + (size_t)fit->ntarget] = share;
    for (size_t i = 0; i < count; i++) offset[i] -= share * target[i];
  }
}

mien_result mi_target_fit_run(mi_target_fit *fit, mi_arena *arena, mien_error *err) {
  size_t count = 3 * (size_t)fit->npoint, nframe = (size_t)fit->nframe;
  fit->target = MI_PUSH(arena, float *, nframe);
  fit->weight = MI_PUSH(arena, float, nframe *nframe);
  if (!fit->target || !fit->weight) return mi_fail_memory(err);
  for (;;) {
    int worst = find_worst(fit);
    if (!isfinite(fit->error)) return mi_fail(err, MIEN_ERR_NOT_FINITE, "a frame is not finite");
    if (fit->error <= fit->tolerance || fit->ntarget == fit->nframe) return MIEN_OK;
    float *target = MI_PUSH(arena, float, count);
    if (!target) return mi_fail_memory(err);
    memcpy(target, fit->offset + (size_t)worst * count, count * sizeof *target);
    take_out(fit, target);
    fit->target[fit->ntarget++] = target;
  }
}
