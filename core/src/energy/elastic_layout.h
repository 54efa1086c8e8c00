// How the tetrahedra of elastic.h lie in memory.
//
// A cell is three tetrahedra: of a prism, which fan around a common edge p q,
//
//   tetrahedron k = p, q, r[k], r[k + 1]          corners p, q, r0, r1, r2, r3
//
// or any three, with twelve corners. A block is eight cells, one a lane. A chunk is a run of blocks
// whose cells are neighbours: it copies the positions of its vertices side by side, so that they
// stay in the first cache, and adds its forces up there. A vertex of one chunk alone is written to
// the gradient at once; what several chunks share is left in `overlap` and added in a second pass.
// The lanes of a block are taken from eight places of its chunk, so that they seldom meet at a
// vertex. Nothing depends on the number of threads.
#ifndef MI_ELASTIC_LAYOUT_H
#define MI_ELASTIC_LAYOUT_H

#include "energy/elastic.h"

enum {
  MI_CELL_LANES = 8,
  MI_CELL_TETS = 3,
  MI_CHUNK_CELLS = 512,  // wanted
  MI_CHUNK_VERTS = 2048, // at most
  // of a tetrahedron, in floats x lanes: the inverse rest edges (row-major), ws, wv
  MI_TET_INVERSE = 0,
  MI_TET_STRAIN = 9,
  MI_TET_VOLUME = 10,
  MI_TET_SIZE = 11,
  // of its target: T (row-major), its determinant, |cof T|^2
  MI_TARGET_DET = 9,
  MI_TARGET_SPAN = 10,
  MI_TARGET_SIZE = 11
};

typedef struct mi_elastic_chunk {
  int begin, end;   // blocks
  int vert;         // first of its entries in `verts`
  int nvert, nown;  // the first nown vertices belong to this chunk alone
  int overlap;      // first slot for the other nvert - nown
  double energy;    // of the last evaluation, as are the counts
  int64_t count[3]; // kept, Taylor, full
  int nflat;
} mi_elastic_chunk;

struct mi_elastic_kernels;

struct mi_elastic {
  const struct mi_elastic_kernels *kernels;
  int nvert, ntet, nblock, nchunk, nshared;
  int ncorner; // of a cell: 6 or 12
  bool is_posed;
  bool is_target_known; // `targets` are those of `posed`
  float *posed;         // the pose that was set last                   (nvert x 4)
  mi_elastic_chunk *chunks;
  int32_t *verts;      // of the chunks, solver order
  int32_t *corners;    // place in the chunk's vertices                (nblock x ncorner x 8)
  uint8_t *lanes;      // bit set = a tetrahedron, not set = filling   (nblock x 3)
  int32_t *place;      // where a tetrahedron is in `tets`, in lanes   (ntet)
  float *tets;         //                                              (nblock x 3 x 11 x 8)
  float *targets;      //                                              (nblock x 3 x 11 x 8)
  int32_t *shared;     // vertices of several chunks                   (nshared)
  int32_t *slot_begin; // where their slots start in `slots`           (nshared + 1)
  int32_t *slots;
  float *overlap; // (slots x 4)
  mi_svd_limits limits;
  mi_svd_memo *memos; // of F and of F T', or NULL                     (nblock x 3 x 2)
};

// Two blocks of a chunk in the making.
typedef struct mi_elastic_pair {
  const float *points;          // of the chunk's vertices                    (nvert x 4)
  float *forces;                // added to; NULL = none are wanted           (nvert x 4)
  double energy[MI_CELL_LANES]; // added to
  mi_local local;
  int block; // the first of the two
} mi_elastic_pair;

// One table per SIMD body.
typedef struct mi_elastic_kernels {
  const char *name;
  // a chunk
  void (*evaluate)(const struct mi_elastic *elastic, mi_elastic_chunk *chunk, const float *x,
                   mi_local local, float *gradient);
  void (*pair)(const struct mi_elastic *elastic, mi_elastic_chunk *chunk, mi_elastic_pair *pair);
  void (*pose)(const struct mi_elastic *elastic, const mi_elastic_chunk *chunk, const float *posed);
} mi_elastic_kernels;
extern const mi_elastic_kernels mi_elastic_body_scalar, mi_elastic_body_avx2, mi_elastic_body_neon,
    mi_elastic_body_avx512;

// elastic_closest.c
// The s closest to sigma (sigma0 >= sigma1 >= |sigma2|) with s0 s1 s2 = product: the global
// minimum, also where there are several local ones. Barrielle & Stoiber, eq. 15.
void mi_closest_diagonal(const double sigma[3], double product, double s[3]);

#endif
