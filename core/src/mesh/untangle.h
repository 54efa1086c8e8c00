// Untangles tetrahedra by moving free vertices while the others are held: a map // without
// foldovers (Garanzha et al., "Foldover-free maps in 50 lines of code", 2021).
//
//   E = sum over tetrahedra  |J|^2 / c(det J)^(2/3) + (det J^2 + 1) / c(det J),
//   c(d) = (d + sqrt(e^2 + d^2)) / 2
//
// J = deformation gradient against the rest state. c is d where d is large and stays above 0 where
// a tetrahedron is inverted, so E is finite and smooth everywhere, and as e goes down with the
// worst det J it becomes a barrier that nothing can pass back.
#ifndef MI_UNTANGLE_H
#define MI_UNTANGLE_H

#include "base/base.h"

typedef struct mi_untangle {
  int ntet, nfree;
  const int32_t *tets;   // corners: below nfree = free, otherwise held                (ntet x 4)
  const double *inverse; // of the rest edges, row-major                               (ntet x 9)
  double *x;             // m, free vertices first; moved in place
  double enough;         // stop when every det J is at least this
  int rounds, steps;     // at most: values of e, and steps for each
  double slow;           // five steps that lower the energy by less than this share end a round
  int threads;           // the result does not depend on them
  int effort;            // limit on evaluations of single tetrahedra, approximate; 0 = none
  double deadline;       // mi_clock: `effort` counts only after this time; 0 = from the start
} mi_untangle;

typedef struct mi_untangle_info {
  double least; // det J, worst
  int nbad;     // tetrahedra with det J <= 0
  int nstep;
  int nevaluation; // evaluations of single tetrahedra
  bool is_cut;     // the limit stopped it
} mi_untangle_info;

// `memory` is mi_untangle_memory(nfree, nvert) numbers, with nvert = free and held vertices.
size_t mi_untangle_memory(int nfree, int nvert);
void mi_untangle_solve(const mi_untangle *u, int nvert, double *memory, mi_untangle_info *info);
// The worst det J, and how many are not above 0.
void mi_untangle_measure(const mi_untangle *u, double *least, int *nbad);
// E at x for one e, and its gradient by the free vertices (nfree x 3): for tests.
double mi_untangle_energy(const mi_untangle *u, double e, double *gradient);
// The inverse of a rest tetrahedron's edges; false for one without volume.
bool mi_untangle_inverse(const float *rest, const int32_t tet[4], double inverse[9]);

#endif
