// K6: jaw and teeth are colliders, and lips do not fall into the mouth (Kozlov et al., 7). The head
// is thrown forward, mouth a little open: without colliders the lips are pressed through the teeth,
// with them they lie on the teeth.
#include "contact_scene.h"

#include "plot.h"

#include <math.h>
#include <stdlib.h>

enum { NWAY = 2, MOST_FRAMES = 120 };
static const double THROW = 40; // m / s^2, forward: lips are left behind

typedef struct figures {
  double time[MOST_FRAMES], pairs[NWAY][MOST_FRAMES]; // lip triangles through teeth or jaw
  int64_t most[NWAY], all[NWAY];                      // worst frame; with chin and cheeks
  int64_t neutral;
  double offset[NWAY]; // m
  int nframe, worst;
} figures;

static int step(contact_scene *s, int frame) {
  int jaw = mien_rig_find_shape(s->rig, "jawOpen");
  if (jaw >= 0) s->weights[jaw] = (float)(0.15 * fmin(1, frame / (0.25 * s->fps)));
  return contact_scene_step(s, frame);
}

static void start(contact_scene *s, int way) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.contact = way ? MIEN_CONTACT_PLANE : MIEN_CONTACT_OFF;
  opts.gravity[2] = -THROW;
  contact_scene_start(s, &opts, 24);
}

static int measure(contact_scene *s, int way, int nframe, figures *f) {
  const mien_state_info *info = mien_state_get_info(s->state);
  start(s, way);
  for (int frame = 0; frame < nframe; frame++) {
    int code = step(s, frame);
    if (code) return code;
    crossings found = contact_scene_rigid(s, MIEN_REGION_CONTACT);
    crossings all = contact_scene_rigid(s, 0);
    if (found.count < 0) return cli_fail("frame %d cannot be judged", frame);
    f->time[frame] = frame / s->fps;
    f->pairs[way][frame] = (double)found.count;
    f->neutral = found.apart > f->neutral ? found.apart : f->neutral;
    if (found.count > f->most[way]) {
      f->most[way] = found.count;
      if (!way) f->worst = frame;
    }
    f->all[way] = all.count > f->all[way] ? all.count : f->all[way];
    f->offset[way] = fmax(f->offset[way], info->max_offset);
  }
  f->nframe = nframe;
  return CLI_DONE;
}

static int save_pictures(const experiment *e, contact_scene *s, const figures *f) {
  album a = {.panels = {{PANEL_SKIN, NULL, {.yaw = 30, .pitch = 4, .zoom = 1}, false},
                        {PANEL_CUT, NULL, {.yaw = 80, .pitch = 2, .zoom = 1}, false}},
             .npanel = 2,
             .subject = RIG_VIEW_MOUTH,
             .size = e->quick ? 200 : 420,
             .ncolumn = 1};
  int code = CLI_DONE;
  for (int way = 0; !code && way < NWAY; way++) {
    char label[64];
    start(s, way);
    for (int frame = 0; !code && frame <= f->worst; frame++) code = step(s, frame);
    snprintf(label, sizeof label, "%s colliders: %d pairs cross", way ? "with" : "without",
             (int)f->pairs[way][f->worst]);
    if (!code && !album_keep(&a, s, mien_state_get_info(s->state)->positions.data, label))
      code = cli_fail("out of memory");
  }
  if (!code)
    code =
        album_save(&a, s, "K6: the head is thrown forward", experiment_path(e, "K6", "_worst.png"));
  album_free(&a);
  return code;
}

static int write_csv(const experiment *e, const figures *f) {
  FILE *csv = cli_create(experiment_path(e, "K6", ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "time,pairs_without_colliders,pairs_with_colliders\n");
  for (int k = 0; k < f->nframe; k++)
    fprintf(csv, "%.6g,%g,%g\n", f->time[k], f->pairs[0][k], f->pairs[1][k]);
  return cli_commit(csv, experiment_path(e, "K6", ".csv"));
}

static int draw(const experiment *e, const figures *f) {
  plot_series series[] = {{"without colliders", f->time, f->pairs[0], f->nframe, PLOT_LINE, 0},
                          {"with colliders", f->time, f->pairs[1], f->nframe, PLOT_LINE, 0}};
  plot p = {.title = "K6: lip triangles through teeth and jaw",
            .x_label = "s",
            .y_label = "pairs",
            .series = series,
            .nseries = 2};
  mien_error err;
  render_image image = {0};
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, "K6", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "K6") : CLI_DONE;
}

static int run(experiment *e) {
  contact_scene s;
  figures *f = calloc(1, sizeof *f);
  if (!f) return cli_fail("out of memory");
  int code =
      contact_scene_open(&s, e->args, e->quick ? "head_small.glb" : "head.glb", NULL, "still.csv");
  int nframe = e->quick ? 24 : 60;
  for (int way = 0; !code && way < NWAY; way++) code = measure(&s, way, nframe, f);
  if (!code) {
    e->holds = f->most[0] > 0 && f->most[1] == 0;
    snprintf(e->ours, sizeof e->ours,
             "%d pairs of lip and teeth or jaw cross in the worst frame with colliders, %d without",
             (int)f->most[1], (int)f->most[0]);
    experiment_note(e, "%d frames at %g m/s2 forward, mouth open by 0.15", nframe, THROW);
    experiment_note(e,
                    "skin up to %.1f mm from the pose without, %.1f mm with; %d pairs that cross "
                    "in the neutral itself are not counted",
                    1e3 * f->offset[0], 1e3 * f->offset[1], (int)f->neutral);
    experiment_note(e,
                    "with chin and cheeks, which are no region of contact, %d pairs cross without "
                    "colliders and %d with: not judged",
                    (int)f->all[0], (int)f->all[1]);
    code = save_pictures(e, &s, f);
  }
  if (!code) code = write_csv(e, f);
  if (!code) code = draw(e, f);
  contact_scene_close(&s);
  free(f);
  return code;
}

const claim claim_k6 = {
    "K6", "Jaw and teeth are colliders; lips do not fall into the mouth",   "no figure",
    run,  .limits = "teeth that move on their own; contact forces on them",
};
