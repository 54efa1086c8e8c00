// B8: lips never go through each other in the simulated performance with contact on; they do with
// it off (Barrielle & Stoiber, 7.2, figure 8). Judged by an exact test written apart from the
// solver.
#include "overlap_scene.h"

#include "lip_force.h"
#include "plot.h"

#include <math.h>
#include <stdlib.h>

enum { NWAY = 2, NTAKE = 2 };
static const double HELD = 1.25; // s: press.csv holds its lips from 1.0 to 1.75 s
static const char *const TAKES[NTAKE] = {"press.csv", "phrase.csv"};

typedef struct run_of {
  double *time, *off, *on; // pairs that cross, a frame each
  int nframe;
  int64_t sum[NWAY], most[NWAY];
  int64_t neutral; // pairs that cross in the neutral itself
  int worst;       // frame in which most cross without contact
  double offset;   // m, skin from the artist's pose, with contact
  int ncontact;
  lip_force force[NWAY]; // when lips have been held for a while
} run_of;

// Way 0 is without contact, 1 with. The album keeps the frame that is worst without contact, both
// ways; NULL = none.
static int keep_worst(contact_scene *s, int way, int frame, int64_t count, const run_of *r,
                      album *a) {
  char label[64];
  if (!a || frame != r->worst) return CLI_DONE;
  if (!way) album_free(a); // an earlier frame was worse until now
  snprintf(label, sizeof label, "%s contact: %d pairs cross", way ? "with" : "without", (int)count);
  return album_keep(a, s, mien_state_get_info(s->state)->positions.data, label)
             ? CLI_DONE
             : cli_fail("out of memory");
}

static int measure(contact_scene *s, int way, double fps, double seconds, run_of *r, album *a) {
  mien_step_opts opts;
  const mien_state_info *info = mien_state_get_info(s->state);
  mien_step_opts_init(&opts);
  opts.contact = way ? MIEN_CONTACT_PLANE : MIEN_CONTACT_OFF;
  contact_scene_start(s, &opts, fps);
  int nframe = (int)fmin(s->nframe, floor(seconds * fps));
  for (int frame = 0; frame < nframe; frame++) {
    int code = contact_scene_step(s, frame);
    if (code) return code;
    crossings found = contact_scene_skin(s, info->positions.data);
    if (found.count < 0) return cli_fail("frame %d cannot be judged", frame);
    r->time[frame] = frame / fps;
    (way ? r->on : r->off)[frame] = (double)found.count;
    r->sum[way] += found.count;
    if (found.count > r->most[way]) {
      r->most[way] = found.count;
      if (!way) r->worst = frame;
    }
    code = keep_worst(s, way, frame, found.count, r, a);
    if (code) return code;
    if (frame == (int)(HELD * fps) && !lip_force_measure(s->state, r->force + way))
      return cli_fail("out of memory");
    if (way) r->offset = fmax(r->offset, info->max_offset);
    if (way) r->ncontact = info->ncontact > r->ncontact ? info->ncontact : r->ncontact;
  }
  r->nframe = nframe;
  return CLI_DONE;
}

static int run_take(const experiment *e, contact_scene *s, run_of *r, album *a) {
  double fps = 24, seconds = e->quick ? 1.3 : 1e6;
  size_t most = (size_t)(s->seconds * fps) + 2;
  int code = CLI_DONE;
  r->time = calloc(3 * most, sizeof *r->time);
  if (!r->time) return cli_fail("out of memory");
  r->off = r->time + most;
  r->on = r->time + 2 * most;
  r->neutral = contact_scene_skin(s, mien_rig_get_info(s->rig)->positions.data).apart;
  for (int way = 0; !code && way < NWAY; way++) code = measure(s, way, fps, seconds, r, a);
  return code;
}

static int run_takes(const experiment *e, run_of *r) {
  contact_scene s;
  album a = {.panels = {{PANEL_SKIN, NULL, {.yaw = 25, .pitch = 4, .zoom = 1}, false},
                        {PANEL_CUT, NULL, {.yaw = 80, .pitch = 2, .zoom = 1.6f}, false}},
             .npanel = 2,
             .subject = RIG_VIEW_MOUTH,
             .size = e->quick ? 200 : 420,
             .ncolumn = 1};
  int code =
      contact_scene_open(&s, e->args, e->quick ? "head_small.glb" : "head.glb", TAKES[0], NULL);
  if (!code) code = run_take(e, &s, r, &a);
  if (!code)
    code = album_save(&a, &s, "B8: lips pressed harder than blendshapes can be",
                      experiment_path(e, "B8", "_worst.png"));
  album_free(&a);
  if (!code) code = contact_scene_change_take(&s, e->args, TAKES[1]);
  if (!code) code = run_take(e, &s, r + 1, NULL);
  contact_scene_close(&s);
  return code;
}

