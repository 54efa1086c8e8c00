#include "math/rigid_body.h"

#include "math/mat3.h"
#include "math/small.h"

#include <stddef.h>
#include <string.h>

mi_rigid_motion mi_rigid_fit(int nvert, const float *mass, const float *x, const float *v) {
  mi_rigid_motion fit = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  double all = 0, inertia[9] = {0}, inverse[9];
  mi_vec3 momentum = {0, 0, 0};
  for (int i = 0; i < nvert; i++) {
    all += mass[i];
    fit.centre = mi_add_scaled(fit.centre, mass[i], mi_vec3_load(x + 3 * (size_t)i));
    fit.velocity = mi_add_scaled(fit.velocity, mass[i], mi_vec3_load(v + 3 * (size_t)i));
  }
  if (!(all > 0)) return fit;
  fit.centre = mi_scale(1 / all, fit.centre);
  fit.velocity = mi_scale(1 / all, fit.velocity);
  for (int i = 0; i < nvert; i++) {
    mi_vec3 r = mi_sub(mi_vec3_load(x + 3 * (size_t)i), fit.centre);
    mi_vec3 turn = mi_cross(r, mi_vec3_load(v + 3 * (size_t)i));
    const double arm[3] = {r.x, r.y, r.z};
    momentum = mi_add_scaled(momentum, mass[i], turn);
    for (int k = 0; k < 9; k++)
      inertia[k] += mass[i] * ((k % 4 ? 0 : mi_dot(r, r)) - arm[k / 3] * arm[k % 3]);
  }
  if (mi_mat3_invert(inertia, inverse)) // else the masses lie on one line: no spin
    fit.spin =
        (mi_vec3){inverse[0] * momentum.x + inverse[1] * momentum.y + inverse[2] * momentum.z,
                  inverse[3] * momentum.x + inverse[4] * momentum.y + inverse[5] * momentum.z,
                  inverse[6] * momentum.x + inverse[7] * momentum.y + inverse[8] * momentum.z};
  return fit;
}

mi_vec3 mi_rigid_at(const mi_rigid_motion *rigid, const float *x) {
  mi_vec3 r = mi_sub(mi_vec3_load(x), rigid->centre);
  return mi_add(rigid->velocity, mi_cross(rigid->spin, r));
}

// -- From sums ------------------------------------------------------------------------------------

// C with C a = c x a
static void find_cross(const double c[3], double m[9]) {
  const double cross[9] = {0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0};
  memcpy(m, cross, sizeof cross);
}

// P = M v + w x C, L = C x v + I w
void mi_momentum_matrix(const mi_mass_sums *s, int stride, double *a) {
  const double *q = s->second; // I = sum m (r.r - r r')
  const double inertia[9] = {q[1] + q[2], -q[3], -q[5], -q[3],      q[0] + q[2],
                             -q[4],       -q[5], -q[4], q[0] + q[1]};
  double cross[9];
  find_cross(s->centre, cross);
  for (int i = 0; i < 9; i++) {
    double *at = a + stride * (i / 3) + i % 3;
    at[0] = i % 4 ? 0 : s->mass;
    at[3] = -cross[i];
    at[3 * stride] = cross[i];
    at[3 * stride + 3] = inertia[i];
  }
}

bool mi_rigid_from_momenta(const mi_mass_sums *s, const double momentum[3], const double turning[3],
                           mi_rigid_momenta *out) {
  double a[36], b[6];
  mi_momentum_matrix(s, 6, a);
  for (int i = 0; i < 3; i++) b[i] = momentum[i], b[i + 3] = turning[i];
  if (!mi_small_solve(6, a, 1, b)) return false;
  out->kinetic = 0;
  for (int i = 0; i < 3; i++) {
    out->velocity[i] = b[i], out->spin[i] = b[i + 3];
    out->kinetic += 0.5 * (b[i] * momentum[i] + b[i + 3] * turning[i]);
  }
  return true;
}

// -- Between two placements -----------------------------------------------------------------------

static void find_centres(int nvert, const float *mass, const float *start, const float *first,
                         const float *end, mi_body_turn *b) {
  for (int i = 0; i < 3 * nvert; i++) {
    size_t at = 4 * (size_t)(i / 3) + (size_t)(i % 3);
    double own = (double)mass[i / 3];
    b->from[i % 3] += own * (double)start[at];
    b->to[i % 3] += own * (double)end[at];
    b->velocity[i % 3] += own * (double)first[at];
    b->mass += own / 3;
  }
  for (int k = 0; k < 3 && b->mass > 0; k++)
    b->from[k] /= b->mass, b->to[k] /= b->mass, b->velocity[k] /= b->mass;
}

// Angular momentum about the centre, and sum m end start', both seen from the centres.
static void find_spread(int nvert, const float *mass, const float *start, const float *first,
                        const float *end, const mi_body_turn *b, double l[3], double s[9]) {
  for (int i = 0; i < nvert; i++) {
    double r[3], x[3], v[3], own = (double)mass[i];
    for (int c = 0; c < 3; c++) {
      size_t at = 4 * (size_t)i + (size_t)c;
      r[c] = (double)start[at] - b->from[c];
      v[c] = (double)first[at] - b->velocity[c];
      x[c] = (double)end[at] - b->to[c];
    }
    for (int c = 0; c < 3; c++)
      l[c] += own * (r[(c + 1) % 3] * v[(c + 2) % 3] - r[(c + 2) % 3] * v[(c + 1) % 3]);
    for (int k = 0; k < 9; k++) s[k] += own * x[k / 3] * r[k % 3];
  }
}

// The turn about l that brings the start nearest to the end.
static void find_turn(const double l[3], const double s[9], double turn[9]) {
  double n[3], cross[9];
  double length = sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]), across = s[0] + s[4] + s[8];
  if (!(length > 0)) return;
  for (int c = 0; c < 3; c++) n[c] = l[c] / length;
  for (int k = 0; k < 9; k++) across -= n[k / 3] * s[k] * n[k % 3];
  double along = n[0] * (s[7] - s[5]) + n[1] * (s[2] - s[6]) + n[2] * (s[3] - s[1]);
  double size = hypot(along, across), cosine = across / size, sine = along / size;
  if (!(size > 0)) return;
  find_cross(n, cross);
  for (int k = 0; k < 9; k++)
    turn[k] = cosine * (k % 4 ? 0 : 1) + (1 - cosine) * n[k / 3] * n[k % 3] + sine * cross[k];
}

mi_body_turn mi_body_turn_find(int nvert, const float *mass, const float *start, const float *first,
                               const float *end) {
  mi_body_turn body = {.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  double angular[3] = {0}, spread[9] = {0};
  find_centres(nvert, mass, start, first, end, &body);
  if (!(body.mass > 0)) return body;
  find_spread(nvert, mass, start, first, end, &body, angular, spread);
  find_turn(angular, spread, body.turn);
  return body;
}
