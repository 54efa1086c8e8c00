#include "muscle_sheet.h"

#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, COLUMNS = 5, MOST = 128, SIZE = 300, RETURN = 12, CLOSEST = -1 };
static const double RANGE = 3;    // mm, of the colours
static const double MOVED = 1e-3; // m, as far as scans are off three times over

struct muscle_sheet {
  const mien_rig *rig; // as it is shown
  const mien_face *face;
  const char *path; // NULL = no picture
  int nrow; // the scan, what muscles make of it and how far off that is; the atlas's, too: 3 or 5
  mien_activations *solver, *atlas; // atlas: with the shares of before the fit, or NULL
  picture *skin, *heat;
  render_image image[MOST][ROWS];
  char label[MOST][ROWS][96];
  float *scan, *found; // what is drawn                                             (nvert x 3)
  int count;
};

static mien_result make_pictures(muscle_sheet *s, mien_error *err) {
  picture_def def = {.rig = s->rig,
                     .face = s->face,
                     .panels = {{PANEL_SKIN, NULL, {.yaw = 20, .pitch = 3, .zoom = 1}, false}},
                     .npanel = 1,
                     .width = SIZE,
                     .height = SIZE,
                     .subject = RIG_VIEW_FACE};
  mien_result result = picture_create(&def, &s->skin, err);
  def.panels[0].kind = PANEL_HEAT;
  def.field = "difference";
  def.field_max = RANGE;
  return result < 0 ? result : picture_create(&def, &s->heat, err);
}

int muscle_sheet_open(const cli_args *args, const mien_face *face, const mien_face *atlas,
                      const char *path, muscle_sheet **out) {
  mien_host host;
  mien_error err;
  muscle_sheet *s = *out = calloc(1, sizeof *s);
  if (!s) return cli_fail("out of memory");
  s->face = face;
  s->path = path;
  s->nrow = atlas ? 5 : 3;
  s->rig = mien_face_get_info(face)->rig;
  size_t size = 3 * (size_t)mien_rig_get_info(s->rig)->nvert * sizeof *s->scan;
  s->scan = malloc(size);
  s->found = malloc(size);
  if (!s->scan || !s->found) return cli_fail("out of memory");
  cli_host(args, &host);
  mien_result result = mien_activations_create(face, &host, &s->solver, &err);
  if (result >= 0 && atlas) result = mien_activations_create(atlas, &host, &s->atlas, &err);
  if (result >= 0 && path) result = make_pictures(s, &err);
  return result < 0 ? cli_report(&err, "expressions") : CLI_DONE;
}

// Both pictures show the muscles' skin where the scan has holes, and the scan's eyes and teeth.
static void fill_in(muscle_sheet *s, const mien_f32s *scan, const mien_f32s *found) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  int stride = scan->stride ? scan->stride : 3;
  for (int i = 0; i < rig->nvert; i++)
    for (int c = 0; c < 3; c++) {
      float at = scan->data[(size_t)i * (size_t)stride + (size_t)c];
      float muscles = found->data[3 * (size_t)i + (size_t)c];
      s->scan[3 * i + c] = isfinite(at) ? at : muscles;
      s->found[3 * i + c] = s->scan[3 * i + c];
    }
  for (int p = 0; p < rig->npart; p++) {
    const mien_part *part = rig->parts + p;
    size_t at = 3 * (size_t)part->first_vertex, size = 3 * (size_t)part->nvert * sizeof(float);
    if (part->kind == MIEN_PART_SKIN) memcpy(s->found + at, found->data + at, size);
  }
}

// The scan, then what is in `found` below it, from `row` on.
static mien_result draw(muscle_sheet *s, int row, mien_error *err) {
  const int nvert = mien_rig_get_info(s->rig)->nvert;
  mien_f32s scan = {s->scan, nvert, 3}, found = {s->found, nvert, 3};
  render_image *image = s->image[s->count];
  picture_pose pose = {.positions = scan, .reference = scan, .head = {{0, 0, 0, 1}, {0, 0, 0}}};
  mien_result result = row == 1 ? picture_draw(s->skin, &pose, image, err) : MIEN_OK;
  pose.positions = found;
  if (result >= 0) result = picture_draw(s->skin, &pose, image + row, err);
  if (result >= 0) result = picture_draw(s->heat, &pose, image + row + 1, err);
  return result;
}

static double between(const float *a, const float *b) {
  return sqrt(pow((double)(a[0] - b[0]), 2) + pow((double)(a[1] - b[1]), 2) +
              pow((double)(a[2] - b[2]), 2));
}

