// The least support that flesh gets, however soft it is set and however thin it came out.
//
// Flesh follows its bone like a mass on a spring: its own mass and that of the skin it carries, at
// attachment_rate Hz where attachment is 1. Three things that anatomy has are missing there.
//
// 1. Muscles and ligaments do not soften with the flesh. The attachment that they make, up to 0.15,
//    is worth at least the 50 Hz of the defaults: 7.5 Hz for lips, lids and cheeks, which sag by
//    4.4 mm per g on their own, 2.5 % of a face's height. What is passive or painted below 0.15 has
//    that much less of them, and none at 0.
// 2. No skin is thinner than a tenth of the flesh, 0.5 of 5 mm: lids and the lining of the mouth.
//    Where a mesh is folded, prisms are thinned to a hundredth (thin.c). Such sheets weigh nothing,
//    so that next to nothing holds them, and the minimiser's few steps, judged by the energy of the
//    whole face, leave them anywhere: plain Projective Dynamics keeps them in the face, L-BFGS does
//    not, at the origin no better than 1.6 m from it. Bone holds both sides of the mass that they
//    lack.
// 3. A triangle that cannot have flesh has flesh in life, and the skin beside it hangs on that.
//    Its corners follow their pose by the mass that is lost, as bone holds it where attachment is
//    1 (less where it is below 0.15, as above). Where muscles move the face, bone holds the neutral
//    and not the pose: the lost mass hangs on it like all flesh there, or it pins single vertices
//    while the corner of a mouth goes 10 mm.
//
// Measured on three foreign heads with a folded mouth and two of the samples, 91 bakes of 1.6 to
// 2.5 s with contact off, presets from skin to cartoon: the foreign skin went up to 960 mm off its
// pose and goes 20 mm now, the samples' 64 and 22; vertices more than three times as far off as
// their neighbours: 4273 before, 1 now.
#include "face/face.h"

#include <math.h>
#include <string.h>

static const double MUSCLE_RATE = 50; // Hz
static const double THINNEST = 0.1;   // of the thickness that is wanted
static const double TURN = 2 * 3.14159265358979323846;

double mi_support_rate(const mien_face *face, double attachment) {
  double muscle = TURN * face->muscle_rate * fmin(attachment, MI_BY_MUSCLE);
  return fmax(TURN * face->attachment_rate * attachment, muscle);
}

// Skin without enough flesh under it is held more.
double mi_support_hold(const mien_face *face, int vert, double attachment, bool is_posed) {
  int under = face->carrier[vert];
  double rate = mi_support_rate(face, attachment);
  double hold = rate * rate * ((double)face->mass[vert] + face->mass[under]);
  if (!(face->lack[under] > 0) && !(face->lost[under] > 0)) return hold;
  double held = face->regions.attachment[under], thin = mi_support_rate(face, held);
  hold += thin * thin * face->lack[under];
  if (vert != under) return hold;
  double whole = is_posed ? mi_support_rate(face, fmin(1, held / MI_BY_MUSCLE)) : thin;
  return hold + whole * whole * face->lost[under];
}

bool mi_support_is_frail(const mien_face *face, int tet) {
  for (int c = 0; c < 4; c++) {
    int i = face->carrier[face->tets[4 * (size_t)tet + (size_t)c]];
    if (face->lack[i] > 0 || face->lost[i] > 0) return true;
  }
  return false;
}

// Does a skin triangle have flesh? Prisms stand in the order of their triangles, but for those that
// thin.c or a shape left out; `next` is the first tetrahedron of those still ahead.
static bool has_flesh(const mien_face *face, int tri, int *next) {
  int32_t tets[3][4];
  mi_prism_tets(face->skin.tri + 3 * (size_t)tri, face->skin.nvert, tets);
  if (*next >= face->info.ntet || memcmp(face->tets + 4 * (size_t)*next, tets, sizeof tets))
    return false;
  *next += 3;
  return true;
}

// Flesh between skin and bones needs none of it: it reaches its bones.
mien_result mi_support_find(mi_face_build *b) {
  mien_face *face = b->face;
  const mi_skin *skin = &face->skin;
  const mi_blend *density = face->materials.of + MI_DENSITY;
  face->lack = MI_PUSH(&face->arena, float, skin->nvert);
  face->lost = MI_PUSH(&face->arena, float, skin->nvert);
  if (!face->lack || !face->lost) return mi_fail_memory(b->err);
  if (!face->is_prisms) return MIEN_OK;
  face->muscle_rate = MUSCLE_RATE;
  for (int t = 0, next = 0; t < skin->ntri; t++) {
    const int32_t *tri = skin->tri + 3 * (size_t)t;
    double area = mi_triangle_area(skin->position, tri) / 3;
    bool has = has_flesh(face, t, &next);
    for (int c = 0; c < 3; c++) {
      double whole = b->def->density * (double)mi_blend_neutral(density, tri[c]) * area *
                     (double)face->thickness[tri[c]];
      face->lack[tri[c]] += has ? (float)(THINNEST * whole) : 0;
      face->lost[tri[c]] += has ? 0 : (float)whole;
    }
  }
  for (int i = 0; i < skin->nvert; i++) {
    bool is_free = !(face->regions.attachment[i] > 0); // as painted: no support is added
    float has = face->mass[i] + face->mass[i + skin->nvert];
    face->lack[i] = is_free ? 0 : fmaxf(0, face->lack[i] - has);
    face->lost[i] = is_free ? 0 : face->lost[i];
  }
  return MIEN_OK;
}
