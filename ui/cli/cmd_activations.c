// mien activations: a take of blendshapes, or a cache, as a take of muscles.
#include "cli.h"
#include "frame_range.h"
#include "muscle_meshes.h"
#include "muscle_take.h"
#include "physics.h"
#include "pose_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"rig", 0, "FACE", "a face that fit-muscles wrote, or a rig (sample head)"},
    {"out", 'o', "MUSCLES.csv", "activations and jaw, frame by frame"},
    {"pose", 0, "POSES.pc2", "posed vertices instead of a take"},
    {"fps", 'f', "RATE", "frames per second (24)"},
    {"seconds", 0, "S", "stop after S seconds"},
    {"rounds", 0, "N", "of Gauss-Newton for each frame (3)"},
    {"closest", 0, NULL, "instead of that as close as muscles come: seconds a frame"},
    MUSCLE_MESH_OPTIONS,
    {NULL, 0, NULL, NULL},
};

typedef struct job {
  const cli_args *args;
  mien_rig *rig;
  mien_face *face;
  mien_take *take;
  mien_activations *solver;
  pose_file poses;
  mien_settings settings;
  muscle_meshes meshes;
  float *weights, *points, *frames;
  double *times, fps, error, worst, seconds;
  int nframe, rounds, width;
} job;

static int load(job *j) {
  const cli_args *args = j->args;
  mien_host host;
  mien_error err;
  cli_host(args, &host);
  j->rig = cli_load_rig(args, cli_value(args, "rig", NULL));
  if (!j->rig) return CLI_FAILED;
  int code = pose_file_open(&j->poses, args, cli_value(args, "pose", NULL), j->rig);
  if (code) return code;
  mien_take *take =
      j->poses.cache ? NULL : cli_load_take(args, args->nargument ? args->argument[0] : NULL);
  if (!take && !j->poses.cache) return CLI_FAILED;
  mien_result result = take ? mien_take_bind(take, j->rig, &j->take, NULL, &err) : MIEN_OK;
  mien_take_free(take);
  if (result < 0) return cli_report(&err, "take");
  j->settings.face.muscles = 1;
  code = muscle_meshes_open(&j->meshes, args, &j->settings.face);
  if (code) return code;
  if (mien_face_create(j->rig, &j->settings.face, &host, &j->face, &err) < 0 ||
      mien_activations_create(j->face, &host, &j->solver, &err) < 0)
    return cli_report(&err, "activations");
  if (!mien_face_get_info(j->face)->is_muscle_fitted)
    fprintf(stderr,
            "note: the muscles are the atlas's, not fitted to this face; 'mien fit-muscles' "
            "does that\n");
  return CLI_DONE;
}

static int reserve(job *j, double seconds) {
  const mien_rig_info *rig = mien_rig_get_info(j->rig);
  const mien_take_info *take = mien_take_get_info(j->take);
  double length = take ? take->end - take->start : (pose_file_count(&j->poses) - 1) / j->fps;
  int code = frame_count(j->args, length, seconds, j->fps, &j->nframe);
  if (code) return code;
  j->width = MUSCLE_NUMBERS * mien_face_get_info(j->face)->nmuscle + MUSCLE_JAW;
  j->weights = calloc((size_t)rig->nshape + 1, sizeof *j->weights);
  j->points = calloc(3 * (size_t)rig->nvert, sizeof *j->points);
  j->frames = calloc((size_t)j->nframe * (size_t)j->width, sizeof *j->frames);
  j->times = calloc((size_t)j->nframe, sizeof *j->times);
  return j->weights && j->points && j->frames && j->times ? CLI_DONE : cli_fail("out of memory");
}

