// Finds eyes, teeth and tongue among the pieces of a rig. Names of parts say what they are where
// there are parts; game characters and many OBJ files are one mesh, whose connected pieces are
// classified by shape and motion. An eye is a piece of a sphere behind lids, one of a pair. Teeth
// and tongue lie behind the slit of the mouth: the upper teeth stay when the jaw opens, the lower
// ones turn with it as one, and a tongue fills the middle of the mouth, which rows of teeth leave
// free.
#include "rig/finding.h"

#include <string.h>

// Radii of eyes, from a doll's to a cartoon's, are shares of the face's height.
static const double LEAST_EYE = 0.035, LARGEST_EYE = 0.25;
static const double ROUND = 0.08; // of its radius: how far, in the mean, an eye is off a sphere
static const double RIGID = 0.15; // of the jaw's motion: how far teeth may be off it
static const double STILL = 0.05; // of the jaw's motion: pieces that move less are fixed
static const double FILLED = 0.6; // of a piece's depth: the part that a tongue fills in the middle

typedef struct organ {
  int nvert, part;
  bool is_skin;
  mi_box box;
  mi_vec3 mean, centre; // of the vertices, of the sphere
  double radius, off;   // m, of the sphere; rms distance from it
  double opens, strays; // m, mean motion as the jaw opens; rms difference from the jaw's turn
  double middle_low, middle_high; // m, depth along the middle of the mouth
  mien_part_kind kind;
} organ;

typedef struct survey {
  mi_finding *f;
  int norgan;
  int32_t *of_vert; // -1 = in no triangle                                            (rig nvert)
  organ *organ;
  mi_vec3 slit_low, slit_high; // box of the slit
} survey;

static mi_vec3 rig_at(const survey *s, int i) {
  return mi_vec3_load(s->f->rig->positions + 3 * (size_t)i);
}

static int part_of(const mien_rig_info *rig, int vert) {
  int p = 0;
  while (p + 1 < rig->npart && vert >= rig->parts[p].first_vertex + rig->parts[p].nvert) p++;
  return p;
}

