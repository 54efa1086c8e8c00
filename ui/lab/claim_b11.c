// B11: passive parts, outside the force basis and without a skull under them, swing, collide and
// stick (Barrielle & Stoiber, 7.2, fig. 11-13): the sample creature's tentacles while its head is
// shaken under gravity.
#include "contact_scene.h"

#include "plot.h"

#include <math.h>
#include <stdlib.h>

enum { NWAY = 2, MOST_FRAMES = 160, MOST_SHEET = 6 };
enum { MOST_INVERTED = 0 };

typedef struct figures {
  double time[MOST_FRAMES], sway[NWAY][MOST_FRAMES], pairs[NWAY][MOST_FRAMES];
  double most_sway; // m, of a passive vertex from the artist's pose, with contact
  int64_t most[NWAY], neutral;
  int ncontact, nstuck, nbroken, ninverted, nframe;
} figures;

// m, the farthest that something passive is from the artist's pose
static double sway(const contact_scene *s) {
  const mien_face_info *face = mien_face_get_info(s->face);
  const float *at = mien_state_get_info(s->state)->positions.data;
  double most = 0;
  for (int i = 0; i < face->nskin; i++) {
    if (!(face->regions.data[i] & MIEN_REGION_PASSIVE)) continue;
    double d2 = 0;
    for (int k = 0; k < 3; k++) {
      int v = 3 * face->skin.data[i] + k;
      d2 += ((double)at[v] - s->artist[v]) * ((double)at[v] - s->artist[v]);
    }
    most = fmax(most, d2);
  }
  return sqrt(most);
}

static int measure(contact_scene *s, int way, int nframe, album *a, figures *f) {
  const mien_state_info *info = mien_state_get_info(s->state);
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.contact = way ? MIEN_CONTACT_PLANE : MIEN_CONTACT_OFF;
  opts.sticky = way;
  opts.gravity[1] = -9.81;
  contact_scene_start(s, &opts, 24);
  f->nframe = nframe < s->nframe ? nframe : s->nframe;
  for (int frame = 0; frame < f->nframe; frame++) {
    int code = contact_scene_step(s, frame);
    if (code) return code;
    crossings found = contact_scene_skin(s, info->positions.data);
    if (found.count < 0) return cli_fail("frame %d cannot be judged", frame);
    f->time[frame] = frame / s->fps;
    f->sway[way][frame] = 1e3 * sway(s);
    f->pairs[way][frame] = (double)found.count;
    f->most[way] = found.count > f->most[way] ? found.count : f->most[way];
    if (!way) continue;
    f->neutral = found.apart > f->neutral ? found.apart : f->neutral;
    f->most_sway = fmax(f->most_sway, sway(s));
    f->ncontact = info->ncontact > f->ncontact ? info->ncontact : f->ncontact;
    f->nstuck = info->nstuck > f->nstuck ? info->nstuck : f->nstuck;
    f->nbroken += info->nbroken;
    f->ninverted = info->ninverted > f->ninverted ? info->ninverted : f->ninverted;
    if (frame % (f->nframe / MOST_SHEET) == f->nframe / MOST_SHEET - 1 && a->count < MOST_SHEET) {
      char label[64];
      snprintf(label, sizeof label, "%.2f s", frame / s->fps);
      if (!album_keep(a, s, info->positions.data, label)) return cli_fail("out of memory");
    }
  }
  return CLI_DONE;
}

static int write_csv(const experiment *e, const figures *f) {
  FILE *csv = cli_create(experiment_path(e, "B11", ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "time,sway_mm_without_contact,sway_mm,pairs_without_contact,pairs\n");
  for (int k = 0; k < f->nframe; k++)
    fprintf(csv, "%.6g,%.6g,%.6g,%g,%g\n", f->time[k], f->sway[0][k], f->sway[1][k], f->pairs[0][k],
            f->pairs[1][k]);
  return cli_commit(csv, experiment_path(e, "B11", ".csv"));
}

static int draw(const experiment *e, const figures *f) {
  plot_series series[] = {
      {"sway, mm", f->time, f->sway[1], f->nframe, PLOT_LINE, 0},
      {"sway without contact, mm", f->time, f->sway[0], f->nframe, PLOT_DASHED, 0},
      {"pairs that cross", f->time, f->pairs[1], f->nframe, PLOT_LINE, 0},
      {"pairs that cross without contact", f->time, f->pairs[0], f->nframe, PLOT_DASHED, 0}};
  plot p = {.title = "B11: tentacles of a shaken creature",
            .x_label = "s",
            .y_label = "mm; pairs",
            .series = series,
            .nseries = 4};
  mien_error err;
  render_image image = {0};
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, "B11", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "B11") : CLI_DONE;
}

static void judge(experiment *e, const figures *f) {
  if (!experiment_is_finite(e, "sway", f->sway[1], f->nframe)) return;
  e->holds = f->most_sway > 1e-3 && f->most_sway < 0.3 && f->most[1] == 0 && f->most[0] > 0 &&
             f->nstuck > 0 && f->nbroken > 0 && f->ninverted <= MOST_INVERTED;
  snprintf(e->ours, sizeof e->ours,
           "tentacles sway by up to %.1f mm; %d pairs cross in the worst frame with contact, %d "
           "without; %d springs stick at once, %d break; at most %d inverted tetrahedra",
           1e3 * f->most_sway, (int)f->most[1], (int)f->most[0], f->nstuck, f->nbroken,
           f->ninverted);
  experiment_note(
      e,
      "%d frames: at most %d contacts, %d springs at once, %d broke; at most %d inverted "
      "tetrahedra; %d pairs that cross in the neutral itself are not counted",
      f->nframe, f->ncontact, f->nstuck, f->nbroken, f->ninverted, (int)f->neutral);
  experiment_note(e, "pictures: B11_sway.png");
}

static int run(experiment *e) {
  contact_scene s;
  figures *f = calloc(1, sizeof *f);
  album a = {.panels = {{PANEL_SKIN, NULL, {.yaw = 25, .pitch = 4, .zoom = 1}, false}},
             .npanel = 1,
             .subject = RIG_VIEW_HEAD,
             .size = e->quick ? 120 : 320,
             .ncolumn = 3};
  if (!f) return cli_fail("out of memory");
  int code = contact_scene_open(&s, e->args, "creature.glb", NULL, "shake.csv");
  for (int way = 0; !code && way < NWAY; way++) code = measure(&s, way, e->quick ? 18 : 84, &a, f);
  if (!code) judge(e, f);
  if (!code)
    code = album_save(&a, &s, "B11: the creature shakes its head",
                      experiment_path(e, "B11", "_sway.png"));
  if (!code) code = write_csv(e, f);
  if (!code) code = draw(e, f);
  album_free(&a);
  contact_scene_close(&s);
  free(f);
  return code;
}

const claim claim_b11 = {
    "B11",
    "Passive parts (tentacles) swing under gravity, collide and stick",
    "pictures (fig. 11-13)",
    run,
    .limits = "that tentacles look like the paper's",
};
