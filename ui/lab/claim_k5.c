// K5: materials painted per expression. A head runs; its cheeks swing. A smile whose muscles are
// painted stiff swings less, under the same run (Kozlov et al. fig. 1 and 8). The same smile
// without paint is the control: it is the material that does it, not the shape.
#include "claim_k5_heat.h"
#include "moments.h"
#include "painted_rig.h"
#include "reproduce.h"

#include "plot.h"

#include <math.h>
#include <stdlib.h>

enum { NWAY = 3, MOST_FRAMES = 160 };
static const char *const WAYS[NWAY] = {"neutral", "smile, not painted", "smile, painted stiff"};
static const double FACTOR = 8, FPS = 48;
static const double RESTS =
    0.05; // of the flow: what is kept within the painted range is not at rest
static const char *const SMILE[2] = {"mouthSmileLeft", "mouthSmileRight"};

typedef struct figures {
  double time[MOST_FRAMES], swing[NWAY][MOST_FRAMES]; // mm, rms over what the smile moves
  double rms[NWAY], most[NWAY];                       // mm
  int nframe;
  int moment; // frame in which the neutral swings farthest
} figures;

typedef struct scene {
  mien_rig *plain, *painted;
  mien_take *run;
  float *weights, *pose;
  unsigned char *moved; // by the smile, at least a third of the most
  moments kept;         // the same moment of every way
} scene;

static int open(scene *s, const experiment *e) {
  s->plain = cli_load_rig(e->args, cli_sample(e->quick ? "head_small.glb" : "head.glb"));
  s->run = cli_load_take(e->args, cli_sample("run.csv"));
  if (!s->plain || !s->run) return CLI_FAILED;
  painted_map maps[] = {{"stiffness", SMILE[0], FACTOR},
                        {"stiffness", SMILE[1], FACTOR},
                        {"volume_stiffness", SMILE[0], FACTOR},
                        {"volume_stiffness", SMILE[1], FACTOR}};
  s->painted = painted_rig_create(s->plain, maps, 4);
  if (!s->painted) return CLI_FAILED;
  const mien_rig_info *info = mien_rig_get_info(s->plain);
  s->weights = calloc((size_t)info->nshape + 1, sizeof *s->weights);
  s->pose = calloc(3 * (size_t)info->nvert, sizeof *s->pose);
  s->moved = calloc((size_t)info->nvert, 1);
  if (!s->weights || !s->pose || !s->moved) return cli_fail("out of memory");
  for (int k = 0; k < 2; k++) {
    const mien_shape *shape = info->shapes + mien_rig_find_shape(s->plain, SMILE[k]);
    double longest = 0;
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < shape->indices.count; i++) {
        const float *d = shape->deltas.data + 3 * (size_t)i;
        double length = sqrt((double)d[0] * d[0] + (double)d[1] * d[1] + (double)d[2] * d[2]);
        if (pass == 0) longest = fmax(longest, length);
        if (pass == 1 && length > longest / 3) s->moved[shape->indices.data[i]] = 1;
      }
  }
  return CLI_DONE;
}

static void close(scene *s) {
  mien_rig_free(s->plain);
  mien_rig_free(s->painted);
  mien_take_free(s->run);
  free(s->weights);
  free(s->pose);
  free(s->moved);
  moments_free(&s->kept);
}

static double swing_of(const scene *s, const mien_state_info *state) {
  int count = 0;
  double sum = 0;
  for (int i = 0; i < state->positions.count; i++) {
    if (!s->moved[i]) continue;
    count++;
    for (int c = 0; c < 3; c++) {
      double off = (double)state->positions.data[3 * (size_t)i + (size_t)c] -
                   s->pose[3 * (size_t)i + (size_t)c];
      sum += off * off;
    }
  }
  return count ? 1e3 * sqrt(sum / count) : NAN;
}

// The neutral comes first: its frame that swings farthest so far is kept. The others keep that
// frame.
static bool keep_moment(scene *s, int way, int frame, double swing, const mien_state_info *state,
                        figures *f) {
  bool is_wanted = way ? frame == f->moment : swing > f->most[way];
  char label[64];
  snprintf(label, sizeof label, "%s: %.2f mm rms", WAYS[way], swing);
  if (!is_wanted) return true;
  f->moment = frame;
  return moments_keep(&s->kept, way, state, s->pose, label);
}

