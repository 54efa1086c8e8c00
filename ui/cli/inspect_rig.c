#include "inspect.h"

#include <math.h>
#include <string.h>

static const char *const kinds[] = {"auto",        "skin",     "skull",     "jaw",    "teeth_upper",
                                    "teeth_lower", "eye_left", "eye_right", "tongue", "other"};

static const char *kind_name(mien_part_kind kind) {
  return (unsigned)kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "other";
}

json_t *inspect_numbers(const float *values, int count, double scale) {
  json_t *array = json_array();
  for (int k = 0; k < count; k++) json_array_append_new(array, json_real(scale * values[k]));
  return array;
}

static void warn(json_t *warnings, const char *part, int count, const char *what) {
  if (count) json_array_append_new(warnings, json_sprintf("%s: %d %s", part, count, what));
}

// An opening is a fault in a bone only; a skin has a neck and eyes.
static json_t *describe_part(const mien_rig_info *rig, const mien_part *part, json_t *warnings) {
  inspect_surface s;
  if (!inspect_surface_of(rig, part, &s)) return NULL;
  bool is_bone = part->kind == MIEN_PART_SKULL || part->kind == MIEN_PART_JAW;
  if (is_bone)
    warn(warnings, part->name, s.nopen, "open edges; volumetric flesh needs closed bones");
  warn(warnings, part->name, s.nnonmanifold, "edges with more than two triangles");
  warn(warnings, part->name, s.nflipped, "edges where the surface turns inside out");
  warn(warnings, part->name, s.nflat, "triangles with next to no area");
  warn(warnings, part->name, s.nisolated, "vertices in no triangle");
  return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "name", part->name, "kind",
                   kind_name(part->kind), "vertices", part->nvert, "triangles", part->ntri,
                   "open_edges", s.nopen, "open_borders", s.nborder, "non_manifold_edges",
                   s.nnonmanifold, "flipped_edges", s.nflipped, "flat_triangles", s.nflat,
                   "isolated_vertices", s.nisolated);
}

static json_t *describe_shape(const mien_shape *shape) {
  int stride = shape->deltas.stride ? shape->deltas.stride : 3;
  double most = 0;
  for (int k = 0; k < shape->deltas.count; k++) {
    const float *d = shape->deltas.data + (size_t)k * (size_t)stride;
    most = fmax(most, sqrt((double)d[0] * d[0] + (double)d[1] * d[1] + (double)d[2] * d[2]));
  }
  return json_pack("{s:s, s:i, s:f}", "name", shape->name, "vertices", shape->deltas.count,
                   "largest_mm", 1000 * most);
}

static json_t *describe_map(const mien_map *map) {
  int stride = map->values.stride ? map->values.stride : map->width;
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < map->values.count; i++)
    for (int k = 0; k < map->width; k++) {
      double value = map->values.data[(size_t)i * (size_t)stride + (size_t)k];
      low = fmin(low, value);
      high = fmax(high, value);
    }
  return json_pack("{s:s, s:i, s:f, s:f}", "name", map->name, "width", map->width, "min",
                   map->values.count ? low : 0.0, "max", map->values.count ? high : 0.0);
}

static void add_remarks(json_t *to, const char *const *remarks, int count) {
  for (int i = 0; i < count; i++) json_array_append_new(to, json_string(remarks[i]));
}

static json_t *describe_jaw(const mien_jaw *jaw) {
  if (!jaw->is_known) return json_null();
  const double degrees = 57.29577951308232;
  return json_pack("{s:o, s:o, s:f}", "hinge_cm", inspect_numbers(jaw->hinge, 3, 100), "axis",
                   inspect_numbers(jaw->axis, 3, 1), "open_degrees", degrees * jaw->open_angle);
}

