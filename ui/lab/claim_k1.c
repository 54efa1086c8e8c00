// K1: with no head motion and no outer force the output is the artist's animation, to the last bit;
// a simulation that does not rebalance is not (Kozlov et al., figure 10).
#include "claim_k1.h"

#include "curves.h"
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NFRAME = 300, NQUICK = 90, NWAY = 2 };
static const double FPS = 60;

typedef struct speech {
  mien_rig *rig;
  mien_face *face;
  mien_state *state[NWAY]; // rebalanced, naive
  mien_take *take;
  float *weights, *pose, *worst[NWAY], *worst_pose; // posed and simulated, at the worst frame
  double size, most[NWAY];                          // m; shares of it
} speech;

static int open(speech *s, const experiment *e) {
  mien_error err;
  mien_take *loaded;
  s->rig = cli_load_rig(e->args, cli_sample(e->quick ? "head_small.glb" : "head.glb"));
  loaded = cli_load_take(e->args, cli_sample("phrase.csv"));
  if (!s->rig || !loaded) {
    mien_take_free(loaded);
    return CLI_FAILED;
  }
  mien_result result = mien_take_bind(loaded, s->rig, &s->take, NULL, &err);
  mien_take_free(loaded);
  if (result >= 0) result = mien_face_create(s->rig, NULL, NULL, &s->face, &err);
  for (int k = 0; result >= 0 && k < NWAY; k++)
    result = mien_state_create(s->face, NULL, s->state + k, &err);
  if (result < 0) return cli_report(&err, "K1");
  const mien_rig_info *info = mien_rig_get_info(s->rig);
  size_t size = 3 * (size_t)info->nvert * sizeof(float);
  s->weights = calloc((size_t)info->nshape + 1, sizeof *s->weights);
  s->pose = malloc(size);
  s->worst_pose = calloc(1, size);
  for (int k = 0; k < NWAY; k++) s->worst[k] = calloc(1, size);
  for (int c = 0; c < 3; c++) s->size = fmax(s->size, (double)info->box_max[c] - info->box_min[c]);
  return s->weights && s->pose && s->worst_pose && s->worst[0] && s->worst[1]
             ? CLI_DONE
             : cli_fail("out of memory");
}

static void close(speech *s) {
  for (int k = 0; k < NWAY; k++) mien_state_free(s->state[k]), free(s->worst[k]);
  mien_face_free(s->face);
  mien_rig_free(s->rig);
  mien_take_free(s->take);
  free(s->weights);
  free(s->pose);
  free(s->worst_pose);
}

static double farthest(const mien_state *state, const float *pose) {
  const mien_state_info *info = mien_state_get_info(state);
  double most2 = 0;
  for (int i = 0; i < info->positions.count; i++) {
    double d2 = 0;
    for (int c = 0; c < 3; c++) {
      double off =
          (double)info->positions.data[3 * (size_t)i + (size_t)c] - pose[3 * (size_t)i + (size_t)c];
      d2 += off * off;
    }
    most2 = d2 > most2 || isnan(d2) ? d2 : most2;
  }
  return sqrt(most2);
}

static int play(speech *s, int nframe, curves *c) {
  const mien_rig_info *info = mien_rig_get_info(s->rig);
  size_t size = 3 * (size_t)info->nvert * sizeof(float);
  mien_step_opts opts;
  mien_input input;
  mien_error err;
  mien_step_opts_init(&opts);
  mien_input_init(&input);
  opts.dt = 1 / FPS;
  const mien_take_info *take = mien_take_get_info(s->take);
  for (int frame = 0; frame < nframe; frame++) {
    double into = fmod(frame / FPS, take->end - take->start); // again from its start
    mien_take_sample(s->take, take->start + into, s->weights, NULL, NULL);
    input.weights = (mien_f32s){s->weights, info->nshape, 1};
    mien_rig_pose(s->rig, s->weights, info->nshape, s->pose, NULL);
    c->x[frame] = frame / FPS;
    for (int k = 0; k < NWAY; k++) {
      opts.rebalance = k == 0;
      if (mien_step(s->state[k], &input, &opts, &err) < 0) return cli_report(&err, "K1");
      double off = farthest(s->state[k], s->pose);
      c->y[k][frame] = 1e3 * off;
      bool is_worst = off / s->size > s->most[k];
      s->most[k] = fmax(s->most[k], off / s->size);
      if (k == 1 && is_worst) {
        for (int w = 0; w < NWAY; w++)
          memcpy(s->worst[w], mien_state_get_info(s->state[w])->positions.data, size);
        memcpy(s->worst_pose, s->pose, size);
      }
    }
  }
  return CLI_DONE;
}

