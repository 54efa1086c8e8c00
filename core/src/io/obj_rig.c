#include "io/glb.h"
#include "io/obj.h"
#include "rig/rig.h"

void mi_obj_begin(mi_obj_rig *rig, const mien_host *host, mien_error *err) {
  *rig = (mi_obj_rig){.host = host, .err = err};
  mi_arena_init(&rig->arena, host);
  rig->remarks.arena = &rig->arena;
}

void mi_obj_end(mi_obj_rig *rig) {
  mi_arena_free(&rig->arena);
}

mien_result mi_obj_set_neutral(mi_obj_rig *rig, const mi_obj_text *text) {
  mien_result result = mi_obj_parse(text, true, &rig->arena, &rig->neutral, rig->err);
  return result < 0 ? result : mi_obj_split(rig);
}

static bool grow_shapes(mi_obj_rig *rig) {
  if (rig->nshape < rig->capacity) return true;
  int capacity = rig->capacity ? 2 * rig->capacity : 64;
  mien_shape *shapes = MI_PUSH(&rig->arena, mien_shape, capacity);
  if (!shapes) return false;
  if (rig->nshape) memcpy(shapes, rig->shapes, (size_t)rig->nshape * sizeof *shapes);
  rig->shapes = shapes;
  rig->capacity = capacity;
  return true;
}

// Stores motions: one for every render vertex of every vertex that moved.
static mien_result store_shape(mi_obj_rig *rig, const char *name, const float *posed) {
  const mi_obj *obj = &rig->neutral;
  const float *rest = obj->positions;
  int count = 0, at = 0;
  for (int v = 0; v < obj->nvert; v++)
    if (memcmp(posed + 3 * (size_t)v, rest + 3 * (size_t)v, 3 * sizeof *posed) != 0)
      count += rig->first_render[v + 1] - rig->first_render[v];
  int32_t *index = MI_PUSH(&rig->arena, int32_t, count);
  float *delta = MI_PUSH(&rig->arena, float, 3 * (size_t)count);
  char *copy = mi_arena_string(&rig->arena, name);
  if (!index || !delta || !copy || !grow_shapes(rig)) return mi_fail_memory(rig->err);
  for (int v = 0; v < obj->nvert; v++) {
    const float *a = rest + 3 * (size_t)v, *b = posed + 3 * (size_t)v;
    if (memcmp(a, b, 3 * sizeof *a) == 0) continue;
    for (int r = rig->first_render[v]; r < rig->first_render[v + 1]; r++, at++) {
      index[at] = r;
      for (int k = 0; k < 3; k++) delta[3 * (size_t)at + (size_t)k] = b[k] - a[k];
    }
  }
  rig->shapes[rig->nshape++] =
      (mien_shape){.name = copy, .indices = {index, count}, .deltas = {delta, count, 3}};
  return MIEN_OK;
}

mien_result mi_obj_add_shape(mi_obj_rig *rig, const char *name, const mi_obj_text *text) {
  mi_arena scratch; // a shape's text is large and its difference small
  mi_arena_init(&scratch, rig->host);
  mi_obj shape;
  mien_result result = mi_obj_parse(text, false, &scratch, &shape, rig->err);
  if (result >= 0 && shape.nvert != rig->neutral.nvert)
    result = mi_fail(rig->err, MIEN_ERR_MISMATCH, "%.120s has %d vertices, the neutral has %d",
                     text->what, shape.nvert, rig->neutral.nvert);
  if (result >= 0) result = store_shape(rig, name, shape.positions);
  mi_arena_free(&scratch);
  return result;
}

// A head is 15 to 40 cm tall: of metres, centimetres and millimetres the one that comes closest.
static double guess_unit(const mi_obj *obj) {
  static const double units[] = {1, 0.01, 0.001};
  double low = INFINITY, high = -INFINITY, best = INFINITY, unit = 1;
  for (int v = 0; v < obj->nvert; v++) {
    low = fmin(low, (double)obj->positions[3 * (size_t)v + 1]);
    high = fmax(high, (double)obj->positions[3 * (size_t)v + 1]);
  }
  for (int i = 0; i < 3; i++) {
    double off = fabs(log((high - low) * units[i] / 0.25));
    if (!(off < best)) continue;
    best = off;
    unit = units[i];
  }
  return unit;
}

static mien_result read_json(mi_obj_rig *rig, const char *text, size_t size, mi_extras *out) {
  *out = (mi_extras){0};
  if (!text) return MIEN_OK;
  json_error_t why;
  mien_result result = mi_json_check(text, size, rig->host->memory_limit, rig->err);
  if (result < 0) return result;
  json_t *json = json_loadb(text, size, 0, &why);
  if (!json && json_error_code(&why) == json_error_out_of_memory) return mi_fail_memory(rig->err);
  if (!json)
    return mi_fail(rig->err, MIEN_ERR_FORMAT, "rig.json is damaged in line %d: %.120s", why.line,
                   why.text);
  result = mi_extras_read(json, out, rig->err);
  json_decref(json);
  return result;
}

