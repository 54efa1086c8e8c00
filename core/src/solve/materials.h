// Materials of a frame in the minimiser.
#ifndef MI_SOLVE_MATERIALS_H
#define MI_SOLVE_MATERIALS_H

#include "face/face.h"

struct mi_solver;
typedef struct mi_solver_materials mi_solver_materials;

// Call once, while elements, inertia and attachment are those of the neutral. The pointer stays
// NULL where no material varies.
mien_result mi_solver_materials_create(struct mi_solver *solver, const mien_face *face,
                                       mien_error *err);
// Inertia and hold are those of the neutral again, for another span.
void mi_solver_forget_materials(struct mi_solver *solver);
// Sets the materials of these shape weights; does nothing when they are those of the last call. The
// energy changes: evaluate again.
void mi_solver_set_materials(struct mi_solver *solver, const mien_face *face, const float *weights);
// Against the neutral's, by the weights last set: how stiff a tetrahedron is against strain.
float mi_solver_stiffer(const struct mi_solver *solver, int tet);
// How much more a flesh vertex is damped than the step's options say, at the weights last set.
float mi_solver_damping(const struct mi_solver *solver, const mien_face *face, int vert);

#endif
