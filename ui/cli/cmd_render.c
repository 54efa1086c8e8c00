// mien render: a rig, a take on a rig or a cache as a picture, a contact sheet or a video.
#include "cli.h"
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const cli_option options[] = {
    {"out", 'o', "FILE", "a .png or .mp4 (out.png)"},
    {"rig", 0, "RIG", "the rig of a .pc2 cache"},
    {"panels", 'p', "LIST", "side by side: any of skin,clay,wire,cut,heat,muscles (skin)"},
    {"sheet", 0, NULL, "contact sheet: every shape, or moments of the take"},
    {"weights", 'w', "LIST", "a pose: jawOpen=0.8,mouthSmileLeft=1"},
    {"anim", 'a', "TAKE", "play a take: .csv or animated .glb"},
    {"head", 0, "HEAD.csv", "head motion"},
    {"fps", 'f', "RATE", "frames per second of a video (24)"},
    {"seconds", 0, "S", "stop a video after S seconds"},
    {"view", 0, "WHAT", "head, face or mouth (head; in a sheet of shapes: face)"},
    {"yaw", 0, "DEG", "turn around: 0 from the front, 90 from the subject's left (20)"},
    {"pitch", 0, "DEG", "look down (5)"},
    {"zoom", 0, "Z", "closer (1)"},
    {"size", 's', "PIXELS", "width and height of a panel (720)"},
    {"field", 0, "NAME", "for heat: displacement, thickness, attachment, jaw or a map's name"},
    {"range", 0, "MIN:MAX", "of the field"},
    {"map", 0, "NAMES.json", "what the take's channels are called on the rig"},
    CLI_RIG_OPTIONS,
    {NULL, 0, NULL, NULL},
};

typedef struct job {
  const cli_args *args;
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_take *take, *head;
  mien_cache *cache;
  float *weights, *points;
  picture *picture;
  double fps, seconds;
  int nframe;
} job;

static bool ends_with(const char *path, const char *end) {
  size_t length = strlen(path), n = strlen(end);
  return length > n && !strcasecmp(path + length - n, end);
}

// -- what to draw ---------------------------------------------------------------------------------

static int load_cache(job *j, const char *path) {
  mien_error err;
  if (mien_cache_load(path, NULL, &j->cache, &err) < 0) return cli_report(&err, path);
  const mien_rig_info *rig = mien_rig_get_info(j->rig);
  int npoint = mien_cache_get_info(j->cache)->npoint;
  if (npoint != rig->nrender && npoint != rig->nvert)
    return cli_fail("'%s' has %d points; the rig has %d render vertices and %d welded ones: give "
                    "its rig with --rig",
                    path, npoint, rig->nrender, rig->nvert);
  return CLI_DONE;
}

static int load_take(job *j, const char *option, mien_take **out) {
  mien_take *take = cli_load_take(j->args, cli_value(j->args, option, NULL));
  *out = take ? cli_bind_take(j->args, take, j->rig) : NULL;
  return *out ? CLI_DONE : CLI_FAILED;
}

static int load(job *j) {
  const cli_args *args = j->args;
  const char *first = args->nargument ? args->argument[0] : NULL;
  bool is_cache = first && ends_with(first, ".pc2");
  mien_error err;
  j->rig = cli_load_rig(args, is_cache ? cli_value(args, "rig", NULL) : first);
  if (!j->rig) return CLI_FAILED;
  mien_face_def def;
  mien_face_def_init(&def);
  def.muscles = strstr(cli_value(args, "panels", ""), "muscles") != NULL;
  if (mien_face_create(j->rig, &def, NULL, &j->face, &err) < 0 ||
      mien_state_create(j->face, NULL, &j->state, &err) < 0)
    return cli_report(&err, "render");
  const mien_rig_info *rig = mien_rig_get_info(j->rig);
  j->weights = calloc((size_t)rig->nshape + 1, sizeof *j->weights);
  j->points = calloc(3 * (size_t)rig->nvert, sizeof *j->points);
  if (!j->weights || !j->points) return cli_fail("out of memory");
  int code = is_cache ? load_cache(j, first) : CLI_DONE;
  if (!code && cli_given(args, "anim")) code = load_take(j, "anim", &j->take);
  if (!code && cli_given(args, "head")) code = load_take(j, "head", &j->head);
  return code;
}

