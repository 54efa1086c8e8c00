// Which pairs of triangles cross, told one by one: the broad part of the judge. Whether a pair
// crosses is decided by crossings_of_two alone.
#ifndef MIEN_LAB_JUDGE_PAIRS_H
#define MIEN_LAB_JUDGE_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

// Triangles [0, nskin) are skin and may cross each other; those from nskin on cross only skin.
// Pairs of skin that share a vertex are skipped.
typedef struct pairs_mesh {
  const int32_t *tri; // (ntri x 3)
  int ntri, nskin;
} pairs_mesh;

typedef void pairs_fn(void *user, int32_t a, int32_t b);

// False when a position is not finite or memory ran out.
bool pairs_find(const pairs_mesh *mesh, const float *position, pairs_fn *found, void *user);

#endif
