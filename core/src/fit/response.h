// How all flesh answers a unit of each unknown, dx / du: most muscles move a small part of a face,
// so that blocks of vertices that an unknown hardly moves are left out.
#ifndef MI_RESPONSE_H
#define MI_RESPONSE_H

#include "base/base.h"

enum { MI_RESPONSE_BLOCK = 64, MI_RESPONSE_CHUNK = 16 }; // floats, and blocks of a chunk

typedef struct mi_response {
  int nunknown, nblock, nchunk;
  int32_t *first;   // pieces of a block                                         (nblock + 1)
  int32_t *unknown; // of a piece
  float *piece;     //                                                 (MI_RESPONSE_BLOCK each)
  double *partial;  // sums of chunks, for the transpose                  (nchunk x nunknown)
} mi_response;

// From all of it (nunknown x size), without blocks where an unknown moves nothing by more than its
// `least` (nunknown).
bool mi_response_create(int nunknown, int size, const float *dense, const float *least,
                        mi_arena *arena, mi_response *out);
// x = R u (nblock blocks, the last one padded).
void mi_response_apply(const mi_response *r, const double *u, int threads, float *x);
// u = R'x, added up in a fixed order.
void mi_response_apply_transposed(const mi_response *r, const float *x, int threads, double *u);

#endif
