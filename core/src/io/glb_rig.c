// A rig from a .glb file.
#include "io/glb_rig.h"
#include "io/name_table.h"

#include "rig/rig.h"

#include <stdio.h>
#include <stdlib.h>

// A name of its own for every part: "mesh" again is "mesh_2". NULL with an error.
static const char *part_name(mi_glb_rig *r, mi_name_table *seen, int p) {
  enum { MOST = 400 };
  const mi_glb_part *part = &r->part[p];
  const char *name = mi_glb_name(part->node);
  char text[MOST + 16];
  if (!name) name = mi_glb_name(part->mesh);
  if (name) snprintf(text, sizeof text, "%.*s", MOST, name);
  if (!name) snprintf(text, sizeof text, "part_%d", p);
  for (int again = 2; mi_name_find(seen, text) >= 0; again = mi_next_number(again, p)) {
    if (!mi_glb_charge(r->glb, 1, sizeof text)) return NULL;
    snprintf(text, sizeof text, "%.*s_%d", MOST, name ? name : "part", again);
  }
  int number = mi_name_add(seen, text);
  if (number < 0) mi_fail_memory(r->glb->err);
  return number < 0 ? NULL : seen->name[number];
}

static mien_result take_landmarks(mi_glb_rig *r, const mi_glb_part *part, const mi_extras *extras,
                                  int32_t landmarks[68]) {
  for (int i = 0; i < 68; i++) {
    int64_t vert = extras->landmarks[i];
    if (vert < 0 || landmarks[i] >= 0) continue;
    if (vert >= part->nvert)
      return mi_fail(r->glb->err, MIEN_ERR_FORMAT, "landmark %d names vertex %lld; the part has %d",
                     i, (long long)vert, part->nvert);
    landmarks[i] = (int32_t)vert + part->first_vertex;
  }
  return MIEN_OK;
}

static void move_jaw(const mi_affine *world, mien_jaw *jaw) {
  float hinge[3], axis[3];
  memcpy(hinge, jaw->hinge, sizeof hinge);
  memcpy(axis, jaw->axis, sizeof axis);
  mi_affine_apply(world, hinge, 1, jaw->hinge);
  mi_affine_apply(world, axis, 0, axis);
  double length =
      sqrt((double)axis[0] * axis[0] + (double)axis[1] * axis[1] + (double)axis[2] * axis[2]);
  for (int k = 0; length > 0 && k < 3; k++) jaw->axis[k] = (float)(axis[k] / length);
}

static void take_pivot(mi_glb_rig *r, const mi_glb_part *part, const mi_extras *extras) {
  r->def.has_pivot = 1;
  for (int i = 0; i < 3; i++) {
    r->def.pivot[i] = part->world.m[i][3];
    for (int k = 0; k < 3; k++) r->def.pivot[i] += part->world.m[i][k] * extras->pivot[k];
  }
}

// Members of extras.mien that have no place of their own in a rig are kept as they are.
static mien_result keep_extras(mi_glb_rig *r, const json_t *mien, json_t **kept) {
  static const char *const known[] = {"part",   "landmarks", "borrowed",  "jaw", "metres_per_unit",
                                      "shapes", "pivot",     "file_space"};
  if (!json_is_object(mien)) return MIEN_OK;
  if (!*kept) *kept = json_object();
  json_t *more = json_copy((json_t *)mien);
  for (size_t k = 0; more && k < sizeof known / sizeof *known; k++) json_object_del(more, known[k]);
  bool done = *kept && more && json_object_update_missing(*kept, more) == 0;
  json_decref(more);
  return done ? MIEN_OK : mi_fail_memory(r->glb->err);
}

static mien_result write_extras(mi_glb_rig *r, json_t *kept) {
  if (!json_object_size(kept)) return MIEN_OK;
  char *text = json_dumps(kept, JSON_COMPACT | JSON_SORT_KEYS);
  r->def.extras = text ? mi_arena_string(&r->glb->arena, text) : NULL;
  free(text);
  return r->def.extras ? MIEN_OK : mi_fail_memory(r->glb->err);
}

