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

// Kept pairs hold for every minimisation to come: add them first. A restart returns to them alone,
// a reset to none.
void mi_lbfgs_keep(mi_lbfgs *history); // those in use now
void mi_lbfgs_restart(mi_lbfgs *history);
void mi_lbfgs_distrust(mi_lbfgs *history); // goes on without them, with the others
void mi_lbfgs_reset(mi_lbfgs *history);

// A history that begins with the pairs kept by `kept`, counted in `most`. They are borrowed until
// mi_lbfgs_borrow replaces them. False, with nothing changed, when memory ends.
mi_lbfgs *mi_lbfgs_create_over(const mi_lbfgs *kept, int most, mi_arena *arena);
bool mi_lbfgs_borrow(mi_lbfgs *history, const mi_lbfgs *kept, mi_arena *arena);

// Stores the step from x_old to x_new and the change of the gradient along it; the oldest pair that
// is not kept makes room. False, and the pair is left out, when its curvature is not positive (s.y
// <= 1e-7 |s| |y|, or not finite).
bool mi_lbfgs_add(mi_lbfgs *history, const float *x_old, const float *x_new, const float *g_old,
                  const float *g_new, int threads);

// The function also has rank-1 rows, sum w (v . x)^2 / 2 (linearised), which change every time.
// Pairs are added without them, and this adds the current rows to all pairs, so that pairs stay
// valid when a barrier changes (the structured secant condition of Dennis & Walker 1981). The rows
// are borrowed until they are set again; `stretch` has room for count x MI_LBFGS_MOST.
void mi_lbfgs_set_rank1(mi_lbfgs *history, const mi_rank1 *rank1, int count, double *stretch);

// q = gradient with the curvature of the pairs taken out. q may be the gradient itself. If the
// gradient is the array that the last added pair ended with, it must not have changed since: its
// products with the pairs are reused.
void mi_lbfgs_forward(mi_lbfgs *history, const float *gradient, int threads, float *q);
// s with their inverse curvature put back; returns s . gradient. Belongs to the last
// mi_lbfgs_forward.
double mi_lbfgs_backward(mi_lbfgs *history, float *s, const float *gradient, int threads);

// a . b over nvert x 4 floats; `sums` has room for mi_lbfgs_dot_sums(nvert) doubles.
int mi_lbfgs_dot_sums(int nvert);
double mi_lbfgs_dot(const float *a, const float *b, int nvert, int threads, double *sums);

#endif
