// The laws, one per file, in double and one stencil at a time: what the real-time solver is checked
// against, and what Newton's method uses. Speed lives in energy/elastic.h.
//
// A projective law (Bouaziz, eq. 7.7) is W(x) = w/2 |G x - p|^2 with p the point of the law's set
// that is closest to G x. p is an exact global minimiser, so dW/dx = w G'(G x - p) needs no
// derivative of p; the Hessian does have it, w G'(I - dp) G, and is the true one.
#ifndef MI_ENERGY_H
#define MI_ENERGY_H

#include "base/base.h"

enum { MI_STENCIL_MOST = 24, MI_PARAMETERS_MOST = 48 };

// One stencil of a law, made by the law's own `set_up` function (energy/laws.h).
typedef struct mi_stencil {
  int nvert;                      // at most MI_STENCIL_MOST
  int nrow;                       // of G; 0 = the law has none
  double weight;                  // w
  double matrix[MI_STENCIL_MOST]; // G, applied to each coordinate                  (nrow x nvert)
  double parameter[MI_PARAMETERS_MOST]; // the law's own
} mi_stencil;

// Every function takes positions x in metres (nvert x 3), and overwrites its outputs. All stay
// finite, for flat, inverted and zero-sized elements, too.
typedef struct mi_law {
  const char *name;
  double (*value)(const mi_stencil *stencil, const double *x);                    // J
  void (*gradient)(const mi_stencil *stencil, const double *x, double *gradient); // (nvert x 3)
  // (3 nvert x 3 nvert), row-major; with `project` made positive semi-definite. NULL = it is zero.
  void (*hessian)(const mi_stencil *stencil, const double *x, bool project, double *hessian);
  // G x and p, (nrow x 3) each. For a tetrahedron or triangle row r is the deformation gradient's
  // column r. NULL = not a projective law.
  void (*reduce)(const mi_stencil *stencil, const double *x, double *gx, double *p);
} mi_law;

extern const mi_law mi_law_strain, mi_law_volume, mi_law_strain_limit, mi_law_triangle_strain,
    mi_law_triangle_area, mi_law_example, mi_law_bending, mi_law_edge, mi_law_attachment,
    mi_law_plane, mi_law_gravity, mi_law_wind, mi_law_stvk;
// All of them, for tests that must not forget one.
extern const mi_law *const mi_laws[];
extern const int mi_nlaw;

#endif
