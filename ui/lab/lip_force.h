// The force of contact on lips, found from the flesh alone: where it rests, contact balances the
// forces of strain, volume and attachment. The judge asks nothing of the contact's own code.
#ifndef MIEN_LAB_LIP_FORCE_H
#define MIEN_LAB_LIP_FORCE_H

#include <mien/mien.h>

#include <stdbool.h>

typedef struct lip_force {
  double upper[3], lower[3]; // N, on the skin of each lip, in the head's axes
  double push;               // N, the smaller of both along Y, as far as they are pushed apart
  double skin, inside;       // N, lengths of all summed: where contact can act, and where it cannot
} lip_force;

// After a step of a face that has come to rest. False when memory ends.
bool lip_force_measure(mien_state *state, lip_force *out);

#endif
