// Finds the part that is the face. Names help: a head is skin, a hat is not. A body is skin, too,
// and an avatar's face may have any name; the face is the part that the shapes move most.
#include "rig/build.h"

#include "math/vec.h"
#include "mesh/mesh.h"

#include <stdio.h>
#include <string.h>

// A part that moves by less than this share of the face's motion is not its skin.
static const double FACE_SHARE = 0.2;
// Two parts that moving skin fills alike along every axis are one face twice: levels of detail, or
// a shell of hair or paint over the skin. Faces with this share of their size between them are two
// characters. Halves of a face touch.
static const double ALIKE = 0.8, APART = 0.1;

typedef struct extent { // of the vertices that shapes move
  float low[3], high[3];
} extent;

// Area times the largest motion of its corners, in sum.
static double measure_part(const mien_rig *rig, const mien_part *part, const float *motion) {
  double sum = 0;
  for (int t = part->first_triangle; t < part->first_triangle + part->ntri; t++) {
    const int32_t *tri = rig->triangles + 3 * (size_t)t;
    double mean = ((double)motion[tri[0]] + motion[tri[1]] + motion[tri[2]]) / 3;
    sum += mean * mi_triangle_area(rig->positions, tri);
  }
  return sum;
}

static extent measure_extent(const mien_rig *rig, const mien_part *part, const float *motion) {
  extent e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = part->first_vertex; i < part->first_vertex + part->nvert; i++)
    for (int k = 0; motion[i] > 0 && k < 3; k++) {
      float at = rig->positions[3 * (size_t)i + (size_t)k];
      e.low[k] = fminf(e.low[k], at);
      e.high[k] = fmaxf(e.high[k], at);
    }
  return e;
}

typedef enum kinship { SAME_FACE, FACE_TWICE, OTHER_FACE } kinship;

static kinship compare(const extent *a, const extent *b) {
  kinship answer = FACE_TWICE;
  for (int k = 0; k < 3; k++) {
    double shared = fminf(a->high[k], b->high[k]) - fmaxf(a->low[k], b->low[k]);
    double larger = fmaxf(a->high[k] - a->low[k], b->high[k] - b->low[k]);
    if (shared < -APART * larger) return OTHER_FACE;
    if (shared < ALIKE * larger) answer = SAME_FACE;
  }
  return answer;
}

static mien_result choose_given(mi_rig_build *b, mien_part *parts) {
  const mien_rig_info *info = &b->rig->info;
  char names[120] = "";
  int found = -1;
  for (int p = 0; p < info->npart; p++) {
    size_t used = strlen(names);
    if (!strcmp(parts[p].name, b->def->face_part)) found = p;
    if (used + 30 < sizeof names)
      snprintf(names + used, sizeof names - used, "%s%.24s", p ? ", " : "", parts[p].name);
  }
  b->chosen = found;
  if (found < 0)
    return mi_fail(b->err, MIEN_ERR_ARGUMENT, "there is no part '%.60s'; the parts are %s",
                   b->def->face_part, names);
  for (int p = 0; p < info->npart; p++)
    if (parts[p].kind == MIEN_PART_SKIN || parts[p].kind == MIEN_PART_AUTO)
      parts[p].kind = MIEN_PART_OTHER;
  parts[found].kind = MIEN_PART_SKIN;
  return MIEN_OK;
}

// Parts whose kind is undecided, or decided by their name alone.
static bool is_open(const mien_rig *rig, int p) {
  mien_part_kind kind = rig->info.parts[p].kind;
  return kind == MIEN_PART_AUTO || (kind == MIEN_PART_SKIN && rig->is_named[p]);
}

// A face that is there twice is taken where it has the most vertices.
static int finest(const mi_rig_build *b, const mien_part *parts, int best, const double *moved,
                  const float *motion) {
  extent taken = measure_extent(b->rig, parts + best, motion);
  int finest = best;
  for (int p = 0; p < b->rig->info.npart; p++) {
    if (!(moved[p] >= FACE_SHARE * moved[best]) || parts[p].nvert <= parts[finest].nvert) continue;
    extent other = measure_extent(b->rig, parts + p, motion);
    if (parts[p].kind == parts[best].kind && compare(&taken, &other) == FACE_TWICE) finest = p;
  }
  return finest;
}

// Parts called skin that are not of the face.
static bool leave_others(mi_rig_build *b, mien_part *parts, int best, const double *moved,
                         const float *motion) {
  extent taken = measure_extent(b->rig, parts + best, motion);
  for (int p = 0; p < b->rig->info.npart; p++) {
    if (p == best || !is_open(b->rig, p) || parts[p].kind != MIEN_PART_SKIN) continue;
    extent other = measure_extent(b->rig, parts + p, motion);
    bool moves = moved[p] >= FACE_SHARE * moved[best];
    kinship kin = moves ? compare(&taken, &other) : SAME_FACE;
    if (moves && kin == SAME_FACE) continue;
    parts[p].kind = MIEN_PART_OTHER;
    if (kin == OTHER_FACE) b->chosen = best;
    const char *why = kin == OTHER_FACE   ? "it is a face beside"
                      : kin == FACE_TWICE ? "it lies where the same shapes move"
                                          : "the shapes move";
    if (!mi_remark(&b->rig->remarks,
                   "part '%s' gets no flesh: %s '%s', which is taken for the face", parts[p].name,
                   why, parts[best].name))
      return false;
  }
  return true;
}

static bool choose_moved(mi_rig_build *b, mien_part *parts) {
  mien_rig *rig = b->rig;
  const mien_rig_info *info = &rig->info;
  float *motion = MI_PUSH(&b->scratch, float, info->nvert);
  double *moved = MI_PUSH(&b->scratch, double, info->npart), most = 0, most_skin = 0;
  int best = -1, nskin = 0;
  if (!motion || !moved) return false;
  mi_rig_motion(rig, motion);
  for (int p = 0; p < info->npart; p++) {
    if (parts[p].kind == MIEN_PART_SKIN && !rig->is_named[p]) return true; // the file says it
    if (!is_open(rig, p)) continue;
    moved[p] = measure_part(rig, parts + p, motion);
    if (parts[p].kind == MIEN_PART_SKIN) most_skin = fmax(most_skin, moved[p]), nskin++;
    if (moved[p] <= most) continue;
    most = moved[p];
    best = p;
  }
  if (best < 0 || !nskin) return true; // decided by names or by pieces
  if (parts[best].kind == MIEN_PART_AUTO && most_skin < FACE_SHARE * most)
    parts[best].kind = MIEN_PART_SKIN;
  return leave_others(b, parts, finest(b, parts, best, moved, motion), moved, motion);
}

mien_result mi_rig_choose_face(mi_rig_build *b, mien_part *parts) {
  if (b->def->face_part) return choose_given(b, parts);
  if (b->rig->info.npart < 2) return MIEN_OK;
  return choose_moved(b, parts) ? MIEN_OK : mi_fail_memory(b->err);
}
