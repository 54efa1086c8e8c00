// The pose of the frame is the rest state: every element's target is its shape in the artist's
// pose, and bones hold flesh where the artist has it (Kozlov et al., 5). With no motion and no
// outer force the flesh is the pose. Motion caused by a change of the pose is removed by
// solve/rebalance.c.
#include "drive/drive.h"

#include <string.h>

static void rest(const mi_step_run *run) {
  const mien_face *face = run->state->face;
  mi_solver *solver = run->state->solver;
  size_t size = 3 * (size_t)face->info.nvert * sizeof(float);
  bool is_neutral = !memcmp(run->state->dynamics.posed, face->rest, size);
  mi_elastic_set_pose(solver->elastic, is_neutral ? NULL : solver->posed, solver->host.threads);
}

const mi_drive mi_drive_rest_shape = {.name = "rest_shape", .is_rest_posed = true, .rest = rest};
