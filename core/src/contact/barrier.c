#include "contact/barrier.h"

#include "math/vec.h"
#include "mesh/distance.h"

mi_barrier_value mi_barrier_at(double gap, double d_hat) {
  if (gap >= d_hat) return (mi_barrier_value){0, 0, 0};
  if (!(gap > 0)) return (mi_barrier_value){INFINITY, 0, 0};
  double below = gap - d_hat, log_gap = log(gap / d_hat), ratio = below / gap;
  return (mi_barrier_value){-below * below * log_gap, -below * (2 * log_gap + ratio),
                            -2 * log_gap - 4 * ratio + ratio * ratio};
}

static mi_vec3 at(const float *position, int vert) {
  return mi_vec3_load(position + 3 * (size_t)vert);
}

// -- Mollifier: m(c) = c / p (2 - c / p) below c = p, else 1 (Li et al. 2020, eq. 24) -------------

// c = |u x v|^2 as |u|^2 |v|^2 - (u . v)^2 would lose everything when edges are parallel
static double mollify(const mi_contact *contact, mi_vec3 u, mi_vec3 v, double *slope) {
  mi_vec3 cross = mi_cross(u, v);
  double limit = (double)contact->parallel, share = mi_dot(cross, cross) / limit;
  *slope = 0;
  if (!(share < 1)) return 1;
  *slope = 2 * (1 - share) / limit;
  return share * (2 - share);
}

static bool is_mollified(const mi_contact *contact) {
  return contact->is_edges && contact->parallel > 0;
}

void mi_contact_measure(mi_contact *contact, const float *position) {
  double x[12];
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++) x[3 * i + k] = position[3 * (size_t)contact->vert[i] + (size_t)k];
  mi_closest c = contact->is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
  contact->support = (unsigned char)c.support;
  contact->distance = sqrt(c.d2);
  for (int i = 0; i < 4; i++) contact->coef[i] = c.coef[i];
  double scale = contact->distance > 0 ? 1 / contact->distance : 0;
  for (int k = 0; k < 3; k++) contact->normal[k] = scale * c.r[k];
  contact->mollifier = 1;
  if (!is_mollified(contact)) return;
  const int32_t *vert = contact->vert;
  double slope;
  contact->mollifier = mollify(contact, mi_sub(at(position, vert[1]), at(position, vert[0])),
                               mi_sub(at(position, vert[3]), at(position, vert[2])), &slope);
}

static mi_barrier_value value_of(const mi_contact *contact, const mi_barrier *barrier) {
  return mi_barrier_at(contact->distance - (double)contact->offset, barrier->d_hat);
}

double mi_contact_energy(const mi_contact *contact, const mi_barrier *barrier) {
  double value = value_of(contact, barrier).value;
  // parallel edges that touch: 0 times infinity is still a closed gap
  if (value == INFINITY) return INFINITY;
  return barrier->kappa * (double)contact->area * contact->mollifier * value;
}

// grad (m b) = m b' coef (x) n + b m' grad c,  grad_u c = 2 v x (u x v),  grad_v c = 2 (u x v) x u
void mi_contact_gradient(const mi_contact *contact, const mi_barrier *barrier,
                         const float *position, double gradient[12]) {
  double scale = barrier->kappa * (double)contact->area;
  mi_barrier_value b = value_of(contact, barrier);
  double push = scale * contact->mollifier * b.first;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++) gradient[3 * i + k] = push * contact->coef[i] * contact->normal[k];
  if (contact->mollifier >= 1 || b.value == INFINITY) return;
  const int32_t *vert = contact->vert;
  mi_vec3 u = mi_sub(at(position, vert[1]), at(position, vert[0]));
  mi_vec3 v = mi_sub(at(position, vert[3]), at(position, vert[2]));
  double slope;
  mollify(contact, u, v, &slope);
  mi_vec3 cross = mi_cross(u, v);
  mi_vec3 by_u = mi_scale(2 * scale * b.value * slope, mi_cross(v, cross));
  mi_vec3 by_v = mi_scale(2 * scale * b.value * slope, mi_cross(cross, u));
  const mi_vec3 part[4] = {mi_scale(-1, by_u), by_u, mi_scale(-1, by_v), by_v};
  for (int i = 0; i < 4; i++) {
    gradient[3 * i] += part[i].x;
    gradient[3 * i + 1] += part[i].y;
    gradient[3 * i + 2] += part[i].z;
  }
}

// -- Stiffness ------------------------------------------------------------------------------------

double mi_kappa_for_stiffness(double stiffness, double area, double d_hat, double share) {
  return stiffness / (area * mi_barrier_at(share * d_hat, d_hat).second);
}

double mi_kappa_adapt(double kappa, double most, double gap_before, double gap_now,
                      double threshold) {
  bool is_sinking = gap_before < threshold && gap_now < threshold && gap_now < gap_before;
  if (!is_sinking || kappa >= most) return kappa;
  return 2 * kappa < most ? 2 * kappa : most;
}
