// Does the contact surface cross itself? Triangle by triangle.
#include "solve/contacts.h"

#include "mesh/cross.h"

#include <stdatomic.h>
#include <string.h>

typedef struct query {
  const mi_contacts *contacts;
  const float *position;
  int *ncrossing;  // of components, or NULL
  bool *is_masked; // of vertices, or NULL
  atomic_int count;
} query;

static void load(const query *q, int tri, mi_vec3 corner[3]) {
  for (int k = 0; k < 3; k++)
    corner[k] = mi_vec3_load(q->position +
                             3 * (size_t)q->contacts->surface->tri[3 * (size_t)tri + (size_t)k]);
}

// Threads that meet here write the same.
static void set(bool *flag) {
  __atomic_store_n(flag, true, __ATOMIC_RELAXED);
}

static void look_at(void *task, int a, int b) {
  query *q = task;
  const mi_contacts *c = q->contacts;
  const int32_t *first = c->surface->tri + 3 * (size_t)a, *second = c->surface->tri + 3 * (size_t)b;
  mi_vec3 x[3], y[3];
  load(q, a, x);
  load(q, b, y);
  if (!mi_triangles_cross(x, y)) return;
  atomic_fetch_add(&q->count, 1);
  if (q->ncrossing) {
    __atomic_fetch_add(q->ncrossing + c->component[first[0]], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(q->ncrossing + c->component[second[0]], 1, __ATOMIC_RELAXED);
  }
  for (int k = 0; k < 3 && q->is_masked; k++) {
    set(q->is_masked + first[k]);
    set(q->is_masked + second[k]);
  }
}

int mi_contacts_cross(mi_contacts *c, const float *position, int threads, int *ncrossing) {
  query q = {.contacts = c, .position = position, .ncrossing = ncrossing};
  if (ncrossing) memset(ncrossing, 0, (size_t)c->ncomponent * sizeof *ncrossing);
  mi_broad_triangles(c->broad, position, threads, look_at, &q);
  return atomic_load(&q.count);
}

void mi_contacts_mask(mi_contacts *c, const bool *is_masked) {
  size_t size = (size_t)c->nvert * sizeof *is_masked;
  if (!memcmp(c->is_masked, is_masked, size)) return;
  memcpy(c->is_masked, is_masked, size);
  mi_broad_leave_out(c->broad, c->is_masked);
}

void mi_contacts_mask_crossing(mi_contacts *c, const float *position) {
  query q = {.contacts = c, .position = position, .is_masked = c->is_crossing};
  memcpy(c->is_crossing, c->is_masked, (size_t)c->nvert * sizeof *c->is_masked);
  mi_broad_triangles(c->broad, position, 1, look_at, &q);
  mi_contacts_mask(c, c->is_crossing);
}
