// The table of parameters: defaults, checks, setting by number and by text.
#ifndef MI_PARAMS_H
#define MI_PARAMS_H

#include "base/base.h"

extern const mien_param mi_params[];
extern const int mi_nparam;

const mien_param *mi_param_find(const char *name); // never a map; NULL = there is none

// `options` is the struct of that place: mien_face_def, mien_step_opts, ...
void mi_params_defaults(mien_param_place place, void *options);
// Every value in its range, else a sentence that names it.
mien_result mi_params_check(mien_param_place place, const void *options, mien_error *err);

// Settings may be of any version: each part is as large as its struct_size says.
mien_result mi_settings_check(const mien_settings *settings, mien_error *err);
mien_result mi_param_check(const mien_param *param, const mien_settings *settings,
                           const double *values, mien_error *err);
mien_result mi_param_set(const mien_param *param, mien_settings *settings, const double *values,
                         mien_error *err);
void mi_param_get(const mien_param *param, const mien_settings *settings, double *values);
bool mi_param_is_default(const mien_param *param, const mien_settings *settings);
mien_result mi_param_set_text(mien_settings *settings, const char *name, const char *text,
                              mien_error *err);
mien_result mi_param_unknown(const char *name, mien_error *err); // with the nearest name

int mi_param_width(const mien_param *param); // numbers it takes
// Name k of its choices; *length 0 = there are no more.
const char *mi_param_choice(const mien_param *param, int k, int *length);
// Place of a name in its choices, -1 = there is none.
int mi_param_find_choice(const mien_param *param, const char *name);

#endif
