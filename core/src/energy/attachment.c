// Springs of each vertex to a point: inertia to its prediction, m / h^2, and the attachment to its
// place on the bone (Barrielle & Stoiber, 4.2). One body evaluates both.
#include "energy/laws.h"
#include "energy/spring.h"

#include "sparse/sparse_kernels.h"

#include <stddef.h>

enum { CHUNK = 1024 };

static int count(const mi_flesh *flesh) {
  return flesh->nvert;
}

static bool set_up(const float *stiffness, const float *to, int element, mi_stencil *stencil,
                   int32_t *vert) {
  const double one = 1;
  double target[3];
  for (int k = 0; k < 3; k++) target[k] = (double)to[4 * (size_t)element + (size_t)k];
  vert[0] = element;
  return mi_spring_set_up(stencil, 1, &one, (double)stiffness[element], target);
}

static bool set_up_inertia(const mi_flesh *flesh, int element, mi_stencil *stencil, int32_t *vert) {
  return set_up(flesh->inertia, flesh->predicted, element, stencil, vert);
}

static bool set_up_attachment(const mi_flesh *flesh, int element, mi_stencil *stencil,
                              int32_t *vert) {
  return set_up(flesh->attach_stiffness, flesh->anchor, element, stencil, vert);
}

// -- both at once ---------------------------------------------------------------------------------

typedef struct task {
  const mi_sparse_kernels *kernels;
  mi_spring_rows rows;
  float *gradient;
  double *sums; // inertia and attachment, a pair a chunk: added in order, for any number of threads
} task;

static void add_range(void *user, int begin, int end) {
  const task *t = user;
  double *sums = t->sums + 2 * (begin / CHUNK);
  sums[0] = sums[1] = 0;
  t->kernels->spring_rows(&t->rows, begin, end, t->gradient, sums);
}

static void body(const mi_flesh *flesh, const float *x, float *gradient, mi_energies *energies) {
  task t = {mi_sparse_kernels_best(),
            {x, flesh->predicted, flesh->anchor, flesh->inertia, flesh->attach_stiffness},
            gradient ? gradient : flesh->unused, // writing it is not worth a kernel without
            flesh->sums};
  mi_parallel(flesh->threads, flesh->nvert, CHUNK, add_range, &t);
  for (int chunk = 0; chunk * CHUNK < flesh->nvert; chunk++) {
    energies->inertia += t.sums[2 * chunk];
    energies->attachment += t.sums[2 * chunk + 1];
  }
}

const mi_law mi_law_inertia = {.name = "inertia",
                               .value = mi_spring_value,
                               .gradient = mi_spring_gradient,
                               .hessian = mi_spring_hessian,
                               .reduce = mi_spring_reduce,
                               .count = count,
                               .set_up = set_up_inertia,
                               .body = body,
                               .in_matrix = 1,
                               .sum = offsetof(mi_energies, inertia)};
const mi_law mi_law_attachment = {.name = "attachment",
                                  .value = mi_spring_value,
                                  .gradient = mi_spring_gradient,
                                  .hessian = mi_spring_hessian,
                                  .reduce = mi_spring_reduce,
                                  .count = count,
                                  .set_up = set_up_attachment,
                                  .body = body,
                                  .in_matrix = 1,
                                  .sum = offsetof(mi_energies, attachment)};
