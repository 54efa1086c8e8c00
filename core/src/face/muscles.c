#include "face/face.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

static const double LEAST_CONTRACTION = -1, MOST_CONTRACTION = 0.7;

static mien_result check_mesh(const mien_muscle_mesh *mesh, mien_error *err) {
  const char *name = mesh->name ? mesh->name : "without a name";
  int nvert = mesh->positions.count, ncorner = mesh->triangles.count;
  if (!mesh->name || !mesh->positions.data || nvert < 4 || !mesh->triangles.data || ncorner < 12 ||
      ncorner % 3 || (mesh->positions.stride && mesh->positions.stride < 3))
    return mi_fail(err, MIEN_ERR_ARGUMENT,
                   "the muscle '%s' needs a name, at least four vertices and four triangles", name);
  for (int k = 0; k < 3 * nvert; k++)
    if (!isfinite(mi_f32s_at(&mesh->positions, 3, k / 3)[k % 3]))
      return mi_fail(err, MIEN_ERR_NOT_FINITE, "vertex %d of the muscle '%s' is not finite", k / 3,
                     name);
  for (int k = 0; k < ncorner; k++)
    if (mesh->triangles.data[k] < 0 || mesh->triangles.data[k] >= nvert)
      return mi_fail(err, MIEN_ERR_ARGUMENT, "triangle %d of the muscle '%s' has no vertex %d",
                     k / 3, name, (int)mesh->triangles.data[k]);
  return MIEN_OK;
}

static mien_result take_meshes(mi_face_build *b, mi_muscle_body **bodies, int *count) {
  const mien_face_def *def = b->def;
  *count = def->nmuscle_mesh;
  *bodies = MI_PUSH(&b->face->arena, mi_muscle_body, *count);
  if (!*bodies) return mi_fail_memory(b->err);
  for (int m = 0; m < *count; m++) {
    mien_result result = check_mesh(def->muscle_meshes + m, b->err);
    if (result < 0) return result;
    (*bodies)[m].mesh = def->muscle_meshes + m;
    (*bodies)[m].name = mi_arena_name(&b->face->arena, def->muscle_meshes[m].name);
    if (!(*bodies)[m].name) return mi_fail_memory(b->err);
  }
  return MIEN_OK;
}

// Public views of the muscles.
static mien_result publish(mi_face_build *b, const mi_muscle_body *bodies) {
  mien_face *face = b->face;
  mi_muscles *muscles = &face->muscles;
  muscles->info = MI_PUSH(&face->arena, mien_muscle, muscles->count);
  if (!muscles->info) return mi_fail_memory(b->err);
  for (int m = 0; m < muscles->count; m++) {
    const mi_muscle_body *body = bodies + m;
    int npoint = body->npath ? body->path_first[body->npath] : 0;
    muscles->info[m] = (mien_muscle){.name = body->name,
                                     .path = {body->point, npoint, 3},
                                     .radius = body->radius,
                                     .least = LEAST_CONTRACTION,
                                     .most = MOST_CONTRACTION};
  }
  face->info.nmuscle = muscles->count;
  face->info.muscles = muscles->info;
  face->info.muscle_first = (mien_i32s){muscles->first, face->info.ntet + 1};
  face->info.muscle_index = (mien_i32s){muscles->index, muscles->nentry};
  face->info.muscle_share = (mien_f32s){muscles->share, muscles->nentry, 1};
  mi_muscles_measure(face);
  return MIEN_OK;
}

void mi_muscles_measure(mien_face *face) {
  mi_muscles *muscles = &face->muscles;
  for (int m = 0; m < muscles->count; m++) muscles->info[m].volume = muscles->info[m].ntet = 0;
  for (int t = 0; t < face->info.ntet; t++)
    for (int e = muscles->first[t]; e < muscles->first[t + 1]; e++) {
      mien_muscle *muscle = muscles->info + muscles->index[e];
      muscle->volume += (double)muscles->share[e] * (double)face->volume[t];
      muscle->ntet += muscles->share[e] > 0;
    }
  face->info.is_muscle_fitted = muscles->is_fitted;
}

// Muscles that no tetrahedron belongs to: said, or refused when that is all of them.
static mien_result check_places(mi_face_build *b) {
  mien_face *face = b->face;
  int nempty = 0, first = -1;
  for (int m = 0; m < face->muscles.count; m++) {
    if (face->muscles.info[m].ntet) continue;
    nempty++;
    first = first < 0 ? m : first;
  }
  if (nempty == face->muscles.count)
    return mi_fail(b->err, MIEN_ERR_MISMATCH,
                   "none of the %d muscles lies in the flesh; are they in the head's space, in "
                   "metres?",
                   nempty);
  if (nempty &&
      !mi_remark(&face->remarks, "%d of %d muscles lie outside the flesh and do nothing ('%s')",
                 nempty, face->muscles.count, face->muscles.info[first].name))
    return mi_fail_memory(b->err);
  return MIEN_OK;
}

mien_result mi_muscles_build(mi_face_build *b) {
  const mien_face_def *def = b->def;
  mien_face *face = b->face;
  mi_muscle_body *bodies = NULL;
  int count = 0;
  double start = mi_clock();
  if (!def->muscles && !def->nmuscle_mesh && !def->nmuscle_target) return MIEN_OK;
  bool has_meshes = def->muscle_meshes && def->nmuscle_mesh > 0;
  mien_result result =
      has_meshes ? take_meshes(b, &bodies, &count) : mi_muscles_land(b, &bodies, &count);
  if (result >= 0) result = mi_muscles_find_rows(b, bodies, count);
  if (result >= 0) result = publish(b, bodies);
  if (result >= 0) result = check_places(b);
  if (result < 0) return result;
  // a fit begins with the atlas, whatever an earlier one has left in the rig
  if (def->use_stored && !def->nmuscle_target && mi_muscles_take_stored(b))
    mi_muscles_measure(face);
  face->info.hash =
      mi_hash(face->info.hash, face->muscles.share, (size_t)face->muscles.nentry * sizeof(float));
  face->info.seconds_muscles = mi_clock() - start;
  return MIEN_OK;
}
