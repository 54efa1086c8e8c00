#include "claim_z1_search.h"

#include "math/mat3.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

enum { MOST_COORDINATES = 12, MOST_STARTS = 16 };

// Coordinates that cover the set: any numbers give a member.
typedef void member_fn(const mi_stencil *stencil, const double *at, double *p);

static void rotation_of(const double *quaternion, double *r) {
  double n = 0, q[4];
  for (int i = 0; i < 4; i++) n += quaternion[i] * quaternion[i];
  for (int i = 0; i < 4; i++) q[i] = n > 0 ? quaternion[i] / sqrt(n) : i == 0;
  double w = q[0], x = q[1], y = q[2], z = q[3];
  const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(r, m, sizeof m);
}

// Any number becomes one within the bounds, both of them included.
static double within(double a, const double *bounds) {
  return bounds[0] + (bounds[1] - bounds[0]) * (1 + sin(a)) / 2;
}

static void strain_member(const mi_stencil *stencil, const double *at, double *p) {
  double r[9], transposed[9];
  rotation_of(at, r);
  mi_mat3_transpose(stencil->parameter, transposed);
  mi_mat3_multiply(transposed, r, p);
}

// Any matrix, scaled to a determinant (or an area) within the bounds.
static void product_member(const mi_stencil *stencil, const double *at, double *p) {
  int n = stencil->nrow;
  double m[9] = {0}, measure, sign = 1;
  memcpy(m, at, sizeof *m * (size_t)(3 * n));
  if (n == 3) {
    measure = mi_mat3_det(m);
    sign = measure < 0 ? -1 : 1;
  } else {
    m[6] = m[1] * m[5] - m[2] * m[4];
    m[7] = m[2] * m[3] - m[0] * m[5];
    m[8] = m[0] * m[4] - m[1] * m[3];
    measure = sqrt(m[6] * m[6] + m[7] * m[7] + m[8] * m[8]);
  }
  double wanted = within(at[9], stencil->parameter);
  double scale = sign * pow(wanted / fmax(sign * measure, 1e-30), 1.0 / n);
  for (int i = 0; i < 3 * n; i++) p[i] = scale * m[i];
}

static void limit_member(const mi_stencil *stencil, const double *at, double *p) {
  int n = stencil->nrow;
  double u[9], v[9];
  rotation_of(at, v);
  if (n == 3) {
    rotation_of(at + 4, u);
  } else {
    u[0] = u[4] = cos(at[4]);
    u[1] = -sin(at[4]);
    u[3] = sin(at[4]);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++) {
      p[3 * i + j] = 0;
      for (int k = 0; k < n; k++)
        p[3 * i + j] += u[3 * i + k] * within(at[8 + k], stencil->parameter) * v[3 * j + k];
    }
}

// The rest state plus any mixture of the examples, turned.
static void example_member(const mi_stencil *stencil, const double *at, double *p) {
  int n = stencil->nrow, count = (int)stencil->parameter[0];
  double r[9], b[9] = {0}, product[9];
  rotation_of(at, r);
  for (int i = 0; i < 3 * n; i++) {
    b[i] = i % 4 == 0;
    for (int k = 0; k < count; k++) b[i] += at[4 + k] * stencil->parameter[1 + 9 * k + i];
  }
  mi_mat3_multiply(b, r, product);
  memcpy(p, product, sizeof *p * (size_t)(3 * n));
}

static void length_member(const mi_stencil *stencil, const double *at, double *p) {
  double length = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
  for (int k = 0; k < 3; k++) p[k] = stencil->parameter[0] * (length > 0 ? at[k] / length : k == 0);
}

static void attachment_member(const mi_stencil *stencil, const double *at, double *p) {
  (void)at;
  memcpy(p, stencil->parameter, 3 * sizeof *p);
}

// Anywhere along the plane, and the square of a number above it.
static void plane_member(const mi_stencil *stencil, const double *at, double *p) {
  const double *point = stencil->parameter, *normal = stencil->parameter + 3;
  double height = normal[0] * at[0] + normal[1] * at[1] + normal[2] * at[2];
  for (int k = 0; k < 3; k++) p[k] = point[k] + at[k] + (height * height - height) * normal[k];
}

