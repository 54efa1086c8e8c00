#include "fit/response.h"

#include <math.h>
#include <string.h>

static float largest(const float *x, int begin, int end) {
  float most = 0;
  for (int i = begin; i < end; i++) most = fmaxf(most, fabsf(x[i]));
  return most;
}

static int block_end(int block, int size) {
  int end = (block + 1) * MI_RESPONSE_BLOCK;
  return end < size ? end : size;
}

static void fill(mi_response *r, int size, const float *dense, const float *least) {
  for (int b = 0, n = 0; b < r->nblock; b++) {
    int begin = b * MI_RESPONSE_BLOCK, end = block_end(b, size);
    for (int u = 0; u < r->nunknown; u++) {
      const float *column = dense + (size_t)u * (size_t)size;
      if (!(largest(column, begin, end) > least[u])) continue;
      r->unknown[n] = u;
      memcpy(r->piece + (size_t)n * MI_RESPONSE_BLOCK, column + begin,
             (size_t)(end - begin) * sizeof *column);
      n++;
    }
    r->first[b + 1] = n;
  }
}

bool mi_response_create(int nunknown, int size, const float *dense, const float *least,
                        mi_arena *arena, mi_response *r) {
  int npiece = 0;
  *r = (mi_response){.nunknown = nunknown,
                     .nblock = (size + MI_RESPONSE_BLOCK - 1) / MI_RESPONSE_BLOCK};
  r->nchunk = (r->nblock + MI_RESPONSE_CHUNK - 1) / MI_RESPONSE_CHUNK;
  for (int u = 0; u < nunknown; u++) {
    const float *column = dense + (size_t)u * (size_t)size;
    for (int b = 0; b < r->nblock; b++)
      npiece += largest(column, b * MI_RESPONSE_BLOCK, block_end(b, size)) > least[u];
  }
  r->first = MI_PUSH(arena, int32_t, r->nblock + 1);
  r->unknown = MI_PUSH(arena, int32_t, npiece);
  r->piece = MI_PUSH(arena, float, MI_RESPONSE_BLOCK *(size_t)npiece);
  r->partial = MI_PUSH(arena, double, (size_t)r->nchunk *(size_t)nunknown);
  if (!r->first || !r->unknown || !r->piece || !r->partial) return false;
  fill(r, size, dense, least);
  return true;
}

typedef struct task {
  const mi_response *r;
  const double *u;
  const float *given;
  float *x;
} task;

static void apply_range(void *user, int begin, int end) {
  const task *t = user;
  for (int b = begin; b < end; b++) {
    float sum[MI_RESPONSE_BLOCK] = {0};
    for (int n = t->r->first[b]; n < t->r->first[b + 1]; n++) {
      const float *piece = t->r->piece + (size_t)n * MI_RESPONSE_BLOCK;
      float by = (float)t->u[t->r->unknown[n]];
      for (int i = 0; i < MI_RESPONSE_BLOCK; i++) sum[i] += by * piece[i];
    }
    memcpy(t->x + (size_t)b * MI_RESPONSE_BLOCK, sum, sizeof sum);
  }
}

void mi_response_apply(const mi_response *r, const double *u, int threads, float *x) {
  task t = {.r = r, .u = u, .x = x};
  mi_parallel(threads, r->nblock, MI_RESPONSE_CHUNK, apply_range, &t);
}

// Eight sums side by side, so that the order of additions is the same with any SIMD.
static double dot_piece(const float *a, const float *b) {
  float sum[8] = {0};
  for (int i = 0; i < MI_RESPONSE_BLOCK; i += 8)
    for (int k = 0; k < 8; k++) sum[k] += a[i + k] * b[i + k];
  double both = 0;
  for (int k = 0; k < 8; k++) both += (double)sum[k];
  return both;
}

static void transposed_range(void *user, int begin, int end) {
  const task *t = user;
  double *sum = t->r->partial + (size_t)(begin / MI_RESPONSE_CHUNK) * (size_t)t->r->nunknown;
  memset(sum, 0, (size_t)t->r->nunknown * sizeof *sum);
  for (int b = begin; b < end; b++)
    for (int n = t->r->first[b]; n < t->r->first[b + 1]; n++)
      sum[t->r->unknown[n]] += dot_piece(t->r->piece + (size_t)n * MI_RESPONSE_BLOCK,
                                         t->given + (size_t)b * MI_RESPONSE_BLOCK);
}

void mi_response_apply_transposed(const mi_response *r, const float *x, int threads, double *u) {
  task t = {.r = r, .given = x};
  mi_parallel(threads, r->nblock, MI_RESPONSE_CHUNK, transposed_range, &t);
  memset(u, 0, (size_t)r->nunknown * sizeof *u);
  for (int c = 0; c < r->nchunk; c++)
    for (int k = 0; k < r->nunknown; k++) u[k] += r->partial[c * r->nunknown + k];
}
