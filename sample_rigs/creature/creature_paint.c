#include "creature_model.h"

#include <stdint.h>
#include <stdlib.h>

// -- Noise: smooth, deterministic, a function of place alone

static double lattice(int x, int y, int z) {
  uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu;
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  h *= 0x297a2d39u;
  h ^= h >> 15;
  return h * (2.0 / 4294967296.0) - 1.0;
}

static double noise(vec3 p) {
  int x = (int)floor(p.x), y = (int)floor(p.y), z = (int)floor(p.z);
  double sum = 0.0;
  for (int corner = 0; corner < 8; corner++) {
    int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
    double near = ramp(1.0, 0.0, fabs(p.x - x - dx)) * ramp(1.0, 0.0, fabs(p.y - y - dy)) *
                  ramp(1.0, 0.0, fabs(p.z - z - dz));
    sum += near * lattice(x + dx, y + dy, z + dz);
  }
  return sum;
}

static double mottle(vec3 p) {
  return noise(v3_scale(p, 38.0)) + 0.6 * noise(v3_scale(p, 85.0)) +
         0.35 * noise(v3_scale(p, 190.0));
}

// -- Colours, linear RGB

static const vec3 SLATE = {0.085, 0.150, 0.150}, PALE = {0.330, 0.345, 0.270};
static const vec3 PLUM = {0.120, 0.060, 0.085}, THROAT = {0.110, 0.022, 0.028};
static const vec3 BONE = {0.62, 0.56, 0.44};

static vec3 face_colour(vec3 p, double mottled) {
  double belly = ramp(0.09, -0.10, p.y - 0.55 * p.z); // pale below and in front, dark above
  vec3 colour = v3_mix(SLATE, PALE, 0.25 + 0.55 * belly);
  vec3 spotted = v3_mix(colour, PLUM, 0.7);
  return v3_mix(colour, spotted, ramp(0.05, 0.9, mottled));
}

// A darker band over the eyes, so that the brows can be read from afar.
static double brow_mark(const creature_model *model, vec3 p) {
  double height = model->eye[0].centre.y + 0.022 + 0.2 * fabs(p.x) * (0.07 - fabs(p.x)) / 0.07;
  double band = ramp(0.012, 0.0, fabs(p.y - height)) * ramp(0.0, 0.03, p.z);
  return band * ramp(0.004, 0.020, fabs(p.x)) * ramp(0.078, 0.060, fabs(p.x));
}

static vec3 skin_colour(const creature_model *model, const skin_vertex *s, vec3 p) {
  double mottled = mottle(p);
  vec3 colour = v3_scale(face_colour(p, mottled), 1.0 + 0.10 * mottled);
  colour = v3_mix(colour, PLUM, 0.65 * brow_mark(model, p));
  if (s->kind == SKIN_LIP) {
    colour = v3_mix(colour, PLUM, 0.8 * ramp(0.0, 4.0, s->row));
    colour = v3_mix(colour, THROAT, ramp(6.0, 10.0, s->row));
  } else if (s->kind == SKIN_LID) {
    colour = v3_mix(colour, PLUM, 0.75 * ramp(0.0, 4.0, s->row));
  } else if (s->kind == SKIN_TENTACLE) {
    colour = v3_mix(colour, PLUM, 0.15 + 0.6 * ramp(0.25, 1.0, s->row));
  }
  return colour;
}

static vec3 eye_colour(const creature_eye *eye, vec3 p) {
  vec3 d = v3_scale(v3_sub(p, eye->centre), 1.0 / eye->radius);
  double side = v3_dot(d, eye->right), up = v3_dot(d, eye->up), front = v3_dot(d, eye->gaze);
  double pupil = hypot(side / 0.34, up / 0.19), iris = hypot(side, up);
  vec3 white = v3(0.36, 0.33, 0.24), amber = v3(0.60, 0.30, 0.045), rim = v3(0.10, 0.045, 0.015);
  vec3 colour = v3_mix(v3_mix(amber, rim, ramp(0.35, 0.60, iris)), white, ramp(0.58, 0.70, iris));
  if (front < 0.0) colour = white;
  return front > 0.0 ? v3_mix(v3(0.004, 0.004, 0.006), colour, ramp(0.8, 1.15, pupil)) : colour;
}

static void set_colour(mesh_builder *mesh, int v, vec3 colour) {
  mesh->colour[v][0] = (float)fmin(fmax(colour.x, 0.0), 1.0);
  mesh->colour[v][1] = (float)fmin(fmax(colour.y, 0.0), 1.0);
  mesh->colour[v][2] = (float)fmin(fmax(colour.z, 0.0), 1.0);
}

// -- Regions

static int lip_region(const skin_vertex *s) {
  int side = cos(s->theta) > 0.0 ? MIEN_REGION_LIP_LOWER : MIEN_REGION_LIP_UPPER;
  if (s->row < 3.0) return 0; // skin around the lips
  if (s->row <= 6.0) return side | MIEN_REGION_CONTACT;
  if (s->row <= 11.0) return side | MIEN_REGION_LIP_INNER | MIEN_REGION_CONTACT;
  return MIEN_REGION_MOUTH_BAG;
}

static int skin_region(const skin_vertex *s) {
  switch (s->kind) {
  case SKIN_FACE:
    return s->ring > 0.9999 ? MIEN_REGION_BORDER : 0;
  case SKIN_LIP:
    return lip_region(s);
  case SKIN_LID:
    return MIEN_REGION_EYELID | MIEN_REGION_CONTACT | (s->row > 6.5 ? MIEN_REGION_BORDER : 0);
  case SKIN_TENTACLE:
    return MIEN_REGION_CONTACT | (creature_carried(s->row) == 0.0 ? MIEN_REGION_PASSIVE : 0);
  }
  return 0;
}

void creature_paint(creature_model *model) {
  mesh_builder *mesh = &model->store->mesh;
  float *region = calloc((size_t)mesh->nvert, sizeof *region);
  if (!region) {
    mesh->failed = 1;
    return;
  }
  for (int v = 0; v < model->nskin; v++) {
    set_colour(mesh, v, skin_colour(model, &model->skin[v], creature_position(model, v)));
    region[v] = (float)skin_region(&model->skin[v]);
  }
  for (int v = model->nskin; v < mesh->nvert; v++) {
    const mien_part *left = &model->store->part[1], *right = &model->store->part[2];
    int is_left = v < left->first_vertex + left->nvert;
    int is_right = v < right->first_vertex + right->nvert;
    vec3 p = creature_position(model, v);
    set_colour(mesh, v, is_right ? eye_colour(&model->eye[is_left ? 0 : 1], p) : BONE);
  }
  rig_store_map(model->store, "region", region);
  free(region);
}
