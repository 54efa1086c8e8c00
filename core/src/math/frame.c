// From one head to the next. The state is kept in the head's space; when the head moves, flesh that
// stays where it was in the world moves in that space. Differences of translations are taken in
// double before anything is rounded, so distance from the world's origin does not matter.
#include "math/frame.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

typedef struct rotation {
  double m[9];
} rotation;

static rotation to_matrix(const double q[4]) {
  double x = q[0], y = q[1], z = q[2], w = q[3];
  double n = 2 / (x * x + y * y + z * z + w * w);
  return (rotation){{1 - n * (y * y + z * z), n * (x * y - z * w), n * (x * z + y * w),
                     n * (x * y + z * w), 1 - n * (x * x + z * z), n * (y * z - x * w),
                     n * (x * z - y * w), n * (y * z + x * w), 1 - n * (x * x + y * y)}};
}

static mi_vec3 turn(const rotation *r, mi_vec3 a) {
  return (mi_vec3){r->m[0] * a.x + r->m[1] * a.y + r->m[2] * a.z,
                   r->m[3] * a.x + r->m[4] * a.y + r->m[5] * a.z,
                   r->m[6] * a.x + r->m[7] * a.y + r->m[8] * a.z};
}

static mi_vec3 turn_back(const rotation *r, mi_vec3 a) {
  return (mi_vec3){r->m[0] * a.x + r->m[3] * a.y + r->m[6] * a.z,
                   r->m[1] * a.x + r->m[4] * a.y + r->m[7] * a.z,
                   r->m[2] * a.x + r->m[5] * a.y + r->m[8] * a.z};
}

// R1' R0, and R1' (T0 - T1)
static void relative(const mien_rigid *from, const mien_rigid *to, rotation *r, mi_vec3 *t) {
  rotation r0 = to_matrix(from->rotation), r1 = to_matrix(to->rotation);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      r->m[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) r->m[3 * i + j] += r1.m[3 * k + i] * r0.m[3 * k + j];
    }
  mi_vec3 gap = {from->translation[0] - to->translation[0],
                 from->translation[1] - to->translation[1],
                 from->translation[2] - to->translation[2]};
  *t = turn_back(&r1, gap);
}

bool mi_frame_is_same(const mien_rigid *a, const mien_rigid *b) {
  return !memcmp(a->rotation, b->rotation, sizeof a->rotation) &&
         !memcmp(a->translation, b->translation, sizeof a->translation);
}

typedef struct changing {
  rotation r;
  mi_vec3 t;
  const float *posed;
  float *offset, *velocity;
} changing;

static void change_range(void *user, int begin, int end) {
  const changing *c = user;
  for (size_t i = (size_t)begin; i < (size_t)end; i++) {
    mi_vec3 rest = mi_vec3_load(c->posed + 3 * i);
    mi_vec3 at = mi_add(rest, mi_vec3_load(c->offset + 3 * i));
    mi_vec3_store(c->offset + 3 * i, mi_sub(mi_add(turn(&c->r, at), c->t), rest));
    mi_vec3_store(c->velocity + 3 * i, turn(&c->r, mi_vec3_load(c->velocity + 3 * i)));
  }
}

void mi_frame_change(const mien_rigid *from, const mien_rigid *to, int nvert, int threads,
                     const float *posed, float *offset, float *velocity) {
  enum { CHUNK = 2048 };
  changing c = {.posed = posed, .offset = offset, .velocity = velocity};
  if (mi_frame_is_same(from, to)) return;
  relative(from, to, &c.r, &c.t);
  mi_parallel(threads, nvert, CHUNK, change_range, &c);
}

void mi_frame_points(const mien_rigid *from, const mien_rigid *to, int count, const float *at,
                     float *out) {
  rotation r;
  mi_vec3 t;
  relative(from, to, &r, &t);
  for (int i = 0; i < count; i++)
    mi_vec3_store(out + 3 * (size_t)i, mi_add(turn(&r, mi_vec3_load(at + 3 * (size_t)i)), t));
}

