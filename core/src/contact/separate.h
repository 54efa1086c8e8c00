// Which moves cross nothing: separating directions.
//
// For a pair (a vertex and a triangle, or two edges) and a unit vector n, sigma(x) is the least
// n . (x_i - x_j) over points i of the first and j of the second side. If sigma is positive at both
// ends of a straight move, it is positive all the way: n . (x_i - x_j) is linear in time. A surface
// that crosses nowhere and whose pairs all have such a direction therefore crosses nowhere after
// the move, and at no moment of it. No time of impact is computed, and what both sides have in
// common costs nothing.
#ifndef MI_SEPARATE_H
#define MI_SEPARATE_H

#include "contact/contact.h"

// A pair without a direction of its own for the move: it is kept on its side of this one.
typedef struct mi_plane {
  int32_t vert[4];
  double normal[3]; // unit, from the second side to the first
  double level;     // m: sigma is brought to this
  bool is_edges;
} mi_plane;

enum { MI_PLANE_BATCH = 4096 };

// Candidates are set with their distances at that moment. A pair can only have come closer since by
// what its vertices have moved, so most are tested once.
typedef struct mi_separator {
  const mi_surface *surface;
  mi_candidates near; // all that can meet
  double reach;       // m: pairs that are not among them are farther; below 0 = none are set
  float *x_set;       // m, where vertices were when they were set                    (nvert x 3)
  float *x_way;       // m, where vertices were to go then                           (nvert x 3)
  mi_pair *kept;      // the pairs of `near`                                          (candidates)
  float *known;       // m, their distances at x_set, or less                         (candidates)
  float *far;         // m, work space: how far from x_set a vertex gets              (nvert)
  mi_pair *pair;      // work space: candidates that need a query                      (candidates)
  float *least;       // m, their distances on the way, or less                       (candidates)
  int32_t *nchosen;   // work space: pairs and vertex-triangle pairs of a chunk
  mi_plane *plane;    // of the moves tested since the list was cleared
  int count, capacity;
  mi_plane *batch; // work space: of pairs tested together                     (MI_PLANE_BATCH)
  bool *is_found;  // which of them have no direction                             (MI_PLANE_BATCH)
  double slack;    // m: gaps are kept above this, or above most of what they were
  double open;     // m: planes open gaps to this, or to a share of what they were
} mi_separator;

// False when memory ends.
bool mi_separator_create(mi_separator *separator, const mi_surface *surface, const mi_broad *broad,
                         int capacity, mi_arena *arena);
// From now on these are all pairs that can come closer than `reach` on the move; those that cannot
// are left out.
void mi_separator_set(mi_separator *separator, const mi_candidates *near, const float *from,
                      const float *to, double reach, int threads);
// Are all pairs that come closer than `reach` on this move among the candidates?
bool mi_separator_covers(mi_separator *separator, const float *from, const float *to, double reach);
// Adds a plane for every candidate that has no separating direction for the move. Returns how many
// have none, also of those that found no room in the list. Same planes for any number of threads.
int mi_separate(mi_separator *separator, const float *from, const float *to, int threads);
// The candidates that may come closer than `reach` on the move, or where positions are when `to` is
// `from`; valid until the next call.
mi_candidates mi_separator_close(mi_separator *separator, const float *from, const float *to,
                                 double reach, int threads);
// Moves soft vertices of `to` out of the planes, both sides by half, until all are kept or `sweeps`
// sweeps are done. Returns how many planes were not kept in the last sweep.
int mi_separator_push(const mi_separator *separator, float *to, int sweeps);
// The direction of one pair for the move (4 x 3 each). True when it separates at both ends; else
// `normal` is the direction with the longest free way, and *gap what it has at the start.
bool mi_separate_pair(const double from[12], const double to[12], bool is_edges, double slack,
                      double normal[3], double *gap);

#endif