// "jawOpen=0.8,mouthSmileLeft=1"; a name alone means 1
static int read_weights(job *j) {
  const char *at = cli_value(j->args, "weights", "");
  while (*at) {
    char name[128], *end;
    size_t length = strcspn(at, "=,");
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    int shape = mien_rig_find_shape(j->rig, name);
    if (shape < 0) return cli_fail("the rig has no shape '%s'", name);
    at += length;
    double weight = *at == '=' ? strtod(at + 1, &end) : 1;
    if (*at == '=' && (end == at + 1 || !isfinite(weight)))
      return cli_usage("'%s' needs a number after '='", name);
    if (*at == '=') at = end;
    j->weights[shape] = (float)weight;
    if (*at == ',')
      at++;
    else if (*at)
      return cli_usage("'--weights' is a list like jawOpen=0.8,mouthSmileLeft=1");
  }
  return CLI_DONE;
}

// The pose of a frame: from the cache, the take, or the weights as they stand.
static void pose_frame(job *j, int frame, picture_pose *pose) {
  const mien_rig_info *rig = mien_rig_get_info(j->rig);
  mien_input input;
  mien_input_init(&input);
  double time = frame / j->fps;
  if (j->take)
    mien_take_sample(j->take, mien_take_get_info(j->take)->start + time, j->weights, &input.head,
                     NULL);
  if (j->head)
    mien_take_sample(j->head, mien_take_get_info(j->head)->start + time, NULL, &input.head, NULL);
  input.weights = (mien_f32s){j->weights, rig->nshape, 1};
  if (j->cache) {
    const mien_cache_info *cache = mien_cache_get_info(j->cache);
    const float *points = cache->points + 3 * (size_t)cache->npoint * (size_t)frame;
    for (int i = 0; i < cache->npoint; i++)
      memcpy(j->points + 3 * (cache->npoint == rig->nvert ? i : rig->render_map.data[i]),
             points + 3 * (size_t)i, 3 * sizeof *points);
    input.pose = (mien_f32s){j->points, rig->nvert, 3};
  }
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.solver = MIEN_SOLVER_KINEMATIC; // physics is baked, not rendered
  mien_step(j->state, &input, &opts, NULL);
  const mien_state_info *state = mien_state_get_info(j->state);
  *pose = (picture_pose){.positions = state->positions, .flesh = state->flesh, .head = state->head};
}

// -- how to draw it -------------------------------------------------------------------------------

static int read_panels(job *j, picture_def *def) {
  const char *at = cli_value(j->args, "panels", "skin");
  double yaw, pitch, zoom;
  if (!cli_number(j->args, "yaw", -360, 360, 20, &yaw) ||
      !cli_number(j->args, "pitch", -89, 89, 5, &pitch) ||
      !cli_number(j->args, "zoom", 0.1, 50, 1, &zoom))
    return CLI_USAGE;
  while (*at) {
    char word[32];
    size_t length = strcspn(at, ",");
    picture_panel *to = def->panels + def->npanel;
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    if (def->npanel == PICTURE_PANELS) return cli_usage("at most %d panels", PICTURE_PANELS);
    if (!picture_panel_kind(word, &to->kind))
      return cli_usage("'%s' is no panel; there are skin, clay, wire, cut, heat and muscles", word);
    to->angle = (render_angle){.yaw = (float)yaw, .pitch = (float)pitch, .zoom = (float)zoom};
    // a section is seen best from the side that was taken away
    if (to->kind == PANEL_CUT && !cli_given(j->args, "yaw")) to->angle.yaw = 55;
    def->npanel++;
    at += length + (at[length] == ',');
  }
  return def->npanel ? CLI_DONE : cli_usage("'--panels' names no panel");
}

