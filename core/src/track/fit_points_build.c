// Points of a tracker on the rig: vertices, shares and how every shape moves them.
#include "track/face_fit.h"

#include "math/vec.h"
#include "mesh/distance.h"

#include <math.h>
#include <string.h>

static mi_vec3 vertex(const mien_fit *fit, int v) {
  return mi_vec3_load(fit->rig->positions + 3 * (size_t)v);
}

static int landmark(const mien_fit *fit, int i) {
  const mien_i32s *marks = &fit->rig->info.landmarks;
  return i < marks->count ? marks->data[i] : -1;
}

static void rest_on_rig(const mien_fit *fit, mi_fit_point *point) {
  for (int c = 0; c < 3; c++) point->p[c] = 0;
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++)
      point->p[c] +=
          point->share[k] * (double)fit->rig->positions[3 * (size_t)point->vert[k] + (size_t)c];
}

// How far a shape moves a vertex; shapes list their vertices in ascending order.
static void delta_at(const mien_shape *shape, int32_t v, double out[3]) {
  out[0] = out[1] = out[2] = 0;
  int at = v, low = 0, high = shape->indices.count - 1;
  if (shape->indices.data) {
    for (at = -1; low <= high;) {
      int middle = (low + high) / 2;
      if (shape->indices.data[middle] == v) at = middle;
      if (shape->indices.data[middle] < v)
        low = middle + 1;
      else
        high = middle - 1;
    }
  }
  if (at < 0 || at >= shape->deltas.count) return;
  const float *d = mi_f32s_at(&shape->deltas, 3, at);
  for (int c = 0; c < 3; c++) out[c] = (double)d[c];
}

static double height(const mien_fit *fit) {
  return (double)(fit->rig->info.box_max[1] - fit->rig->info.box_min[1]);
}

static void make_lowrank(mien_fit *fit) {
  double least = 1e-5 * height(fit);
  fit->nlowrank = 0;
  for (int i = 0; i < fit->npoint; i++) {
    mi_fit_point *point = fit->point + i;
    point->first = fit->nlowrank;
    for (int k = 0; k < fit->nfree; k++) {
      double sum[3] = {0}, d[3];
      for (int v = 0; v < 3; v++) {
        if (point->share[v] == 0) continue;
        delta_at(fit->rig->info.shapes + fit->free[k].shape, point->vert[v], d);
        for (int c = 0; c < 3; c++) sum[c] += point->share[v] * d[c];
      }
      if (fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]) < least) continue;
      mi_fit_pull *pull = fit->pull + fit->nlowrank++;
      *pull = (mi_fit_pull){.free = k, .d = {sum[0], sum[1], sum[2]}};
    }
    point->nlowrank = fit->nlowrank - point->first;
  }
}

static int find_source(const mien_fit *fit, int source) {
  for (int i = 0; i < fit->npoint; i++)
    if (fit->point[i].source == source) return i;
  return -1;
}

static void find_gaps(mien_fit *fit) {
  fit->ngap = 0;
  for (int s = 0; s < MI_SLITS; s++) {
    const mi_slit *slit = mi_slits + s;
    bool is_mesh = fit->source == MIEN_POINTS_MESH;
    int upper = find_source(fit, is_mesh ? slit->mesh_upper : slit->upper);
    int lower = find_source(fit, is_mesh ? slit->mesh_lower : slit->lower);
    int a = landmark(fit, slit->upper), b = landmark(fit, slit->lower);
    if (upper < 0 || lower < 0 || a < 0 || b < 0) continue;
    double open = mi_distance(vertex(fit, a), vertex(fit, b));
    // a lid that is closed at rest does not tell how far it can open
    if (slit->side >= 0 && open < 0.005 * height(fit)) continue;
    fit->gap[fit->ngap++] = (mi_fit_gap){upper, lower, slit->side, open};
  }
}

