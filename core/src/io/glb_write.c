// A rig, and a take that plays it, as a .glb file.
#include "io/cache.h"
#include "io/glb_writer.h"

#include "rig/rig.h"

#include <stdio.h>

// The rig's maps and the caller's; one of the caller's replaces one of the same name.
mien_result mi_glb_join_maps(mi_glb_writer *w, const mi_glb_extra *extra) {
  int nmore = extra ? extra->nmap : 0;
  mien_map *maps = mi_glb_take(w, (size_t)(w->rig->nmap + nmore), sizeof *maps);
  if (!maps) return mi_fail_memory(w->err);
  for (int m = 0; m < w->rig->nmap; m++) maps[w->nmap++] = w->rig->maps[m];
  for (int m = 0; m < nmore; m++) {
    const mien_map *map = &extra->maps[m];
    if (map->values.count != w->rig->nvert || (map->width != 1 && map->width != 3))
      return mi_fail(w->err, MIEN_ERR_MISMATCH, "map \"%.80s\" has %d values, the rig %d vertices",
                     map->name, map->values.count, w->rig->nvert);
    int at = 0;
    while (at < w->nmap && strcmp(maps[at].name, map->name) != 0) at++;
    maps[at] = *map;
    if (at == w->nmap) w->nmap++;
  }
  w->maps = maps;
  return MIEN_OK;
}

static json_t *make_node(mi_glb_writer *w, int p, int mesh, const json_t *more) {
  json_t *node = mi_glb_keep(w, json_object());
  mi_glb_set(w, node, "name", mi_glb_text(w, w->rig->parts[p].name));
  if (mesh >= 0) mi_glb_set(w, node, "mesh", json_integer(mesh));
  mi_glb_set(w, node, "extras", mi_glb_make_extras(w, p, more));
  return node;
}

// Nodes of the parts, and when there is head motion the node above them that carries it.
static void add_nodes(mi_glb_writer *w, const json_t *more, bool has_head) {
  int npart = w->rig->npart;
  json_t *nodes = mi_glb_keep(w, json_array()), *meshes = mi_glb_keep(w, json_array());
  json_t *materials = mi_glb_keep(w, json_array()), *all = mi_glb_keep(w, json_array());
  for (int p = 0; p < npart; p++) {
    int mesh = w->part[p].nvert ? mi_glb_length(meshes) : -1; // glTF has no empty meshes
    if (mesh >= 0) mi_glb_append(w, meshes, mi_glb_make_mesh(w, p, mesh));
    if (mesh >= 0) mi_glb_append(w, materials, mi_glb_make_material(w, p));
    mi_glb_append(w, nodes, make_node(w, p, mesh, more));
    mi_glb_append(w, all, json_integer(p));
  }
  if (has_head) {
    mi_glb_append(w, nodes, json_pack("{s:s, s:o}", "name", "head", "children", all));
    all = json_pack("[i]", npart);
  }
  json_t *scenes =
      mi_glb_keep(w, json_pack("[{s:o, s:o}]", "name", mi_glb_text(w, w->rig->name), "nodes", all));
  mi_glb_set(w, w->root, "scene", json_integer(0));
  mi_glb_set(w, w->root, "scenes", scenes);
  mi_glb_set(w, w->root, "nodes", nodes);
  mi_glb_set(w, w->root, "meshes", meshes);
  mi_glb_set(w, w->root, "materials", materials);
}

// Which vertices these are in the file that the rig came from, where that has another order.
static bool number_vertices(mi_glb_writer *w, const mien_rig *rig) {
  int32_t *point = mi_glb_take(w, (size_t)w->rig->nrender, sizeof *point);
  if (!point) return false;
  for (int p = 0; p < w->rig->npart; p++) {
    mi_glb_out *out = &w->part[p];
    int32_t *number = mi_glb_take(w, (size_t)out->nvert, sizeof *number);
    bool is_plain = true;
    if (!number) return false;
    mi_part_points(rig, p, point);
    for (int i = 0; i < out->nvert; i++) {
      number[i] = point[out->render[i]];
      is_plain &= number[i] == i;
    }
    if (!is_plain) out->file_vertex = number;
  }
  return true;
}

