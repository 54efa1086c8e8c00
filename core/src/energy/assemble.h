// The sum of many laws over one set of vertices: value, gradient and sparse Hessian, plain and
// deterministic. What the Newton solver and the tests stand on.
#ifndef MI_ASSEMBLE_H
#define MI_ASSEMBLE_H

#include "energy/energy.h"
#include "sparse/sparse.h"

typedef struct mi_term {
  const mi_law *law;
  mi_stencil stencil;
  int32_t vert[MI_STENCIL_MOST]; // stencil.nvert of them
} mi_term;

// Analysed once, filled many times. The caller may change the terms' stencils between calls (moved
// targets, new wind, new weights), not their laws, their vertices or how many there are.
typedef struct mi_assembly {
  int nvert, nterm;
  const mi_term *term; // borrowed
  // Symmetric, both triangles, columns ascending, three rows a vertex (x, y, z). Every vertex has
  // its 3x3 diagonal block, so that a mass can be added.                           (3 nvert)
  mi_csr hessian;
  int32_t *diagonal;    // where entry (i, i) is in hessian.value                     (3 nvert)
  int32_t *place_first; // row t is [place_first[t], place_first[t + 1])              (nterm + 1)
  int32_t *place;       // of each vertex pair's block: number among the row's blocks
} mi_assembly;

// False when memory ends or the matrix has more entries than an int32_t counts. Vertices must be in
// range.
bool mi_assembly_create(int nvert, int nterm, const mi_term *term, mi_arena *arena,
                        mi_arena *scratch, mi_assembly *assembly);
double mi_term_value(const mi_term *term, const double *x);
double mi_assembly_value(const mi_assembly *assembly, const double *x); // x (nvert x 3), J
// Overwrites gradient (nvert x 3).
void mi_assembly_gradient(const mi_assembly *assembly, const double *x, double *gradient);
// Overwrites assembly->hessian.value; with `project` each term is made positive semi-definite.
void mi_assembly_fill_hessian(mi_assembly *assembly, const double *x, bool project);

#endif
