#include "mesh_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct half_edge {
  int32_t from, to, triangle;
} half_edge;

static int compare_edges(const void *left, const void *right) {
  const half_edge *a = left, *b = right;
  int32_t a_low = a->from < a->to ? a->from : a->to, a_high = a->from ^ a->to ^ a_low;
  int32_t b_low = b->from < b->to ? b->from : b->to, b_high = b->from ^ b->to ^ b_low;
  if (a_low != b_low) return a_low < b_low ? -1 : 1;
  if (a_high != b_high) return a_high < b_high ? -1 : 1;
  return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static int find(int *parent, int v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

static void subtract(double out[3], const float *a, const float *b) {
  for (int k = 0; k < 3; k++) out[k] = (double)a[k] - b[k];
}

static void cross(double out[3], const double a[3], const double b[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void measure_triangles(const mien_rig_def *def, const mien_part *part, mesh_report *out) {
  out->least_area = 1e30;
  out->least_angle = 180.0;
  for (int t = part->first_triangle; t < part->first_triangle + part->ntri; t++) {
    const float *p[3];
    for (int k = 0; k < 3; k++) p[k] = def->positions.data + 3 * def->faces.data[3 * t + k];
    double e[3][3], normal[3], squares = 0.0, at[3] = {p[0][0], p[0][1], p[0][2]};
    for (int k = 0; k < 3; k++) {
      subtract(e[k], p[(k + 1) % 3], p[k]);
      squares += dot(e[k], e[k]);
    }
    cross(normal, e[0], e[1]);
    double twice_area = sqrt(dot(normal, normal));
    out->least_area = fmin(out->least_area, 0.5 * twice_area);
    out->volume += dot(at, normal) / 6.0;
    out->mean_quality += 2.0 * sqrt(3.0) * twice_area / squares / part->ntri;
    for (int k = 0; k < 3; k++) {
      double cosine = -dot(e[k], e[(k + 2) % 3]);
      out->least_angle = fmin(out->least_angle, atan2(twice_area, cosine) * 57.29577951308232);
    }
  }
}

// A vertex is sound when it touches as many triangles as edges (inside), or one edge more (border).
static void count_vertices(const mien_part *part, const int *ntri, const int *nedge,
                           const int *nborder, mesh_report *out) {
  for (int v = 0; v < part->nvert; v++) {
    int is_inside = nborder[v] == 0 && nedge[v] == ntri[v];
    int is_border = nborder[v] == 2 && nedge[v] == ntri[v] + 1;
    out->nbad_vertex += ntri[v] == 0 || !(is_inside || is_border);
  }
}

static void walk_edges(const mien_part *part, const half_edge *edge, int *work, mesh_report *out) {
  int *parent = work, *border_parent = work + part->nvert;
  int *nedge = work + 2 * part->nvert, *nborder = work + 3 * part->nvert;
  for (int v = 0; v < part->nvert; v++) parent[v] = border_parent[v] = v;
  int count = 3 * part->ntri;
  for (int i = 0; i < count;) {
    int n = 1, a = edge[i].from - part->first_vertex, b = edge[i].to - part->first_vertex;
    while (i + n < count && (edge[i + n].from ^ edge[i + n].to) == (edge[i].from ^ edge[i].to) &&
           (edge[i + n].from == edge[i].from || edge[i + n].from == edge[i].to))
      n++;
    parent[find(parent, a)] = find(parent, b);
    nedge[a]++, nedge[b]++;
    if (n == 1) {
      out->nborder_edge++;
      nborder[a]++, nborder[b]++;
      border_parent[find(border_parent, a)] = find(border_parent, b);
    }
    out->nbad_edge += n > 2 || (n == 2 && edge[i].from == edge[i + 1].from);
    i += n;
  }
  for (int v = 0; v < part->nvert; v++) {
    out->ncomponent += parent[v] == v;
    out->nborder_loop += border_parent[v] == v && nborder[v] > 0;
  }
}

int mesh_check(const mien_rig_def *def, const mien_part *part, mesh_report *out) {
  memset(out, 0, sizeof *out);
  half_edge *edge = malloc(3 * (size_t)part->ntri * sizeof *edge);
  int *work = calloc(5 * (size_t)part->nvert, sizeof *work);
  if (!edge || !work) {
    free(edge);
    free(work);
    return -1;
  }
  int *ntri = work + 4 * part->nvert;
  for (int t = 0; t < part->ntri; t++) {
    const int32_t *corner = def->faces.data + 3 * (part->first_triangle + t);
    for (int k = 0; k < 3; k++) {
      edge[3 * t + k] = (half_edge){corner[k], corner[(k + 1) % 3], t};
      ntri[corner[k] - part->first_vertex]++;
    }
  }
  qsort(edge, 3 * (size_t)part->ntri, sizeof *edge, compare_edges);
  walk_edges(part, edge, work, out);
  count_vertices(part, ntri, work + 2 * part->nvert, work + 3 * part->nvert, out);
  measure_triangles(def, part, out);
  free(edge);
  free(work);
  return 0;
}

// -- Crossings ------------------------------------------------------------------------------------

typedef struct box_triangle {
  float low[3], high[3];
  const int32_t *corner;
} box_triangle;

static int compare_low(const void *left, const void *right) {
  const box_triangle *a = left, *b = right;
  if (a->low[1] != b->low[1]) return a->low[1] < b->low[1] ? -1 : 1;
  return a->corner < b->corner ? -1 : a->corner > b->corner;
}

// Does the segment from p to q pass through the triangle?
static int is_pierced(const float *p, const float *q, const float *const t[3]) {
  double d[3], e1[3], e2[3], h[3], s[3], r[3];
  subtract(d, q, p), subtract(e1, t[1], t[0]), subtract(e2, t[2], t[0]), subtract(s, p, t[0]);
  cross(h, d, e2);
  double det = dot(e1, h);
  if (fabs(det) < 1e-24) return 0;
  double u = dot(s, h) / det;
  cross(r, s, e1);
  double v = dot(d, r) / det, at = dot(e2, r) / det;
  return u >= 0.0 && v >= 0.0 && u + v <= 1.0 && at >= 0.0 && at <= 1.0;
}

static int is_crossing(const float *position, const int32_t *a, const int32_t *b) {
  const float *p[3], *q[3];
  for (int i = 0; i < 3; i++) {
    p[i] = position + 3 * a[i], q[i] = position + 3 * b[i];
    for (int j = 0; j < 3; j++) {
      if (a[i] == b[j]) return 0;
    }
  }
  for (int i = 0; i < 3; i++) {
    if (is_pierced(p[i], p[(i + 1) % 3], q) || is_pierced(q[i], q[(i + 1) % 3], p)) return 1;
  }
  return 0;
}

int mesh_count_crossings(const mien_rig_def *def, const mien_part *part, const float *pose) {
  const float *position = pose ? pose : def->positions.data;
  box_triangle *box = malloc((size_t)part->ntri * sizeof *box);
  if (!box) return -1;
  for (int t = 0; t < part->ntri; t++) {
    box[t].corner = def->faces.data + 3 * (part->first_triangle + t);
    for (int k = 0; k < 3; k++) {
      float x = position[3 * box[t].corner[0] + k], y = position[3 * box[t].corner[1] + k];
      float z = position[3 * box[t].corner[2] + k];
      box[t].low[k] = fminf(x, fminf(y, z)), box[t].high[k] = fmaxf(x, fmaxf(y, z));
    }
  }
  qsort(box, (size_t)part->ntri, sizeof *box, compare_low);
  int count = 0;
  for (int i = 0; i < part->ntri; i++) {
    for (int j = i + 1; j < part->ntri && box[j].low[1] <= box[i].high[1]; j++) {
      int apart = box[j].low[0] > box[i].high[0] || box[j].high[0] < box[i].low[0] ||
                  box[j].low[2] > box[i].high[2] || box[j].high[2] < box[i].low[2];
      count += !apart && is_crossing(position, box[i].corner, box[j].corner);
    }
  }
  free(box);
  return count;
}