static int write_csv(const experiment *e, const run_of *r) {
  FILE *csv = cli_create(experiment_path(e, "B8", ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "take,time,pairs_without_contact,pairs_with_contact\n");
  for (int take = 0; take < NTAKE; take++)
    for (int k = 0; k < r[take].nframe; k++)
      fprintf(csv, "%s,%.6g,%g,%g\n", TAKES[take], r[take].time[k], r[take].off[k], r[take].on[k]);
  return cli_commit(csv, experiment_path(e, "B8", ".csv"));
}

static int draw(const experiment *e, const run_of *r) {
  plot_series series[] = {
      {"press, without contact", r[0].time, r[0].off, r[0].nframe, PLOT_LINE, 0},
      {"press, with contact", r[0].time, r[0].on, r[0].nframe, PLOT_LINE, 0},
      {"phrase, without contact", r[1].time, r[1].off, r[1].nframe, PLOT_DASHED, 0},
      {"phrase, with contact", r[1].time, r[1].on, r[1].nframe, PLOT_DASHED, 0}};
  plot p = {.title = "B8: pairs of skin triangles that cross",
            .x_label = "s",
            .y_label = "pairs",
            .series = series,
            .nseries = 4};
  mien_error err;
  render_image image = {0};
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, "B8", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "B8") : CLI_DONE;
}

// Lips that are pressed and held are pushed apart; without contact nothing pushes, but for
// rounding.
static bool judge_forces(experiment *e, const lip_force of[NWAY]) {
  const lip_force *on = of + 1;
  experiment_note(
      e,
      "pressed and held: the upper lip is pushed by %.3f N upwards, the lower by %.3f N "
      "downwards; forces at the skin are %.2f N in all, %.1e N without contact, and "
      "%.2f N inside the flesh, which is not quite at rest",
      on->upper[1], -on->lower[1], on->skin, of[0].skin, on->inside);
  return on->push > 1e3 * fmax(fabs(of[0].upper[1]), fabs(of[0].lower[1]));
}

static void judge(experiment *e, const run_of *r, const overlap_result *overlap) {
  int64_t off = r[0].most[0] + r[1].most[0], on = r[0].most[1] + r[1].most[1];
  bool parts = overlap->neutral > 0 && overlap->without > overlap->neutral && overlap->nfree > 0 &&
               overlap->with <= overlap->neutral && !overlap->free_crossing && overlap->off == 0 &&
               overlap->nrest > 0 && overlap->rest_off == 0;
  e->holds = r[0].most[0] > 0 && off > 0 && on == 0 && parts && judge_forces(e, r[0].force);
  snprintf(
      e->ours, sizeof e->ours,
      "%d pairs cross in the worst frame with contact, %d without (press); %d and %d (phrase); "
      "pressed lips push each other with %.2f N",
      (int)r[0].most[1], (int)r[0].most[0], (int)r[1].most[1], (int)r[1].most[0],
      r[0].force[1].push);
  for (int take = 0; take < NTAKE; take++)
    experiment_note(
        e,
        "%s, %d frames: %d pairs in all without contact, %d with; %d pairs cross in the "
        "neutral itself and are not counted; at most %d contacts, skin up to %.2f mm "
        "from the artist's pose",
        TAKES[take], r[take].nframe, (int)r[take].sum[0], (int)r[take].sum[1], (int)r[take].neutral,
        r[take].ncontact, 1e3 * r[take].offset);
  experiment_note(e,
                  "lips that overlap in the neutral (%d pairs): at most %d pairs with contact, %d "
                  "without; %d of %d frames are free, at most %d pairs there, skin %.3g mm off; at "
                  "the neutral, %d frames, %.3g mm off",
                  (int)overlap->neutral, (int)overlap->with, (int)overlap->without, overlap->nfree,
                  overlap->nframe, (int)overlap->free_crossing, 1e3 * overlap->off, overlap->nrest,
                  1e3 * overlap->rest_off);
  experiment_note(e, "picture of the worst frame: B8_worst.png");
}

static int run_overlap(experiment *e, overlap_result *out) {
  contact_scene s;
  int code = overlap_scene_open(&s, e->args, "press.csv", 1e-3);
  if (!code) code = overlap_scene_measure(&s, e->quick ? 1.2 : 1e6, out);
  contact_scene_close(&s);
  return code;
}

static int run(experiment *e) {
  run_of r[NTAKE] = {{0}};
  overlap_result overlap = {0};
  int code = run_overlap(e, &overlap);
  if (!code) code = run_takes(e, r);
  if (!code) judge(e, r, &overlap);
  if (!code) code = write_csv(e, r);
  if (!code) code = draw(e, r);
  for (int take = 0; take < NTAKE; take++) free(r[take].time);
  return code;
}

const claim claim_b8 = {
    "B8",
    "Lips never interpenetrate in the simulated performance with contact on; they do with it off; "
    "where they overlap in the neutral, no more of them does",
    "picture (fig. 8)",
    run,
    .limits = "whether the push is balanced (teeth and bones take what one lip has more than the "
              "other), and "
              "how much of it is the planes' and how much the bound's",
};
