// Rings round the left eye: orbit, lids with thickness, and the pocket that holds the ball.
#include "cage.h"

#include "form.h"
#include "shapes.h"

enum { INNER_CORNER = 14, OUTER_CORNER = 6 };

static const vec3 inner_canthus = {17.8, 13.4, 82.1};
static const vec3 outer_canthus = {46.2, 17.2, 74.0};

vec3 eye_centre(void) {
  return v3(31.5, 15.0, 73.0);
}

// The ball has 12 mm radius; the cornea, centred on +z, stands 0.55 mm proud.
double eye_ball_radius(vec3 direction) {
  double polar = acos(fmax(-1.0, fmin(1.0, direction.z)));
  return 12.0 + 0.55 * ramp(0.62, 0.12, polar);
}

// 0 at the inner corner, 1 at the outer, along either lid.
static double along_lid(int k) {
  int j = (k + EYE_NANGLE - INNER_CORNER) % EYE_NANGLE;
  return j <= 8 ? j / 8.0 : (16 - j) / 8.0;
}

static int is_upper(int k) {
  int j = (k + EYE_NANGLE - INNER_CORNER) % EYE_NANGLE;
  return j > 0 && j < 8;
}

// The margin of an open lid: elevation above the ball's middle, u from the inner to the outer
// corner.
static double margin_elevation(double u, int upper) {
  vec3 a = v3_unit(v3_sub(inner_canthus, eye_centre()));
  vec3 b = v3_unit(v3_sub(outer_canthus, eye_centre()));
  double tilt = mix(asin(a.y), asin(b.y), u);
  double bow = upper ? 0.415 * pow(fabs(sin(acos(-1.0) * pow(u, 0.86))), 0.85)
                     : -0.345 * pow(fabs(sin(acos(-1.0) * pow(u, 1.15))), 0.9);
  return tilt + bow;
}

// Direction of the open lid's margin as seen from the ball's centre.
static vec3 margin_direction(int k) {
  double u = along_lid(k);
  double a = atan2(inner_canthus.x - eye_centre().x, inner_canthus.z - eye_centre().z);
  double b = atan2(outer_canthus.x - eye_centre().x, outer_canthus.z - eye_centre().z);
  double azimuth = mix(a, b, u);
  double e = margin_elevation(u, is_upper(k));
  return v3(sin(azimuth) * cos(e), sin(e), cos(azimuth) * cos(e));
}

// How much a margin vertex belongs to the corner of the eye instead of the ball.
static double corner_share(int k) {
  double u = along_lid(k);
  double s = fabs(2.0 * u - 1.0);
  return pow(s, 4.5);
}

static vec3 turn_outwards(vec3 d, double angle) {
  double polar = acos(d.z) + angle;
  double l = hypot(d.x, d.y);
  return v3(sin(polar) * d.x / l, sin(polar) * d.y / l, cos(polar));
}

// Rings of a lid: how far outside the margin in the frontal plane, height above the ball, and depth
// of the crease.
typedef struct lid_profile {
  double upper;
  double lower;
  double height;
  double sunk_upper;
  double sunk_lower;
} lid_profile;

static const lid_profile profile[] = {[2] = {9.6, 9.6, 3.2, 0.0, 0.0},
                                      [LID_FOLD] = {6.4, 6.0, 2.7, 0.9, 0.2},
                                      [4] = {3.4, 2.9, 2.8, 0.0, 0.0},
                                      [LID_OUTER] = {0.45, 0.35, 2.15, 0.0, 0.0}};

static vec3 margin_point(int k) {
  vec3 d = margin_direction(k);
  vec3 on_ball = v3_madd(eye_centre(), eye_ball_radius(d) + 0.5, d);
  vec3 corner = along_lid(k) < 0.5 ? inner_canthus : outer_canthus;
  // Near a corner the margin leaves the ball for the corner, at its own height.
  vec3 beside = v3(corner.x, mix(on_ball.y, corner.y, corner_share(k)), corner.z);
  return v3_mix(on_ball, beside, corner_share(k));
}

// Interpolates the modelled points of the margin over the azimuth.
double lid_margin_elevation(double azimuth, int upper) {
  double az[9];
  double el[9];
  for (int i = 0; i < 9; i++) {
    int k = (INNER_CORNER + (upper ? i : EYE_NANGLE - i)) % EYE_NANGLE;
    vec3 d = v3_unit(v3_sub(margin_point(k), eye_centre()));
    az[i] = atan2(d.x, d.z);
    el[i] = asin(d.y);
  }
  int i = 0;
  while (i < 7 && azimuth > az[i + 1]) i++;
  double t = clamp01((azimuth - az[i]) / (az[i + 1] - az[i]));
  // Cubic with the slopes of the neighbours.
  double h = az[i + 1] - az[i];
  double m0 = i > 0 ? (el[i + 1] - el[i - 1]) / (az[i + 1] - az[i - 1]) : (el[1] - el[0]) / h;
  double m1 = i < 7 ? (el[i + 2] - el[i]) / (az[i + 2] - az[i]) : (el[8] - el[7]) / h;
  double u = 1.0 - t;
  return el[i] * u * u * (1.0 + 2.0 * t) + el[i + 1] * t * t * (3.0 - 2.0 * t) +
         h * t * u * (m0 * u - m1 * t);
}

