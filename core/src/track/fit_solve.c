// One frame: pose and weights that bring the points of the rig where they are seen (eq. 8 and 9),
// by Gauss-Newton; weights between 0 and 1 by a quadratic programme in every iteration.
//
//   |seen - projected|^2 / sigma^2        robust (Huber), outlines along their normal only
// + depths of the tracker                 for the pose alone; they are relative: their mean is free
// + slits: how far lids and lips are open what makes them close
// + (w / typical)^2 + l1 sum w            the prior of eq. 8 (plain shapes: with long tails), and
//                                         sparsity
// + (w - before)^2 / change^2             smoothness
#include "track/face_fit.h"

#include <math.h>
#include <string.h>

enum { POSE = 6, MOST_LOWRANK = 250 };

// Places where the rig's expressions differ from a performer's by about this, whatever the tracker
// says about its own error.
static const double misfit = 1.2e-3; // m, on a face 0.2 m high
static const double huber = 2.5;
// A tracker follows what it can see: lips, lids and brows nearly whole. Skin between them it
// guesses from the rest, and rigs differ there, too: when a jaw opens, cheeks and the skin around
// the chin come along by 0.2 to 0.6 of what a rig says, in drawn faces and in filmed ones. So the
// error grows with the motion, by these parts of it; a face that only turns is believed everywhere.
static const double behind_skin = 2, behind_feature = 0.2, behind_gap = 0.1;
// Errors of neighbouring points are correlated: this is their weight relative to independent ones;
// the 68 points are farther apart.
static const double own_news = 0.3, own_news_sparse = 1;
static const double depth_trust = 0.2; // against a point's place
// How wrong the depth of a resting point may be. Brows of drawn heads are off by about this much,
// lips by less.
static const double depth_guess = 0.008, depth_guess_lip = 0.004; // m
// Weights of plain shapes, which a face is mostly made of, are doubted less the larger they are: a
// prior of one width would take a tenth off every raised brow. The others stay held, or they would
// share what a jaw does.
static const double plain = 0.7, tail = 2;

typedef struct frame {
  mien_fit *fit;
  const mien_points *points;
  int side;
  double metre;      // pixels per metre at the face
  double depth_mean; // pixels between the tracker's depths and ours
  double middle[2];  // of the points that have depths, in camera space
  double error, total;
} frame;

// One row of least squares: `pose` is its slope by the pose, `pull[k]` by free shape index[k].
typedef struct row {
  double pose[POSE], residual, weight;
  int nlowrank, index[MOST_LOWRANK];
  double pull[MOST_LOWRANK];
} row;

static void add_row(const frame *f, const row *r) {
  mien_fit *fit = f->fit;
  double *h = fit->h, *g = fit->g;
  size_t side = (size_t)f->side;
  for (int a = 0; a < POSE; a++) {
    double wa = r->weight * r->pose[a];
    if (wa == 0) continue;
    g[a] += wa * r->residual;
    for (int b = 0; b <= a; b++) h[(size_t)a * side + (size_t)b] += wa * r->pose[b];
  }
  for (int a = 0; a < r->nlowrank; a++) {
    double wa = r->weight * r->pull[a];
    double *line = h + (size_t)(POSE + r->index[a]) * side;
    g[POSE + r->index[a]] += wa * r->residual;
    for (int b = 0; b < POSE; b++) line[b] += wa * r->pose[b];
    for (int b = 0; b <= a; b++) line[POSE + r->index[b]] += wa * r->pull[b]; // indices ascend
  }
}

// A point of the rig in camera space with the weights as they are.
static void point_now(const mien_fit *fit, int i, double p[3], double x[3]) {
  const mi_fit_point *point = fit->point + i;
  memcpy(p, point->p, 3 * sizeof *p);
  for (int k = 0; k < point->nlowrank; k++) {
    const mi_fit_pull *pull = fit->pull + point->first + k;
    for (int c = 0; c < 3; c++) p[c] += fit->w[pull->free] * pull->d[c];
  }
  mi_pose_apply(&fit->pose, p, x);
}

