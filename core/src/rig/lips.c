// Lips, inner lips and mouth bag: the skin around and behind the slit.
#include "rig/finding.h"

static const double LIP_HEIGHT = 15; // mm along the skin from the slit, in the middle of the mouth
static const double INNER_DEPTH = 12;
static const double CONTACT_MARGIN = 5;

typedef struct lip_work {
  mi_finding *f;
  float *distance[2]; // m, along the surface from the upper, lower half of the slit   (nvert)
  int32_t *source[2]; // the slit vertex it was measured from                          (nvert)
  float *taper;       // slit vertex: 0 at a corner, 1 in the middle                   (nvert)
  float *reach;       // m, how far from the slit the lip goes here                  (nvert)
  float *rim;         // distance over reach: 1 on the rim of a lip                  (nvert)
  bool *is_inside;    // behind the slit                                               (nvert)
  double height[2];   // m, of the upper and lower lip
} lip_work;

static int slit_vertex(const mi_regions *out, int lip, int k) {
  if (lip == 0) return out->slit[k];
  return out->slit[(out->nslit_upper - 1 + k) % out->nslit]; // left corner ... right corner
}

static int slit_count(const mi_regions *out, int lip) {
  return lip == 0 ? out->nslit_upper : out->nslit - out->nslit_upper + 2;
}

static double slit_length(const mi_finding *f, int lip) {
  double length = 0;
  for (int k = 0; k + 1 < slit_count(f->out, lip); k++)
    length += mi_distance(mi_skin_at(f, slit_vertex(f->out, lip, k)),
                          mi_skin_at(f, slit_vertex(f->out, lip, k + 1)));
  return length;
}

static bool measure_from(lip_work *w, int lip) {
  mi_finding *f = w->f;
  int nvert = f->skin->nvert, count = slit_count(f->out, lip);
  float *start = MI_PUSH(&f->scratch, float, nvert);
  w->distance[lip] = MI_PUSH(&f->scratch, float, nvert);
  w->source[lip] = MI_PUSH(&f->scratch, int32_t, nvert);
  if (!start || !w->distance[lip] || !w->source[lip]) return false;
  for (int i = 0; i < nvert; i++) start[i] = INFINITY;
  double length = slit_length(f, lip), along = 0;
  for (int k = 0; k < count; k++) {
    int i = slit_vertex(f->out, lip, k);
    if (k > 0)
      along += mi_distance(mi_skin_at(f, i), mi_skin_at(f, slit_vertex(f->out, lip, k - 1)));
    start[i] = 0;
    w->taper[i] = (float)(2 * fmin(along, length - along) / length);
  }
  return mi_geodesic(&f->skin->topo, f->skin->position, start, 40 * f->mm, &f->scratch,
                     w->distance[lip], w->source[lip]);
}

// Skin cut along the slit falls into pieces: the largest is the face, the others lie behind it.
// Where lips are welded beyond the ends of the slit, face and mouth hang together along edges with
// more than two triangles: the cut goes on there.
static bool mark_inside(lip_work *w) {
  mi_finding *f = w->f;
  const mi_topology *topo = &f->skin->topo;
  int32_t *piece = MI_PUSH(&f->scratch, int32_t, topo->nvert);
  int32_t *stack = MI_PUSH(&f->scratch, int32_t, topo->nvert);
  double *area = MI_PUSH(&f->scratch, double, topo->nvert);
  bool *touches = MI_PUSH(&f->scratch, bool, topo->nvert);
  w->is_inside = MI_PUSH(&f->scratch, bool, topo->nvert);
  if (!piece || !stack || !area || !touches || !w->is_inside) return false;
  for (int i = 0; i < topo->nvert; i++) piece[i] = -1;
  for (int e = 0; e < topo->nedge; e++)
    if (topo->edge_ntri[e] > 2) piece[topo->edge[2 * e]] = piece[topo->edge[2 * e + 1]] = -3;
  for (int k = 0; k < f->out->nslit; k++) piece[f->out->slit[k]] = -2;
  for (int i = 0; i < topo->nvert; i++) {
    if (piece[i] != -1) continue;
    int depth = 0;
    stack[depth++] = i;
    piece[i] = i;
    while (depth) {
      int a = stack[--depth];
      area[i] += f->area[a];
      for (int k = topo->nbr_first[a]; k < topo->nbr_first[a + 1]; k++) {
        int b = topo->nbr[k];
        if (piece[b] == -2) touches[i] = true;
        if (piece[b] != -1) continue;
        piece[b] = i;
        stack[depth++] = b;
      }
    }
  }
  int face = -1;
  double behind = 0;
  for (int i = 0; i < topo->nvert; i++)
    if (touches[i] && (face < 0 || area[i] > area[face])) face = i;
  for (int i = 0; i < topo->nvert; i++)
    if (touches[i] && i != face) behind = fmax(behind, area[i]);
  // Small pieces cut off where the slit turns around in a corner belong to the face.
  for (int i = 0; i < topo->nvert; i++)
    w->is_inside[i] =
        piece[i] >= 0 && piece[i] != face && touches[piece[i]] && area[piece[i]] > 0.05 * behind;
  return true;
}

