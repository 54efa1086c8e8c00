// Any bytes as a performer's calibration; with one that is taken some frames are fitted, and what
// comes out is a number. Run: fuzz_calibration corpus/calibration
#include "limited_host.h"
#include "small_performer.h"
#include "track/face_fit.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static mien_rig *rig; // never changes
  static mien_points points;
  mien_host host;
  mien_fit *fit = NULL;
  if (!make_limited_host(&host) || (!rig && !(rig = small_performer_rig()))) return 0;
  if (mien_fit_create(rig, NULL, &host, &fit, NULL) < 0) return 0;
  if (mi_fit_read(fit, data, size, NULL) >= 0) {
    const mien_fit_info *info = mien_fit_get_info(fit);
    for (int k = 50; k < 53; k++) {
      small_performer_see(rig, k, &points);
      mien_fit_frame(fit, &points, NULL);
      for (int s = 0; s < info->nweight; s++)
        if (!(info->weights[s] >= 0 && info->weights[s] <= 1)) __builtin_trap();
      for (int c = 0; c < 3; c++)
        if (!isfinite(info->head.translation[c])) __builtin_trap();
    }
  }
  mien_fit_free(fit);
  return 0;
}
