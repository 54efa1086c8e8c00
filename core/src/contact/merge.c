// Pairs that are the same contact: a vertex over an edge is closest to the same point of both
// triangles at it, and of every edge that meets there. Their energies, gradients and Hessians
// differ in the area alone, so one with the sum of the areas does for all of them.
#include "contact/contact.h"

#include <string.h>

typedef struct key {
  int32_t vert[4]; // of the edge or point on one side, then on the other; -1 = none
  float offset;
} key;

static void order(int32_t *a, int32_t *b) {
  int32_t larger = *a > *b ? *a : *b;
  *a = *a > *b ? *b : *a;
  *b = larger;
}

// Names what is closest on both sides, whichever pair it was found in. False: interiors, which no
// other pair shares, and edges whose mollifier is their own.
static bool name(const mi_contact *contact, key *k) {
  if (contact->support == 15 || contact->mollifier < 1) return false;
  int count[2] = {0, 0}, first = contact->is_edges ? 2 : 1;
  int32_t side[2][4] = {{-1, -1, -1, -1}, {-1, -1, -1, -1}};
  for (int i = 0; i < 4; i++)
    if (contact->support >> i & 1) side[i >= first][count[i >= first]++] = contact->vert[i];
  if (count[0] > 2 || count[1] > 2) return false;
  for (int s = 0; s < 2; s++)
    if (count[s] == 2) order(&side[s][0], &side[s][1]);
  // the point first; of two points the smaller
  bool is_turned = count[0] > count[1] || (count[1] == 1 && side[0][0] > side[1][0]);
  k->offset = contact->offset;
  memcpy(k->vert, side[is_turned], 2 * sizeof *k->vert);
  memcpy(k->vert + 2, side[!is_turned], 2 * sizeof *k->vert);
  return true;
}

static uint32_t scatter(const key *k) {
  uint64_t h = 0;
  for (int i = 0; i < 4; i++) h = (h ^ (uint32_t)k->vert[i]) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(h >> 32);
}

void mi_active_merge(mi_active *active) {
  uint32_t mask = (uint32_t)active->nslot - 1;
  int kept = 0;
  for (int i = 0; i < active->nslot; i++) active->slot[i] = -1;
  for (int i = 0; i < active->count; i++) {
    key mine, other;
    bool is_alone = !name(active->contact + i, &mine);
    if (!is_alone) {
      uint32_t at = scatter(&mine) & mask;
      for (; active->slot[at] >= 0; at = (at + 1) & mask) {
        name(active->contact + active->slot[at], &other);
        if (!memcmp(&mine, &other, sizeof mine)) break;
      }
      is_alone = active->slot[at] < 0;
      if (is_alone)
        active->slot[at] = kept;
      else
        active->contact[active->slot[at]].area += active->contact[i].area;
    }
    if (is_alone) active->contact[kept++] = active->contact[i];
  }
  active->count = kept;
}