static bool gather(survey *s) {
  const mien_rig *rig = s->f->rig;
  mi_topology topo;
  s->of_vert = MI_PUSH(&s->f->scratch, int32_t, rig->info.nvert);
  if (!s->of_vert ||
      !mi_topology_build(rig->info.nvert, rig->info.ntri, rig->triangles, &s->f->scratch, &topo))
    return false;
  s->norgan = mi_topology_components(&topo, &s->f->scratch, s->of_vert);
  s->organ = s->norgan < 0 ? NULL : MI_PUSH(&s->f->scratch, organ, s->norgan);
  if (!s->organ) return false;
  for (int k = 0; k < s->norgan; k++) {
    s->organ[k].part = -1;
    s->organ[k].box = (mi_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    s->organ[k].middle_low = INFINITY;
    s->organ[k].middle_high = -INFINITY;
  }
  for (int i = 0; i < rig->info.nvert; i++) {
    if (s->of_vert[i] < 0) continue;
    organ *o = s->organ + s->of_vert[i];
    if (o->part < 0) o->part = part_of(&rig->info, i);
    o->is_skin |= s->f->skin->of_rig[i] >= 0;
    o->nvert++;
    o->mean = mi_add(o->mean, rig_at(s, i));
    mi_box_include(&o->box, rig_at(s, i), 0);
  }
  for (int k = 0; k < s->norgan; k++)
    if (s->organ[k].nvert) s->organ[k].mean = mi_scale(1.0 / s->organ[k].nvert, s->organ[k].mean);
  return true;
}

// -- Spheres --------------------------------------------------------------------------------------

// x of [a b c] x = d, the matrix symmetric; zero when it is singular
static mi_vec3 solve(mi_vec3 a, mi_vec3 b, mi_vec3 c, mi_vec3 d) {
  double det = mi_dot(a, mi_cross(b, c));
  if (!(fabs(det) > 0)) return (mi_vec3){0, 0, 0};
  return mi_scale(1 / det, (mi_vec3){mi_dot(d, mi_cross(b, c)), mi_dot(a, mi_cross(d, c)),
                                     mi_dot(a, mi_cross(b, d))});
}

// Least squares of |p - centre|^2 = radius^2 about the mean, where it needs three unknowns only.
static bool fit_spheres(survey *s) {
  typedef struct sums {
    mi_vec3 a, b, c, d;
    double square;
  } sums;
  sums *sum = MI_PUSH(&s->f->scratch, sums, s->norgan);
  if (!sum) return false;
  for (int i = 0; i < s->f->rig->info.nvert; i++) {
    if (s->of_vert[i] < 0) continue;
    sums *t = sum + s->of_vert[i];
    mi_vec3 p = mi_sub(rig_at(s, i), s->organ[s->of_vert[i]].mean);
    double square = mi_dot(p, p);
    t->a = mi_add_scaled(t->a, 2 * p.x, p);
    t->b = mi_add_scaled(t->b, 2 * p.y, p);
    t->c = mi_add_scaled(t->c, 2 * p.z, p);
    t->d = mi_add_scaled(t->d, square, p);
    t->square += square;
  }
  for (int k = 0; k < s->norgan; k++) {
    organ *o = s->organ + k;
    mi_vec3 off = solve(sum[k].a, sum[k].b, sum[k].c, sum[k].d);
    o->centre = mi_add(o->mean, off);
    o->radius = o->nvert ? sqrt(sum[k].square / o->nvert + mi_dot(off, off)) : 0;
  }
  for (int i = 0; i < s->f->rig->info.nvert; i++) {
    if (s->of_vert[i] < 0) continue;
    organ *o = s->organ + s->of_vert[i];
    double off = mi_distance(rig_at(s, i), o->centre) - o->radius;
    o->off += off * off / o->nvert;
  }
  for (int k = 0; k < s->norgan; k++) s->organ[k].off = sqrt(s->organ[k].off);
  return true;
}

static bool is_ball(const survey *s, const organ *o) {
  double size = s->f->skin->size;
  mi_vec3 extent = mi_sub(o->box.high, o->box.low);
  double widest = fmax(extent.x, fmax(extent.y, extent.z));
  double least = fmin(extent.x, fmin(extent.y, extent.z));
  return !o->is_skin && o->nvert >= 12 && o->radius > LEAST_EYE * size &&
         o->radius < LARGEST_EYE * size && o->off < ROUND * o->radius && widest > o->radius &&
         least > 0.2 * o->radius;
}

// Lids lie on an eye.
static bool is_under_lids(const survey *s, const organ *o) {
  const mi_finding *f = s->f;
  bool any = false;
  for (int i = 0; i < f->skin->nvert; i++) {
    if (!(f->out->bits[i] & MIEN_REGION_EYELID)) continue;
    any = true;
    if (mi_distance(mi_skin_at(f, i), o->centre) < 1.4 * o->radius) return true;
  }
  return !any;
}

static bool is_twin(const organ *a, const organ *b) {
  double least = fmin(a->radius, b->radius);
  return fabs(a->radius - b->radius) < 0.1 * least &&
         fabs(a->centre.y - b->centre.y) < 0.4 * least &&
         fabs(a->centre.z - b->centre.z) < 0.4 * least &&
         fabs(a->centre.x - b->centre.x) > 1.5 * least;
}

static void find_eyes(survey *s) {
  for (int k = 0; k < s->norgan; k++) {
    organ *o = s->organ + k;
    if (o->kind || !is_ball(s, o) || !is_under_lids(s, o)) continue;
    for (int m = 0; m < s->norgan && !o->kind; m++)
      if (m != k && is_ball(s, s->organ + m) && is_twin(o, s->organ + m))
        o->kind = o->centre.x > s->organ[m].centre.x ? MIEN_PART_EYE_LEFT : MIEN_PART_EYE_RIGHT;
  }
}

// -- Teeth ----------------------------------------------------------------------------------------

static void measure_jaw(survey *s) {
  const mi_finding *f = s->f;
  const mien_jaw *jaw = &f->out->jaw_hinge;
  mi_turn turn = {mi_vec3_load(jaw->hinge), mi_vec3_load(jaw->axis), jaw->open_angle};
  const mien_shape *shape = f->rig->info.shapes + f->out->jaw_shape;
  for (int i = 0; i < f->rig->info.nvert; i++) {
    organ *o = s->of_vert[i] < 0 ? NULL : s->organ + s->of_vert[i];
    if (!o || o->is_skin) continue;
    mi_vec3 wanted = mi_turn_move(&turn, rig_at(s, i));
    o->strays += mi_dot(wanted, wanted) / o->nvert;
  }
  for (int k = 0; k < shape->indices.count; k++) {
    int i = shape->indices.data[k];
    organ *o = s->of_vert[i] < 0 ? NULL : s->organ + s->of_vert[i];
    if (!o || o->is_skin) continue;
    mi_vec3 step = mi_vec3_load(mi_f32s_at(&shape->deltas, 3, k));
    mi_vec3 wanted = mi_turn_move(&turn, rig_at(s, i));
    mi_vec3 off = mi_sub(step, wanted);
    o->opens += mi_length(step) / o->nvert;
    o->strays += (mi_dot(off, off) - mi_dot(wanted, wanted)) / o->nvert;
  }
  for (int k = 0; k < s->norgan; k++) s->organ[k].strays = sqrt(fmax(0, s->organ[k].strays));
}

static void measure_middle(survey *s) {
  double middle = 0.5 * (s->slit_low.x + s->slit_high.x);
  double half = 0.1 * (s->slit_high.x - s->slit_low.x);
  for (int i = 0; i < s->f->rig->info.nvert; i++) {
    organ *o = s->of_vert[i] < 0 ? NULL : s->organ + s->of_vert[i];
    mi_vec3 at = rig_at(s, i);
    if (!o || fabs(at.x - middle) > half) continue;
    o->middle_low = fmin(o->middle_low, at.z);
    o->middle_high = fmax(o->middle_high, at.z);
  }
}

// Behind the lips, no wider than cheeks, no farther up or down than teeth are long.
static bool is_in_mouth(const survey *s, const organ *o) {
  double width = s->slit_high.x - s->slit_low.x, middle = 0.5 * (s->slit_low.x + s->slit_high.x);
  double high = 0.5 * (s->slit_low.y + s->slit_high.y);
  mi_vec3 extent = mi_sub(o->box.high, o->box.low);
  return !o->is_skin && fabs(o->mean.x - middle) < 0.75 * width && extent.x < 2 * width &&
         fabs(o->mean.y - high) < 0.6 * width && extent.y < 1.2 * width &&
         o->mean.z < s->slit_high.z && o->mean.z > s->slit_high.z - 1.6 * width &&
         extent.z < 1.8 * width;
}

static mien_part_kind kind_in_mouth(const survey *s, const organ *o) {
  double most = s->f->open_most;
  if (o->opens < STILL * most) return MIEN_PART_TEETH_UPPER;
  if (o->strays > RIGID * most) return MIEN_PART_TONGUE; // soft, or something of the skin's
  double depth = o->box.high.z - o->box.low.z, width = s->slit_high.x - s->slit_low.x;
  bool is_small = o->box.high.x - o->box.low.x < 0.35 * width;
  bool is_filled = o->middle_high - o->middle_low > FILLED * depth;
  return !is_small && is_filled ? MIEN_PART_TONGUE : MIEN_PART_TEETH_LOWER;
}

static void find_teeth(survey *s) {
  const mi_finding *f = s->f;
  if (!f->out->has_mouth || f->out->jaw_shape < 0 || !f->out->jaw_hinge.is_known) return;
  s->slit_low = s->slit_high = mi_skin_at(f, f->out->slit[0]);
  mi_box box = {s->slit_low, s->slit_low};
  for (int k = 0; k < f->out->nslit; k++) mi_box_include(&box, mi_skin_at(f, f->out->slit[k]), 0);
  s->slit_low = box.low;
  s->slit_high = box.high;
  measure_jaw(s);
  measure_middle(s);
  for (int k = 0; k < s->norgan; k++)
    if (!s->organ[k].kind && is_in_mouth(s, s->organ + k))
      s->organ[k].kind = kind_in_mouth(s, s->organ + k);
}

// -- The answer -----------------------------------------------------------------------------------

static bool is_open(mien_part_kind kind) {
  return kind == MIEN_PART_AUTO || kind == MIEN_PART_SKIN;
}

// The found kind stands where the part's name says nothing, or says less: a part called teeth may
// hold both rows, of which the lower one turns with the jaw, and one called eyes holds both.
static bool is_found(const survey *s, const organ *o) {
  mien_part_kind named = s->f->rig->info.parts[o->part].kind;
  if (!o->kind || is_open(named)) return o->kind;
  bool is_eye = o->kind == MIEN_PART_EYE_LEFT || o->kind == MIEN_PART_EYE_RIGHT;
  bool is_lower = o->kind == MIEN_PART_TEETH_LOWER;
  return s->f->rig->is_named[o->part] &&
         ((named == MIEN_PART_OTHER && is_eye) || (named == MIEN_PART_TEETH_UPPER && is_lower));
}

// A part's name decides the kind of the other pieces.
static bool decide_kinds(survey *s) {
  const mien_rig_info *rig = &s->f->rig->info;
  uint8_t *kind = MI_PUSH(s->f->arena, uint8_t, rig->nvert);
  int count[MIEN_PART_OTHER + 1] = {0};
  if (!kind) return false;
  for (int k = 0; k < s->norgan; k++) {
    organ *o = s->organ + k;
    if (o->part < 0) continue;
    mien_part_kind named = rig->parts[o->part].kind;
    if (o->is_skin)
      o->kind = MIEN_PART_SKIN;
    else if (is_found(s, o))
      count[o->kind]++;
    else
      o->kind = is_open(named) ? MIEN_PART_OTHER : named;
  }
  for (int i = 0; i < rig->nvert; i++) {
    const organ *o = s->of_vert[i] < 0 ? NULL : s->organ + s->of_vert[i];
    kind[i] = (uint8_t)(o ? o->kind : MIEN_PART_OTHER);
    if (o && o->is_skin && s->f->skin->of_rig[i] < 0) kind[i] = MIEN_PART_OTHER;
  }
  s->f->out->kind = kind;
  int neye = count[MIEN_PART_EYE_LEFT] + count[MIEN_PART_EYE_RIGHT];
  int nteeth = count[MIEN_PART_TEETH_UPPER] + count[MIEN_PART_TEETH_LOWER];
  return !(neye + nteeth) ||
         mi_remark(s->f->remarks,
                   "in parts that do not say what they are, %d pieces are taken for eyes, %d for "
                   "upper and %d for lower teeth, %d for a tongue; the skin does not go through "
                   "eyes and teeth",
                   neye, count[MIEN_PART_TEETH_UPPER], count[MIEN_PART_TEETH_LOWER],
                   count[MIEN_PART_TONGUE]);
}

bool mi_find_anatomy(mi_finding *f) {
  survey s = {.f = f};
  if (!gather(&s) || !fit_spheres(&s)) return false;
  find_eyes(&s);
  find_teeth(&s);
  return decide_kinds(&s);
}