// The row of one direction k (by camera space) at x.
static void make_row(const mien_fit *fit, int i, const double k[3], const double x[3], row *r) {
  const double *t = fit->pose.t, *rot = fit->pose.r;
  double arm[3] = {x[0] - t[0], x[1] - t[1], x[2] - t[2]};
  memcpy(r->pose,
         (double[]){k[2] * arm[1] - k[1] * arm[2], k[0] * arm[2] - k[2] * arm[0],
                    k[1] * arm[0] - k[0] * arm[1], k[0], k[1], k[2]},
         sizeof r->pose);
  double local[3]; // R' k
  for (int c = 0; c < 3; c++) local[c] = rot[c] * k[0] + rot[3 + c] * k[1] + rot[6 + c] * k[2];
  const mi_fit_point *point = fit->point + i;
  r->nlowrank = point->nlowrank;
  for (int n = 0; n < point->nlowrank; n++) {
    const mi_fit_pull *pull = fit->pull + point->first + n;
    r->index[n] = pull->free;
    r->pull[n] = local[0] * pull->d[0] + local[1] * pull->d[1] + local[2] * pull->d[2];
  }
}

// How much a place counts. Lids have their own rows; outlines slide.
static double trust(const mi_fit_point *point) {
  return point->place == MI_PLACE_LID ? 0.1 : point->place == MI_PLACE_OUTLINE ? 0.15 : 1;
}

// The direction along which an outline is seen: across the line through the face's middle.
static void outward(const frame *f, const double uv[2], double n[2]) {
  const double *t = f->fit->pose.t;
  double middle[2], length;
  if (!mi_camera_project(&f->fit->camera, t, middle, NULL)) middle[0] = middle[1] = 0;
  n[0] = uv[0] - middle[0];
  n[1] = uv[1] - middle[1];
  length = sqrt(n[0] * n[0] + n[1] * n[1]);
  n[0] /= fmax(length, 1e-9);
  n[1] /= fmax(length, 1e-9);
}

// How much a point counts that is seen `d` away from `uv`, where the weights have moved it to.
static double point_weight(const frame *f, const mi_fit_point *point, const mien_point *seen,
                           const double uv[2], const double d[2], double *variance) {
  bool is_skin = point->place == MI_PLACE_SKIN || point->place == MI_PLACE_OUTLINE;
  double rest[3], from[2], moved = 0;
  mi_pose_apply(&f->fit->pose, point->p, rest);
  if (mi_camera_project(&f->fit->camera, rest, from, NULL))
    moved = hypot(uv[0] - from[0], uv[1] - from[1]);
  double sigma = (double)seen->sigma, own = misfit * f->metre;
  double behind = (is_skin ? behind_skin : behind_feature) * moved;
  *variance = sigma * sigma + own * own + behind * behind;
  double weight = trust(point) * (double)seen->visibility / *variance;
  double off = sqrt((d[0] * d[0] + d[1] * d[1]) * weight);
  double news = f->fit->source == MIEN_POINTS_MESH ? own_news : own_news_sparse;
  return news * (off > huber ? weight * huber / off : weight);
}

// The tracker's depth, pixels away from the camera, against ours. It tells how the head is turned
// about the points' middle, and nothing else: depths are relative, and networks keep a jaw that
// opens, and with it goes back, where it was.
static void add_depth(const frame *f, const double x[3], double z, double weight) {
  row r;
  r.weight = depth_trust * weight;
  r.residual = z + f->depth_mean + f->metre * x[2];
  r.nlowrank = 0;
  memcpy(
      r.pose,
      (double[]){-f->metre * (x[1] - f->middle[1]), f->metre * (x[0] - f->middle[0]), 0, 0, 0, 0},
      sizeof r.pose);
  add_row(f, &r);
}

// Depths of the resting face are guesses of the tracker or of the rig. As long as the head is as it
// was then, a wrong one shows nowhere; turned, it moves its point in this direction (of length 1)
// by so many pixels.
static double depth_shift(const frame *f, const mi_fit_point *point, const double slope[6],
                          double direction[2]) {
  const double *now = f->fit->pose.r, *then = f->fit->reference.r;
  double away[3] = {0}, shift[2];
  direction[0] = 1;
  direction[1] = 0;
  if (!f->fit->has_reference) return 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) away[i] += now[3 * i + j] * then[6 + j];
  for (int c = 0; c < 2; c++)
    shift[c] = slope[3 * c] * away[0] + slope[3 * c + 1] * away[1] + slope[3 * c + 2] * away[2];
  double length = hypot(shift[0], shift[1]);
  for (int c = 0; c < 2 && length > 1e-9; c++) direction[c] = shift[c] / length;
  return length * (point->place == MI_PLACE_LIP ? depth_guess_lip : depth_guess);
}

