#include "energy/muscle.h"

#include "math/mat3.h"
#include "math/small.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

// -- symmetric matrices ---------------------------------------------------------------------------

void mi_symmetric_unpack(const double a[6], double m[9]) {
  m[0] = a[0], m[4] = a[3], m[8] = a[5];
  m[1] = m[3] = a[1];
  m[2] = m[6] = a[2];
  m[5] = m[7] = a[4];
}

double mi_symmetric_det(const double a[6]) {
  double m[9];
  mi_symmetric_unpack(a, m);
  return mi_mat3_det(m);
}

void mi_symmetric_cofactor(const double a[6], double out[6]) {
  out[0] = a[3] * a[5] - a[4] * a[4];
  out[1] = a[2] * a[4] - a[1] * a[5];
  out[2] = a[1] * a[4] - a[2] * a[3];
  out[3] = a[0] * a[5] - a[2] * a[2];
  out[4] = a[1] * a[2] - a[0] * a[4];
  out[5] = a[0] * a[3] - a[1] * a[1];
}

void mi_symmetric_range(const double a[6], double *least, double *most) {
  double m[9], value[3], vector[9];
  mi_symmetric_unpack(a, m);
  mi_small_eigen(3, m, value, vector);
  *least = fmin(value[0], fmin(value[1], value[2]));
  *most = fmax(value[0], fmax(value[1], value[2]));
}

static void pack(const double m[9], double a[6]) {
  a[0] = m[0], a[1] = m[1], a[2] = m[2], a[3] = m[4], a[4] = m[5], a[5] = m[8];
}

// -- from activations to targets ------------------------------------------------------------------

void mi_muscle_contract(double contraction, float activation[MI_ACTIVATION]) {
  double along = 1 - contraction, across = 1 / sqrt(along);
  memset(activation, 0, MI_ACTIVATION * sizeof *activation);
  activation[0] = (float)(along - 1);
  activation[3] = activation[5] = (float)(across - 1);
}

void mi_muscle_turn(const float *frame, const double d[6], double out[6]) {
  double q[9], m[9], qm[9], turned[9];
  for (int k = 0; k < 9; k++) q[k] = (double)frame[k];
  mi_symmetric_unpack(d, m);
  mi_mat3_multiply(q, m, qm);
  mi_mat3_multiply_transposed(qm, q, turned);
  pack(turned, out);
}

typedef struct task {
  const mien_face *face;
  const float *activation;
  double fat;
  mi_actuation *out;
} task;

// Passive tissue wants to be `volume` times as large: fat is a layer under the skin, and thickens.
// In all directions alike, a face's width of it pushed cheeks against ears and folded the skin
// there. Flesh without layers grows in all directions.
static void grow(const mien_face *face, int tet, double volume, double shape[6]) {
  mi_vec3 through = {0, 0, 0};
  for (int c = 0; c < 4 && face->is_prisms; c++) {
    int skin = face->carrier[face->tets[4 * (size_t)tet + (size_t)c]];
    through = mi_add(through, mi_vec3_load(face->thickness_vector + 3 * (size_t)skin));
  }
  double t[9], ht[9], grown[9], even = cbrt(sqrt(volume)),
                                h[9] = {even, 0, 0, 0, even, 0, 0, 0, even};
  if (mi_length(through) > 0) {
    mi_vec3 unit = mi_unit(through);
    const double n[3] = {unit.x, unit.y, unit.z};
    for (int k = 0; k < 9; k++) h[k] = (k % 4 ? 0 : 1) + (sqrt(volume) - 1) * n[k / 3] * n[k % 3];
  }
  mi_symmetric_unpack(shape, t);
  mi_mat3_multiply(h, t, ht);
  mi_mat3_multiply(ht, h, grown);
  pack(grown, shape);
}

