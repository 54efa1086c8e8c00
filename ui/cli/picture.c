#include "picture.h"

#include "picture_muscles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct picture {
  picture_def def;
  render_target *target;
  rig_view *view;
  float *field;       // of the heat panel, one per rig vertex
  float *muscles;     // of the muscles' panel
  bool field_follows; // changes with the pose
  render_image panels[PICTURE_PANELS];
};

static const char *const kind_names[] = {"skin", "clay", "wire", "cut", "heat", "muscles"};

bool picture_panel_kind(const char *word, panel_kind *kind) {
  for (int k = 0; k < 6; k++)
    if (!strcmp(word, kind_names[k])) {
      *kind = (panel_kind)k;
      return true;
    }
  return false;
}

static mien_result refuse(mien_error *err, const char *text, const char *name) {
  if (err) {
    *err = (mien_error){.code = MIEN_ERR_ARGUMENT, .where = "picture.c"};
    snprintf(err->text, sizeof err->text, text, name);
  }
  return MIEN_ERR_ARGUMENT;
}

// values per skin vertex of the face (flesh vertex i or i + offset) onto the rig's vertices
static void from_face(picture *p, const mien_face_info *face, int offset, const float *values) {
  for (int i = 0; i < face->nskin; i++) p->field[face->skin.data[i]] = values[i + offset];
}

static bool find_face_field(picture *p, const mien_face_info *face) {
  int offset = face->nvert >= 2 * face->nskin ? face->nskin : 0;
  if (!strcmp(p->def.field, "attachment"))
    from_face(p, face, offset, face->attachment.data);
  else if (!strcmp(p->def.field, "jaw"))
    from_face(p, face, 0, face->jaw.data);
  else if (!strcmp(p->def.field, "thickness") && offset) {
    for (int i = 0; i < face->nskin; i++) {
      const float *a = face->positions.data + 3 * i, *b = a + 3 * face->nskin;
      double d2 = 0;
      for (int k = 0; k < 3; k++) d2 += (double)(a[k] - b[k]) * (a[k] - b[k]);
      p->field[face->skin.data[i]] = (float)(1000 * sqrt(d2));
    }
  } else
    return false;
  return true;
}

static mien_result find_field(picture *p, mien_error *err) {
  const mien_rig_info *rig = mien_rig_get_info(p->def.rig);
  const mien_face_info *face = mien_face_get_info(p->def.face);
  p->field = calloc((size_t)rig->nvert, sizeof *p->field);
  if (!p->field) return refuse(err, "out of memory for '%s'", p->def.field);
  p->field_follows = !strcmp(p->def.field, "displacement") || !strcmp(p->def.field, "difference");
  if (p->field_follows) {
    if (p->def.field_min >= p->def.field_max) p->def.field_min = 0, p->def.field_max = 20;
    return MIEN_OK;
  }
  if (!face || !find_face_field(p, face)) {
    int m = mien_rig_find_map(p->def.rig, p->def.field);
    if (m < 0 || rig->maps[m].width != 1)
      return refuse(err, "there is no field or map '%s' to show", p->def.field);
    memcpy(p->field, rig->maps[m].values.data, (size_t)rig->nvert * sizeof *p->field);
  }
  if (p->def.field_min < p->def.field_max) return MIEN_OK;
  p->def.field_min = INFINITY, p->def.field_max = -INFINITY;
  for (int i = 0; i < rig->nvert; i++) {
    p->def.field_min = fmin(p->def.field_min, p->field[i]);
    p->def.field_max = fmax(p->def.field_max, p->field[i]);
  }
  if (p->def.field_min >= p->def.field_max) p->def.field_max = p->def.field_min + 1;
  return MIEN_OK;
}

static mien_result find_muscles(picture *p, mien_error *err) {
  const mien_face_info *face = mien_face_get_info(p->def.face);
  if (!face || !face->nmuscle) return refuse(err, "%s", "the face has no muscles to show");
  p->muscles = picture_muscle_colours(p->def.rig, p->def.face);
  return p->muscles ? MIEN_OK : refuse(err, "out of memory for '%s'", "muscles");
}

mien_result picture_create(const picture_def *def, picture **out, mien_error *err) {
  picture *p = calloc(1, sizeof *p);
  if (!p) return refuse(err, "%s", "out of memory");
  p->def = *def;
  mien_result result = MIEN_OK;
  for (int i = 0; result >= 0 && i < def->npanel; i++) {
    if (def->panels[i].kind == PANEL_CUT && !def->face)
      result = refuse(err, "%s", "a cut needs a face");
    if (def->panels[i].kind == PANEL_HEAT && !p->field) result = find_field(p, err);
    if (def->panels[i].kind == PANEL_MUSCLES && !p->muscles) result = find_muscles(p, err);
  }
  render_target_def target;
  render_target_def_init(&target);
  target.width = def->width;
  target.height = def->height;
  if (result >= 0) result = render_target_create(&target, &p->target, err);
  if (result >= 0)
    result = def->plain
                 ? rig_view_create_plain(p->target, mien_rig_get_info(def->rig), &p->view, err)
                 : rig_view_create(p->target, mien_rig_get_info(def->rig),
                                   mien_face_get_info(def->face), &p->view, err);
  if (result < 0) {
    picture_free(p);
    return result;
  }
  *out = p;
  return MIEN_OK;
}

