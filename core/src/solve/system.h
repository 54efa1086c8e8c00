// The constant data of a simulated face, shared by all of its states: the permutation
// of its vertices, its elements, and per kind of step the matrix, its factor and soft modes.
//
// A state works with the inertia of its own span. The matrix only guides the minimisation, and a
// span that is off by a factor changes how fast it converges, not where it ends. So spans that
// differ by time_scale alone share an operator where they are close (mi_operator_span): a keyed
// time_scale does not factor anew in every frame. Which operator a step takes depends on its
// options alone, never on the steps before.
#ifndef MI_SYSTEM_H
#define MI_SYSTEM_H

#include "energy/elastic.h"
#include "solve/state.h"
#include "sparse/background.h"
#include "sparse/lbfgs.h"

typedef struct mi_operator_key {
  mien_solver kind;               // never AUTO, never KINEMATIC
  double span;                    // s, of the inertia in the matrix
  const struct mi_drive *held_by; // drive with springs of its own; NULL = none
  bool holds_neutral;             // as the drive does
} mi_operator_key;

// A = inertia + hold + elastic Laplacian, in the system's order, and what inverts it.
typedef struct mi_operator {
  mi_arena arena;
  mi_operator_key key;
  mi_csr matrix;
  float *inertia;          // m / span^2, N / m                                           (nvert)
  float *attach_stiffness; // stiffness of the attachment, N / m                          (nvert)
  float *diagonal;         // of the matrix                                               (nvert)
  mi_factor *factor;       // or NULL
  mi_lbfgs *soft_modes;    // kept pairs, or NULL
  int nuser;               // states
  int64_t last_use;        // counted by the system
  struct mi_operator *next;
} mi_operator;

typedef struct mi_system {
  mi_arena arena;
  mien_host host;
  int nvert;
  int nfront;           // vertices before the lips, in this order
  int32_t *perm;        // place -> flesh vertex                                       (nvert)
  int32_t *iperm;       // flesh vertex -> place                                       (nvert)
  unsigned char *bound; // in at least one tetrahedron, flesh order                    (nvert)
  float *strain;        // N m of tetrahedra, as painted on the neutral                (ntet)
  float *volume;        //                                                             (ntet)
  mi_elastic *elastic;  // of the neutral; states share its blocks
  double noise;         // J: what rounding of positions adds to or takes from the energy
  mi_operator *operators;
  int64_t nuse, nmade; // operators asked for and made, in all
} mi_system;

// system.c. The system of a face, made by the first call; the face's lock is held.
mien_result mi_system_get(const mien_face *face, mi_system **out, mien_error *err);

// operator.c
// The span of the matrix for a substep of a step of `frame` seconds: time_scale is rounded to a
// power of two. A time_scale of 1 keeps the very span of the substep.
double mi_operator_span(const mien_step_opts *opts, double frame);
bool mi_operator_has_key(const mi_operator *op, const mi_operator_key *key);
// The operator of this key, made on first use; waits for other threads that make one of the same
// face. It stays until it is released as often as it was acquired; the face keeps a few that no
// state uses. Memory comes from the face's host.
mien_result mi_operator_acquire(const mien_face *face, const mi_operator_key *key, int threads,
                                const mi_system **system, const mi_operator **out, mien_error *err);
void mi_operator_release(const mien_face *face, const mi_operator *op);
void mi_operator_free(mi_operator *op);

// operator_matrix.c: fills matrix, inertia, attachment stiffness and diagonal of an operator whose
// key is set
mien_result mi_operator_assemble(mi_operator *op, const mi_system *system, const mien_face *face,
                                 int threads, mien_error *err);
// m / span^2 of a flesh vertex, N / m
float mi_operator_inertia(const mien_face *face, int vert, double span);

// soft_modes.c: the softest motions against the operator's matrix, as kept pairs
mien_result mi_operator_find_soft_modes(mi_operator *op, const mi_system *system,
                                        const mien_face *face, int threads, mien_error *err);

typedef struct mi_system_info {
  size_t bytes;           // of all that states share
  int noperator;          // kept now
  int64_t noperator_made; // since the face was made
} mi_system_info;
mi_system_info mi_system_get_info(const mien_face *face);

#endif
