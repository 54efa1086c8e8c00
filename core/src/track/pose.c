// Projection and head pose.
#include "track/pose.h"

#include "math/mat3.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

static const double nearest = 0.02; // m: whatever is closer is not before the camera

void mi_pose_apply(const mi_pose *pose, const double p[3], double x[3]) {
  for (int i = 0; i < 3; i++)
    x[i] =
        pose->r[3 * i] * p[0] + pose->r[3 * i + 1] * p[1] + pose->r[3 * i + 2] * p[2] + pose->t[i];
}

bool mi_camera_project(const mi_camera *camera, const double x[3], double uv[2], double slope[6]) {
  double depth = -x[2];
  if (!(depth > nearest)) return false;
  double k = camera->focal / depth;
  uv[0] = camera->cx + k * x[0];
  uv[1] = camera->cy - k * x[1];
  if (slope) {
    double by_z = k / depth;
    memcpy(slope, (double[]){k, 0, by_z * x[0], 0, -k, -by_z * x[1]}, 6 * sizeof *slope);
  }
  return true;
}

void mi_pose_move(mi_pose *pose, const double step[6]) {
  double angle = sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
  double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, r[9];
  if (angle > 1e-12) { // Rodrigues
    double x = step[0] / angle, y = step[1] / angle, z = step[2] / angle;
    double c = cos(angle), s = sin(angle), v = 1 - c;
    memcpy(turn,
           (double[]){c + x * x * v, x * y * v - z * s, x * z * v + y * s, y * x * v + z * s,
                      c + y * y * v, y * z * v - x * s, z * x * v - y * s, z * y * v + x * s,
                      c + z * z * v},
           sizeof turn);
  }
  mi_mat3_multiply(turn, pose->r, r);
  mi_mat3_rotation(r, pose->r);
  for (int i = 0; i < 3; i++) pose->t[i] += step[3 + i];
}

mien_rigid mi_pose_rigid(const mi_pose *pose) {
  const double *r = pose->r;
  // the largest of the four is found from the diagonal, the others from sums across it
  double w = 1 + r[0] + r[4] + r[8], x = 1 + r[0] - r[4] - r[8], y = 1 - r[0] + r[4] - r[8],
         z = 1 - r[0] - r[4] + r[8], q[4];
  if (w >= x && w >= y && w >= z)
    memcpy(q, (double[]){r[7] - r[5], r[2] - r[6], r[3] - r[1], w}, sizeof q);
  else if (x >= y && x >= z)
    memcpy(q, (double[]){x, r[1] + r[3], r[2] + r[6], r[7] - r[5]}, sizeof q);
  else if (y >= z)
    memcpy(q, (double[]){r[1] + r[3], y, r[5] + r[7], r[2] - r[6]}, sizeof q);
  else
    memcpy(q, (double[]){r[2] + r[6], r[5] + r[7], z, r[3] - r[1]}, sizeof q);
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (q[3] < 0) length = -length;
  return (mien_rigid){{q[0] / length, q[1] / length, q[2] / length, q[3] / length},
                      {pose->t[0], pose->t[1], pose->t[2]}};
}

// Rows of the normal equations of one sight: x = R p + t moves by step[0..2] x (R p) + step[3..5].
static bool add_sight(const mi_camera *camera, const mi_sight *s, const mi_pose *pose, double h[36],
                      double g[6], double *error, double *total) {
  double x[3], uv[2], slope[6];
  mi_pose_apply(pose, s->p, x);
  if (!mi_camera_project(camera, x, uv, slope)) return false;
  double arm[3] = {x[0] - pose->t[0], x[1] - pose->t[1], x[2] - pose->t[2]};
  double d[2] = {s->uv[0] - uv[0], s->uv[1] - uv[1]};
  double off = sqrt((d[0] * d[0] + d[1] * d[1]) * s->weight);
  double weight = off > 3 ? s->weight * 3 / off : s->weight; // Huber
  for (int row = 0; row < 2; row++) {
    const double *k = slope + 3 * row;
    double j[6] = {k[2] * arm[1] - k[1] * arm[2],
                   k[0] * arm[2] - k[2] * arm[0],
                   k[1] * arm[0] - k[0] * arm[1],
                   k[0],
                   k[1],
                   k[2]};
    for (int a = 0; a < 6; a++) {
      g[a] += weight * j[a] * d[row];
      for (int b = 0; b < 6; b++) h[6 * a + b] += weight * j[a] * j[b];
    }
  }
  *error += weight * (d[0] * d[0] + d[1] * d[1]);
  *total += weight;
  return true;
}

