// L-BFGS around a given inverse (Barrielle & Stoiber 5.2, algorithm 1): the first half of the
// two-loop recursion, a solve that the caller does, the second half.
//
//   mi_lbfgs_forward(history, gradient, threads, q);
//   s = A^-1 q, by a factor or by sweeps
//   slope = -mi_lbfgs_backward(history, s, gradient, threads);            direction = -s
//
// Vectors are four floats a vertex: x, y, z, 0. Dot products are sums of doubles per fixed chunk:
// same bits for any number of threads.
#ifndef MI_LBFGS_H
#define MI_LBFGS_H

#include "sparse/spd.h"

typedef struct mi_lbfgs mi_lbfgs;

// `most` pairs are remembered, 1 to MI_LBFGS_MOST. NULL when memory ends.
enum { MI_LBFGS_MOST = 16 };
mi_lbfgs *mi_lbfgs_create(int nvert, int most, mi_arena *arena);
int mi_lbfgs_count(const mi_lbfgs *history); // pairs in use now

// Pairs that say something about every minimisation to come are added first and kept. Then a new
// one starts with them alone, or from nothing.
void mi_lbfgs_keep(mi_lbfgs *history); // those in use now
void mi_lbfgs_restart(mi_lbfgs *history);
void mi_lbfgs_distrust(mi_lbfgs *history); // goes on without them, with the others
void mi_lbfgs_reset(mi_lbfgs *history);

// A history that begins with the pairs that `kept` keeps, which `most` counts, too. They are
// borrowed until mi_lbfgs_borrow replaces them. False, and nothing is changed, when memory ends.
mi_lbfgs *mi_lbfgs_create_over(const mi_lbfgs *kept, int most, mi_arena *arena);
bool mi_lbfgs_borrow(mi_lbfgs *history, const mi_lbfgs *kept, mi_arena *arena);

// Remembers the step from x_old to x_new and the change of the gradient along it; the oldest pair
// that is not kept makes room. False when the pair says nothing good about curvature (s.y <= 1e-7
// |s| |y|, or not finite) and was left out.
bool mi_lbfgs_add(mi_lbfgs *history, const float *x_old, const float *x_new, const float *g_old,
                  const float *g_new, int threads);

// The function has rank-1 rows besides, sum w (v . x)^2 / 2 (linearised), which are new ones every
// time: pairs are added without them, and this puts those of now into all pairs, so that what they
// say of the rest is not lost when a barrier changes (the structured secant condition of Dennis &
// Walker 1981). The rank-1 rows are borrowed until they are set anew; `stretch`: room for count x
// MI_LBFGS_MOST.
void mi_lbfgs_set_rank1(mi_lbfgs *history, const mi_rank1 *rank1, int count, double *stretch);

// q = gradient with the curvature of the pairs taken out. q may be the gradient itself. Where that
// is the array which the last pair added ended with, it must not have changed since: what it has in
// common with the pairs is known.
void mi_lbfgs_forward(mi_lbfgs *history, const float *gradient, int threads, float *q);
// s with their inverse curvature put back; returns s . gradient. Belongs to the last
// mi_lbfgs_forward.
double mi_lbfgs_backward(mi_lbfgs *history, float *s, const float *gradient, int threads);

// a . b over nvert x 4 floats; `sums` has room for mi_lbfgs_dot_sums(nvert) doubles.
int mi_lbfgs_dot_sums(int nvert);
double mi_lbfgs_dot(const float *a, const float *b, int nvert, int threads, double *sums);

#endif
