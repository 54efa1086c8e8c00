// The head as one list of vertices and triangles that can be spoiled: skin first, then other parts.
#ifndef SAMPLE_RIGS_HARD_HARD_MESH_H
#define SAMPLE_RIGS_HARD_HARD_MESH_H

#include "hard.h"
#include "head/head.h"

#include <stdbool.h>

enum { HARD_SHAPES = 64, HARD_PARTS = 8 };

struct hard_mesh {
  head_model model; // names, eyes and the hinge; its arrays are shared by all hard rigs
  int nvert, ntri;
  int nskin, nskin_tri; // of them skin
  float *position;      // (nvert x 3)
  int32_t *tri;         // (ntri x 3)
  float *delta[HARD_SHAPES];
  mien_part part[HARD_PARTS];
  mien_shape shape[HARD_SHAPES];
  int npart, nshape, jaw_open;
  float *upper, *lower, *bag, *lid; // labels 0-1 of the skin, 0 elsewhere             (nvert)
  int *twin;                        // welded to this vertex, -1 = to none             (nvert)
  double overlap;                   // m, how far each lip was moved
  double mouth[3];                  // m, its middle
  double corner;                    // m, largest |x| of the lips
};

// NULL when memory ran out.
hard_mesh *hard_mesh_create(const hard_options *options);
void hard_mesh_free(hard_mesh *m);
// Moves a vertex in the neutral alone: jawOpen at 1 is where it was.
void hard_shift(hard_mesh *m, int vertex, const double by[3]);
// Pairs of triangles round the mouth that cross in the neutral, or with jawOpen at 1; -1 = no
// memory.
int hard_count(const hard_mesh *m, bool is_open);

// Each spoils the mesh in one way.
bool hard_coarsen_lips(hard_mesh *m, int nupper, int nlower);
bool hard_thin_bag(hard_mesh *m);
void hard_lead_bag(hard_mesh *m, double by);     // m, with jawOpen at 1
void hard_sink_lids(hard_mesh *m, double depth); // m inside the ball
void hard_weld_corners(hard_mesh *m);
void hard_keep_welds(hard_mesh *m);
// About so many pairs cross then; `left` and `right` scale the amount at the sides.
bool hard_overlap_lips(hard_mesh *m, int npair, double left, double right);
void hard_push_lips(hard_mesh *m, double by, double left, double right); // m, each

// Variation: numbers in [0, 1) from a seed.
typedef struct hard_chance {
  uint64_t state;
} hard_chance;
double hard_draw(hard_chance *chance);
void hard_vary(hard_mesh *m, hard_chance *chance);

#endif
