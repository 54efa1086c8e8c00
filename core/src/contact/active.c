// Candidates that are close enough to push.
#include "contact/pair_kernels.h"

#include <math.h>

bool mi_active_create(mi_active *active, int capacity, mi_arena *arena) {
  *active = (mi_active){.capacity = capacity, .nslot = 1};
  while (active->nslot < 2 * capacity) active->nslot *= 2;
  active->contact = MI_PUSH(arena, mi_contact, capacity);
  active->slot = MI_PUSH(arena, int32_t, active->nslot);
  return active->contact && active->slot;
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

typedef struct finding {
  mi_contact *contact;
  const mi_surface *surface;
  const mi_candidates *candidates;
  const float *position;
} finding;

static void measure_range(void *task, int begin, int end) {
  const finding *f = task;
  for (int i = begin; i < end; i++) {
    bool is_edges;
    mi_pair pair = mi_candidate(f->candidates, i, &is_edges);
    f->contact[i] = describe(f->surface, pair, is_edges);
    mi_contact_measure(f->contact + i, f->position);
  }
}

void mi_active_find(mi_active *active, const mi_surface *surface, const mi_candidates *candidates,
                    const float *position, double d_hat, int threads) {
  enum { CHUNK = 64 };
  finding f = {active->contact, surface, candidates, position};
  int count = candidates->nvt + candidates->nee;
  active->is_full = count > active->capacity;
  if (active->is_full) count = active->capacity;
  mi_parallel(threads, count, CHUNK, measure_range, &f);
  active->count = 0;
  for (int i = 0; i < count; i++) {
    const mi_contact *contact = active->contact + i;
    if (!(contact->distance < d_hat + (double)contact->offset)) continue;
    if (active->count < i) active->contact[active->count] = *contact;
    active->count++;
  }
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
