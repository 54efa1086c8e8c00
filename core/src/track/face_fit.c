// The fit of one performer, frame after frame: solved, lost and found again.
#include "track/face_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_LANDMARKS = 40, ITERATIONS = 3, FIRST_ITERATIONS = 12 };

// How large weights usually are. Shapes that move points in nearly the same way as others are held
// smaller, so that the plain ones are chosen; 0 = no camera sees it from points.
static const struct {
  const char *start;
  double typical;
} priors[] = {
    {"tongue", 0},        {"cheekpuff", 0},        {"jawforward", 0},     {"eyelook", 0},
    {"pupil", 0},         {"jawopen", 1},          {"eyeblink", 1},       {"mouthsmile", 0.8},
    {"brow", 0.8},        {"mouthpucker", 0.7},    {"mouthfunnel", 0.6},  {"eyewide", 0.5},
    {"mouthfrown", 0.5},  {"mouthlowerdown", 0.4}, {"mouthupperup", 0.4}, {"mouthclose", 0.5},
    {"eyesquint", 0.3},   {"mouthleft", 0.4},      {"mouthright", 0.4},   {"jawleft", 0.4},
    {"jawright", 0.4},    {"mouthstretch", 0.3},   {"mouthpress", 0.2},   {"mouthdimple", 0.2},
    {"cheeksquint", 0.2}, {"nosesneer", 0.25},     {"mouthroll", 0.25},   {"mouthshrug", 0.25},
};

static double typical_weight(const char *name) {
  char folded[128];
  mi_name_fold(name, folded, sizeof folded);
  for (size_t i = 0; i < sizeof priors / sizeof *priors; i++)
    if (!strncmp(folded, priors[i].start, strlen(priors[i].start))) return priors[i].typical;
  return 0.4;
}

static void choose_shapes(mien_fit *fit) {
  fit->nfree = 0;
  for (int s = 0; s < fit->nshape; s++) {
    double typical = typical_weight(fit->rig->info.shapes[s].name);
    fit->free_of[s] = typical > 0 && fit->nfree < 250 ? fit->nfree : -1;
    if (fit->free_of[s] >= 0) fit->free[fit->nfree++] = (mi_fit_shape){s, typical};
  }
  static const char *const look[4] = {"eyeLookIn", "eyeLookOut", "eyeLookUp", "eyeLookDown"};
  for (int k = 0; k < 8; k++) {
    char name[32];
    snprintf(name, sizeof name, "%s%s", look[k % 4], k < 4 ? "Right" : "Left");
    fit->gaze.look[k / 4][k % 4] = mi_rig_find_shape(fit->rig, name);
  }
}

// Standard deviations of the solve's residual, as measured on a still face.
static void init_filters(mien_fit *fit) {
  mi_adaptive_init(&fit->across, 2, 3e-4);
  mi_adaptive_init(&fit->away, 1, 1.5e-3);
  mi_adaptive_init(&fit->turn, 4, 1.5e-3);
  for (int i = 0; i < 7; i++) mi_one_euro_init(fit->euro_head + i, 1.5, i < 3 ? 60 : 25);
  for (int s = 0; s < fit->nshape; s++) {
    mi_adaptive_init(fit->window + s, 1, 0.008);
    mi_one_euro_init(fit->euro + s, 2, 4);
  }
}

static bool reserve(mien_fit *fit) {
  mi_arena *arena = &fit->arena;
  int n = fit->nshape + 1;
  size_t side = (size_t)n + 6;
  fit->weights = MI_PUSH(arena, float, n);
  fit->free = MI_PUSH(arena, mi_fit_shape, n);
  fit->free_of = MI_PUSH(arena, int32_t, n);
  fit->w = MI_PUSH(arena, double, n);
  fit->before = MI_PUSH(arena, double, n);
  fit->window = MI_PUSH(arena, mi_adaptive, n);
  fit->euro = MI_PUSH(arena, mi_one_euro, n);
  fit->pull = MI_PUSH(arena, mi_fit_pull, (size_t)MI_MESH_SKIN * (size_t)n);
  fit->h = MI_PUSH(arena, double, side *side);
  fit->factor = MI_PUSH(arena, double, side *side);
  fit->g = MI_PUSH(arena, double, side);
  fit->step = MI_PUSH(arena, double, side);
  fit->flat = MI_PUSH(arena, float, 2 * MI_MESH_SKIN);
  return fit->weights && fit->free && fit->free_of && fit->w && fit->before && fit->window &&
         fit->euro && fit->pull && fit->h && fit->factor && fit->g && fit->step && fit->flat;
}