// the frame where the naive simulation is farthest off, both ways, as heat
static int draw(const experiment *e, const speech *s) {
  picture_def def = {
      .rig = s->rig,
      .face = s->face,
      .panels = {{PANEL_HEAT, "mm off the artist's pose", {.yaw = 15, .zoom = 1}, false}},
      .npanel = 1,
      .width = 480,
      .height = 560,
      .field = "difference",
      .field_max = 2};
  static const char *const names[NWAY] = {"_exact.png", "_naive.png"};
  int nvert = mien_rig_get_info(s->rig)->nvert;
  picture *p = NULL;
  mien_error err;
  render_image image = {0};
  mien_result result = picture_create(&def, &p, &err);
  for (int k = 0; result >= 0 && k < NWAY; k++) {
    picture_pose pose = {.positions = {s->worst[k], nvert, 3},
                         .reference = {s->worst_pose, nvert, 3},
                         .head = {.rotation = {0, 0, 0, 1}},
                         .title = k ? "not rebalanced" : "mien"};
    result = picture_draw(p, &pose, &image, &err);
    if (result >= 0) result = render_image_save(&image, experiment_path(e, "K1", names[k]), &err);
  }
  render_image_free(&image);
  picture_free(p);
  return result < 0 ? cli_report(&err, "K1") : CLI_DONE;
}

static int run(experiment *e) {
  speech s = {0};
  int nframe = e->quick ? NQUICK : NFRAME;
  curves c = {.title = "K1: speech, head still",
              .x_label = "s",
              .y_label = "mm off the artist's pose, at most",
              .name = {"mien", "not rebalanced"},
              .ncurve = 2,
              .count = nframe};
  int code = curves_reserve(&c, NFRAME) ? open(&s, e) : cli_fail("out of memory");
  k1_contact touching = {0};
  k1_hard hard = {0};
  if (!code) code = play(&s, nframe, &c);
  if (!code) code = k1_with_contact(e, &touching);
  if (!code) code = k1_on_hard_rigs(e, &hard);
  if (!code && experiment_is_finite(e, "deviations", s.most, NWAY)) {
    // to the last bit, which is more than a millionth of the face's size
    e->holds = s.most[0] == 0 && s.most[1] > 1e-4 && touching.free == 0 &&
               touching.nfree >= touching.nframe / 5 && hard.npressed >= hard.nrig &&
               !hard.nviolated;
    snprintf(e->ours, sizeof e->ours,
             "at most %.1e of the face's size off over %d frames; not rebalanced %.1e (%.2f mm); "
             "%d hard rigs: %d clauses violated",
             s.most[0], nframe, s.most[1], 1e3 * s.most[1] * s.size, hard.nrig, hard.nviolated);
    experiment_note(e, "why it is exact: see core/src/solve/rebalance.c");
    experiment_note(e,
                    "with contact on: at most %.1e m off in the %d of %d frames whose pose crosses "
                    "nothing and has not for a tenth of a second; %.2f mm in the others",
                    touching.free, touching.nfree, touching.nframe, 1e3 * touching.other);
  }
  if (!code) code = draw(e, &s);
  if (!code) code = curves_save(e, "K1", &c);
  close(&s);
  curves_free(&c);
  return code;
}

const claim claim_k1 = {
    "K1",
    "With no head motion and no external force the output equals the input animation exactly; with "
    "contact on, wherever the artist's pose crosses nothing, also on rigs whose lips and lids "
    "cross "
    "in the neutral, and nothing crosses more than there",
    "\"precisely\"",
    run,
    .limits = "motion: with a moving head there is nothing to compare with",
};
