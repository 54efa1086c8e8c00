// How far the jaw has to open until the lips lie free.
//
// Artists let lips overlap so that they look round when they part. In such a neutral a lip faces
// the inside of the other lip, or nothing; lips that have just parted face each other.
#include "mesh/cross.h"
#include "mesh/mesh.h"
#include "rig/finding.h"

#include <stdlib.h>

enum { STEPS = 24 };
static const double PARTED =
    0.1; // of the jaw's way: triangles whose distance grows by that are parted

typedef struct query_ctx {
  const mi_finding *f;
  uint64_t *open; // pairs that cross with the jaw wide open, in order
  int nopen, capacity, count;
  bool is_listing; // they are being found; else the others are counted
} query_ctx;

static mi_vec3 way_of(const mi_finding *f, int tri) {
  mi_vec3 sum = {0, 0, 0};
  for (int c = 0; c < 3; c++)
    sum =
        mi_add(sum, mi_vec3_load(f->open + 3 * (size_t)f->skin->tri[3 * (size_t)tri + (size_t)c]));
  return mi_scale(1. / 3, sum);
}

static int compare(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void look_at(void *task, int a, int b) {
  query_ctx *l = task;
  if (mi_distance(way_of(l->f, a), way_of(l->f, b)) < PARTED * l->f->open_most) return;
  uint64_t pair = a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
  if (!l->is_listing)
    l->count += !bsearch(&pair, l->open, (size_t)l->nopen, sizeof pair, compare);
  else if (l->nopen < l->capacity)
    l->open[l->nopen++] = pair;
}

// Pairs that cross with the jaw open by this share of its way.
static bool find_at(query_ctx *l, double share, float *position) {
  const mi_skin *skin = l->f->skin;
  mi_arena scratch = {.allocator = l->f->scratch.allocator, .limit = l->f->scratch.limit};
  mi_cross_mesh mesh = {position, skin->tri, skin->ntri};
  for (size_t i = 0; i < 3 * (size_t)skin->nvert; i++)
    position[i] = skin->position[i] + (float)share * l->f->open[i];
  l->count = 0;
  bool has_memory = mi_cross_each(&mesh, NULL, &scratch, look_at, l);
  mi_arena_free(&scratch);
  return has_memory;
}

// The least share of the jaw's way at which the parted skin hardly crosses.
static bool find_share(query_ctx *l, float *position, double *share) {
  *share = 0;
  if (!find_at(l, 0, position)) return false;
  if (!l->count) return true;
  // Pairs that cross however far the jaw is open do not count.
  l->is_listing = true;
  if (!find_at(l, 1, position)) return false;
  l->is_listing = false;
  qsort(l->open, (size_t)l->nopen, sizeof *l->open, compare);
  int least = INT32_MAX;
  for (int step = 0; step <= STEPS && least; step++) {
    if (!find_at(l, (double)step / STEPS, position)) return false;
    if (l->count >= least) continue;
    least = l->count;
    *share = (double)step / STEPS;
  }
  return true;
}

bool mi_find_opening(mi_finding *f, mi_skin *opened) {
  *opened = *f->skin;
  if (f->out->jaw_shape < 0 || !(f->open_most > 0)) return true;
  size_t count = 3 * (size_t)f->skin->nvert;
  query_ctx l = {.f = f, .capacity = f->skin->ntri};
  l.open = MI_PUSH(&f->scratch, uint64_t, l.capacity);
  float *position = MI_PUSH(&f->scratch, float, count);
  float *normal = MI_PUSH(&f->scratch, float, count);
  if (!l.open || !position || !normal || !find_share(&l, position, &f->opened)) return false;
  if (!(f->opened > 0)) return true;
  for (size_t i = 0; i < count; i++)
    position[i] = f->skin->position[i] + (float)f->opened * f->open[i];
  mi_vertex_normals(&opened->topo, position, normal);
  opened->position = position;
  opened->normal = normal;
  return true;
}
