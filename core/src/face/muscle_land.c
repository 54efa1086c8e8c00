// Lands the atlas on a face. Landmarks pair up where the rig has most of them, otherwise the found
// mouth, eyes, nose and chin. The pairs give a scale along each axis, and every point also takes
// the residual of the pairs near it. Then paths are laid under the skin.
#include "face/face.h"

#include "math/vec.h"
#include "mesh/distance.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PAIRS = 80, ENOUGH_LANDMARKS = 40, STEPS = 6 };

typedef struct landing {
  mi_face_build *b;
  json_t *atlas;
  mi_vec3 template[68]; // m
  mi_vec3 from[MOST_PAIRS], to[MOST_PAIRS];
  int npair;
  mi_vec3 scale, shift; // to = scale * from + shift, nearly
  double mm;            // m: a millimetre of the atlas on this face
} landing;

static mi_vec3 point_of(const json_t *json) {
  mi_vec3 p = {json_number_value(json_array_get(json, 0)),
               json_number_value(json_array_get(json, 1)),
               json_number_value(json_array_get(json, 2))};
  return mi_scale(0.001, p);
}

static void add_pair(landing *l, mi_vec3 from, mi_vec3 to) {
  if (l->npair == MOST_PAIRS) return;
  l->from[l->npair] = from;
  l->to[l->npair++] = to;
}

static mi_vec3 skin_at(const landing *l, int i) {
  return mi_vec3_load(l->b->face->skin.position + 3 * (size_t)i);
}

// -- pairs of points that rig and atlas share -----------------------------------------------------

static void pair_landmarks(landing *l) {
  const mien_rig *rig = l->b->face->rig;
  if (rig->info.nlandmark < ENOUGH_LANDMARKS) return;
  for (int k = 0; k < 68; k++) {
    int vert = rig->info.landmarks.data[k];
    if (vert >= 0) add_pair(l, l->template[k], mi_vec3_load(rig->positions + 3 * (size_t)vert));
  }
}

static bool pair_mouth(landing *l) {
  const mi_regions *regions = &l->b->face->regions;
  int upper = regions->nslit_upper, lower = regions->nslit - upper;
  if (!regions->has_mouth || upper < 3 || lower < 1) return false;
  add_pair(l, l->template[60], skin_at(l, regions->slit[0]));
  add_pair(l, l->template[64], skin_at(l, regions->slit[upper - 1]));
  add_pair(l, l->template[62], skin_at(l, regions->slit[upper / 2]));
  add_pair(l, l->template[66], skin_at(l, regions->slit[upper + lower / 2]));
  return true;
}

// The corners of the lids on one side of the middle; false where there are no lids.
static bool pair_lids(landing *l, double middle, int side) {
  const mien_face *face = l->b->face;
  int inner = -1, outer = -1;
  for (int i = 0; i < face->skin.nvert; i++) {
    double x = side * (skin_at(l, i).x - middle);
    if (!(face->regions.bits[i] & MIEN_REGION_EYELID) || x <= 0) continue;
    if (inner < 0 || x < side * (skin_at(l, inner).x - middle)) inner = i;
    if (outer < 0 || x > side * (skin_at(l, outer).x - middle)) outer = i;
  }
  if (inner < 0) return false;
  add_pair(l, l->template[side > 0 ? 42 : 39], skin_at(l, inner));
  add_pair(l, l->template[side > 0 ? 45 : 36], skin_at(l, outer));
  return true;
}

// The front of an eyeball, where there are no lids.
static bool pair_eye(landing *l, mien_part_kind kind, int side) {
  const mien_rig *rig = l->b->face->rig;
  mi_vec3 sum = {0, 0, 0};
  double front = -INFINITY;
  int count = 0;
  for (int p = 0; p < rig->info.npart; p++) {
    const mien_part *part = rig->info.parts + p;
    if (part->kind != kind) continue;
    for (int i = part->first_vertex; i < part->first_vertex + part->nvert; i++, count++) {
      mi_vec3 at = mi_vec3_load(rig->positions + 3 * (size_t)i);
      sum = mi_add(sum, at);
      front = fmax(front, at.z);
    }
  }
  if (!count) return false;
  int inner = side > 0 ? 42 : 39, outer = side > 0 ? 45 : 36;
  mi_vec3 from = mi_scale(0.5, mi_add(l->template[inner], l -> template[outer]));
  from.z = l->template[side > 0 ? 44 : 37].z;
  add_pair(l, from, (mi_vec3){sum.x / count, sum.y / count, front});
  return true;
}

// The skin vertex that lies farthest along (0, up, out), near the middle and between two heights.
static int find_tip(const landing *l, const double place[4], double up, double out) {
  const mien_face *face = l->b->face;
  int best = -1;
  double farthest = -INFINITY;
  for (int i = 0; i < face->skin.nvert; i++) {
    mi_vec3 at = skin_at(l, i);
    double along = up * at.y + out * at.z;
    bool is_inside = face->regions.bits[i] & (MIEN_REGION_MOUTH_BAG | MIEN_REGION_LIP_INNER);
    if (is_inside || fabs(at.x - place[0]) > place[1] || at.y < place[2] || at.y > place[3])
      continue;
    if (along <= farthest) continue;
    farthest = along;
    best = i;
  }
  return best;
}

