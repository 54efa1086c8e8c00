// Parameters as JSON.
#ifndef MI_PARAMS_JSON_H
#define MI_PARAMS_JSON_H

#include "base/params.h"

mien_result mi_params_read(mien_settings *settings, const char *json, size_t size, mien_error *err);
size_t mi_params_write(const mien_settings *settings, char *json, size_t size);

#endif
