#include "mouth_patch.h"

#include "math/vec.h"

#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const double HALF_WIDTH = 0.025, LIP_RADIUS = 0.006, EDGE = 0.1, BAG_DEPTH = 0.045;

typedef struct sheet {
  const mouth_patch_options *o;
  int nring, nvert, ntri;
  float *position, *open, *brow;
  int32_t *tri, *place; // place: vertex in order of rings -> vertex of the rig
  mouth_patch *patch;
} sheet;

static double smooth_step(double low, double high, double x) {
  double t = fmin(1, fmax(0, (x - low) / (high - low)));
  return t * t * (3 - 2 * t);
}

// Ring 0 is the outer edge; ring `noutside` is the slit; behind it come the inside rings.
static double ring_along(const sheet *s, int ring) {
  double in = (ring - s->o->noutside) / (double)(s->o->ninside ? s->o->ninside : 1);
  if (ring >= s->o->noutside) return -BAG_DEPTH * in;
  double out = 1 - ring / (double)s->o->noutside;
  return EDGE * out * (0.35 + 0.65 * out); // denser at the lips
}

// How far a vertex lies from the slit, across the mouth and out of the face.
static void profile(double along, double *across, double *forward) {
  double arc = along / LIP_RADIUS;
  if (along >= 0 && arc < PI / 2) { // rounded lip
    *across = LIP_RADIUS * (1 - cos(arc));
    *forward = LIP_RADIUS * sin(arc);
  } else if (along >= 0) {
    *across = LIP_RADIUS + along - LIP_RADIUS * PI / 2;
    *forward = LIP_RADIUS;
  } else { // inner lips side by side, then the bag widens
    *across = 0.016 * smooth_step(0.006, 0.03, -along);
    *forward = along;
  }
}

static mi_vec3 place_vertex(const sheet *s, double along, double angle) {
  double across, forward, round_x = cos(angle), round_y = sin(angle);
  profile(along, &across, &forward);
  double close = smooth_step(0.75, 1.02, -along / BAG_DEPTH); // the bag ends in a cap
  if (s->o->is_open) close = 0;
  double x = round_x * (HALF_WIDTH + (along >= 0 ? across : -0.2 * across)) * (1 - close);
  double y = round_y * (0.5 * s->o->gap + across) * (1 - close);
  double bend = 0.15 - sqrt(0.15 * 0.15 - x * x); // around the head
  return (mi_vec3){x, y - 0.035, 0.1 + forward - bend};
}

static double jaw_share(double along, double angle) {
  double round_y = sin(angle);
  if (round_y >= 0) return 0;
  double fade =
      along >= 0 ? 1 - smooth_step(0.06, EDGE, along) : 1 - smooth_step(0.5, 1, -along / BAG_DEPTH);
  return pow(-round_y, 0.7) * fade;
}

static void make_vertex(sheet *s, int ring, int k) {
  mouth_patch *patch = s->patch;
  int at = s->place[ring * s->o->nround + k];
  double along = ring_along(s, ring), angle = 2 * PI * k / s->o->nround;
  if (s->o->is_shuffled && ring > 0 && ring != s->o->noutside && ring + 1 < s->nring) {
    double step = fabs(ring_along(s, ring - 1) - ring_along(s, ring + 1)) / 2;
    along += 0.35 * step * (mi_random_unit(5, (uint32_t)at, 1) - 0.5);
    angle += 0.35 * 2 * PI / s->o->nround * (mi_random_unit(5, (uint32_t)at, 2) - 0.5);
  }
  mi_vec3 x = place_vertex(s, along, angle), hinge = mi_vec3_load(patch->hinge);
  mi_vec3 arm = mi_sub(x, hinge), axis = {1, 0, 0};
  mi_vec3 full = mi_sub(mi_rotate(arm, axis, patch->open_angle), arm);
  mi_vec3_store(s->position + 3 * at, x);
  mi_vec3_store(s->open + 3 * at, mi_scale(jaw_share(along, angle), full));
  s->brow[3 * at + 1] = (float)(0.006 * smooth_step(0.03, 0.06, x.y));
  patch->along[at] = (float)along;
  patch->round[at] = (float)sin(angle);
}