static mien_result build(mi_glb_writer *w, const mien_rig *rig, const mi_glb_extra *extra,
                         const json_t *more) {
  mien_result result = mi_glb_join_maps(w, extra);
  if (result < 0) return result;
  if (!mi_glb_split_parts(w)) return mi_fail_memory(w->err);
  if (!number_vertices(w, rig)) return mi_fail_memory(w->err);
  w->root = mi_glb_keep(w, json_object());
  char generator[32];
  int version = MIEN_VERSION;
  snprintf(generator, sizeof generator, "mien %d.%d.%d", version / 1000000, version / 1000 % 1000,
           version % 1000);
  w->views = mi_glb_keep(w, json_array());
  w->accessors = mi_glb_keep(w, json_array());
  mi_glb_set(w, w->root, "asset",
             json_pack("{s:s, s:s}", "version", "2.0", "generator", generator));
  mi_glb_set(w, w->root, "accessors", w->accessors);
  mi_glb_set(w, w->root, "bufferViews", w->views);
  const mien_take *take = extra ? extra->take : NULL;
  bool has_head = take && take->info.head;
  add_nodes(w, more, has_head);
  if (take) {
    json_t *animation = NULL;
    result = mi_glb_make_animation(w, rig, take, has_head ? w->rig->npart : -1, &animation);
    if (result < 0) return result;
    if (mi_glb_length(json_object_get(animation, "channels")))
      mi_glb_set(w, w->root, "animations", json_pack("[o]", animation));
    else
      json_decref(animation);
  }
  mi_glb_set(w, w->root, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)w->bin_size));
  return MIEN_OK;
}

// extras.mien gets the rig's own members and the caller's, which win.
static mien_result read_members(const mien_rig *rig, const mi_glb_extra *extra, json_t **out,
                                mien_error *err) {
  json_error_t why;
  json_t *more = extra && extra->mien_json ? json_loads(extra->mien_json, 0, &why) : json_object();
  if (!json_is_object(more)) {
    json_decref(more);
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the members for extras.mien are no JSON object: %s",
                   more ? "another kind of value" : why.text);
  }
  json_t *own = json_loads(rig->info.extras, 0, NULL);
  bool done = !json_is_object(own) || json_object_update_missing(more, own) == 0;
  json_decref(own);
  *out = more;
  return done ? MIEN_OK : mi_fail_memory(err);
}

static bool is_as_in_file(const mien_rig *rig) {
  bool is_same = rig->metres_per_unit == 1;
  for (int k = 0; k < 3; k++) is_same &= rig->turn_axis[k] == k && rig->turn_sign[k] == 1;
  return is_same;
}

static bool is_there(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

mien_result mi_glb_write(const mien_rig *rig, const mi_glb_extra *extra, const char *path,
                         mien_error *err) {
  mi_glb_writer w = {.rig = &rig->info, .err = err};
  mi_arena_init(&w.arena, &rig->host);
  json_t *more = NULL;
  mien_result result = read_members(rig, extra, &more, err);
  // A face goes back into the file its rig came from. A rig that was turned or scaled is written
  // upright: options said how, and a reader of the file would not know them.
  bool is_kept =
      rig->source && extra && !extra->take && is_as_in_file(rig) && is_there(rig->source);
  if (result >= 0 && is_kept) {
    result = mi_glb_write_face(rig, extra, more, path, err);
  } else if (result >= 0) {
    result = build(&w, rig, extra, more);
    if (result >= 0) result = mi_glb_save(&w, path, &rig->host);
  }
  json_decref(more);
  json_decref(w.root);
  mi_arena_free(&w.arena);
  return result;
}
