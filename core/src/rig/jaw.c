// The jaw: the shape that opens it, its hinge, and the skin it carries.
#include "rig/finding.h"

#include <string.h>

enum { NCANDIDATE = 4 };

// Spellings people use, best first; the first that exists and moves the skin is taken.
static const char *const OPEN_NAMES[] = {
    "jawOpen",  "jawDrop",   "jawDown",   "openJaw", "mouthOpen", "openMouth", "mouthWideOpen",
    "AU26",     "AU27",      "viseme_aa", "v_aa",    "aa",        "ah",        "visemeAa",
    "visemeAh", "Fcl_MTH_A", "A",         NULL};
static const char *const OPEN_WORDS[] = {"jawopen",   "jawdrop",   "openjaw", "jawdown",
                                         "mouthopen", "openmouth", NULL};

static bool moves_skin(mi_finding *f, int shape) {
  f->open_most = mi_shape_spread(f, shape, f->open);
  return f->open_most > 0.01 * f->skin->size;
}

static int find_by_name(mi_finding *f) {
  for (int k = 0; OPEN_NAMES[k]; k++) {
    int shape = mi_rig_find_shape(f->rig, OPEN_NAMES[k]);
    if (shape >= 0 && moves_skin(f, shape)) return shape;
  }
  for (int k = 0; OPEN_WORDS[k]; k++) {
    for (int s = 0; s < f->rig->info.nshape; s++) {
      char folded[128];
      mi_name_fold(f->rig->info.shapes[s].name, folded, sizeof folded);
      if (strstr(folded, OPEN_WORDS[k]) && moves_skin(f, s)) return s;
    }
  }
  return -1;
}

// The moved points of the whole rig: lower teeth and gums, where they have shapes, are the best
// witnesses of the hinge.
static bool fit_shape(mi_finding *f, int shape, mi_turn *turn, double *share) {
  const mien_shape *from = f->rig->info.shapes + shape;
  mi_turn_points points = {.count = 0, .tolerance = 0.03 * f->open_most};
  float *rest = MI_PUSH(&f->scratch, float, 3 * (size_t)from->indices.count);
  float *delta = MI_PUSH(&f->scratch, float, 3 * (size_t)from->indices.count);
  if (!rest || !delta) return false;
  for (int k = 0; k < from->indices.count; k++) {
    const float *step = mi_f32s_at(&from->deltas, 3, k);
    if (mi_length(mi_vec3_load(step)) < 0.3 * f->open_most) continue;
    memcpy(delta + 3 * (size_t)points.count, step, 3 * sizeof *step);
    memcpy(rest + 3 * (size_t)points.count, f->rig->positions + 3 * (size_t)from->indices.data[k],
           3 * sizeof *rest);
    points.count++;
  }
  points.from = rest;
  points.delta = delta;
  return mi_turn_fit(&points, &f->scratch, turn, share);
}

// Volume that a shape moves downwards minus the volume it moves upwards: m^3.
static double downward(const mi_finding *f, int shape) {
  const mien_shape *from = f->rig->info.shapes + shape;
  double sum = 0;
  for (int k = 0; k < from->indices.count; k++) {
    int i = f->skin->of_rig[from->indices.data[k]];
    if (i >= 0) sum -= f->area[i] * mi_f32s_at(&from->deltas, 3, k)[1];
  }
  return sum;
}

static bool is_jaw_like(const mi_turn *turn, double share) {
  return share > 0.1 && turn->axis.x > 0.7 && turn->angle > 0.05 && turn->angle < 1.2;
}

// The shape that moves most skin downwards of those not yet tried, -1 = none left.
static int next_downward(const double *down, const bool *tried, int nshape) {
  int best = -1;
  for (int s = 0; s < nshape; s++)
    if (!tried[s] && down[s] > 0 && (best < 0 || down[s] > down[best])) best = s;
  return best;
}

// No name tells: the shape with the largest coherent downward rotation.
static bool find_by_motion(mi_finding *f, int *found) {
  int nshape = f->rig->info.nshape;
  double *down = MI_PUSH(&f->scratch, double, nshape);
  bool *tried = MI_PUSH(&f->scratch, bool, nshape);
  if (!down || !tried) return false;
  for (int s = 0; s < nshape; s++) down[s] = downward(f, s);
  *found = -1;
  double most = 0;
  for (int k = 0; k < NCANDIDATE; k++) {
    int s = next_downward(down, tried, nshape);
    if (s < 0) break;
    tried[s] = true;
    mi_turn turn;
    double share;
    if (!moves_skin(f, s)) continue;
    if (!fit_shape(f, s, &turn, &share)) return false;
    if (!is_jaw_like(&turn, share) || down[s] * share <= most) continue;
    most = down[s] * share;
    *found = s;
  }
  return true;
}