static void actuate_range(void *user, int begin, int end) {
  const task *t = user;
  const mi_muscles *muscles = &t->face->muscles;
  for (int e = begin; e < end; e++) {
    double sum[6] = {1, 0, 0, 1, 0, 1}, passive = 1;
    for (int k = muscles->first[e]; k < muscles->first[e + 1]; k++) {
      const float *of = t->activation + MI_ACTIVATION * (size_t)muscles->index[k];
      double share = (double)muscles->share[k], d[6], turned[6];
      passive -= share;
      if (share == 0) continue;
      for (int c = 0; c < 6; c++) d[c] = (double)of[c];
      mi_muscle_turn(muscles->frame + 9 * (size_t)k, d, turned);
      for (int c = 0; c < 6; c++) sum[c] += share * turned[c];
    }
    double volume = pow(1 + (t->fat - 1) * fmax(0, passive), 3);
    if (t->fat != 1) grow(t->face, e, volume, sum);
    for (int c = 0; c < 6; c++) t->out->shape[6 * (size_t)e + (size_t)c] = (float)sum[c];
    t->out->volume[e] = (float)volume;
  }
}

void mi_muscle_actuate(const mien_face *face, const float *activation, double fat,
                       mi_actuation *out) {
  enum { CHUNK = 1024 };
  task t = {face, activation, fat, out};
  mi_parallel(face->host.threads, face->info.ntet, CHUNK, actuate_range, &t);
}

// -- how stress changes with the target -----------------------------------------------------------

void mi_shape_slope_at(const double f[9], const double t[9], mi_shape_slope *slope) {
  double turned[9];
  memcpy(slope->f, f, sizeof slope->f);
  memcpy(slope->t, t, sizeof slope->t);
  mi_mat3_multiply_transposed(f, t, turned);
  mi_mat3_svd(turned, slope->u, slope->s, slope->v);
  mi_mat3_multiply_transposed(slope->u, slope->v, slope->r);
}

// dR of the polar decomposition for a change dM of M = U diag(s) V': in the frames of U and V only
// the antisymmetric part turns, by 1 / (s_i + s_j).
static void turn_rotation(const mi_shape_slope *s, const double dm[9], double dr[9]) {
  double ut[9], in[9], a[9], b[9];
  mi_mat3_transpose(s->u, ut);
  mi_mat3_multiply(ut, dm, a);
  mi_mat3_multiply(a, s->v, in);
  for (int k = 0; k < 9; k++) {
    int i = k / 3, j = k % 3;
    double sum = fmax(s->s[i] + s->s[j], 1e-9);
    b[k] = i == j ? 0 : (in[3 * i + j] - in[3 * j + i]) / sum;
  }
  mi_mat3_multiply(s->u, b, a);
  mi_mat3_multiply_transposed(a, s->v, dr);
}

void mi_shape_slope_apply(const mi_shape_slope *s, const double dt[9], double dp[9]) {
  double dm[9], dr[9], a[9], b[9];
  mi_mat3_multiply_transposed(s->f, dt, dm);
  turn_rotation(s, dm, dr);
  mi_mat3_multiply(dr, s->t, a);
  mi_mat3_multiply(s->r, dt, b);
  for (int k = 0; k < 9; k++) dp[k] = -(a[k] + b[k]);
}

// turn_rotation is its own transpose, so that y : dR(F dT') T = dT : turn(y T')' F.
void mi_shape_slope_apply_transposed(const mi_shape_slope *s, const double y[9], double out[9]) {
  double yt[9], turned[9], back[9], a[9], rt[9], b[9];
  mi_mat3_multiply_transposed(y, s->t, yt);
  turn_rotation(s, yt, turned);
  mi_mat3_transpose(turned, back);
  mi_mat3_multiply(back, s->f, a);
  mi_mat3_transpose(s->r, rt);
  mi_mat3_multiply(rt, y, b);
  for (int k = 0; k < 9; k++) out[k] = -(a[k] + b[k]);
}
