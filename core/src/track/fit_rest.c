// The performer's resting face, measured over many frames and then frozen; and where the eyes look.
#include "track/face_fit.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { LEAST_FRAMES = 8 };

void mi_fit_rest_begin(mien_fit *fit) {
  fit->rest = (mi_rest_sums){0};
  fit->info.is_calibrating = 1;
  fit->info.calibrated = 0;
}

// A point of the picture in the rig's space. Its depth is the tracker's where it has one, else that
// of the rig.
static void back_project(const mien_fit *fit, const mien_point *seen, double depth, double out[3]) {
  const mi_camera *camera = &fit->camera;
  double x[3] = {((double)seen->x - camera->cx) / camera->focal * depth - fit->pose.t[0],
                 -((double)seen->y - camera->cy) / camera->focal * depth - fit->pose.t[1],
                 -depth - fit->pose.t[2]};
  const double *r = fit->pose.r;
  for (int c = 0; c < 3; c++) out[c] = r[c] * x[0] + r[3 + c] * x[1] + r[6 + c] * x[2];
}

static double depth_of(const mien_fit *fit, const mi_fit_point *point) {
  double x[3];
  mi_pose_apply(&fit->pose, point->p, x);
  return -x[2];
}

// Adds a frame of the mesh; the depth of its middle is where the landmarks of the rig are.
static void add_mesh(mien_fit *fit, const mien_points *points) {
  double sum = 0, z = 0;
  for (int i = 0; i < fit->npoint; i++) {
    sum += depth_of(fit, fit->point + i);
    z += (double)points->point[fit->point[i].source].z;
  }
  double mean = sum / fit->npoint, metres = mean / fit->camera.focal;
  z /= fit->npoint;
  for (int i = 0; i < MI_MESH_SKIN; i++) {
    double p[3];
    back_project(fit, points->point + i, mean + ((double)points->point[i].z - z) * metres, p);
    for (int c = 0; c < 3; c++) fit->rest.p[i][c] += p[c];
  }
}

static void add_landmarks(mien_fit *fit, const mien_points *points) {
  for (int i = 0; i < fit->npoint; i++) {
    const mi_fit_point *point = fit->point + i;
    double p[3];
    back_project(fit, points->point + point->source, depth_of(fit, point), p);
    for (int c = 0; c < 3; c++) fit->rest.p[point->source][c] += p[c];
  }
}

// Where a point is in its eye: across towards the nose, and up, in widths of the eye.
static bool place_in_eye(const double outer[2], const double inner[2], const double p[2], int side,
                         double at[2]) {
  double ax = inner[0] - outer[0], ay = inner[1] - outer[1], width2 = ax * ax + ay * ay;
  if (!(width2 > 4)) return false;
  double dx = p[0] - 0.5 * (inner[0] + outer[0]), dy = p[1] - 0.5 * (inner[1] + outer[1]);
  double up = side == 0 ? 1 : -1; // y runs down, and the left eye's axis the other way
  at[0] = (dx * ax + dy * ay) / width2;
  at[1] = up * (dx * ay - dy * ax) / width2;
  return true;
}

// Irises stand in front of the line between an eye's corners, so a head that turns moves them in
// their eyes without any change of the gaze: as if by this part of the eye's width, by what the
// network says.
static const double bulge = 0.14;

static bool find_parallax(const mien_fit *fit, int side, double at[2]) {
  const double *corner[2] = {NULL, NULL};
  for (int i = 0; i < fit->npoint; i++)
    for (int k = 0; k < 2; k++)
      if (fit->point[i].source == mi_eye_corners[side][k]) corner[k] = fit->point[i].p;
  if (!corner[0] || !corner[1]) return false;
  double p[3][3], x[3], uv[3][2], width = 0;
  for (int c = 0; c < 3; c++) {
    p[0][c] = corner[0][c];
    p[1][c] = corner[1][c];
    p[2][c] = 0.5 * (corner[0][c] + corner[1][c]);
    width += pow(corner[1][c] - corner[0][c], 2);
  }
  p[2][2] += bulge * sqrt(width); // a head looks along +z
  for (int k = 0; k < 3; k++) {
    mi_pose_apply(&fit->pose, p[k], x);
    if (!mi_camera_project(&fit->camera, x, uv[k], NULL)) return false;
  }
  return place_in_eye(uv[0], uv[1], uv[2], side, at);
}

