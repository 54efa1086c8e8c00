// The rotation that most of a cloud of moving points follows. Candidates come from triples of
// points (Fischler & Bolles 1981); the best is refined by weighted least squares with Horn's unit
// quaternions (1987), where points that do not follow it weigh nothing.
#include "rig/finding.h"

enum { NTRIAL = 240, MOST_POINTS = 2000, NREFINE = 12 };

typedef struct rigid {
  double r[3][3];
  mi_vec3 t;
} rigid;

static mi_vec3 apply(const rigid *m, mi_vec3 x) {
  return (mi_vec3){m->r[0][0] * x.x + m->r[0][1] * x.y + m->r[0][2] * x.z + m->t.x,
                   m->r[1][0] * x.x + m->r[1][1] * x.y + m->r[1][2] * x.z + m->t.y,
                   m->r[2][0] * x.x + m->r[2][1] * x.y + m->r[2][2] * x.z + m->t.z};
}

static void from_quaternion(const double q[4], double r[3][3]) { // w, x, y, z
  double w = q[0], x = q[1], y = q[2], z = q[3];
  r[0][0] = 1 - 2 * (y * y + z * z), r[0][1] = 2 * (x * y - w * z), r[0][2] = 2 * (x * z + w * y);
  r[1][0] = 2 * (x * y + w * z), r[1][1] = 1 - 2 * (x * x + z * z), r[1][2] = 2 * (y * z - w * x);
  r[2][0] = 2 * (x * z - w * y), r[2][1] = 2 * (y * z + w * x), r[2][2] = 1 - 2 * (x * x + y * y);
}

// one Jacobi rotation that clears a[p][q], collected in v
static void jacobi_clear(double a[4][4], double v[4][4], int p, int q) {
  if (fabs(a[p][q]) < 1e-300) return;
  double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 4; k++) {
    double akp = a[k][p], akq = a[k][q];
    a[k][p] = c * akp - s * akq;
    a[k][q] = s * akp + c * akq;
  }
  for (int k = 0; k < 4; k++) {
    double apk = a[p][k], aqk = a[q][k], vkp = v[k][p], vkq = v[k][q];
    a[p][k] = c * apk - s * aqk;
    a[q][k] = s * apk + c * aqk;
    v[k][p] = c * vkp - s * vkq;
    v[k][q] = s * vkp + c * vkq;
  }
}

static void largest_eigenvector(double a[4][4], double vector[4]) {
  double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (int sweep = 0; sweep < 12; sweep++)
    for (int p = 0; p < 4; p++)
      for (int q = p + 1; q < 4; q++) jacobi_clear(a, v, p, q);
  int best = 0;
  for (int k = 1; k < 4; k++)
    if (a[k][k] > a[best][best]) best = k;
  for (int k = 0; k < 4; k++) vector[k] = v[k][best];
}

