// The fast body of the laws strain and volume: energy and forces of all tetrahedra at once.
//
//   E(x) = sum over tetrahedra  ws/2 |F - R T|^2  +  wv/2 |F - P|^2
//
// F = deformation gradient against the rest state, T = the tetrahedron's target shape (identity, or
// the deformation gradient of the posed rest state: the drive rest_shape), R = the rotation that
// brings T closest to F, P = the closest matrix to F whose determinant is det T. Both projections
// are exact minimisers, so dE/dx needs no derivative of R or P, and F = T is a minimum with energy
// 0.
//
// Everything is in solver order (see solve/solver.h). Vectors are four floats a vertex: x, y, z, 0.
#ifndef MI_ELASTIC_H
#define MI_ELASTIC_H

#include "base/base.h"
#include "math/svd3.h"

typedef struct mi_elastic mi_elastic;

typedef struct mi_elastic_def {
  int nvert, ntet;
  const float *rest;   // m                                                          (nvert x 3)
  const int32_t *tets; //                                                            (ntet x 4)
  const float *strain; // ws = stiffness (Pa) x rest volume                          (ntet)
  const float *volume; // wv                                                         (ntet)
  int is_prisms;       // tetrahedra 3k, 3k+1, 3k+2 share six vertices
  int is_memoized;     // makes room for MI_LOCAL_MEMOIZED, 250 bytes a tetrahedron; without it that
                       // mode is MI_LOCAL_SVD
} mi_elastic_def;

// All arrays are copied into blocks. NULL when memory ends.
mi_elastic *mi_elastic_create(const mi_elastic_def *def, mi_arena *arena);
// For mi_elastic_share: blocks without targets and results.
mi_elastic *mi_elastic_create_blocks(const mi_elastic_def *def, mi_arena *arena);
// The same blocks with their own targets and results: two may be evaluated at the same time. `from`
// must outlive it. Its weights ws and wv may be set only with `owns_weights`.
mi_elastic *mi_elastic_share(const mi_elastic *from, bool owns_weights, mi_arena *arena);
// The targets T from a posed rest state (nvert x 4, solver order); NULL = identity again.
void mi_elastic_set_pose(mi_elastic *elastic, const float *posed, int threads);
// T is the identity, but the volumes are those of a posed state (the drive blendforce).
void mi_elastic_set_volumes(mi_elastic *elastic, const float *posed, int threads);
// Sets a symmetric target per tetrahedron of the definition, xx, xy, xz, yy, yz, zz (ntet x 6), and
// its target determinant, above 0 (ntet): the drive muscle.
void mi_elastic_set_shapes(mi_elastic *elastic, const float *shape, const float *volume,
                           int threads);

// ws and wv of a tetrahedron of the definition; 0 where it has no volume.
float mi_elastic_strain(const mi_elastic *elastic, int tet);
float mi_elastic_volume(const mi_elastic *elastic, int tet);
void mi_elastic_set_strain(mi_elastic *elastic, int tet, float strain);
void mi_elastic_set_volume(mi_elastic *elastic, int tet, float volume);

typedef enum mi_local {
  MI_LOCAL_INVARIANTS = 0, // rotations and Sigma* from invariants, full SVD only for awkward lanes
  MI_LOCAL_SVD = 1,        // full SIMD SVD for every tetrahedron
  MI_LOCAL_MEMOIZED = 2    // the paper's kept / Taylor / full choice (Barrielle & Stoiber 6.3)
} mi_local;

// Thresholds of MI_LOCAL_MEMOIZED for the evaluations that follow: {0, 0} (as created) does every
// decomposition anew, as at the beginning of a time step; the paper then halves them with every
// iteration (mi_svd_limits_halve).
void mi_elastic_set_limits(mi_elastic *elastic, mi_svd_limits limits);

typedef struct mi_elastic_info {
  double energy;                 // J
  int64_t nkept, ntaylor, nfull; // tetrahedra by kind of SVD; MI_LOCAL_INVARIANTS: nfull = awkward
  int nflat; // tetrahedra with det F < 0.01: inverted, or so nearly that rounding may do it
} mi_elastic_info;

// gradient[i] += dE/dx_i (fixed order of sums: same bits for any number of threads). NULL computes
// the energy alone, to the same bits.
void mi_elastic_evaluate(mi_elastic *elastic, const float *x, mi_local local, int threads,
                         float *gradient, mi_elastic_info *info);

#endif