static int measure(scene *s, int way, int nframe, figures *f) {
  const mien_rig *rig = way == 2 ? s->painted : s->plain;
  mien_face *face = NULL;
  mien_state *state = NULL;
  mien_error err;
  mien_step_opts opts;
  mien_input input;
  mien_step_opts_init(&opts);
  opts.dt = 1 / FPS;
  opts.contact = MIEN_CONTACT_OFF;
  mien_input_init(&input);
  const mien_rig_info *info = mien_rig_get_info(rig);
  for (int k = 0; k < 2; k++) s->weights[mien_rig_find_shape(rig, SMILE[k])] = way ? 1 : 0;
  input.weights = (mien_f32s){s->weights, info->nshape, 1};
  mien_rig_pose(rig, s->weights, info->nshape, s->pose, NULL);
  mien_result result = mien_face_create(rig, NULL, NULL, &face, &err);
  if (result >= 0) result = mien_state_create(face, NULL, &state, &err);
  double sum = 0;
  for (int frame = 0; result >= 0 && frame <= nframe; frame++) {
    mien_take_sample(s->run, frame / FPS, NULL, &input.head, NULL);
    result = mien_step(state, &input, &opts, &err);
    if (!frame) continue;
    double swing = swing_of(s, mien_state_get_info(state));
    if (!keep_moment(s, way, frame, swing, mien_state_get_info(state), f)) {
      result = MIEN_ERR_MEMORY;
      snprintf(err.text, sizeof err.text, "out of memory");
    }
    f->time[frame - 1] = frame / FPS;
    f->swing[way][frame - 1] = swing;
    f->most[way] = fmax(f->most[way], swing);
    sum += swing * swing / nframe;
  }
  f->rms[way] = sqrt(sum);
  f->nframe = nframe;
  mien_state_free(state);
  mien_face_free(face);
  return result < 0 ? cli_report(&err, "K5") : CLI_DONE;
}

static int save(const experiment *e, const figures *f) {
  FILE *csv = cli_create(experiment_path(e, "K5", ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "time,neutral_mm,smile_mm,stiff_smile_mm\n");
  for (int k = 0; k < f->nframe; k++)
    fprintf(csv, "%.6g,%.6g,%.6g,%.6g\n", f->time[k], f->swing[0][k], f->swing[1][k],
            f->swing[2][k]);
  int code = cli_commit(csv, experiment_path(e, "K5", ".csv"));
  plot_series series[NWAY];
  for (int way = 0; way < NWAY; way++)
    series[way] = (plot_series){WAYS[way], f->time, f->swing[way], f->nframe, PLOT_LINE, 0};
  plot p = {.title = "K5: how far a running head's cheeks swing",
            .x_label = "s",
            .y_label = "mm off the artist's pose, rms",
            .series = series,
            .nseries = NWAY};
  mien_error err;
  render_image image = {0};
  mien_result done = code ? MIEN_OK : plot_draw(&p, &image, &err);
  if (!code && done >= 0) done = render_image_save(&image, experiment_path(e, "K5", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "K5") : code;
}

static int draw_faces(experiment *e, const scene *s, const figures *f) {
  char title[96];
  snprintf(title, sizeof title, "K5: the same run after %.2f s; below, mm off the artist's pose",
           f->moment / FPS);
  moments_style style = {.title = title,
                         .most = fmax(0.5, ceil(2 * f->most[0])),
                         .yaw = 28,
                         .pitch = 2,
                         .zoom = 1.2f,
                         .size = e->quick ? 160 : 420};
  experiment_note(e, "the three faces at the same moment: K5_faces.png");
  return moments_save(&s->kept, s->plain, &style, experiment_path(e, "K5", "_faces.png"));
}

static int run(experiment *e) {
  scene s = {0};
  figures *f = calloc(1, sizeof *f);
  if (!f) return cli_fail("out of memory");
  int code = open(&s, e);
  for (int way = 0; !code && way < NWAY; way++) code = measure(&s, way, e->quick ? 48 : 144, f);
  heat_figures heat = {0};
  if (!code) code = heat_measure(s.plain, &heat);
  if (!code && experiment_is_finite(e, "swing", f->rms, NWAY)) {
    bool is_diffused = heat.copied > 0.1 && heat.left < RESTS * heat.copied;
    e->holds = f->rms[0] > 0.05 && f->rms[2] < 0.8 * f->rms[0] && f->rms[2] < 0.8 * f->rms[1] &&
               is_diffused;
    snprintf(e->ours, sizeof e->ours,
             "the stiff smile swings %.2f times as far as the neutral (the smile not painted "
             "%.2f); heat flows inside at %.1e of what copies of the skin would let flow",
             f->rms[2] / f->rms[0], f->rms[1] / f->rms[0], heat.left / heat.copied);
    experiment_note(e,
                    "a map that differs from vertex to vertex: flow of heat %.2e rms at %d "
                    "vertices inside, %.2e if they copied their skin",
                    heat.left, heat.ninside, heat.copied);
    for (int way = 0; way < NWAY; way++)
      experiment_note(e, "%-22s %.3f mm rms, %.3f mm at most", WAYS[way], f->rms[way],
                      f->most[way]);
    experiment_note(e, "stiffness and volume stiffness painted %g times the neutral's", FACTOR);
  }
  if (!code) code = save(e, f);
  if (!code) code = draw_faces(e, &s, f);
  close(&s);
  free(f);
  return code;
}

const claim claim_k5 = {
    "K5",
    "Materials are painted per expression and diffused into the volume by the heat equation; a "
    "stiff smile jiggles less than the neutral under the same run",
    "picture",
    run,
    .limits = "stiffness measured on people: it is painted",
};