bool mi_fit_place_landmarks(mien_fit *fit, int source) {
  fit->source = source;
  fit->is_whole = false;
  fit->npoint = 0;
  for (int i = 0; i < MI_LANDMARKS; i++) {
    int v = landmark(fit, i);
    if (v < 0) continue;
    mi_fit_point *point = fit->point + fit->npoint++;
    *point = (mi_fit_point){.source = source == MIEN_POINTS_MESH ? mi_mesh_of_landmark(i) : i,
                            .place = mi_place_of(false, i),
                            .vert = {v, v, v},
                            .share = {1, 0, 0}};
    rest_on_rig(fit, point);
  }
  make_lowrank(fit);
  find_gaps(fit);
  return true;
}

// -- every point of the mesh ----------------------------------------------------------------------

// A map of space that takes the performer's landmarks to the rig's and bends least in between:
// x + A x + b + sum a_k |x - x_k|.
typedef struct warp {
  int n;
  mi_vec3 at[MI_LANDMARKS];
  double coef[MI_LANDMARKS + 4][3];
} warp;

enum { WARP_SIDE = MI_LANDMARKS + 4 };

// Gaussian elimination with pivoting of the (n + 4) square saddle-point system, three right sides.
static bool eliminate(int n, double (*m)[WARP_SIDE + 3]) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
    if (fabs(m[pivot][k]) < 1e-12) return false;
    for (int j = 0; j < n + 3; j++) {
      double t = m[k][j];
      m[k][j] = m[pivot][j];
      m[pivot][j] = t;
    }
    for (int i = 0; i < n; i++) {
      double f = m[i][k] / m[k][k];
      if (i == k || f == 0) continue;
      for (int j = k; j < n + 3; j++) m[i][j] -= f * m[k][j];
    }
  }
  return true;
}

static bool make_warp(const mien_fit *fit, const double (*resting)[3], warp *w, mi_arena *scratch) {
  double(*m)[WARP_SIDE + 3] = mi_arena_push(scratch, WARP_SIDE, sizeof *m);
  mi_vec3 to[MI_LANDMARKS];
  if (!m) return false;
  w->n = 0;
  for (int i = 8; i < MI_LANDMARKS; i++) { // of the jaw only the chin is a place on the skin
    int v = landmark(fit, i);
    if (v < 0 || (i > 8 && i < 17)) continue;
    const double *p = resting[mi_mesh_of_landmark(i)];
    w->at[w->n] = (mi_vec3){p[0], p[1], p[2]};
    to[w->n] = mi_sub(vertex(fit, v), w->at[w->n]);
    w->n++;
  }
  int n = w->n, side = n + 4;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) m[i][j] = mi_distance(w->at[i], w->at[j]);
    m[i][i] -= 1e-4; // m: landmarks are not known better than that
    double one[4] = {1, w->at[i].x, w->at[i].y, w->at[i].z};
    for (int k = 0; k < 4; k++) m[i][n + k] = m[n + k][i] = one[k];
    m[i][side] = to[i].x;
    m[i][side + 1] = to[i].y;
    m[i][side + 2] = to[i].z;
  }
  // right sides stand behind the last column in use
  if (!eliminate(side, m)) return false;
  for (int i = 0; i < side; i++)
    for (int c = 0; c < 3; c++) w->coef[i][c] = m[i][side + c] / m[i][i];
  return true;
}

static mi_vec3 apply_warp(const warp *w, mi_vec3 x) {
  double out[3] = {x.x, x.y, x.z}, one[4] = {1, x.x, x.y, x.z};
  for (int k = 0; k < w->n; k++) {
    double r = mi_distance(x, w->at[k]);
    for (int c = 0; c < 3; c++) out[c] += r * w->coef[k][c];
  }
  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 3; c++) out[c] += one[k] * w->coef[w->n + k][c];
  return (mi_vec3){out[0], out[1], out[2]};
}

