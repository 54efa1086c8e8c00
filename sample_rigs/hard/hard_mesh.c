#include "hard_mesh.h"

#include "crossings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_kept(const hard_options *o, head_part_kind kind) {
  if (kind == HEAD_SKIN || kind == HEAD_EYEBALL) return true;
  if (o->thin_bag) return false;
  return !o->teeth_in_skin || kind == HEAD_TEETH;
}

static mien_part_kind kind_of(const head_part *part) {
  bool is_upper = strstr(part->name, "upper"), is_left = strstr(part->name, "left");
  switch (part->kind) {
  case HEAD_SKIN:
    return MIEN_PART_SKIN;
  case HEAD_SKULL:
    return MIEN_PART_SKULL;
  case HEAD_JAW:
    return MIEN_PART_JAW;
  case HEAD_TEETH:
    return is_upper ? MIEN_PART_TEETH_UPPER : MIEN_PART_TEETH_LOWER;
  case HEAD_TONGUE:
    return MIEN_PART_TONGUE;
  case HEAD_EYEBALL:
    return is_left ? MIEN_PART_EYE_LEFT : MIEN_PART_EYE_RIGHT;
  }
  return MIEN_PART_OTHER;
}

static bool reserve(hard_mesh *m, size_t nvert, size_t ntri) {
  m->position = calloc(3 * nvert, sizeof *m->position);
  m->tri = calloc(3 * ntri, sizeof *m->tri);
  m->upper = calloc(nvert, sizeof *m->upper);
  m->lower = calloc(nvert, sizeof *m->lower);
  m->bag = calloc(nvert, sizeof *m->bag);
  m->lid = calloc(nvert, sizeof *m->lid);
  m->twin = malloc(nvert * sizeof *m->twin);
  bool done = m->position && m->tri && m->upper && m->lower && m->bag && m->lid && m->twin;
  for (int s = 0; s < m->nshape; s++) {
    m->delta[s] = calloc(3 * nvert, sizeof *m->delta[s]);
    done &= m->delta[s] != NULL;
  }
  for (size_t i = 0; m->twin && i < nvert; i++) m->twin[i] = -1;
  return done;
}

static void add_part(hard_mesh *m, int p, bool is_one) {
  const head_part *from = m->model.part + p;
  int first = m->model.first_vertex[p];
  mien_part part = {from->name, kind_of(from), m->nvert, from->nvert, m->ntri, from->ntri};
  memcpy(m->position + 3 * m->nvert, from->position, 3 * sizeof(float) * (size_t)from->nvert);
  for (int s = 0; s < m->nshape; s++)
    memcpy(m->delta[s] + 3 * m->nvert, m->model.shape[s].delta[first],
           3 * sizeof(float) * (size_t)from->nvert);
  for (int k = 0; k < 3 * from->ntri; k++)
    m->tri[3 * m->ntri + k] = m->nvert + from->triangle[k / 3][k % 3];
  m->nvert += from->nvert;
  m->ntri += from->ntri;
  if (is_one && m->npart) { // all belongs to the first
    m->part[0].nvert = m->nvert;
    m->part[0].ntri = m->ntri;
    return;
  }
  if (is_one) part.name = "hipoly_mesh", part.kind = MIEN_PART_AUTO;
  m->part[m->npart++] = part;
}

static void copy_labels(hard_mesh *m) {
  const head_labels *label = &m->model.label;
  double nlip = 0;
  for (int i = 0; i < m->nskin; i++) {
    m->upper[i] = label->lip_upper[i];
    m->lower[i] = label->lip_lower[i];
    m->bag[i] = label->mouth_bag[i];
    m->lid[i] = fmaxf(label->lid_upper[i], label->lid_lower[i]);
    if (m->upper[i] + m->lower[i] <= 0.5f) continue;
    m->corner = fmax(m->corner, fabs((double)m->position[3 * i]));
    for (int k = 0; k < 3; k++) m->mouth[k] += (double)m->position[3 * i + k];
    nlip++;
  }
  for (int k = 0; k < 3; k++) m->mouth[k] /= nlip;
}

