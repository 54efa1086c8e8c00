// A box cut into tetrahedra on a regular grid, for solver scenes.
#ifndef TET_BLOCK_H
#define TET_BLOCK_H

#include <stdint.h>

typedef struct tet_block_def {
  double size[3];    // m; the box is centred on the origin
  int cells[3];      // along each axis
  int tets_per_cell; // 5 (mirrored from cell to cell) or 6 (all alike, around the main diagonal)
} tet_block_def;

typedef struct tet_block {
  int nvert, ntet;
  int cells[3];
  double (*position)[3]; // m
  int32_t (*tet)[4];     // (b - a) x (c - a) . (d - a) > 0
} tet_block;

// 0, or -1 when the definition makes no sense or memory ran out (nothing to free then).
int tet_block_create(tet_block *out, const tet_block_def *def);
void tet_block_free(tet_block *block);

// The vertex at grid point (i, j, k).
int tet_block_vertex(const tet_block *block, int i, int j, int k);

#endif
