// Rows of four floats (x, y, z, 0), each in one register of any processor, and what changes them
// one by one. No multiply is fused with an add, so that all processors give the same bits.
#ifndef MI_ROWS_H
#define MI_ROWS_H

#include <stddef.h>
#include <stdint.h>

// v = keep v + shift + spin x (x - about), then x += far d
typedef struct mi_rows_change {
  float *x, *v;
  const float *d;
  float keep, far, shift[4], spin[4], about[4]; // the fourth is 0
} mi_rows_change;
void mi_rows_apply(const mi_rows_change *change, int begin, int end);

// Between rows and somebody else's order, three floats each: row k is at perm[k] there.
typedef struct mi_rows_order {
  const int32_t *perm;
  float frame[4][4]; // how fast their space goes: frame[3] + x frame[0] + y frame[1] + z frame[2]
} mi_rows_order;

// out = v + frame at x, with v and x in the other order.
void mi_rows_see(const mi_rows_order *order, const float *x, const float *v, int begin, int end,
                 float *out);

// Moving masses at both ends of a substep; now, before and outer are in the other order.
typedef struct mi_rows_ends {
  const float *now, *before, *outer;
  const float *x, *posed, *first;
  float *start, *velocity, *accel;
  float rate;
} mi_rows_ends;
// start += posed, velocity = now + frame, accel = outer + rate (frame - (first - before))
void mi_rows_gather(const mi_rows_order *order, const mi_rows_ends *ends, int begin, int end);

// The way back: to_v = v - frame at x; to_x = x - posed, NULL where that is not wanted.
void mi_rows_hand_back(const mi_rows_order *order, const float *x, const float *v,
                       const float *posed, int begin, int end, float *to_v, float *to_x);

#endif
