#include "contact_scene.h"

#include "solve/barrier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Opening --------------------------------------------------------------------------------------

static bool is_rigid(mien_part_kind kind) {
  return kind == MIEN_PART_JAW || kind == MIEN_PART_TEETH_UPPER || kind == MIEN_PART_TEETH_LOWER;
}

static int find_rigid(contact_scene *s) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  s->rigid = malloc(3 * (size_t)rig->ntri * sizeof *s->rigid);
  if (!s->rigid) return cli_fail("out of memory");
  for (int p = 0; p < rig->npart; p++) {
    const mien_part *part = rig->parts + p;
    if (!is_rigid(part->kind)) continue;
    memcpy(s->rigid + 3 * (size_t)s->nrigid, rig->triangles.data + 3 * (size_t)part->first_triangle,
           3 * (size_t)part->ntri * sizeof *s->rigid);
    s->nrigid += part->ntri;
  }
  return CLI_DONE;
}

int contact_scene_change_take(contact_scene *s, const cli_args *args, const char *take) {
  mien_error err;
  mien_take *loaded = cli_load_take(args, cli_sample(take));
  if (!loaded) return CLI_FAILED;
  mien_take_free(s->take);
  s->take = NULL;
  mien_result result = mien_take_bind(loaded, s->rig, &s->take, NULL, &err);
  mien_take_free(loaded);
  if (result < 0) return cli_report(&err, take);
  const mien_take_info *info = mien_take_get_info(s->take);
  s->seconds = info->end - info->start;
  return CLI_DONE;
}

static int open_takes(contact_scene *s, const cli_args *args, const char *take, const char *head) {
  int code = take ? contact_scene_change_take(s, args, take) : CLI_DONE;
  if (code) return code;
  s->head = head ? cli_load_take(args, cli_sample(head)) : NULL;
  if (head && !s->head) return CLI_FAILED;
  const mien_take_info *info = mien_take_get_info(s->take ? s->take : s->head);
  s->seconds = info->end - info->start;
  return CLI_DONE;
}

int contact_scene_open(contact_scene *s, const cli_args *args, const char *rig, const char *take,
                       const char *head) {
  mien_host host;
  mien_error err;
  *s = (contact_scene){0};
  cli_host(args, &host);
  s->rig = cli_load_rig(args, cli_sample(rig));
  if (!s->rig) return CLI_FAILED;
  const mien_rig_info *info = mien_rig_get_info(s->rig);
  s->weights = calloc((size_t)info->nshape + 1, sizeof *s->weights);
  s->artist = calloc(3 * (size_t)info->nvert, sizeof *s->artist);
  if (!s->weights || !s->artist) return cli_fail("out of memory");
  if (mien_face_create(s->rig, NULL, &host, &s->face, &err) < 0 ||
      mien_state_create(s->face, &host, &s->state, &err) < 0)
    return cli_report(&err, rig);
  int code = find_rigid(s);
  return code ? code : open_takes(s, args, take, head);
}

static int remake(contact_scene *s, const cli_args *args, const mien_face_def *def) {
  mien_host host;
  mien_error err;
  cli_host(args, &host);
  mien_state_free(s->state);
  mien_face_free(s->face);
  s->state = NULL, s->face = NULL;
  if (mien_face_create(s->rig, def, &host, &s->face, &err) < 0 ||
      mien_state_create(s->face, &host, &s->state, &err) < 0 ||
      (def->muscles && mien_activations_create(s->face, &host, &s->muscles, &err) < 0))
    return cli_report(&err, "scene");
  return CLI_DONE;
}

int contact_scene_simulate_at(contact_scene *s, const cli_args *args, int nskin) {
  mien_face_def def;
  mien_face_def_init(&def);
  def.simulate_at = nskin;
  return remake(s, args, &def);
}

int contact_scene_by_muscles(contact_scene *s, const cli_args *args, int nskin) {
  mien_face_def def;
  mien_face_def_init(&def);
  def.simulate_at = nskin;
  def.muscles = 1;
  return remake(s, args, &def);
}

