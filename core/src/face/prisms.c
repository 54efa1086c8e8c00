// Three tetrahedra per prism.
//
// The side between two skin vertices a < b is always cut from skin a to hypodermis b. Sides are
// shared by two prisms and both see the same two numbers, so neighbours agree without walking the
// mesh from triangle to triangle, and no prism can end up with its three cuts in a circle.
#include "face/face.h"

#include "math/vec.h"

void mi_prism_tets(const int32_t tri[3], int nskin, int32_t tets[3][4]) {
  int32_t v[3] = {tri[0], tri[1], tri[2]};
  bool odd = false;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < 2; k++)
      if (v[k] > v[k + 1]) {
        int32_t swapped = v[k];
        v[k] = v[k + 1];
        v[k + 1] = swapped;
        odd = !odd;
      }
  int32_t w[3] = {v[0] + nskin, v[1] + nskin, v[2] + nskin};
  const int32_t plain[3][4] = {
      {v[0], v[1], v[2], w[2]}, {v[0], v[1], w[2], w[1]}, {v[0], w[1], w[2], w[0]}};
  // seen from outside the skin runs counter-clockwise and the hypodermis lies behind it: with an
  // even order that makes the volumes negative, so the first two corners change places
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 4; c++) tets[k][c] = plain[k][odd || c > 1 ? c : 1 - c];
}

static mi_vec3 corner(const mi_skin *skin, const float *thickness_vector, int vert) {
  int i = vert < skin->nvert ? vert : vert - skin->nvert;
  mi_vec3 at = mi_vec3_load(skin->position + 3 * (size_t)i);
  return vert < skin->nvert ? at : mi_add(at, mi_vec3_load(thickness_vector + 3 * (size_t)i));
}

void mi_prism_quality(const mi_skin *skin, const float *thickness_vector, int t,
                      double quality[3]) {
  const int32_t *tri = skin->tri + 3 * (size_t)t;
  double height = 0;
  for (int c = 0; c < 3; c++)
    height += mi_length(mi_vec3_load(thickness_vector + 3 * (size_t)tri[c])) / 3;
  double straight = mi_triangle_area(skin->position, tri) * height / 3;
  int32_t tets[3][4];
  mi_prism_tets(tri, skin->nvert, tets);
  for (int k = 0; k < 3; k++) {
    mi_vec3 p[4];
    for (int c = 0; c < 4; c++) p[c] = corner(skin, thickness_vector, tets[k][c]);
    double volume = mi_det(p[0], p[1], p[2], p[3]) / 6;
    quality[k] = straight > 0 ? volume / straight : 0;
  }
}

mien_result mi_prisms_build(mi_face_build *b) {
  mien_face *face = b->face;
  const mi_skin *skin = &face->skin;
  int nskin = skin->nvert, nkept = 0;
  for (int t = 0; t < skin->ntri; t++) nkept += b->kept[t];
  face->info.nvert = 2 * nskin;
  face->info.ntet = 3 * nkept;
  face->rest = MI_PUSH(&face->arena, float, 3 * (size_t)face->info.nvert);
  face->tets = MI_PUSH(&face->arena, int32_t, 12 * (size_t)nkept);
  if (!face->rest || !face->tets || !mi_flesh_reserve(b)) return mi_fail_memory(b->err);
  for (int i = 0; i < 2 * nskin; i++) {
    mi_vec3_store(face->rest + 3 * (size_t)i, corner(skin, face->thickness_vector, i));
    face->carrier[i] = i % nskin;
    face->jaw[i] = face->regions.jaw[i % nskin];
    face->attachment[i] = i < nskin ? 0 : face->regions.attachment[i - nskin];
  }
  face->bone_share = face->attachment;
  face->is_prisms = true;
  int32_t *at = face->tets;
  for (int t = 0; t < skin->ntri; t++) {
    if (!b->kept[t]) continue;
    mi_prism_tets(skin->tri + 3 * (size_t)t, nskin, (int32_t(*)[4])at);
    at += 12;
  }
  return MIEN_OK;
}
