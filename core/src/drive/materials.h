// Materials of a frame, which follow the shapes' weights, in the minimiser.
#ifndef MI_DRIVE_MATERIALS_H
#define MI_DRIVE_MATERIALS_H

#include "face/face.h"

struct mi_solver;
typedef struct mi_solver_materials mi_solver_materials;

// Call once, while elements, inertia and attachment are those of the neutral. The pointer stays
// NULL where no material varies and the face has no muscles.
mien_result mi_solver_materials_create(struct mi_solver *solver, const mien_face *face,
                                       mien_error *err);
// Inertia and hold are those of the neutral again, for another span.
void mi_solver_forget_materials(struct mi_solver *solver);
// Sets the materials of these shape weights; does nothing when they are those of the last call. The
// energy changes: evaluate again.
void mi_solver_set_materials(struct mi_solver *solver, const mien_face *face, const float *weights);
// On top of it, each tetrahedron is 1 + stiffening x the share of their length that its muscles
// have lost as stiff. Activations are minus 1 (nmuscle x 6).
void mi_solver_stiffen(struct mi_solver *solver, const mien_face *face, const float *activations,
                       double stiffening);
// How much more a flesh vertex is damped than the step's options say, at the weights last set.
float mi_solver_damping(const struct mi_solver *solver, const mien_face *face, int vert);

#endif
