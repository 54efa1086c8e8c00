// Which way the faces of a file are wound. Flesh lies behind the skin, so the front must be known;
// exporters that mirror a scene leave all faces inside out, and games draw a face from behind by a
// second face with the same corners.
#include "rig/build.h"

#include "math/vec.h"

#include <stdlib.h>

// Mean cosine between a face's normal and the way from the middle of what the shapes move, each
// face counting by its area and motion: 1 on a ball, 0 on a flat sheet, 0.40 to 0.74 on the heads
// that were measured. Half of that, the other way round, is inside out.
static const double INSIDE_OUT = -0.2;

typedef struct entry {
  uint64_t corners; // hash of the welded corners in any order
  int32_t face;
} entry;

int mi_face_size(const mien_rig_def *def, int face) {
  return def->face_sizes.data ? def->face_sizes.data[face] : 3;
}

static int by_corners(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->corners != y->corners) return x->corners < y->corners ? -1 : 1;
  return (x->face > y->face) - (x->face < y->face);
}

// The first of several faces with the same corners stays the front.
static bool find_backs(mi_rig_build *b) {
  const mien_rig_def *def = b->def;
  entry *entries = MI_PUSH(&b->scratch, entry, b->nface);
  b->is_back = MI_PUSH(&b->scratch, bool, b->nface);
  if (!entries || !b->is_back) return false;
  const int32_t *corner = def->faces.data;
  for (int f = 0; f < b->nface; corner += mi_face_size(def, f), f++) {
    entries[f].face = f;
    for (int c = 0; c < mi_face_size(def, f); c++)
      entries[f].corners += mi_hash_u64(1, (uint64_t)b->weld[corner[c]]);
  }
  qsort(entries, (size_t)b->nface, sizeof *entries, by_corners);
  for (int k = 1; k < b->nface; k++)
    if (entries[k].corners == entries[k - 1].corners) {
      b->is_back[entries[k].face] = true;
      b->nback++;
    }
  return !b->nback ||
         mi_remark(&b->rig->remarks,
                   "%d of %d faces have the corners of another one (drawn from both sides): one of "
                   "each is simulated",
                   b->nback, b->nface);
}

static mi_vec3 place_of(const mien_rig_def *def, int i) {
  return mi_vec3_load(mi_f32s_at(&def->positions, 3, i));
}

mi_vec3 mi_face_area(const mi_rig_build *b, int face, const int32_t *corner) {
  mi_vec3 a = place_of(b->def, corner[0]), sum = {0, 0, 0};
  for (int c = 1; !b->is_back[face] && c + 1 < mi_face_size(b->def, face); c++)
    sum = mi_add(sum, mi_cross(mi_sub(place_of(b->def, corner[c]), a),
                               mi_sub(place_of(b->def, corner[c + 1]), a)));
  return b->is_inside_out ? mi_scale(-1, sum) : sum;
}

static float *measure_motion(mi_rig_build *b) {
  const mien_rig_def *def = b->def;
  float *motion = MI_PUSH(&b->scratch, float, def->positions.count);
  for (int s = 0; motion && s < def->nshape; s++)
    for (int k = 0; k < def->shapes[s].deltas.count; k++) {
      int i = def->shapes[s].indices.data ? def->shapes[s].indices.data[k] : k;
      double length = mi_length(mi_vec3_load(mi_f32s_at(&def->shapes[s].deltas, 3, k)));
      motion[i] = fmaxf(motion[i], (float)length);
    }
  return motion;
}

typedef struct bulge {
  double weight, along, away;
  mi_vec3 middle;
} bulge;

static void add_face(const mi_rig_build *b, int face, const int32_t *corner, const float *motion,
                     bool is_second, bulge *sum) {
  mi_vec3 area = mi_face_area(b, face, corner), middle = {0, 0, 0};
  int size = mi_face_size(b->def, face);
  double weight = 0;
  for (int c = 0; c < size; c++) {
    middle = mi_add_scaled(middle, 1.0 / size, place_of(b->def, corner[c]));
    weight += motion[corner[c]];
  }
  if (!is_second) {
    weight *= mi_length(area);
    sum->weight += weight;
    sum->middle = mi_add_scaled(sum->middle, weight, middle);
    return;
  }
  mi_vec3 way = mi_sub(middle, sum->middle);
  sum->along += weight * mi_dot(way, area);
  sum->away += weight * mi_length(way) * mi_length(area);
}

static void add_faces(const mi_rig_build *b, const float *motion, bool is_second, bulge *sum) {
  const int32_t *corner = b->def->faces.data;
  for (int f = 0; f < b->nface; f++) {
    add_face(b, f, corner, motion, is_second, sum);
    corner += mi_face_size(b->def, f);
  }
}

static bool find_side(mi_rig_build *b) {
  bulge sum = {0};
  const float *motion = measure_motion(b);
  if (!motion) return false;
  add_faces(b, motion, false, &sum);
  if (sum.weight > 0) sum.middle = mi_scale(1 / sum.weight, sum.middle);
  add_faces(b, motion, true, &sum);
  b->is_inside_out = sum.along < INSIDE_OUT * sum.away;
  return !b->is_inside_out ||
         mi_remark(&b->rig->remarks,
                   "the faces of the file are wound inside out; they were turned");
}

mien_result mi_rig_orient(mi_rig_build *b) {
  b->nface = b->def->face_sizes.data ? b->def->face_sizes.count : b->def->faces.count / 3;
  return find_backs(b) && find_side(b) ? MIEN_OK : mi_fail_memory(b->err);
}