// The closest place on the parts that hold landmarks: the closest vertex, then the triangles at it.
static void put_on_skin(const mien_fit *fit, const bool *is_skin, mi_vec3 x, mi_fit_point *point) {
  const mien_rig_info *rig = &fit->rig->info;
  double nearest = INFINITY;
  int v = 0;
  for (int i = 0; i < rig->nvert; i++) {
    if (!is_skin[i]) continue;
    mi_vec3 d = mi_sub(vertex(fit, i), x);
    double d2 = mi_dot(d, d);
    if (d2 < nearest) nearest = d2, v = i;
  }
  *point = (mi_fit_point){
      .source = point->source, .place = point->place, .vert = {v, v, v}, .share = {1, 0, 0}};
  for (int t = 0; t < rig->ntri; t++) {
    const int32_t *tri = rig->triangles.data + 3 * (size_t)t;
    if (tri[0] != v && tri[1] != v && tri[2] != v) continue;
    double corners[12] = {x.x, x.y, x.z};
    for (int k = 0; k < 9; k++)
      corners[3 + k] = (double)fit->rig->positions[3 * (size_t)tri[k / 3] + (size_t)(k % 3)];
    mi_closest closest = mi_closest_vertex_triangle(corners);
    if (closest.d2 >= nearest) continue;
    nearest = closest.d2;
    for (int k = 0; k < 3; k++) {
      point->vert[k] = tri[k];
      point->share[k] = -closest.coef[1 + k];
    }
  }
}

static void mark_skin(const mien_fit *fit, bool *is_skin) {
  const mien_rig_info *rig = &fit->rig->info;
  for (int p = 0; p < rig->npart; p++) {
    const mien_part *part = rig->parts + p;
    bool holds = false;
    for (int i = 0; i < MI_LANDMARKS; i++) {
      int v = landmark(fit, i);
      holds |= v >= part->first_vertex && v < part->first_vertex + part->nvert;
    }
    for (int v = 0; holds && v < part->nvert; v++) is_skin[part->first_vertex + v] = true;
  }
}

bool mi_fit_place_mesh(mien_fit *fit, const double (*resting)[3]) {
  mi_arena scratch;
  mi_arena_init(&scratch, &fit->host);
  warp *w = MI_PUSH(&scratch, warp, 1);
  bool *is_skin = MI_PUSH(&scratch, bool, fit->rig->info.nvert);
  bool done = w && is_skin && make_warp(fit, resting, w, &scratch);
  if (done) {
    mark_skin(fit, is_skin);
    fit->npoint = MI_MESH_SKIN;
    for (int i = 0; i < MI_MESH_SKIN; i++) {
      mi_fit_point *point = fit->point + i;
      int a, b;
      double share;
      *point = (mi_fit_point){.source = i, .place = mi_place_of(true, i)};
      if (mi_ring_of(i, &a, &b, &share) && landmark(fit, a) >= 0 && landmark(fit, b) >= 0) {
        // between two landmarks: the nearest skin could be the other lip's
        point->vert[0] = point->vert[2] = landmark(fit, a);
        point->vert[1] = landmark(fit, b);
        point->share[0] = 1 - share;
        point->share[1] = share;
      } else {
        const double *p = resting[i];
        put_on_skin(fit, is_skin, apply_warp(w, (mi_vec3){p[0], p[1], p[2]}), point);
      }
      memcpy(point->p, resting[i], sizeof point->p);
    }
    make_lowrank(fit);
    find_gaps(fit);
    fit->is_whole = true;
  }
  mi_arena_free(&scratch);
  return done;
}

void mi_fit_take_points(mien_fit *fit, int source, const mi_fit_point *points, int count) {
  fit->source = source;
  fit->npoint = count;
  memcpy(fit->point, points, (size_t)count * sizeof *points);
  make_lowrank(fit);
  find_gaps(fit);
  fit->is_whole = true;
}