static int solve_frame(job *j, int frame) {
  const mien_rig_info *rig = mien_rig_get_info(j->rig);
  const mien_activations_info *info = mien_activations_get_info(j->solver);
  mien_f32s target = pose_file_at(&j->poses, j->rig, frame);
  mien_error err;
  if (j->take) {
    mien_take_sample(j->take, mien_take_get_info(j->take)->start + frame / j->fps, j->weights, NULL,
                     NULL);
    mien_rig_pose(j->rig, j->weights, rig->nshape, j->points, NULL);
    target = (mien_f32s){j->points, rig->nvert, 3};
  }
  if (mien_activations_solve(j->solver, target, j->rounds, &err) < 0)
    return cli_report(&err, "activations");
  float *to = j->frames + (size_t)frame * (size_t)j->width;
  int nactive = MUSCLE_NUMBERS * info->nmuscle;
  memcpy(to, info->activations.data, (size_t)nactive * sizeof *to);
  for (int k = 0; k < 4; k++) to[nactive + k] = (float)info->jaw.rotation[k];
  for (int k = 0; k < 3; k++) to[nactive + 4 + k] = (float)info->jaw.translation[k];
  j->times[frame] = frame / j->fps;
  j->error += info->error / j->nframe;
  j->worst = fmax(j->worst, info->error);
  j->seconds += info->seconds;
  return CLI_DONE;
}

static void report(const job *j) {
  if (j->args->json) {
    cli_print_json(json_pack("{s:i, s:i, s:f, s:f, s:f}", "frames", j->nframe, "muscles",
                             mien_face_get_info(j->face)->nmuscle, "mm", 1e3 * j->error, "mm_worst",
                             1e3 * j->worst, "ms_per_frame", 1e3 * j->seconds / j->nframe));
    return;
  }
  printf(
      "%d frames, %d muscles: skin %.3f mm from the take on average, %.3f mm in the worst frame; "
      "%.1f ms a frame\n",
      j->nframe, mien_face_get_info(j->face)->nmuscle, 1e3 * j->error, 1e3 * j->worst,
      1e3 * j->seconds / j->nframe);
}

static int solve_all(job *j) {
  const char *out = cli_value(j->args, "out", NULL);
  cli_progress progress;
  cli_progress_start(&progress, "activations");
  cli_catch_interrupt();
  for (int frame = 0; frame < j->nframe; frame++) {
    int code = solve_frame(j, frame);
    if (code) return code;
    if (cli_interrupted()) return cli_fail("stopped after %d of %d frames", frame + 1, j->nframe);
    cli_progress_show(&progress, (frame + 1.0) / j->nframe);
  }
  int code = out ? muscle_take_save(j->face, j->times, j->frames, j->nframe, out) : CLI_DONE;
  if (!code) report(j);
  return code;
}

static int run(const cli_args *args) {
  job j = {.args = args};
  double seconds, rounds;
  if (!physics_settings(args, MIEN_CONTACT_OFF, &j.settings) ||
      !cli_number(args, "fps", 1, 10000, 24, &j.fps) ||
      !cli_number(args, "rounds", 1, 1000, 3, &rounds) ||
      !cli_number(args, "seconds", 0, 1e6, 1e6, &seconds))
    return CLI_USAGE;
  j.rounds = cli_given(args, "closest") ? -1 : (int)rounds;
  int code = cli_check_output(args, cli_value(args, "out", NULL));
  if (!code) code = load(&j);
  if (!code) code = reserve(&j, seconds);
  if (!code) code = solve_all(&j);
  mien_activations_free(j.solver);
  mien_face_free(j.face);
  muscle_meshes_close(&j.meshes);
  mien_take_free(j.take);
  pose_file_close(&j.poses);
  mien_rig_free(j.rig);
  free(j.weights);
  free(j.points);
  free(j.frames);
  free(j.times);
  return code;
}

const cli_command cli_activations = {
    "activations",
    "[TAKE]",
    "turn a take of blendshapes into a take of muscles",
    "For every frame: the activations of all muscles (six numbers each, along, across and through\n"
    "the fibre) and the jaw that bring the skin closest to the pose, found from those of the "
    "frame\n"
    "before. 'mien bake FACE --drive muscle --muscle-take MUSCLES.csv' plays them, with contact,\n"
    "wind and head motion; a column with a muscle's name alone is a contraction (0.3 = 30 %).",
    options,
    1,
    run,
    1 << MIEN_PARAM_FACE,
    NULL};