// The heads that are spoiled, made once a program: making one takes most of the time of a hard rig.
static struct {
  head_model model;
  bool is_made;
} heads[2];

static void free_heads(void) {
  for (int k = 0; k < 2; k++)
    if (heads[k].is_made) head_model_free(&heads[k].model);
}

static const head_model *share_head(int density) {
  if (density < 0 || density > 1) return NULL;
  if (!heads[density].is_made) {
    if (head_model_create(&(head_options){density}, &heads[density].model)) return NULL;
    if (!heads[1 - density].is_made) atexit(free_heads);
    heads[density].is_made = true;
  }
  return &heads[density].model;
}

hard_mesh *hard_mesh_create(const hard_options *options) {
  const head_model *model = share_head(options->density);
  hard_mesh *m = model ? calloc(1, sizeof *m) : NULL;
  if (!m) return NULL;
  m->model = *model;
  size_t nvert = 1, ntri = 1;
  for (int p = 0; p < m->model.npart; p++) {
    nvert += (size_t)m->model.part[p].nvert;
    ntri += (size_t)m->model.part[p].ntri;
  }
  m->nshape = m->model.nshape < HARD_SHAPES ? m->model.nshape : HARD_SHAPES;
  if (!reserve(m, nvert, ntri)) {
    hard_mesh_free(m);
    return NULL;
  }
  for (int s = 0; s < m->nshape; s++)
    if (!strcmp(m->model.shape[s].name, "jawOpen")) m->jaw_open = s;
  m->nskin = m->model.part[0].nvert;
  m->nskin_tri = m->model.part[0].ntri;
  for (int p = 0; p < m->model.npart; p++)
    if (is_kept(options, m->model.part[p].kind)) add_part(m, p, options->teeth_in_skin);
  copy_labels(m);
  return m;
}

void hard_mesh_free(hard_mesh *m) {
  if (!m) return;
  for (int s = 0; s < m->nshape; s++) free(m->delta[s]);
  free(m->position);
  free(m->tri);
  free(m->upper);
  free(m->lower);
  free(m->bag);
  free(m->lid);
  free(m->twin);
  free(m);
}

void hard_shift(hard_mesh *m, int vertex, const double by[3]) {
  for (int k = 0; k < 3; k++) {
    size_t at = 3 * (size_t)vertex + (size_t)k;
    float before = m->position[at];
    m->position[at] = (float)(before + by[k]);
    m->delta[m->jaw_open][at] += before - m->position[at];
  }
}

static bool is_near_mouth(const hard_mesh *m, const int32_t v[3]) {
  bool is_near = false;
  for (int c = 0; c < 3; c++) {
    double d2 = 0;
    for (int k = 0; k < 3; k++) {
      double d = (double)m->position[3 * v[c] + k] - m->mouth[k];
      d2 += d * d;
    }
    is_near |= d2 < 2.25 * m->corner * m->corner || m->bag[v[c]] > 0;
  }
  return is_near;
}

int hard_count(const hard_mesh *m, bool is_open) {
  float *at = malloc(3 * (size_t)m->nvert * sizeof *at);
  int32_t *tri = malloc(3 * (size_t)m->nskin_tri * sizeof *tri);
  crossings found = {-1, {-1, -1}, 0};
  int ntri = 0;
  if (at && tri) {
    for (int k = 0; k < 3 * m->nvert; k++)
      at[k] = m->position[k] + (is_open ? m->delta[m->jaw_open][k] : 0);
    for (int t = 0; t < m->nskin_tri; t++) {
      const int32_t *v = m->tri + 3 * t;
      if (!is_near_mouth(m, v)) continue;
      for (int c = 0; c < 3; c++) { // a welded pair is one vertex
        int twin = m->twin[v[c]];
        tri[3 * ntri + c] = twin >= 0 && twin < v[c] ? twin : v[c];
      }
      ntri++;
    }
    crossings_mesh mesh = {at, tri, ntri, NULL};
    found = crossings_within(&mesh);
  }
  free(at);
  free(tri);
  return (int)found.count;
}
