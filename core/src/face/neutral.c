// Remarks on a neutral that crosses itself where skin can touch; contact works with it all the same
// (contact/inset.h).
#include "face/face.h"

#include "mesh/cross.h"

#include <string.h>

static const int32_t LIPS = MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER;

// -- Crossing -------------------------------------------------------------------------------------

// The skin that can touch.
static bool list_skin(const mi_face_build *b, mi_arena *scratch, mi_cross_mesh *out) {
  const mien_face *face = b->face;
  const mi_skin *skin = &face->skin;
  int count = 0;
  int32_t *tri = MI_PUSH(scratch, int32_t, 3 * (size_t)skin->ntri);
  if (!tri) return false;
  for (int t = 0; t < skin->ntri; t++) {
    const int32_t *v = skin->tri + 3 * (size_t)t, *bits = face->regions.bits;
    if (!(bits[v[0]] & bits[v[1]] & bits[v[2]] & MIEN_REGION_CONTACT)) continue;
    for (int c = 0; c < 3; c++) tri[count++] = skin->vert[v[c]];
  }
  *out = (mi_cross_mesh){face->rig->positions, tri, count / 3};
  return true;
}

// Teeth, bones and eyes that can be touched; a user's collider has no position in the neutral.
static bool list_rigid(const mi_face_build *b, mi_arena *scratch, mi_cross_mesh *out) {
  const mi_colliders *rigid = &b->face->colliders;
  int32_t *tri = MI_PUSH(scratch, int32_t, 3 * (size_t)rigid->ntri);
  int count = 0;
  if (!tri) return false;
  for (int t = 0; t < rigid->ntri; t++) {
    const int32_t *v = rigid->tri + 3 * (size_t)t;
    if (rigid->user[v[0]] >= 0) continue;
    memcpy(tri + count, v, 3 * sizeof *tri);
    count += 3;
  }
  *out = (mi_cross_mesh){rigid->position, tri, count / 3};
  return true;
}

static mien_result say_crossing(mi_face_build *b, const mi_crossings *found, const char *with,
                                const char *then) {
  if (found->count < 0) return mi_fail_memory(b->err);
  if (!found->count) return MIEN_OK;
  bool said =
      mi_remark(&b->face->remarks,
                "in the neutral %d %s %s, one near (%.1f, %.1f, %.1f) cm; contact %s", found->count,
                found->count == 1 ? "pair of triangles of the skin that can touch crosses"
                                  : "pairs of triangles of the skin that can touch cross",
                with, 100 * found->near[0], 100 * found->near[1], 100 * found->near[2], then);
  return said ? MIEN_OK : mi_fail_memory(b->err);
}

static mien_result check_crossing(mi_face_build *b, mi_arena *scratch) {
  mi_cross_mesh skin, rigid;
  if (!list_skin(b, scratch, &skin) || !list_rigid(b, scratch, &rigid))
    return mi_fail_memory(b->err);
  mi_crossings within = mi_cross_find(&skin, NULL, scratch);
  mien_result result =
      say_crossing(b, &within, "each other", "lets them overlap as deep as that, and no deeper");
  if (result != MIEN_OK) return result;
  mi_crossings between = mi_cross_find(&skin, &rigid, scratch);
  return say_crossing(b, &between, "teeth, bones or eyes",
                      "lets these cross as deep as that, and no deeper");
}

// -- Welded lips ----------------------------------------------------------------------------------

// Vertices of both halves of the slit, but for those around the corners, which belong to both.
static int count_shared(const mi_regions *r) {
  int margin = r->nslit_upper / 8 + 1, count = 0;
  for (int i = margin; i < r->nslit_upper - margin; i++)
    for (int j = r->nslit_upper; j < r->nslit; j++) count += r->slit[i] == r->slit[j];
  return count;
}

// Edges of lips that more than two triangles share; without a slit, those from lip to lip.
static int count_joining(const mien_face *face) {
  const mi_topology *topo = &face->skin.topo;
  const int32_t *bits = face->regions.bits;
  int count = 0;
  for (int e = 0; e < topo->nedge; e++) {
    int32_t a = bits[topo->edge[2 * e]] & LIPS, c = bits[topo->edge[2 * e + 1]] & LIPS;
    if (!a || !c) continue;
    count += topo->edge_ntri[e] > 2 || (!face->regions.has_mouth && (a | c) == LIPS);
  }
  return count;
}

static mien_result check_lips(mi_face_build *b) {
  const mien_face *face = b->face;
  int nshared = face->regions.has_mouth ? count_shared(&face->regions) : 0;
  int njoining = count_joining(face);
  if (!nshared && !njoining) return MIEN_OK;
  bool said =
      mi_remark(&b->face->remarks,
                "upper and lower lip are welded into one: they share %d %s; no slit is free "
                "there, so they can neither part, press nor stick; cut them apart",
                njoining ? njoining : nshared, njoining ? "edges" : "vertices");
  return said ? MIEN_OK : mi_fail_memory(b->err);
}

mien_result mi_neutral_check(mi_face_build *b) {
  mi_arena scratch;
  mi_arena_init(&scratch, &b->face->host);
  mien_result result = check_crossing(b, &scratch);
  mi_arena_free(&scratch);
  return result == MIEN_OK ? check_lips(b) : result;
}
