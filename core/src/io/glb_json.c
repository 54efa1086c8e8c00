// Members of JSON objects that may be absent, or anything at all.
#include "io/glb.h"

int mi_glb_length(const json_t *array) {
  size_t n = json_is_array(array) ? json_array_size(array) : 0;
  return n < INT32_MAX ? (int)n : INT32_MAX;
}

// A longer text is no name: it would be walked through wherever something is named.
enum { MOST_NAME = 4096 };

const char *mi_glb_name(const json_t *owner) {
  const json_t *name = json_object_get(owner, "name");
  size_t length = json_string_length(name);
  return length && length < MOST_NAME ? json_string_value(name) : NULL;
}

mien_result mi_glb_index(mi_glb *glb, const json_t *owner, const char *key, const json_t *array,
                         int *out) {
  const json_t *value = json_object_get(owner, key);
  *out = -1;
  if (!value) return MIEN_OK;
  int count = mi_glb_length(array);
  json_int_t index = json_is_integer(value) ? json_integer_value(value) : -1;
  if (index < 0 || index >= count)
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the file is damaged: \"%s\" is %lld, there are %d to choose from", key,
                   (long long)index, count);
  *out = (int)index;
  return MIEN_OK;
}

mien_result mi_glb_whole(mi_glb *glb, const json_t *owner, const char *key, int64_t fallback,
                         int64_t *out) {
  const json_t *value = json_object_get(owner, key);
  *out = fallback;
  if (!value) return MIEN_OK;
  // some writers put 12.0 where 12 is meant
  double real = json_is_number(value) ? json_number_value(value) : -1;
  if (!(real >= 0 && real <= 1e15) || real != floor(real))
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the file is damaged: \"%s\" is not a whole number of 0 or more", key);
  *out = (int64_t)real;
  return MIEN_OK;
}

mien_result mi_glb_numbers(mi_glb *glb, const json_t *owner, const char *key, int count,
                           double *out) {
  const json_t *array = json_object_get(owner, key);
  if (!array) return MIEN_OK;
  if (mi_glb_length(array) != count)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: \"%s\" is not %d numbers", key,
                   count);
  for (int i = 0; i < count; i++) {
    const json_t *value = json_array_get(array, (size_t)i);
    if (!json_is_number(value))
      return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: \"%s\" is not %d numbers",
                     key, count);
    out[i] = json_number_value(value);
  }
  return MIEN_OK;
}
