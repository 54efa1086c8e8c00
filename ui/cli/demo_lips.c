#include "demo_lips.h"

#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Simulated at 72 frames a second and shown at 24: peeling takes a tenth of a second.
enum { FPS = 72, SHOWN = 24, STILLS = 6 };

typedef struct closeup {
  const demo_lips_def *def;
  demo_lips_result *result;
  mien_take *take;
  mien_state *state;
  picture *picture;
  float *weights, *artist;
  int nframe;
  render_video *video;
  render_image panels, sheet;
  char path[4096];
} closeup;

static const char *in_folder(closeup *c, const char *name) {
  snprintf(c->path, sizeof c->path, "%s/%s", c->def->folder, name);
  return c->path;
}

static int load(closeup *c) {
  const demo_lips_def *def = c->def;
  const mien_rig_info *rig = mien_rig_get_info(def->rig);
  mien_error err;
  mien_take *take = cli_load_take(def->args, cli_sample("press.csv"));
  if (!take) return CLI_FAILED;
  mien_result result = mien_take_bind(take, def->rig, &c->take, NULL, &err);
  mien_take_free(take);
  if (result >= 0) result = mien_state_create(def->face, NULL, &c->state, &err);
  if (result < 0) return cli_report(&err, "press.csv");
  const mien_take_info *info = mien_take_get_info(c->take);
  c->nframe = (int)floor((def->quick ? 0.2 : info->end - info->start) * FPS) + 1;
  c->weights = calloc((size_t)rig->nshape + 1, sizeof *c->weights);
  c->artist = malloc(3 * (size_t)rig->nvert * sizeof *c->artist);
  if (!c->weights || !c->artist) return cli_fail("out of memory");
  const render_angle close = {.yaw = 18, .pitch = 2, .zoom = 1.5f};
  picture_def looks = {.rig = def->rig,
                       .face = def->face,
                       .panels = {{PANEL_SKIN, "blendshapes only", close, true},
                                  {PANEL_SKIN, "with mien", close, false}},
                       .npanel = 2,
                       .width = def->quick ? 160 : 520,
                       .height = def->quick ? 160 : 520,
                       .subject = RIG_VIEW_MOUTH};
  return picture_create(&looks, &c->picture, &err) < 0 ? cli_report(&err, "demo") : CLI_DONE;
}

static mien_result step(closeup *c, int frame, mien_error *err) {
  const mien_rig_info *rig = mien_rig_get_info(c->def->rig);
  mien_step_opts opts = c->def->opts;
  mien_input input;
  mien_input_init(&input);
  double start = mien_take_get_info(c->take)->start;
  mien_take_sample(c->take, start + (double)frame / FPS, c->weights, NULL, NULL);
  input.weights = (mien_f32s){c->weights, rig->nshape, 1};
  opts.dt = 1.0 / FPS;
  if (opts.contact == MIEN_CONTACT_OFF) opts.contact = MIEN_CONTACT_PLANE;
  if (opts.sticky == 0) opts.sticky = 1;
  mien_result result = mien_rig_pose(c->def->rig, c->weights, rig->nshape, c->artist, err);
  if (result >= 0) result = mien_step(c->state, &input, &opts, err);
  const mien_state_info *info = mien_state_get_info(c->state);
  if (info->nstuck > c->result->most_stuck) c->result->most_stuck = info->nstuck;
  c->result->ms += 1e3 * info->seconds / c->nframe;
  return result;
}

// Six moments of the second half, where lips come apart, in two columns.
static mien_result add_still(closeup *c, int frame, mien_error *err) {
  int first = c->nframe / 2, every = (c->nframe - first) / STILLS, at = frame - first;
  if (c->def->quick || at < 0 || !every || at % every || at / every >= STILLS) return MIEN_OK;
  int w = c->panels.width, h = c->panels.height, k = at / every;
  mien_result result = MIEN_OK;
  if (!c->sheet.rgb) result = render_image_create(2 * w, h * STILLS / 2, 0xffffff, &c->sheet, err);
  if (result >= 0) render_image_blit(&c->sheet, &c->panels, k % 2 * w, k / 2 * h, 1);
  return result;
}

static mien_result draw(closeup *c, int frame, mien_error *err) {
  const mien_rig_info *rig = mien_rig_get_info(c->def->rig);
  const mien_state_info *info = mien_state_get_info(c->state);
  picture_pose pose = {.positions = info->positions,
                       .flesh = info->flesh,
                       .reference = {c->artist, rig->nvert, 3},
                       .head = {.rotation = {0, 0, 0, 1}},
                       .title = "lips touch, stick and peel, slowed 3 x"};
  mien_result result = picture_draw(c->picture, &pose, &c->panels, err);
  if (result >= 0 && !c->video) {
    render_video_def def;
    render_video_def_init(&def);
    def.width = c->panels.width;
    def.height = c->panels.height;
    def.frame_rate = SHOWN;
    result = render_video_open(in_folder(c, "lips.mp4"), &def, &c->video, err);
  }
  if (result >= 0) result = render_video_add(c->video, &c->panels, err);
  return result >= 0 ? add_still(c, frame, err) : result;
}

static int film(closeup *c) {
  mien_error err;
  mien_result result = MIEN_OK;
  cli_progress progress;
  cli_progress_start(&progress, "lips");
  cli_catch_interrupt();
  for (int frame = 0; result >= 0 && frame < c->nframe && !cli_interrupted(); frame++) {
    result = step(c, frame, &err);
    if (result >= 0) result = draw(c, frame, &err);
    cli_progress_show(&progress, (frame + 1.0) / c->nframe);
  }
  if (result < 0 || cli_interrupted()) {
    render_video_abandon(c->video);
    return result < 0 ? cli_report(&err, "demo") : cli_fail("stopped");
  }
  result = render_video_close(c->video, &err);
  if (result >= 0)
    result =
        render_image_save(c->sheet.rgb ? &c->sheet : &c->panels, in_folder(c, "lips.png"), &err);
  return result < 0 ? cli_report(&err, "lips") : CLI_DONE;
}

int demo_lips(const demo_lips_def *def, demo_lips_result *result) {
  closeup c = {.def = def, .result = result};
  *result = (demo_lips_result){0};
  int code = load(&c);
  if (!code) code = film(&c);
  result->nframe = c.nframe;
  render_image_free(&c.panels);
  render_image_free(&c.sheet);
  picture_free(c.picture);
  mien_state_free(c.state);
  mien_take_free(c.take);
  free(c.weights);
  free(c.artist);
  return code;
}
