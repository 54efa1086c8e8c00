#include "claim_b2_blind.h"

#include "drive/blendforce.h"
#include "solve/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int blind_rounds[BLIND_WAYS] = {1, 2, 20};
const double blind_noise = 0.3e-3;

// a bell of variance 1
static double noise(int frame, int at) {
  double sum = 0;
  for (uint32_t k = 0; k < 12; k++)
    sum += mi_random_unit(23, (uint32_t)frame, 12 * (uint32_t)at + k);
  return sum - 6;
}

static bool reserve(blind *b, const mi_solver *solver, const mi_blendforce *d) {
  const mien_rig_info *rig = &d->face->rig->info;
  size_t size = 4 * (size_t)d->nvert;
  bool done = true;
  if (b->truth) return true;
  for (int k = 0; k < BLIND_WAYS; k++) {
    done &= (b->x[k] = calloc(size, sizeof *b->x[k])) != NULL;
    done &= (b->before[k] = calloc(size, sizeof *b->before[k])) != NULL;
    if (!done) break;
    mi_blendforce_gather(solver, d->face->rest, b->x[k]);
    memcpy(b->before[k], b->x[k], size * sizeof *b->x[k]);
  }
  b->truth = malloc(size * sizeof *b->truth);
  b->pose = malloc(6 * (size_t)rig->nvert * sizeof *b->pose);
  b->weights = malloc((size_t)rig->nshape * sizeof *b->weights);
  return done && b->truth && b->pose && b->weights;
}

void blind_free(blind *b) {
  for (int k = 0; k < BLIND_WAYS; k++) {
    free(b->x[k]);
    free(b->before[k]);
  }
  free(b->truth);
  free(b->pose);
  free(b->weights);
  *b = (blind){0};
}

static double marker_distance2(const mi_blendforce *d, const float *a, const float *b) {
  double sum = 0;
  for (int m = 0; m < 3 * d->nmarker; m++) {
    size_t i = 4 * (size_t)d->marker[m / 3] + (size_t)(m % 3);
    sum += pow((double)a[i] - b[i], 2);
  }
  return sum / d->nmarker;
}

static double skin_distance2(const mien_face *face, const float *a, const float *b) {
  double sum = 0;
  for (int i = 0; i < 3 * face->skin.nvert; i++) {
    size_t at = 3 * (size_t)face->skin.vert[i / 3] + (size_t)(i % 3);
    sum += pow((double)a[at] - b[at], 2);
  }
  return sum / face->skin.nvert;
}

static void measure(blind *b, const mi_blendforce *d, int way, const float *posed) {
  const mien_rig *rig = d->face->rig;
  for (int k = 0; k < d->nforce; k += MI_PER_SHAPE) // both of a shape add up to its weight
    b->weights[k / MI_PER_SHAPE] = (float)(d->u[k] + d->u[k + 1]);
  mien_rig_pose(rig, b->weights, rig->info.nshape, b->pose, NULL);
  b->off2[way] += marker_distance2(d, d->x, b->truth);
  b->skin2[way] += skin_distance2(d->face, b->pose, posed);
}

// Where the flesh goes on to: x + h v, as in eq. 5, from which the paper's projections are taken,
// too. Half of v: markers' noise is in it, and all of v doubles that; without it two rounds lag a
// motion.
static void predict(blind *b, mi_blendforce *d, int way) {
  float *x = b->x[way], *before = b->before[way];
  for (size_t i = 0; i < 4 * (size_t)d->nvert; i++) {
    d->x[i] = x[i] + 0.5f * (x[i] - before[i]);
    before[i] = x[i];
  }
}

bool blind_control(blind *b, mien_state *state, const float *weights, int frame) {
  mi_solver *solver = state->solver;
  mi_blendforce *d = solver->driven;
  const mien_rig *rig = d->face->rig;
  size_t size = 4 * (size_t)d->nvert * sizeof(float);
  if (!reserve(b, solver, d)) return false;
  float *posed = b->pose + 3 * (size_t)rig->info.nvert;
  mien_rig_pose(rig, weights, rig->info.nshape, posed, NULL);
  memcpy(b->truth, d->goal, size);
  for (int m = 0; m < 3 * d->nmarker; m++)
    d->goal[4 * (size_t)d->marker[m / 3] + (size_t)(m % 3)] +=
        (float)(blind_noise * noise(frame, m));
  memset(d->expected, 0, (size_t)d->nforce * sizeof *d->expected);
  mi_elastic_set_pose(solver->elastic, NULL, d->host.threads); // nor are volumes told
  for (int way = 0; way < BLIND_WAYS; way++) {
    predict(b, d, way);
    for (int k = 0; k < blind_rounds[way]; k++) {
      mi_blendforce_round(d, solver);
      mi_blendforce_follow(d);
    }
    memcpy(b->x[way], d->x, size);
    measure(b, d, way, posed);
  }
  memset(d->x, 0, size);
  mi_blendforce_gather(solver, d->face->rest, d->x);
  b->moved2 += marker_distance2(d, d->x, b->truth);
  b->posed2 += skin_distance2(d->face, posed, rig->info.positions.data);
  b->count++;
  return true;
}