static mien_result set_landmarks(mi_obj_rig *rig, const mi_extras *extras, mien_rig_def *def) {
  if (!extras->has_landmarks) return MIEN_OK;
  int32_t *landmarks = MI_PUSH(&rig->arena, int32_t, 68);
  if (!landmarks) return mi_fail_memory(rig->err);
  for (int i = 0; i < 68; i++) {
    if (extras->landmarks[i] >= rig->neutral.nvert)
      return mi_fail(rig->err, MIEN_ERR_FORMAT,
                     "rig.json: landmark %d names vertex %lld; the neutral has %d", i,
                     (long long)extras->landmarks[i], rig->neutral.nvert);
    landmarks[i] = extras->landmarks[i] < 0 ? -1 : rig->first_render[extras->landmarks[i]];
  }
  def->landmarks = (mien_i32s){landmarks, 68};
  return MIEN_OK;
}

// Per render vertex. OBJ counts v upwards, glTF and the rig downwards.
static mien_result set_vertices(mi_obj_rig *rig, mien_rig_def *def) {
  const mi_obj *obj = &rig->neutral;
  float *positions = MI_PUSH(&rig->arena, float, 3 * (size_t)rig->nrender);
  float *uvs = obj->nuv ? MI_PUSH(&rig->arena, float, 2 * (size_t)rig->nrender) : NULL;
  if (!positions || (obj->nuv && !uvs)) return mi_fail_memory(rig->err);
  for (int r = 0; r < rig->nrender; r++) {
    memcpy(positions + 3 * (size_t)r, obj->positions + 3 * (size_t)rig->render_vert[r],
           3 * sizeof *positions);
    int uv = rig->render_uv[r];
    if (uv < 0 || !uvs) continue;
    uvs[2 * (size_t)r] = obj->uvs[2 * (size_t)uv];
    uvs[2 * (size_t)r + 1] = 1 - obj->uvs[2 * (size_t)uv + 1];
  }
  def->positions = (mien_f32s){positions, rig->nrender, 3};
  if (uvs) def->uvs = (mien_f32s){uvs, rig->nrender, 2};
  return MIEN_OK;
}

static mien_result set_unit(mi_obj_rig *rig, const mi_extras *extras, mien_rig_def *def) {
  def->metres_per_unit = extras->metres_per_unit;
  def->has_pivot = extras->has_pivot;
  memcpy(def->pivot, extras->pivot, sizeof def->pivot);
  if (!(def->metres_per_unit > 0)) {
    bool is_given = rig->opts && rig->opts->unit > 0;
    def->metres_per_unit = is_given ? rig->opts->unit : guess_unit(&rig->neutral);
    def->find_unit = 1;
    if (!is_given &&
        !mi_remark(&rig->remarks,
                   "the files do not say their unit; from the size of the head it is taken to be "
                   "%g m (say metres_per_unit in rig.json to be sure)",
                   def->metres_per_unit))
      return mi_fail_memory(rig->err);
  }
  def->jaw = extras->jaw;
  for (int k = 0; k < 3; k++) def->jaw.hinge[k] *= (float)def->metres_per_unit;
  return MIEN_OK;
}

// A vertex on a seam of uvs is several of the rig's.
static mien_result set_file_vertices(mi_obj_rig *rig, mien_rig_def *def) {
  int32_t *number = MI_PUSH(&rig->arena, int32_t, rig->nrender);
  if (!number) return mi_fail_memory(rig->err);
  for (int r = 0, p = 0, first = 0; r < rig->nrender; r++) {
    while (def->npart && r >= def->parts[p].first_vertex + def->parts[p].nvert) {
      p++;
      first = rig->render_vert[r];
    }
    number[r] = rig->render_vert[r] - first;
  }
  def->file_vertices = (mien_i32s){number, rig->nrender};
  return MIEN_OK;
}

mien_result mi_obj_finish(mi_obj_rig *rig, const char *json, size_t json_size, mien_rig **out) {
  const mi_obj *obj = &rig->neutral;
  mien_rig_def def;
  mien_rig_def_init(&def);
  mi_extras extras;
  mien_result result = read_json(rig, json, json_size, &extras);
  if (result >= 0) result = set_vertices(rig, &def);
  if (result >= 0) result = set_unit(rig, &extras, &def);
  if (result >= 0) result = set_landmarks(rig, &extras, &def);
  if (result >= 0) result = mi_obj_make_parts(rig, &def);
  if (result >= 0) result = set_file_vertices(rig, &def);
  if (result < 0) return result;
  def.name = obj->groups.count == 1 ? obj->groups.name[0] : "face";
  def.faces = (mien_i32s){rig->faces, obj->ncorner};
  def.face_sizes = (mien_i32s){obj->face_size, obj->nface};
  def.shapes = rig->shapes;
  def.nshape = rig->nshape;
  def.remarks = rig->remarks.text;
  def.nremark = rig->remarks.count;
  if (rig->opts) mi_rig_def_use(&def, rig->opts);
  return mi_rig_create(&def, rig->host, out, rig->err);
}
