// Materials of a frame in the minimiser.
#ifndef MI_SOLVE_MATERIALS_H
#define MI_SOLVE_MATERIALS_H

#include "face/face.h"

struct mi_solver;
typedef struct mi_solver_materials mi_solver_materials;

// Once, when elements, inertia and hold are those of the neutral. NULL stays where nothing varies.
mien_result mi_solver_materials_create(struct mi_solver *solver, const mien_face *face,
                                       mien_error *err);
// Inertia and hold are those of the neutral again, for another span.
void mi_solver_forget_materials(struct mi_solver *solver);
// Weights of the rig's shapes; does nothing when they are those of the call before. The energy is
// another one afterwards: evaluate again.
void mi_solver_set_materials(struct mi_solver *solver, const mien_face *face, const float *weights);
// Against the neutral's, by the weights last set: how stiff a tetrahedron is against strain.
float mi_solver_stiffer(const struct mi_solver *solver, int tet);
// How much more a flesh vertex is damped than the step's options say, at the weights last set.
float mi_solver_damping(const struct mi_solver *solver, const mien_face *face, int vert);

#endif
