// How far a motion may go: additive conservative advancement (Li et al. 2021, Codimensional IPC,
// algorithm 1) along separating directions.
//
// For any unit vector n the distance of two convex sets is at least the least n . (x_i - x_j) over
// points i of one and j of the other. Under straight motion each of these is linear in time, so the
// first time at which one of them reaches the level that must be kept is safe. The paper's step
// divides the gap by the speeds of the fastest points; with n along the closest points this step is
// never shorter, and sliding costs nothing. It is safe whatever n is: the distance computation only
// makes it long.
#include "contact/pair_kernels.h"

#include "math/vec.h"

#include <string.h>

enum { CHUNK = 1024, PIECE = 1024, MOST_CHUNKS = 64, LOOKS = 4, MOST_ADVANCES = 64 };

typedef struct pair_motion {
  int is_edges;
  double x[12], p[12]; // start and displacement, relative to point 3
} pair_motion;

// The linear functions h + t v of n . (x_i - x_j), three or four, and the least of them at a time.
typedef struct bounds {
  int count;
  double h[4], v[4], least;
} bounds;

static double along(const double *n, const double *a) {
  return n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
}

// Along the closest points at `time`. False when they are the same point.
static bool look(const pair_motion *m, double time, bounds *b) {
  double x[12], h[4], v[4];
  for (int k = 0; k < 12; k++) x[k] = m->x[k] + time * m->p[k];
  mi_closest c = m->is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
  if (!(c.d2 > 0)) return false;
  double scale = 1 / sqrt(c.d2), n[3] = {scale * c.r[0], scale * c.r[1], scale * c.r[2]};
  for (int i = 0; i < 4; i++) h[i] = along(n, m->x + 3 * i), v[i] = along(n, m->p + 3 * i);
  b->count = m->is_edges ? 4 : 3;
  b->least = INFINITY;
  for (int k = 0; k < b->count; k++) {
    int i = m->is_edges ? k / 2 : 0, j = m->is_edges ? 2 + k % 2 : 1 + k;
    b->h[k] = h[i] - h[j];
    b->v[k] = v[i] - v[j];
    b->least = fmin(b->least, b->h[k] + time * b->v[k]);
  }
  return true;
}

// Until when all bounds, at `level` or above now, stay there.
static double stays_above(const bounds *b, double level, double limit) {
  double until = limit;
  for (int k = 0; k < b->count; k++)
    if (b->h[k] + until * b->v[k] < level) until = (level - b->h[k]) / b->v[k];
  return until;
}

static double advance(const pair_motion *m, const mi_ccd *ccd, int64_t *nadvance) {
  double time = 0, level = 0, enough = 0;
  for (int i = 0; i < ccd->most; i++) {
    bounds b;
    *nadvance += 1;
    if (!look(m, time, &b)) return time;
    if (i == 0) {
      double gap = b.least - ccd->offset;
      if (!(b.least > 0)) return 0; // they touch
      // a pair that is too close already may come no closer
      level = ccd->offset + (gap > 0 ? (1 - ccd->share) * gap : gap);
      enough = MI_CCD_ENOUGH * ccd->share * gap;
    } else if (!(b.least - level > enough)) {
      return time;
    }
    double next = stays_above(&b, level, ccd->limit);
    if (next >= ccd->limit) return ccd->limit;
    if (!(next > time)) return time;
    time = next;
  }
  return time;
}

// 0: it does not move in itself, 1: it does, -1: it is not finite
static int set_motion(pair_motion *m, const double from[12], const double to[12]) {
  double sum = 0;
  bool is_moving = false;
  for (int k = 0; k < 12; k++) {
    int o = 9 + k % 3;
    m->x[k] = from[k] - from[o];
    m->p[k] = (to[k] - from[k]) - (to[o] - from[o]);
    is_moving |= m->p[k] != 0;
    sum += fabs(m->x[k]) + fabs(m->p[k]);
  }
  return sum < INFINITY ? is_moving : -1;
}

static double time_of(int is_edges, const double from[12], const double to[12], const mi_ccd *ccd,
                      int64_t *nadvance) {
  pair_motion m = {.is_edges = is_edges};
  int moves = set_motion(&m, from, to);
  if (moves < 0) return 0;
  return moves ? advance(&m, ccd, nadvance) : ccd->limit;
}

double mi_ccd_vertex_triangle(const double from[12], const double to[12], const mi_ccd *ccd) {
  int64_t nadvance = 0;
  return time_of(0, from, to, ccd, &nadvance);
}

