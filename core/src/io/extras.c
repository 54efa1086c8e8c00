// The object "mien" that carries what glTF and OBJ have no place for.
#include "io/glb.h"

static const char *const kind_names[] = {"auto",        "skin",        "skull",    "jaw",
                                         "teeth_upper", "teeth_lower", "eye_left", "eye_right",
                                         "tongue",      "other"};
enum { NKIND = sizeof kind_names / sizeof *kind_names };

const char *mi_part_kind_name(mien_part_kind kind) {
  return (int)kind >= 0 && (int)kind < NKIND ? kind_names[kind] : "auto";
}

static void read_kind(const json_t *mien, mi_extras *out) {
  const char *text = json_string_value(json_object_get(mien, "part"));
  if (!text) return;
  for (int k = 0; k < NKIND; k++)
    if (strcmp(text, kind_names[k]) == 0) {
      out->kind = (mien_part_kind)k;
      return;
    }
  out->has_unknown_kind = true;
}

static mien_result read_landmarks(const json_t *mien, mi_extras *out, mien_error *err) {
  const json_t *array = json_object_get(mien, "landmarks");
  if (!array) return MIEN_OK;
  if (mi_glb_length(array) != 68)
    return mi_fail(err, MIEN_ERR_FORMAT, "mien.landmarks is not a list of 68 vertex numbers");
  for (int i = 0; i < 68; i++) {
    const json_t *value = json_array_get(array, (size_t)i);
    double real = json_is_number(value) ? json_number_value(value) : -2;
    if (!(real >= -1 && real < INT32_MAX) || real != floor(real))
      return mi_fail(err, MIEN_ERR_FORMAT, "mien.landmarks: entry %d is not a vertex number", i);
    out->landmarks[i] = (int64_t)real;
  }
  out->has_landmarks = true;
  return MIEN_OK;
}

static bool read_vector(const json_t *jaw, const char *key, double out[3]) {
  const json_t *array = json_object_get(jaw, key);
  if (mi_glb_length(array) != 3) return false;
  for (int i = 0; i < 3; i++) {
    const json_t *value = json_array_get(array, (size_t)i);
    if (!json_is_number(value)) return false;
    out[i] = json_number_value(value);
    if (!(fabs(out[i]) < 1e6)) return false;
  }
  return true;
}

static mien_result read_jaw(const json_t *mien, mi_extras *out, mien_error *err) {
  const json_t *jaw = json_object_get(mien, "jaw");
  if (!jaw || json_is_null(jaw)) return MIEN_OK;
  double hinge[3], axis[3];
  const json_t *angle = json_object_get(jaw, "open_angle");
  if (!read_vector(jaw, "hinge", hinge) || !read_vector(jaw, "axis", axis) ||
      !json_is_number(angle) || !(fabs(json_number_value(angle)) <= 7))
    return mi_fail(err, MIEN_ERR_FORMAT,
                   "mien.jaw needs \"hinge\" (3 numbers), \"axis\" (3) and \"open_angle\"");
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (!(length > 1e-6)) return mi_fail(err, MIEN_ERR_FORMAT, "mien.jaw: the axis has no length");
  // our own files hold unit vectors: keep their bits
  double divide = fabs(length - 1) < 1e-6 ? 1 : length;
  for (int i = 0; i < 3; i++) {
    out->jaw.hinge[i] = (float)hinge[i];
    out->jaw.axis[i] = (float)(axis[i] / divide);
  }
  out->jaw.open_angle = (float)json_number_value(angle);
  out->jaw.is_known = 1;
  return MIEN_OK;
}

mien_result mi_extras_read(const json_t *mien, mi_extras *out, mien_error *err) {
  *out = (mi_extras){0};
  if (!json_is_object(mien)) return MIEN_OK;
  const json_t *unit = json_object_get(mien, "metres_per_unit");
  if (unit) {
    out->metres_per_unit = json_is_number(unit) ? json_number_value(unit) : 0;
    if (!(out->metres_per_unit > 1e-9 && out->metres_per_unit < 1e9))
      return mi_fail(err, MIEN_ERR_FORMAT, "mien.metres_per_unit is not a number above 0");
  }
  read_kind(mien, out);
  out->has_pivot = read_vector(mien, "pivot", out->pivot);
  mien_result result = read_landmarks(mien, out, err);
  if (result >= 0) result = read_jaw(mien, out, err);
  return result;
}