static void add_triangle(sheet *s, int a, int b, int c) {
  int32_t *to = s->tri + 3 * s->ntri++;
  to[0] = s->place[a];
  to[1] = s->place[b];
  to[2] = s->place[c];
}

static void sew_rings(sheet *s) {
  int n = s->o->nround;
  for (int ring = 0; ring + 1 < s->nring; ring++)
    for (int k = 0; k < n; k++) {
      int a = ring * n + k, b = ring * n + (k + 1) % n, c = a + n, d = b + n;
      add_triangle(s, a, b, c);
      add_triangle(s, b, d, c);
    }
  if (s->o->is_open || !s->o->ninside) return;
  for (int k = 1; k + 1 < n; k++) // a flat cap
    add_triangle(s, (s->nring - 1) * n, (s->nring - 1) * n + k, (s->nring - 1) * n + k + 1);
}

// Scrambled by sorting with random keys would need a sort: a fixed stride that shares no factor
// with the count visits every place once.
static void order_vertices(sheet *s) {
  int stride = 1;
  if (s->o->is_shuffled)
    for (stride = s->nvert / 3 | 1;; stride += 2) {
      int a = s->nvert, b = stride;
      while (b) {
        int rest = a % b;
        a = b;
        b = rest;
      }
      if (a == 1) break;
    }
  for (int i = 0; i < s->nvert; i++) s->place[i] = (int32_t)((long long)i * stride % s->nvert);
}

static bool create_rig(sheet *s) {
  const mouth_patch_options *o = s->o;
  mien_shape shape[2] = {{o->opener ? o->opener : "jawOpen", {NULL, 0}, {s->open, s->nvert, 3}},
                         {"browInnerUp", {NULL, 0}, {s->brow, s->nvert, 3}}};
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.name = "mouth patch";
  def.weld = 0;
  def.positions = (mien_f32s){s->position, s->nvert, 3};
  def.faces = (mien_i32s){s->tri, 3 * s->ntri};
  def.shapes = shape;
  def.nshape = o->leave_shapes ? 0 : 2;
  def.maps = o->maps;
  def.nmap = o->nmap;
  if (o->landmarks) def.landmarks = (mien_i32s){o->landmarks, 68};
  mien_error err = {0};
  if (mi_rig_create(&def, NULL, &s->patch->rig, &err) >= 0) return true;
  printf("mouth patch: %s\n", err.text);
  return false;
}

bool mouth_patch_create(const mouth_patch_options *options, mouth_patch *patch) {
  sheet s = {.o = options, .patch = patch, .nring = options->noutside + options->ninside + 1};
  s.nvert = s.nring * options->nround;
  size_t n = (size_t)s.nvert;
  *patch = (mouth_patch){.nvert = s.nvert,
                         .along = malloc(n * sizeof(float)),
                         .round = malloc(n * sizeof(float)),
                         .hinge = {0, 0, 0.01f},
                         .open_angle = 0.35f,
                         .half_width = (float)HALF_WIDTH};
  s.position = malloc(3 * n * sizeof(float));
  s.open = calloc(3 * n, sizeof(float));
  s.brow = calloc(3 * n, sizeof(float));
  s.place = malloc(n * sizeof(int32_t));
  s.tri = malloc(3 * (2 * n + (size_t)options->nround) * sizeof(int32_t));
  bool done = patch->along && patch->round && s.position && s.open && s.brow && s.place && s.tri;
  if (done) {
    order_vertices(&s);
    for (int ring = 0; ring < s.nring; ring++)
      for (int k = 0; k < options->nround; k++) make_vertex(&s, ring, k);
    sew_rings(&s);
    done = create_rig(&s);
  }
  free(s.position);
  free(s.open);
  free(s.brow);
  free(s.place);
  free(s.tri);
  if (!done) mouth_patch_free(patch);
  return done;
}

void mouth_patch_free(mouth_patch *patch) {
  mi_rig_release(patch->rig);
  free(patch->along);
  free(patch->round);
  *patch = (mouth_patch){0};
}
