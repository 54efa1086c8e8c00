// Masses of the tetrahedra, their attachment, and remarks about them.
#include "face/face.h"

#include "math/kernels.h"
#include "math/vec.h"

#include <string.h>

// Each corner of a tetrahedron gets a quarter of its mass.
static mien_result weigh(mi_face_build *b, const float *volume) {
  mien_face *face = b->face;
  double *sum = MI_PUSH(&b->scratch, double, face->info.nvert), least = INFINITY;
  face->mass = MI_PUSH(&face->arena, float, face->info.nvert);
  if (!sum || !face->mass) return mi_fail_memory(b->err);
  const mi_blend *density = face->materials.of + MI_DENSITY;
  for (int e = 0; e < face->info.ntet; e++) {
    face->info.volume += volume[e];
    for (int c = 0; c < 4; c++) {
      int i = face->tets[4 * (size_t)e + c];
      double mass = b->def->density * (double)mi_blend_neutral(density, i) * volume[e] / 4;
      sum[i] += mass;
      face->info.mass += mass;
    }
  }
  for (int i = 0; i < face->info.nvert; i++)
    if (sum[i] > 0) least = fmin(least, sum[i]);
  // a vertex that lost all its triangles still needs a mass to be moved by
  for (int i = 0; i < face->info.nvert; i++)
    face->mass[i] = (float)(sum[i] > 0 ? sum[i] : isfinite(least) ? least : 0);
  return MIEN_OK;
}

static mien_result measure(mi_face_build *b) {
  mien_face_info *info = &b->face->info;
  const mi_kernels *kernels = mi_kernels_best();
  float *volume = b->face->volume = MI_PUSH(&b->face->arena, float, info->ntet);
  float *ratio = MI_PUSH(&b->scratch, float, info->ntet);
  if (!volume || !ratio) return mi_fail_memory(b->err);
  kernels->measure_tets(b->face->rest, b->face->tets, info->ntet, volume, ratio);
  info->shape_min = info->ntet ? INFINITY : 0;
  double sum = 0;
  for (int e = 0; e < info->ntet; e++) {
    info->ninverted += !(volume[e] > 0);
    info->shape_min = fmin(info->shape_min, ratio[e]);
    sum += ratio[e];
  }
  info->shape_mean = info->ntet ? sum / info->ntet : 0;
  if (info->ninverted)
    return mi_fail(b->err, MIEN_ERR_MISMATCH, "%d of %d tetrahedra came out inverted",
                   info->ninverted, info->ntet);
  return weigh(b, volume);
}

static void measure_thickness(mi_face_build *b) {
  mien_face_info *info = &b->face->info;
  const mi_skin *skin = &b->face->skin;
  double thin = INFINITY, thick = 0, sum = 0;
  for (int i = 0; i < skin->nvert; i++) {
    double length = mi_length(mi_vec3_load(b->face->thickness_vector + 3 * (size_t)i));
    thin = fmin(thin, length);
    thick = fmax(thick, length);
    sum += length;
  }
  info->thickness_min = thin;
  info->thickness_max = thick;
  info->thickness_mean = sum / skin->nvert;
  double worst = INFINITY, total = 0;
  int count = 0;
  for (int t = 0; t < skin->ntri; t++) {
    if (!b->kept[t]) continue;
    double quality[3];
    mi_prism_quality(skin, b->face->thickness_vector, t, quality);
    for (int k = 0; k < 3; k++, count++) {
      worst = fmin(worst, quality[k]);
      total += quality[k];
    }
  }
  info->quality_min = count ? worst : 0;
  info->quality_mean = count ? total / count : 0;
}

static void count_regions(mien_face *face) {
  mien_face_info *info = &face->info;
  for (int i = 0; i < face->skin.nvert; i++) {
    int bits = face->regions.bits[i];
    info->nlip_upper += !!(bits & MIEN_REGION_LIP_UPPER);
    info->nlip_lower += !!(bits & MIEN_REGION_LIP_LOWER);
    info->nlip_inner += !!(bits & MIEN_REGION_LIP_INNER);
    info->nmouth_bag += !!(bits & MIEN_REGION_MOUTH_BAG);
    info->neyelid += !!(bits & MIEN_REGION_EYELID);
    info->ncontact += !!(bits & MIEN_REGION_CONTACT);
    info->npassive += !!(bits & MIEN_REGION_PASSIVE);
  }
  for (int i = 0; i < info->nvert; i++) info->nattached += face->attachment[i] > 0;
}

