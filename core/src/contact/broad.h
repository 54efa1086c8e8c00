// Inside of the broad phase: broad.c and pairs.c.
#ifndef MI_BROAD_H
#define MI_BROAD_H

#include "contact/groups.h"
#include "contact/pair_kernels.h"

#include <stdatomic.h>

// Two groups that are near each other at the anchor.
typedef struct mi_entry {
  int32_t a, b;
  int32_t first, count; // its pairs; -1 = to be listed
  float covered;        // m: all pairs that are closer at the anchor are listed
  float least;          // m, of the distances that are listed
  float approach;       // m: so much closer than at the anchor they may come in this query
  float toward[2];      // m, the same at each end that the lists know
} mi_entry;

// Entries of one kind of pairs.
typedef struct mi_entries {
  bool is_edges;
  mi_groups *a, *b;
  mi_entry *entry, *before; // those of now; work space
  float *gap;               // work space                                          (b->count)
  int count, most;
} mi_entries;

struct mi_broad {
  const mi_surface *surface;
  const mi_pair_kernels *kernels;
  mi_groups vert, tri, edge;
  mi_entries kind[2];    // vertices and triangles, edges and edges
  const bool *is_out;    // contact mask of the caller; NULL = no vertex is masked    (nvert)
  unsigned char *is_bad; // a vertex that is not finite, or masked                     (nvert)
  bool is_anchored;
  float *at, *place; // m, the anchor: where vertices were             (nvert x 3), (nvert x 4)
  float grow;        // m: what rounding can do to a box or a way
  float spare;       // m: pairs are listed so much farther than they are asked for
  float far;         // m: groups that were closer at the anchor have an entry
  // Two ends of moves are known. A move that was made begins where it ended: the ends are turned,
  // so that nothing is found twice.
  bool is_turned;         // the first end of a query is the second one here
  bool has_way[2];        // displacements are those of these ends of a move
  bool serves[2];         // the anchor serves for what begins there
  bool has_toward[2];     // entries know how close they come there
  float *end[2];          //                                                            (nvert x 3)
  float *displacement[2]; // m, from the anchor                                    (nvert x 4)
  mi_pair *pair; // of the entries; those of entries that were listed anew are dead (capacity)
  float *known;  // m, their distances at the anchor                                (capacity)
  atomic_int npair;
  int capacity;
  mi_pair *chosen;                  // of the last query                             (capacity)
  int32_t *awake, *begin, *nchosen; // work space of it                               (entries)
  float *low, *high;                // m, work space: boxes of vertices             (nvert x 4)
  float *crossed;                   // boxes of triangles of a crossing query
  unsigned char *crosses_nothing;   // is_bad of it                                    (nvert)
};

// The lists of entries [begin, end) that are marked are made.
typedef struct mi_listing {
  struct mi_broad *broad;
  mi_entries *kind;
  const float *from, *to; // `to` NULL = they rest
  float reach, spare;     // m
} mi_listing;
void mi_pairs_list(void *listing, int begin, int end);
// Farther from the anchor is far: a list for all that may be close there would be huge.
static inline bool mi_entry_is_far(const mi_entry *entry, const mi_listing *l) {
  return entry->approach > 2 * l->spare;
}
// Pairs of the query that come closer than its reach.
mi_candidates mi_pairs_choose(const mi_listing *query, int threads);

#endif
