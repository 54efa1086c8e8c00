// Passed along while regions are found. Functions that return bool return false when memory ends.
#ifndef MI_RIG_FINDING_H
#define MI_RIG_FINDING_H

#include "math/vec.h"
#include "rig/regions.h"

typedef struct mi_finding {
  const mien_rig *rig;
  const mi_skin *skin;
  mi_arena *arena; // keeps the answer
  mi_arena scratch;
  mi_remarks *remarks;
  mi_regions *out;
  double mm;              // m, a millimetre on an adult face, scaled to this one
  int32_t landmark[68];   // skin vertices, -1 = unknown
  int32_t *painted;       // bits of the map "region" and of "passive"                  (nvert)
  int32_t painted_any;    // bits that are painted somewhere
  float *open;            // deltas of the jaw-open shape, zero without one             (nvert x 3)
  double open_most;       // m, its longest delta on the skin
  double opened;          // the share of them that is in skin->position now
  const mi_skin *neutral; // the skin as it is modelled
  float *area;            // m^2, a third of the triangles around a vertex              (nvert)
  bool *is_border;        //                                                            (nvert)
} mi_finding;

static inline mi_vec3 mi_skin_at(const mi_finding *f, int i) {
  return mi_vec3_load(f->skin->position + 3 * (size_t)i);
}
static inline mi_vec3 mi_skin_normal(const mi_finding *f, int i) {
  return mi_vec3_load(f->skin->normal + 3 * (size_t)i);
}
// Deltas of a shape on the skin, zero for other vertices (nvert x 3). Returns the longest.
double mi_shape_spread(const mi_finding *f, int shape, float *delta);
// A painted map of width 1, NULL when there is none.
const mien_map *mi_painted_map(const mi_finding *f, const char *name);
// Averages a value over the surface; where `held` is set (may be NULL) it stays.
bool mi_smooth_over_skin(mi_finding *f, float *value, const bool *held, int nstep);

typedef struct mi_box {
  mi_vec3 low, high;
} mi_box;
static inline void mi_box_include(mi_box *box, mi_vec3 x, double margin) {
  box->low = (mi_vec3){fmin(box->low.x, x.x - margin), fmin(box->low.y, x.y - margin),
                       fmin(box->low.z, x.z - margin)};
  box->high = (mi_vec3){fmax(box->high.x, x.x + margin), fmax(box->high.y, x.y + margin),
                        fmax(box->high.z, x.z + margin)};
}
static inline bool mi_box_has(const mi_box *box, mi_vec3 x) {
  return x.x >= box->low.x && x.x <= box->high.x && x.y >= box->low.y && x.y <= box->high.y &&
         x.z >= box->low.z && x.z <= box->high.z;
}

// A rigid motion x -> rotation about an axis through a point.
typedef struct mi_turn {
  mi_vec3 centre, axis;
  double angle;
} mi_turn;
mi_vec3 mi_turn_move(const mi_turn *turn, mi_vec3 x); // where x goes, minus x

// turn_fit.c: the one rotation that most of the points follow; the rest are outliers. False when
// memory ends; `share` is the part of the points that follow it (0 = no rotation found).
typedef struct mi_turn_points {
  const float *from, *delta; // (count x 3)
  int count;
  double tolerance; // m
} mi_turn_points;
bool mi_turn_fit(const mi_turn_points *points, mi_arena *scratch, mi_turn *turn, double *share);

// jaw.c: the jaw-open shape, its hinge, and how far the jaw carries each vertex
bool mi_find_jaw(mi_finding *f);

// opening.c: the skin with the jaw open just far enough that the parted skin hardly crosses; the
// neutral when that is free already. Borrows everything but positions and normals from f->skin;
// sets f->opened.
bool mi_find_opening(mi_finding *f, mi_skin *opened);

// facing.c: pieces of skin that lie face to face
typedef struct mi_facing {
  int32_t *partner; // the nearest vertex that faces this one, -1 = none              (nvert)
  float *gap;       // m, between the two surfaces there, 0 = touching or crossing    (nvert)
  float *parting;   // m, by how much the shapes can increase their distance            (nvert)
} mi_facing;
bool mi_find_facing(mi_finding *f, double largest_gap, mi_facing *facing);

// sight.c: how much of a vertex can be seen from in front, 0-1, for vertices inside a box; 0 for
// the others
bool mi_find_seen(mi_finding *f, const mi_box *box, float *seen);

// mouth.c: likely vertices of the slit. The lower lip is the one that the jaw moves.
typedef struct mi_mouth {
  float *cost[2];    // m: how unlikely the slit of the upper, lower lip runs here (nvert)
  bool *is_near;     // vertices a slit may use                                       (nvert)
  int32_t corner[2]; // skin vertices, the subject's right and left
} mi_mouth;
// The slit. Leaves out->has_mouth false, with a remark, when there is none.
bool mi_find_mouth(mi_finding *f);

// slit.c: the cheapest walks along edges between the corners; false when memory ends, no slit in
// `out` when the two lips' walks do not part
bool mi_trace_slit(mi_finding *f, const mi_mouth *mouth);

// lips.c: lips, inner lips and mouth bag from the slit
bool mi_find_lips(mi_finding *f);

// lids.c
bool mi_find_lids(mi_finding *f);

// attachment.c
bool mi_find_attachment(mi_finding *f);

// anatomy.c: what every vertex of the rig belongs to
bool mi_find_anatomy(mi_finding *f);

#endif