static void add_point(frame *f, int i) {
  mien_fit *fit = f->fit;
  const mi_fit_point *point = fit->point + i;
  const mien_point *seen = f->points->point + point->source;
  double p[3], x[3], uv[2], slope[6];
  point_now(fit, i, p, x);
  if (!mi_camera_project(&fit->camera, x, uv, slope)) return;
  fit->flat[2 * i] = (float)uv[0];
  fit->flat[2 * i + 1] = (float)uv[1];
  double d[2] = {(double)seen->x - uv[0], (double)seen->y - uv[1]};
  double variance, weight = point_weight(f, point, seen, uv, d, &variance);
  row r;
  r.weight = weight;
  if (point->place == MI_PLACE_OUTLINE) {
    double n[2];
    outward(f, uv, n);
    double k[3] = {n[0] * slope[0] + n[1] * slope[3], n[0] * slope[1] + n[1] * slope[4],
                   n[0] * slope[2] + n[1] * slope[5]};
    make_row(fit, i, k, x, &r);
    r.residual = n[0] * d[0] + n[1] * d[1];
    add_row(f, &r);
    return;
  }
  double guessed[2], length = depth_shift(f, point, slope, guessed);
  for (int c = 0; c < 2; c++) { // along the direction of a wrong depth, and across it
    double n[2] = {c ? -guessed[1] : guessed[0], c ? guessed[0] : guessed[1]};
    double k[3] = {n[0] * slope[0] + n[1] * slope[3], n[0] * slope[1] + n[1] * slope[4],
                   n[0] * slope[2] + n[1] * slope[5]};
    make_row(fit, i, k, x, &r);
    r.residual = n[0] * d[0] + n[1] * d[1];
    r.weight = c ? weight : weight / (1 + length * length / variance);
    add_row(f, &r);
  }
  f->error += d[0] * d[0] + d[1] * d[1];
  f->total += 1;
  if (seen->z != 0 && fit->is_whole && point->place != MI_PLACE_LIP)
    add_depth(f, x, (double)seen->z, weight);
}

static void find_depth_mean(frame *f) {
  double sum[3] = {0};
  int n = 0;
  for (int i = 0; i < f->fit->npoint; i++) {
    const mi_fit_point *point = f->fit->point + i;
    double p[3], x[3];
    if (point->place == MI_PLACE_LIP || point->place == MI_PLACE_OUTLINE) continue;
    point_now(f->fit, i, p, x);
    sum[0] += x[0];
    sum[1] += x[1];
    sum[2] += -f->metre * x[2] - (double)f->points->point[point->source].z;
    n++;
  }
  for (int c = 0; c < 2; c++) f->middle[c] = n ? sum[c] / n : 0;
  f->depth_mean = n ? sum[2] / n : 0;
}

// Only weights move a slit, not the pose.
static void keep_lowrank(const mien_fit *fit, const double *slope, row *r) {
  memset(r->pose, 0, sizeof r->pose);
  r->nlowrank = 0;
  for (int k = 0; k < fit->nfree; k++) {
    if (slope[k] == 0) continue;
    r->index[r->nlowrank] = k;
    r->pull[r->nlowrank++] = slope[k];
  }
}

// Slopes of (upper - lower) . axis, axis in the rig's space; only weights change it.
static void gap_row(const mien_fit *fit, const mi_fit_gap *gap, const double axis[3], double scale,
                    row *r) {
  const mi_fit_point *ends[2] = {fit->point + gap->upper, fit->point + gap->lower};
  double slope[MOST_LOWRANK] = {0};
  for (int e = 0; e < 2; e++)
    for (int n = 0; n < ends[e]->nlowrank; n++) {
      const mi_fit_pull *pull = fit->pull + ends[e]->first + n;
      double d = axis[0] * pull->d[0] + axis[1] * pull->d[1] + axis[2] * pull->d[2];
      slope[pull->free] += (e ? -scale : scale) * d;
    }
  keep_lowrank(fit, slope, r);
}

