// Checks of scans: whether they can be this face.
#include "fit/muscle_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// No muscle stretches flesh to more than five times its length (mien_input.activations), so that
// neighbours move apart by four edges at most. The edge is the mesh's mean: where the mesh is
// finer, the noise of a scan alone is longer than an edge.
static const double SPIKE = 5 - 1;
// Muscles come in pairs, one on each side of the face. Who sees less than half of the skin sees
// some of them on neither side.
static const double UNSEEN = 0.5;
// Bone holds half of a head's skin in every expression: quartiles of how long edges are against the
// neutral differ by what noise does to the shortest, which are as long as it is and come out up to
// twice as long. In another order edges are distances all over the face.
static const double SCATTER = 2;
// For the same reason half of the edges keep their direction. A head turned by t moves the ends of
// an edge apart by 2 sin(t / 2) of it: one that is turned by 41 degrees or more was not aligned.
static const double APART = 0.7;
// Files round positions to this share of the face's size, and no scanner sees less.
static const double ROUNDING = 1e-5;

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return count ? values[count / 2] : 0;
}

static int shown_vert(const mien_face *face, int skin) {
  int vert = face->skin.vert[skin];
  return face->embedding.render_skin ? face->embedding.source[vert] : vert;
}

static bool load(const mien_face *face, const mien_f32s *target, int skin, mi_vec3 *at) {
  const float *p = mi_f32s_at(target, 3, shown_vert(face, skin));
  *at = mi_vec3_load(p);
  return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

// How long edges are against the neutral: median, and the upper quartile against the lower one,
// which another unit leaves near 1 and another order does not; and by how much of their length
// neighbours move apart from each other (median).
static void compare_edges(const mien_face *face, const mien_f32s *target, double *ratio,
                          double *usual, double *scatter, double *sheared) {
  const mi_topology *topo = &face->skin.topo;
  double *apart = ratio + topo->nedge;
  int count = 0;
  for (int e = 0; e < topo->nedge; e++) {
    mi_vec3 a, b;
    int i = topo->edge[2 * e], j = topo->edge[2 * e + 1];
    if (!load(face, target, i, &a) || !load(face, target, j, &b)) continue;
    mi_vec3 edge = mi_sub(mi_vec3_load(face->skin.position + 3 * (size_t)i),
                          mi_vec3_load(face->skin.position + 3 * (size_t)j));
    double rest = mi_length(edge);
    if (!(rest > 0)) continue;
    apart[count] = mi_length(mi_sub(mi_sub(a, b), edge)) / rest;
    ratio[count++] = mi_distance(a, b) / rest;
  }
  *sheared = median(apart, count);
  *usual = median(ratio, count);
  *scatter = count ? ratio[3 * count / 4] / fmax(ratio[count / 4], 1e-9) : 1;
}

// Median distance of skin that the skull holds from the neutral, in thicknesses of its flesh. Over
// bone skin slides by a shear of the flesh between: by more than its thickness, nothing does.
static double find_shift(const mien_face *face, const mien_f32s *target, double *shift,
                         double *metres) {
  int count = 0;
  double thickness = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    mi_vec3 at, rest = mi_vec3_load(face->skin.position + 3 * (size_t)i);
    bool is_held = face->regions.attachment[i] >= 1 && !(face->jaw[i] > 0);
    if (!is_held || !(face->thickness[i] > 0) || !load(face, target, i, &at)) continue;
    shift[count++] = mi_distance(at, rest) / (double)face->thickness[i];
    thickness += (double)face->thickness[i];
  }
  double usual = median(shift, count);
  *metres = count ? usual * thickness / count : 0;
  return usual;
}

static mien_result check_one(const mien_face *face, const mien_muscle_target *target,
                             mi_arena *scratch, mien_error *err) {
  int nvert = mi_face_render_skin(face)->info.nvert, nseen = 0;
  const char *name = target->name ? target->name : "without a name";
  double usual, scatter, sheared, shift,
      *ratio =
          MI_PUSH(scratch, double, 2 * (size_t)face->skin.topo.nedge + (size_t)face->skin.nvert);
  if (!ratio) return mi_fail_memory(err);
  if (!target->positions.data || target->positions.count != nvert)
    return mi_fail(
        err, MIEN_ERR_MISMATCH,
        "the target '%s' has %d vertices, the rig has %d: vertices are missing, or it is "
        "of another mesh",
        name, target->positions.count, nvert);
  for (int i = 0; i < face->skin.nvert; i++) {
    mi_vec3 at;
    nseen += load(face, &target->positions, i, &at);
  }
  if (nseen < UNSEEN * face->skin.nvert)
    return mi_fail(err, MIEN_ERR_MISMATCH,
                   "of the target '%s' only %d of %d vertices of the skin are seen; half of them "
                   "are needed",
                   name, nseen, face->skin.nvert);
  compare_edges(face, &target->positions, ratio, &usual, &scatter, &sheared);
  bool is_size = usual > 0.5 && usual < 2;
  if (scatter > SCATTER || (is_size && sheared > APART))
    return mi_fail(err, MIEN_ERR_MISMATCH,
                   "the target '%s' has its vertices in another order than the rig: neighbours lie "
                   "far apart, or it is turned against the rig's neutral",
                   name);
  if (!is_size)
    return mi_fail(err, MIEN_ERR_MISMATCH,
                   "the target '%s' is %.3g times as large as the rig: it must be in metres", name,
                   usual);
  if (find_shift(face, &target->positions, ratio, &shift) > 1)
    return mi_fail(
        err, MIEN_ERR_MISMATCH,
        "the target '%s' is not aligned with the rig's neutral: skin that the skull holds "
        "is %.0f mm off; the head has moved, it is of another size, or its vertices are "
        "in another order",
        name, 1e3 * shift);
  return MIEN_OK;
}