static double smooth_max(double a, double b, double width) {
  return -head_form_join(-a, -b, width);
}

// The outside of a lid lies on the ball's curve or on the face, whichever stands further out.
static vec3 lid_point(int ring, int k) {
  vec3 m = margin_point(k);
  if (ring == LID_INNER) return m;
  const lid_profile *f = &profile[ring];
  vec3 c = eye_centre();
  double share = corner_share(k);
  double out = m.x > c.x ? 1.0 : -1.0;
  double up = is_upper(k) ? 1.0 : -1.0;
  if (k == INNER_CORNER || k == OUTER_CORNER) up = 0.0;
  vec3 n = v3_unit(v3(out * share + 0.02 * (m.x - c.x), up * (1.0 - share), 0));
  // There is little room between the inner corner and the nose.
  double room = mix(1.0, out > 0 ? 0.85 : 0.42, sqrt(share));
  double reach = room * (up > 0 ? f->upper : up < 0 ? f->lower : 0.5 * (f->upper + f->lower));
  double x = m.x + n.x * reach;
  double y = m.y + n.y * reach;
  double radius = 12.3 + f->height;
  double lid =
      c.z + sqrt(fmax(1.0, radius * radius - (x - c.x) * (x - c.x) - (y - c.y) * (y - c.y)));
  double sunk = (1.0 - share) * (up > 0 ? f->sunk_upper : f->sunk_lower);
  return v3(x, y, smooth_max(lid, head_form_front(x, y), 2.5) - sunk);
}

// Behind the margin the pocket opens over the ball, clear of it everywhere.
static vec3 pocket_point(int ring, int k) {
  static const double polar[] = {[7] = 0.0, [LID_FORNIX] = 1.42, [9] = 1.95, [10] = 2.5};
  vec3 d = v3_unit(v3_sub(margin_point(k), eye_centre()));
  double now = acos(d.z);
  if (ring == 7) {
    d = turn_outwards(d, fmin(0.5, fmax(0.1, 1.36 - now)));
    return v3_madd(eye_centre(), 13.3, d);
  }
  // Even angles on the deep rings, so that the cap closes well.
  double deep = fmax(polar[ring], now + 0.25);
  double roll = acos(-1.0) * (0.75 - k / 8.0);
  vec3 even = v3(sin(deep) * cos(roll), sin(deep) * sin(roll), cos(deep));
  vec3 own = turn_outwards(d, deep - now);
  double t = ring == LID_FORNIX ? 0.5 : 1.0;
  return v3_madd(eye_centre(), 13.6, v3_unit(v3_mix(own, even, t)));
}

static void close_pocket(cage *c) {
  enum { SIZE = 5 };
  int grid[SIZE * SIZE];
  const int *ring = c->eye[EYE_NRING - 1];
  for (int i = 0; i < SIZE * SIZE; i++) grid[i] = -1;
  for (int j = 0; j < SIZE; j++) {
    grid[(SIZE - 1) * SIZE + j] = ring[j];
    grid[(SIZE - 1 - j) * SIZE + SIZE - 1] = ring[4 + j];
    grid[SIZE - 1 - j] = ring[8 + j];
    grid[j * SIZE] = ring[(12 + j) % EYE_NANGLE];
  }
  int first = c->nvert;
  cage_fill_grid(c, grid, SIZE, SIZE);
  for (int v = first; v < c->nvert; v++) {
    vec3 d = v3_unit(v3_sub(c->vert[v].p, eye_centre()));
    c->vert[v].p = v3_madd(eye_centre(), 13.6, d);
    c->vert[v].pinned = 1;
    c->vert[v].channel[CH_EYE_RING] = EYE_NRING;
  }
}

static void place_ring(cage *c, int ring) {
  for (int k = 0; k < EYE_NANGLE; k++) {
    vec3 p;
    if (ring == 1)
      p = head_form_project(v3_mix(c->vert[c->eye[0][k]].p, lid_point(2, k), 0.5), PROJECT_FULLY);
    else if (ring <= LID_INNER)
      p = lid_point(ring, k);
    else
      p = pocket_point(ring, k);
    int v = cage_add_vertex(c, p);
    c->eye[ring][k] = v;
    c->vert[v].pinned = 1;
    c->vert[v].channel[CH_ON_FORM] = ring == 1;
    c->vert[v].channel[CH_EYE_RING] = ring;
  }
}

void cage_build_eye(cage *c) {
  for (int k = 0; k < EYE_NANGLE; k++) {
    int row = k <= 4 ? 17 : k <= 8 ? 21 - k : k <= 12 ? 13 : k + 1;
    int column = k <= 4 ? 3 + k : k <= 8 ? 7 : k <= 12 ? 15 - k : 3;
    c->eye[0][k] = c->strip[row][column];
  }
  for (int ring = 1; ring < EYE_NRING; ring++) {
    place_ring(c, ring);
    cage_join_rings(c, c->eye[ring - 1], c->eye[ring], EYE_NANGLE, 1);
  }
  for (int ring = 1; ring < EYE_NRING; ring++)
    for (int k = 0; k < EYE_NANGLE; k++)
      if (k != INNER_CORNER && k != OUTER_CORNER)
        c->vert[c->eye[ring][k]].channel[CH_LID_SIDE] = is_upper(k) ? 1.0 : -1.0;
  close_pocket(c);
}
