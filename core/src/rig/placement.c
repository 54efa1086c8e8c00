// Finds the up axis, the direction of view, the unit and the pivot of the head from the face
// itself, because files often give them wrongly or not at all.
//
// The shapes that open the jaw and shut the lids show where mouth and eyes are: eyes lie above the
// mouth, lids face out, and their distance gives the face's size.
#include "rig/build.h"

#include "math/vec.h"

#include <string.h>

// Distance from the lids to the skin moved by the jaw, of the height of a face. Measured on heads
// of known size.
static const double FACE_HEIGHT = 2.0;
static const double ADULT = 0.18; // m
// A unit that makes a face smaller or larger than these is questioned; one beyond the outer bounds
// is no face's, and where the file does not say its unit either counts.
static const double SMALL = 0.07, LARGE = 0.45, TINY = 0.012, HUGE_FACE = 3;

typedef struct witness {
  bool has_mouth, has_eyes;
  mi_vec3 mouth, eyes, drop; // centres of the moving skin; mean motion of the jaw
  mi_vec3 front;             // where the skin of the lids faces, unit
} witness;

// The turn of a file's axes into ours: out[k] = sign[k] * in[axis[k]]. Exact in any precision.
typedef struct turn {
  int axis[3];
  int sign[3];
} turn;

static mi_vec3 place_of(const mien_rig_def *def, int i) {
  return mi_vec3_load(mi_f32s_at(&def->positions, 3, i));
}

static bool add_normals(mi_rig_build *b, double *normal[3]) {
  const mien_rig_def *def = b->def;
  for (int k = 0; k < 3; k++) {
    normal[k] = MI_PUSH(&b->scratch, double, def->positions.count);
    if (!normal[k]) return false;
  }
  for (int f = 0, at = 0; f < b->nface; f++) {
    int size = mi_face_size(def, f);
    const int32_t *corner = def->faces.data + at;
    mi_vec3 sum = mi_face_area(b, f, corner);
    for (int c = 0; c < size; c++) {
      normal[0][corner[c]] += sum.x;
      normal[1][corner[c]] += sum.y;
      normal[2][corner[c]] += sum.z;
    }
    at += size;
  }
  return true;
}

typedef struct average {
  double weight;
  mi_vec3 place, delta, normal;
} average;

// The weights are squared deltas: large motions count most. Of several faces only the chosen one
// counts, once that is known.
static void add_shape(const mi_rig_build *b, const mien_shape *shape, double *const normal[3],
                      average *sum) {
  const mien_rig_def *def = b->def;
  const mien_part *part = b->chosen >= 0 && def->npart ? def->parts + b->chosen : NULL;
  for (int k = 0; k < shape->deltas.count; k++) {
    int i = shape->indices.data ? shape->indices.data[k] : k;
    if (part && (i < part->first_vertex || i >= part->first_vertex + part->nvert)) continue;
    mi_vec3 delta = mi_vec3_load(mi_f32s_at(&shape->deltas, 3, k));
    double weight = mi_dot(delta, delta);
    if (!(weight > 0)) continue;
    sum->weight += weight;
    sum->place = mi_add_scaled(sum->place, weight, place_of(def, i));
    sum->delta = mi_add_scaled(sum->delta, weight, delta);
    sum->normal =
        mi_add_scaled(sum->normal, weight, (mi_vec3){normal[0][i], normal[1][i], normal[2][i]});
  }
}

static void add_named(const mi_rig_build *b, size_t tag, double *const normal[3], average *mouth,
                      average *eyes) {
  const mien_rig_def *def = b->def;
  for (int pass = 0; pass < 2 && !(mouth->weight > 0); pass++)
    for (int s = 0; s < def->nshape; s++) {
      char meaning[128];
      mi_name_meaning(def->shapes[s].name + tag, meaning, sizeof meaning);
      bool opens = !strcmp(meaning, pass ? "visemeaa" : "jawopen");
      if (opens && !(mouth->weight > 0)) add_shape(b, def->shapes + s, normal, mouth);
      if (!pass && !strncmp(meaning, "eyeblink", 8)) add_shape(b, def->shapes + s, normal, eyes);
    }
}

