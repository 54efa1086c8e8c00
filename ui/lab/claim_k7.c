// K7: a production rig of 50k skin vertices simulated at 5k and mapped back (Kozlov et al. 7). With
// a still head the result is the artist's, bit for bit; with a shaken one it moves as the whole rig
// would, as smoothly, in a fraction of the time.
#include "reproduce.h"

#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NWAY = 2, MOST_FRAMES = 120 };
static const double FPS = 24;

typedef struct figures {
  double time[MOST_FRAMES], offset[NWAY][MOST_FRAMES]; // mm rms, all simulated; embedded
  double seconds[NWAY];                                // the fastest frame that moves
  double difference, roughness[NWAY];                  // shares of the motion
  double identity;                                     // m, worst, still head
  bool is_same;                                        // bit for bit
  int nskin[NWAY], nfollowing, nframe;
} figures;

typedef struct scene {
  mien_rig *rig;
  mien_take *phrase, *shake;
  mien_face *face[NWAY];
  mien_state *state[NWAY];
  float *weights, *pose;
} scene;

static int open(scene *s, const experiment *e) {
  mien_take *take = cli_load_take(e->args, cli_sample("phrase.csv"));
  mien_error err;
  s->rig = cli_load_rig(e->args, cli_sample(e->quick ? "head.glb" : "head_large.glb"));
  s->shake = cli_load_take(e->args, cli_sample("shake.csv"));
  if (!take || !s->rig || !s->shake) return CLI_FAILED;
  mien_result result = mien_take_bind(take, s->rig, &s->phrase, NULL, &err);
  mien_take_free(take);
  for (int way = 0; result >= 0 && way < NWAY; way++) {
    mien_face_def def;
    mien_face_def_init(&def);
    def.simulate_at = way ? (e->quick ? 1500 : 5000) : -1;
    def.blendvolumes = way; // the whole rig is here to be compared with, not to be judged
    result = mien_face_create(s->rig, &def, NULL, &s->face[way], &err);
    if (result >= 0) result = mien_state_create(s->face[way], NULL, &s->state[way], &err);
  }
  if (result < 0) return cli_report(&err, "K7");
  const mien_rig_info *info = mien_rig_get_info(s->rig);
  s->weights = calloc((size_t)info->nshape + 1, sizeof *s->weights);
  s->pose = calloc(3 * (size_t)info->nvert, sizeof *s->pose);
  return s->weights && s->pose ? CLI_DONE : cli_fail("out of memory");
}

static void close(scene *s) {
  for (int way = 0; way < NWAY; way++) {
    mien_state_free(s->state[way]);
    mien_face_free(s->face[way]);
  }
  mien_take_free(s->phrase);
  mien_take_free(s->shake);
  mien_rig_free(s->rig);
  free(s->weights);
  free(s->pose);
}

static int step(scene *s, int way, int frame, bool shaken) {
  mien_input input;
  mien_step_opts opts;
  mien_error err;
  int nshape = mien_rig_get_info(s->rig)->nshape;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.dt = 1 / FPS;
  opts.contact = MIEN_CONTACT_OFF;
  mien_take_sample(s->phrase, frame / FPS, s->weights, NULL, NULL);
  if (shaken) mien_take_sample(s->shake, 1 + frame / FPS, NULL, &input.head, NULL);
  input.weights = (mien_f32s){s->weights, nshape, 1};
  if (mien_step(s->state[way], &input, &opts, &err) < 0) return cli_report(&err, "K7");
  mien_rig_pose(s->rig, s->weights, nshape, s->pose, NULL);
  return CLI_DONE;
}

static int stay_still(scene *s, int nframe, figures *f) {
  int nvert = mien_rig_get_info(s->rig)->nvert;
  f->is_same = true;
  for (int frame = 0; frame < nframe; frame++) {
    int code = step(s, 1, frame, false);
    if (code) return code;
    const float *shown = mien_state_get_info(s->state[1])->positions.data;
    f->is_same &= !memcmp(shown, s->pose, 3 * (size_t)nvert * sizeof *shown);
    for (int i = 0; i < 3 * nvert; i++)
      f->identity = fmax(f->identity, fabs((double)shown[i] - s->pose[i]));
  }
  mien_state_reset(s->state[1]);
  return CLI_DONE;
}

