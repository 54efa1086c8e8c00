// Finds the skin that can be seen from in front: it draws depth images from nine directions around
// the face's own front. Skin behind the lips, in the nostrils or behind the lids stays in the dark.
#include "rig/finding.h"

#include <string.h>

enum { MOST_PIXELS = 400, NVIEW = 9 };

static const double PIXEL = 0.6;     // mm
static const double TOLERANCE = 1.6; // mm, a lip that crosses the other a little still counts

typedef struct view {
  mi_vec3 right, up, front; // front points at the viewer
  double low[2], pixel;
  int n[2];
  float *depth; // nearest to the viewer, along `front`
} view;

static void set_direction(int k, view *v) {
  static const double YAW[3] = {-0.9, 0, 0.9}, PITCH[3] = {-0.6, 0, 0.6};
  double yaw = YAW[k % 3], pitch = PITCH[k / 3];
  v->front = (mi_vec3){sin(yaw) * cos(pitch), sin(pitch), cos(yaw) * cos(pitch)};
  v->right = (mi_vec3){cos(yaw), 0, -sin(yaw)};
  v->up = mi_cross(v->front, v->right);
}

static void frame_box(view *v, const mi_box *box, double pixel) {
  double high[2] = {-INFINITY, -INFINITY};
  v->low[0] = v->low[1] = INFINITY;
  for (int c = 0; c < 8; c++) {
    mi_vec3 x = {c & 1 ? box->high.x : box->low.x, c & 2 ? box->high.y : box->low.y,
                 c & 4 ? box->high.z : box->low.z};
    double at[2] = {mi_dot(x, v->right), mi_dot(x, v->up)};
    for (int k = 0; k < 2; k++) {
      v->low[k] = fmin(v->low[k], at[k]);
      high[k] = fmax(high[k], at[k]);
    }
  }
  v->pixel = pixel;
  for (int k = 0; k < 2; k++) v->pixel = fmax(v->pixel, (high[k] - v->low[k]) / (MOST_PIXELS - 2));
  for (int k = 0; k < 2; k++) v->n[k] = (int)((high[k] - v->low[k]) / v->pixel) + 2;
  for (int k = 0; k < v->n[0] * v->n[1]; k++) v->depth[k] = -INFINITY;
}

static mi_vec3 project(const view *v, mi_vec3 x) {
  return (mi_vec3){(mi_dot(x, v->right) - v->low[0]) / v->pixel,
                   (mi_dot(x, v->up) - v->low[1]) / v->pixel, mi_dot(x, v->front)};
}

static void draw_triangle(view *v, mi_vec3 a, mi_vec3 b, mi_vec3 c) {
  double left = fmin(a.x, fmin(b.x, c.x)), right = fmax(a.x, fmax(b.x, c.x));
  double bottom = fmin(a.y, fmin(b.y, c.y)), top = fmax(a.y, fmax(b.y, c.y));
  if (!(right >= 0 && left < v->n[0] && top >= 0 && bottom < v->n[1])) return;
  double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (fabs(area) < 1e-9) return;
  int x0 = (int)ceil(fmax(left, 0)), x1 = (int)floor(fmin(right, v->n[0] - 1));
  int y0 = (int)ceil(fmax(bottom, 0)), y1 = (int)floor(fmin(top, v->n[1] - 1));
  for (int y = y0; y <= y1; y++)
    for (int x = x0; x <= x1; x++) {
      double wb = ((x - a.x) * (c.y - a.y) - (y - a.y) * (c.x - a.x)) / area;
      double wc = ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)) / area;
      if (wb < -1e-6 || wc < -1e-6 || wb + wc > 1 + 1e-6) continue;
      float depth = (float)(a.z + wb * (b.z - a.z) + wc * (c.z - a.z));
      float *at = v->depth + (size_t)y * (size_t)v->n[0] + x;
      if (depth > *at) *at = depth;
    }
}

static bool is_seen(const view *v, mi_vec3 x, mi_vec3 normal, double tolerance) {
  if (mi_dot(normal, v->front) < 0) return false;
  mi_vec3 at = project(v, x);
  int px = (int)(at.x + 0.5), py = (int)(at.y + 0.5);
  if (px < 0 || py < 0 || px >= v->n[0] || py >= v->n[1]) return true;
  return at.z > (double)v->depth[(size_t)py * (size_t)v->n[0] + px] - tolerance;
}

bool mi_find_seen(mi_finding *f, const mi_box *box, float *seen) {
  const mi_skin *skin = f->skin;
  view v = {.depth = MI_PUSH(&f->scratch, float, MOST_PIXELS *MOST_PIXELS)};
  mi_vec3 *at = MI_PUSH(&f->scratch, mi_vec3, skin->nvert);
  if (!v.depth || !at) return false;
  memset(seen, 0, (size_t)skin->nvert * sizeof *seen);
  for (int k = 0; k < NVIEW; k++) {
    set_direction(k, &v);
    frame_box(&v, box, PIXEL * f->mm);
    for (int i = 0; i < skin->nvert; i++) at[i] = project(&v, mi_skin_at(f, i));
    for (int t = 0; t < skin->ntri; t++) {
      const int32_t *tri = skin->tri + 3 * (size_t)t;
      draw_triangle(&v, at[tri[0]], at[tri[1]], at[tri[2]]);
    }
    for (int i = 0; i < skin->nvert; i++) {
      if (!mi_box_has(box, mi_skin_at(f, i))) continue;
      if (is_seen(&v, mi_skin_at(f, i), mi_skin_normal(f, i), TOLERANCE * f->mm))
        seen[i] += 1.0f / NVIEW;
    }
  }
  return true;
}