mien_result mi_fit_create(const mien_rig *rig, const mien_fit_def *def, const mien_host *host,
                          mien_fit **out, mien_error *err) {
  if (rig->info.nlandmark < LEAST_LANDMARKS)
    return mi_fail(err, MIEN_ERR_MISMATCH,
                   "the rig knows %d of the 68 landmarks; a face is fitted with at least %d",
                   rig->info.nlandmark, LEAST_LANDMARKS);
  if (rig->info.nshape == 0) return mi_fail(err, MIEN_ERR_MISMATCH, "the rig has no shapes");
  mien_fit *fit = MI_CREATE(mien_fit, host);
  if (!fit) return mi_fail_memory(err);
  fit->host = *host;
  fit->def = *def;
  fit->nshape = rig->info.nshape;
  fit->rig = rig;
  if (!reserve(fit)) {
    mi_arena_delete(fit->arena);
    return mi_fail_memory(err);
  }
  fit->rig = mi_rig_share(rig);
  choose_shapes(fit);
  init_filters(fit);
  mi_fit_rest_begin(fit);
  fit->info.nweight = fit->nshape;
  fit->info.weights = fit->weights;
  fit->info.head.rotation[3] = 1;
  *out = fit;
  return MIEN_OK;
}

void mi_fit_free(mien_fit *fit) {
  mi_rig_release(fit->rig);
  mi_arena_delete(fit->arena);
}

// -- a frame --------------------------------------------------------------------------------------

