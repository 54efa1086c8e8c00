// extras.mien of a part's node: what glTF has no place for. See extras.c for the way back.
#include "io/glb_writer.h"

static json_t *make_vector(mi_glb_writer *w, const float v[3]) {
  return mi_glb_keep(w, json_pack("[f,f,f]", (double)v[0], (double)v[1], (double)v[2]));
}

// Landmarks as vertices of this part, -1 for those on other parts; NULL when there are none.
static json_t *make_landmarks(mi_glb_writer *w, int p) {
  const mien_rig_info *rig = w->rig;
  const mien_part *part = &rig->parts[p];
  json_t *list = mi_glb_keep(w, json_array());
  int nknown = 0;
  for (int i = 0; i < rig->landmarks.count; i++) {
    int welded = rig->landmarks.data[i], vert = -1;
    bool is_mine = welded >= part->first_vertex && welded < part->first_vertex + part->nvert;
    for (int v = 0; is_mine && vert < 0 && v < w->part[p].nvert; v++)
      if (w->part[p].welded[v] == welded) vert = v;
    nknown += vert >= 0;
    mi_glb_append(w, list, json_integer(vert));
  }
  if (nknown) return list;
  json_decref(list);
  return NULL;
}

// [[part's name, [its vertices]], ...] for the vertices after the part's own.
static json_t *make_borrowed(mi_glb_writer *w, int p) {
  const mien_rig_info *rig = w->rig;
  const mi_glb_out *out = &w->part[p];
  json_t *list = mi_glb_keep(w, json_array()), *vertices = NULL;
  for (int i = out->nown, last = -1; i < out->nvert; i++) {
    int owner = w->part_of[out->welded[i]];
    if (owner != last) {
      vertices = json_array();
      json_t *name = mi_glb_text(w, rig->parts[owner].name);
      mi_glb_append(w, list, json_pack("[o,o]", name, vertices));
    }
    mi_glb_append(w, vertices, json_integer(w->local[out->render[i]]));
    last = owner;
  }
  return list;
}

// True when a reader that lists shapes in the order of the file gets the rig's order.
static bool is_order_plain(const mi_glb_writer *w, bool *seen) {
  int next = 0;
  for (int p = 0; p < w->rig->npart; p++)
    for (int i = 0; i < w->part[p].nshape; i++) {
      int s = w->part[p].shape[i];
      if (seen[s]) continue;
      if (s != next++) return false;
      seen[s] = true;
    }
  return true;
}

static void add_order(mi_glb_writer *w, json_t *mien) {
  bool *seen = mi_glb_take(w, (size_t)w->rig->nshape, sizeof *seen);
  if (!seen || is_order_plain(w, seen)) return;
  json_t *names = mi_glb_keep(w, json_array());
  for (int s = 0; s < w->rig->nshape; s++)
    mi_glb_append(w, names, mi_glb_text(w, w->rig->shapes[s].name));
  mi_glb_set(w, mien, "shapes", names);
}

// From this mesh to that of the file the rig came from; NULL when they are the same.
static json_t *make_file_space(mi_glb_writer *w, int p) {
  const double *space = w->rig->part_spaces + 12 * (size_t)p;
  bool is_plain = true;
  json_t *list = mi_glb_keep(w, json_array());
  for (int k = 0; k < 12; k++) {
    is_plain &= space[k] == (k % 5 == 0);
    mi_glb_append(w, list, json_real(space[k]));
  }
  if (!is_plain) return list;
  json_decref(list);
  return NULL;
}

json_t *mi_glb_make_extras(mi_glb_writer *w, int p, const json_t *more) {
  const mien_rig_info *rig = w->rig;
  json_t *extras = mi_glb_keep(w, json_object()), *mien = mi_glb_keep(w, json_object());
  mi_glb_set(w, mien, "part", json_string(mi_part_kind_name(rig->parts[p].kind)));
  json_t *landmarks = make_landmarks(w, p);
  if (landmarks) mi_glb_set(w, mien, "landmarks", landmarks);
  json_t *space = make_file_space(w, p);
  if (space) mi_glb_set(w, mien, "file_space", space);
  if (w->part[p].nown < w->part[p].nvert) mi_glb_set(w, mien, "borrowed", make_borrowed(w, p));
  if (p == w->main_part) {
    mi_glb_set(w, mien, "metres_per_unit", json_real(rig->source_unit));
    if (!strcmp(rig->pivot_source, "given") || !strcmp(rig->pivot_source, "skeleton"))
      mi_glb_set(w, mien, "pivot",
                 json_pack("[f,f,f]", rig->pivot[0], rig->pivot[1], rig->pivot[2]));
    add_order(w, mien);
    if (rig->jaw.is_known) {
      json_t *jaw = mi_glb_keep(w, json_object());
      mi_glb_set(w, jaw, "hinge", make_vector(w, rig->jaw.hinge));
      mi_glb_set(w, jaw, "axis", make_vector(w, rig->jaw.axis));
      mi_glb_set(w, jaw, "open_angle", json_real((double)rig->jaw.open_angle));
      mi_glb_set(w, mien, "jaw", jaw);
    }
    if (more && json_object_update(mien, (json_t *)more) != 0) w->is_out_of_memory = true;
  }
  mi_glb_set(w, extras, "mien", mien);
  return extras;
}