// The linings of mouth and lips are on no scan.
static void measure(const muscle_sheet *s, const mien_activations_info *found,
                    const mien_f32s *scan, muscle_distance *d) {
  const mien_face_info *face = mien_face_get_info(s->face);
  const float *rest = mien_rig_get_info(s->rig)->positions.data;
  int count = 0, stride = scan->stride ? scan->stride : 3;
  *d = (muscle_distance){.all = found->error};
  for (int k = 0; k < face->skin.count; k++) {
    size_t i = (size_t)face->skin.data[k];
    const float *at = scan->data + i * (size_t)stride;
    double moved = between(at, rest + 3 * i); // NaN where it is not seen
    if ((face->regions.data[k] & (MIEN_REGION_MOUTH_BAG | MIEN_REGION_LIP_INNER)) ||
        !(moved >= MOVED))
      continue;
    d->motion += moved;
    d->moving += between(at, found->positions.data + 3 * i);
    count++;
  }
  d->motion /= fmax(1, count);
  d->moving /= fmax(1, count);
}

// By this solver's muscles, from rest; drawn from `row` on.
static int add_rows(muscle_sheet *s, mien_activations *solver, const mien_muscle_target *expression,
                    int row, const char *by, muscle_distance *distance) {
  const mien_activations_info *info = mien_activations_get_info(solver);
  mien_f32s rest = mien_rig_get_info(s->rig)->positions;
  mien_error err;
  if (mien_activations_solve(solver, rest, RETURN, &err) < 0 ||
      mien_activations_solve(solver, expression->positions, CLOSEST, &err) < 0)
    return cli_report(&err, expression->name);
  measure(s, info, &expression->positions, distance);
  if (!s->path || s->count == MOST) return CLI_DONE;
  fill_in(s, &expression->positions, &info->positions);
  if (draw(s, row, &err) < 0) return cli_report(&err, expression->name);
  char(*label)[96] = s->label[s->count];
  snprintf(label[0], sizeof label[0], "%.26s", expression->name);
  snprintf(label[row], sizeof label[0], "%s", by);
  snprintf(label[row + 1], sizeof label[0], "%.2f of %.1f mm where it moves",
           1e3 * distance->moving, 1e3 * distance->motion);
  return CLI_DONE;
}

int muscle_sheet_add(muscle_sheet *s, const mien_muscle_target *expression, const char *group,
                     muscle_distance *distance) {
  char by[64];
  muscle_distance atlas;
  snprintf(by, sizeof by, "by muscles, %s", group);
  int code = add_rows(s, s->solver, expression, 1, by, distance);
  if (!code && s->atlas)
    code = add_rows(s, s->atlas, expression, 3, "by muscles as in the atlas", &atlas);
  s->count += !code && s->path && s->count < MOST;
  return code;
}

// Up to five expressions beside each other, their pictures one below the other.
int muscle_sheet_save(const muscle_sheet *s) {
  render_cell cells[MOST * ROWS + ROWS * COLUMNS] = {{NULL, NULL}};
  render_image out = {0};
  mien_error err;
  int ncolumn = s->count < COLUMNS ? s->count : COLUMNS;
  if (!s->path || !s->count) return CLI_DONE;
  for (int k = 0; k < s->count; k++)
    for (int row = 0; row < s->nrow; row++)
      cells[(k / ncolumn * s->nrow + row) * ncolumn + k % ncolumn] =
          (render_cell){&s->image[k][row], s->label[k][row]};
  render_sheet sheet = {.cells = cells,
                        .ncell = (s->count + ncolumn - 1) / ncolumn * s->nrow * ncolumn,
                        .ncolumn = ncolumn,
                        .gap = -1};
  mien_result result = render_sheet_draw(&sheet, &out, &err);
  if (result >= 0) result = render_image_save(&out, s->path, &err);
  render_image_free(&out);
  return result < 0 ? cli_report(&err, s->path) : CLI_DONE;
}

void muscle_sheet_close(muscle_sheet *s) {
  if (!s) return;
  for (int k = 0; k < MOST; k++)
    for (int row = 0; row < ROWS; row++) render_image_free(&s->image[k][row]);
  picture_free(s->skin);
  picture_free(s->heat);
  mien_activations_free(s->solver);
  mien_activations_free(s->atlas);
  free(s->scan);
  free(s->found);
  free(s);
}
