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

typedef struct mi_separator {
  const mi_surface *surface;
  mi_plane *plane; // of the moves tested since the list was cleared
  int count, capacity;
  mi_plane *batch; // work space: of pairs tested together                     (MI_PLANE_BATCH)
  bool *is_found;  // which of them have no direction                             (MI_PLANE_BATCH)
  double slack;    // m: gaps are kept above this, or above most of what they were
  double open;     // m: planes open gaps to this, or to a share of what they were
} mi_separator;

// False when memory ends.
bool mi_separator_create(mi_separator *separator, const mi_surface *surface, int capacity,
                         mi_arena *arena);
// Pairs that stay farther apart than this need no direction.
static inline double mi_separator_reach(const mi_separator *separator) {
  return 1.01 * separator->slack;
}
// Adds a plane for every candidate that has no separating direction for the move. Returns how many
// have none, also of those that found no room in the list. Same planes for any number of threads.
int mi_separate(mi_separator *separator, const mi_candidates *close, const float *from,
                const float *to, int threads);
// Moves soft vertices of `to` out of the planes, both sides by half, until all are kept or `sweeps`
// sweeps are done. Returns how many planes were not kept in the last sweep.
int mi_separator_push(const mi_separator *separator, float *to, int sweeps);
// The direction of one pair for the move (4 x 3 each). True when it separates at both ends; else
// `normal` is the direction with the longest free way, and *gap what it has at the start.
bool mi_separate_pair(const double from[12], const double to[12], bool is_edges, double slack,
                      double normal[3], double *gap);

#endif
