// The factor as its own files see it.
#ifndef MI_FACTOR_H
#define MI_FACTOR_H

#include "sparse/supernodal.h"

enum { MI_LOWRANK_MOST = 256, MI_RANK1_MOST = 512, MI_RANK1_VERTS = 1024 };

// The low-rank update: K = W^-1 + C A^-1 C' and its work arrays. One for spring rows inside the
// root, one for the others.
typedef struct mi_correction {
  int count;
  mi_lowrank *lowrank; // inside the root: vertices as rows of the root            (MI_LOWRANK_MOST)
  double *inverse;     // K^-1, column-major, leading dimension MI_LOWRANK_MOST
  float *response;     // A^-1 C' on the root's rows, a panel of `count` columns; NULL outside
  double
      *tension; // two arrays of rows of four: C x, K^-1 C x                (2 MI_LOWRANK_MOST x 4)
} mi_correction;

// rank1.c: see there.
typedef struct mi_rank1_update {
  int count;
  mi_rank1 *rank1;       // vertices by their numbers here; NULL = not reserved (MI_RANK1_MOST)
  mi_rank1_packed *rows; // the same for rank1_dots                             (MI_RANK1_MOST)
  double *matrix;        // K, then its factor                                  (count x count)
  double *tension;       // V' y, then K^-1 V' y                                (MI_RANK1_MOST)
  double
      *meet; // Q of all rank-1 rows                         (MI_RANK1_MOST x MI_LOWRANK_MOST x 4)
  int nvert; // different vertices of all rank-1 rows, at most MI_RANK1_VERTS
  int32_t *vert;   // those, as rows of the root                          (MI_RANK1_VERTS)
  int32_t *sorted; // the same, ascending                                 (MI_RANK1_VERTS)
  int32_t *local;  // row of the root -> its number among them, or -1     (nroot)
  float *inverse;  // the root's inverse restricted to them, as a panel        (nvert x nvert)
} mi_rank1_update;

// schur.c: see there.
typedef struct mi_schur {
  bool is_set;
  bool is_known;      // `complement` belongs to the numbers in use
  double *panel;      // for sweeping it
  double *matrix;     // lower triangle, row-major; NULL = not reserved     (3 nroot x 3 nroot)
  double *complement; // minus the root's own matrix, column-major, padded
  double *rhs;        //                                                    (3 nroot)
} mi_schur;

// The numbers are constant once they are found and may be shared; each user has its own work.
struct mi_factor {
  mi_arena arena; // of the numbers, or empty: another factor owns them
  mi_symbolic sym;
  const mi_sparse_kernels *kernels;
  float *entry;   // L and D^-1, or with `half` D^-1 alone                       (sym.nstored)
  uint16_t *half; // L in half precision, or NULL
  int32_t *root_row;
  int32_t *largest_first; // tasks, the most expensive first                    (ntask)
  // work:
  mi_arena work_arena; // the factor itself lies here
  float *work;         // rows of four                                           (sym.nwork)
  float *root;         // b, then x of the root, padded to blocks of eight       (2 arrays)
  mi_correction inside, outside;
  mi_rank1_update update;
  mi_schur schur;
  double *panel; // for sweeping K
  float *column; // outside spring rows only: a right-hand side                      (n x 4)
  int nlowrank;
};

// dense.c: a matrix (side x side, row-major, lower triangle) becomes its Cholesky factor; false
// when it is not positive definite. With that, x = its right-hand side becomes the solution.
bool mi_dense_factor(double *matrix, int side, int threads);
void mi_dense_solve(const double *factor, int side, double *x);

// woodbury.c
bool mi_correction_reserve(mi_factor *factor);
// x_root -= A^-1 C' K^-1 C x_root, for spring rows inside the root
void mi_correct_root(mi_factor *factor, float *x);
// rank1.c: rhs = V K^-1 V' y, on the root; false without rank-1 rows
bool mi_rank1_answer(mi_factor *factor, const float *y, float *rhs);
// schur.c: the root's right-hand side becomes its solution (rows of four); false when not set
bool mi_schur_solve(mi_factor *factor, float *root);
// A solve with the spring rows inside the root, those outside left away.
void mi_factor_solve_inside(mi_factor *factor, const float *b, int threads, float *x);
// x = that solve, corrected for spring rows outside
void mi_correct_outside(mi_factor *factor, int threads, float *x);

#endif