// Fills the public list: skin vertices by their numbers in the artist's rig.
static void publish_skin(mien_face *face) {
  const mi_embedding *embedding = &face->embedding;
  const int32_t *vert = embedding->render_skin ? embedding->skin : face->skin.vert;
  face->info.rig = mi_face_render_skin(face);
  face->info.skin = (mien_i32s){vert, face->skin.nvert};
  face->info.nfollowing = embedding->render_skin ? embedding->map.nvert - embedding->nskin : 0;
}

static void publish(mien_face *face) {
  mien_face_info *info = &face->info;
  const mi_skin *skin = &face->skin;
  int nvert = info->nvert;
  publish_skin(face);
  info->nskin = skin->nvert;
  info->has_mouth = face->regions.has_mouth;
  info->nslit = face->regions.nslit;
  info->hinge = face->regions.jaw_hinge;
  info->positions = (mien_f32s){face->rest, nvert, 3};
  info->tets = (mien_i32s){face->tets, 4 * info->ntet};
  info->skin_triangles = (mien_i32s){skin->tri, 3 * skin->ntri};
  info->masses = (mien_f32s){face->mass, nvert, 1};
  info->attachment = (mien_f32s){face->attachment, nvert, 1};
  info->jaw = (mien_f32s){face->jaw, nvert, 1};
  info->regions = (mien_i32s){face->regions.bits, skin->nvert};
  info->slit = (mien_i32s){face->regions.slit, face->regions.nslit};
  uint64_t hash = mi_hash_u64(face->rig->hash, (uint64_t)nvert);
  if (face->embedding.render_skin) hash = mi_hash_u64(hash, face->embedding.render_skin->hash);
  hash = mi_hash(hash, face->rest, 3 * (size_t)nvert * sizeof(float));
  hash = mi_hash(hash, face->tets, 4 * (size_t)info->ntet * sizeof(int32_t));
  hash = mi_hash(hash, face->mass, (size_t)nvert * sizeof(float));
  hash = mi_hash(hash, face->attachment, (size_t)nvert * sizeof(float));
  hash = mi_hash(hash, face->jaw, (size_t)nvert * sizeof(float));
  hash = mi_blendvolumes_hash(&face->blendvolumes, hash);
  info->hash = mi_materials_hash(&face->materials, hash);
}

bool mi_flesh_reserve(mi_face_build *b) {
  mien_face *face = b->face;
  face->carrier = MI_PUSH(&face->arena, int32_t, face->info.nvert);
  face->attachment = MI_PUSH(&face->arena, float, face->info.nvert);
  face->jaw = MI_PUSH(&face->arena, float, face->info.nvert);
  return face->carrier && face->attachment && face->jaw;
}

mien_result mi_flesh_find_vertex_tets(mi_face_build *b) {
  mien_face *face = b->face;
  int nvert = face->info.nvert, ntet = face->info.ntet;
  face->vertex_tet_first = MI_PUSH(&face->arena, int32_t, nvert + 1);
  face->vertex_tet = MI_PUSH(&face->arena, int32_t, 4 * (size_t)ntet);
  int32_t *next = MI_PUSH(&b->scratch, int32_t, nvert + 1);
  if (!face->vertex_tet_first || !face->vertex_tet || !next) return mi_fail_memory(b->err);
  for (int k = 0; k < 4 * ntet; k++) face->vertex_tet_first[face->tets[k] + 1]++;
  for (int i = 0; i < nvert; i++) face->vertex_tet_first[i + 1] += face->vertex_tet_first[i];
  memcpy(next, face->vertex_tet_first, ((size_t)nvert + 1) * sizeof *next);
  for (int k = 0; k < 4 * ntet; k++) face->vertex_tet[next[face->tets[k]]++] = k / 4;
  return MIEN_OK;
}

mien_result mi_flesh_finish(mi_face_build *b) {
  mien_result result = measure(b);
  if (result != MIEN_OK) return result;
  measure_thickness(b);
  count_regions(b->face);
  publish(b->face);
  return MIEN_OK;
}
