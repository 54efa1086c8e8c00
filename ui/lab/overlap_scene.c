#include "overlap_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FPS = 60, SETTLED = 0.1; // s

// -- The rig --------------------------------------------------------------------------------------

// Less towards the corners, where lips are one.
static double taper(double x, double corner) {
  double t = fmin(1, fmax(0, (0.9 - fabs(x) / corner) / 0.35));
  return t * t * (3 - 2 * t);
}

static double mouth_corner(const mien_face_info *face, const float *rest) {
  double most = 1e-3;
  for (int i = 0; i < face->nskin; i++)
    if (face->regions.data[i] & (MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER))
      most = fmax(most, fabs((double)rest[3 * (size_t)face->skin.data[i]]));
  return most;
}

static void move_lips(const mien_face_info *face, const float *rest, double by, float *out) {
  const int both = MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER;
  double corner = mouth_corner(face, rest);
  for (int i = 0; i < face->nskin; i++) {
    int lip = face->regions.data[i] & both;
    size_t at = 3 * (size_t)face->skin.data[i];
    if (!lip || lip == both) continue;
    double side = lip == MIEN_REGION_LIP_UPPER ? -1 : 1;
    out[at + 1] = (float)((double)rest[at + 1] + side * by * taper((double)rest[at], corner));
  }
}

static mien_result copy_rig(const mien_rig *rig, const float *positions, const mien_host *host,
                            mien_rig **out, mien_error *err) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.name = "head with overlapping lips";
  def.positions = (mien_f32s){positions, info->nvert, 3};
  def.faces = info->triangles;
  def.parts = info->parts;
  def.npart = info->npart;
  def.shapes = info->shapes;
  def.nshape = info->nshape;
  def.landmarks = info->landmarks;
  def.jaw = info->jaw;
  def.weld = 0;
  return mien_rig_create(&def, host, out, err);
}

int overlap_scene_open(contact_scene *s, const cli_args *args, const char *take, double overlap) {
  mien_host host;
  mien_error err;
  int code = contact_scene_open(s, args, "head_small.glb", take, NULL);
  if (code) return code;
  const mien_rig_info *info = mien_rig_get_info(s->rig);
  size_t size = 3 * (size_t)info->nvert * sizeof(float);
  float *moved = malloc(size);
  if (!moved) return cli_fail("out of memory");
  memcpy(moved, info->positions.data, size);
  move_lips(mien_face_get_info(s->face), info->positions.data, overlap, moved);
  mien_rig *rig = NULL;
  cli_host(args, &host);
  mien_state_free(s->state);
  mien_face_free(s->face);
  s->state = NULL, s->face = NULL;
  mien_result result = copy_rig(s->rig, moved, &host, &rig, &err);
  free(moved);
  if (result >= 0) {
    mien_rig_free(s->rig);
    s->rig = rig;
    result = mien_face_create(rig, NULL, &host, &s->face, &err);
  }
  if (result >= 0) result = mien_state_create(s->face, &host, &s->state, &err);
  return result < 0 ? cli_report(&err, "overlapping lips") : CLI_DONE;
}

// -- The take -------------------------------------------------------------------------------------

static int64_t count_pairs(const contact_scene *s, const float *positions) {
  crossings found = contact_scene_skin(s, positions);
  return found.count < 0 ? -1 : found.count + found.apart;
}

static double farthest(const contact_scene *s) {
  const float *now = mien_state_get_info(s->state)->positions.data;
  double most = 0;
  for (int i = 0; i < 3 * mien_rig_get_info(s->rig)->nvert; i++)
    most = fmax(most, fabs((double)now[i] - (double)s->artist[i]));
  return most;
}

static bool is_neutral(const contact_scene *s) {
  const mien_rig_info *info = mien_rig_get_info(s->rig);
  return !memcmp(s->artist, info->positions.data, 3 * (size_t)info->nvert * sizeof *s->artist);
}

static int measure_frame(contact_scene *s, int frame, int *last, overlap_result *out) {
  const mien_rigid still = {.rotation = {0, 0, 0, 1}};
  s->input.head = still;
  int code = contact_scene_step(s, frame);
  if (code) return code;
  int64_t pose = count_pairs(s, s->artist);
  int64_t now = count_pairs(s, mien_state_get_info(s->state)->positions.data);
  if (pose < 0 || now < 0) return cli_fail("frame %d cannot be judged", frame);
  if (pose > 0) *last = frame;
  out->without = pose > out->without ? pose : out->without;
  out->with = now > out->with ? now : out->with;
  if (!pose && now > out->free_crossing) out->free_crossing = now;
  if (out->nrest == out->nframe && is_neutral(s)) {
    out->nrest++;
    out->rest_off = fmax(out->rest_off, farthest(s));
  }
  out->nframe++;
  if (frame - *last <= SETTLED * FPS) return CLI_DONE;
  out->nfree++;
  out->off = fmax(out->off, farthest(s));
  return CLI_DONE;
}

int overlap_scene_measure(contact_scene *s, double seconds, overlap_result *out) {
  mien_step_opts opts;
  int code = CLI_DONE, last = -1;
  mien_step_opts_init(&opts);
  opts.contact = MIEN_CONTACT_PLANE;
  contact_scene_start(s, &opts, FPS);
  *out = (overlap_result){.neutral = count_pairs(s, mien_rig_get_info(s->rig)->positions.data)};
  for (int frame = 0; !code && frame < s->nframe && frame < seconds * FPS; frame++)
    code = measure_frame(s, frame, &last, out);
  return code;
}
