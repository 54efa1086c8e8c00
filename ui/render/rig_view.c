// A rig as items of a scene: one mesh per part, one solid for the flesh.
#include "rig_view.h"

#include "rig_parts.h"

#include <stdlib.h>
#include <string.h>

void rig_view_opts_init(rig_view_opts *opts) {
  *opts = (rig_view_opts){.head = {.rotation = {0.0, 0.0, 0.0, 1.0}},
                          .skin_opacity = 1.0f,
                          .values_max = 1.0f,
                          .flesh_edges = 1,
                          .exposure = 1.0f};
}

// -- Making ---------------------------------------------------------------------------------------

// Values of the part's vertices, one after the other.
static mien_f32s gather(const rig_view *view, const rd_view_part *part, mien_f32s from, int width) {
  for (int i = 0; i < part->nvert; i++) {
    memcpy(view->scratch + (ptrdiff_t)i * width, rd_element(from, width, part->source[i]),
           (size_t)width * sizeof(float));
  }
  return (mien_f32s){view->scratch, part->nvert, width};
}

// Uploads only the vertices the part's triangles use.
static mien_result make_part(rig_view *view, const mien_part *from, int32_t *number,
                             mien_error *err) {
  const mien_rig_info *rig = view->rig;
  const int32_t *corner = rig->triangles.data + 3 * (ptrdiff_t)from->first_triangle;
  rd_view_part *part = &view->parts[view->npart++];
  part->kind = from->kind;
  part->look = rd_look_of(from->kind);
  part->source = RD_NEW(int32_t, rig->nvert);
  int32_t *triangles = RD_NEW(int32_t, 3 * (size_t)from->ntri);
  mien_result result = part->source && triangles ? MIEN_OK : rd_fail_memory(err);
  for (int i = 0; i < rig->nvert && result >= 0; i++) number[i] = -1;
  for (int i = 0; i < 3 * from->ntri && result >= 0; i++) {
    if (number[corner[i]] < 0) {
      part->source[part->nvert] = corner[i];
      number[corner[i]] = part->nvert++;
    }
    triangles[i] = number[corner[i]];
  }
  if (result >= 0) {
    render_mesh_def def = {.positions = gather(view, part, rig->positions, 3),
                           .triangles = {triangles, 3 * from->ntri},
                           .crease_angle = part->look.crease_angle};
    result = render_mesh_create(view->target, &def, &part->mesh, err);
  }
  if (result >= 0) {
    mien_f32s colours = gather(view, part, (mien_f32s){view->colours, rig->nvert, 4}, 4);
    result = render_mesh_paint(part->mesh, colours, (mien_f32s){NULL, 0, 0}, err);
  }
  free(triangles);
  return result;
}

static mien_result make_parts(rig_view *view, mien_error *err) {
  const mien_rig_info *rig = view->rig;
  int32_t *number = RD_NEW(int32_t, rig->nvert);
  mien_result result = number ? MIEN_OK : rd_fail_memory(err);
  for (int p = 0; p < rig->npart && result >= 0; p++) {
    if (rig->parts[p].ntri > 0) result = make_part(view, &rig->parts[p], number, err);
  }
  free(number);
  return result;
}

// Flesh is as hidden as the skin over it; what lies below is left open, a section shows it.
static mien_result shade_flesh(rig_view *view, mien_error *err) {
  const mien_face_info *face = view->face;
  if (!view->flesh) return MIEN_OK;
  float *open = RD_NEW(float, face->nvert);
  if (!open) return rd_fail_memory(err);
  for (int i = 0; i < face->nvert; i++) {
    bool on_skin = i < face->nskin && i < face->skin.count;
    open[i] = on_skin ? 0.15f + 0.85f * view->open[0][face->skin.data[i]] : 0.8f;
  }
  mien_result result = render_mesh_paint(view->flesh->surface, (mien_f32s){NULL, 0, 0},
                                         (mien_f32s){open, face->nvert, 1}, err);
  free(open);
  return result;
}

static mien_result make_flesh(rig_view *view, mien_error *err) {
  if (!view->face || view->face->ntet < 1) return MIEN_OK;
  float *colours = rd_flesh_colours(view->face);
  if (!colours) return rd_fail_memory(err);
  render_solid_def def = {.positions = view->face->positions,
                          .tets = {view->face->tets.data, 4 * view->face->ntet},
                          .colours = {colours, view->face->nvert, 4}};
  mien_result result = render_solid_create(view->target, &def, &view->flesh, err);
  free(colours);
  return result;
}