// Parts, and what their nodes' extras say of unit, kind, landmarks and jaw.
static mien_result describe_parts(mi_glb_rig *r, json_t **kept) {
  mi_glb *glb = r->glb;
  mien_part *parts = mi_glb_push(glb, (size_t)r->npart, sizeof *parts);
  int32_t *landmarks = mi_glb_push(glb, 68, sizeof *landmarks);
  if (!parts || !landmarks) return glb->err->code;
  mi_name_table names = {.arena = &glb->arena};
  for (int i = 0; i < 68; i++) landmarks[i] = -1;
  for (int p = 0; p < r->npart; p++) {
    const mi_glb_part *part = &r->part[p];
    const json_t *json = json_object_get(json_object_get(part->node, "extras"), "mien");
    mi_extras extras;
    mien_result result = mi_extras_read(json, &extras, glb->err);
    if (result >= 0) result = keep_extras(r, json, kept);
    if (result >= 0 && extras.has_landmarks) result = take_landmarks(r, part, &extras, landmarks);
    if (result < 0) return result;
    const char *name = part_name(r, &names, p);
    if (!name) return glb->err->code;
    if (extras.has_unknown_kind &&
        !mi_remark(&glb->remarks, "\"%.80s\" is of a kind mien does not know", name))
      return mi_fail_memory(glb->err);
    parts[p] = (mien_part){name,
                           extras.kind,
                           part->first_vertex,
                           part->nvert,
                           part->first_corner / 3,
                           part->ncorner / 3};
    if (extras.has_landmarks) r->def.landmarks = (mien_i32s){landmarks, 68};
    if (extras.metres_per_unit > 0 && r->def.source_unit <= 0)
      r->def.source_unit = extras.metres_per_unit;
    if (extras.has_pivot && !r->def.has_pivot) take_pivot(r, part, &extras);
    if (!extras.jaw.is_known || r->def.jaw.is_known) continue;
    r->def.jaw = extras.jaw;
    if (part->is_moved) move_jaw(&part->world, &r->def.jaw);
  }
  r->def.parts = parts;
  r->def.npart = r->npart;
  r->def.name = r->scene.name ? r->scene.name : parts[0].name;
  return MIEN_OK;
}

// From the scene back to each mesh's own space, in the file that the rig was made of. A mesh with a
// singular transform (a scale of 0) stays in the scene's.
static mien_result set_spaces(mi_glb_rig *r) {
  double *spaces = mi_glb_push(r->glb, 12 * (size_t)r->npart, sizeof *spaces);
  if (!spaces) return r->glb->err->code;
  for (int p = 0; p < r->npart; p++) {
    mi_affine back, file;
    if (!mi_affine_invert(&r->part[p].world, &back)) back = mi_affine_identity();
    if (mi_glb_file_space(&r->part[p], &file)) back = mi_affine_multiply(&file, &back);
    memcpy(spaces + 12 * (size_t)p, back.m, sizeof back.m);
  }
  r->def.part_spaces = spaces;
  return MIEN_OK;
}

// Which vertices of the file's meshes are other parts' own.
static mien_result list_borrowed(const mi_glb_rig *r, mien_rig *rig, mien_error *err) {
  int count = 0, at = 0;
  for (int c = 0; c < r->nchunk; c++) count += r->chunk[c].nvert - r->chunk[c].nkept;
  mi_borrowed *list = MI_PUSH(&rig->arena, mi_borrowed, count);
  if (!list) return mi_fail_memory(err);
  for (int c = 0; c < r->nchunk; c++) {
    const mi_glb_chunk *chunk = &r->chunk[c]; // borrowing parts have one chunk
    mien_f32s number = {0};
    if (chunk->nkept < chunk->nvert && mi_glb_file_vertices(r->glb, chunk, &number) < 0)
      return MIEN_ERR_FORMAT;
    for (int i = chunk->nkept; i < chunk->nvert; i++) {
      int vertex = number.data ? (int)*mi_f32s_at(&number, 1, i) : i;
      list[at++] = (mi_borrowed){chunk->part, vertex, chunk->borrowed[i - chunk->nkept]};
    }
  }
  rig->borrowed = list;
  rig->nborrowed = count;
  return MIEN_OK;
}

mien_result mi_glb_read_rig(const void *bytes, size_t size, const mien_rig_opts *opts,
                            const mien_host *host, mien_rig **out, mien_error *err) {
  mi_glb glb;
  mien_result result = mi_glb_open(&glb, bytes, size, host, err);
  if (result < 0) return result;
  mi_glb_rig r = {.glb = &glb};
  mien_rig_def_init(&r.def); // glTF is in metres: metres_per_unit stays 1
  result = mi_glb_read_scene(&glb, &r.scene);
  if (result >= 0) result = mi_glb_gather_parts(&r);
  if (result >= 0) result = mi_glb_read_attributes(&r);
  if (result >= 0) result = mi_glb_read_faces(&r);
  if (result >= 0) result = mi_glb_read_maps(&r);
  if (result >= 0) result = mi_glb_read_numbers(&r);
  if (result >= 0) result = mi_glb_read_shapes(&r);
  if (result >= 0) result = mi_glb_read_expressions(&r);
  json_t *kept = NULL;
  if (result >= 0) result = describe_parts(&r, &kept);
  if (result >= 0) result = write_extras(&r, kept);
  if (result >= 0) result = mi_glb_find_neck(&r);
  if (result >= 0) result = set_spaces(&r);
  json_decref(kept);
  r.def.remarks = glb.remarks.text;
  r.def.nremark = glb.remarks.count;
  if (opts) mi_rig_def_use(&r.def, opts);
  if (result >= 0) result = mi_rig_create(&r.def, host, out, err);
  if (result >= 0 && list_borrowed(&r, *out, err) < 0) {
    mi_rig_release(*out);
    result = MIEN_ERR_MEMORY;
  }
  mi_glb_close(&glb);
  return result;
}