static member_fn *member_of(const mi_law *law, int *count) {
  static const struct {
    const mi_law *law;
    member_fn *member;
    int count;
  } table[] = {
      {&mi_law_strain, strain_member, 4},           {&mi_law_volume, product_member, 10},
      {&lab_law_triangle_area, product_member, 10}, {&lab_law_strain_limit, limit_member, 11},
      {&lab_law_triangle_strain, limit_member, 11}, {&lab_law_example, example_member, 8},
      {&lab_law_bending, length_member, 3},         {&lab_law_edge, length_member, 3},
      {&mi_law_inertia, attachment_member, 1},      {&mi_law_spring, attachment_member, 1},
      {&mi_law_attachment, attachment_member, 1},   {&lab_law_plane, plane_member, 3},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].law == law) {
      *count = table[i].count;
      return table[i].member;
    }
  return NULL;
}

typedef struct candidate {
  double at[MOST_COORDINATES];
  double p[9], distance; // squared
} candidate;

typedef struct search {
  const mi_stencil *stencil;
  const double *point;
  member_fn *member;
  int count;
  uint32_t number, drawn;
} search;

static double draw(search *s) { // in (-3, 3), close to zero more often than not
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += 2 * mi_random_unit(0x5a32, s->number, s->drawn++) - 1;
  return sum;
}

static void measure(const search *s, candidate *c) {
  s->member(s->stencil, c->at, c->p);
  c->distance = 0;
  for (int i = 0; i < 3 * s->stencil->nrow; i++)
    c->distance += (s->point[i] - c->p[i]) * (s->point[i] - c->p[i]);
}

// Damped least squares in the coordinates, with slopes by differences: knows nothing of the law.
static void refine(const search *s, candidate *best, int nstep) {
  double damping = 1e-3;
  int n = s->count;
  for (int i = 0; i < nstep && damping < 1e16; i++) {
    double slope[MOST_COORDINATES][9], a[MOST_COORDINATES * MOST_COORDINATES];
    double step[MOST_COORDINATES];
    for (int k = 0; k < n; k++) {
      candidate plus = *best, minus = *best;
      plus.at[k] += 1e-6;
      minus.at[k] -= 1e-6;
      measure(s, &plus);
      measure(s, &minus);
      for (int r = 0; r < 9; r++) slope[k][r] = (plus.p[r] - minus.p[r]) / 2e-6;
    }
    for (int j = 0; j < n; j++) {
      step[j] = 0;
      for (int r = 0; r < 9; r++) step[j] += slope[j][r] * (s->point[r] - best->p[r]);
      for (int k = 0; k < n; k++) {
        a[j * n + k] = j == k ? damping : 0;
        for (int r = 0; r < 9; r++) a[j * n + k] += slope[j][r] * slope[k][r];
      }
    }
    candidate next = *best;
    bool helps = mi_small_solve(n, a, 1, step);
    for (int k = 0; helps && k < n; k++) next.at[k] += step[k];
    measure(s, &next);
    helps = helps && next.distance < best->distance;
    damping *= helps ? 0.2 : 4;
    if (helps) *best = next;
  }
}

double search_closest(const mi_law *law, const mi_stencil *stencil, const double *point,
                      const search_effort *effort, uint32_t number) {
  double padded[9] = {0};
  search s = {.stencil = stencil, .point = padded, .number = number};
  candidate kept[MOST_STARTS];
  int nkept = 0, most = effort->nstart < MOST_STARTS ? effort->nstart : MOST_STARTS;
  if (!(s.member = member_of(law, &s.count))) return -1;
  memcpy(padded, point, sizeof *point * 3 * (size_t)stencil->nrow);
  for (int i = 0; i < effort->nsample; i++) {
    candidate trial = {0};
    for (int k = 0; k < s.count; k++) trial.at[k] = draw(&s);
    measure(&s, &trial);
    int at = nkept;
    while (at > 0 && kept[at - 1].distance > trial.distance) at--;
    if (at == most) continue;
    if (nkept < most) nkept++;
    memmove(kept + at + 1, kept + at, sizeof *kept * (size_t)(nkept - 1 - at));
    kept[at] = trial;
  }
  double least = INFINITY;
  for (int i = 0; i < nkept; i++) {
    refine(&s, kept + i, effort->nstep);
    least = fmin(least, kept[i].distance);
  }
  return sqrt(least);
}
