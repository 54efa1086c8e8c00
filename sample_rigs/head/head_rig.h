// The head as a rig definition: render vertices split along the texture seams, shapes sparse.
#ifndef SAMPLE_RIGS_HEAD_HEAD_RIG_H
#define SAMPLE_RIGS_HEAD_HEAD_RIG_H

#include "head.h"

#include <mien/mien.h>

typedef struct head_rig {
  mien_rig_def def; // points into the arrays below
  mien_part *parts;
  mien_shape *shapes;
  float *positions, *uvs, *colours;
  int32_t *triangles, *indices, landmarks[HEAD_NLANDMARK];
  float *deltas;
} head_rig;

// 0, or -1 when memory ran out (nothing to free then). The model must outlive the rig: names are
// borrowed from it. Caller frees with head_rig_free.
int head_rig_create(const head_model *model, const char *name, head_rig *out);
void head_rig_free(head_rig *rig);

#endif
