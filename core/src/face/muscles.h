// Muscles in the flesh (Dinev, 4.2): which share of a tetrahedron belongs to which muscle.
//
//   atlas (muscle_atlas.json), or meshes of the user's
//     -> bodies at rest: paths under the skin, landed by landmarks or found features
//     (muscle_land.c)
//     -> rows of S: candidates within 1 cm, first shares from the distance, a frame along the fibre
//        (muscle_rows.c); or rows that were fitted before, stored in the rig (muscle_stored.c)
//     -> fitted to expressions (fit/muscle_fit.c)
//
// A row has the muscles within reach; what is missing to 1 is passive tissue, the thesis's first
// column. Activations are in the frame of the fibre at each tetrahedron, so that one matrix can
// tighten a ring.
#ifndef MI_MUSCLES_H
#define MI_MUSCLES_H

#include "base/base.h"

// A muscle's form at rest, before it has tetrahedra: polylines with a radius, or a closed mesh.
typedef struct mi_muscle_body {
  const char *name;
  int npath;
  int32_t *path_first; // points of path p are path_first[p] .. [p + 1]               (npath + 1)
  float *point;        // m                                                           (points x 3)
  double radius;       // m
  const mien_muscle_mesh *mesh; // NULL = paths
  double axis[3];               // of a mesh: its longest
  double low[3], high[3];       // and its box, m
} mi_muscle_body;

typedef struct mi_muscles {
  int count, nentry;
  mien_muscle *info; // public part                                                  (count)
  int32_t *first;    // entries of a tetrahedron                                     (ntet + 1)
  int32_t *index;    // muscle, ascending in a row                                   (nentry)
  float *share;      // s, 0-1; rows sum to 1 at most                                (nentry)
  float *frame;      // columns: along, across, through; row-major                   (nentry x 9)
  bool is_fitted;
} mi_muscles;

enum { MI_ACTIVATION = 6 }; // numbers: ff, fa, ft, aa, at, tt

struct mi_face_build;
// muscles.c. Makes none without def->muscles, meshes or targets.
mien_result mi_muscles_build(struct mi_face_build *b);
// Volumes and counts of the public's muscles, after the shares have changed.
void mi_muscles_measure(struct mien_face *face);

// muscle_land.c: the bodies of the atlas on this face. Refuses a face without mouth or eyes.
mien_result mi_muscles_land(struct mi_face_build *b, mi_muscle_body **bodies, int *count);
// muscle_rows.c
mien_result mi_muscles_find_rows(struct mi_face_build *b, const mi_muscle_body *bodies, int count);
// muscle_stored.c. Taken from the rig's extras when they belong to this flesh; as JSON for them,
// NULL when memory ends (free it).
bool mi_muscles_take_stored(struct mi_face_build *b);
char *mi_muscles_to_json(const struct mien_face *face);

extern const unsigned char mi_muscle_atlas[]; // muscle_atlas.json
extern const size_t mi_muscle_atlas_size;

#endif