static bool find_witness(mi_rig_build *b, witness *w) {
  const mien_rig_def *def = b->def;
  average mouth = {0}, eyes = {0};
  double *normal[3];
  if (!add_normals(b, normal)) return false;
  add_named(b, 0, normal, &mouth, &eyes);
  size_t tag = mi_names_tag(def->shapes, def->nshape);
  if (tag && !(mouth.weight > 0) && !(eyes.weight > 0)) {
    add_named(b, tag, normal, &mouth, &eyes);
    if (mouth.weight > 0 || eyes.weight > 0) b->rig->name_tag = tag;
  }
  w->has_mouth = mouth.weight > 0;
  w->has_eyes = eyes.weight > 0;
  if (w->has_mouth) w->mouth = mi_scale(1 / mouth.weight, mouth.place);
  if (w->has_mouth) w->drop = mi_scale(1 / mouth.weight, mouth.delta);
  if (w->has_eyes) w->eyes = mi_scale(1 / eyes.weight, eyes.place);
  mi_vec3 front = w->has_eyes ? eyes.normal : mouth.normal;
  double length = mi_length(front);
  if (length > 0) w->front = mi_scale(1 / length, front);
  return true;
}

// -- Axes -----------------------------------------------------------------------------------------

static mi_vec3 turned(const turn *t, mi_vec3 v) {
  const double in[3] = {v.x, v.y, v.z};
  return (mi_vec3){t->sign[0] * in[t->axis[0]], t->sign[1] * in[t->axis[1]],
                   t->sign[2] * in[t->axis[2]]};
}

static bool is_identity(const turn *t) {
  return t->axis[0] == 0 && t->axis[1] == 1 && t->sign[0] > 0 && t->sign[1] > 0 && t->sign[2] > 0;
}

// The third axis is the one that keeps the turn a rotation.
static turn from_axes(int up, int up_sign, int front, int front_sign) {
  turn t = {.axis = {3 - up - front, up, front}, .sign = {1, up_sign, front_sign}};
  bool is_even = (t.axis[1] == (t.axis[0] + 1) % 3);
  t.sign[0] = (is_even ? 1 : -1) * up_sign * front_sign;
  return t;
}

static bool agrees(mien_axis wanted, int axis, int sign, int kept) {
  if (wanted == MIEN_AXIS_FIND) return true;
  if (wanted == MIEN_AXIS_KEEP) return axis == kept && sign > 0;
  int index = (int)wanted - MIEN_AXIS_X;
  return axis == index / 2 && sign == (index % 2 ? -1 : 1);
}

// The rotation that agrees with the given axes and fits the face best. The file's own axes stay
// unless another rotation is clearly better: a head that looks down does not lie on its back.
static turn choose_turn(const mien_rig_def *def, const witness *w) {
  turn own = {{0, 1, 2}, {1, 1, 1}}, best = own;
  mi_vec3 up = w->has_eyes && w->has_mouth ? mi_sub(w->eyes, w->mouth) : mi_scale(-1, w->drop);
  double length = mi_length(up), most = -INFINITY;
  if (length > 0) up = mi_scale(1 / length, up);
  for (int k = 0; k < 24; k++) {
    int axis = k / 8, front = (axis + 1 + k / 4 % 2) % 3;
    int up_sign = k & 1 ? -1 : 1, front_sign = k & 2 ? -1 : 1;
    if (!agrees(def->up, axis, up_sign, 1) || !agrees(def->facing, front, front_sign, 2)) continue;
    turn t = from_axes(axis, up_sign, front, front_sign);
    double score = turned(&t, up).y + turned(&t, w->front).z + (is_identity(&t) ? 0.5 : 0);
    if (score <= most) continue;
    most = score;
    best = t;
  }
  return most > -INFINITY ? best : own;
}

static const char *axis_name(int axis, int sign) {
  static const char *const names[] = {"X", "-X", "Y", "-Y", "Z", "-Z"};
  return names[2 * axis + (sign < 0)];
}

// -- The turned definition ------------------------------------------------------------------------

static float *turn_all(const mien_f32s *from, const turn *t, mi_arena *scratch) {
  float *to = MI_PUSH_RAW(scratch, float, 3 * (size_t)from->count);
  for (int i = 0; to && i < from->count; i++) {
    const float *in = mi_f32s_at(from, 3, i);
    for (int k = 0; k < 3; k++) to[3 * (size_t)i + (size_t)k] = (float)t->sign[k] * in[t->axis[k]];
  }
  return to;
}