static int read_look(job *j, picture_def *def) {
  bool shows_shapes = cli_given(j->args, "sheet") && !j->take && !j->cache;
  const char *view = cli_value(j->args, "view", shows_shapes ? "face" : "head");
  const char *range = cli_value(j->args, "range", NULL);
  double size;
  if (!cli_number(j->args, "size", 16, 4096, 720, &size)) return CLI_USAGE;
  def->width = def->height = (int)size;
  if (!strcmp(view, "head"))
    def->subject = RIG_VIEW_HEAD;
  else if (!strcmp(view, "face"))
    def->subject = RIG_VIEW_FACE;
  else if (!strcmp(view, "mouth"))
    def->subject = RIG_VIEW_MOUTH;
  else
    return cli_usage("'%s' is no view; there are head, face and mouth", view);
  def->field = cli_value(j->args, "field", "displacement");
  if (range && sscanf(range, "%lf:%lf", &def->field_min, &def->field_max) != 2)
    return cli_usage("'--range' looks like 0:5, not '%s'", range);
  return CLI_DONE;
}

static int set_up(job *j) {
  picture_def def = {.rig = j->rig, .face = j->face, .with_head = true};
  mien_error err;
  int code = read_panels(j, &def);
  if (!code) code = read_look(j, &def);
  if (code) return code;
  return picture_create(&def, &j->picture, &err) < 0 ? cli_report(&err, "render") : CLI_DONE;
}

// -- stills, sheets, videos -----------------------------------------------------------------------

static int draw_still(job *j, const char *out) {
  picture_pose pose;
  render_image image = {0};
  mien_error err;
  pose_frame(j, 0, &pose);
  mien_result result = picture_draw(j->picture, &pose, &image, &err);
  if (result >= 0) result = render_image_save(&image, out, &err);
  render_image_free(&image);
  return result < 0 ? cli_report(&err, out) : CLI_DONE;
}

// One shape alone. mouthClose answers an open jaw and means nothing without it.
static void pose_shape(job *j, int shape, float weight, char label[64]) {
  const char *name = mien_rig_get_info(j->rig)->shapes[shape].name;
  int jaw = strcmp(name, "mouthClose") ? -1 : mien_rig_find_shape(j->rig, "jawOpen");
  j->weights[shape] = weight;
  if (jaw >= 0) j->weights[jaw] = weight;
  snprintf(label, 64, jaw >= 0 ? "%s + jawOpen" : "%s", name);
}

// every shape at weight 1, or evenly spaced moments of a take or cache
static int draw_sheet(job *j, const char *out) {
  const mien_rig_info *rig = mien_rig_get_info(j->rig);
  bool moves = j->take || j->cache;
  int ncell = moves ? (j->nframe < 24 ? j->nframe : 24) : rig->nshape + 1;
  render_image *images = calloc((size_t)ncell, sizeof *images);
  render_cell *cells = calloc((size_t)ncell, sizeof *cells);
  char(*labels)[64] = calloc((size_t)ncell, sizeof *labels);
  mien_error err = {0};
  mien_result result = images && cells && labels ? MIEN_OK : MIEN_ERR_MEMORY;
  cli_progress progress;
  cli_progress_start(&progress, "drawing");
  for (int i = 0; result >= 0 && i < ncell; i++) {
    picture_pose pose;
    int frame = moves && ncell > 1 ? (int)((double)i * (j->nframe - 1) / (ncell - 1)) : 0;
    snprintf(labels[i], sizeof *labels, moves ? "%.2f s" : "neutral", frame / j->fps);
    if (!moves && i) pose_shape(j, i - 1, 1, labels[i]);
    pose_frame(j, frame, &pose);
    if (!moves && i) pose_shape(j, i - 1, 0, labels[i]);
    result = picture_draw(j->picture, &pose, images + i, &err);
    cells[i] = (render_cell){images + i, labels[i]};
    cli_progress_show(&progress, (i + 1.0) / ncell);
  }
  render_image sheet_image = {0};
  render_sheet sheet = {.title = rig->name,
                        .cells = cells,
                        .ncell = ncell,
                        .ncolumn = (int)ceil(sqrt(ncell * 1.6)),
                        .gap = -1};
  if (result >= 0) result = render_sheet_draw(&sheet, &sheet_image, &err);
  if (result >= 0) result = render_image_save(&sheet_image, out, &err);
  render_image_free(&sheet_image);
  for (int i = 0; images && i < ncell; i++) render_image_free(images + i);
  free(images);
  free(cells);
  free(labels);
  return result < 0 ? cli_report(&err, out) : CLI_DONE;
}

