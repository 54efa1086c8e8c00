// Symmetric positive definite systems with one scalar per vertex pair and three right-hand sides:
// A x = b for x, y and z at once. Vectors are four floats a vertex: x, y, z, 0.
//
// A is in compressed rows, both triangles, columns ascending, diagonal included (mi_csr, double).
#ifndef MI_SPD_H
#define MI_SPD_H

#include "sparse/sparse.h"

// -- Order ----------------------------------------------------------------------------------------

// Orders the vertices of A so that its factor is sparse (nested dissection), with `last` (may be
// NULL: flags per vertex) at the end. order[k] = vertex at place k. False when memory ends.
bool mi_order_find(const mi_csr *a, const unsigned char *last, int32_t *order, mi_arena *scratch);
const char *mi_order_method(void); // the ordering of this build: "METIS" or "bisection"

// B = A with rows and columns in a new order: row k of B is row order[k] of A. False when memory
// ends.
bool mi_csr_permute(const mi_csr *a, const int32_t *order, mi_arena *arena, mi_arena *scratch,
                    mi_csr *out);

// -- Changing constraints -------------------------------------------------------------------------

// A row c of at most four different vertices and a weight: adds w c c' to A. Springs of sticky lips
// and planes of contacts, new ones every frame.
typedef struct mi_lowrank {
  int32_t vert[4]; // -1 = none
  float coef[4];
  float weight; // N / m; 0 or less = no spring
} mi_lowrank;
typedef struct mi_lowrank_rows {
  const mi_lowrank *lowrank;
  int count;
} mi_lowrank_rows;

// The same in one direction only: adds w v v' with a vector of three for each vertex. Planes of
// contacts, which leave sliding free.
typedef struct mi_rank1 {
  int32_t vert[4]; // -1 = none
  float vector[4][3];
  float weight; // N / m
} mi_rank1;

// -- Gauss-Seidel: coloured sweeps, no factor needed ----------------------------------------------

typedef struct mi_gauss_seidel mi_gauss_seidel;
// NULL when memory ends. Diagonal entries must be positive.
mi_gauss_seidel *mi_gauss_seidel_create(const mi_csr *a, mi_arena *arena);
// `sweeps` sweeps on (A + sum w c c') s = q, starting from s. Same bits for any number of threads.
// Spring rows may be NULL. Allocates nothing. False, and s is unchanged, when there are more spring
// rows than vertices.
bool mi_gauss_seidel_sweep(mi_gauss_seidel *gs, const mi_lowrank_rows *lowrank_rows, const float *q,
                           int sweeps, int threads, float *s);
int mi_gauss_seidel_colors(const mi_gauss_seidel *gs);

// -- Factor: constant part factored once, changing part by a small dense correction ---------------

typedef struct mi_factor mi_factor;
// Factors A (already in a good order: mi_order_find, mi_csr_permute) in double and keeps the factor
// in float. Rows from `nfront` on are the contact region and end up in one dense root; nfront =
// nrow: no region. MIEN_ERR_MISMATCH when A is not positive definite. Caller frees with
// mi_factor_free.
mien_result mi_factor_create(const mi_csr *a, int nfront, const mien_host *host, mi_factor **out,
                             mien_error *err);
// The same with L in half precision: what it inverts is A to about 1e-3, and a solve reads little
// more than half the bytes. For where A is only a model of something else, as in L-BFGS.
mien_result mi_factor_create_compact(const mi_csr *a, int nfront, const mien_host *host,
                                     mi_factor **out, mien_error *err);
// A second user of the same numbers, with spring rows, rank-1 rows and work of its own: two may
// solve at once. `from` must outlive it. Caller frees with mi_factor_free.
mien_result mi_factor_share(const mi_factor *from, const mien_host *host, mi_factor **out,
                            mien_error *err);
// A shared one goes over to the numbers of another matrix with the same pattern and region, without
// spring rows. Allocates nothing; what mi_factor_reserve_schur made has to be asked for again.
void mi_factor_switch(mi_factor *factor, const mi_factor *to);
// Makes A + sum w c c' what mi_factor_solve inverts (Woodbury); the spring rows are copied, NULL =
// none. A spring row whose vertices all lie in the region costs little; others cost a third of a
// solve each here and double the time of every solve. Allocates nothing. False when there are more
// than mi_factor_most_lowrank, a vertex is out of range, or float cannot represent the correction:
// then there are no spring rows.
bool mi_factor_set_lowrank(mi_factor *factor, const mi_lowrank_rows *lowrank_rows, int threads);
int mi_factor_most_lowrank(const mi_factor *factor);
// Adds sum w v v' to that, for rank-1 rows whose vertices all lie in the region; others, and those
// for which there is no room (factor.h), are left out. Call after mi_factor_set_lowrank, which
// forgets them. Returns how many are in: they come first in `rank1` then, and the rest of it is
// lost. mi_factor_reserve_rank1 once before (false when memory ends); then nothing allocates.
bool mi_factor_reserve_rank1(mi_factor *factor);
int mi_factor_set_rank1(mi_factor *factor, mi_rank1 *rank1, int count, int threads);
// The same by one dense matrix of the whole region, for any number of rank-1 rows. False when
// memory ends, or when it is not positive definite: then there are none.
bool mi_factor_reserve_schur(mi_factor *factor);
bool mi_factor_set_schur(mi_factor *factor, const mi_rank1 *rank1, int count, int threads);
// x = (A + sum w c c')^-1 b. x and b may be the same array. Same bits for any number of threads.
void mi_factor_solve(mi_factor *factor, const float *b, int threads, float *x);

// pcg_rows.c: (A + sum w c c' + sum w v v') s = q by conjugate gradients, for rows that no factor
// has room for.
typedef struct mi_pcg_rows {
  const mi_csr *matrix; // A
  mi_factor *factor;    // of A, with rows or without: the preconditioner
  mi_lowrank_rows lowrank_rows;
  const mi_rank1 *rank1;
  int nrank1, threads;
  int most;         // iterations
  double tolerance; // of |q|
  double *sums;     // scratch, see mi_lbfgs_dot
} mi_pcg_rows;
typedef struct mi_pcg_work {
  float *residual, *search, *product, *preconditioned; //                              (nvert x 4)
  double *row;                                         //                       (nvert x 3, twice)
} mi_pcg_work;
bool mi_pcg_work_reserve(int nvert, mi_arena *arena, mi_pcg_work *work); // false: memory ends
// From zero. Returns the iterations.
int mi_pcg_rows_solve(const mi_pcg_rows *system, const mi_pcg_work *work, const float *q, float *s);

typedef struct mi_factor_info {
  int nsuper, ntask, nroot; // dense blocks, independent subtrees, vertices of the root
  int64_t nentry, nstored;  // numbers in the factor: needed, and with padding
  size_t bytes;             // everything the factor keeps of its own
  int nlowrank, noutside;   // set now; how many of them reach outside the root
} mi_factor_info;
mi_factor_info mi_factor_get_info(const mi_factor *factor);
size_t mi_factor_bytes(const mi_factor *factor);
void mi_factor_free(mi_factor *factor);

#endif