// From a pose that is nearly right.
static bool refine(const mi_camera *camera, const mi_sight *sights, int count, int iterations,
                   mi_pose *pose, double *rms) {
  for (int k = 0; k <= iterations; k++) {
    double h[36] = {0}, g[6] = {0}, error = 0, total = 0;
    int nseen = 0;
    for (int i = 0; i < count; i++)
      if (sights[i].weight > 0) nseen += add_sight(camera, sights + i, pose, h, g, &error, &total);
    if (nseen < 6) return false;
    *rms = sqrt(error / total);
    if (k == iterations) break;
    for (int a = 0; a < 6; a++) h[7 * a] *= 1 + 1e-6;
    if (!mi_small_solve(6, h, 1, g)) return false;
    double turn = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double most = 0.6; // rad: Gauss-Newton knows no more than its neighbourhood
    if (turn > most)
      for (int a = 0; a < 6; a++) g[a] *= most / turn;
    mi_pose_move(pose, g);
    if (!(pose->t[2] < -nearest)) pose->t[2] = -0.3;
  }
  return isfinite(*rms);
}

// where a head of that size must be to look as large as it does
static void place(const mi_camera *camera, const mi_sight *sights, int count, mi_pose *pose) {
  double mean[5] = {0}, spread[2] = {0}, n = 0, p[3], x[3];
  for (int i = 0; i < count; i++) {
    if (!(sights[i].weight > 0)) continue;
    n++;
    mi_pose_apply(&(mi_pose){.r = {pose->r[0], pose->r[1], pose->r[2], pose->r[3], pose->r[4],
                                   pose->r[5], pose->r[6], pose->r[7], pose->r[8]}},
                  sights[i].p, x);
    for (int c = 0; c < 3; c++) mean[c] += x[c];
    for (int c = 0; c < 2; c++) mean[3 + c] += sights[i].uv[c];
  }
  for (int c = 0; c < 5; c++) mean[c] /= n;
  for (int i = 0; i < count; i++) {
    if (!(sights[i].weight > 0)) continue;
    memcpy(p, sights[i].p, sizeof p);
    for (int c = 0; c < 3; c++) {
      x[c] = pose->r[3 * c] * p[0] + pose->r[3 * c + 1] * p[1] + pose->r[3 * c + 2] * p[2];
      if (c < 2) spread[0] += (x[c] - mean[c]) * (x[c] - mean[c]);
      if (c < 2) spread[1] += pow(sights[i].uv[c] - mean[3 + c], 2);
    }
  }
  double depth = camera->focal * sqrt(spread[0] / fmax(spread[1], 1e-9));
  pose->t[2] = -depth - mean[2];
  pose->t[0] = depth / camera->focal * (mean[3] - camera->cx) - mean[0];
  pose->t[1] = -depth / camera->focal * (mean[4] - camera->cy) - mean[1];
}

bool mi_pose_find(const mi_camera *camera, const mi_sight *sights, int count, mi_pose *pose,
                  double *rms) {
  static const double yaws[] = {0, 0.7, -0.7}, rolls[] = {0, 0.6, -0.6};
  int nseen = 0;
  for (int i = 0; i < count; i++) nseen += sights[i].weight > 0;
  if (nseen < 6) return false;
  *rms = INFINITY;
  for (int start = 0; start < 9; start++) {
    double yaw = yaws[start % 3], roll = rolls[start / 3], c = cos(yaw), s = sin(yaw);
    mi_pose candidate = {.r = {c, 0, s, 0, 1, 0, -s, 0, c}};
    double error;
    mi_pose_move(&candidate, (double[]){0, 0, roll, 0, 0, 0});
    place(camera, sights, count, &candidate);
    if (refine(camera, sights, count, 12, &candidate, &error) && error < *rms) {
      *rms = error;
      *pose = candidate;
    }
  }
  return isfinite(*rms);
}
