#include "paint.h"

#include <stdlib.h>
#include <string.h>

#include "shapes.h"

typedef struct rgb {
  double c[3];
} rgb;

static rgb blend(rgb a, rgb b, double t) {
  for (int i = 0; i < 3; i++) a.c[i] = mix(a.c[i], b.c[i], t);
  return a;
}

static double spot(vec3 p, vec3 centre, double radius) {
  return ramp(radius, 0.0, v3_length(v3_sub(p, centre)));
}

// Distance in the frontal plane from the line of the brow, and how far along it.
static double brow_weight(vec3 p) {
  double x = fabs(p.x);
  double t = (x - 13.0) / 40.0;
  if (t < -0.1 || t > 1.1 || p.z < 50.0) return 0.0;
  double line = 34.8 + 6.2 * sin(acos(-1.0) * clamp01(0.55 * t + 0.1)) - 3.6 * t * t * t;
  double half = mix(4.2, 2.0, clamp01(t));
  return ramp(half + 1.8, half - 1.2, fabs(p.y - line)) * ramp(-0.08, 0.06, t) *
         ramp(1.05, 0.85, t);
}

static rgb skin_tone(vec3 p, double brow) {
  static const rgb base = {{0.72, 0.44, 0.32}};
  static const rgb warm = {{0.70, 0.30, 0.21}};
  static const rgb shade = {{0.10, 0.055, 0.035}};
  vec3 q = v3(fabs(p.x), p.y, p.z);
  double blush = 0.42 * spot(q, v3(42, -20, 78), 30) + 0.45 * spot(q, v3(0, -20, 114), 22) +
                 0.12 * spot(q, v3(0, -88, 100), 22);
  rgb c = blend(base, warm, blush);
  double nostril = spot(q, v3(6.4, -28.0, 103.0), 6.0);
  c = blend(c, shade, 0.85 * nostril);
  return blend(c, shade, brow * brow_weight(p));
}

static rgb vertex_colour(const skin_vertex *v, double brow) {
  static const rgb lip = {{0.56, 0.20, 0.165}};
  static const rgb wet = {{0.40, 0.10, 0.09}};
  static const rgb deep = {{0.10, 0.022, 0.02}};
  static const rgb ear = {{0.70, 0.31, 0.23}};
  static const rgb lash = {{0.07, 0.04, 0.03}};
  static const rgb rim = {{0.66, 0.33, 0.27}};
  double ring = v->channel[CH_MOUTH_RING];
  double eye = v->channel[CH_EYE_RING];
  rgb c = skin_tone(v->p, brow);
  c = blend(c, ear, 0.6 * ramp(1.5, 4.0, v->channel[CH_EAR_RING]));
  c = blend(c, lip, ramp(RING_BORDER - 0.55, RING_BORDER + 0.45, ring));
  c = blend(c, wet, ramp(RING_CONTACT - 0.5, RING_CONTACT + 1.0, ring));
  c = blend(c, deep, ramp(RING_INNER, RING_FOLD + 1.0, ring));
  double upper = v->channel[CH_LID_SIDE] > 0.0 ? 0.85 : 0.35;
  c = blend(c, rim, ramp(LID_OUTER, LID_INNER, eye));
  c = blend(c, lash,
            upper * ramp(LID_OUTER - 0.75, LID_OUTER, eye) *
                ramp(LID_OUTER + 0.75, LID_OUTER, eye));
  return c;
}

void paint_skin(const skin *s, float (*colour)[3]) {
  // A coarse mesh has no vertices as fine as a brow; a strong colour would smear over the forehead.
  double brow = s->nvert < 4000 ? 0.3 : 0.8;
  for (int v = 0; v < s->nvert; v++) {
    rgb c = vertex_colour(&s->vert[v], brow);
    for (int i = 0; i < 3; i++) colour[v][i] = (float)c.c[i];
  }
}

void label_skin(const skin *s, head_labels *label) {
  for (int v = 0; v < s->nvert; v++) {
    const double *ch = s->vert[v].channel;
    double ring = ch[CH_MOUTH_RING];
    double eye = ch[CH_EYE_RING];
    double lip =
        ramp(RING_BORDER - 0.5, RING_BORDER, ring) * ramp(RING_INNER + 1.5, RING_INNER + 0.5, ring);
    double lid = ramp(LID_FOLD - 0.5, LID_FOLD, eye) * ramp(LID_FORNIX, LID_INNER + 1.0, eye);
    label->lip_upper[v] = (float)(lip * ramp(-0.2, 0.2, ch[CH_LIP_SIDE]));
    label->lip_lower[v] = (float)(lip * ramp(0.2, -0.2, ch[CH_LIP_SIDE]));
    label->mouth_bag[v] = (float)ramp(RING_CONTACT, RING_CONTACT + 1.0, ring);
    label->lid_upper[v] = (float)(lid * ramp(-0.2, 0.2, ch[CH_LID_SIDE]));
    label->lid_lower[v] = (float)(lid * ramp(0.2, -0.2, ch[CH_LID_SIDE]));
    label->eye_pocket[v] = (float)ramp(LID_INNER, LID_INNER + 1.0, eye);
    label->jaw[v] = (float)shape_point_at(&s->vert[v]).jaw;
  }
}

enum { AXIS_Z = -12 };

static int on_seam(const skin *s, int v) {
  return s->mirror[v] == v && s->vert[v].p.z < AXIS_Z;
}

static void set_uv(float *uv, vec3 p) {
  const double turn = 2.0 * acos(-1.0);
  uv[0] = (float)(0.5 + atan2(p.x, p.z - AXIS_Z) / turn);
  uv[1] = (float)((p.y + 170.0) / 310.0);
}

int unwrap_skin(const skin *s, head_part *part) {
  int nseam = 0;
  for (int v = 0; v < s->nvert; v++) nseam += on_seam(s, v);
  part->nsplit = s->nvert + nseam;
  part->split_vertex = malloc((size_t)part->nsplit * sizeof *part->split_vertex);
  part->split_uv = malloc((size_t)part->nsplit * sizeof *part->split_uv);
  part->split_triangle = malloc((size_t)s->ntri * sizeof *part->split_triangle);
  int *twin = malloc((size_t)s->nvert * sizeof *twin);
  if (!part->split_vertex || !part->split_uv || !part->split_triangle || !twin) {
    free(twin);
    return -1;
  }
  int n = s->nvert;
  for (int v = 0; v < s->nvert; v++) {
    twin[v] = v;
    part->split_vertex[v] = v;
    set_uv(part->split_uv[v], s->vert[v].p);
    if (!on_seam(s, v)) continue;
    part->split_uv[v][0] = 1.0f;
    twin[v] = n;
    part->split_vertex[n] = v;
    part->split_uv[n][0] = 0.0f;
    part->split_uv[n++][1] = part->split_uv[v][1];
  }
  for (int t = 0; t < s->ntri; t++) {
    const int *a = s->triangle[t];
    int right = s->vert[a[0]].p.x + s->vert[a[1]].p.x + s->vert[a[2]].p.x < 0.0;
    for (int k = 0; k < 3; k++) part->split_triangle[t][k] = right ? twin[a[k]] : a[k];
  }
  free(twin);
  return 0;
}