double mi_ccd_edge_edge(const double from[12], const double to[12], const mi_ccd *ccd) {
  int64_t nadvance = 0;
  return time_of(1, from, to, ccd, &nadvance);
}

// -- All candidates -------------------------------------------------------------------------------

typedef struct sweep {
  const mi_surface *surface;
  const mi_candidates *candidates;
  const float *from, *to;
  double share, slack;
  const mi_pair_kernels *kernels;
  int chunk;
  bool tries;        // in double what one look leaves in doubt
  int32_t *doubtful; // or NULL; those of a chunk from its first candidate's place on
  int ndoubtful[MOST_CHUNKS];
  mi_ccd_result result[MOST_CHUNKS];
} sweep;

// Looks at candidate i in double.
static void try_pair(const sweep *s, int i, mi_ccd_result *best) {
  bool is_edges;
  mi_pair pair = mi_candidate(s->candidates, i, &is_edges);
  int32_t vert[4];
  mi_surface_vertices(s->surface, pair, is_edges, vert);
  double from[12], to[12];
  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 3; c++) {
      from[3 * k + c] = s->from[3 * (size_t)vert[k] + (size_t)c];
      to[3 * k + c] = s->to[3 * (size_t)vert[k] + (size_t)c];
    }
  mi_ccd ccd = {s->share, mi_surface_offset(s->surface, pair, is_edges) + s->slack, best->time,
                MOST_ADVANCES};
  double time = time_of(is_edges, from, to, &ccd, &best->nadvance);
  if (time >= best->time) return;
  best->time = time;
  best->pair = i;
}

// A look in float at every pair, some where each may save one in double: until when it is safe, and
// the worst of them.
static int look_at_piece(const sweep *s, int begin, int end, float safe[PIECE + MI_PAIRS]) {
  float least = 2;
  int worst = begin;
  for (int i = begin; i < end;) {
    mi_pair_batch batch;
    int next = mi_pair_gather(s->surface, s->candidates, i, end, s->from, s->to, &batch);
    for (int l = 0; l < MI_PAIRS; l++) batch.offset[l] += (float)s->slack * 1.001f;
    s->kernels->safe_time(&batch, (float)s->share, s->tries ? LOOKS : 1, safe + i - begin);
    for (; i < next; i++)
      if (safe[i - begin] < least) worst = i, least = safe[i - begin];
  }
  return worst;
}

// Those that the look leaves in doubt follow, the worst of them first.
static void try_piece(const sweep *s, int begin, int end, int worst, const float *safe,
                      mi_ccd_result *best) {
  if ((double)safe[worst - begin] < best->time) try_pair(s, worst, best);
  for (int i = begin; i < end; i++)
    if (i != worst && (double)safe[i - begin] < best->time) try_pair(s, i, best);
}

static void sweep_chunk(void *task, int begin, int end) {
  sweep *s = task;
  mi_ccd_result best = {1, -1, 0};
  int count = 0;
  for (int first = begin; first < end; first += PIECE) {
    float safe[PIECE + MI_PAIRS];
    int last = first + PIECE < end ? first + PIECE : end;
    int worst = look_at_piece(s, first, last, safe);
    for (int i = first; s->doubtful && i < last; i++)
      if (safe[i - first] < 1) s->doubtful[begin + count++] = i;
    if (s->tries) try_piece(s, first, last, worst, safe, &best);
  }
  s->ndoubtful[begin / s->chunk] = count;
  s->result[begin / s->chunk] = best;
}

// The largest size of `count` numbers. Numbers that are not negative are in the order of their
// bits, which a compiler finds the largest of in wide registers.
static float largest(const float *at, int count) {
  const float absurd = 1e18f; // what the broad phase leaves out does not count
  int32_t most = 0, limit;    // signed: not every processor compares others in wide registers
  memcpy(&limit, &absurd, sizeof limit);
  for (int i = 0; i < count; i++) {
    int32_t bits;
    memcpy(&bits, at + i, sizeof bits);
    bits &= 0x7fffffff;
    bits = bits < limit ? bits : 0;
    most = bits > most ? bits : most;
  }
  float size;
  memcpy(&size, &most, sizeof size);
  return size;
}

// Positions between `from` and `to` are rounded to float: two sides, three coordinates each, twice.
double mi_ccd_slack(const mi_surface *surface, const float *from, const float *to) {
  float most = largest(from, 3 * surface->nvert), end = largest(to, 3 * surface->nvert);
  return 4.2e-7 * (double)(end > most ? end : most);
}

// MOST_CHUNKS chunks or fewer, whatever the number of threads.
static int chunk_for(int count) {
  int chunk = (count + MOST_CHUNKS - 1) / MOST_CHUNKS;
  return chunk < CHUNK ? CHUNK : chunk;
}

