// The Hessian of a barrier without its negative eigenvalues, in closed form up to a 5 x 5 problem.
//
// With f = d^2 / 2 = min over u of |r(u, x)|^2 / 2 and r linear in x and in the free parameters u
// of the closest points, hess f = C'C - B' A^-1 B, where C = coef (x) I3, A = J'J, J = dr/du and
// B_u = dcoef/du (x) r + coef (x) r_u. Measuring u along orthonormal tangents t_k = r_u makes A =
// I; with w_k = dcoef/du_k, r = d n and n normal to t_k, what is left of E(d) is
//   hess E = E'' cn cn' - E' sum_k (d wn_k wn_k' + wn_k ct_k' + ct_k wn_k')
//            + E' / d sum over tangents that are not free  ct ct'
// with cn = coef (x) n, ct = coef (x) t, wn = w (x) n. E' < 0: the last sum has only negative
// eigenvalues and is orthogonal to the rest, which lives in the span of at most five vectors.
// Its inertia is at most (3, 2), so three terms are enough.
#include "contact/pair_kernels.h"

#include "math/vec.h"

enum { MOST = 5 };

typedef struct frame {
  int nfree;
  mi_vec3 t[2];               // orthonormal tangents
  double w[2][4];             // dcoef along them; after `align`, their part beside coef, unit
  double across[2], along[2]; // lengths of those parts, and along the unit coef
} frame;

