// Stiffnesses from the blendshapes (Barrielle & Stoiber, 4.2): those that put every expression of
// the rig in static equilibrium under the forces that its shape stands for.
//
//   min over w, c >= 0 of  sum over shapes k  | D^-1 (sum_j w_j dW_j/dx (x_k) - c_k M d_k) |^2
//
// W_j are the potentials of strain, volume and attachment with the stiffness 1 of the parameters,
// gathered around the skin vertices; d_k is the shape's motion of the flesh against its bones, M
// the masses that hang on the inner surface, where muscles pull, c_k how hard they do: an
// expression may take little or much force, but its forces have the direction of its motion. D is
// the diagonal of the even material's matrix: what counts is how far a force moves the flesh. What
// no shape deforms keeps w = 1, by a weak prior towards it everywhere.
#ifndef MI_FIT_STIFFNESS_H
#define MI_FIT_STIFFNESS_H

#include "face/face.h"

// Fits the face's own materials in place, while it is being made, and fills `fit_*` of its info.
mien_result mi_fit_stiffness(mien_face *face, mien_error *err);

// kg that hang on the bone at a vertex of the flesh: there muscles pull, in proportion.
double mi_fit_hung_mass(const mien_face *face, int vert);

#endif
