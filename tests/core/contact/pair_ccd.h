// Continuous collision detection of one pair: a reference that shares nothing with the bound of
// contact/separate.h but the closest points.
#ifndef PAIR_CCD_H
#define PAIR_CCD_H

// Additive conservative advancement (Li et al. 2021, Codimensional IPC, algorithm 1). The largest
// time in [0, 1] found until which a pair may use up no more than `share` (0 to 1) of its gap
// d - offset, when its points move straight from `from` to `to` (4 x 3 each). Never above the true
// time. `limit`: times from there on are not looked for. Stops after `most` iterations with the
// time reached. A pair that is nearer than its offset may leave, not come nearer; one that touches
// moves only as a whole.
typedef struct ccd_limits {
  double share, offset, limit;
  int most;
} ccd_limits;
double ccd_vertex_triangle(const double from[12], const double to[12], const ccd_limits *limits);
double ccd_edge_edge(const double from[12], const double to[12], const ccd_limits *limits);

#endif
