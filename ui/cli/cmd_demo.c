// mien demo: the sample head speaks, its flesh shows; a video, an animated .glb and a page.
#include "cli.h"
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"out", 'o', "FOLDER", "where everything goes (out)"},
    {"quick", 'q', NULL, "one second, small: to see that it works"},
    {NULL, 0, NULL, NULL},
};

enum { FPS = 24 };

typedef struct demo {
  const cli_args *args;
  const char *folder;
  char path[4096];
  bool quick;
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_take *take;
  picture *picture;
  float *weights;
  int nframe, inverted;
  double largest, started;
} demo;

static const char *in_folder(demo *d, const char *name) {
  snprintf(d->path, sizeof d->path, "%s/%s", d->folder, name);
  return d->path;
}

static int load(demo *d) {
  mien_error err;
  mien_take *take = NULL;
  d->rig = cli_load_rig(d->args, NULL);
  if (d->rig) take = cli_load_take(d->args, NULL);
  if (!take) return CLI_FAILED;
  mien_result result = mien_take_bind(take, d->rig, &d->take, NULL, &err);
  mien_take_free(take);
  if (result >= 0) result = mien_face_create(d->rig, NULL, NULL, &d->face, &err);
  if (result >= 0) result = mien_state_create(d->face, NULL, &d->state, &err);
  if (result < 0) return cli_report(&err, "demo");
  d->weights = calloc((size_t)mien_rig_get_info(d->rig)->nshape, sizeof *d->weights);
  if (!d->weights) return cli_fail("out of memory");
  const mien_take_info *info = mien_take_get_info(d->take);
  double length = d->quick ? 1 : info->end - info->start;
  d->nframe = (int)floor(length * FPS) + 1;
  return CLI_DONE;
}

static int set_up_picture(demo *d) {
  mien_error err;
  picture_def def = {
      .rig = d->rig,
      .face = d->face,
      .panels = {{PANEL_SKIN, "the rig, performing", {.yaw = 18, .pitch = 4, .zoom = 1.25f}},
                 {PANEL_CUT, "its flesh, cut open", {.yaw = 58, .pitch = 4, .zoom = 1.25f}}},
      .npanel = 2,
      .width = d->quick ? 240 : 512,
      .height = d->quick ? 240 : 512,
      .with_head = true};
  return picture_create(&def, &d->picture, &err) < 0 ? cli_report(&err, "demo") : CLI_DONE;
}

static mien_result step_to(demo *d, int frame, picture_pose *pose, mien_error *err) {
  const mien_take_info *take = mien_take_get_info(d->take);
  mien_input input;
  mien_step_opts opts;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.dt = 1.0 / FPS;
  mien_take_sample(d->take, take->start + (double)frame / FPS, d->weights, &input.head, NULL);
  input.weights = (mien_f32s){d->weights, take->nchannel, 1};
  mien_result result = mien_step(d->state, &input, &opts, err);
  const mien_state_info *state = mien_state_get_info(d->state);
  d->inverted += state->ninverted > 0;
  d->largest = fmax(d->largest, state->max_displacement);
  *pose = (picture_pose){state->positions, state->flesh, state->head,
                         "mien: a blendshape rig goes in, a physical face comes out"};
  return result;
}

// The still of the README and the report: the widest open mouth of the take.
static int still_frame(const demo *d) {
  const mien_take_info *take = mien_take_get_info(d->take);
  int jaw = mien_rig_find_shape(d->rig, "jawOpen"), best = 0;
  for (int f = 0; f < take->nframe; f++) {
    bool wider = jaw >= 0 && take->weights[f * take->nchannel + jaw] >
                                 take->weights[best * take->nchannel + jaw];
    if (wider) best = f;
  }
  int frame = (int)((take->times[best] - take->start) * FPS);
  return frame < d->nframe ? frame : d->nframe - 1;
}

static int make_video(demo *d) {
  render_image image = {0};
  render_video *video = NULL;
  mien_error err;
  mien_result result = MIEN_OK;
  int still = still_frame(d);
  cli_progress progress;
  cli_progress_start(&progress, "drawing");
  cli_catch_interrupt();
  for (int frame = 0; result >= 0 && frame < d->nframe && !cli_interrupted(); frame++) {
    picture_pose pose;
    result = step_to(d, frame, &pose, &err);
    if (result >= 0) result = picture_draw(d->picture, &pose, &image, &err);
    if (result >= 0 && !video) {
      render_video_def def;
      render_video_def_init(&def);
      def.width = image.width;
      def.height = image.height;
      def.frame_rate = FPS;
      result = render_video_open(in_folder(d, "demo.mp4"), &def, &video, &err);
    }
    if (result >= 0) result = render_video_add(video, &image, &err);
    if (result >= 0 && frame == still)
      result = render_image_save(&image, in_folder(d, "demo.png"), &err);
    cli_progress_show(&progress, (frame + 1.0) / d->nframe);
  }
  render_image_free(&image);
  if (result < 0 || cli_interrupted()) {
    render_video_abandon(video);
    return result < 0 ? cli_report(&err, "demo") : cli_fail("stopped");
  }
  return render_video_close(video, &err) < 0 ? cli_report(&err, "demo") : CLI_DONE;
}

