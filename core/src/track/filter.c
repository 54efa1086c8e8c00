// Filters over time.
#include "track/filter.h"

#include <math.h>
#include <string.h>

// The largest of five distances of a vector is about three times the deviation of Gaussian noise
// per axis (for one axis less, for four more). H makes the fifth weight 0.6 there: nearly a mean
// while still. The paper finds H by hand "based on the noise level of a static pose".
void mi_adaptive_init(mi_adaptive *filter, int width, double noise) {
  *filter = (mi_adaptive){.width = width, .rate = 0.1 / (3 * fmax(noise, 1e-12))};
}

static double farthest(const mi_adaptive *f) {
  double most = 0;
  for (int l = 1; l <= f->count; l++) {
    double d2 = 0;
    for (int c = 0; c < f->width; c++) {
      double d = f->past[0][c] - f->past[l][c];
      d2 += d * d;
    }
    most = fmax(most, d2);
  }
  return sqrt(most);
}

void mi_adaptive_next(mi_adaptive *f, const double *value, double *out) {
  memmove(f->past[1], f->past[0], sizeof f->past[0] * MI_WINDOW);
  for (int c = 0; c < f->width; c++) f->past[0][c] = value[c];
  double step = f->rate * farthest(f), total = 0, sum[MI_WINDOW_WIDTH] = {0};
  for (int j = 0; j <= f->count; j++) {
    double weight = exp(-j * step);
    total += weight;
    for (int c = 0; c < f->width; c++) sum[c] += weight * f->past[j][c];
  }
  for (int c = 0; c < f->width; c++) out[c] = sum[c] / total;
  if (f->count < MI_WINDOW) f->count++;
}

void mi_adaptive_next_rotation(mi_adaptive *f, const double value[4], double out[4]) {
  double q[4], dot = 0, length = 0;
  for (int c = 0; c < 4; c++) dot += value[c] * f->past[0][c];
  for (int c = 0; c < 4; c++) q[c] = f->count && dot < 0 ? -value[c] : value[c];
  mi_adaptive_next(f, q, out);
  for (int c = 0; c < 4; c++) length += out[c] * out[c];
  length = sqrt(length);
  for (int c = 0; c < 4; c++) out[c] = length > 0 ? out[c] / length : value[c];
}

void mi_one_euro_init(mi_one_euro *filter, double cutoff, double slope) {
  *filter = (mi_one_euro){.cutoff = cutoff, .slope = slope};
}

// share of the new value in an exponential mean of that cutoff
static double share(double cutoff, double dt) {
  double turns = 6.283185307179586 * cutoff * dt;
  return turns / (turns + 1);
}

double mi_one_euro_next(mi_one_euro *f, double value, double dt) {
  if (!f->has_value || !(dt > 0)) {
    f->value = value;
    f->speed = 0;
    f->has_value = true;
    return value;
  }
  f->speed += share(1, dt) * ((value - f->value) / dt - f->speed);
  f->value += share(f->cutoff + f->slope * fabs(f->speed), dt) * (value - f->value);
  return f->value;
}
