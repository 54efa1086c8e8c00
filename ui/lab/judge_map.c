// The judge has to know of a rig which triangles may cross, which piece a vertex belongs to, and
// its neighbours.
#include "judge_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_rigid(mien_part_kind kind) {
  return kind >= MIEN_PART_JAW && kind <= MIEN_PART_EYE_RIGHT;
}

// -- Triangles ------------------------------------------------------------------------------------

// An undecided part is skin when the face took its skin from it.
static bool is_skin_part(const judge *j, const mien_part *part) {
  const mien_face_info *face = mien_face_get_info(j->face);
  if (part->kind != MIEN_PART_AUTO) return part->kind == MIEN_PART_SKIN;
  for (int i = 0; i < face->nskin; i++) {
    int v = face->skin.data[i] - part->first_vertex;
    if (v >= 0 && v < part->nvert) return true;
  }
  return false;
}

static int add_parts(judge *j, int count, bool rigid) {
  const mien_rig_info *rig = mien_rig_get_info(j->rig);
  for (int p = 0; p < rig->npart; p++) {
    const mien_part *part = rig->parts + p;
    if (rigid ? !is_rigid(part->kind) : !is_skin_part(j, part)) continue;
    memcpy(j->tri + 3 * (size_t)count, rig->triangles.data + 3 * (size_t)part->first_triangle,
           3 * (size_t)part->ntri * sizeof *j->tri);
    for (int t = 0; t < part->ntri; t++)
      j->tri_piece[count + t] = part->kind == MIEN_PART_EYE_LEFT    ? JUDGE_LIDS_LEFT
                                : part->kind == MIEN_PART_EYE_RIGHT ? JUDGE_LIDS_RIGHT
                                                                    : -1;
    count += part->ntri;
  }
  return count;
}

// A body's hands and clothes cross themselves whatever the face does: they are no matter.
static void mark_active(judge *j, const mien_rig_info *rig) {
  static const float LEAST = 1e-5f; // m
  bool *moves = calloc((size_t)rig->nvert + 1, sizeof *moves);
  for (int s = 0; moves && s < rig->nshape; s++) {
    const mien_shape *shape = rig->shapes + s;
    for (int k = 0; k < shape->deltas.count; k++) {
      int v = shape->indices.data ? shape->indices.data[k] : k;
      for (int c = 0; c < 3; c++)
        if (fabsf(shape->deltas.data[3 * (size_t)k + (size_t)c]) > LEAST) moves[v] = true;
    }
  }
  for (int t = 0; t < j->mesh.ntri; t++)
    for (int c = 0; c < 3; c++)
      if (!moves || moves[j->tri[3 * t + c]]) j->is_active[t] = true;
  free(moves);
}

// -- Neighbours -----------------------------------------------------------------------------------

static bool link_neighbours(judge *j, int nvert) {
  int ntri = j->mesh.nskin;
  j->first = calloc((size_t)nvert + 2, sizeof *j->first);
  j->next = malloc((6 * (size_t)ntri + 1) * sizeof *j->next);
  if (!j->first || !j->next) return false;
  for (int k = 0; k < 3 * ntri; k++) j->first[j->tri[k] + 2] += 2;
  for (int i = 0; i < nvert; i++) j->first[i + 2] += j->first[i + 1];
  for (int t = 0; t < ntri; t++)
    for (int c = 0; c < 3; c++) {
      int v = j->tri[3 * t + c];
      j->next[j->first[v + 1]++] = j->tri[3 * t + (c + 1) % 3];
      j->next[j->first[v + 1]++] = j->tri[3 * t + (c + 2) % 3];
    }
  return true;
}

// -- Pieces ---------------------------------------------------------------------------------------

enum { UNKNOWN = -1 };

