// The equations of the fit: columns are potentials, rows are vertices of shapes.
#ifndef MI_FIT_STIFFNESS_PARTS_H
#define MI_FIT_STIFFNESS_PARTS_H

#include "face/face.h"

// One shape at weight 1: flesh, and what its tetrahedra and springs do there.
typedef struct mi_equations {
  mien_face *face;
  mi_arena scratch;
  int nskin, nvert, nshape, ncol;
  float *bones;    // flesh as bones carry it in every shape        (nshape x nvert x 3)
  float *posed;    //                                               (nshape x nvert x 3)
  int64_t *slot;   // of shape k and tetrahedron t in `pulls`, -1 = not deformed (nshape x ntet)
  float *pulls;    // of strain, of volume                          (slots x 24)
  float *right;    // 0: forces are columns, too                    (nrow x 3)
  float *ease;     // m / N: how far a force moves a vertex (nvert)
  int32_t *row_of; // equation of shape k, vertex i; -1 = none      (nshape x nvert)
  int nrow;        // equations, three floats each
  int32_t *around, *tet; // tetrahedra of a skin vertex and all that it carries
} mi_equations;

typedef struct mi_columns {
  int64_t *first;
  int32_t *row;
  float *value;
  int64_t count, capacity;
  float *sum;    // of the column at hand                       (nvert x 3)
  int32_t *seen; // its vertices                                (nvert)
  unsigned char *mark;
} mi_columns;

// The equations for springs of `hold` N / m (nvert) and q->ease. False when memory ends.
bool mi_equations_build(mi_equations *q, const float *attach_stiffness, mi_columns *c);
// For the weights w of the material, those of the shapes' forces that balance it best.
bool mi_equations_forces(mi_equations *q, const mi_columns *c, double *w);
// How much all forces push, in the measure of the equations.
double mi_equations_push(const mi_equations *q, const mi_columns *c, const double *w);
double mi_equations_norm(const float *values, int count);

#endif