static bool turn_view(mien_f32s *view, const turn *t, mi_arena *scratch) {
  float *to = turn_all(view, t, scratch);
  *view = (mien_f32s){to, view->count, 3};
  return to != NULL;
}

static bool turn_definition(mi_rig_build *b, const turn *t) {
  mien_rig_def *def = &b->placed;
  mien_shape *shapes = MI_PUSH(&b->scratch, mien_shape, def->nshape);
  mien_map *maps = MI_PUSH(&b->scratch, mien_map, def->nmap);
  if (!shapes || !maps || !turn_view(&def->positions, t, &b->scratch)) return false;
  for (int s = 0; s < def->nshape; s++) {
    shapes[s] = def->shapes[s];
    if (shapes[s].deltas.count && !turn_view(&shapes[s].deltas, t, &b->scratch)) return false;
  }
  for (int m = 0; m < def->nmap; m++) {
    maps[m] = def->maps[m];
    if (maps[m].width == 3 && !turn_view(&maps[m].values, t, &b->scratch)) return false;
  }
  def->shapes = shapes;
  def->maps = maps;
  mien_jaw jaw = def->jaw;
  double pivot[3];
  memcpy(pivot, def->pivot, sizeof pivot);
  for (int k = 0; k < 3; k++) {
    def->jaw.hinge[k] = (float)t->sign[k] * jaw.hinge[t->axis[k]];
    def->jaw.axis[k] = (float)t->sign[k] * jaw.axis[t->axis[k]];
    def->pivot[k] = t->sign[k] * pivot[t->axis[k]];
  }
  return true;
}

// -- Unit -----------------------------------------------------------------------------------------

// The usual unit that makes the face most nearly an adult's.
static double usual_unit(double height, double wanted, const char **name) {
  static const struct {
    double metres;
    const char *name;
  } usual[] = {{1, "metres"},
               {0.1, "decimetres"},
               {0.01, "centimetres"},
               {0.001, "millimetres"},
               {0.0254, "inches"}};
  double best = 0, least = INFINITY;
  for (int i = 0; i < 5; i++) {
    double off = fabs(log(height * usual[i].metres / wanted));
    if (off >= least) continue;
    least = off;
    best = usual[i].metres;
    *name = usual[i].name;
  }
  return best;
}

// Used where no face was found: a head with its neck is about a quarter of a metre tall.
static bool guess_by_box(mi_rig_build *b) {
  mien_rig_def *def = &b->placed;
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < def->positions.count; i++) {
    low = fmin(low, place_of(def, i).y);
    high = fmax(high, place_of(def, i).y);
  }
  const char *name = "";
  double unit = high > low ? usual_unit(high - low, 0.25, &name) : def->metres_per_unit;
  double tall = (high - low) * def->metres_per_unit;
  bool is_wrong = tall < 0.02 || tall > 3;
  if (unit == def->metres_per_unit || !(def->find_unit || is_wrong)) return true;
  def->metres_per_unit = unit;
  return mi_remark(&b->rig->remarks,
                   "by its unit the rig would be %.3g m tall; by its size it is read as %s", tall,
                   name);
}

static bool place_unit(mi_rig_build *b, double height) {
  mien_rig_def *def = &b->placed;
  if (!(height > 0) && (def->find_unit || b->def->up == MIEN_AXIS_FIND)) return guess_by_box(b);
  double face = height * def->metres_per_unit;
  b->face_height = face;
  if (!(height > 0) || (face >= SMALL && face <= LARGE)) return true;
  const char *name = "";
  double unit = usual_unit(height, ADULT, &name);
  bool is_other = unit != def->metres_per_unit;
  bool is_no_face = face < TINY || face > HUGE_FACE;
  if ((def->find_unit || (b->def->up == MIEN_AXIS_FIND && is_no_face)) &&
      unit != def->metres_per_unit) {
    b->face_height = height * unit;
    for (int k = 0; k < 3; k++) def->jaw.hinge[k] *= (float)(unit / def->metres_per_unit);
    def->metres_per_unit = unit;
    return mi_remark(&b->rig->remarks,
                     "the face would be %.3g cm tall; its numbers are read as %s (%.3g cm). A unit "
                     "given decides",
                     100 * face, name, 100 * b->face_height);
  }
  return mi_remark(&b->rig->remarks,
                   "the face is %.3g cm tall, an adult's is 18: is the unit right?%s%s%s",
                   100 * face, is_other ? " Numbers in " : "", is_other ? name : "",
                   is_other ? " would be nearer" : "");
}