// Where an iris is in its eye, as if the head looked into the camera.
static bool see_iris(const mien_fit *fit, const mien_points *points, int side, double at[2]) {
  const mien_point *outer = points->point + mi_eye_corners[side][0];
  const mien_point *inner = points->point + mi_eye_corners[side][1];
  double by_turning[2];
  if (!(points->iris[side][2] > 0) ||
      !place_in_eye((double[]){(double)outer->x, (double)outer->y},
                    (double[]){(double)inner->x, (double)inner->y},
                    (double[]){(double)points->iris[side][0], (double)points->iris[side][1]}, side,
                    at) ||
      !find_parallax(fit, side, by_turning))
    return false;
  for (int c = 0; c < 2; c++) at[c] -= by_turning[c];
  return true;
}

static double lid_opening(const mien_points *points, int side) {
  double open = 0;
  int n = 0;
  const mien_point *outer = points->point + mi_eye_corners[side][0];
  const mien_point *inner = points->point + mi_eye_corners[side][1];
  double width = hypot((double)inner->x - (double)outer->x, (double)inner->y - (double)outer->y);
  for (int s = 0; s < MI_SLITS; s++) {
    if (mi_slits[s].side != side) continue;
    const mien_point *a = points->point + mi_slits[s].mesh_upper;
    const mien_point *b = points->point + mi_slits[s].mesh_lower;
    open += hypot((double)a->x - (double)b->x, (double)a->y - (double)b->y);
    n++;
  }
  return open / (n * fmax(width, 1));
}

// Irises give the eyeLook shapes. Both eyes look the same way: each by itself is half as sure, and
// of a turned head the far one is hardly seen. A shut eye hides its iris: when both are, the gaze
// stays where it was.
void mi_fit_gaze(mien_fit *fit, const mien_points *points) {
  static const double full[2] = {0.22, 0.13}; // of the eye's width, at weight 1: about 35 degrees
  if (points->count != MIEN_POINTS_MESH) return;
  double sum[2] = {0}, at[2]; // to the subject's left, and up
  int nopen = 0;
  for (int side = 0; side < 2; side++) {
    if (lid_opening(points, side) <= 0.12 || !see_iris(fit, points, side, at)) continue;
    for (int c = 0; c < 2; c++)
      sum[c] += (side && !c ? -1 : 1) * (at[c] - fit->gaze.rest[side][c]) / full[c];
    nopen++;
  }
  for (int c = 0; c < 2 && nopen; c++) fit->gaze.value[c] = sum[c] / nopen;
  for (int e = 0; e < 8; e++) {
    int side = e / 4, k = e % 4, shape = fit->gaze.look[side][k];
    double value = (side && k < 2 ? -1 : 1) * fit->gaze.value[k / 2]; // in and up
    if (shape >= 0) fit->weights[shape] = (float)fmin(fmax(k % 2 ? -value : value, 0), 1);
  }
}

static void finish(mien_fit *fit) {
  mi_rest_sums *rest = &fit->rest;
  for (int i = 0; i < MIEN_POINTS_MOST; i++)
    for (int c = 0; c < 3; c++) rest->p[i][c] /= rest->nframe;
  bool done = true;
  if (fit->source == MIEN_POINTS_MESH) {
    done = mi_fit_place_mesh(fit, (const double(*)[3])rest->p);
    for (int i = 0; i < 4; i++)
      fit->gaze.rest[i / 2][i % 2] = rest->iris[i / 2][i % 2] / rest->nframe;
  } else {
    for (int i = 0; i < fit->npoint; i++)
      memcpy(fit->point[i].p, rest->p[fit->point[i].source], sizeof fit->point[i].p);
    fit->is_whole = true;
  }
  memset(fit->w, 0, (size_t)fit->nfree * sizeof *fit->w);
  memset(fit->before, 0, (size_t)fit->nfree * sizeof *fit->before);
  fit->reference = fit->pose;
  fit->has_reference = true;
  fit->info.is_calibrating = !done;
  fit->info.calibrated = done;
  if (!done) fit->rest = (mi_rest_sums){0};
}

// True when the resting face has just been frozen.
bool mi_fit_rest_add(mien_fit *fit, const mien_points *points) {
  mi_rest_sums *rest = &fit->rest;
  if (rest->nframe == 0) rest->since = points->time;
  rest->nframe++;
  if (fit->source == MIEN_POINTS_MESH) {
    add_mesh(fit, points);
    for (int side = 0; side < 2; side++) {
      double at[2] = {0};
      see_iris(fit, points, side, at);
      for (int c = 0; c < 2; c++) rest->iris[side][c] += at[c];
    }
  } else {
    add_landmarks(fit, points);
  }
  bool enough = points->time - rest->since >= fit->def.calibration_time;
  if (rest->nframe < LEAST_FRAMES || !enough) return false;
  finish(fit);
  return fit->info.calibrated != 0;
}
