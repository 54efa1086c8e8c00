// The public functions of the face fit: arguments are checked here and nowhere else.
#include "track/face_fit.h"

#include <math.h>

void(mien_fit_def_init)(mien_fit_def *def, size_t struct_size) {
  mien_fit_def defaults = {.field_of_view = 60, .calibration_time = 1, .smoothness = 0.5};
  mi_struct_init(def, struct_size, &defaults, sizeof defaults);
}

mien_result mien_fit_create(const mien_rig *rig, const mien_fit_def *given, const mien_host *host,
                            mien_fit **out, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!rig || !out)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no rig, or nowhere to put the fit");
  mien_fit_def def;
  mien_result result = MI_TAKE(mien_fit_def, &def, given, err);
  if (result < 0) return result;
  if (!(def.field_of_view >= 5 && def.field_of_view <= 160))
    return mi_fail(err, MIEN_ERR_OPTIONS, "a field of view is 5 to 160 degrees, not %g",
                   def.field_of_view);
  if (!(def.calibration_time >= 0 && def.calibration_time <= 60))
    return mi_fail(err, MIEN_ERR_OPTIONS, "calibration takes 0 to 60 seconds, not %g",
                   def.calibration_time);
  if (!(def.sparsity >= 0 && def.sparsity <= 1000) ||
      !(def.smoothness >= 0 && def.smoothness <= 10))
    return mi_fail(err, MIEN_ERR_OPTIONS, "sparsity is 0 to 1000, smoothness 0 to 10");
  if (def.filter != MIEN_FILTER_ADAPTIVE && def.filter != MIEN_FILTER_ONE_EURO &&
      def.filter != MIEN_FILTER_OFF)
    return mi_fail(err, MIEN_ERR_OPTIONS, "there is no filter %d", (int)def.filter);
  mien_host resolved;
  result = mi_host_resolve(host, &resolved, err);
  return result == MIEN_OK ? mi_fit_create(rig, &def, &resolved, out, err) : result;
}

mien_result mien_fit_frame(mien_fit *fit, const mien_points *points, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!fit || !points) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no fit, or no points");
  return mi_fit_frame(fit, points, err);
}

const mien_fit_info *mien_fit_get_info(const mien_fit *fit) {
  return fit ? &fit->info : NULL;
}

mien_result mien_fit_save(const mien_fit *fit, const char *path, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!fit || !path) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no fit, or no path");
  return mi_fit_save(fit, path, err);
}

mien_result mien_fit_load(mien_fit *fit, const char *path, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!fit || !path) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no fit, or no path");
  return mi_fit_load(fit, path, err);
}

void mien_fit_free(mien_fit *fit) {
  if (fit) mi_fit_free(fit);
}