void contact_scene_close(contact_scene *s) {
  mien_activations_free(s->muscles);
  mien_state_free(s->state);
  mien_face_free(s->face);
  mien_take_free(s->take);
  mien_take_free(s->head);
  mien_rig_free(s->rig);
  free(s->weights);
  free(s->artist);
  free(s->rigid);
  *s = (contact_scene){0};
}

// -- Stepping -------------------------------------------------------------------------------------

void contact_scene_start(contact_scene *s, const mien_step_opts *opts, double fps) {
  mien_state_reset(s->state);
  mien_input_init(&s->input);
  s->opts = *opts;
  s->opts.dt = 1 / fps;
  s->fps = fps;
  s->nframe = (int)floor(s->seconds * fps + 1e-6) + 1;
}

// Activations and jaw that come closest to the artist's pose.
static mien_result find_activations(contact_scene *s, mien_error *err) {
  mien_f32s pose = {s->artist, mien_rig_get_info(s->rig)->nvert, 3};
  const mien_activations_info *info = mien_activations_get_info(s->muscles);
  mien_result result = mien_activations_solve(s->muscles, pose, 0, err);
  s->input.activations = info->activations;
  s->input.jaw = info->jaw;
  s->input.has_jaw = 1;
  return result;
}

int contact_scene_step(contact_scene *s, int frame) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  mien_error err;
  double time = frame / s->fps;
  if (s->take)
    mien_take_sample(s->take, mien_take_get_info(s->take)->start + time, s->weights, &s->input.head,
                     NULL);
  if (s->head)
    mien_take_sample(s->head, mien_take_get_info(s->head)->start + time, NULL, &s->input.head,
                     NULL);
  s->input.weights = (mien_f32s){s->weights, rig->nshape, 1};
  if (mien_rig_pose(s->rig, s->weights, rig->nshape, s->artist, &err) < 0 ||
      (s->muscles && find_activations(s, &err) < 0) ||
      mien_step(s->state, &s->input, &s->opts, &err) < 0)
    return cli_report(&err, "step");
  return CLI_DONE;
}

// -- Judging --------------------------------------------------------------------------------------

// The skin of the face, all of it or what has all corners in a region, as rig vertices: any
// positions of the rig can be judged.
static int32_t *skin_triangles(const contact_scene *s, int32_t region, int *ntri) {
  const mien_face_info *face = mien_face_get_info(s->face);
  int count = face->skin_triangles.count, used = 0;
  int32_t *tri = malloc((size_t)count * sizeof *tri);
  for (int k = 0; tri && k < count; k += 3) {
    const int32_t *v = face->skin_triangles.data + k;
    const int32_t *bits = face->regions.data;
    if (region && !(bits[v[0]] & bits[v[1]] & bits[v[2]] & region)) continue;
    for (int c = 0; c < 3; c++) tri[used++] = face->skin.data[v[c]];
  }
  *ntri = used / 3;
  return tri;
}

crossings contact_scene_skin(const contact_scene *s, const float *positions) {
  int ntri;
  int32_t *tri = skin_triangles(s, 0, &ntri);
  crossings found = {-1, {-1, -1}, 0};
  crossings_mesh mesh = {positions, tri, ntri, mien_rig_get_info(s->rig)->positions.data};
  if (tri) found = crossings_within(&mesh);
  free(tri);
  return found;
}

crossings contact_scene_shown(const contact_scene *s, const float *positions) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  crossings found = {-1, {-1, -1}, 0};
  int32_t *tri = malloc(3 * (size_t)rig->ntri * sizeof *tri);
  int ntri = 0;
  for (int p = 0; tri && p < rig->npart; p++) {
    const mien_part *part = rig->parts + p;
    if (part->kind != MIEN_PART_SKIN) continue;
    memcpy(tri + 3 * (size_t)ntri, rig->triangles.data + 3 * (size_t)part->first_triangle,
           3 * (size_t)part->ntri * sizeof *tri);
    ntri += part->ntri;
  }
  crossings_mesh mesh = {positions, tri, ntri, rig->positions.data};
  if (tri) found = crossings_within(&mesh);
  free(tri);
  return found;
}