static int write_report(demo *d) {
  const mien_rig_info *rig = mien_rig_get_info(d->rig);
  const mien_face_info *face = mien_face_get_info(d->face);
  FILE *file = fopen(in_folder(d, "report.html"), "w");
  if (!file) return cli_fail("'%s' could not be written", d->path);
  fprintf(
      file,
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>mien demo</title>\n"
      "<style>body{font:16px/1.5 sans-serif;max-width:82em;margin:2em auto;padding:0 1em;"
      "color:#222}video,img{max-width:100%%}td{padding:.15em 1em .15em 0}</style>\n"
      "<h1>mien: the sample head</h1>\n"
      "<video controls loop muted autoplay poster=\"demo.png\" src=\"demo.mp4\"></video>\n"
      "<table>\n"
      "<tr><td>rig<td>%d vertices, %d shapes, %d parts\n"
      "<tr><td>skin<td>%d vertices\n"
      "<tr><td>flesh<td>%d vertices, %d tetrahedra, %d inverted at rest\n"
      "<tr><td>thickness<td>%.1f to %.1f mm, thinned automatically at %d vertices\n"
      "<tr><td>mouth<td>%s: %d slit vertices, lips %d and %d, mouth bag %d\n"
      "<tr><td>mass<td>%.0f g\n"
      "<tr><td>built in<td>%.0f ms\n"
      "<tr><td>performance<td>%d frames, skin moves up to %.1f mm\n"
      "</table>\n"
      "<p>Physics is off in this version: the flesh is carried along by the skin above it and\n"
      "the bone below it. demo.glb holds the face with its animation and opens in Blender.</p>\n"
      "</html>\n",
      rig->nvert, rig->nshape, rig->npart, face->nskin, face->nvert, face->ntet, face->ninverted,
      1e3 * face->thickness_min, 1e3 * face->thickness_max, face->nthinned,
      face->has_mouth ? "found" : "not found", face->nslit, face->nlip_upper, face->nlip_lower,
      face->nmouth_bag, 1e3 * face->mass,
      1e3 * (face->seconds_regions + face->seconds_hypodermis + face->seconds_tets), d->nframe,
      1e3 * d->largest);
  return fclose(file) ? cli_fail("'%s' could not be written", d->path) : CLI_DONE;
}

static int write_glb(demo *d) {
  mien_error err;
  const char *path = in_folder(d, "demo.glb");
  return mien_rig_save(d->rig, d->face, d->take, path, &err) < 0 ? cli_report(&err, path)
                                                                 : CLI_DONE;
}

static void summarise(const demo *d) {
  const mien_face_info *face = mien_face_get_info(d->face);
  double seconds = cli_clock() - d->started;
  if (d->args->json) {
    cli_print_json(json_pack("{s:s, s:i, s:i, s:i, s:b, s:f}", "folder", d->folder, "frames",
                             d->nframe, "tetrahedra", face->ntet, "inverted", face->ninverted,
                             "mouth_found", face->has_mouth, "seconds", seconds));
    return;
  }
  printf("rig    %d skin vertices, %d shapes; mouth %s\n", face->nskin,
         mien_rig_get_info(d->rig)->nshape, face->has_mouth ? "found" : "not found");
  printf("flesh  %d vertices, %d tetrahedra, %d inverted, %.1f to %.1f mm thick\n", face->nvert,
         face->ntet, face->ninverted, 1e3 * face->thickness_min, 1e3 * face->thickness_max);
  printf("take   %d frames, skin moves up to %.1f mm\n", d->nframe, 1e3 * d->largest);
  printf("wrote  %s/demo.mp4, demo.glb, demo.png, report.html in %.0f s\n", d->folder, seconds);
}

static int run(const cli_args *args) {
  demo d = {.args = args,
            .folder = cli_value(args, "out", "out"),
            .quick = cli_given(args, "quick"),
            .started = cli_clock()};
  int code = cli_make_folder(d.folder) ? load(&d) : CLI_FAILED;
  if (!code) code = set_up_picture(&d);
  if (!code) code = make_video(&d);
  if (!code) code = write_glb(&d);
  if (!code) code = write_report(&d);
  if (!code) summarise(&d);
  picture_free(d.picture);
  mien_state_free(d.state);
  mien_face_free(d.face);
  mien_take_free(d.take);
  mien_rig_free(d.rig);
  free(d.weights);
  return code;
}

const cli_command cli_demo = {
    "demo",
    "",
    "the sample head speaks: a video, an animated .glb and a page about it",
    "Writes demo.mp4, demo.png, demo.glb (the face with its animation) and report.html.",
    options,
    0,
    run,
};
