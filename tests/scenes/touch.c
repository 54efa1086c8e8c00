#include "scenes/touch.h"

#include "crossings.h"
#include "solve/contacts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void touch_use(const touch_way *way, mien_step_opts *opts) {
  opts->solver = way->solver;
  opts->contact = way->contact;
}

static void finish(touch_scene *s, const mien_face_def *def, const mien_host *host) {
  mien_error err;
  if (!s->face && mien_face_create(s->rig, def, NULL, &s->face, &err) < 0) fail_msg("%s", err.text);
  if (mien_state_create(s->face, host, &s->state, &err) < 0) fail_msg("%s", err.text);
  int nshape = mien_rig_get_info(s->rig)->nshape;
  s->weights = calloc((size_t)nshape, sizeof *s->weights);
  mien_input_init(&s->input);
  s->input.weights = (mien_f32s){s->weights, nshape, 1};
}

// Loads the rig, if the scene has none, and binds the take to it.
static void open_take(touch_scene *s, const char *rig, const char *take) {
  mien_error err;
  mien_take *loaded = NULL;
  char rig_path[1024], take_path[1024];
  snprintf(rig_path, sizeof rig_path, "%s/%s", MIEN_SAMPLE_DIR, rig);
  snprintf(take_path, sizeof take_path, "%s/%s", MIEN_SAMPLE_DIR, take);
  if ((!s->rig && mien_rig_load(rig_path, NULL, &s->rig, &err) < 0) ||
      mien_take_load(take_path, NULL, &loaded, &err) < 0 ||
      mien_take_bind(loaded, s->rig, &s->take, NULL, &err) < 0)
    fail_msg("%s", err.text);
  mien_take_free(loaded);
}

// Heads are made once a program: a face never changes, and making it takes longer than many of its
// frames.
enum { MOST_SHARED = 6 };
static struct shared {
  const char *name; // of the rig
  int simulate_at;
  mien_rig *rig;
  mien_face *face;
} shared[MOST_SHARED];
static int nshared;

static void free_shared(void) {
  for (int k = 0; k < nshared; k++) {
    mien_face_free(shared[k].face);
    mien_rig_free(shared[k].rig);
  }
}

static bool is_shared(const mien_rig *rig) {
  for (int k = 0; k < nshared; k++)
    if (shared[k].rig == rig) return true;
  return false;
}

static touch_scene open_shared(const char *rig, int simulate_at, const char *take,
                               const mien_host *host) {
  int k = 0;
  while (k < nshared && (strcmp(shared[k].name, rig) != 0 || shared[k].simulate_at != simulate_at))
    k++;
  assert_true(k < MOST_SHARED);
  touch_scene s = {.rig = shared[k].rig, .face = shared[k].face};
  mien_face_def def;
  mien_face_def_init(&def);
  def.simulate_at = simulate_at;
  open_take(&s, rig, take);
  finish(&s, &def, host);
  if (k < nshared) return s;
  if (!nshared++) atexit(free_shared);
  shared[k] = (struct shared){rig, simulate_at, s.rig, s.face};
  return s;
}

touch_scene touch_head(const char *take, const mien_host *host) {
  return open_shared("head_small.glb", 0, take, host);
}

touch_scene touch_head_of(const mien_face_def *def, const char *take) {
  touch_scene s = {0};
  open_take(&s, "head_small.glb", take);
  finish(&s, def, NULL);
  return s;
}

touch_scene touch_embedded_head(const char *rig, int simulate_at, const char *take,
                                const mien_host *host) {
  return open_shared(rig, simulate_at, take, host);
}

// -- Balls ----------------------------------------------------------------------------------------

enum { RINGS = 18, SECTORS = 24, NBALL = (RINGS - 1) * SECTORS + 2 };
static const float RADIUS = 0.05f;

