#include "tet_block.h"

#include <stdlib.h>
#include <string.h>

// Corners of a cell are numbered by bits: 1 = +x, 2 = +y, 4 = +z.

// Kuhn's subdivision: one tetrahedron per order of the axes, from corner 0 to corner 7.
// Neighbouring cells agree on their common face because its diagonal always leaves the lower
// corner.
static const int SIX[6][4] = {
    {0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7},
};

// A regular tetrahedron inside and one at each of the other corners. Neighbours must be mirrored
// for the diagonals to meet.
static const int FIVE[2][5][4] = {
    {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 3, 0, 6}, {4, 0, 5, 6}, {7, 5, 3, 6}},
    {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}},
};

int tet_block_vertex(const tet_block *block, int i, int j, int k) {
  return (i * (block->cells[1] + 1) + j) * (block->cells[2] + 1) + k;
}

static double volume6(const tet_block *block, const int32_t tet[4]) {
  double e[3][3];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      e[i][k] = block->position[tet[i + 1]][k] - block->position[tet[0]][k];
  }
  return e[2][0] * (e[0][1] * e[1][2] - e[0][2] * e[1][1]) +
         e[2][1] * (e[0][2] * e[1][0] - e[0][0] * e[1][2]) +
         e[2][2] * (e[0][0] * e[1][1] - e[0][1] * e[1][0]);
}

static void add_tet(tet_block *block, const int at[3], const int corner[4]) {
  int32_t *tet = block->tet[block->ntet++];
  for (int c = 0; c < 4; c++)
    tet[c] = tet_block_vertex(block, at[0] + (corner[c] & 1), at[1] + (corner[c] >> 1 & 1),
                              at[2] + (corner[c] >> 2));
  if (volume6(block, tet) < 0.0) { // the tables list corners, not their order
    int32_t swapped = tet[2];
    tet[2] = tet[3];
    tet[3] = swapped;
  }
}

static int allocate(tet_block *out, const tet_block_def *def) {
  memset(out, 0, sizeof *out);
  if (def->tets_per_cell != 5 && def->tets_per_cell != 6) return -1;
  int64_t nvert = 1, ntet = def->tets_per_cell;
  for (int k = 0; k < 3; k++) {
    if (def->cells[k] < 1 || def->cells[k] > 1000 || !(def->size[k] > 0.0)) return -1;
    out->cells[k] = def->cells[k];
    nvert *= def->cells[k] + 1;
    ntet *= def->cells[k];
  }
  if (ntet > INT32_MAX) return -1;
  out->position = malloc((size_t)nvert * sizeof *out->position);
  out->tet = malloc((size_t)ntet * sizeof *out->tet);
  if (out->position && out->tet) return 0;
  tet_block_free(out);
  return -1;
}

int tet_block_create(tet_block *out, const tet_block_def *def) {
  if (allocate(out, def) != 0) return -1;
  int at[3];
  for (at[0] = 0; at[0] <= def->cells[0]; at[0]++) {
    for (at[1] = 0; at[1] <= def->cells[1]; at[1]++) {
      for (at[2] = 0; at[2] <= def->cells[2]; at[2]++) {
        double *p = out->position[out->nvert++];
        for (int k = 0; k < 3; k++) p[k] = def->size[k] * ((double)at[k] / def->cells[k] - 0.5);
      }
    }
  }
  for (at[0] = 0; at[0] < def->cells[0]; at[0]++) {
    for (at[1] = 0; at[1] < def->cells[1]; at[1]++) {
      for (at[2] = 0; at[2] < def->cells[2]; at[2]++) {
        int parity = (at[0] + at[1] + at[2]) % 2;
        for (int t = 0; t < def->tets_per_cell; t++)
          add_tet(out, at, def->tets_per_cell == 6 ? SIX[t] : FIVE[parity][t]);
      }
    }
  }
  return 0;
}

void tet_block_free(tet_block *block) {
  free(block->position);
  free(block->tet);
  memset(block, 0, sizeof *block);
}
