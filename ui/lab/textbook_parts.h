// Inside the textbook.
#ifndef MIEN_LAB_TEXTBOOK_PARTS_H
#define MIEN_LAB_TEXTBOOK_PARTS_H

#include "textbook.h"

typedef struct textbook_tet {
  int32_t vert[4];
  double inverse[9]; // of the rest edges: row c is the gradient of corner c + 1's shape function
  double strain, volume;
  double target[9], target_det; // T and det T
} textbook_tet;

struct textbook {
  mi_arena arena;
  int nvert, ntet, threads;
  bool is_posed; // targets differ from the identity
  textbook_tet *tet;
  double *rest;                   //                                                  (nvert x 3)
  int32_t *corner_first, *corner; // corners 4 * tet + c around each vertex
  double *inertia, *attach_stiffness; //                                                  (nvert)
  double *predicted, *anchor; //                                                  (nvert x 3)
  double *element;            // a 3x3 matrix a tetrahedron, of the local step    (ntet x 9)
  double *element_energy;     //                                                  (ntet)
  double *right, *solution;   //                                                  (nvert x 3)
  mi_csr matrix;              // without pulls
  mi_lowrank_rows lowrank_rows;
  const float *pull_target;
  mi_cholesky *factor;
  mi_arena factored_arena; // of the matrix with pulls
  bool factored_pulls;
};

// textbook_local.c: per tetrahedron the wanted matrix ws R T + wv P, or with `gradient` the force
// matrix (ws + wv) F - that; and the energy.
void textbook_local(textbook *t, const double *x, bool gradient);
// to_i += sum over corners of element g
void textbook_gather(const textbook *t, double *to);

#endif
