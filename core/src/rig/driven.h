// Shapes that follow others: in-betweens, which are a shape's form part of its way, and
// correctives, which act where several shapes do.
#ifndef MI_DRIVEN_H
#define MI_DRIVEN_H

#include "base/base.h"

enum { MI_MOST_DRIVERS = 4 };

// The forms along the way of a shape: at[k] of its way the mesh has form shape[k], and between two
// of them something between. `main` is one of them.
typedef struct mi_way {
  int main, nform;
  const int *shape;
  const double *at; // above 0, rising
} mi_way;

// Its weight is the product of its drivers'.
typedef struct mi_corrective {
  int shape, ndriver;
  int driver[MI_MOST_DRIVERS];
} mi_corrective;

typedef struct mi_driven {
  mi_way *way;
  mi_corrective *corrective;
  int nway, ncorrective;
} mi_driven;

struct mi_rig_build;
// driven.c: in-betweens and correctives that def.extras names, and correctives by their names.
mien_result mi_rig_find_driven(struct mi_rig_build *b);
// Weights of one frame. `is_given` are shapes with weights of their own: they and a way with such a
// form stay as they are. NULL = none.
void mi_driven_apply(const mi_driven *driven, const bool *is_given, float *weights);

#endif