void mi_frame_between(const mien_rigid *from, const mien_rigid *to, double share, mien_rigid *out) {
  if (share <= 0 || share >= 1 || mi_frame_is_same(from, to)) {
    *out = share <= 0 ? *from : *to;
    return;
  }
  const double *a = from->rotation, *b = to->rotation;
  double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  double sign = dot < 0 ? -1 : 1, angle = acos(fmin(1, fabs(dot)));
  // for a small angle the straight line is the arc
  double wa = angle > 1e-6 ? sin((1 - share) * angle) / sin(angle) : 1 - share;
  double wb = angle > 1e-6 ? sin(share * angle) / sin(angle) : share;
  double q[4], length2 = 0;
  for (int k = 0; k < 4; k++) {
    q[k] = wa * a[k] + sign * wb * b[k];
    length2 += q[k] * q[k];
  }
  for (int k = 0; k < 4; k++) out->rotation[k] = q[k] / sqrt(length2);
  for (int k = 0; k < 3; k++)
    out->translation[k] =
        from->translation[k] + share * (to->translation[k] - from->translation[k]);
}

void mi_frame_add_velocity(const mien_rigid *from, const mien_rigid *to, double dt,
                           mi_drift *frame_velocity) {
  rotation r;
  mi_vec3 t;
  if (mi_frame_is_same(from, to)) return;
  relative(to, from, &r, &t); // where it was in the head's space before
  const double shift[3] = {t.x, t.y, t.z};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) frame_velocity->m[4 * i + k] += ((i == k) - r.m[3 * i + k]) / dt;
    frame_velocity->m[4 * i + 3] -= shift[i] / dt;
  }
}

void mi_frame_from_world(const mien_rigid *head, const double world[3], double local[3]) {
  rotation r = to_matrix(head->rotation);
  mi_vec3 a = turn_back(&r, (mi_vec3){world[0], world[1], world[2]});
  local[0] = a.x, local[1] = a.y, local[2] = a.z;
}

static void multiply(const double a[4], const double b[4], double out[4]) {
  out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
  out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
  out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
  out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

// a turn with its rotation vector scaled axis by axis
static void attenuate_turn(double q[4], const double share[3]) {
  double sine = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  double half = atan2(sine, fabs(q[3])), sign = q[3] < 0 ? -1 : 1; // the shorter way round
  double per_sine = sine > 1e-12 ? sign * half / sine : sign, length = 0, v[3];
  for (int k = 0; k < 3; k++) {
    v[k] = share[k] * per_sine * q[k];
    length += v[k] * v[k];
  }
  length = sqrt(length);
  for (int k = 0; k < 3; k++) q[k] = length > 1e-12 ? v[k] * sin(length) / length : v[k];
  q[3] = cos(length);
}

void mi_frame_attenuate(const mien_rigid *from, const mien_rigid *to, const double along[3],
                        const double about[3], mien_rigid *out) {
  bool is_whole = true;
  for (int k = 0; k < 3; k++) is_whole = is_whole && along[k] == 1 && about[k] == 1;
  *out = *from;
  if (is_whole || mi_frame_is_same(from, to)) return;
  rotation r = to_matrix(to->rotation);
  mi_vec3 gap = turn_back(&r, (mi_vec3){from->translation[0] - to->translation[0],
                                        from->translation[1] - to->translation[1],
                                        from->translation[2] - to->translation[2]});
  gap = turn(&r, (mi_vec3){along[0] * gap.x, along[1] * gap.y, along[2] * gap.z});
  out->translation[0] = to->translation[0] + gap.x;
  out->translation[1] = to->translation[1] + gap.y;
  out->translation[2] = to->translation[2] + gap.z;
  const double *q = to->rotation;
  double back[4] = {-q[0], -q[1], -q[2], q[3]}, way[4];
  multiply(back, from->rotation, way);
  attenuate_turn(way, about);
  multiply(q, way, out->rotation);
}

void mi_frame_follow(const mien_rigid *head, const mien_rigid *thing, const mien_rigid *place,
                     mien_rigid *out) {
  *out = *thing;
  if (mi_frame_is_same(head, place)) return;
  const double *q = head->rotation;
  double back[4] = {-q[0], -q[1], -q[2], q[3]}, seen[4];
  rotation r = to_matrix(q), p = to_matrix(place->rotation);
  mi_vec3 gap = turn_back(&r, (mi_vec3){thing->translation[0] - head->translation[0],
                                        thing->translation[1] - head->translation[1],
                                        thing->translation[2] - head->translation[2]});
  gap = turn(&p, gap);
  out->translation[0] = place->translation[0] + gap.x;
  out->translation[1] = place->translation[1] + gap.y;
  out->translation[2] = place->translation[2] + gap.z;
  multiply(back, thing->rotation, seen);
  multiply(place->rotation, seen, out->rotation);
}