static int piece_of(int32_t bits, float x, double middle) {
  if (bits & MIEN_REGION_EYELID) return x > middle ? JUDGE_LIDS_LEFT : JUDGE_LIDS_RIGHT;
  int32_t lips =
      MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER | MIEN_REGION_LIP_INNER | MIEN_REGION_MOUTH_BAG;
  return bits & lips ? JUDGE_LIPS : JUDGE_REST;
}

// A vertex that is not simulated is what the nearest simulated one is, along edges.
static bool spread_pieces(judge *j, int nvert) {
  int *queue = malloc(((size_t)nvert + 1) * sizeof *queue), end = 0;
  if (!queue) return false;
  for (int i = 0; i < nvert; i++)
    if (j->piece[i] != UNKNOWN) queue[end++] = i;
  for (int at = 0; at < end; at++)
    for (int k = j->first[queue[at]]; k < j->first[queue[at] + 1]; k++) {
      int v = j->next[k];
      if (j->piece[v] != UNKNOWN) continue;
      j->piece[v] = j->piece[queue[at]];
      j->in_contact[v] = j->in_contact[queue[at]];
      queue[end++] = v;
    }
  for (int i = 0; i < nvert; i++)
    if (j->piece[i] == UNKNOWN) j->piece[i] = JUDGE_REST;
  free(queue);
  return true;
}

static bool find_pieces(judge *j, const mien_rig_info *rig) {
  const mien_face_info *face = mien_face_get_info(j->face);
  double middle = 0;
  int nlid = 0;
  for (int i = 0; i < rig->nvert; i++) j->piece[i] = UNKNOWN;
  for (int i = 0; i < face->nskin; i++)
    if (face->regions.data[i] & MIEN_REGION_EYELID) {
      middle += rig->positions.data[3 * face->skin.data[i]];
      nlid++;
    }
  middle = nlid ? middle / nlid : 0;
  for (int i = 0; i < face->nskin; i++) {
    int v = face->skin.data[i];
    j->piece[v] = piece_of(face->regions.data[i], rig->positions.data[3 * v], middle);
    j->in_contact[v] = face->regions.data[i] & MIEN_REGION_CONTACT;
  }
  return spread_pieces(j, rig->nvert);
}

bool judge_map(judge *j) {
  const mien_rig_info *rig = mien_rig_get_info(j->rig);
  size_t nvert = (size_t)rig->nvert + 1, ntri = (size_t)rig->ntri + 1;
  j->tri = malloc(3 * ntri * sizeof *j->tri);
  j->is_active = calloc(ntri, sizeof *j->is_active);
  j->tri_piece = calloc(ntri, sizeof *j->tri_piece);
  j->is_skin = calloc(nvert, sizeof *j->is_skin);
  j->piece = calloc(nvert, sizeof *j->piece);
  j->in_contact = calloc(nvert, sizeof *j->in_contact);
  j->pose = calloc(3 * nvert, sizeof *j->pose);
  j->last = calloc(3 * nvert, sizeof *j->last);
  j->offset = calloc(nvert, sizeof *j->offset);
  j->weights = calloc((size_t)rig->nshape + 1, sizeof *j->weights);
  if (!j->tri || !j->is_active || !j->tri_piece || !j->is_skin || !j->piece || !j->in_contact ||
      !j->pose || !j->last || !j->offset || !j->weights)
    return false;
  j->mesh.tri = j->tri;
  j->mesh.nskin = add_parts(j, 0, false);
  j->mesh.ntri = add_parts(j, j->mesh.nskin, true);
  for (int k = 0; k < 3 * j->mesh.nskin; k++) j->is_skin[j->tri[k]] = true;
  mark_active(j, rig);
  return link_neighbours(j, rig->nvert) && find_pieces(j, rig);
}

void judge_unmap(judge *j) {
  free(j->tri);
  free(j->is_active);
  free(j->tri_piece);
  free(j->is_skin);
  free(j->piece);
  free(j->in_contact);
  free(j->first);
  free(j->next);
  free(j->pose);
  free(j->last);
  free(j->offset);
  free(j->weights);
}
