// A face in its rig's own file: maps as vertex attributes and extras.mien are added, and all else
// that the file holds stays as it is.
#include "io/glb_bake.h"

#include "rig/rig.h"

#include <stdio.h>

typedef struct keep {
  const mien_rig *rig;
  mi_glb_rig r;
  mi_glb_writer w;
  const json_t *more;
} keep;

// Lengths and vectors mean the same in the file only where its meshes stand as the rig does; where
// they do not they are found again when the face is loaded.
static bool is_upright(const keep *k, int part) {
  double space[12];
  mi_glb_own_space(&k->r.part[part], k->rig->info.part_spaces + 12 * (size_t)part, space);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      if (space[4 * i + j] != (i == j)) return false;
  return true;
}

static void set_attribute(keep *k, const mi_glb_chunk *chunk, const char *name, int accessor) {
  json_t *primitives = json_object_get(k->r.part[chunk->part].mesh, "primitives");
  for (int i = 0; i < mi_glb_length(primitives); i++) {
    json_t *attributes = json_object_get(json_array_get(primitives, (size_t)i), "attributes");
    if (json_equal(json_object_get(attributes, "POSITION"),
                   json_object_get(chunk->attributes, "POSITION")))
      mi_glb_set(&k->w, attributes, name, json_integer(accessor));
  }
}

static void add_map(keep *k, const mi_glb_chunk *chunk, const mien_map *map) {
  const mien_rig_info *rig = &k->rig->info;
  size_t width = (size_t)map->width;
  float *values = mi_glb_take(&k->w, (size_t)chunk->nvert * width, sizeof *values);
  bool is_zero = true;
  for (int i = 0; values && i < chunk->nvert; i++) {
    int render = i < chunk->nkept ? chunk->first + i : chunk->borrowed[i - chunk->nkept];
    const float *from = mi_f32s_at(&map->values, map->width, rig->render_map.data[render]);
    memcpy(values + (size_t)i * width, from, width * sizeof *values);
    for (size_t c = 0; c < width; c++) is_zero &= from[c] == 0;
  }
  if (!values || (is_zero && chunk->part != k->w.main_part)) return;
  char name[256];
  snprintf(name, sizeof name, "_MIEN_%s", map->name);
  for (char *at = name; *at; at++)
    if (*at >= 'a' && *at <= 'z') *at = (char)(*at - 32);
  set_attribute(k, chunk, name,
                mi_glb_add_floats(&k->w, values, chunk->nvert, map->width, MI_GLB_VERTICES));
}

static void turn_back(const double *space, json_t *owner, const char *key, double w) {
  json_t *list = json_object_get(owner, key);
  double from[3];
  for (size_t i = 0; i < 3; i++) from[i] = json_number_value(json_array_get(list, i));
  for (size_t i = 0; list && i < 3; i++) {
    const double *row = space + 4 * i;
    json_array_set_new(
        list, i, json_real(row[0] * from[0] + row[1] * from[1] + row[2] * from[2] + w * row[3]));
  }
}

// extras.mien anew; what the artist keeps in extras stays. Vertices that are another part's are
// named as the file has them.
static void set_extras(keep *k, int p) {
  json_t *node = (json_t *)k->r.part[p].node, *extras = json_object_get(node, "extras");
  double space[12];
  mi_glb_own_space(&k->r.part[p], k->rig->info.part_spaces + 12 * (size_t)p, space);
  if (!json_is_object(extras)) {
    extras = json_object();
    mi_glb_set(&k->w, node, "extras", extras);
  }
  json_t *made = mi_glb_make_extras(&k->w, p, k->more);
  json_t *mien = json_object_get(made, "mien");
  // what is said of the file stays as the file has it
  static const char *const kept[] = {"borrowed", "file_space"};
  for (int i = 0; i < 2; i++) {
    const json_t *old = json_object_get(json_object_get(extras, "mien"), kept[i]);
    json_object_del(mien, kept[i]);
    if (old) mi_glb_set(&k->w, mien, kept[i], json_deep_copy(old));
  }
  turn_back(space, mien, "pivot", 1);
  turn_back(space, json_object_get(mien, "jaw"), "hinge", 1);
  turn_back(space, json_object_get(mien, "jaw"), "axis", 0);
  mi_glb_set(&k->w, extras, "mien", json_incref(mien));
  json_decref(made);
}

static mien_result fill(keep *k, const mi_glb *glb) {
  mi_glb_writer *w = &k->w;
  if (!mi_glb_split_parts(w)) return mi_fail_memory(w->err);
  mi_glb_keep_buffer(w, glb);
  mi_glb_take_images(w, k->rig->source);
  for (int c = 0; c < k->r.nchunk; c++)
    for (int m = 0; m < w->nmap; m++) {
      const mien_map *map = &w->maps[m];
      bool is_placed = map->width == 3 || mi_map_is_length(map->name);
      if (!is_placed || is_upright(k, k->r.chunk[c].part)) add_map(k, &k->r.chunk[c], map);
    }
  for (int p = 0; p < k->r.npart; p++) set_extras(k, p);
  mi_glb_end_buffer(w);
  return w->is_out_of_memory ? mi_fail_memory(w->err) : MIEN_OK;
}

mien_result mi_glb_write_face(const mien_rig *rig, const mi_glb_extra *extra, const json_t *more,
                              const char *path, mien_error *err) {
  mi_glb glb;
  keep k = {.rig = rig, .more = more, .w = {.rig = &rig->info, .err = err}};
  mi_arena_init(&k.w.arena, &rig->host);
  mien_result result = mi_glb_open_source(rig, &k.w.arena, &glb, &k.r, err);
  if (result >= 0) {
    k.w.root = glb.root;
    result = mi_glb_join_maps(&k.w, extra);
    if (result >= 0) result = fill(&k, &glb);
    if (result >= 0) result = mi_glb_save(&k.w, path, &rig->host);
    mi_glb_close(&glb);
  }
  mi_arena_free(&k.w.arena);
  return result;
}
