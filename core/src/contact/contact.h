// Contact: which parts of a soup of triangles are close, how far they may move, and what pushes
// them apart (contact/barrier.h).
//
// How a solver uses it:
//   surface = mi_surface_create(...)                                 once, shared by states
//   broad = mi_broad_create(...); active = mi_active_create(...)     once for each state
//   mi_broad_find (x, x + step, reach) -> mi_separate (contact/separate.h) or mi_active_find
// Positions are packed rows of three floats, soft vertices first.
#ifndef MI_CONTACT_H
#define MI_CONTACT_H

#include "contact/barrier.h"
#include "mesh/distance.h"

// -- Surface: what never changes ------------------------------------------------------------------

typedef struct mi_surface_def { // everything is copied
  int nvert, nsoft;             // vertices from nsoft on belong to rigid colliders
  int ntri;
  const int32_t *tri;  // in range                                                  (ntri x 3)
  const float *rest;   // m                                                         (nvert x 3)
  const float *offset; // half of the least separation, m; NULL = 0                 (nvert)
} mi_surface_def;

typedef struct mi_surface {
  int nvert, nsoft, ntri, nedge;
  const int32_t *tri;      //                                                         (ntri x 3)
  const int32_t *edge;     // unique, each way round once                             (nedge x 2)
  const int32_t *tri_edge; // from corner c to the next; -1 = a vertex named twice   (ntri x 3)
  const float *vert_area, *tri_area, *edge_area;       // at rest, m^2
  const float *vert_offset, *tri_offset, *edge_offset; // xi = sum of the two of a pair, m
  const float *edge_length2;                           // at rest, m^2
  const struct mi_box_tree *vert_tree, *tri_tree, *edge_tree;
} mi_surface;

// Vertices without a triangle are no part of it. NULL when memory ends.
mi_surface *mi_surface_create(const mi_surface_def *def, mi_arena *arena);

// -- Broad phase ----------------------------------------------------------------------------------

// a = vertex, b = triangle; or a < b = edges.
typedef struct mi_pair {
  int32_t a, b;
} mi_pair;
typedef struct mi_candidates {
  const mi_pair *vt, *ee; // valid until the next mi_broad_find
  int nvt, nee;
  bool is_full; // there were more than fit: none are given
} mi_candidates;

typedef struct mi_broad mi_broad;
// Room for `most` pairs (0: in proportion to the surface). The surface is borrowed. NULL when
// memory ends.
mi_broad *mi_broad_create(const mi_surface *surface, int most, mi_arena *arena);
// All pairs that are, or while vertices move straight from `from` to `to` could come, closer than
// `reach` beyond their offset. `to` NULL or `from`: they rest. Never: pairs that share a vertex, or
// that are rigid on both sides. Same pairs in the same order for any number of threads; what was
// asked since mi_broad_renew may change whether a pair is among them that stays out of reach.
// Allocates nothing. A vertex that is not finite meets nothing.
mi_candidates mi_broad_find(mi_broad *broad, const float *from, const float *to, double reach,
                            int threads);
// Forgets what was asked before.
void mi_broad_renew(mi_broad *broad);
// Pairs are listed for so much more than the next reach, so that lists are kept longer, m.
void mi_broad_keep(mi_broad *broad, double spare);
// Pairs of triangles (not rigid on both sides, without a common vertex) whose boxes meet at
// `position`, each once, in any order; with several threads `fn` is called by all of them.
void mi_broad_triangles(mi_broad *broad, const float *position, int threads,
                        void (*fn)(void *task, int a, int b), void *task);
// From now on these vertices, and triangles and edges at them, meet nothing; borrowed, NULL =
// no vertex is masked.
void mi_broad_leave_out(mi_broad *broad, const bool *is_out); //                            (nvert)

// The four vertices of a candidate, and its least separation xi.
static inline void mi_surface_vertices(const mi_surface *s, mi_pair pair, bool is_edges,
                                       int32_t vert[4]) {
  const int32_t *b = is_edges ? s->edge + 2 * (size_t)pair.b : s->tri + 3 * (size_t)pair.b;
  vert[0] = is_edges ? s->edge[2 * (size_t)pair.a] : pair.a;
  vert[1] = is_edges ? s->edge[2 * (size_t)pair.a + 1] : b[0];
  vert[2] = b[!is_edges];
  vert[3] = b[1 + !is_edges];
}
static inline double mi_surface_offset(const mi_surface *s, mi_pair pair, bool is_edges) {
  return is_edges ? (double)s->edge_offset[pair.a] + (double)s->edge_offset[pair.b]
                  : (double)s->vert_offset[pair.a] + (double)s->tri_offset[pair.b];
}

// -- Active set -----------------------------------------------------------------------------------

typedef struct mi_active {
  mi_contact *contact;
  int count, capacity;
  bool is_full;  // there were more candidates: the rest is missing
  int32_t *slot; // work space of mi_active_merge                                  (nslot)
  int nslot;
} mi_active;
// Room for as many candidates. False when memory ends.
bool mi_active_create(mi_active *active, int capacity, mi_arena *arena);
// The candidates whose gap d - xi is below d_hat, measured at `position`, in their order.
void mi_active_find(mi_active *active, const mi_surface *surface, const mi_candidates *candidates,
                    const float *position, double d_hat, int threads);
// Leaves one of all that have the same points closest, with the sum of their areas: energies,
// gradients and Hessians stay what they are.
void mi_active_merge(mi_active *active);

// Sum of energies, in order; INFINITY when a gap is closed.
double mi_active_energy(const mi_active *active, const mi_barrier *barrier);
// gradient (nvert x 3, double) += that of all contacts, in order.
void mi_active_gradient(const mi_active *active, const mi_barrier *barrier, const float *position,
                        double *gradient);
// hessian[k] of contact k (capacity at least active->count).
void mi_active_hessian(const mi_active *active, const mi_barrier *barrier, const float *position,
                       int threads, mi_contact_hessian *hessian);
double mi_active_least_gap(const mi_active *active); // INFINITY without contacts

#endif