// All of `mesh` can touch but `bridge` (nbridge vertices); `nlower` vertices stay where they are.
static void make_rig(touch_scene *s, int nlower, const int32_t *bridge, int nbridge) {
  static float down[6 * NBALL], aside[6 * NBALL], held[2 * NBALL], region[2 * NBALL];
  int nvert = s->mesh.nvert;
  for (int i = 0; i < nvert; i++) {
    down[3 * i + 1] = i < nlower ? 0 : -0.01f;
    aside[3 * i] = i < nlower ? 0 : 0.01f;
    held[i] = 0.3f;
    region[i] = MIEN_REGION_CONTACT;
    if (nlower == nvert) // one ball: its halves are lips without a slit
      region[i] +=
          s->mesh.position[3 * i + 1] > -RADIUS ? MIEN_REGION_LIP_UPPER : MIEN_REGION_LIP_LOWER;
  }
  for (int k = 0; k < nbridge; k++) region[bridge[k]] = 0;
  const mien_shape shapes[] = {{"down", {NULL, 0}, {down, nvert, 3}},
                               {"aside", {NULL, 0}, {aside, nvert, 3}}};
  const mien_map maps[] = {{"attachment", 1, {held, nvert, 1}}, {"region", 1, {region, nvert, 1}}};
  mien_rig_def rig = scene_rig_def(&s->mesh);
  rig.shapes = shapes;
  rig.nshape = 2;
  rig.maps = maps;
  rig.nmap = 2;
  mien_error err;
  if (mien_rig_create(&rig, NULL, &s->rig, &err) < 0) fail_msg("%s", err.text);
}

touch_scene touch_ball(const mien_face_def *def, const mien_host *host) {
  touch_scene s = {.mesh = scene_sphere(RINGS, SECTORS, (double)RADIUS)};
  for (int i = 0; i < NBALL; i++) s.mesh.position[3 * i + 1] -= RADIUS;
  make_rig(&s, NBALL, NULL, 0);
  finish(&s, def, host);
  return s;
}

static bool has_all(const int32_t *tri, const int32_t quad[4]) {
  int count = 0;
  for (int k = 0; k < 12; k++) count += tri[k / 4] == quad[k % 4];
  return count == 3;
}

// A skin is one piece: a square tube, far from where the balls meet, makes the two one.
static void bridge_balls(scene_mesh *mesh, int32_t loop[8]) {
  enum {
    LOWER = (RINGS / 3 - 1) * SECTORS,
    UPPER = NBALL + (2 * RINGS / 3 - 1) * SECTORS
  }; // rings at 60 and 120 degrees
  const int32_t from[4] = {LOWER, LOWER + 1, LOWER + SECTORS + 1, LOWER + SECTORS};
  const int32_t to[4] = {UPPER, UPPER + 1, UPPER - SECTORS + 1, UPPER - SECTORS};
  int ntri = 0;
  for (int t = 0; t < mesh->ntri; t++) {
    int32_t *tri = mesh->tri + 3 * t;
    if (!has_all(tri, from) && !has_all(tri, to))
      memmove(mesh->tri + 3 * ntri++, tri, 3 * sizeof *tri);
  }
  assert_int_equal(ntri, mesh->ntri - 4);
  mesh->tri = realloc(mesh->tri, 3 * ((size_t)ntri + 8) * sizeof *mesh->tri);
  for (int k = 0; k < 4; k++) {
    int n = (k + 1) % 4;
    const int32_t wall[6] = {from[k], to[n], from[n], from[k], to[k], to[n]};
    memcpy(mesh->tri + 3 * ntri, wall, sizeof wall);
    ntri += 2;
  }
  mesh->ntri = ntri;
  memcpy(loop, from, sizeof from);
  memcpy(loop + 4, to, sizeof to);
}

static touch_scene make_balls(double gap, void (*spoil)(scene_mesh *mesh), const mien_host *host) {
  touch_scene s = {0};
  scene_mesh lower = scene_sphere(RINGS, SECTORS, (double)RADIUS);
  scene_mesh upper = scene_sphere(RINGS, SECTORS, (double)RADIUS);
  int32_t loop[8];
  for (int i = 0; i < NBALL; i++) {
    lower.position[3 * i + 1] -= RADIUS;
    upper.position[3 * i + 1] += RADIUS + (float)gap;
    upper.position[3 * i] += 0.002f; // no pole on a pole
    upper.position[3 * i + 2] += 0.0013f;
  }
  s.mesh = scene_join(&lower, &upper);
  scene_mesh_free(&lower);
  scene_mesh_free(&upper);
  bridge_balls(&s.mesh, loop);
  if (spoil) spoil(&s.mesh);
  make_rig(&s, NBALL, loop, 8);
  finish(&s, NULL, host);
  return s;
}

