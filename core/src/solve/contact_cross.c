// Does it cross? The solver's own test, triangle by triangle.
#include "solve/contacts.h"

#include "mesh/cross.h"

#include <stdatomic.h>
#include <string.h>

typedef struct crossing {
  const mi_surface *surface;
  const float *position, *rest; // NULL: what crosses in the neutral counts, too
  void (*fn)(void *task, int a, int b);
  void *task;
  atomic_int count;
} crossing;

static void load(const crossing *c, const float *position, int tri, mi_vec3 corner[3]) {
  for (int k = 0; k < 3; k++)
    corner[k] = mi_vec3_load(position + 3 * (size_t)c->surface->tri[3 * (size_t)tri + (size_t)k]);
}

static bool cross(const crossing *c, const float *position, int a, int b) {
  mi_vec3 p[3], q[3];
  load(c, position, a, p);
  load(c, position, b, q);
  return mi_triangles_cross(p, q);
}

static void look_at(void *task, int a, int b) {
  crossing *c = task;
  if (!cross(c, c->position, a, b) || (c->rest && cross(c, c->rest, a, b))) return;
  atomic_fetch_add(&c->count, 1);
  if (c->fn) c->fn(c->task, a, b);
}

static int search(mi_contacts *c, const float *position, int threads,
                  void (*fn)(void *task, int a, int b), void *task) {
  crossing all = {c->surface, position, c->rest, fn, task, 0};
  mi_broad_triangles(c->broad, position, threads, look_at, &all);
  return atomic_load(&all.count);
}

void mi_contacts_visit(mi_contacts *c, const float *position, void (*fn)(void *task, int a, int b),
                       void *task) {
  crossing all = {c->surface, position, NULL, fn, task, 0};
  mi_broad_triangles(c->broad, position, 1, look_at, &all);
}

typedef struct marking {
  const mi_contacts *contacts;
  bool *is_hit;
} marking;

static void mark(void *task, int a, int b) {
  const marking *m = task;
  const mi_contacts *c = m->contacts;
  // threads that meet here write the same
  __atomic_store_n(m->is_hit + c->piece[c->surface->tri[3 * (size_t)a]], true, __ATOMIC_RELAXED);
  __atomic_store_n(m->is_hit + c->piece[c->surface->tri[3 * (size_t)b]], true, __ATOMIC_RELAXED);
}

int mi_contacts_cross(mi_contacts *c, const float *position, int threads, bool *is_hit) {
  if (!is_hit) return search(c, position, threads, NULL, NULL);
  marking m = {c, is_hit};
  memset(is_hit, 0, (size_t)c->npiece * sizeof *is_hit);
  return search(c, position, threads, mark, &m);
}
