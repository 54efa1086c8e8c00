#include "painted_rig.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_MAPS = 64, MOST_NAME = 96 };

// 1 where the shape moves nothing, rising to `factor` at half of its largest motion
static void paint(const mien_shape *shape, double factor, float *values, int nvert) {
  int stride = shape->deltas.stride ? shape->deltas.stride : 3;
  double longest2 = 0;
  for (int i = 0; i < nvert; i++) values[i] = 1;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < shape->indices.count; k++) {
      const float *d = shape->deltas.data + (size_t)k * (size_t)stride;
      double moved2 = (double)d[0] * d[0] + (double)d[1] * d[1] + (double)d[2] * d[2];
      if (pass == 0) longest2 = fmax(longest2, moved2);
      if (pass == 1 && longest2 > 0)
        values[shape->indices.data[k]] =
            (float)(1 + (factor - 1) * fmin(1, 2 * sqrt(moved2 / longest2)));
    }
}

static mien_rig_def define(const mien_rig_info *info) {
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.name = info->name;
  def.source_unit = info->source_unit;
  def.positions = info->positions;
  def.faces = info->triangles;
  def.parts = info->parts;
  def.npart = info->npart;
  def.shapes = info->shapes;
  def.nshape = info->nshape;
  def.landmarks = info->landmarks;
  def.jaw = info->jaw;
  def.weld = 0;
  return def;
}

mien_rig *painted_rig_add(const mien_rig *rig, const mien_map *map) {
  mien_rig_def def = define(mien_rig_get_info(rig));
  mien_rig *painted = NULL;
  mien_error err;
  def.maps = map;
  def.nmap = 1;
  if (mien_rig_create(&def, NULL, &painted, &err) < 0) cli_report(&err, def.name);
  return painted;
}

mien_rig *painted_rig_create(const mien_rig *rig, const painted_map *maps, int nmap) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  mien_rig_def def = define(info);
  static const mien_map none;
  mien_map all[MOST_MAPS] = {none};
  char names[MOST_MAPS][MOST_NAME];
  float *values = calloc((size_t)nmap * (size_t)info->nvert + 1, sizeof *values);
  mien_rig *painted = NULL;
  bool known = info->nmap + nmap <= MOST_MAPS;
  for (int m = 0; known && m < info->nmap; m++) all[def.nmap++] = info->maps[m];
  for (int m = 0; known && values && m < nmap; m++) {
    int s = mien_rig_find_shape(rig, maps[m].shape);
    known = s >= 0;
    if (!known) break;
    float *to = values + (size_t)m * (size_t)info->nvert;
    paint(info->shapes + s, maps[m].factor, to, info->nvert);
    snprintf(names[m], MOST_NAME, "%s:%s", maps[m].material, maps[m].shape);
    all[def.nmap++] = (mien_map){names[m], 1, {to, info->nvert, 1}};
  }
  def.maps = all;
  mien_error err;
  if (!values || !known)
    cli_fail("'%s' cannot be painted: a shape is missing, or memory", info->name);
  else if (mien_rig_create(&def, NULL, &painted, &err) < 0)
    cli_report(&err, info->name);
  free(values);
  return painted;
}
