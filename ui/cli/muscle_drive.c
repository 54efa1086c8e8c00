#include "muscle_drive.h"

#include "muscle_take.h"

#include <stdlib.h>

int muscle_drive_open(muscle_drive *m, const cli_args *args, const mien_rig *rig,
                      const mien_face *face) {
  mien_host host;
  mien_error err;
  *m = (muscle_drive){.rig = rig};
  cli_host(args, &host);
  m->points = calloc(3 * (size_t)mien_rig_get_info(rig)->nvert + 1, sizeof *m->points);
  if (!m->points) return cli_fail("out of memory");
  if (mien_activations_create(face, &host, &m->solver, &err) < 0)
    return cli_report(&err, "muscles");
  if (!mien_face_get_info(face)->is_muscle_fitted)
    fprintf(stderr,
            "note: the muscles are the atlas's, not fitted to this face; 'mien fit-muscles' "
            "does that\n");
  return CLI_DONE;
}

int muscle_drive_at(muscle_drive *m, const float *weights, mien_input *input) {
  const mien_rig_info *rig = mien_rig_get_info(m->rig);
  const mien_activations_info *info = mien_activations_get_info(m->solver);
  mien_error err;
  if (!m->solver) return CLI_DONE;
  mien_rig_pose(m->rig, weights, rig->nshape, m->points, NULL);
  if (mien_activations_solve(m->solver, (mien_f32s){m->points, rig->nvert, 3}, 0, &err) < 0)
    return cli_report(&err, "muscles");
  input->activations = info->activations;
  float jaw[MUSCLE_JAW];
  for (int k = 0; k < 4; k++) jaw[k] = (float)info->jaw.rotation[k];
  for (int k = 0; k < 3; k++) jaw[4 + k] = (float)info->jaw.translation[k];
  muscle_jaw_put(jaw, input);
  m->error += info->error;
  m->seconds += info->seconds;
  m->count++;
  return CLI_DONE;
}

void muscle_drive_close(muscle_drive *m) {
  mien_activations_free(m->solver);
  free(m->points);
}
