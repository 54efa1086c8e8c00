// Inside of the broad phase: broad.c and pairs.c.
#ifndef MI_BROAD_H
#define MI_BROAD_H

#include "contact/groups.h"
#include "contact/pair_kernels.h"

#include <stdatomic.h>

// Two groups that are near each other.
typedef struct mi_entry {
  int32_t a, b;
  int32_t first, count; // its pairs
  float covered;        // m: pairs that were closer when the entry was made are listed
  float used;           // m: so much closer they may have come since
  float least;          // m, of the distances that are listed
  float approach;       // m, work space: so much closer they may come on the move
} mi_entry;

// Entries of one kind of pairs.
typedef struct mi_entries {
  bool is_edges;
  mi_groups *a, *b;
  mi_entry *entry, *before; // those of now; work space
  int count, most;
} mi_entries;

struct mi_broad {
  const mi_surface *surface;
  const mi_pair_kernels *kernels;
  mi_groups vert, tri, edge;
  mi_entries kind[2];    // vertices and triangles, edges and edges
  const bool *is_out;    // contact mask of the caller; NULL = no vertex is masked    (nvert)
  unsigned char *is_bad; // a vertex that is not finite, or masked                     (nvert)
  float *at, *place;     // m, where vertices are                         (nvert x 3), (nvert x 4)
  float *displacement;   // m, work space                                             (nvert x 4)
  float grow;            // m, of boxes: what rounding can do to them
  float spare;           // m: pairs are listed so much farther than they are asked for
  bool is_known;         // entries are those of `place`
  float far, far_used;   // m: groups that were closer have an entry; so much closer they have come
  mi_pair *pair;         // of the entries; those of entries that were made anew are dead (capacity)
  float *known;          // m, their distances when the entry was made, or less           (capacity)
  atomic_int npair;
  int capacity;
  mi_pair *chosen; // of the last query                                             (capacity)
  int32_t *awake, *begin, *nchosen; // work space of it                               (entries)
  float *crossed, *crossed_place;   // boxes of triangles and places of a crossing query
  unsigned char *crosses_nothing;   // is_bad of it                                      (nvert)
};

// The lists of entries [begin, end) that are marked (count < 0) are made anew.
typedef struct mi_listing {
  struct mi_broad *broad;
  mi_entries *kind;
  const float *from, *to;
  float reach, spare; // m
} mi_listing;
void mi_pairs_list(void *listing, int begin, int end);
// Chosen pairs of the query that come closer than `reach` on the way.
mi_candidates mi_pairs_choose(struct mi_broad *broad, const float *from, const float *to,
                              float reach, int threads);

#endif
