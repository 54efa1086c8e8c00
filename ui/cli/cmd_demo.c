// mien demo: the sample head speaks and shakes; the artist's animation, mien's, and the difference.
#include "cli.h"
#include "demo_lips.h"
#include "demo_reel.h"
#include "physics.h"
#include "picture.h"
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"out", 'o', "FOLDER", "where everything goes (out)"},
    {"reel", 0, NULL, "the reel instead: a run, speech, wind, muscles (reel.mp4, reel.png)"},
    {"quick", 'q', NULL, "one second, small: to see that it works"},
    {NULL, 0, NULL, NULL},
};

enum { FPS = 24, PLOT_HEIGHT = 190 };
enum { SUBSTEPS = 2 }; // lips that snap shut within a frame, on a head that shakes, meet evenly
static const double HEAD_STARTS = 1.0; // s: so that the difference is seen to come from the head

// One frame, kept for drawing after all of them were simulated.
typedef struct moment {
  float *artist, *mien, *flesh;
  mien_rigid head;
} moment;

typedef struct demo {
  const cli_args *args;
  const char *folder;
  char path[4096];
  bool quick;
  mien_settings settings;
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_take *take, *head;
  picture *picture;
  float *weights;
  moment *moments;
  double *time, *elastic, *offset; // a frame each, for the plot
  int nframe;
  double largest, step_seconds, started;
  demo_lips_result lips;
} demo;

static const char *in_folder(demo *d, const char *name) {
  snprintf(d->path, sizeof d->path, "%s/%s", d->folder, name);
  return d->path;
}

static int reserve(demo *d) {
  const mien_take_info *info = mien_take_get_info(d->take);
  size_t rig = 3 * (size_t)mien_rig_get_info(d->rig)->nvert;
  size_t flesh = 3 * (size_t)mien_face_get_info(d->face)->nvert;
  d->nframe = (int)floor((d->quick ? 1.0 : info->end - info->start) * FPS) + 1;
  d->weights = calloc((size_t)mien_rig_get_info(d->rig)->nshape, sizeof *d->weights);
  d->moments = calloc((size_t)d->nframe, sizeof *d->moments);
  d->time = calloc(3 * (size_t)d->nframe, sizeof *d->time);
  bool done = d->weights && d->moments && d->time;
  for (int f = 0; done && f < d->nframe; f++) {
    d->moments[f].artist = malloc((2 * rig + flesh) * sizeof(float));
    d->moments[f].mien = d->moments[f].artist + rig;
    d->moments[f].flesh = d->moments[f].artist + 2 * rig;
    done = d->moments[f].artist != NULL;
  }
  if (!done) return cli_fail("out of memory");
  d->elastic = d->time + d->nframe;
  d->offset = d->time + 2 * d->nframe;
  return CLI_DONE;
}

static int load(demo *d) {
  mien_error err;
  mien_take *take = NULL;
  d->rig = cli_load_rig(d->args, d->quick ? cli_sample("head_small.glb") : NULL);
  if (d->rig) take = cli_load_take(d->args, NULL);
  if (take) d->head = cli_load_take(d->args, cli_sample("shake.csv"));
  if (!d->head) {
    mien_take_free(take);
    return CLI_FAILED;
  }
  mien_result result = mien_take_bind(take, d->rig, &d->take, NULL, &err);
  mien_take_free(take);
  if (result >= 0) result = mien_face_create(d->rig, &d->settings.face, NULL, &d->face, &err);
  if (result >= 0) result = mien_state_create(d->face, NULL, &d->state, &err);
  return result < 0 ? cli_report(&err, "demo") : reserve(d);
}

// -- simulating -----------------------------------------------------------------------------------

static int simulate_frame(demo *d, int frame) {
  const mien_rig_info *rig = mien_rig_get_info(d->rig);
  const mien_face_info *face = mien_face_get_info(d->face);
  moment *m = d->moments + frame;
  double time = (double)frame / FPS;
  mien_input input;
  mien_step_opts opts = d->settings.step;
  mien_error err;
  mien_input_init(&input);
  mien_take_sample(d->take, mien_take_get_info(d->take)->start + time, d->weights, NULL, NULL);
  mien_take_sample(d->head, mien_take_get_info(d->head)->start + time - HEAD_STARTS, NULL,
                   &input.head, NULL);
  input.weights = (mien_f32s){d->weights, rig->nshape, 1};
  opts.dt = 1.0 / FPS;
  if (opts.substeps < SUBSTEPS) opts.substeps = SUBSTEPS;
  if (mien_rig_pose(d->rig, d->weights, rig->nshape, m->artist, &err) < 0 ||
      mien_step(d->state, &input, &opts, &err) < 0)
    return cli_report(&err, "demo");
  const mien_state_info *state = mien_state_get_info(d->state);
  memcpy(m->mien, state->positions.data, 3 * (size_t)rig->nvert * sizeof(float));
  memcpy(m->flesh, state->flesh.data, 3 * (size_t)face->nvert * sizeof(float));
  m->head = state->head;
  d->time[frame] = time;
  d->elastic[frame] = 1e3 * (state->energy_elastic + state->energy_attachment);
  d->offset[frame] = 1e3 * state->max_offset;
  d->largest = fmax(d->largest, state->max_offset);
  d->step_seconds += state->seconds;
  return CLI_DONE;
}