void picture_free(picture *p) {
  if (!p) return;
  for (int i = 0; i < PICTURE_PANELS; i++) render_image_free(&p->panels[i]);
  rig_view_free(p->view);
  render_target_free(p->target);
  free(p->field);
  free(p->muscles);
  free(p);
}

static void follow_pose(picture *p, const picture_pose *pose) {
  const mien_rig_info *rig = mien_rig_get_info(p->def.rig);
  bool differs = !strcmp(p->def.field, "difference") && pose->reference.data;
  mien_f32s positions = pose->positions, from = differs ? pose->reference : rig->positions;
  int stride = positions.stride ? positions.stride : 3, from_stride = from.stride ? from.stride : 3;
  for (int i = 0; i < rig->nvert; i++) {
    double d2 = 0;
    for (int k = 0; k < 3; k++) {
      double d = positions.data[i * stride + k] - from.data[i * from_stride + k];
      d2 += d * d;
    }
    p->field[i] = (float)(1000 * sqrt(d2));
  }
}

// A close camera goes where the head takes what it looks at, and keeps its direction.
static void follow_head(render_camera *camera, const mien_rigid *head) {
  const double *q = head->rotation;
  double at[3] = {camera->at[0], camera->at[1], camera->at[2]}, cross[3];
  for (int k = 0; k < 3; k++) {
    int a = (k + 1) % 3, b = (k + 2) % 3;
    cross[k] = q[a] * at[b] - q[b] * at[a] + q[3] * at[k];
  }
  for (int k = 0; k < 3; k++) {
    int a = (k + 1) % 3, b = (k + 2) % 3;
    float shift = (float)(2 * (q[a] * cross[b] - q[b] * cross[a]) + head->translation[k]);
    camera->at[k] += shift;
    camera->eye[k] += shift;
  }
}

static void set_options(picture *p, const picture_panel *panel, const picture_pose *pose,
                        rig_view_opts *opts) {
  const mien_rig_info *rig = mien_rig_get_info(p->def.rig);
  const mien_face_info *face = mien_face_get_info(p->def.face);
  rig_view_opts_init(opts);
  opts->camera = rig_view_camera(p->view, p->def.subject, panel->angle);
  if (p->def.with_head) opts->head = pose->head;
  if (p->def.with_head && p->def.subject != RIG_VIEW_HEAD) follow_head(&opts->camera, &pose->head);
  opts->clay = panel->kind == PANEL_CLAY || panel->kind == PANEL_WIRE;
  opts->edges = panel->kind == PANEL_WIRE;
  if (panel->kind == PANEL_HEAT) {
    opts->values = (mien_f32s){p->field, rig->nvert, 1};
    opts->values_min = (float)p->def.field_min;
    opts->values_max = (float)p->def.field_max;
  }
  if (panel->kind == PANEL_MUSCLES) {
    opts->values = (mien_f32s){p->muscles, rig->nvert, 1};
    opts->values_max = 1;
  }
  if (panel->kind != PANEL_CUT) return;
  const float half[4] = {-1, 0, 0, 0}; // keep the subject's right half
  opts->clip_skin = opts->clip_flesh = 1;
  memcpy(opts->skin_plane, half, sizeof half);
  memcpy(opts->flesh_plane, half, sizeof half);
  opts->flesh = pose->flesh.data ? pose->flesh : face->positions;
}

static mien_result draw_panel(picture *p, int i, const picture_pose *pose, mien_error *err) {
  rig_view_opts opts;
  set_options(p, p->def.panels + i, pose, &opts);
  bool reference = p->def.panels[i].reference && pose->reference.data;
  mien_result result = rig_view_draw(p->view, reference ? pose->reference : pose->positions, &opts,
                                     p->panels + i, err);
  if (result >= 0 && p->def.panels[i].kind == PANEL_HEAT) {
    char label[64];
    bool is_length = p->field_follows || !strcmp(p->def.field, "thickness");
    snprintf(label, sizeof label, "%s%s", p->def.field, is_length ? " (mm)" : "");
    render_legend legend = {RENDER_MAP_HEAT, p->def.field_min, p->def.field_max, label, 0xe8e8e8};
    render_rect where = {p->def.width / 20, p->def.height - p->def.height / 9, p->def.width / 3,
                         p->def.height / 12};
    render_image_legend(p->panels + i, where, &legend);
  }
  return result;
}

mien_result picture_draw(picture *p, const picture_pose *pose, render_image *out, mien_error *err) {
  render_cell cells[PICTURE_PANELS];
  mien_result result = MIEN_OK;
  bool labelled = pose->title != NULL;
  if (p->field_follows) follow_pose(p, pose);
  for (int i = 0; result >= 0 && i < p->def.npanel; i++) {
    result = draw_panel(p, i, pose, err);
    cells[i] = (render_cell){p->panels + i, p->def.panels[i].label};
    labelled |= p->def.panels[i].label != NULL;
  }
  if (result < 0) return result;
  render_image_free(out);
  render_sheet sheet = {.title = pose->title,
                        .cells = cells,
                        .ncell = p->def.npanel,
                        .gap = labelled || p->def.npanel > 1 ? -1 : 0};
  return render_sheet_draw(&sheet, out, err);
}