crossings contact_scene_rigid(const contact_scene *s, int32_t region) {
  const float *positions = mien_state_get_info(s->state)->positions.data;
  const float *rest = mien_rig_get_info(s->rig)->positions.data;
  int ntri;
  int32_t *tri = skin_triangles(s, region, &ntri);
  crossings found = {-1, {-1, -1}, 0};
  crossings_mesh skin = {positions, tri, ntri, rest};
  crossings_mesh rigid = {positions, s->rigid, s->nrigid, rest};
  if (tri) found = crossings_between(&skin, &rigid);
  free(tri);
  return found;
}

double contact_scene_take_push(mien_state *state) {
  const mi_contacts *c = state->contacts;
  double sum = 0;
  for (int i = 0; c && c->barrier && i < 3 * c->nvert; i++) {
    sum += c->barrier->gradient[i] * c->barrier->gradient[i];
    c->barrier->gradient[i] = 0;
  }
  return sqrt(sum);
}

int contact_scene_barrier_rows(const mien_state *state) {
  const mi_contacts *c = state->contacts;
  return c && c->barrier ? c->barrier->nrank1 : 0;
}

double contact_scene_barrier_reach(const mien_state *state, const mien_step_opts *opts) {
  return mi_contact_lengths_of(state, opts).thickness / 2;
}

// -- Pictures -------------------------------------------------------------------------------------

bool album_keep(album *a, const contact_scene *s, const float *positions, const char *label) {
  size_t rig = 3 * (size_t)mien_rig_get_info(s->rig)->nvert;
  size_t flesh = 3 * (size_t)mien_face_get_info(s->face)->nvert;
  if (a->count == ALBUM_MOST) return false;
  float *copy = malloc(rig * sizeof *copy), *body = malloc(flesh * sizeof *body);
  if (!copy || !body) {
    free(copy);
    free(body);
    return false;
  }
  a->positions[a->count] = memcpy(copy, positions, rig * sizeof *copy);
  a->flesh[a->count] =
      memcpy(body, mien_state_get_info(s->state)->flesh.data, flesh * sizeof *body);
  snprintf(a->label[a->count], sizeof a->label[0], "%s", label);
  a->count++;
  return true;
}

static mien_result draw(const album *a, const contact_scene *s, picture *p, render_image *images,
                        mien_error *err) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  const mien_face_info *face = mien_face_get_info(s->face);
  mien_result result = MIEN_OK;
  for (int k = 0; result >= 0 && k < a->count; k++) {
    picture_pose pose = {.positions = {a->positions[k], rig->nvert, 3},
                         .flesh = {a->flesh[k], face->nvert, 3},
                         .head = {{0, 0, 0, 1}, {0, 0, 0}}};
    result = picture_draw(p, &pose, images + k, err);
  }
  return result;
}

int album_save(const album *a, const contact_scene *s, const char *title, const char *path) {
  picture_def def = {.rig = s->rig,
                     .face = s->face,
                     .npanel = a->npanel,
                     .width = a->size,
                     .height = a->size,
                     .subject = a->subject};
  memcpy(def.panels, a->panels, sizeof a->panels);
  render_image images[ALBUM_MOST] = {{0}}, out = {0};
  render_cell cells[ALBUM_MOST];
  picture *p = NULL;
  mien_error err;
  mien_result result = picture_create(&def, &p, &err);
  if (result >= 0) result = draw(a, s, p, images, &err);
  for (int k = 0; k < a->count; k++) cells[k] = (render_cell){images + k, a->label[k]};
  render_sheet sheet = {
      .title = title, .cells = cells, .ncell = a->count, .ncolumn = a->ncolumn, .gap = -1};
  if (result >= 0) result = render_sheet_draw(&sheet, &out, &err);
  if (result >= 0) result = render_image_save(&out, path, &err);
  for (int k = 0; k < a->count; k++) render_image_free(images + k);
  render_image_free(&out);
  picture_free(p);
  return result < 0 ? cli_report(&err, path) : CLI_DONE;
}

void album_free(album *a) {
  for (int k = 0; k < a->count; k++) {
    free(a->positions[k]);
    free(a->flesh[k]);
  }
  a->count = 0;
}