// -- drawing --------------------------------------------------------------------------------------

static int set_up_picture(demo *d) {
  mien_error err;
  const render_angle front = {.yaw = 22, .pitch = 4, .zoom = 1.3f};
  picture_def def = {.rig = d->rig,
                     .face = d->face,
                     .panels = {{PANEL_SKIN, "blendshapes only", front, true},
                                {PANEL_SKIN, "with mien", front, false},
                                {PANEL_HEAT, "what mien adds", front, false}},
                     .npanel = 3,
                     .width = d->quick ? 200 : 440,
                     .height = d->quick ? 200 : 440,
                     .with_head = true,
                     .field = "difference",
                     .field_min = 0,
                     .field_max = fmax(2, ceil(1e3 * d->largest))};
  return picture_create(&def, &d->picture, &err) < 0 ? cli_report(&err, "demo") : CLI_DONE;
}

static mien_result draw_plot(const demo *d, int width, plot *p, plot_series series[2],
                             render_image *out, mien_error *err) {
  series[0] = (plot_series){.name = "largest distance from the artist's skin (mm)",
                            .x = d->time,
                            .y = d->offset,
                            .count = d->nframe};
  series[1] = (plot_series){
      .name = "elastic energy (mJ)", .x = d->time, .y = d->elastic, .count = d->nframe};
  *p =
      (plot){.x_label = "s", .series = series, .nseries = 2, .width = width, .height = PLOT_HEIGHT};
  return plot_draw(p, out, err);
}

// panels above, the plot below with a line at this moment
static mien_result compose(const render_image *panels, const render_image *curves, const plot *p,
                           double time, render_image *out, mien_error *err) {
  mien_result result = MIEN_OK;
  if (!out->rgb)
    result =
        render_image_create(panels->width, panels->height + curves->height, 0xffffff, out, err);
  if (result < 0) return result;
  render_image_blit(out, panels, 0, 0, 1);
  render_image_blit(out, curves, 0, panels->height, 1);
  float top[2], bottom[2];
  plot_locate(p, time, 0, bottom);
  top[0] = bottom[0], top[1] = (float)panels->height + 12;
  float line[4] = {top[0], top[1], bottom[0], (float)(panels->height + PLOT_HEIGHT) - 40};
  render_image_line(out, line, 2, (render_pen){0xc02020, 2, 0.8f});
  return MIEN_OK;
}

// The still of the README and the report: where physics adds most.
static int still_frame(const demo *d) {
  int best = 0;
  for (int f = 0; f < d->nframe; f++)
    if (d->offset[f] > d->offset[best]) best = f;
  return best;
}

typedef struct film {
  render_video *video;
  render_image panels, curves, whole;
  plot plot;
  plot_series series[2];
} film;

static mien_result draw_frame(demo *d, film *out, int frame, int still, mien_error *err) {
  const mien_rig_info *rig = mien_rig_get_info(d->rig);
  const moment *m = d->moments + frame;
  picture_pose pose = {.positions = {m->mien, rig->nvert, 3},
                       .flesh = {m->flesh, mien_face_get_info(d->face)->nvert, 3},
                       .reference = {m->artist, rig->nvert, 3},
                       .head = m->head,
                       .title = "mien: physics for blendshape faces"};
  mien_result result = picture_draw(d->picture, &pose, &out->panels, err);
  if (result >= 0 && !out->curves.rgb)
    result = draw_plot(d, out->panels.width, &out->plot, out->series, &out->curves, err);
  if (result >= 0)
    result = compose(&out->panels, &out->curves, &out->plot, d->time[frame], &out->whole, err);
  if (result >= 0 && !out->video) {
    render_video_def def;
    render_video_def_init(&def);
    def.width = out->whole.width;
    def.height = out->whole.height;
    def.frame_rate = FPS;
    result = render_video_open(in_folder(d, "demo.mp4"), &def, &out->video, err);
  }
  if (result >= 0) result = render_video_add(out->video, &out->whole, err);
  if (result >= 0 && frame == still)
    result = render_image_save(&out->whole, in_folder(d, "demo.png"), err);
  return result;
}

