// Vertices, triangles or edges in groups of 64 neighbours: the blocks of level 1 of their tree.
//
// A group knows where it is (a box) and how its vertices move (a box of displacements). Two groups
// come closer by no more than their displacements differ: what they have in common costs nothing.
#ifndef MI_GROUPS_H
#define MI_GROUPS_H

#include "contact/contact.h"
#include "mesh/box_tree.h"

typedef struct mi_groups {
  const mi_box_tree *tree;
  const int32_t *vert; // of an item; NULL = an item is a vertex                     (item x size)
  const float *offset; // of an item, m
  int size;            // vertices of an item
  int count, nsoft;    // groups; those that are not rigid as a whole come first
  bool has_moved;      // the others have ways
  int32_t *first, *member;   // the vertices of a group           (count + 1), (first[count])
  float *box;                // of the tree, levels 0 and 1, where vertices are
  float *around;             // m, low and high of a group                          (count x 8)
  unsigned char *is_current; // the leaves of a group are where its vertices are       (count)
  unsigned char *is_wanted;  // work space                                            (count)
  float *way;                // m, low and high of its vertices' displacements     (count x 8)
} mi_groups;

// False when memory ends. `vert` and `offset` are borrowed.
bool mi_groups_create(mi_groups *groups, const mi_box_tree *tree, const int32_t *vert, int size,
                      const float *offset, int nvert, mi_arena *arena);
// Displacements of vertices (four floats each) to those of the groups; groups that are rigid as a
// whole move or not.
void mi_groups_move(mi_groups *groups, const float *displacement, bool with_rigid, int threads);
// Groups whose vertices are displaced are not current any more.
void mi_groups_leave(mi_groups *groups);
// Boxes of the wanted groups, or of all, from the places of vertices (four floats each).
void mi_groups_fill(mi_groups *groups, const float *place, const unsigned char *is_bad, float grow,
                    bool all, int threads);

// How much closer than they are two groups can come, from their ways.
static inline float mi_groups_approach(const float *a, const float *b) {
  float sum = 0;
  for (int k = 0; k < 3; k++) {
    float one = a[4 + k] - b[k], other = b[4 + k] - a[k], most = one > other ? one : other;
    sum += most > 0 ? most * most : 0;
  }
  return 1.00001f * __builtin_sqrtf(sum);
}

static inline const float *mi_groups_way(const mi_groups *groups, int group) {
  return groups->way + 8 * (size_t)group;
}

// Distance of the boxes of two groups; INFINITY when one is empty.
float mi_groups_gap(const mi_groups *a, int first, const mi_groups *b, int second);

#endif
