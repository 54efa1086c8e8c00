// make_calibration_seeds FOLDER: what is kept of a performer. It carries the hash of a rig and so
// belongs to one build; that is why it is made with it.
#include "small_performer.h"

#include <stdio.h>

int main(int argc, char **argv) {
  if (argc != 2) return fputs("usage: make_calibration_seeds FOLDER\n", stderr), 2;
  static mien_points points;
  char path[4096];
  mien_error err = {0};
  mien_fit *fit = NULL;
  mien_rig *rig = small_performer_rig();
  mien_result result = rig ? mien_fit_create(rig, NULL, NULL, &fit, &err) : MIEN_ERR_ARGUMENT;
  for (int k = 0; result >= 0 && k < 60; k++) {
    small_performer_see(rig, k, &points);
    result = mien_fit_frame(fit, &points, &err);
  }
  snprintf(path, sizeof path, "%s/rest.json", argv[1]);
  if (result >= 0) result = mien_fit_save(fit, path, &err);
  if (result < 0) fprintf(stderr, "'%s' could not be made: %s\n", path, err.text);
  mien_fit_free(fit);
  mien_rig_free(rig);
  return result < 0;
}