// Landmarks on the outer rim of the lips say how high they are; otherwise the size of face and
// mouth.
static void measure_heights(lip_work *w) {
  static const int OUTER[2][3] = {{50, 51, 52}, {56, 57, 58}};
  const mi_finding *f = w->f;
  double width = mi_distance(mi_skin_at(f, f->out->slit[0]),
                             mi_skin_at(f, f->out->slit[f->out->nslit_upper - 1]));
  for (int lip = 0; lip < 2; lip++) {
    double usual = fmin(LIP_HEIGHT * f->mm, 0.33 * width), rim = 0;
    for (int k = 0; k < 3; k++) {
      int i = f->landmark[OUTER[lip][k]];
      rim = fmax(rim, i >= 0 ? (double)w->distance[lip][i] : INFINITY);
    }
    w->height[lip] = rim < 1.6 * usual && rim > 0.3 * usual ? 1.1 * rim : usual;
  }
}

static double smooth_step(double t) {
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return t * t * (3 - 2 * t);
}

// The nearer half of the slit. Deep in the mouth distances say little: there the half counts whose
// jaw motion is similar; around the corners, where both halves meet, the side above or below
// counts.
static int nearest_lip(const lip_work *w, int i) {
  double upper = w->distance[0][i], lower = w->distance[1][i];
  if (!(upper < INFINITY) || !(lower < INFINITY)) return lower < upper;
  int a = w->source[0][i], b = w->source[1][i];
  const float *jaw = w->f->out->jaw;
  double nearer = upper + lower > 0 ? (upper - lower) / (upper + lower) : 0, alike = 0;
  if (jaw[b] > jaw[a] + 0.05f)
    alike = fmin(1, fmax(-1, 2 * (jaw[i] - jaw[a]) / (jaw[b] - jaw[a]) - 1));
  double middle = 0.5 * (mi_skin_at(w->f, a).y + mi_skin_at(w->f, b).y);
  double below = fmin(1, fmax(-1, (middle - mi_skin_at(w->f, i).y) / (2 * w->f->mm)));
  double corner = 1 - smooth_step(3 * fmin(w->taper[a], w->taper[b]));
  return nearer + 0.5 * alike + corner * below > 0;
}

// Distance divided by reach, slightly smoothed, because distances along edges make a ragged rim.
// 1 = at the rim.
static bool measure_rim(lip_work *w) {
  mi_finding *f = w->f;
  w->rim = MI_PUSH(&f->scratch, float, f->skin->nvert);
  w->reach = MI_PUSH(&f->scratch, float, f->skin->nvert);
  if (!w->rim || !w->reach) return false;
  for (int i = 0; i < f->skin->nvert; i++) {
    int lip = nearest_lip(w, i);
    double distance = w->distance[lip][i], reach = INNER_DEPTH * f->mm;
    w->rim[i] = 3;
    w->reach[i] = (float)reach;
    if (!(distance < INFINITY)) continue;
    double taper = smooth_step(1.6 * w->taper[w->source[lip][i]]);
    if (!w->is_inside[i]) reach = w->height[lip] * (0.3 + 0.7 * taper);
    w->rim[i] = (float)fmin(3, distance / reach);
    w->reach[i] = (float)reach;
  }
  return mi_smooth_over_skin(f, w->rim, NULL, 3);
}

static void mark_vertex(lip_work *w, int i) {
  static const int32_t LIP[2] = {MIEN_REGION_LIP_UPPER, MIEN_REGION_LIP_LOWER};
  int32_t *bits = w->f->out->bits + i;
  bool is_lip = w->rim[i] <= 1;
  double margin = CONTACT_MARGIN * w->f->mm / w->reach[i];
  if (is_lip) *bits |= LIP[nearest_lip(w, i)];
  if (w->is_inside[i]) *bits |= is_lip ? MIEN_REGION_LIP_INNER : MIEN_REGION_MOUTH_BAG;
  if (w->rim[i] <= 1 + margin) *bits |= MIEN_REGION_CONTACT;
}

bool mi_find_lips(mi_finding *f) {
  if (!f->out->has_mouth) return true;
  lip_work w = {.f = f, .taper = MI_PUSH(&f->scratch, float, f->skin->nvert)};
  if (!w.taper || !measure_from(&w, 0) || !measure_from(&w, 1) || !mark_inside(&w)) return false;
  measure_heights(&w);
  if (!measure_rim(&w)) return false;
  for (int i = 0; i < f->skin->nvert; i++) mark_vertex(&w, i);
  for (int k = 0; k < f->out->nslit; k++) { // the slit itself is lip, however the rim was evened
    int i = f->out->slit[k];
    f->out->bits[i] |= MIEN_REGION_CONTACT;
    if (!(f->out->bits[i] & (MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER)))
      f->out->bits[i] |= nearest_lip(&w, i) ? MIEN_REGION_LIP_LOWER : MIEN_REGION_LIP_UPPER;
  }
  return true;
}
