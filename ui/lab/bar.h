// A bar of flesh held at its ends, made for the library's minimiser and for the textbook alike:
// the scene of claims about stiffness and convergence (Bouaziz, 7.6.3).
#ifndef MIEN_LAB_BAR_H
#define MIEN_LAB_BAR_H

#include "blocks/tet_block.h"
#include "textbook.h"

typedef struct bar_def {
  int cells;               // across; five times as many along
  int threads;             //
  bool both_ends;          // held at +X, too
  double stiffness;        // Pa
  double volume_stiffness; // Pa
  double dt;               // s
} bar_def;

typedef struct bar {
  bar_def def;
  mi_solver *solver; // direct; order, matrix, elements and vectors as solver.c makes them
  textbook *t;       // the same in double
  tet_block block;
  float *rest;     // m, in the solver's order                                       (nvert x 4)
  float *velocity; // m / s                                                          (nvert x 4)
} bar;

static inline double bar_length(void) {
  return 0.2; // m
}

// False when memory ends; free it in any case.
bool bar_create(bar *b, const bar_def *def);
void bar_free(bar *b);
// One step of backward Euler under gravity (m / s^2, along -Y) from solver->x.
void bar_step(bar *b, double gravity, int iterations, bool plain);
// How far the middle of the end at +X has sunk, m.
double bar_deflection(const bar *b);
// Puts the anchors of the end at +X where a turn about X takes them; everything else at rest.
void bar_twist(bar *b, double angle);

#endif
