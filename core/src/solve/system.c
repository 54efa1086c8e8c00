// The constant half of a simulation: permutation and elements of a face.
#include "solve/system.h"

#include "face/lip_order.h"
#include "math/kernels.h"
#include "mesh/stiffness.h"

#include <float.h>
#include <string.h>

typedef struct build_ctx {
  const mien_face *face;
  mi_system *system;
  mi_arena scratch;
  mien_error *err;
} build_ctx;

// -- Permutation ----------------------------------------------------------------------------------

// Vertices that can touch, except lids, come last: contacts and sticky springs then change only the
// end of the factor, where a dense inverse is kept. Its size grows with the square of their number,
// so of many only those nearest to the other lip are taken, and the mouth bag only where lips leave
// room. Rows on the others cost more iterations.
enum { MOST_LAST = 1500, MOST_WITH_BAG = 600 };

static mien_result find_order(build_ctx *m, const mi_csr *matrix) {
  const mien_face *face = m->face;
  mi_system *system = m->system;
  unsigned char *last = MI_PUSH(&m->scratch, unsigned char, system->nvert);
  mi_lip_vert *lips = MI_PUSH(&m->scratch, mi_lip_vert, face->skin.nvert);
  if (!last || !lips) return mi_fail_memory(m->err);
  int nlip = mi_lip_order(face, MOST_LAST, MOST_WITH_BAG, lips);
  for (int k = 0; k < nlip; k++) last[lips[k].vert] = 1;
  system->nfront = system->nvert - nlip;
  if (!mi_order_find(matrix, last, system->perm, &m->scratch)) return mi_fail_memory(m->err);
  for (int k = 0; k < system->nvert; k++) system->iperm[system->perm[k]] = k;
  return MIEN_OK;
}

// -- Elements -------------------------------------------------------------------------------------

// Stiffness as painted on the neutral.
static void weigh_elements(build_ctx *m) {
  const mien_face *face = m->face;
  mi_system *system = m->system;
  const mi_blend *strain = face->materials.of + MI_STIFFNESS;
  const mi_blend *volume = face->materials.of + MI_VOLUME_STIFFNESS;
  mi_kernels_best()->measure_tets(face->rest, face->tets, face->info.ntet, system->strain, NULL);
  for (int t = 0; t < face->info.ntet; t++) {
    system->volume[t] = (float)(face->volume_stiffness * system->strain[t]);
    system->strain[t] *= (float)face->stiffness;
  }
  for (int t = 0; t < strain->count; t++) system->strain[t] *= mi_blend_neutral(strain, t);
  for (int t = 0; t < volume->count; t++) system->volume[t] *= mi_blend_neutral(volume, t);
  for (int t = 0; t < face->info.ntet; t++)
    system->noise +=
        (double)(system->strain[t] + system->volume[t]) * 16 * FLT_EPSILON * FLT_EPSILON;
}

static mien_result build_elements(build_ctx *m) {
  const mien_face *face = m->face;
  mi_system *system = m->system;
  float *rest = MI_PUSH(&m->scratch, float, 3 * (size_t)system->nvert);
  int32_t *tets = MI_PUSH(&m->scratch, int32_t, 4 * (size_t)face->info.ntet);
  if (!rest || !tets) return mi_fail_memory(m->err);
  for (int k = 0; k < system->nvert; k++)
    memcpy(rest + 3 * (size_t)k, face->rest + 3 * (size_t)system->perm[k], 3 * sizeof *rest);
  for (int k = 0; k < 4 * face->info.ntet; k++) tets[k] = system->iperm[face->tets[k]];
  mi_elastic_def def = {.nvert = system->nvert,
                        .ntet = face->info.ntet,
                        .rest = rest,
                        .tets = tets,
                        .strain = system->strain,
                        .volume = system->volume,
                        .is_prisms = face->is_prisms};
  system->elastic = mi_elastic_create_blocks(&def, &system->arena);
  return system->elastic ? MIEN_OK : mi_fail_memory(m->err);
}

// -- Making and freeing ---------------------------------------------------------------------------

static bool reserve(build_ctx *m) {
  mi_system *system = m->system;
  size_t nvert = (size_t)system->nvert, ntet = (size_t)m->face->info.ntet;
  return MI_RESERVE(&system->arena, MI_ROOM(system->perm, nvert), MI_ROOM(system->iperm, nvert),
                    MI_ROOM(system->bound, nvert), MI_ROOM(system->strain, ntet),
                    MI_ROOM(system->volume, ntet));
}

static mien_result build(build_ctx *m) {
  const mien_face *face = m->face;
  mi_system *system = m->system;
  mi_csr pattern;
  if (!reserve(m)) return mi_fail_memory(m->err);
  for (int k = 0; k < 4 * face->info.ntet; k++) system->bound[face->tets[k]] = 1;
  weigh_elements(m);
  mi_stiffness_def stiffness = {.nvert = system->nvert,
                                .ntet = face->info.ntet,
                                .tets = face->tets,
                                .rest = face->rest,
                                .weight_a = system->strain};
  if (!mi_stiffness_assemble(&stiffness, &m->scratch, &pattern)) return mi_fail_memory(m->err);
  mien_result result = find_order(m, &pattern);
  return result < 0 ? result : build_elements(m);
}

static void free_operators(mi_system *system) {
  while (system->operators) {
    mi_operator *op = system->operators;
    system->operators = op->next;
    mi_operator_free(op);
  }
}

static void free_system(void *made) {
  mi_system *system = made;
  free_operators(system);
  mi_arena_delete(system->arena);
}

mien_result mi_system_get(const mien_face *face, mi_system **out, mien_error *err) {
  mi_face_shared *shared = face->shared;
  if (shared->system) {
    *out = shared->system;
    return MIEN_OK;
  }
  mi_system *system = MI_CREATE(mi_system, &face->host);
  if (!system) return mi_fail_memory(err);
  system->host = face->host;
  system->nvert = face->info.nvert;
  build_ctx m = {.face = face, .system = system, .err = err};
  mi_arena_init(&m.scratch, &face->host);
  mien_result result = build(&m);
  mi_arena_free(&m.scratch);
  if (result < 0) {
    free_system(system);
    return result;
  }
  shared->system = *out = system;
  shared->free_system = free_system;
  return MIEN_OK;
}

mi_system_info mi_system_get_info(const mien_face *face) {
  mi_system_info info = {0};
  pthread_mutex_lock(&face->shared->lock);
  const mi_system *system = face->shared->system;
  if (system) {
    info.bytes = system->arena.total;
    info.noperator_made = system->nmade;
  }
  for (const mi_operator *op = system ? system->operators : NULL; op; op = op->next) {
    info.bytes += op->arena.total + (op->factor ? mi_factor_bytes(op->factor) : 0);
    info.noperator++;
  }
  pthread_mutex_unlock(&face->shared->lock);
  return info;
}