static void pair_tips(landing *l, double middle, double eyes, double mouth) {
  double height = eyes - mouth;
  double nose[4] = {middle, 0.15 * height, mouth + 0.2 * height, eyes};
  double chin[4] = {middle, 0.15 * height, mouth - 1.0 * height, mouth - 0.3 * height};
  int tip = find_tip(l, nose, 0, 1), low = find_tip(l, chin, -0.7, 0.7);
  if (tip >= 0) add_pair(l, l->template[30], skin_at(l, tip));
  if (low >= 0) add_pair(l, l->template[8], skin_at(l, low));
}

static mien_result pair_features(landing *l) {
  mien_error *err = l->b->err;
  if (!pair_mouth(l))
    return mi_fail(err, MIEN_ERR_MISMATCH,
                   "muscles need a mouth, and none was found; paint the map region, or give 40 of "
                   "the 68 landmarks");
  double middle = (l->to[0].x + l->to[1].x) / 2, mouth = (l->to[0].y + l->to[1].y) / 2;
  bool right = pair_lids(l, middle, -1) || pair_eye(l, MIEN_PART_EYE_RIGHT, -1);
  double eyes = l->to[l->npair - 1].y;
  bool left = pair_lids(l, middle, 1) || pair_eye(l, MIEN_PART_EYE_LEFT, 1);
  eyes = (eyes + l->to[l->npair - 1].y) / 2;
  if (!left || !right || !(eyes > mouth))
    return mi_fail(
        err, MIEN_ERR_MISMATCH,
        "muscles need two eyes above the mouth, and they were not found; paint lids into "
        "the map region, name the eyes' parts, or give 40 of the 68 landmarks");
  pair_tips(l, middle, eyes, mouth);
  return MIEN_OK;
}

// -- the map from atlas to face -------------------------------------------------------------------

static double fit_axis(const double *from, const double *to, int count, double *shift) {
  double f = 0, t = 0, ff = 0, ft = 0;
  for (int k = 0; k < count; k++) f += from[3 * k] / count, t += to[3 * k] / count;
  for (int k = 0; k < count; k++) {
    ff += (from[3 * k] - f) * (from[3 * k] - f);
    ft += (from[3 * k] - f) * (to[3 * k] - t);
  }
  double scale = ff > 0 ? ft / ff : 1;
  *shift = t - scale * f;
  return scale;
}

// Too few pairs determine the depth, so its scale is the geometric mean of the two others.
static bool find_scale(landing *l) {
  double z = 0;
  l->scale.x = fit_axis(&l->from[0].x, &l->to[0].x, l->npair, &l->shift.x);
  l->scale.y = fit_axis(&l->from[0].y, &l->to[0].y, l->npair, &l->shift.y);
  l->scale.z = sqrt(fmax(0, l->scale.x * l->scale.y));
  for (int k = 0; k < l->npair; k++) z += (l->to[k].z - l->scale.z * l->from[k].z) / l->npair;
  l->shift.z = z;
  l->mm = 0.001 * l->scale.z;
  return l->scale.x > 0 && l->scale.y > 0;
}

static mi_vec3 scaled(const landing *l, mi_vec3 p) {
  return (mi_vec3){l->scale.x * p.x + l->shift.x, l->scale.y * p.y + l->shift.y,
                   l->scale.z * p.z + l->shift.z};
}

static mi_vec3 land(const landing *l, mi_vec3 p) {
  mi_vec3 sum = {0, 0, 0};
  double weights = 1 / pow(0.06, 3); // no residual far from all pairs
  for (int k = 0; k < l->npair; k++) {
    double weight = 1 / (pow(mi_distance(p, l->from[k]), 3) + 1e-9);
    sum = mi_add_scaled(sum, weight, mi_sub(l->to[k], scaled(l, l->from[k])));
    weights += weight;
  }
  return mi_add_scaled(scaled(l, p), 1 / weights, sum);
}

// -- under the skin -------------------------------------------------------------------------------

static int nearest_skin(const landing *l, mi_vec3 p) {
  const mien_face *face = l->b->face;
  int best = 0;
  double least = INFINITY;
  for (int i = 0; i < face->skin.nvert; i++) {
    mi_vec3 d = mi_sub(skin_at(l, i), p);
    if (face->regions.bits[i] & (MIEN_REGION_MOUTH_BAG | MIEN_REGION_LIP_INNER)) continue;
    if (mi_dot(d, d) >= least) continue;
    least = mi_dot(d, d);
    best = i;
  }
  return best;
}