static mien_result create(render_target *target, const mien_rig_info *rig,
                          const mien_face_info *face, bool is_plain, rig_view **out,
                          mien_error *err) {
  if (!target || !rig || !out || rig->nvert < 1 || rig->ntri < 1) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "Showing a rig needs a target and a rig.");
  }
  rig_view *view = RD_NEW(rig_view, 1);
  if (!view) return rd_fail_memory(err);
  view->target = target;
  view->rig = rig;
  view->face = face;
  view->is_plain = is_plain;
  view->jaw = rd_find_jaw_shape(rig);
  view->parts = RD_NEW(rd_view_part, rig->npart);
  view->items = RD_NEW(render_item, rig->npart + 1);
  view->scratch = RD_NEW(float, 4 * (size_t)rig->nvert);
  view->colours = rd_rig_colours(rig, face);
  view->regions = rd_rig_regions(rig, face);
  bool complete = view->parts && view->items && view->scratch && view->colours && view->regions;
  mien_result result = complete ? make_parts(view, err) : rd_fail_memory(err);
  if (result >= 0) result = make_flesh(view, err);
  if (result >= 0) result = rd_bake_occlusion(view, err);
  if (result >= 0) result = rd_paint_occlusion(view, 0.0f, err);
  if (result >= 0) result = shade_flesh(view, err);
  if (result < 0) {
    rig_view_free(view);
    return result;
  }
  *out = view;
  return MIEN_OK;
}

mien_result rig_view_create(render_target *target, const mien_rig_info *rig,
                            const mien_face_info *face, rig_view **out, mien_error *err) {
  return create(target, rig, face, false, out, err);
}

mien_result rig_view_create_plain(render_target *target, const mien_rig_info *rig, rig_view **out,
                                  mien_error *err) {
  return create(target, rig, NULL, true, out, err);
}

void rig_view_free(rig_view *view) {
  if (!view) return;
  for (int p = 0; p < view->npart; p++) {
    render_mesh_free(view->parts[p].mesh);
    free(view->parts[p].source);
  }
  render_solid_free(view->flesh);
  free(view->parts);
  free(view->items);
  free(view->scratch);
  free(view->colours);
  free(view->regions);
  free(view->open[0]);
  free(view->open[1]);
  free(view);
}

// -- Drawing --------------------------------------------------------------------------------------

// A plane of the head's space, in the world.
static void carry_plane(const mien_rigid *head, const float plane[4], float out[4]) {
  const double *q = head->rotation, *t = head->translation;
  double n[3] = {(double)plane[0], (double)plane[1], (double)plane[2]}, c[3], d[3];
  // n + 2 q x (q x n + w n)
  c[0] = q[1] * n[2] - q[2] * n[1] + q[3] * n[0];
  c[1] = q[2] * n[0] - q[0] * n[2] + q[3] * n[1];
  c[2] = q[0] * n[1] - q[1] * n[0] + q[3] * n[2];
  d[0] = n[0] + 2 * (q[1] * c[2] - q[2] * c[1]);
  d[1] = n[1] + 2 * (q[2] * c[0] - q[0] * c[2]);
  d[2] = n[2] + 2 * (q[0] * c[1] - q[1] * c[0]);
  for (int k = 0; k < 3; k++) out[k] = (float)d[k];
  out[3] = (float)((double)plane[3] - d[0] * t[0] - d[1] * t[1] - d[2] * t[2]);
}

static void cut_item(render_item *item, const rig_view_opts *opts, const float plane[4]) {
  item->clip = 1;
  carry_plane(&opts->head, plane, item->plane);
}

static bool is_skin(const rd_view_part *part) {
  return part->kind == MIEN_PART_SKIN || part->kind == MIEN_PART_AUTO;
}

static mien_result skin_item(rig_view *view, const rd_view_part *part, const rig_view_opts *opts,
                             render_item *item, mien_error *err) {
  item->opacity = rd_clamp(opts->skin_opacity, 0.0f, 1.0f);
  item->edges = opts->edges;
  if (opts->clip_skin) cut_item(item, opts, opts->skin_plane);
  if (!opts->values.data) return MIEN_OK;
  item->material = RENDER_CLAY;
  item->use_values = 1;
  item->map = opts->map;
  item->values_min = opts->values_min;
  item->values_max = opts->values_max;
  return render_mesh_measure(part->mesh, gather(view, part, opts->values, 1), err);
}

