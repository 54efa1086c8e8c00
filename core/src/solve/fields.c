#include "solve/fields.h"

#include "base/params.h"

#include <float.h>
#include <math.h>
#include <string.h>

void mi_fields_of(const mien_state *state, mi_field fields[MI_NFIELD]) {
  mi_dynamics *dynamics = (mi_dynamics *)&state->dynamics;
  const mien_face *face = state->face;
  const mi_field all[MI_NFIELD] = {
#define VALUE(kind, type, name)                                                                    \
  {#name, MI_FIELD_##kind, &dynamics->name, NULL, 1, sizeof(type), NULL},
#define ARRAY(kind, type, name, count, at_rest)                                                    \
  {#name,           MI_FIELD_##kind, dynamics->name, (void **)&dynamics->name,                     \
   (size_t)(count), sizeof(type),    at_rest},
#include "solve/state_fields.h"
#undef VALUE
#undef ARRAY
  };
  memcpy(fields, all, sizeof all);
}

size_t mi_field_bytes(const mi_field *field) {
  return field->count * field->size;
}

bool mi_field_reserve(const mi_field *field, mi_arena *arena) {
  if (!field->array) return true;
  void *memory = mi_arena_push(arena, field->count, field->size);
  memcpy(field->array, &memory, sizeof memory);
  return memory != NULL;
}

void mi_field_reset(const mi_field *field) {
  static const mien_rigid in_place = {.rotation = {0, 0, 0, 1}};
  const mi_stick none = mi_stick_none();
  unsigned char *data = field->data;
  const void *element = field->kind == MI_FIELD_RIGID   ? (const void *)&in_place
                        : field->kind == MI_FIELD_STICK ? (const void *)&none
                                                        : NULL;
  if (field->at_rest)
    memcpy(data, field->at_rest, mi_field_bytes(field));
  else if (!element)
    memset(data, 0, mi_field_bytes(field));
  for (size_t k = 0; element && k < field->count; k++)
    memcpy(data + k * field->size, element, field->size);
}

// -- Checks ---------------------------------------------------------------------------------------

static bool is_within(const unsigned char *bytes, double least, double most) {
  double value;
  memcpy(&value, bytes, sizeof value);
  return value >= least && value <= most;
}

static double longest_span(void) {
  return mi_param_find("dt")->max * mi_param_find("time_scale")->max;
}

static bool is_between(const unsigned char *bytes, int64_t most) {
  int64_t value;
  memcpy(&value, bytes, sizeof value);
  return value >= 0 && value <= most;
}

static bool is_account(const unsigned char *bytes) {
  mi_energy_budget budget;
  memcpy(&budget, bytes, sizeof budget);
  double sum = budget.budget_due + budget.elastic;
  for (int k = 0; k < 12; k++) sum += budget.accel[k];
  return isfinite(sum);
}

static bool is_rigid(const unsigned char *bytes) {
  mien_rigid at;
  double length2 = 0, place = 0;
  memcpy(&at, bytes, sizeof at);
  for (int k = 0; k < 4; k++) length2 += at.rotation[k] * at.rotation[k];
  for (int k = 0; k < 3; k++) place += fabs(at.translation[k]);
  return isfinite(place) && fabs(length2 - 1) <= 1e-2;
}

static bool is_near(const unsigned char *bytes) {
  float value;
  memcpy(&value, bytes, sizeof value);
  return fabsf(value) < MI_FARTHEST;
}

static bool is_stick(const unsigned char *bytes, size_t count) {
  mi_stick stick;
  memcpy(&stick, bytes, sizeof stick);
  float sum = stick.coef[0] + stick.coef[1] + stick.coef[2] + stick.strain + stick.limit;
  if (!isfinite(sum) || !isfinite(stick.time_since_break)) return false;
  for (int k = 0; k < 3; k++)
    if (stick.corner[k] < -1 || stick.corner[k] >= (int32_t)count ||
        (stick.corner[k] < 0) != (stick.corner[0] < 0))
      return false;
  return true;
}

static bool is_sound(const mi_field *field, const unsigned char *bytes) {
  switch (field->kind) {
  case MI_FIELD_NUMBER:
    return is_within(bytes, -DBL_MAX, DBL_MAX);
  case MI_FIELD_COUNT:
    return is_between(bytes, INT64_MAX / 2);
  case MI_FIELD_FLAG:
    return is_between(bytes, 1);
  case MI_FIELD_SPAN:
    return is_within(bytes, 0, longest_span());
  case MI_FIELD_ACCOUNT:
    return is_account(bytes);
  case MI_FIELD_RIGID:
    return is_rigid(bytes);
  case MI_FIELD_FLOAT:
    return is_near(bytes);
  case MI_FIELD_STICK:
    return is_stick(bytes, field->count);
  }
  return false;
}

static bool are_near(const float *values, int count) {
  int far = 0;
  for (int i = 0; i < count; i++) far += !(fabsf(values[i]) < MI_FARTHEST);
  return far == 0;
}

bool mi_fields_are_sound(const mien_state *state) {
  const mi_dynamics *dynamics = &state->dynamics;
  int count = 3 * state->face->info.nvert;
  return are_near(dynamics->offset, count) && are_near(dynamics->velocity, count) &&
         are_near(dynamics->offset_before, count) && are_near(dynamics->velocity_before, count) &&
         is_account((const unsigned char *)&dynamics->budget);
}

mien_result mi_field_check(const mi_field *field, const unsigned char *bytes, mien_error *err) {
  for (size_t k = 0; k < field->count; k++) {
    if (is_sound(field, bytes + k * field->size)) continue;
    if (field->kind == MI_FIELD_STICK)
      return mi_fail(err, MIEN_ERR_FORMAT, "the snapshot's springs belong to no vertex");
    if (field->kind == MI_FIELD_COUNT || field->kind == MI_FIELD_FLAG)
      return mi_fail(err, MIEN_ERR_FORMAT, "the snapshot's header is damaged");
    return mi_fail(err, MIEN_ERR_NOT_FINITE,
                   "the snapshot holds numbers that are not finite, or far too large (%s)",
                   field->name);
  }
  return MIEN_OK;
}