static void use_turn(mi_finding *f, mi_turn *turn) {
  // of all points on the axis the one beside the middle of the face
  double middle = 0, total = 0;
  for (int i = 0; i < f->skin->nvert; i++) {
    middle += f->area[i] * mi_dot(mi_sub(mi_skin_at(f, i), turn->centre), turn->axis);
    total += f->area[i];
  }
  if (total > 0) turn->centre = mi_add_scaled(turn->centre, middle / total, turn->axis);
  mien_jaw *jaw = &f->out->jaw_hinge;
  jaw->is_known = 1;
  mi_vec3_store(jaw->hinge, turn->centre);
  mi_vec3_store(jaw->axis, turn->axis);
  jaw->open_angle = (float)turn->angle;
}

// The share of the rigid motion that the shape gives a vertex. Near the hinge the rigid motion
// vanishes, so it counts only above a small part of the largest motion.
static void weigh_vertices(mi_finding *f, const mi_turn *turn) {
  double floor = 0.04 * f->open_most;
  for (int i = 0; i < f->skin->nvert; i++) {
    mi_vec3 full = mi_turn_move(turn, mi_skin_at(f, i));
    mi_vec3 step = mi_vec3_load(f->open + 3 * (size_t)i);
    double share = mi_dot(step, full) / (mi_dot(full, full) + floor * floor);
    f->out->jaw[i] = (float)(share < 0 ? 0 : share > 1 ? 1 : share);
  }
}

static bool find_shape(mi_finding *f, bool *is_guess) {
  f->out->jaw_shape = find_by_name(f);
  *is_guess = f->out->jaw_shape < 0;
  if (*is_guess && !find_by_motion(f, &f->out->jaw_shape)) return false;
  if (f->out->jaw_shape >= 0) {
    f->open_most = mi_shape_spread(f, f->out->jaw_shape, f->open);
    return true;
  }
  f->open_most = 0;
  memset(f->open, 0, 3 * (size_t)f->skin->nvert * sizeof *f->open);
  return mi_remark(f->remarks, "no shape opens the jaw: name one jawOpen, or give the hinge and "
                               "paint the map 'jaw'");
}

static bool use_painted(mi_finding *f) {
  const mien_map *map = mi_painted_map(f, "jaw");
  for (int i = 0; map && i < f->skin->nvert; i++) {
    float value = *mi_f32s_at(&map->values, 1, f->skin->vert[i]);
    f->out->jaw[i] = fminf(1, fmaxf(0, value));
  }
  return map != NULL;
}

bool mi_find_jaw(mi_finding *f) {
  bool is_guess;
  f->out->jaw_hinge = f->rig->info.jaw;
  if (!find_shape(f, &is_guess)) return false;
  int shape = f->out->jaw_shape;
  if (shape < 0) return use_painted(f), true;
  const char *name = f->rig->info.shapes[shape].name;
  if (is_guess &&
      !mi_remark(f->remarks, "shape '%s' is taken to open the jaw, for how it moves", name))
    return false;
  mi_turn turn = {mi_vec3_load(f->rig->info.jaw.hinge), mi_vec3_load(f->rig->info.jaw.axis),
                  f->rig->info.jaw.open_angle};
  turn.axis = mi_unit(turn.axis);
  bool is_given = f->rig->info.jaw.is_known && mi_length(turn.axis) > 0 && turn.angle != 0;
  double share = 1;
  if (!is_given && !fit_shape(f, shape, &turn, &share)) return false;
  if (!is_given && share > 0) use_turn(f, &turn);
  if (!is_given && share < 0.05 &&
      !mi_remark(f->remarks,
                 "shape '%s' is far from a rotation: the jaw's hinge is %s; give the hinge", name,
                 share > 0 ? "a rough guess" : "unknown"))
    return false;
  if (share > 0) weigh_vertices(f, &turn);
  if (!mi_smooth_over_skin(f, f->out->jaw, NULL, 2)) return false;
  use_painted(f);
  return true;
}