static int draw_video(job *j, const char *out) {
  render_image image = {0};
  render_video *video = NULL;
  mien_error err;
  mien_result result = MIEN_OK;
  cli_progress progress;
  cli_progress_start(&progress, "drawing");
  cli_catch_interrupt();
  for (int frame = 0; result >= 0 && frame < j->nframe && !cli_interrupted(); frame++) {
    picture_pose pose;
    pose_frame(j, frame, &pose);
    result = picture_draw(j->picture, &pose, &image, &err);
    if (result >= 0 && !video) {
      render_video_def def;
      render_video_def_init(&def);
      def.width = image.width;
      def.height = image.height;
      def.frame_rate = j->fps;
      result = render_video_open(out, &def, &video, &err);
    }
    if (result >= 0) result = render_video_add(video, &image, &err);
    cli_progress_show(&progress, (frame + 1.0) / j->nframe);
  }
  render_image_free(&image);
  if (result < 0 || cli_interrupted()) {
    render_video_abandon(video);
    return result < 0 ? cli_report(&err, out) : cli_fail("stopped; nothing was written");
  }
  return render_video_close(video, &err) < 0 ? cli_report(&err, out) : CLI_DONE;
}

static int draw(job *j) {
  const char *out = cli_value(j->args, "out", "out.png");
  bool is_video = ends_with(out, ".mp4"), sheet = cli_given(j->args, "sheet");
  if (!is_video && !ends_with(out, ".png"))
    return cli_usage("'%s' ends neither in .png nor in .mp4", out);
  if (is_video && !j->take && !j->cache && !j->head)
    return cli_usage("a video needs --anim, --head or a .pc2 cache");
  double length = 1e9;
  if (j->take)
    length = mien_take_get_info(j->take)->end - mien_take_get_info(j->take)->start;
  else if (j->head)
    length = mien_take_get_info(j->head)->end - mien_take_get_info(j->head)->start;
  j->nframe = (int)floor(fmin(fmin(length, j->seconds), 3600) * j->fps + 1e-6) + 1;
  if (j->cache && j->nframe > mien_cache_get_info(j->cache)->nframe)
    j->nframe = mien_cache_get_info(j->cache)->nframe;
  if (j->nframe < 1) return cli_fail("there are no frames to draw");
  int code = is_video ? draw_video(j, out) : sheet ? draw_sheet(j, out) : draw_still(j, out);
  if (!code && j->args->json)
    cli_print_json(
        json_pack("{s:o, s:i}", "file", cli_json_path(out), "frames", is_video ? j->nframe : 1));
  else if (!code)
    printf("wrote %s\n", cli_shown(out));
  return code;
}

static int run(const cli_args *args) {
  job j = {.args = args};
  if (!cli_number(args, "fps", 1, 1000, 24, &j.fps) ||
      !cli_number(args, "seconds", 0, 3600, 3600, &j.seconds))
    return CLI_USAGE;
  int code = cli_check_output(args, cli_value(args, "out", "out.png"));
  if (!code) code = load(&j);
  if (!code) code = read_weights(&j);
  if (!code) code = set_up(&j);
  if (!code) code = draw(&j);
  picture_free(j.picture);
  mien_cache_free(j.cache);
  mien_state_free(j.state);
  mien_face_free(j.face);
  mien_take_free(j.take);
  mien_take_free(j.head);
  mien_rig_free(j.rig);
  free(j.weights);
  free(j.points);
  return code;
}

const cli_command cli_render = {
    "render",
    "[RIG|CACHE.pc2]",
    "draw a rig, a take or a cache: picture, contact sheet or video",
    "Examples:\n"
    "  mien render -o face.png --weights jawOpen=0.5,mouthSmileLeft=1\n"
    "  mien render head.glb --sheet -s 240 -o shapes.png\n"
    "  mien render head.glb --anim phrase.csv --panels skin,cut -o talk.mp4\n"
    "  mien render take.pc2 --rig head.glb --panels heat --field displacement -o heat.mp4",
    options,
    1,
    run,
    0,
    NULL};