// Horn's matrix from the sums of products s[row of from][column of to].
static void horn_quaternion(double s[3][3], double q[4]) {
  double n[4][4] = {
      {s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
      {0, s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
      {0, 0, -s[0][0] + s[1][1] - s[2][2], s[1][2] + s[2][1]},
      {0, 0, 0, -s[0][0] - s[1][1] + s[2][2]}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) n[i][j] = n[j][i];
  largest_eigenvector(n, q);
}

typedef struct cloud {
  int count;
  mi_vec3 *from, *to;
  double *weight;
} cloud;

static bool fit_weighted(const cloud *c, rigid *m, double q[4]) {
  double total = 0;
  mi_vec3 a = {0, 0, 0}, b = {0, 0, 0};
  for (int i = 0; i < c->count; i++) {
    total += c->weight[i];
    a = mi_add_scaled(a, c->weight[i], c->from[i]);
    b = mi_add_scaled(b, c->weight[i], c->to[i]);
  }
  if (!(total > 0)) return false;
  a = mi_scale(1 / total, a);
  b = mi_scale(1 / total, b);
  double s[3][3] = {{0}};
  for (int i = 0; i < c->count; i++) {
    mi_vec3 u = mi_scale(c->weight[i], mi_sub(c->from[i], a)), v = mi_sub(c->to[i], b);
    s[0][0] += u.x * v.x, s[0][1] += u.x * v.y, s[0][2] += u.x * v.z;
    s[1][0] += u.y * v.x, s[1][1] += u.y * v.y, s[1][2] += u.y * v.z;
    s[2][0] += u.z * v.x, s[2][1] += u.z * v.y, s[2][2] += u.z * v.z;
  }
  horn_quaternion(s, q);
  from_quaternion(q, m->r);
  m->t = (mi_vec3){0, 0, 0};
  m->t = mi_sub(b, apply(m, a));
  return true;
}

// Tukey's biweight: 1 for points that follow, 0 beyond the tolerance. Returns the sum.
static double weigh(cloud *c, const rigid *m, double tolerance) {
  double sum = 0;
  for (int i = 0; i < c->count; i++) {
    double r = mi_distance(apply(m, c->from[i]), c->to[i]) / tolerance;
    double keep = r < 1 ? (1 - r * r) * (1 - r * r) : 0;
    c->weight[i] = keep;
    sum += keep;
  }
  return sum;
}

static bool try_triple(const cloud *all, int trial, double tolerance, rigid *m) {
  mi_vec3 from[3], to[3];
  double weight[3] = {1, 1, 1}, q[4];
  for (int k = 0; k < 3; k++) {
    int i = (int)(mi_random_unit(17, (uint32_t)trial, (uint32_t)k) * all->count);
    from[k] = all->from[i];
    to[k] = all->to[i];
  }
  for (int k = 0; k < 3; k++) { // not rigid, or too close together to tell
    double rest = mi_distance(from[k], from[(k + 1) % 3]);
    double now = mi_distance(to[k], to[(k + 1) % 3]);
    if (rest < 4 * tolerance || fabs(now - rest) > tolerance) return false;
  }
  cloud three = {3, from, to, weight};
  return fit_weighted(&three, m, q);
}

static bool gather(const mi_turn_points *points, mi_arena *scratch, cloud *c) {
  int step = 1 + points->count / MOST_POINTS;
  c->count = 0;
  int most = points->count / step + 1;
  c->from = MI_PUSH(scratch, mi_vec3, most);
  c->to = MI_PUSH(scratch, mi_vec3, most);
  c->weight = MI_PUSH(scratch, double, most);
  if (!c->from || !c->to || !c->weight) return false;
  for (int i = 0; i < points->count; i += step) {
    c->from[c->count] = mi_vec3_load(points->from + 3 * (size_t)i);
    c->to[c->count] = mi_add(c->from[c->count], mi_vec3_load(points->delta + 3 * (size_t)i));
    c->count++;
  }
  return true;
}

// On the axis the motion only slides: half of the perpendicular translation seen from the centre
// plus a sideways step of cot(angle / 2) / 2 cancels it.
static void to_turn(const cloud *c, const rigid *m, const double q[4], mi_turn *turn) {
  double sign = q[0] < 0 ? -1 : 1;
  mi_vec3 v = {sign * q[1], sign * q[2], sign * q[3]}, middle = {0, 0, 0};
  double total = 0;
  for (int i = 0; i < c->count; i++) {
    middle = mi_add_scaled(middle, c->weight[i], c->from[i]);
    total += c->weight[i];
  }
  middle = mi_scale(1 / total, middle);
  mi_vec3 step = mi_sub(apply(m, middle), middle);
  turn->angle = 2 * atan2(mi_length(v), sign * q[0]);
  turn->axis = mi_unit(v);
  if (turn->angle < 0.03) { // next to no rotation: a small turn about a far hinge behind the face
    mi_vec3 down = mi_unit(step), back = {0, 0, 1};
    if (fabs(down.z) > 0.9) back = (mi_vec3){0, 1, 0};
    mi_vec3 radius = mi_unit(mi_add_scaled(back, -mi_dot(back, down), down));
    turn->angle = 0.03;
    turn->axis = mi_cross(radius, down);
    turn->centre = mi_add_scaled(middle, -mi_length(step) / turn->angle, radius);
    return;
  }
  mi_vec3 across = mi_add_scaled(step, -mi_dot(step, turn->axis), turn->axis);
  mi_vec3 centre = mi_add_scaled(middle, 0.5, across);
  double side = 0.5 / tan(0.5 * turn->angle);
  turn->centre = mi_add_scaled(centre, side, mi_cross(turn->axis, across));
}

bool mi_turn_fit(const mi_turn_points *points, mi_arena *scratch, mi_turn *turn, double *share) {
  cloud c;
  *share = 0;
  if (points->count < 3 || !(points->tolerance > 0)) return true;
  if (!gather(points, scratch, &c)) return false;
  rigid best = {0}, m;
  double most = 0, q[4] = {1, 0, 0, 0};
  for (int trial = 0; trial < NTRIAL; trial++) {
    if (!try_triple(&c, trial, points->tolerance, &m)) continue;
    double follow = weigh(&c, &m, 1.5 * points->tolerance);
    if (follow <= most) continue;
    most = follow;
    best = m;
  }
  if (most < 3) return true;
  for (int k = 0; k < NREFINE; k++) {
    weigh(&c, &best, points->tolerance);
    if (!fit_weighted(&c, &best, q)) return true;
  }
  *share = weigh(&c, &best, points->tolerance) / c.count;
  if (*share > 0) to_turn(&c, &best, q, turn);
  return true;
}

mi_vec3 mi_turn_move(const mi_turn *turn, mi_vec3 x) {
  mi_vec3 arm = mi_sub(x, turn->centre);
  return mi_sub(mi_rotate(arm, turn->axis, turn->angle), arm);
}
