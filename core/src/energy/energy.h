// The laws of the flesh. Each law is one file and one row of the table in laws.c; what is simulated
// is exactly that table: the real-time solvers walk the bodies of its rows, Newton's method their
// stencils.
//
// A row describes its law twice. The reference is in double, one element (stencil) at a time:
// value, gradient and Hessian, which Newton and the tests use. The body is fast: energy and forces
// of all elements at once. Laws that act on the same elements may share a body.
//
// A projective law (Bouaziz, eq. 7.7) is W(x) = w/2 |G x - p|^2 with p the point of the law's set
// that is closest to G x. p is an exact global minimiser, so dW/dx = w G'(G x - p) needs no
// derivative of p; the Hessian does have it, w G'(I - dp) G, and is the true one.
#ifndef MI_ENERGY_H
#define MI_ENERGY_H

#include "energy/elastic.h"
#include "face/face.h"
#include "sparse/spd.h"

enum { MI_STENCIL_MOST = 24, MI_PARAMETERS_MOST = 48 };

// One element of a law.
typedef struct mi_stencil {
  int nvert;                      // at most MI_STENCIL_MOST
  int nrow;                       // of G; 0 = the law has none
  double weight;                  // w
  double matrix[MI_STENCIL_MOST]; // G, applied to each coordinate                  (nrow x nvert)
  double parameter[MI_PARAMETERS_MOST]; // the law's own
} mi_stencil;

// Outer forces that act at the start of a substep, in the head's axes.
typedef struct mi_forces {
  double gravity[3];     // m / s^2
  double wind[3];        // m / s
  double gust;           // 0-1
  double time;           // s
  const float *flesh;    // m, flesh order                                           (nvert x 3)
  const float *velocity; // m / s, of the flesh before the forces                    (nvert x 3)
} mi_forces;

// All that laws read: the flesh at one moment. Vertices are in solver order (see solve/solver.h),
// with four floats each: x, y, z, 0.
typedef struct mi_flesh {
  const mien_face *face;
  int nvert, threads;
  const int32_t *iperm;          // flesh vertex -> solver order                             (nvert)
  const float *inertia;          // m / h^2, N / m                                           (nvert)
  const float *attach_stiffness; // attachment stiffness, N / m                              (nvert)
  const float *predicted, *anchor; //                                                (nvert x 4)
  const float *posed; // whose shapes are the targets; NULL = the neutral         (nvert x 4)
  const struct mi_actuation *actuation; // or targets of muscles; NULL = none
  mi_elastic *elastic;                  // the tetrahedra
  mi_local local;
  const mi_lowrank *spring;   // spring rows of this step                                 (nspring)
  const float *spring_target; //                                                     (nspring x 3)
  int nspring;
  const float *force;      // N, constant in a step, or NULL                         (nvert x 4)
  const mi_forces *forces; // or NULL: they are in `predicted`
  double *sums;            // scratch, two for every 1024 vertices
  float *unused; // scratch for a gradient that the caller does not want              (nvert x 4)
} mi_flesh;

typedef struct mi_energies {
  double inertia, elastic, attachment, lowrank_rows, total; // J
  mi_elastic_info detail;
} mi_energies;

// Adds the energies of all elements and, unless gradient is NULL, their dE/dx (nvert x 4). Same
// bits for any number of threads. The body of the table's first row overwrites the gradient.
typedef void mi_body_fn(const mi_flesh *flesh, const float *x, float *gradient,
                        mi_energies *energies);

typedef struct mi_law {
  const char *name;

  // -- one element. Every function takes positions x in metres (nvert x 3), and overwrites its
  // outputs. All stay finite, for flat, inverted and zero-sized elements, too.
  double (*value)(const mi_stencil *stencil, const double *x);                    // J
  void (*gradient)(const mi_stencil *stencil, const double *x, double *gradient); // (nvert x 3)
  // (3 nvert x 3 nvert), row-major; with `project` made positive semi-definite. NULL = it is zero.
  void (*hessian)(const mi_stencil *stencil, const double *x, bool project, double *hessian);
  // G x and p, (nrow x 3) each. For a tetrahedron or triangle row r is the deformation gradient's
  // column r. NULL = not a projective law.
  void (*reduce)(const mi_stencil *stencil, const double *x, double *gx, double *p);

  // -- in a simulation
  int (*count)(const mi_flesh *flesh); // elements
  // Element and its vertices in solver order (nvert of them). False, with the stencil untouched,
  // when its rest state makes no sense.
  bool (*set_up)(const mi_flesh *flesh, int element, mi_stencil *stencil, int32_t *vert);
  mi_body_fn *body; // NULL = the law acts by `accelerate`
  // velocity += dt force / mass, in flesh order (nvert x 3): a force that is constant in a substep
  // and acts through the prediction. NULL = the law has a body.
  void (*accelerate)(const mien_face *face, const mi_forces *forces, double dt, float *velocity);
  double in_matrix; // share of w G'G that the solver's constant matrix has
  size_t sum;       // which of mi_energies it counts in: offsetof
} mi_law;

extern const mi_law mi_law_inertia, mi_law_attachment, mi_law_spring, mi_law_force, mi_law_strain,
    mi_law_volume, mi_law_gravity, mi_law_wind;
// The simulated laws. Laws with the same body are adjacent.
extern const mi_law *const mi_laws[];
extern const int mi_nlaw;

// E(x) and its gradient (NULL: E alone, to the same bits), of all bodies.
void mi_laws_evaluate(const mi_flesh *flesh, const float *x, float *gradient,
                      mi_energies *energies);
// The total from its parts.
double mi_energies_total(const mi_energies *energies);
// velocity += dt * force / mass, of all laws that act through the prediction.
void mi_laws_accelerate(const mien_face *face, const mi_forces *forces, double dt, float *velocity);

#endif
