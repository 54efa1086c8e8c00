// Vertices, triangles or edges in groups of 64 neighbours: the blocks of level 1 of their tree.
//
// A group knows where it is (a box) and how its vertices move (a box of displacements). Two groups
// come closer by no more than their displacements differ: what they have in common costs nothing.
#ifndef MI_GROUPS_H
#define MI_GROUPS_H

#include "contact/contact.h"
#include "mesh/box_tree.h"

// Boxes of what is in the groups.
typedef struct mi_group_boxes {
  float *box;              // of the tree, levels 0 and 1
  float *low[3], *high[3]; // m, of a group                                       (count each)
} mi_group_boxes;

typedef struct mi_groups {
  const mi_box_tree *tree;
  const int32_t *vert; // of an item; NULL = an item is a vertex                     (item x size)
  const float *offset; // of an item, m
  int size;            // vertices of an item
  int count, nsoft;    // groups; those that are not rigid as a whole come first
  int32_t *first, *member;  // the vertices of a group           (count + 1), (first[count])
  mi_group_boxes here;      // at the anchor
  mi_group_boxes swept;     // work space: along a way
  unsigned char *is_wanted; // work space                                            (count)
  float *way[2]; // m, from the anchor to both ends: low and high of displacements   (count x 8)
} mi_groups;

// False when memory ends. `vert` and `offset` are borrowed.
bool mi_groups_create(mi_groups *groups, const mi_box_tree *tree, const int32_t *vert, int size,
                      const float *offset, int nvert, mi_arena *arena);
// Ways to one of the ends from displacements of vertices (four floats each); of groups that are
// rigid as a whole, too, or not.
void mi_groups_move(mi_groups *groups, int end, const float *displacement, bool with_rigid,
                    int threads);

// Boxes of vertices (four floats each).
typedef struct mi_vert_boxes {
  const float *low, *high;
  const unsigned char *is_bad; // meets nothing
  float grow;
} mi_vert_boxes;
// Fills the boxes of groups that are wanted (NULL: of all).
void mi_groups_fill(const mi_groups *groups, const mi_group_boxes *boxes,
                    const mi_vert_boxes *verts, const unsigned char *is_wanted, int threads);

// How much closer than they are two groups can come, from their ways.
static inline float mi_groups_approach(const float *a, const float *b) {
  float sum = 0;
  for (int k = 0; k < 3; k++) {
    float one = a[4 + k] - b[k], other = b[4 + k] - a[k], most = one > other ? one : other;
    most = most > 0 ? most : 0;
    sum += most * most;
  }
  return 1.00001f * __builtin_sqrtf(sum);
}

// Distance of the boxes of two groups; INFINITY when one is empty.
float mi_groups_gap(const mi_group_boxes *a, int first, const mi_group_boxes *b, int second);
// Squares of the distances of one group from the groups [begin, end) of `b`.
void mi_groups_gaps(const mi_group_boxes *a, int group, const mi_group_boxes *b, int begin, int end,
                    float *square);

#endif
