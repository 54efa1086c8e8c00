// The hot loops of sparse solves, one table per SIMD body (see math/wide.h).
//
// Rows are four floats: x, y, z, 0. A panel is a dense matrix cut into blocks of eight rows, each
// block column after column: entry (8 b + i, c) is at [(b * stride + c) * 8 + i], with stride =
// width unless it is some columns of a wider panel. Missing rows of the last block are zero.
#ifndef MI_SPARSE_KERNELS_H
#define MI_SPARSE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

typedef struct mi_panel {
  const float *entry;
  int nblock, width, stride;
  const uint16_t *half; // its entries in half precision, or NULL; panel_subtract and its transpose
} mi_panel;

// Rows of one colour in compressed form, without the diagonal.
typedef struct mi_gs_rows {
  const int32_t *first, *column, *vert; // row r belongs to vertex vert[r]
  const float *value, *inverse;         // off-diagonal entries; 1 / diagonal
  const unsigned char *held;            // by vertex: left as it is
} mi_gs_rows;

// Four rows of a field and their coefficients; a missing one is row 0 times zero.
typedef struct mi_rank1_packed {
  int32_t row[4];
  double vector[4][4];
} mi_rank1_packed;

// Rows of four at two springs each, of stiffness a and b.
typedef struct mi_spring_rows {
  const float *x, *y, *z; // rows; where their springs are fixed
  const float *a, *b;     // one a row
} mi_spring_rows;

typedef struct mi_sparse_kernels {
  // work[row[i]] -= (S b)[i]; `row` has 8 nblock entries
  void (*panel_subtract)(mi_panel s, const int32_t *row, const float *b, float *work);
  // z = S b; z has 8 nblock rows
  void (*panel_multiply)(mi_panel s, const float *b, float *z);
  // the same where b is zero but for the columns listed, which ascend; same bits
  void (*panel_multiply_some)(mi_panel s, const int32_t *column, int count, const float *b,
                              float *z);
  // x -= S' y, with y gathered: blocks of eight x, eight y, eight z
  void (*panel_subtract_transposed)(mi_panel s, const float *gathered, float *x);
  void (*gather)(const float *work, const int32_t *row, int nblock, float *gathered);
  // C -= T B' on and below the diagonal, in double. C is column-major with `ld` rows and columns, a
  // multiple of eight; T is cut into blocks of eight rows, B into blocks of four, like panels.
  void (*rank_update)(double *c, int ld, const double *t, const double *b, int depth);
  // t = K r for rows of four doubles; K is column-major with `ld` rows
  void (*multiply_double)(const double *k, int ld, int count, const double *r, double *t);
  // s_i = (q_i - sum a_ij s_j) / a_ii for rows [begin, end)
  void (*relax)(const mi_gs_rows *rows, int begin, int end, const float *q, float *s);
  // dot[k] = a . v[k]
  void (*dots)(const float *a, const float *const *v, int nv, int count, double *dot);
  // y = x + sum c[k] v[k]; y may be x
  void (*combine)(const float *x, const float *const *v, const float *c, int nv, int count,
                  float *y);
  // gradient = a (x - y) + b (x - z) for rows [begin, end); energy += those of a, of b
  void (*spring_rows)(const mi_spring_rows *rows, int begin, int end, float *gradient,
                      double energy[2]);
  // a . b, the same sums in every body
  double (*dot_double)(const double *a, const double *b, int count);
  // dot[4 i + j] = row i of a . row j of b, four rows each, `ld` apart; `count` is a multiple of
  // four, and sums are the same in every body
  void (*dots_double)(const double *a, const double *b, size_t ld, int count, double dot[16]);
  // S v on all 8 s.nblock rows, as rows of four; v is `count` (1 to 4) columns of S, each times a
  // vector of three
  void (*panel_respond)(mi_panel s, const int32_t *column, int count, const float (*vector)[3],
                        double *out);
  // dot[ld k + j] = row k . field j, for rank-1 rows [begin, end) and four fields of rows, `size`
  // doubles apart. Entries of both are floats, so that products are exact.
  void (*rank1_dots)(const mi_rank1_packed *rank1, int begin, int end, const double *field,
                     size_t size, double *dot, size_t ld);
} mi_sparse_kernels;

const mi_sparse_kernels *mi_sparse_kernels_best(void);

extern const mi_sparse_kernels mi_sparse_body_scalar, mi_sparse_body_avx2, mi_sparse_body_neon,
    mi_sparse_body_avx512;

#endif
