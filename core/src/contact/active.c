// Candidates that are close enough to push.
#include "contact/pair_kernels.h"

#include <math.h>

enum { CHUNK = 512, WORD = 64 };

static int nchunk_of(int count) {
  return (count + CHUNK - 1) / CHUNK;
}

bool mi_active_create(mi_active *active, const mi_broad *broad, int capacity, mi_arena *arena) {
  int most = mi_broad_most(broad);
  *active = (mi_active){.capacity = capacity};
  active->contact = MI_PUSH(arena, mi_contact, capacity);
  active->near = MI_PUSH(arena, uint64_t, nchunk_of(most) * (CHUNK / WORD));
  active->first = MI_PUSH(arena, int32_t, nchunk_of(most) + 1);
  active->nslot = 1;
  while (active->nslot < 2 * capacity) active->nslot *= 2;
  active->slot = MI_PUSH(arena, int32_t, active->nslot);
  return active->contact && active->near && active->first && active->slot;
}

typedef struct finding {
  mi_active *active;
  const mi_surface *surface;
  const mi_candidates *candidates;
  const float *position;
  double d_hat;
  const mi_pair_kernels *kernels;
} finding;

// Most candidates are farther than that, which eight at a time in float can tell.
static void mark(void *task, int begin, int end) {
  const finding *f = task;
  uint64_t *near = f->active->near;
  int count = 0;
  for (int w = begin / WORD; WORD * w < end; w++) near[w] = 0;
  for (int i = begin; i < end;) {
    mi_pair_batch batch;
    float least[MI_PAIRS];
    int next = mi_pair_gather(f->surface, f->candidates, i, end, f->position, NULL, &batch);
    f->kernels->least_distance(&batch, least);
    for (int l = 0; i < next; i++, l++) {
      if ((double)least[l] > f->d_hat + (double)batch.offset[l] * (1 + 1e-6)) continue;
      near[i / WORD] |= (uint64_t)1 << i % WORD, count++;
    }
  }
  f->active->first[begin / CHUNK + 1] = count;
}

// A contact stands for the area of its vertex, or the mean of its edges. A rigid side does
// not count: a collider of large triangles must not push harder than a fine one.
static float area_of(const mi_surface *s, mi_pair pair, bool is_edges) {
  if (!is_edges) return pair.a < s->nsoft ? s->vert_area[pair.a] : s->tri_area[pair.b];
  // the first vertex of an edge is the softer one
  if (s->edge[2 * (size_t)pair.a] >= s->nsoft) return s->edge_area[pair.b];
  if (s->edge[2 * (size_t)pair.b] >= s->nsoft) return s->edge_area[pair.a];
  return (s->edge_area[pair.a] + s->edge_area[pair.b]) / 2;
}

static mi_contact describe(const mi_surface *s, mi_pair pair, bool is_edges) {
  mi_contact c = {.is_edges = is_edges, .area = area_of(s, pair, is_edges)};
  mi_surface_vertices(s, pair, is_edges, c.vert);
  c.offset = (float)mi_surface_offset(s, pair, is_edges);
  if (is_edges) c.parallel = 1e-3f * s->edge_length2[pair.a] * s->edge_length2[pair.b];
  return c;
}

static void write(void *task, int begin, int end) {
  const finding *f = task;
  mi_active *active = f->active;
  int at = active->first[begin / CHUNK];
  for (int word = begin; word < end; word += WORD)
    for (uint64_t bits = active->near[word / WORD]; bits; bits &= bits - 1) {
      if (at >= active->capacity) return;
      bool is_edges;
      mi_pair pair = mi_candidate(f->candidates, word + __builtin_ctzll(bits), &is_edges);
      mi_contact *contact = active->contact + at++;
      *contact = describe(f->surface, pair, is_edges);
      mi_contact_measure(contact, f->position);
    }
}

// Float was not sure of the last few.
static void drop_far(mi_active *active, double d_hat) {
  int kept = 0;
  for (int i = 0; i < active->count; i++) {
    const mi_contact *contact = active->contact + i;
    if (!(contact->distance < d_hat + (double)contact->offset)) continue;
    if (kept < i) active->contact[kept] = *contact;
    kept++;
  }
  active->count = kept;
}

void mi_active_find(mi_active *active, const mi_surface *surface, const mi_candidates *candidates,
                    const float *position, double d_hat, int threads) {
  finding f = {active, surface, candidates, position, d_hat, mi_pair_kernels_best()};
  int count = candidates->nvt + candidates->nee, nchunk = nchunk_of(count);
  mi_parallel(threads, count, CHUNK, mark, &f);
  active->first[0] = 0;
  for (int c = 0; c < nchunk; c++) active->first[c + 1] += active->first[c];
  int found = active->first[nchunk];
  active->is_full = found > active->capacity;
  active->count = active->is_full ? active->capacity : found;
  mi_parallel(threads, count, CHUNK, write, &f);
  drop_far(active, d_hat);
}

double mi_active_energy(const mi_active *active, const mi_barrier *barrier) {
  double sum = 0;
  for (int i = 0; i < active->count; i++) sum += mi_contact_energy(active->contact + i, barrier);
  return sum;
}

void mi_active_gradient(const mi_active *active, const mi_barrier *barrier, const float *position,
                        double *gradient) {
  for (int i = 0; i < active->count; i++) {
    const mi_contact *contact = active->contact + i;
    double part[12];
    mi_contact_gradient(contact, barrier, position, part);
    for (int k = 0; k < 12; k++)
      gradient[3 * (size_t)contact->vert[k / 3] + (size_t)(k % 3)] += part[k];
  }
}

typedef struct bending {
  const mi_active *active;
  const mi_barrier *barrier;
  const float *position;
  mi_contact_hessian *hessian;
} bending;

static void fill_hessians(void *task, int begin, int end) {
  const bending *b = task;
  mi_contact_hessians_psd(b->active->contact + begin, end - begin, b->barrier, b->position,
                          b->hessian + begin);
}

void mi_active_hessian(const mi_active *active, const mi_barrier *barrier, const float *position,
                       int threads, mi_contact_hessian *hessian) {
  bending b = {active, barrier, position, hessian};
  mi_parallel(threads, active->count, 32, fill_hessians, &b);
}

double mi_active_least_gap(const mi_active *active) {
  double least = INFINITY;
  for (int i = 0; i < active->count; i++) {
    double gap = active->contact[i].distance - (double)active->contact[i].offset;
    if (gap < least) least = gap;
  }
  return least;
}
