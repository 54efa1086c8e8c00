// With contact on the output is the artist's animation wherever the artist's pose crosses nothing,
// by the exact test. Where it does, lips are held apart, and go back within a tenth of a second.
#include "claim_k1.h"

#include "contact_scene.h"

#include <math.h>
#include <stdlib.h>

static const double FPS = 60, SECONDS = 5, QUICK = 1.2, SETTLED = 0.1; // s

typedef struct judge {
  contact_scene scene;
  int32_t *rigid; // triangles of all that skin can touch: teeth, jaw, eyes      (nrigid x 3)
  int32_t *skin;  // (nskin x 3)
  int nrigid, nskin;
} judge;

static int open(judge *j, const experiment *e) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.contact = MIEN_CONTACT_PLANE;
  int code = contact_scene_open(&j->scene, e->args, e->quick ? "head_small.glb" : "head.glb",
                                "phrase.csv", NULL);
  if (code) return code;
  contact_scene_start(&j->scene, &opts, FPS);
  const mien_rig_info *rig = mien_rig_get_info(j->scene.rig);
  const mien_face_info *face = mien_face_get_info(j->scene.face);
  j->rigid = malloc(3 * (size_t)rig->ntri * sizeof *j->rigid);
  j->skin = malloc((size_t)face->skin_triangles.count * sizeof *j->skin);
  if (!j->rigid || !j->skin) return cli_fail("out of memory");
  for (int p = 0; p < rig->npart; p++) {
    const mien_part *part = rig->parts + p;
    bool touches = part->kind >= MIEN_PART_JAW && part->kind <= MIEN_PART_EYE_RIGHT;
    for (int k = 0; touches && k < 3 * part->ntri; k++)
      j->rigid[3 * j->nrigid + k] = rig->triangles.data[3 * part->first_triangle + k];
    j->nrigid += touches ? part->ntri : 0;
  }
  for (int k = 0; k < face->skin_triangles.count; k++)
    j->skin[k] = face->skin.data[face->skin_triangles.data[k]];
  j->nskin = face->skin_triangles.count / 3;
  return CLI_DONE;
}

// pairs that cross in the artist's pose and not in the neutral; < 0 = cannot be judged
static int64_t count_crossings(const judge *j) {
  const float *rest = mien_rig_get_info(j->scene.rig)->positions.data;
  crossings_mesh skin = {j->scene.artist, j->skin, j->nskin, rest};
  crossings_mesh rigid = {j->scene.artist, j->rigid, j->nrigid, rest};
  crossings within = crossings_within(&skin), between = crossings_between(&skin, &rigid);
  return within.count < 0 || between.count < 0 ? -1 : within.count + between.count;
}

// with the head still, whatever the take says of it; m off the artist's pose in *off
static int step(judge *j, int frame, double *off) {
  contact_scene *s = &j->scene;
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  mien_error err;
  mien_take_sample(s->take, mien_take_get_info(s->take)->start + frame / FPS, s->weights, NULL,
                   NULL);
  s->input.weights = (mien_f32s){s->weights, rig->nshape, 1};
  if (mien_rig_pose(s->rig, s->weights, rig->nshape, s->artist, &err) < 0 ||
      mien_step(s->state, &s->input, &s->opts, &err) < 0)
    return cli_report(&err, "K1");
  const float *now = mien_state_get_info(s->state)->positions.data;
  *off = 0;
  for (int i = 0; i < 3 * rig->nvert; i++) *off = fmax(*off, fabs((double)now[i] - s->artist[i]));
  return CLI_DONE;
}

int k1_with_contact(const experiment *e, k1_contact *out) {
  judge j = {0};
  int code = open(&j, e), settled = (int)(SETTLED * FPS), last = -settled - 1;
  *out = (k1_contact){0};
  double seconds = e->quick ? QUICK : SECONDS;
  for (int frame = 0; !code && frame < seconds * FPS && frame < j.scene.nframe; frame++) {
    double off = 0;
    code = step(&j, frame, &off);
    int64_t crossed = code ? 0 : count_crossings(&j);
    if (crossed < 0) code = cli_fail("frame %d cannot be judged", frame);
    if (crossed > 0) last = frame;
    bool is_free = frame - last > settled;
    out->nframe++;
    out->nfree += is_free;
    double *most = is_free ? &out->free : &out->other;
    *most = fmax(*most, off);
  }
  contact_scene_close(&j.scene);
  free(j.rigid);
  free(j.skin);
  return code;
}
