// The table of drives, and its stages in a step.
#include "drive/drive.h"

const mi_drive *const mi_drives[] = {[MIEN_DRIVE_REST_SHAPE] = &mi_drive_rest_shape,
                                     [MIEN_DRIVE_BLENDFORCE] = &mi_drive_blendforce,
                                     [MIEN_DRIVE_MUSCLE] = &mi_drive_muscle};
const int mi_ndrive = sizeof mi_drives / sizeof *mi_drives;

const mi_drive *mi_drive_of(const mien_step_opts *opts) {
  return mi_drives[opts->drive];
}

mien_result mi_drive_prepare(mi_step_run *run) {
  const mi_drive *drive = mi_drive_of(&run->opts);
  return drive->prepare ? drive->prepare(run) : MIEN_OK;
}

void mi_drive_pose(mi_step_run *run) {
  const mi_drive *drive = mi_drive_of(&run->opts);
  double started = mi_clock();
  if (drive->pose) drive->pose(run);
  run->is_forced = drive->forces && drive->forces(run);
  run->state->info.seconds_drive += mi_clock() - started;
}

void mi_drive_rest(const mi_step_run *run) {
  mi_drive_of(&run->opts)->rest(run);
}

void mi_drive_free(mi_solver *solver) {
  if (solver->driven) solver->drive->free(solver->driven);
}