static sweep sweep_of(const mi_surface *surface, const mi_candidates *candidates, const float *from,
                      const float *to, double share) {
  sweep s = {.surface = surface, .candidates = candidates, .from = from, .to = to, .share = share};
  s.kernels = mi_pair_kernels_best();
  s.slack = mi_ccd_slack(surface, from, to);
  return s;
}

static mi_ccd_result run(sweep *s, int threads) {
  int count = s->candidates->nvt + s->candidates->nee;
  s->chunk = chunk_for(count);
  mi_parallel(threads, count, s->chunk, sweep_chunk, s);
  mi_ccd_result best = {1, -1, 0};
  for (int c = 0; c * s->chunk < count; c++) {
    best.nadvance += s->result[c].nadvance;
    if (s->result[c].time >= best.time) continue;
    best.time = s->result[c].time;
    best.pair = s->result[c].pair;
  }
  return best;
}

// Puts the doubtful of all chunks together, in order. Returns how many.
static int gather_doubtful(const sweep *s) {
  int count = 0, ncandidate = s->candidates->nvt + s->candidates->nee;
  for (int c = 0; c * s->chunk < ncandidate; c++) {
    memmove(s->doubtful + count, s->doubtful + c * s->chunk,
            (size_t)s->ndoubtful[c] * sizeof *s->doubtful);
    count += s->ndoubtful[c];
  }
  return count;
}

mi_ccd_result mi_ccd_bound(const mi_surface *surface, const mi_candidates *candidates,
                           const float *from, const float *to, double share, int threads) {
  if (candidates->is_full) return (mi_ccd_result){0, -1, 0};
  sweep s = sweep_of(surface, candidates, from, to, share);
  s.tries = true;
  return run(&s, threads);
}

int mi_ccd_doubtful(const mi_surface *surface, const mi_candidates *candidates, const float *from,
                    const float *to, double share, int threads, int32_t *doubtful,
                    mi_ccd_result *bound) {
  sweep s = sweep_of(surface, candidates, from, to, share);
  s.tries = bound && !candidates->is_full;
  s.doubtful = doubtful;
  mi_ccd_result best = run(&s, threads);
  if (bound) *bound = s.tries ? best : (mi_ccd_result){0, -1, 0};
  return gather_doubtful(&s);
}

typedef struct closing {
  const mi_surface *surface;
  const mi_candidates *candidates;
  const float *from, *to;
  double slack;
  const mi_pair_kernels *kernels;
  int chunk;
  mi_pair *pair; // a chunk's are at its own place among the candidates
  int nvt[MOST_CHUNKS], nee[MOST_CHUNKS];
} closing;

static void close_chunk(void *task, int begin, int end) {
  closing *c = task;
  int kept = 0, nvt = 0;
  for (int i = begin; i < end;) {
    mi_pair_batch batch;
    float least[MI_PAIRS];
    int next = mi_pair_gather(c->surface, c->candidates, i, end, c->from, c->to, &batch);
    c->kernels->least_on_way(&batch, least);
    for (int l = 0; i < next; i++, l++) {
      bool is_edges;
      if ((double)least[l] > c->slack + (double)batch.offset[l] * (1 + 1e-6)) continue;
      c->pair[begin + kept++] = mi_candidate(c->candidates, i, &is_edges);
      nvt += !is_edges;
    }
  }
  c->nvt[begin / c->chunk] = nvt;
  c->nee[begin / c->chunk] = kept - nvt;
}

mi_candidates mi_ccd_close(const mi_surface *surface, const mi_candidates *candidates,
                           const float *from, const float *to, double reach, int threads,
                           mi_pair *pair) {
  int ncandidate = candidates->nvt + candidates->nee, nvt = 0, count = 0;
  closing c = {.surface = surface, .candidates = candidates, .from = from, .to = to, .pair = pair};
  c.slack = reach + mi_ccd_slack(surface, from, to);
  c.kernels = mi_pair_kernels_best();
  c.chunk = chunk_for(ncandidate);
  mi_parallel(threads, ncandidate, c.chunk, close_chunk, &c);
  for (int k = 0; k * c.chunk < ncandidate; k++) {
    int kept = c.nvt[k] + c.nee[k];
    memmove(pair + count, pair + (size_t)k * (size_t)c.chunk, (size_t)kept * sizeof *pair);
    count += kept;
    nvt += c.nvt[k];
  }
  return (mi_candidates){pair, pair + nvt, nvt, count - nvt, candidates->is_full};
}