// Distance of a vertex's motion from the mean of its neighbours' motion.
static bool is_spike(const mien_face *face, const mien_f32s *target, int i, double edge) {
  const mi_topology *topo = &face->skin.topo;
  mi_vec3 sum = {0, 0, 0}, at;
  int count = 0;
  if (!load(face, target, i, &at)) return false;
  mi_vec3 by = mi_sub(at, mi_vec3_load(face->skin.position + 3 * (size_t)i));
  for (int k = topo->nbr_first[i]; k < topo->nbr_first[i + 1]; k++) {
    int j = topo->nbr[k];
    if (!load(face, target, j, &at)) continue;
    sum = mi_add(sum, mi_sub(at, mi_vec3_load(face->skin.position + 3 * (size_t)j)));
    count++;
  }
  return count && mi_length(mi_sub(by, mi_scale(1.0 / count, sum))) > SPIKE * edge;
}

mien_result mi_muscle_target_clean(const mien_face *face, const mien_muscle_target *target,
                                   mi_arena *arena, mien_f32s *out, mien_error *err) {
  int nvert = mi_face_render_skin(face)->info.nvert, nspike = 0;
  mien_result result = check_one(face, target, arena, err);
  if (result < 0) return result;
  float *copy = MI_PUSH(arena, float, 3 * (size_t)nvert);
  if (!copy) return mi_fail_memory(err);
  for (int k = 0; k < 3 * nvert; k++) copy[k] = mi_f32s_at(&target->positions, 3, k / 3)[k % 3];
  double edge = mi_mean_edge_length(&face->skin.topo, face->skin.position);
  for (int i = 0; i < face->skin.nvert; i++) {
    if (!is_spike(face, &target->positions, i, edge)) continue;
    copy[3 * (size_t)shown_vert(face, i)] = NAN;
    nspike++;
  }
  *out = (mien_f32s){copy, nvert, 3};
  return nspike ? MIEN_REMARK : MIEN_OK;
}

// Expressions that all leave the neutral in the same way say that it is not one. Where none leaves
// it they are copies of it.
static mien_result check_neutral(mi_muscle_fit *fit, mien_error *err) {
  const mien_face *face = fit->face;
  double common = 0, each = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    mi_vec3 sum = {0, 0, 0}, rest = mi_vec3_load(face->skin.position + 3 * (size_t)i);
    for (int k = 0; k < fit->count; k++) {
      mi_vec3 at;
      if (!load(face, &fit->def->muscle_targets[k].positions, i, &at)) at = rest;
      mi_vec3 by = mi_sub(at, rest);
      sum = mi_add_scaled(sum, 1.0 / fit->count, by);
      each += mi_dot(by, by) / fit->count;
    }
    common += mi_dot(sum, sum);
  }
  if (!(sqrt(each / face->skin.nvert) > ROUNDING * (double)face->skin.size))
    return mi_fail(err, MIEN_ERR_MISMATCH,
                   "no target leaves the rig's neutral: there is no expression to fit muscles to");
  double off = sqrt(common / face->skin.nvert);
  if (fit->count < 3 || common < 0.7 * each || off < 0.01 * face->skin.size) return MIEN_OK;
  bool said = mi_remark(&fit->face->remarks,
                        "all targets leave the neutral in the same way, by %.1f mm: is the rig's "
                        "neutral the subject's, and are the scans aligned with it?",
                        1e3 * off);
  return said ? MIEN_OK : mi_fail_memory(err);
}

mien_result mi_muscle_targets_check(mi_muscle_fit *fit, mien_error *err) {
  if (fit->count < 2 || !fit->def->muscle_targets)
    return mi_fail(err, MIEN_ERR_ARGUMENT,
                   "muscles are fitted to 2 expressions at least; %d were given",
                   fit->def->muscle_targets ? fit->count : 0);
  for (int k = 0; k < fit->count; k++) {
    mien_result result = check_one(fit->face, fit->def->muscle_targets + k, &fit->arena, err);
    if (result < 0) return result;
  }
  return check_neutral(fit, err);
}