// -- Pivot ----------------------------------------------------------------------------------------

// Heads nod on the atlas: behind the mouth, on the height of its corners.
static void place_pivot(mi_rig_build *b, const witness *w) {
  const mien_rig_def *def = &b->placed;
  mien_rig_info *info = &b->rig->info;
  info->pivot_source = def->has_pivot == 2 ? "skeleton"
                       : def->has_pivot    ? "given"
                       : w->has_mouth      ? "face"
                                           : "origin";
  for (int k = 0; k < 3; k++) info->pivot[k] = def->pivot[k] * def->metres_per_unit;
  if (def->has_pivot || !w->has_mouth) return;
  double at[3] = {w->mouth.x, w->mouth.y, w->mouth.z};
  double size = b->face_height > 0 ? b->face_height : ADULT;
  for (int k = 0; k < 3; k++) info->pivot[k] = at[k] * def->metres_per_unit;
  info->pivot[1] += 0.1 * size;
  info->pivot[2] -= 0.5 * size;
}

void(mien_rig_opts_init)(mien_rig_opts *opts, size_t struct_size) {
  mi_struct_init(opts, struct_size,
                 &(mien_rig_opts){.up = MIEN_AXIS_FIND, .facing = MIEN_AXIS_FIND}, sizeof *opts);
}

void mi_rig_def_use(mien_rig_def *def, const mien_rig_opts *opts) {
  def->up = opts->up;
  def->facing = opts->facing;
  def->face_part = opts->face_part;
  if (opts->unit > 0) {
    for (int k = 0; k < 3; k++) def->jaw.hinge[k] *= (float)(opts->unit / def->metres_per_unit);
    def->source_unit = def->metres_per_unit = opts->unit;
    def->find_unit = 0;
  }
  if (!opts->has_pivot) return;
  def->has_pivot = 1;
  memcpy(def->pivot, opts->pivot, sizeof def->pivot);
}

mien_result mi_rig_place(mi_rig_build *b) {
  b->placed = *b->def;
  witness w = {0};
  if (!find_witness(b, &w)) return mi_fail_memory(b->err);
  bool finds = b->def->up != MIEN_AXIS_KEEP || b->def->facing != MIEN_AXIS_KEEP;
  turn t = {{0, 1, 2}, {1, 1, 1}};
  if (finds) t = choose_turn(b->def, &w);
  if (!is_identity(&t)) {
    if (!turn_definition(b, &t)) return mi_fail_memory(b->err);
    w.mouth = turned(&t, w.mouth);
    w.eyes = turned(&t, w.eyes);
    bool given = b->def->up > MIEN_AXIS_FIND && b->def->facing > MIEN_AXIS_FIND;
    if (!given && !mi_remark(&b->rig->remarks,
                             "the face stands on end or looks away: its up is %s of the file, it "
                             "faces %s; it was turned",
                             axis_name(t.axis[1], t.sign[1]), axis_name(t.axis[2], t.sign[2])))
      return mi_fail_memory(b->err);
  }
  bool has_size = w.has_mouth && w.has_eyes;
  if (!place_unit(b, has_size ? FACE_HEIGHT * mi_distance(w.mouth, w.eyes) : 0))
    return mi_fail_memory(b->err);
  memcpy(b->rig->turn_axis, t.axis, sizeof t.axis);
  memcpy(b->rig->turn_sign, t.sign, sizeof t.sign);
  b->rig->metres_per_unit = b->placed.metres_per_unit;
  b->def = &b->placed;
  return MIEN_OK;
}

mien_result mi_rig_place_pivot(mi_rig_build *b) {
  witness w = {0};
  if (!find_witness(b, &w)) return mi_fail_memory(b->err);
  place_pivot(b, &w);
  return MIEN_OK;
}