static double opening_now(const mien_fit *fit, const row *r) {
  double open = 0;
  for (int n = 0; n < r->nlowrank; n++) open += r->pull[n] * fit->w[r->index[n]];
  return open;
}

// The seen opening of a slit, in pixels along its own axis, and the projected length of the
// performer's resting one.
static bool see_gap(const frame *f, const mi_fit_gap *gap, double axis[3], double *seen,
                    double *resting, double *sigma) {
  const mien_fit *fit = f->fit;
  const mi_fit_point *upper = fit->point + gap->upper, *lower = fit->point + gap->lower;
  const mien_point *a = f->points->point + upper->source, *b = f->points->point + lower->source;
  double length = 0, tip[3], from[2], to[2], x[3];
  for (int c = 0; c < 3; c++) {
    axis[c] = gap->side >= 0 ? upper->p[c] - lower->p[c] : c == 1;
    length += axis[c] * axis[c];
  }
  length = sqrt(length);
  if (!(length > 1e-5)) return false;
  for (int c = 0; c < 3; c++) axis[c] /= length;
  for (int c = 0; c < 3; c++) tip[c] = lower->p[c] + axis[c] * 0.01;
  mi_pose_apply(&fit->pose, lower->p, x);
  if (!mi_camera_project(&fit->camera, x, from, NULL)) return false;
  mi_pose_apply(&fit->pose, tip, x);
  if (!mi_camera_project(&fit->camera, x, to, NULL)) return false;
  double d[2] = {to[0] - from[0], to[1] - from[1]}, pixels = sqrt(d[0] * d[0] + d[1] * d[1]);
  if (!(pixels > 0.2 * 0.01 * f->metre)) return false; // seen edge-on
  *seen = (((double)a->x - (double)b->x) * d[0] + ((double)a->y - (double)b->y) * d[1]) / pixels;
  *resting = pixels / 0.01; // pixels per metre along the axis
  *sigma = sqrt(0.5 * ((double)a->sigma * (double)a->sigma + (double)b->sigma * (double)b->sigma));
  *seen /= *resting;
  *sigma /= *resting;
  *resting = length;
  return true;
}

// Trackers never see a lid quite shut: this much of its opening is left, most of it by the trees.
static double left_open(const mien_fit *fit) {
  return fit->source == MIEN_POINTS_MESH ? 0.12 : 0.35;
}

// The lips' distance in the picture, along their direction of parting.
static bool lip_row(const frame *f, const mi_fit_gap *gap, row *r) {
  const mien_fit *fit = f->fit;
  int ends[2] = {gap->upper, gap->lower};
  double uv[2][2], slope[2][6], x[2][3], p[3], pull[MOST_LOWRANK] = {0}, seen = 0, sigma2 = 0;
  for (int e = 0; e < 2; e++) {
    point_now(fit, ends[e], p, x[e]);
    if (!mi_camera_project(&fit->camera, x[e], uv[e], slope[e])) return false;
  }
  double up[3] = {fit->pose.r[1], fit->pose.r[4], fit->pose.r[7]}, n[2], length;
  for (int c = 0; c < 2; c++)
    n[c] = slope[1][3 * c] * up[0] + slope[1][3 * c + 1] * up[1] + slope[1][3 * c + 2] * up[2];
  length = hypot(n[0], n[1]);
  if (!(length > 0.2 * f->metre)) return false; // seen edge-on
  r->residual = 0;
  for (int e = 0; e < 2; e++) {
    const mien_point *at = f->points->point + fit->point[ends[e]].source;
    double sign = (e ? -1 : 1) / (length * length), k[3];
    for (int c = 0; c < 3; c++) k[c] = sign * (n[0] * slope[e][c] + n[1] * slope[e][3 + c]);
    make_row(fit, ends[e], k, x[e], r);
    for (int m = 0; m < r->nlowrank; m++) pull[r->index[m]] += r->pull[m];
    seen += sign * (n[0] * (double)at->x + n[1] * (double)at->y);
    r->residual -= sign * (n[0] * uv[e][0] + n[1] * uv[e][1]);
    sigma2 += 0.5 * (double)at->sigma * (double)at->sigma / (length * length);
  }
  r->residual += seen;
  keep_lowrank(fit, pull, r);
  double spread = hypot(fmax(3e-4, 0.5 * sqrt(sigma2)), behind_gap * seen);
  r->weight = 1 / (spread * spread);
  return true;
}