static json_t *describe_flesh(const mien_face_info *f) {
  int njaw = 0;
  for (int i = 0; i < f->nskin; i++) njaw += f->jaw.data[i] > 0.5F;
  json_t *regions =
      json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "lip_upper", f->nlip_upper, "lip_lower",
                f->nlip_lower, "lip_inner", f->nlip_inner, "mouth_bag", f->nmouth_bag, "eyelid",
                f->neyelid, "contact", f->ncontact, "passive", f->npassive, "jaw", njaw);
  json_t *thickness = json_pack("[f, f, f]", 1000 * f->thickness_min, 1000 * f->thickness_mean,
                                1000 * f->thickness_max);
  return json_pack("{s:b, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:f, s:f, s:f}", "mouth",
                   f->has_mouth, "slit_vertices", f->nslit, "skin_vertices", f->nskin, "vertices",
                   f->nvert, "tetrahedra", f->ntet, "attached", f->nattached, "thinned",
                   f->nthinned, "left_out_triangles", f->nleft_out, "regions", regions,
                   "thickness_mm", thickness, "quality_min", f->quality_min, "volume_cm3",
                   1e6 * f->volume, "mass_g", 1000 * f->mass);
}

// Builds the face only to tell what it would be like.
static void add_flesh(json_t *report, const mien_rig *rig, const mien_host *host,
                      json_t *warnings) {
  mien_face *face = NULL;
  mien_error err;
  mien_jaw jaw = mien_rig_get_info(rig)->jaw;
  if (mien_face_create(rig, NULL, host, &face, &err) >= 0) {
    const mien_face_info *info = mien_face_get_info(face);
    if (!jaw.is_known) jaw = info->hinge;
    json_object_set_new(report, "flesh", describe_flesh(info));
    add_remarks(warnings, info->remarks, info->nremark);
  } else {
    json_object_set_new(report, "flesh", json_null());
    json_array_append_new(warnings,
                          json_sprintf("flesh cannot be put under the skin: %s", err.text));
  }
  json_object_set_new(report, "jaw", describe_jaw(&jaw));
  mien_face_free(face);
}

static json_t *describe_animation(const mien_take *take) {
  if (!take) return json_null();
  const mien_take_info *t = mien_take_get_info(take);
  return json_pack("{s:i, s:i, s:f, s:f}", "channels", t->nchannel, "frames", t->nframe,
                   "frame_rate", t->frame_rate, "seconds", t->end - t->start);
}

static void add_lists(json_t *report, const mien_rig_info *info, json_t *warnings) {
  json_t *parts = json_array(), *shapes = json_array(), *maps = json_array();
  for (int p = 0; p < info->npart; p++)
    json_array_append_new(parts, describe_part(info, info->parts + p, warnings));
  for (int s = 0; s < info->nshape; s++)
    json_array_append_new(shapes, describe_shape(info->shapes + s));
  for (int m = 0; m < info->nmap; m++) json_array_append_new(maps, describe_map(info->maps + m));
  json_object_set_new(report, "parts", parts);
  json_object_set_new(report, "shapes", shapes);
  json_object_set_new(report, "maps", maps);
}

json_t *inspect_rig(const mien_rig *rig, const mien_take *animation, const mien_host *host) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  float size[3];
  for (int k = 0; k < 3; k++) size[k] = info->box_max[k] - info->box_min[k];
  bool is_face = mien_rig_find_map(rig, "hypodermis") >= 0;
  json_t *warnings = json_array(), *remarks = json_array();
  json_t *report =
      json_pack("{s:s, s:s, s:f, s:i, s:i, s:i, s:b, s:b, s:o, s:o, s:o, s:i}", "kind",
                is_face ? "face" : "rig", "name", info->name ? info->name : "", "source_unit_m",
                info->source_unit, "vertices", info->nvert, "render_vertices", info->nrender,
                "triangles", info->ntri, "has_uvs", info->uvs.data != NULL, "has_colours",
                info->colours.data != NULL, "size_cm", inspect_numbers(size, 3, 100), "box_min_cm",
                inspect_numbers(info->box_min, 3, 100), "box_max_cm",
                inspect_numbers(info->box_max, 3, 100), "landmarks", info->nlandmark);
  float pivot[3] = {(float)info->pivot[0], (float)info->pivot[1], (float)info->pivot[2]};
  json_object_set_new(report, "pivot_cm", inspect_numbers(pivot, 3, 100));
  json_object_set_new(report, "pivot_source", json_string(info->pivot_source));
  add_lists(report, info, warnings);
  add_flesh(report, rig, host, warnings);
  add_remarks(remarks, info->remarks, info->nremark);
  json_object_set_new(report, "animation", describe_animation(animation));
  json_object_set_new(report, "remarks", remarks);
  json_object_set_new(report, "warnings", warnings);
  return report;
}
