// Energy and forces of all tetrahedra, chunk by chunk.
#include "energy/elastic_layout.h"

#include <math.h>
#include <string.h>

static const float LEAST_VOLUME = 0.05f; // of the neutral's, where a pose crushes its flesh

typedef struct task {
  mi_elastic *elastic;
  const float *x;
  mi_local local;
  float *gradient;
} task;

static void pose_chunks(void *user, int begin, int end) {
  task *t = user;
  for (int i = begin; i < end; i++)
    t->elastic->kernels->pose(t->elastic, t->elastic->chunks + i, t->x);
}

void mi_elastic_set_pose(mi_elastic *elastic, const float *posed, int threads) {
  size_t size = 4 * (size_t)elastic->nvert * sizeof *posed;
  elastic->is_posed = posed != NULL;
  // rebalancing begins with the pose that the step before has ended with
  if (!posed || (elastic->is_target_known && !memcmp(elastic->posed, posed, size))) return;
  task t = {elastic, posed, MI_LOCAL_INVARIANTS, NULL};
  mi_parallel(threads, elastic->nchunk, 1, pose_chunks, &t);
  memcpy(elastic->posed, posed, size);
  elastic->is_target_known = true;
}

static void keep_volumes(void *user, int begin, int end) {
  mi_elastic *elastic = ((task *)user)->elastic;
  for (int i = begin; i < end; i++) {
    size_t first = MI_CELL_TETS * (size_t)elastic->chunks[i].begin;
    size_t last = MI_CELL_TETS * (size_t)elastic->chunks[i].end;
    for (size_t k = first; k < last; k++) {
      float *target = elastic->targets + k * MI_TARGET_SIZE * MI_CELL_LANES;
      float *det = target + MI_TARGET_DET * MI_CELL_LANES;
      for (int e = 0; e < 9 * MI_CELL_LANES; e++) target[e] = e / MI_CELL_LANES % 4 == 0;
      for (int l = 0; l < MI_CELL_LANES; l++) det[l] = fmaxf(det[l], LEAST_VOLUME);
    }
  }
}

void mi_elastic_set_volumes(mi_elastic *elastic, const float *posed, int threads) {
  task t = {elastic, posed, MI_LOCAL_INVARIANTS, NULL};
  mi_elastic_set_pose(elastic, posed, threads);
  mi_parallel(threads, elastic->nchunk, 1, keep_volumes, &t);
  elastic->is_target_known = false;
}

typedef struct shapes {
  mi_elastic *elastic;
  const float *shape, *volume;
} shapes;

static void place_shapes(void *user, int begin, int end) {
  static const int ENTRY[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  const shapes *s = user;
  for (int t = begin; t < end; t++) {
    const float *a = s->shape + 6 * (size_t)t;
    size_t at = (size_t)s->elastic->place[t];
    float *target = s->elastic->targets + at / MI_CELL_LANES * MI_TARGET_SIZE * MI_CELL_LANES +
                    at % MI_CELL_LANES;
    float cofactor[6] = {a[3] * a[5] - a[4] * a[4], a[2] * a[4] - a[1] * a[5],
                         a[1] * a[4] - a[2] * a[3], a[0] * a[5] - a[2] * a[2],
                         a[1] * a[2] - a[0] * a[4], a[0] * a[3] - a[1] * a[1]};
    float span = 0;
    for (int e = 0; e < 9; e++) {
      target[e * MI_CELL_LANES] = a[ENTRY[e]];
      span += cofactor[ENTRY[e]] * cofactor[ENTRY[e]];
    }
    target[MI_TARGET_DET * MI_CELL_LANES] = s->volume[t];
    target[MI_TARGET_SPAN * MI_CELL_LANES] = span;
  }
}

// Lanes that are only filling want to be as they are.
static void fill_shapes(mi_elastic *elastic) {
  for (size_t k = 0; k < (size_t)elastic->nblock * MI_CELL_TETS; k++) {
    float *target = elastic->targets + k * MI_TARGET_SIZE * MI_CELL_LANES;
    for (int l = 0; l < MI_CELL_LANES; l++) {
      if (elastic->lanes[k] >> l & 1) continue;
      for (int e = 0; e < 9; e++) target[e * MI_CELL_LANES + l] = e % 4 == 0;
      target[MI_TARGET_DET * MI_CELL_LANES + l] = 1;
      target[MI_TARGET_SPAN * MI_CELL_LANES + l] = 3;
    }
  }
}

void mi_elastic_set_shapes(mi_elastic *elastic, const float *shape, const float *volume,
                           int threads) {
  enum { CHUNK = 2048 };
  shapes s = {elastic, shape, volume};
  fill_shapes(elastic);
  mi_parallel(threads, elastic->ntet, CHUNK, place_shapes, &s);
  elastic->is_posed = true;
  elastic->is_target_known = false;
}

void mi_elastic_set_limits(mi_elastic *elastic, mi_svd_limits limits) {
  elastic->limits = limits;
}

static float *weight_of(const mi_elastic *elastic, int tet, int which) {
  size_t at = (size_t)elastic->place[tet], row = at / MI_CELL_LANES * MI_TET_SIZE + (size_t)which;
  return elastic->tets + row * MI_CELL_LANES + at % MI_CELL_LANES;
}

float mi_elastic_strain(const mi_elastic *elastic, int tet) {
  return *weight_of(elastic, tet, MI_TET_STRAIN);
}

float mi_elastic_volume(const mi_elastic *elastic, int tet) {
  return *weight_of(elastic, tet, MI_TET_VOLUME);
}

void mi_elastic_set_strain(mi_elastic *elastic, int tet, float strain) {
  *weight_of(elastic, tet, MI_TET_STRAIN) = strain;
}

void mi_elastic_set_volume(mi_elastic *elastic, int tet, float volume) {
  *weight_of(elastic, tet, MI_TET_VOLUME) = volume;
}

static void evaluate_chunks(void *user, int begin, int end) {
  task *t = user;
  for (int i = begin; i < end; i++)
    t->elastic->kernels->evaluate(t->elastic, t->elastic->chunks + i, t->x, t->local, t->gradient);
}

static void add_shared(void *user, int begin, int end) {
  task *t = user;
  const mi_elastic *elastic = t->elastic;
  for (int i = begin; i < end; i++) {
    float *at = t->gradient + 4 * (size_t)elastic->shared[i];
    for (int s = elastic->slot_begin[i]; s < elastic->slot_begin[i + 1]; s++)
      for (int k = 0; k < 4; k++) at[k] += elastic->overlap[4 * (size_t)elastic->slots[s] + k];
  }
}

void mi_elastic_evaluate(mi_elastic *elastic, const float *x, mi_local local, int threads,
                         float *gradient, mi_elastic_info *info) {
  enum { SHARED_CHUNK = 2048 };
  task t = {elastic, x, local, gradient};
  mi_parallel(threads, elastic->nchunk, 1, evaluate_chunks, &t);
  if (gradient) mi_parallel(threads, elastic->nshared, SHARED_CHUNK, add_shared, &t);
  *info = (mi_elastic_info){0};
  for (int i = 0; i < elastic->nchunk; i++) {
    const mi_elastic_chunk *chunk = elastic->chunks + i;
    info->energy += chunk->energy;
    info->nkept += chunk->count[0];
    info->ntaylor += chunk->count[1];
    info->nfull += chunk->count[2];
    info->nflat += chunk->nflat;
  }
}