static void add_gap(frame *f, const mi_fit_gap *gap) {
  mien_fit *fit = f->fit;
  double axis[3], seen, resting, sigma;
  row r;
  if (gap->side >= 0) {
    if (!see_gap(f, gap, axis, &seen, &resting, &sigma)) return;
    // relative to the resting eye, of the performer and of the rig: large and small eyes both shut
    double shut = left_open(fit);
    double open = fmin(fmax((seen / resting - shut) / (1 - shut), 0), 1.6);
    gap_row(fit, gap, axis, 1 / gap->rig_open, &r);
    double spread = fmax(0.08, 0.5 * sigma / resting);
    r.residual = open - (1 + opening_now(fit, &r));
    r.weight = 1 / (spread * spread);
  } else if (!lip_row(f, gap, &r)) {
    return;
  }
  add_row(f, &r);
}

static void add_priors(const frame *f, double dt) {
  mien_fit *fit = f->fit;
  size_t side = (size_t)f->side;
  // A usual change from frame to frame, as of a random walk: with twice the frames each is worth
  // half, so that the lag is as long at any rate. (As of a steady motion, by dt, the lag at 120
  // frames a second is a third longer than at 30.)
  double change = fit->def.smoothness > 0 ? 0.5 * sqrt(dt * 30) / fit->def.smoothness : 0;
  for (int k = 0; k < fit->nfree; k++) {
    size_t at = (size_t)(POSE + k);
    double usual = fit->free[k].typical, more = usual >= plain ? tail : 0;
    double typical = 1 / (usual * usual + more * fit->w[k] * fit->w[k]);
    fit->h[at * side + at] += typical;
    fit->g[at] -= typical * fit->w[k] + fit->def.sparsity;
    if (change > 0 && fit->has_time) {
      fit->h[at * side + at] += 1 / (change * change);
      fit->g[at] += (fit->before[k] - fit->w[k]) / (change * change);
    }
  }
  for (size_t a = 0; a < POSE; a++) fit->h[a * side + a] += 1e-6 + 1e-9 * fit->h[a * side + a];
}

static bool iterate(frame *f, double dt) {
  mien_fit *fit = f->fit;
  size_t side = (size_t)f->side;
  memset(fit->h, 0, side * side * sizeof *fit->h);
  memset(fit->g, 0, side * sizeof *fit->g);
  f->error = f->total = 0;
  f->metre = fit->camera.focal / fmax(-fit->pose.t[2], 0.05);
  if (fit->is_whole) find_depth_mean(f);
  for (int i = 0; i < fit->npoint; i++) add_point(f, i);
  for (int i = 0; i < fit->ngap; i++) add_gap(f, fit->gap + i);
  if (f->total < 8) return false;
  add_priors(f, dt);
  for (size_t a = 0; a < side; a++)
    for (size_t b = a + 1; b < side; b++) fit->h[a * side + b] = fit->h[b * side + a];
  double low[256], high[256];
  for (int a = 0; a < f->side; a++) {
    low[a] = a < POSE ? -0.5 : -fit->w[a - POSE];
    high[a] = a < POSE ? 0.5 : 1 - fit->w[a - POSE];
  }
  if (!mi_box_qp(f->side, fit->h, fit->g, low, high, fit->factor, fit->step)) return false;
  mi_pose_move(&fit->pose, fit->step);
  for (int k = 0; k < fit->nfree; k++)
    fit->w[k] = fmin(fmax(fit->w[k] + fit->step[POSE + k], 0), 1);
  return fit->pose.t[2] < 0;
}

bool mi_fit_solve(mien_fit *fit, const mien_points *points, int iterations) {
  frame f = {.fit = fit, .points = points, .side = POSE + fit->nfree};
  double dt = fit->has_time ? fmin(fmax(points->time - fit->last_time, 1e-3), 0.1) : 1.0 / 30;
  for (int k = 0; k < iterations; k++)
    if (!iterate(&f, dt)) return false;
  fit->info.rms = sqrt(f.error / fmax(f.total, 1));
  return isfinite(fit->info.rms);
}