// Turns the solution into output: the head relative to the camera's reference, filtered.
static void publish(mien_fit *fit, double dt) {
  mi_pose head = fit->pose; // W . pose, W taking the reference to the rig's own place
  const mi_pose *ref = &fit->reference;
  if (fit->has_reference) {
    double d[3] = {fit->pose.t[0] - ref->t[0], fit->pose.t[1] - ref->t[1],
                   fit->pose.t[2] - ref->t[2]};
    for (int i = 0; i < 3; i++) {
      head.t[i] = ref->r[i] * d[0] + ref->r[3 + i] * d[1] + ref->r[6 + i] * d[2];
      for (int j = 0; j < 3; j++)
        head.r[3 * i + j] = ref->r[i] * fit->pose.r[j] + ref->r[3 + i] * fit->pose.r[3 + j] +
                            ref->r[6 + i] * fit->pose.r[6 + j];
    }
  } else {
    head = (mi_pose){.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  }
  mien_rigid seen = mi_pose_rigid(&head), *shown = &fit->info.head;
  if (fit->def.filter == MIEN_FILTER_ADAPTIVE) {
    mi_adaptive_next(&fit->across, seen.translation, shown->translation);
    mi_adaptive_next(&fit->away, seen.translation + 2, shown->translation + 2);
    mi_adaptive_next_rotation(&fit->turn, seen.rotation, shown->rotation);
  } else if (fit->def.filter == MIEN_FILTER_ONE_EURO) {
    double length = 0, dot = 0;
    for (int c = 0; c < 4; c++) dot += seen.rotation[c] * fit->euro_head[3 + c].value;
    for (int c = 0; c < 3; c++)
      shown->translation[c] = mi_one_euro_next(fit->euro_head + c, seen.translation[c], dt);
    for (int c = 0; c < 4; c++) {
      double q = dot < 0 ? -seen.rotation[c] : seen.rotation[c];
      shown->rotation[c] = mi_one_euro_next(fit->euro_head + 3 + c, q, dt);
      length += shown->rotation[c] * shown->rotation[c];
    }
    for (int c = 0; c < 4; c++) shown->rotation[c] /= sqrt(length);
  } else {
    *shown = seen;
  }
  for (int s = 0; s < fit->nshape; s++) {
    double value = (double)fit->weights[s], smooth = value;
    if (fit->def.filter == MIEN_FILTER_ADAPTIVE) mi_adaptive_next(fit->window + s, &value, &smooth);
    if (fit->def.filter == MIEN_FILTER_ONE_EURO)
      smooth = mi_one_euro_next(fit->euro + s, value, dt);
    fit->weights[s] = (float)fmin(fmax(smooth, 0), 1);
  }
}

// No face: the expression is held for a moment, then relaxes; the head pose is held.
static void relax(mien_fit *fit, double time, double dt) {
  static const double hold = 0.4, slack = 0.5; // s
  fit->info.confidence = 0;
  fit->info.sees_face = 0;
  if (!fit->has_time || time - fit->last_seen < hold) return;
  double left = exp(-dt / slack);
  for (int s = 0; s < fit->nshape; s++) fit->weights[s] *= (float)left;
  for (int k = 0; k < fit->nfree; k++) fit->w[k] *= left;
  fit->has_pose = false;
}

static void set_camera(mien_fit *fit, const mien_points *points) {
  double longer = points->width > points->height ? points->width : points->height;
  double half = 0.5 * fit->def.field_of_view * 3.14159265358979323846 / 180;
  fit->camera = (mi_camera){0.5 * longer / tan(half), 0.5 * points->width, 0.5 * points->height};
  fit->info.focal = fit->camera.focal;
}

// The pose without a start, from rigid points: nose, brows' roots and eyes' corners count, lips do
// not.
static bool find_pose(mien_fit *fit, const mien_points *points) {
  mi_sight sights[MI_MESH_SKIN];
  for (int i = 0; i < fit->npoint; i++) {
    const mi_fit_point *point = fit->point + i;
    const mien_point *seen = points->point + point->source;
    double sigma = fmax((double)seen->sigma, 0.5);
    bool rigid = point->place == MI_PLACE_SKIN || point->place == MI_PLACE_LID ||
                 point->place == MI_PLACE_BROW;
    sights[i] = (mi_sight){.p = {point->p[0], point->p[1], point->p[2]},
                           .uv = {(double)seen->x, (double)seen->y},
                           .weight = rigid ? (double)seen->visibility / (sigma * sigma) : 0};
  }
  double rms;
  return mi_pose_find(&fit->camera, sights, fit->npoint, &fit->pose, &rms);
}

static bool is_sound(const mien_points *points) {
  for (int i = 0; i < points->count; i++) {
    const mien_point *p = points->point + i;
    if (!(fabsf(p->x) < 1e6f && fabsf(p->y) < 1e6f && fabsf(p->z) < 1e6f && p->sigma > 0 &&
          p->sigma < 1e6f && p->visibility >= 0 && p->visibility <= 1))
      return false;
  }
  return true;
}

static mien_result fit_seen(mien_fit *fit, const mien_points *points, double dt) {
  set_camera(fit, points);
  if (fit->source != points->count) { // another kind of tracker: another set of points
    mi_fit_place_landmarks(fit, points->count);
    mi_fit_rest_begin(fit);
    fit->has_pose = false;
  }
  memcpy(fit->before, fit->w, (size_t)fit->nfree * sizeof *fit->w);
  bool is_first = !fit->has_pose;
  if (is_first) fit->has_pose = find_pose(fit, points);
  if (fit->has_pose)
    fit->has_pose = mi_fit_solve(fit, points, is_first ? FIRST_ITERATIONS : ITERATIONS);
  if (!fit->has_pose) {
    memcpy(fit->w, fit->before, (size_t)fit->nfree * sizeof *fit->w);
    return MIEN_NO_FACE;
  }
  if (fit->info.is_calibrating && mi_fit_rest_add(fit, points)) mi_fit_solve(fit, points, 2);
  for (int k = 0; k < fit->nfree; k++) fit->weights[fit->free[k].shape] = (float)fit->w[k];
  mi_fit_gaze(fit, points);
  publish(fit, dt);
  fit->info.sees_face = 1;
  fit->info.confidence = (double)points->confidence;
  fit->last_seen = points->time;
  return MIEN_OK;
}

mien_result mi_fit_frame(mien_fit *fit, const mien_points *points, mien_error *err) {
  if (!isfinite(points->time)) return mi_fail(err, MIEN_ERR_NOT_FINITE, "the time is not finite");
  if (points->count && points->count != MIEN_POINTS_MESH && points->count != MIEN_POINTS_ERT)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "a face has 478 or 68 points, not %d", points->count);
  if (points->count && (points->width < 1 || points->height < 1))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "points need the size of their picture");
  if (!is_sound(points))
    return mi_fail(err, MIEN_ERR_NOT_FINITE, "a point is not finite or has no sigma");
  double started = mi_clock();
  double dt = fit->has_time ? fmin(fmax(points->time - fit->last_time, 0), 1) : 0;
  mien_result result = MIEN_NO_FACE;
  if (points->count) result = fit_seen(fit, points, dt);
  if (result != MIEN_OK) relax(fit, points->time, dt);
  fit->last_time = points->time;
  fit->has_time = true;
  mien_fit_info *info = &fit->info;
  info->time = points->time;
  info->camera_pose = mi_pose_rigid(&fit->pose);
  info->npoint = fit->npoint;
  info->points = (mien_f32s){fit->flat, fit->npoint, 2};
  info->nframe++;
  info->nactive = 0;
  for (int s = 0; s < fit->nshape; s++) info->nactive += fit->weights[s] > 0.01f;
  info->seconds = mi_clock() - started;
  return result;
}
