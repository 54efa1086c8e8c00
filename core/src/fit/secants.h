// Rounds that went otherwise than predicted correct the response J (Broyden's first method) by the
// least change that would have predicted them,
//
//   J+ = J + sum v s' / s's,      v = where the flesh went - where it was said to go,   s = the
//   step
#ifndef MI_SECANTS_H
#define MI_SECANTS_H

#include "base/base.h"

enum { MI_MOST_SECANTS = 4 };

typedef struct mi_secant {
  double *step;  // s                                                                 (nunknown)
  double *row;   // J'v                                                               (nunknown)
  double *seen;  // v where it is seen, as residuals are scaled                           (nrow)
  float *all;    // v of all flesh                                                       (nflesh)
  double square; // s's
} mi_secant;

typedef struct mi_secants {
  int nunknown, nrow, nflesh, count;
  mi_secant of[MI_MOST_SECANTS];
} mi_secants;

bool mi_secants_create(int nunknown, int nrow, int nflesh, mi_arena *arena, mi_secants *out);
// Room for one more; the others are forgotten when there is none. The caller fills step, seen, all
// and row, which is J'v without any secant, and then `mi_secants_keep`s it.
mi_secant *mi_secants_next(mi_secants *s);
void mi_secants_keep(mi_secants *s, mi_secant *made);
// Corrects J'r, J'J (its lower triangle counts) and J u.
void mi_secants_correct(const mi_secants *s, const double *residual, double *gradient,
                        double *matrix);
void mi_secants_move(const mi_secants *s, const double *u, float *x);

#endif
