// Lips that overlap or are welded, lids inside the ball.
#include "hard_mesh.h"

#include "vec3.h"

#include <math.h>
#include <stdlib.h>

static const double MM = 1e-3, STEP = 5e-5;

// -- Overlap --------------------------------------------------------------------------------------

typedef struct amount {
  double left, right, end; // beyond `end` of the corner's |x| nothing moves
  double wave;             // times the amount: lips dip into each other here and part there
} amount;

static const double LENGTH = 700; // of the wave, rad / m

static double share(const hard_mesh *m, int i, const amount *a) {
  double x = m->position[3 * i], side = ramp(-0.3, 0.3, x / m->corner);
  double along = ramp(a->end, a->end - 0.35, fabs(x) / m->corner);
  double wave = 1 + a->wave * sin(LENGTH * (x + 0.7 * m->position[3 * i + 2]));
  return along * wave * (side * a->left + (1 - side) * a->right);
}

static void push(hard_mesh *m, double by, const amount *a) {
  for (int i = 0; i < m->nskin; i++) {
    double lip = (double)m->lower[i] - (double)m->upper[i];
    if (lip == 0) continue;
    hard_shift(m, i, (double[3]){0, by * lip * share(m, i, a), 0});
  }
}

// Pairs at an amount; the mesh is put back to the bits it had.
static int try_push(hard_mesh *m, double by, const amount *a, const float *position,
                    const float *delta) {
  size_t count = 3 * (size_t)m->nskin;
  push(m, by, a);
  int found = hard_count(m, false);
  for (size_t k = 0; k < count; k++) {
    m->position[k] = position[k];
    m->delta[m->jaw_open][k] = delta[k];
  }
  return found;
}

// The smallest amount whose count comes near to what is wanted: few pairs want a narrow place, many
// on a coarse mesh a wavy one. For none at all the lips are parted as far as needed.
static double search(hard_mesh *m, int npair, amount *a, const float *position,
                     const float *delta) {
  static const struct {
    double narrow, wave, most; // m
  } WAYS[] = {{1, 0, 1.2e-3},   {1, 1, 1.2e-3},    {1, 2, 1.2e-3},
              {0.7, 0, 1.2e-3}, {0.45, 0, 1.2e-3}, {0.3, 0, 1.2e-3}};
  double best = 0;
  amount start = *a;
  int miss = abs(try_push(m, 0, a, position, delta) - npair);
  for (int w = 0; w < (npair ? 6 : 1) && 10 * miss > npair; w++) {
    amount way = start;
    way.end *= WAYS[w].narrow;
    way.wave = WAYS[w].wave;
    for (double by = STEP; miss && by < WAYS[w].most; by += STEP) {
      int count = try_push(m, npair ? by : -by, &way, position, delta), off = abs(count - npair);
      if (off < miss) best = npair ? by : -by, *a = way, miss = off;
      if (npair && count > 2 * npair) break;
    }
  }
  return best;
}

static amount amount_of(const hard_mesh *m, double left, double right) {
  bool is_welded = false;
  for (int i = 0; i < m->nskin; i++) is_welded |= m->twin[i] >= 0;
  return (amount){left, right, is_welded ? 0.72 : 0.92, 0};
}

void hard_push_lips(hard_mesh *m, double by, double left, double right) {
  amount a = amount_of(m, left, right);
  push(m, by, &a);
  m->overlap = by;
}

bool hard_overlap_lips(hard_mesh *m, int npair, double left, double right) {
  size_t count = 3 * (size_t)m->nskin;
  float *position = malloc(count * sizeof *position), *delta = malloc(count * sizeof *delta);
  amount a = amount_of(m, left, right);
  if (position && delta) {
    for (size_t k = 0; k < count; k++) {
      position[k] = m->position[k];
      delta[k] = m->delta[m->jaw_open][k];
    }
    double by = search(m, npair, &a, position, delta);
    push(m, by, &a);
    m->overlap = by;
  }
  bool done = position && delta;
  free(position);
  free(delta);
  return done;
}

// -- Corners --------------------------------------------------------------------------------------

static int nearest(const hard_mesh *m, int to, const float *label, double *distance) {
  int best = -1;
  *distance = INFINITY;
  for (int i = 0; i < m->nskin; i++) {
    if (label[i] <= 0.5f || m->bag[i] > 0.5f || i == to) continue;
    double d2 = 0;
    for (int k = 0; k < 3; k++) {
      double d = (double)m->position[3 * i + k] - m->position[3 * to + k];
      d2 += d * d;
    }
    if (d2 < *distance) *distance = d2, best = i;
  }
  *distance = sqrt(*distance);
  return best;
}

// Of vertices that face each other the row nearest to the slit is welded.
void hard_weld_corners(hard_mesh *m) {
  for (int i = 0; i < m->nskin; i++) {
    double x = fabs((double)m->position[3 * i]) / m->corner, there, back;
    if (m->upper[i] <= 0.5f || m->bag[i] > 0.5f || x < 0.76 || x > 0.97) continue;
    int j = nearest(m, i, m->lower, &there);
    if (j < 0 || there > 0.9 * MM || m->twin[j] >= 0) continue;
    if (nearest(m, j, m->upper, &back) != i) continue;
    m->twin[i] = j;
    m->twin[j] = i;
  }
  hard_keep_welds(m);
}

static void average(float *a, float *b) {
  for (int k = 0; k < 3; k++) a[k] = b[k] = 0.5f * (a[k] + b[k]);
}

void hard_keep_welds(hard_mesh *m) {
  for (int i = 0; i < m->nskin; i++) {
    int j = m->twin[i];
    if (j <= i) continue;
    average(m->position + 3 * i, m->position + 3 * j);
    for (int s = 0; s < m->nshape; s++) average(m->delta[s] + 3 * i, m->delta[s] + 3 * j);
  }
}

// -- Lids -----------------------------------------------------------------------------------------

static double from_eye(const hard_mesh *m, int i, double direction[3]) {
  const float *centre = m->model.eye_centre[m->position[3 * i] > 0 ? 0 : 1];
  double d2 = 0;
  for (int k = 0; k < 3; k++) {
    direction[k] = (double)m->position[3 * i + k] - (double)centre[k];
    d2 += direction[k] * direction[k];
  }
  double length = sqrt(d2);
  for (int k = 0; k < 3; k++) direction[k] /= length;
  return length;
}

void hard_sink_lids(hard_mesh *m, double depth) {
  double clear = INFINITY, direction[3];
  for (int i = 0; i < m->nskin; i++)
    if (m->lid[i] > 0.9f)
      clear = fmin(clear, from_eye(m, i, direction) - (double)m->model.eye_radius);
  for (int i = 0; i < m->nskin; i++) {
    if (m->lid[i] <= 0) continue;
    from_eye(m, i, direction);
    for (int k = 0; k < 3; k++)
      m->position[3 * i + k] -= (float)(m->lid[i] * (clear + depth) * direction[k]);
  }
}