// The closest place of the skin's triangles around the closest vertex, `depth` below it; half
// through the flesh where that is thinner.
static mi_vec3 put_under(const landing *l, mi_vec3 p, double depth) {
  const mien_face *face = l->b->face;
  const mi_skin *skin = &face->skin;
  int near = nearest_skin(l, p);
  mi_vec3 best = skin_at(l, near), normal = mi_vec3_load(skin->normal + 3 * (size_t)near);
  double least = INFINITY;
  for (int k = skin->topo.vert_first[near]; k < skin->topo.vert_first[near + 1]; k++) {
    const int32_t *tri = skin->tri + 3 * (size_t)skin->topo.vert_tri[k];
    double x[12] = {p.x, p.y, p.z};
    for (int c = 0; c < 9; c++) x[3 + c] = skin->position[3 * (size_t)tri[c / 3] + (size_t)(c % 3)];
    mi_closest closest = mi_closest_vertex_triangle(x);
    if (closest.d2 >= least) continue;
    least = closest.d2;
    best = mi_sub(p, (mi_vec3){closest.r[0], closest.r[1], closest.r[2]});
  }
  double thick = mi_length(mi_vec3_load(face->thickness_vector + 3 * (size_t)near));
  if (face->is_prisms) depth = fmin(depth, 0.5 * thick);
  return mi_add_scaled(best, -depth, normal);
}

static bool land_path(const landing *l, const json_t *path, double side, double depth,
                      mi_muscle_body *body, int *npoint) {
  size_t count = json_array_size(path);
  for (size_t k = 0; k + 1 < count; k++)
    for (int s = 0; s < STEPS + (k + 2 == count); s++) {
      mi_vec3 a = point_of(json_array_get(path, k)), b = point_of(json_array_get(path, k + 1));
      mi_vec3 p = mi_add_scaled(a, s / (double)STEPS, mi_sub(b, a));
      p.x *= side;
      mi_vec3_store(body->point + 3 * (size_t)(*npoint)++, put_under(l, land(l, p), depth));
    }
  return count > 1;
}

static bool land_muscle(const landing *l, const json_t *muscle, double side, mi_muscle_body *body) {
  mi_arena *arena = &l->b->face->arena;
  const json_t *paths = json_object_get(muscle, "paths");
  bool is_paired = json_is_true(json_object_get(muscle, "paired"));
  double depth = l->mm * json_number_value(json_object_get(muscle, "depth"));
  char name[96];
  int npoint = 0, most = 0;
  for (size_t p = 0; p < json_array_size(paths); p++)
    most += STEPS * (int)json_array_size(json_array_get(paths, p)) + 1;
  snprintf(name, sizeof name, "%s%s", json_string_value(json_object_get(muscle, "name")),
           !is_paired ? ""
           : side > 0 ? "_left"
                      : "_right");
  body->name = mi_arena_string(arena, name);
  body->npath = (int)json_array_size(paths);
  body->path_first = MI_PUSH(arena, int32_t, body->npath + 1);
  body->point = MI_PUSH(arena, float, 3 * (size_t)most);
  body->radius = l->mm * json_number_value(json_object_get(muscle, "radius"));
  if (!body->name || !body->path_first || !body->point) return false;
  for (int p = 0; p < body->npath; p++) {
    if (!land_path(l, json_array_get(paths, (size_t)p), side, depth, body, &npoint)) return false;
    body->path_first[p + 1] = npoint;
  }
  return true;
}

static mien_result land_all(landing *l, mi_muscle_body **bodies, int *count) {
  const json_t *muscles = json_object_get(l->atlas, "muscles");
  const json_t *landmarks = json_object_get(l->atlas, "landmarks");
  for (size_t k = 0; k < 68; k++) l->template[k] = point_of(json_array_get(landmarks, k));
  pair_landmarks(l);
  mien_result result = l->npair ? MIEN_OK : pair_features(l);
  if (result < 0) return result;
  if (!find_scale(l))
    return mi_fail(l->b->err, MIEN_ERR_MISMATCH,
                   "landmarks or features of this face are mirrored or upside down; its muscles "
                   "have no place");
  *bodies = MI_PUSH(&l->b->face->arena, mi_muscle_body, 2 * json_array_size(muscles));
  if (!*bodies) return mi_fail_memory(l->b->err);
  for (size_t m = 0; m < json_array_size(muscles); m++) {
    const json_t *muscle = json_array_get(muscles, m);
    int sides = json_is_true(json_object_get(muscle, "paired")) ? 2 : 1;
    for (int s = 0; s < sides; s++)
      if (!land_muscle(l, muscle, s ? -1 : 1, *bodies + (*count)++))
        return mi_fail_memory(l->b->err);
  }
  return MIEN_OK;
}

mien_result mi_muscles_land(mi_face_build *b, mi_muscle_body **bodies, int *count) {
  landing l = {.b = b};
  *count = 0;
  l.atlas = json_loadb((const char *)mi_muscle_atlas, mi_muscle_atlas_size, 0, NULL);
  if (!l.atlas) return mi_fail_memory(b->err);
  mien_result result = land_all(&l, bodies, count);
  json_decref(l.atlas);
  return result;
}