static int make_video(demo *d) {
  film out = {0};
  mien_error err;
  mien_result result = MIEN_OK;
  int still = still_frame(d);
  cli_progress progress;
  cli_progress_start(&progress, "drawing");
  cli_catch_interrupt();
  for (int frame = 0; result >= 0 && frame < d->nframe && !cli_interrupted(); frame++) {
    result = draw_frame(d, &out, frame, still, &err);
    cli_progress_show(&progress, (frame + 1.0) / d->nframe);
  }
  render_image_free(&out.panels);
  render_image_free(&out.curves);
  render_image_free(&out.whole);
  if (result < 0 || cli_interrupted()) {
    render_video_abandon(out.video);
    return result < 0 ? cli_report(&err, "demo") : cli_fail("stopped");
  }
  return render_video_close(out.video, &err) < 0 ? cli_report(&err, "demo") : CLI_DONE;
}

// -- the section through the flesh ----------------------------------------------------------------

static int draw_section(demo *d) {
  mien_error err;
  picture *section = NULL;
  render_image image = {0};
  const moment *m = d->moments + still_frame(d);
  picture_def def = {
      .rig = d->rig,
      .face = d->face,
      .panels = {{PANEL_SKIN, "the skin", {.yaw = 30, .pitch = 4, .zoom = 1.25f}, false},
                 {PANEL_CUT, "the flesh under it", {.yaw = 58, .pitch = 4, .zoom = 1.25f}, false}},
      .npanel = 2,
      .width = d->quick ? 200 : 512,
      .height = d->quick ? 200 : 512};
  picture_pose pose = {.positions = {m->mien, mien_rig_get_info(d->rig)->nvert, 3},
                       .flesh = {m->flesh, mien_face_get_info(d->face)->nvert, 3},
                       .head = m->head};
  mien_result result = picture_create(&def, &section, &err);
  if (result >= 0) result = picture_draw(section, &pose, &image, &err);
  if (result >= 0) result = render_image_save(&image, in_folder(d, "flesh.png"), &err);
  render_image_free(&image);
  picture_free(section);
  return result < 0 ? cli_report(&err, "demo") : CLI_DONE;
}

// -- the page -------------------------------------------------------------------------------------

static int write_report(demo *d) {
  const mien_rig_info *rig = mien_rig_get_info(d->rig);
  const mien_face_info *face = mien_face_get_info(d->face);
  FILE *file = cli_create(in_folder(d, "report.html"));
  if (!file) return CLI_FAILED;
  fprintf(
      file,
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>mien demo</title>\n"
      "<style>body{font:16px/1.5 sans-serif;max-width:86em;margin:2em auto;padding:0 1em;"
      "color:#222}video,img{max-width:100%%}td{padding:.15em 1em .15em 0}</style>\n"
      "<h1>mien: the sample head</h1>\n"
      "<video controls loop muted autoplay poster=\"demo.png\" src=\"demo.mp4\"></video>\n"
      "<p>The head is still for %.0f s: there the skin is the artist's, to the last bit, but where "
      "the artist's pose itself goes through something (lids through eyes). Then it shakes; lips "
      "and lids never cross.</p>\n"
      "<h2>Lips</h2>\n<video controls loop muted poster=\"lips.png\" src=\"lips.mp4\"></video>\n"
      "<p>The same mouth closes, presses and opens. Blendshapes go through each other; with mien "
      "lips stop at each other, stick (up to %d springs) and peel. %.1f ms a frame.</p>\n"
      "<h2>Flesh</h2>\n"
      "<img src=\"flesh.png\" alt=\"the skin, and the flesh under it cut open\">\n"
      "<table>\n"
      "<tr><td>rig<td>%d vertices, %d shapes, %d parts\n"
      "<tr><td>flesh<td>%d vertices, %d tetrahedra, %d inverted at rest, %.0f g\n"
      "<tr><td>thickness<td>%.1f to %.1f mm, thinned automatically at %d vertices\n"
      "<tr><td>mouth<td>%s: %d slit vertices, lips %d and %d, mouth bag %d\n"
      "<tr><td>solver<td>%s, %d iterations, %.2f ms a frame on average\n"
      "<tr><td>performance<td>%d frames, skin up to %.2f mm from the artist's\n"
      "</table>\n"
      "<p>demo.glb holds the face with the artist's animation and opens in Blender.</p>\n</html>\n",
      HEAD_STARTS, d->lips.most_stuck, d->lips.ms, rig->nvert, rig->nshape, rig->npart, face->nvert,
      face->ntet, face->ninverted, 1e3 * face->mass, 1e3 * face->thickness_min,
      1e3 * face->thickness_max, face->nthinned, face->has_mouth ? "found" : "not found",
      face->nslit, face->nlip_upper, face->nlip_lower, face->nmouth_bag,
      physics_solver_name(mien_state_get_info(d->state)->solver), d->settings.step.iterations,
      1e3 * d->step_seconds / d->nframe, d->nframe, 1e3 * d->largest);
  return cli_commit(file, d->path);
}

