// Rings over the left ear, from the side of the head over the rim into the bowl.
#include "cage.h"

#include "form.h"

// Outline of the ear seen from its side, clockwise from the top front: forward (+z) and up, in
// millimetres from the ear's middle, and how far the rim stands off the head.
typedef struct ear_outline {
  double forward;
  double up;
  double lift;
} ear_outline;

static const ear_outline outline[EAR_NANGLE] = {
    {11, 24, 5.5},   {4, 32, 9.0},    {-9, 32.5, 12.5}, {-20, 25, 14.5},
    {-24, 10, 15.0}, {-21, -6, 13.5}, {-13, -19, 11.0}, {-4, -29.0, 9.0},
    {4, -28.5, 7.0}, {9, -18, 5.0},   {12, -5, 6.5},    {12, 9, 4.5}};

// Each ring: share of the outline's size, share of the lift, extra lift in millimetres.
typedef struct ear_ring {
  double size;
  double lift;
  double extra;
} ear_ring;

static const ear_ring rings[EAR_NRING] = {{0, 0, 0},          {0, 0, 0},         {0.80, 0.0, 0.8},
                                          {0.92, 0.60, 0.0},  {1.0, 1.0, 0.0},   {0.88, 1.10, 0.4},
                                          {0.73, 0.80, -1.2}, {0.54, 0.78, 0.6}, {0.35, 0.25, 0.0}};

static vec3 ear_point(int ring, int k) {
  const ear_ring *r = &rings[ring];
  const ear_outline *o = &outline[k];
  double lean = 0.2;
  // The bowl sits forward of the ear's middle.
  double shift = 4.0 * (1.0 - r->size);
  double f = o->forward * r->size + shift;
  double u = o->up * r->size;
  vec3 p = v3(72, u * cos(lean) + f * sin(lean) * 0.6, -9 + f * cos(lean) - u * sin(lean));
  vec3 foot = head_form_project(p, PROJECT_FULLY);
  double lift = o->lift * r->lift + r->extra;
  return v3_madd(foot, lift, v3_unit(v3(1, 0.0, 0.25)));
}

void cage_build_ear(cage *c) {
  int left = CAGE_NFRONT + 2;
  for (int k = 0; k < EAR_NANGLE; k++) {
    int row = EAR_ROW + (k <= 3 ? 3 : k <= 6 ? 6 - k : k <= 9 ? 0 : k - 9);
    int column = k <= 3 ? left + k : k <= 6 ? left + 3 : k <= 9 ? left + 9 - k : left;
    c->ear[0][k] = c->strip[row][column];
  }
  for (int ring = 1; ring < EAR_NRING; ring++) {
    for (int k = 0; k < EAR_NANGLE; k++) {
      vec3 p = ring == 1 ? head_form_project(v3_mix(c->vert[c->ear[0][k]].p, ear_point(2, k), 0.5),
                                             PROJECT_FULLY)
                         : ear_point(ring, k);
      int v = cage_add_vertex(c, p);
      c->ear[ring][k] = v;
      c->vert[v].pinned = ring > 1;
      c->vert[v].channel[CH_ON_FORM] = ring == 1;
      c->vert[v].channel[CH_EAR_RING] = ring;
    }
    cage_join_rings(c, c->ear[ring - 1], c->ear[ring], EAR_NANGLE, 1);
  }
  enum { SIZE = 4 };
  int grid[SIZE * SIZE];
  const int *ring = c->ear[EAR_NRING - 1];
  for (int i = 0; i < SIZE * SIZE; i++) grid[i] = -1;
  for (int j = 0; j < SIZE; j++) {
    grid[(SIZE - 1) * SIZE + j] = ring[j];
    grid[(SIZE - 1 - j) * SIZE + SIZE - 1] = ring[3 + j];
    grid[SIZE - 1 - j] = ring[6 + j];
    grid[j * SIZE] = ring[(9 + j) % EAR_NANGLE];
  }
  int first = c->nvert;
  cage_fill_grid(c, grid, SIZE, SIZE);
  for (int v = first; v < c->nvert; v++) {
    c->vert[v].p = v3_add(head_form_project(c->vert[v].p, PROJECT_FULLY), v3(1.0, 0, 0));
    c->vert[v].pinned = 1;
    c->vert[v].channel[CH_EAR_RING] = EAR_NRING;
  }
}