static double dot4(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// a -= s b
static void take(double *a, double s, const double *b) {
  for (int i = 0; i < 4; i++) a[i] -= s * b[i];
}

static mi_vec3 slide(const mi_contact *contact, const float *position, const double *slope) {
  mi_vec3 sum = {0, 0, 0}, o = mi_vec3_load(position + 3 * (size_t)contact->vert[0]);
  for (int i = 1; i < 4; i++) {
    mi_vec3 x = mi_sub(mi_vec3_load(position + 3 * (size_t)contact->vert[i]), o);
    sum = mi_add_scaled(sum, slope[i], x);
  }
  return sum;
}

// Gram-Schmidt on r_u; a direction that is not there any more (parallel edges) is not free.
static void find_tangents(const mi_contact *contact, const float *position, frame *f) {
  double slope[2][4];
  int nslope = mi_closest_slopes(contact->support, contact->is_edges, slope);
  f->nfree = 0;
  for (int k = 0; k < nslope; k++) {
    mi_vec3 r = slide(contact, position, slope[k]);
    double whole = mi_dot(r, r);
    if (f->nfree) {
      double shared = mi_dot(f->t[0], r);
      r = mi_add_scaled(r, -shared, f->t[0]);
      take(slope[k], shared, f->w[0]);
    }
    double left = mi_dot(r, r);
    if (!(left > 1e-24 * whole)) continue;
    double scale = 1 / sqrt(left);
    f->t[f->nfree] = mi_scale(scale, r);
    for (int i = 0; i < 4; i++) f->w[f->nfree][i] = scale * slope[k][i];
    f->nfree++;
  }
}

// Splits w_k along and across coef, and turns both tangents so that the parts across are orthogonal
// (the sum over k does not change when t and w turn together).
static void align(const double *unit_coef, frame *f) {
  for (int k = 0; k < f->nfree; k++) {
    f->along[k] = dot4(f->w[k], unit_coef);
    take(f->w[k], f->along[k], unit_coef);
  }
  if (f->nfree == 2) {
    double xx = dot4(f->w[0], f->w[0]), yy = dot4(f->w[1], f->w[1]), xy = dot4(f->w[0], f->w[1]);
    double c = 1, s = 0; // a Jacobi turn
    if (xy != 0) {
      double theta = (xx - yy) / (2 * xy);
      double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
      c = 1 / sqrt(t * t + 1);
      s = c * t;
    }
    mi_vec3 first = f->t[0];
    f->t[0] = mi_add_scaled(mi_scale(c, first), s, f->t[1]);
    f->t[1] = mi_add_scaled(mi_scale(c, f->t[1]), -s, first);
    double along = f->along[0];
    f->along[0] = c * along + s * f->along[1];
    f->along[1] = c * f->along[1] - s * along;
    for (int i = 0; i < 4; i++) {
      double w = f->w[0][i];
      f->w[0][i] = c * w + s * f->w[1][i];
      f->w[1][i] = c * f->w[1][i] - s * w;
    }
  }
  for (int k = 0; k < f->nfree; k++) {
    f->across[k] = sqrt(dot4(f->w[k], f->w[k]));
    for (int i = 0; f->across[k] > 0 && i < 4; i++) f->w[k][i] /= f->across[k];
  }
}

// In the basis: unit coef (x) n, then for each k the part of w_k across (x) n, and unit coef (x)
// t_k; the entries with i <= j of lane `l`. What is not there stays zero.
static void fill(const frame *f, double length, double distance, mi_barrier_value e, mi_five *a,
                 int l) {
  double push = -e.first, corner = e.second * length * length;
  for (int k = 0; k < f->nfree; k++) {
    int w = 1 + 2 * k, t = w + 1;
    corner += push * distance * f->along[k] * f->along[k];
    a->entry[0][w][l] = push * distance * f->along[k] * f->across[k];
    a->entry[w][w][l] = push * distance * f->across[k] * f->across[k];
    a->entry[0][t][l] = push * length * f->along[k];
    a->entry[w][t][l] = push * length * f->across[k];
  }
  a->entry[0][0][l] = corner;
}

// One eigenvector back in the space of the four points.
static void expand(const frame *f, const double *unit_coef, const double *normal, const double *q,
                   double *vector) {
  double y[4];
  mi_vec3 t = {0, 0, 0};
  for (int i = 0; i < 4; i++) y[i] = q[0] * unit_coef[i];
  for (int k = 0; k < f->nfree; k++) {
    take(y, -q[1 + 2 * k], f->w[k]);
    t = mi_add_scaled(t, q[2 + 2 * k], f->t[k]);
  }
  for (int i = 0; i < 4; i++) {
    vector[3 * i] = y[i] * normal[0] + unit_coef[i] * t.x;
    vector[3 * i + 1] = y[i] * normal[1] + unit_coef[i] * t.y;
    vector[3 * i + 2] = y[i] * normal[2] + unit_coef[i] * t.z;
  }
}

typedef struct problem { // of one contact
  frame frame;
  double unit_coef[4];
  bool is_any;
} problem;

static void begin(const mi_contact *contact, const mi_barrier *barrier, const float *position,
                  problem *p, mi_five *a, int l) {
  double scale = barrier->kappa * (double)contact->area * contact->mollifier;
  mi_barrier_value e = mi_barrier_at(contact->distance - (double)contact->offset, barrier->d_hat);
  e.first *= scale;
  e.second *= scale;
  p->is_any = e.second > 0 && contact->distance > 0;
  if (!p->is_any) return;
  find_tangents(contact, position, &p->frame);
  double length = sqrt(dot4(contact->coef, contact->coef));
  for (int i = 0; i < 4; i++) p->unit_coef[i] = contact->coef[i] / length;
  align(p->unit_coef, &p->frame);
  fill(&p->frame, length, contact->distance, e, a, l);
}

static void finish(const mi_contact *contact, const problem *p, const mi_five *a, const mi_five *q,
                   int l, mi_contact_hessian *hessian) {
  bool is_taken[MOST] = {false};
  int n = 1 + 2 * p->frame.nfree;
  while (hessian->count < 3) {
    int best = -1;
    for (int i = 0; i < n; i++)
      if (!is_taken[i] && a->entry[i][i][l] > 0 &&
          (best < 0 || a->entry[i][i][l] > a->entry[best][best][l]))
        best = i;
    if (best < 0) return;
    is_taken[best] = true;
    double row[MOST];
    for (int i = 0; i < MOST; i++) row[i] = q->entry[best][i][l];
    hessian->weight[hessian->count] = a->entry[best][best][l];
    expand(&p->frame, p->unit_coef, contact->normal, row, hessian->vector[hessian->count++]);
  }
}

void mi_contact_hessians_psd(const mi_contact *contact, int count, const mi_barrier *barrier,
                             const float *position, mi_contact_hessian *hessian) {
  const mi_pair_kernels *kernels = mi_pair_kernels_best();
  for (int first = 0; first < count; first += MI_PAIRS) {
    int here = count - first < MI_PAIRS ? count - first : MI_PAIRS;
    problem p[MI_PAIRS];
    mi_five a = {0}, q;
    for (int l = 0; l < here; l++) begin(contact + first + l, barrier, position, p + l, &a, l);
    kernels->diagonalise(&a, &q);
    for (int l = 0; l < here; l++) {
      hessian[first + l].count = 0;
      if (p[l].is_any) finish(contact + first + l, p + l, &a, &q, l, hessian + first + l);
    }
  }
}