static int write_glb(demo *d) {
  mien_error err;
  const char *path = in_folder(d, "demo.glb");
  return mien_rig_save(d->rig, d->face, d->take, path, &err) < 0 ? cli_report(&err, path)
                                                                 : CLI_DONE;
}

static void summarise(const demo *d) {
  const mien_face_info *face = mien_face_get_info(d->face);
  const char *solver = physics_solver_name(mien_state_get_info(d->state)->solver);
  double seconds = cli_clock() - d->started, ms = 1e3 * d->step_seconds / d->nframe;
  if (d->args->json) {
    cli_print_json(json_pack("{s:o, s:i, s:i, s:i, s:b, s:s, s:f, s:f, s:f}", "folder",
                             cli_json_path(d->folder), "frames", d->nframe, "tetrahedra",
                             face->ntet, "inverted", face->ninverted, "mouth_found",
                             face->has_mouth, "solver", solver, "ms_per_frame", ms,
                             "largest_offset", d->largest, "seconds", seconds));
    return;
  }
  printf("rig    %d skin vertices, %d shapes; mouth %s\n", face->nskin,
         mien_rig_get_info(d->rig)->nshape, face->has_mouth ? "found" : "not found");
  printf("flesh  %d vertices, %d tetrahedra, %d inverted, %.1f to %.1f mm thick\n", face->nvert,
         face->ntet, face->ninverted, 1e3 * face->thickness_min, 1e3 * face->thickness_max);
  printf("take   %d frames by %s, %.2f ms each; skin up to %.2f mm from the artist's\n", d->nframe,
         solver, ms, 1e3 * d->largest);
  printf("lips   %d frames of a close-up, %.2f ms each; up to %d springs stick\n", d->lips.nframe,
         d->lips.ms, d->lips.most_stuck);
  printf("wrote  %s/demo.mp4, demo.glb, demo.png, lips.mp4, lips.png, flesh.png, report.html in "
         "%.0f s\n",
         cli_shown(d->folder), seconds);
}

static int run(const cli_args *args) {
  demo d = {.args = args,
            .folder = cli_value(args, "out", "out"),
            .quick = cli_given(args, "quick"),
            .started = cli_clock()};
  // the reel's still head is exact in every frame: without contact, which parts what a pose crosses
  mien_contact contact = cli_given(args, "reel") ? MIEN_CONTACT_OFF : MIEN_CONTACT_PLANE;
  if (!physics_settings(args, contact, &d.settings)) return CLI_USAGE;
  if (!cli_make_folder(d.folder)) return CLI_FAILED;
  if (cli_given(args, "reel"))
    return demo_reel(&(demo_reel_def){args, d.folder, d.settings, d.quick});
  static const char *const files[] = {"demo.mp4", "demo.png", "flesh.png", "demo.glb",
                                      "report.html"};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++)
    if (cli_check_output(NULL, in_folder(&d, files[k]))) return CLI_FAILED;
  int code = load(&d);
  for (int frame = 0; !code && frame < d.nframe; frame++) code = simulate_frame(&d, frame);
  if (!code) code = set_up_picture(&d);
  if (!code) code = make_video(&d);
  if (!code) code = draw_section(&d);
  if (!code) {
    demo_lips_def lips = {args, d.folder, d.rig, d.face, d.settings.step, d.quick};
    code = demo_lips(&lips, &d.lips);
  }
  if (!code) code = write_glb(&d);
  if (!code) code = write_report(&d);
  if (!code) summarise(&d);
  picture_free(d.picture);
  for (int f = 0; d.moments && f < d.nframe; f++) free(d.moments[f].artist);
  free(d.moments);
  free(d.time);
  free(d.weights);
  mien_state_free(d.state);
  mien_face_free(d.face);
  mien_take_free(d.take);
  mien_take_free(d.head);
  mien_rig_free(d.rig);
  return code;
}

const cli_command cli_demo = {
    "demo",
    "",
    "the sample head speaks and shakes: a video, an animated .glb and a page about it",
    "Writes demo.mp4 (the artist's animation, mien's, and the difference), demo.png, flesh.png,\n"
    "demo.glb (the face with its animation) and report.html. With --reel: a head that runs with a\n"
    "neutral face and with a stiff smile, one that speaks and is the artist's to the last bit, "
    "one\n"
    "in the wind, one that muscles move.",
    options,
    0,
    run,
    PHYSICS_SETTINGS,
    NULL};