// rms over skin triangles of how unlike the motions of their corners are, as a share of the motion:
// what would be seen as facets or dents
static double roughness_of(const scene *s, const float *shown) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  double rough = 0, moved = 0;
  for (int t = 0; t < rig->ntri; t++) {
    const int32_t *c = rig->triangles.data + 3 * (size_t)t;
    for (int k = 0; k < 3; k++) {
      double d[3];
      for (int i = 0; i < 3; i++)
        d[i] = (double)shown[3 * (size_t)c[i] + (size_t)k] - s->pose[3 * (size_t)c[i] + (size_t)k];
      rough += (d[0] - d[1]) * (d[0] - d[1]) + (d[1] - d[2]) * (d[1] - d[2]);
      moved += d[0] * d[0] + d[1] * d[1];
    }
  }
  return moved > 0 ? sqrt(rough / moved) : 0;
}

static int shake_head(scene *s, int nframe, figures *f) {
  int nvert = mien_rig_get_info(s->rig)->nvert;
  double difference = 0, moved = 0;
  for (int way = 0; way < NWAY; way++) f->seconds[way] = INFINITY;
  for (int frame = 0; frame < nframe; frame++) {
    const float *shown[NWAY];
    for (int way = 0; way < NWAY; way++) {
      int code = step(s, way, frame, true);
      if (code) return code;
      const mien_state_info *info = mien_state_get_info(s->state[way]);
      shown[way] = info->positions.data;
      if (info->iterations) f->seconds[way] = fmin(f->seconds[way], info->seconds);
      f->roughness[way] += roughness_of(s, shown[way]) / nframe;
    }
    double sum[NWAY] = {0};
    for (int i = 0; i < 3 * nvert; i++) {
      double a = (double)shown[0][i] - s->pose[i], b = (double)shown[1][i] - s->pose[i];
      sum[0] += a * a;
      sum[1] += b * b;
      difference += (a - b) * (a - b);
    }
    moved += sum[0];
    f->time[frame] = frame / FPS;
    for (int way = 0; way < NWAY; way++) f->offset[way][frame] = 1e3 * sqrt(sum[way] / nvert);
  }
  f->difference = sqrt(difference / moved);
  f->nframe = nframe;
  return CLI_DONE;
}

static int save(const experiment *e, const figures *f) {
  FILE *csv = cli_create(experiment_path(e, "K7", ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "time,whole_mm,embedded_mm\n");
  for (int k = 0; k < f->nframe; k++)
    fprintf(csv, "%.6g,%.6g,%.6g\n", f->time[k], f->offset[0][k], f->offset[1][k]);
  int code = cli_commit(csv, experiment_path(e, "K7", ".csv"));
  plot_series series[] = {{"whole rig", f->time, f->offset[0], f->nframe, PLOT_LINE, 0},
                          {"embedded", f->time, f->offset[1], f->nframe, PLOT_LINE, 0}};
  plot p = {.title = "K7: a shaken head, simulated whole and embedded",
            .x_label = "s",
            .y_label = "mm off the artist's pose, rms",
            .series = series,
            .nseries = NWAY};
  mien_error err;
  render_image image = {0};
  mien_result done = code ? MIEN_OK : plot_draw(&p, &image, &err);
  if (!code && done >= 0) done = render_image_save(&image, experiment_path(e, "K7", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "K7") : code;
}

static int run(experiment *e) {
  scene s = {0};
  figures *f = calloc(1, sizeof *f);
  if (!f) return cli_fail("out of memory");
  int code = open(&s, e);
  if (!code) code = stay_still(&s, e->quick ? 24 : 72, f);
  if (!code) code = shake_head(&s, e->quick ? 24 : 48, f);
  const double all[] = {f->difference, f->roughness[0], f->roughness[1]};
  if (!code && experiment_is_finite(e, "motion", all, 3)) {
    const mien_face_info *face = mien_face_get_info(s.face[1]);
    e->holds = f->is_same && face->nfollowing > 0 && f->difference < 0.35 &&
               f->roughness[1] < 1.25 * f->roughness[0];
    snprintf(e->ours, sizeof e->ours,
             "%d vertices at %d: %s with a still head, %.0f %% off the whole rig's motion; %.1f "
             "ms a frame against %.1f",
             face->nskin + face->nfollowing, face->nskin,
             f->is_same ? "the same bits" : "not the same", 100 * f->difference,
             1e3 * f->seconds[1], 1e3 * f->seconds[0]);
    experiment_note(e, "motion between neighbours, as a share: %.4f whole, %.4f embedded",
                    f->roughness[0], f->roughness[1]);
    experiment_note(e, "the coarser rig and the way back took %.2f s", face->seconds_embedding);
    code = save(e, f);
  }
  close(&s);
  free(f);
  return code;
}

const claim claim_k7 = {
    "K7",
    "A production rig is simulated on a coarser one and mapped back: identity when nothing moves, "
    "details kept",
    "50-150k vertices at 5k, at most 9k nodes",
    run,
    .limits = "how close a coarse simulation comes to a dense one in motion",
};