// White paint under a grey colour: what "clay" shows instead of the rig's colours.
static mien_result paint_skin(rig_view *view, const rd_view_part *part, bool clay,
                              mien_error *err) {
  mien_f32s colours = {view->colours, view->rig->nvert, 4};
  mien_f32s paint = gather(view, part, colours, 4);
  static const float grey[3] = {0.40f, 0.385f, 0.365f};
  for (int i = 0; i < part->nvert && clay; i++) {
    memcpy(view->scratch + 4 * (ptrdiff_t)i, grey, sizeof grey);
  }
  return render_mesh_paint(part->mesh, paint, (mien_f32s){NULL, 0, 0}, err);
}

static mien_result part_item(rig_view *view, const rd_view_part *part, mien_f32s positions,
                             const rig_view_opts *opts, render_item *item, mien_error *err) {
  render_item_init(item);
  item->mesh = part->mesh;
  item->material = part->look.material;
  item->placement = opts->head;
  for (int c = 0; c < 3; c++) item->colour[c] = 1.0f, item->inside[c] = part->look.inside[c];
  mien_result result = render_mesh_move(part->mesh, gather(view, part, positions, 3), err);
  if (result < 0) return result;
  if (!is_skin(part)) {
    if (opts->clip_flesh) cut_item(item, opts, opts->flesh_plane);
    return MIEN_OK;
  }
  if (opts->clay) item->material = RENDER_CLAY;
  result = paint_skin(view, part, opts->clay != 0, err);
  return result < 0 ? result : skin_item(view, part, opts, item, err);
}

static mien_result flesh_item(rig_view *view, const rig_view_opts *opts, render_item *item,
                              mien_error *err) {
  render_item_init(item);
  item->solid = view->flesh;
  item->material = RENDER_FLESH;
  item->placement = opts->head;
  item->edges = opts->flesh_edges;
  static const float red[3] = {0.46f, 0.12f, 0.10f}, dark[3] = {0.18f, 0.03f, 0.03f};
  memcpy(item->colour, red, sizeof red);
  memcpy(item->section, red, sizeof red);
  memcpy(item->inside, dark, sizeof dark);
  if (opts->clip_flesh) cut_item(item, opts, opts->flesh_plane);
  return render_solid_move(view->flesh, opts->flesh, err);
}

static mien_result check_draw(const rig_view *view, mien_f32s positions, const rig_view_opts *opts,
                              mien_error *err) {
  if (!view || !positions.data || !opts) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "Showing a rig needs positions and options.");
  }
  if (positions.count != view->rig->nvert) {
    return rd_fail(err, MIEN_ERR_MISMATCH, "The rig has %d vertices, but %d positions were given.",
                   view->rig->nvert, positions.count);
  }
  if (opts->values.data && opts->values.count != view->rig->nvert) {
    return rd_fail(err, MIEN_ERR_MISMATCH, "The rig has %d vertices, but %d values were given.",
                   view->rig->nvert, opts->values.count);
  }
  if (opts->flesh.data && !view->flesh) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "This view was made without flesh to show.");
  }
  return MIEN_OK;
}

mien_result rig_view_draw(rig_view *view, mien_f32s positions, const rig_view_opts *opts,
                          render_image *out, mien_error *err) {
  mien_result result = check_draw(view, positions, opts, err);
  if (result < 0) return result;
  float opening = rd_jaw_opening(view, positions);
  if (fabsf(opening - view->painted_jaw) > 0.01f) result = rd_paint_occlusion(view, opening, err);
  int nitem = 0;
  for (int p = 0; p < view->npart && result >= 0; p++) {
    const rd_view_part *part = &view->parts[p];
    bool hidden = opts->hidden >> part->kind & 1u || (is_skin(part) && opts->skin_opacity <= 0.0f);
    if (!hidden) result = part_item(view, part, positions, opts, &view->items[nitem++], err);
  }
  if (result >= 0 && opts->flesh.data) {
    result = flesh_item(view, opts, &view->items[nitem++], err);
  }
  if (result < 0) return result;
  render_scene scene = {opts->camera, view->items, nitem, opts->exposure};
  if (opts->camera.field_of_view <= 0.0f && opts->camera.height <= 0.0f) {
    scene.camera = rig_view_camera(view, RIG_VIEW_HEAD, (render_angle){.zoom = 1.0f});
  }
  return render_scene_draw(view->target, &scene, out, err);
}