touch_scene touch_balls(double gap, const mien_host *host) {
  return make_balls(gap, NULL, host);
}

touch_scene touch_spoiled_balls(double gap, void (*spoil)(scene_mesh *mesh)) {
  return make_balls(gap, spoil, NULL);
}

void touch_free(touch_scene *s) {
  mien_state_free(s->state);
  mien_take_free(s->take);
  if (!is_shared(s->rig)) {
    mien_face_free(s->face);
    mien_rig_free(s->rig);
  }
  scene_mesh_free(&s->mesh);
  free(s->weights);
  *s = (touch_scene){0};
}

void touch_pose(touch_scene *s, double time) {
  mien_take_sample(s->take, time, s->weights, NULL, NULL);
}

void touch_step(touch_scene *s, const mien_step_opts *opts) {
  mien_error err;
  if (mien_step(s->state, &s->input, opts, &err) < 0) fail_msg("%s", err.text);
}

void touch_move_to_new_state(touch_scene *s, const mien_host *host) {
  size_t size = mien_state_size(s->state);
  void *bytes = malloc(size);
  assert_int_equal(mien_state_write(s->state, bytes, size, NULL), MIEN_OK);
  mien_state_free(s->state);
  assert_int_equal(mien_state_create(s->face, host, &s->state, NULL), MIEN_OK);
  assert_int_equal(mien_state_read(s->state, bytes, size, NULL), MIEN_OK);
  free(bytes);
}

int64_t touch_crossings(const touch_scene *s) {
  const mien_face_info *face = mien_face_get_info(s->face);
  crossings_mesh mesh = {mien_state_get_info(s->state)->flesh.data, face->skin_triangles.data,
                         face->skin_triangles.count / 3, face->positions.data};
  crossings found = crossings_within(&mesh);
  assert_true(found.count >= 0);
  return found.count;
}

// Triangles of the contact surface that may meet something, from one to another; how many.
static int copy_meeting(const mi_contacts *c, bool is_soft, int32_t *to) {
  const mi_surface *surface = c->surface;
  int count = 0;
  for (int t = 0; t < surface->ntri; t++) {
    const int32_t *v = surface->tri + 3 * (size_t)t;
    if ((v[0] < c->nsoft) != is_soft) continue;
    if (c->is_masked[v[0]] || c->is_masked[v[1]] || c->is_masked[v[2]]) continue;
    memcpy(to + 3 * (size_t)count++, v, 3 * sizeof *to);
  }
  return count;
}

int64_t touch_surface_crossings(const touch_scene *s) {
  const mi_contacts *c = s->state->contacts;
  const float *flesh = mien_state_get_info(s->state)->flesh.data;
  if (!c) return 0;
  float *x = malloc(3 * (size_t)c->nvert * sizeof *x);
  int32_t *soft = malloc(6 * (size_t)c->surface->ntri * sizeof *soft);
  int32_t *rigid = soft + 3 * (size_t)c->surface->ntri;
  memcpy(x, c->x_free, 3 * (size_t)c->nvert * sizeof *x); // colliders are where the step put them
  for (int i = 0; i < 3 * c->nsoft; i++)
    x[i] = flesh[3 * (size_t)c->flesh[i / 3] + (size_t)(i % 3)] + c->shift[i];
  crossings_mesh skin = {x, soft, copy_meeting(c, true, soft), NULL};
  crossings_mesh bone = {x, rigid, copy_meeting(c, false, rigid), NULL};
  crossings within = crossings_within(&skin), between = crossings_between(&skin, &bone);
  free(x);
  free(soft);
  assert_true(within.count >= 0 && between.count >= 0);
  return within.count + between.count;
}

int touch_stood_down(const touch_scene *s) {
  const mi_contacts *c = s->state->contacts;
  int count = 0;
  for (int i = 0; c && i < c->nsoft; i++) count += c->is_masked[i] && !c->inset.is_masked[i];
  return count;
}

