// The hypodermal surface, Barrielle & Stoiber eq. 12 and 13:
//
//   t = x0 - tau n                                                                          (12)
//   min |xh - t|^2 + ws |L xh|^2 + wl |L xh - L x0|^2                                       (13)
//
// solved for u = xh - x0:  (I + (ws + wl) L'L) u = -tau n - ws L'L x0.
// The weights come from lengths, so that one setting suits every density: an umbrella L on edges of
// length e smooths features of size s when its weight is (s / e)^4.
#include "face/face.h"

#include "math/vec.h"

typedef struct system {
  const mi_csr *laplacian;
  double weight;
  double *product; // L x
} system_matrix;

// y = x + w L'(L x)
static void apply(const void *matrix, const double *x, double *y) {
  const system_matrix *a = matrix;
  int count = 3 * a->laplacian->nrow;
  mi_csr_multiply(a->laplacian, 3, x, a->product);
  for (int i = 0; i < count; i++) y[i] = x[i];
  mi_csr_multiply_transposed(a->laplacian, 3, a->weight, a->product, y);
}

static void fill_diagonal(const mi_csr *laplacian, double weight, double *diagonal) {
  for (int i = 0; i < 3 * laplacian->nrow; i++) diagonal[i] = 1;
  for (int i = 0; i < laplacian->nrow; i++)
    for (int p = laplacian->first[i]; p < laplacian->first[i + 1]; p++)
      for (int k = 0; k < 3; k++)
        diagonal[3 * (size_t)laplacian->column[p] + k] +=
            weight * laplacian->value[p] * laplacian->value[p];
}

static mien_result solve(mi_face_build *b, const mi_csr *laplacian, double ws, double wl) {
  const mi_skin *skin = &b->face->skin;
  size_t n = 3 * (size_t)skin->nvert;
  double *rest = MI_PUSH(&b->scratch, double, n), *right = MI_PUSH(&b->scratch, double, n);
  double *u = MI_PUSH(&b->scratch, double, n), *diagonal = MI_PUSH(&b->scratch, double, n);
  system_matrix a = {laplacian, ws + wl, MI_PUSH(&b->scratch, double, n)};
  if (!rest || !right || !u || !diagonal || !a.product) return mi_fail_memory(b->err);
  for (size_t i = 0; i < n; i++) {
    rest[i] = skin->position[i];
    right[i] = u[i] = -(double)b->limit[i / 3] * skin->normal[i];
  }
  mi_csr_multiply(laplacian, 3, rest, a.product);
  mi_csr_multiply_transposed(laplacian, 3, -ws, a.product, right);
  fill_diagonal(laplacian, a.weight, diagonal);
  mi_pcg pcg = {apply, &a, (int)n, diagonal, 1e-6, 500};
  mi_pcg_info done;
  if (!mi_pcg_solve(&pcg, right, u, &b->scratch, &done)) return mi_fail_memory(b->err);
  for (int i = 0; i < skin->nvert; i++) {
    // smoothing must not push flesh deeper than fits, nor leave a vertex without any
    mi_vec3 way = {u[3 * i], u[3 * i + 1], u[3 * i + 2]};
    double length = mi_length(way), most = b->limit[i], least = 0.5 * most;
    if (length > most) way = mi_scale(most / length, way);
    if (length < least) way = mi_scale(-least, mi_vec3_load(skin->normal + 3 * (size_t)i));
    mi_vec3_store(b->face->thickness_vector + 3 * (size_t)i, way);
  }
  return MIEN_OK;
}

mien_result mi_hypodermis_find(mi_face_build *b) {
  const mi_skin *skin = &b->face->skin;
  double edge = mi_mean_edge_length(&skin->topo, skin->position);
  double smoothing = b->def->smoothing < 0 ? 0.5 * b->uniform : b->def->smoothing;
  double weight = edge > 0 ? pow(smoothing / edge, 4) : 0;
  mi_csr laplacian;
  if (!mi_laplacian_build(&skin->topo, skin->position, &b->scratch, &laplacian))
    return mi_fail_memory(b->err);
  return solve(b, &laplacian, (1 - b->def->following) * weight, b->def->following * weight);
}
