#include "face/lip_order.h"

#include <math.h>
#include <stdlib.h>

static int compare_gaps(const void *a, const void *b) {
  const mi_lip_vert *x = a, *y = b;
  if (x->is_bag != y->is_bag) return x->is_bag - y->is_bag;
  if (x->gap2 != y->gap2) return x->gap2 < y->gap2 ? -1 : 1;
  return (x->vert > y->vert) - (x->vert < y->vert);
}

static float gap_to(const mien_face *face, int vert, int32_t other) {
  const float *from = face->rest + 3 * (size_t)vert;
  float least = INFINITY;
  for (int i = 0; i < face->skin.nvert; i++) {
    if (!(face->regions.bits[i] & other)) continue;
    const float *to = face->rest + 3 * (size_t)i;
    float x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
    least = fminf(least, x * x + y * y + z * z);
  }
  return least;
}

// The lip that a vertex meets; the bag meets both, tentacles anything.
static int32_t lip_opposite(int32_t bits) {
  const int32_t both = MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER;
  if (bits & MIEN_REGION_PASSIVE) return 0;
  if (bits & MIEN_REGION_MOUTH_BAG) return both;
  return bits & MIEN_REGION_LIP_UPPER ? MIEN_REGION_LIP_LOWER : MIEN_REGION_LIP_UPPER;
}

int mi_lip_order(const mien_face *face, int most_lips, int most_with_bag, mi_lip_vert *lips) {
  int count = 0, nbag = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    int32_t bits = face->regions.bits[i];
    if (!(bits & MIEN_REGION_CONTACT) || (bits & MIEN_REGION_EYELID)) continue;
    bool is_bag = bits & MIEN_REGION_MOUTH_BAG;
    lips[count++] = (mi_lip_vert){.vert = i, .is_bag = is_bag};
    nbag += is_bag;
  }
  int nlip = count - nbag < most_lips ? count - nbag : most_lips;
  int most = nlip > most_with_bag ? nlip : most_with_bag;
  if (count <= most) return count;
  for (int k = 0; k < count; k++) {
    int32_t other = lip_opposite(face->regions.bits[lips[k].vert]);
    if (other) lips[k].gap2 = gap_to(face, lips[k].vert, other);
  }
  qsort(lips, (size_t)count, sizeof *lips, compare_gaps);
  return most;
}