int64_t touch_shown_crossings(const touch_scene *s) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  int64_t count = 0;
  for (int p = 0; p < rig->npart; p++) {
    const mien_part *part = rig->parts + p;
    if (part->kind != MIEN_PART_SKIN) continue;
    crossings_mesh mesh = {mien_state_get_info(s->state)->positions.data,
                           rig->triangles.data + 3 * (size_t)part->first_triangle, part->ntri,
                           rig->positions.data};
    crossings found = crossings_within(&mesh);
    assert_true(found.count >= 0);
    count += found.count;
  }
  return count;
}

// Triangles of parts from one kind to another, one after the other; returns how many.
static int copy_triangles(const mien_rig_info *rig, mien_part_kind first, mien_part_kind last,
                          int32_t *to) {
  int count = 0;
  for (int p = 0; p < rig->npart; p++) {
    const mien_part *part = rig->parts + p;
    if (part->kind < first || part->kind > last) continue;
    memcpy(to + 3 * (size_t)count, rig->triangles.data + 3 * (size_t)part->first_triangle,
           3 * (size_t)part->ntri * sizeof *to);
    count += part->ntri;
  }
  return count;
}

int64_t touch_posed_crossings(const touch_scene *s, const mien_rig *rig) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  float *pose = malloc(3 * (size_t)info->nvert * sizeof *pose);
  int32_t *tri = malloc(6 * (size_t)info->ntri * sizeof *tri), *rigid = tri + 3 * info->ntri;
  mien_rig_pose(rig, s->weights, info->nshape, pose, NULL);
  int nskin = copy_triangles(info, MIEN_PART_SKIN, MIEN_PART_SKIN, tri);
  int nrigid = copy_triangles(info, MIEN_PART_JAW, MIEN_PART_EYE_RIGHT, rigid);
  crossings_mesh skin = {pose, tri, nskin, info->positions.data};
  crossings_mesh bone = {pose, rigid, nrigid, info->positions.data};
  crossings within = crossings_within(&skin), between = crossings_between(&skin, &bone);
  assert_true(within.count >= 0 && between.count >= 0);
  free(pose);
  free(tri);
  return within.count + between.count;
}

bool touch_is_finite(const touch_scene *s) {
  const mien_state_info *info = mien_state_get_info(s->state);
  for (int i = 0; i < 3 * info->flesh.count; i++)
    if (!isfinite(info->flesh.data[i])) return false;
  if (!isfinite(info->energy)) print_message("the flesh is finite, its energy is not\n");
  return isfinite(info->energy);
}

double touch_motion(const touch_scene *s, float *before) {
  const float *now = mien_state_get_info(s->state)->flesh.data;
  int nskin = mien_face_get_info(s->face)->nskin;
  double most = 0;
  for (int i = 0; i < nskin; i++) {
    double d2 = 0;
    for (int k = 0; k < 3; k++)
      d2 += ((double)now[3 * i + k] - before[3 * i + k]) *
            ((double)now[3 * i + k] - before[3 * i + k]);
    most = fmax(most, d2);
  }
  memcpy(before, now, 3 * (size_t)nskin * sizeof *before);
  return sqrt(most);
}

bool touch_is_artists(const touch_scene *s) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  float *posed = malloc(3 * (size_t)rig->nvert * sizeof *posed);
  mien_rig_pose(s->rig, s->weights, rig->nshape, posed, NULL);
  bool same = !memcmp(posed, mien_state_get_info(s->state)->positions.data,
                      3 * (size_t)rig->nvert * sizeof *posed);
  free(posed);
  return same;
}

mien_step_opts touch_options(const touch_way *way, double fps) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  touch_use(way, &opts);
  opts.dt = 1 / fps;
  return opts;
}

float *touch_weight(touch_scene *s, const char *name) {
  int shape = mien_rig_find_shape(s->rig, name);
  assert_true(shape >= 0);
  return s->weights + shape;
}

bool touch_comes_back(touch_scene *s, const mien_step_opts *opts) {
  for (int frame = 0; frame < 240 && !touch_is_artists(s); frame++) touch_step(s, opts);
  if (!touch_is_artists(s))
    print_message("still %.3g mm from the pose\n", 1e3 * mien_state_get_info(s->state)->max_offset);
  return touch_is_artists(s);
}
