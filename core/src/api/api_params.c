// The public functions of parameters: arguments are checked here and nowhere else.
#include "io/params_json.h"

void(mien_play_opts_init)(mien_play_opts *opts, size_t struct_size) {
  mien_play_opts defaults = {0};
  mi_params_defaults(MIEN_PARAM_PLAY, &defaults);
  mi_struct_init(opts, struct_size, &defaults, sizeof defaults);
}

const mien_param *mien_params(int *count) {
  if (count) *count = mi_nparam;
  return mi_params;
}

static mien_result check(const mien_settings *settings, mien_error *err) {
  mi_error_clear(err);
  if (!settings) return mi_fail(err, MIEN_ERR_ARGUMENT, "there are no settings");
  return mi_settings_check(settings, err);
}

mien_result mien_param_set(const mien_param *param, mien_settings *settings, const double *values,
                           mien_error *err) {
  MI_USUAL_FLOATS;
  mien_result result = check(settings, err);
  if (result < 0) return result;
  if (!param || !values)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the parameter or its value is missing");
  return mi_param_set(param, settings, values, err);
}

void mien_param_get(const mien_param *param, const mien_settings *settings, double *values) {
  MI_USUAL_FLOATS;
  if (param && values && check(settings, NULL) == MIEN_OK) mi_param_get(param, settings, values);
}

mien_result mien_settings_set(mien_settings *settings, const char *name, const char *text,
                              mien_error *err) {
  MI_USUAL_FLOATS;
  mien_result result = check(settings, err);
  if (result < 0) return result;
  if (!name || !text) return mi_fail(err, MIEN_ERR_ARGUMENT, "the name or the value is missing");
  return mi_param_set_text(settings, name, text, err);
}

mien_result mien_settings_read(mien_settings *settings, const char *json, size_t size,
                               mien_error *err) {
  MI_USUAL_FLOATS;
  mien_result result = check(settings, err);
  if (result < 0) return result;
  if (!json) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no JSON");
  return mi_params_read(settings, json, size, err);
}

size_t mien_settings_write(const mien_settings *settings, char *json, size_t size) {
  MI_USUAL_FLOATS;
  return check(settings, NULL) == MIEN_OK ? mi_params_write(settings, json, size) : 0;
}
