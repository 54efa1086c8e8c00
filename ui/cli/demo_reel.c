// Four parts, each three faces side by side: how they look above, how far they are off the artist's
// pose below.
#include "demo_reel.h"

#include "painted_rig.h"
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FPS = 24, NPART = 4, NFACE = 3, NLINE = 4, GAP = 10, HEADING = 54, CAPTION = 26, QUICK = 6 };
static const char *const SMILE[2] = {"mouthSmileLeft", "mouthSmileRight"};
static const uint32_t PAPER = 0xf4f2ee, INK = 0x222222;

// One face of a part, by its step options; the artist's own has no physics.
typedef struct look {
  const char *caption;
  bool is_artist, smiles, is_painted;
  bool is_loose; // a change of the pose sets it in motion
  bool keeps;    // its energy
  double fat;    // of faces that muscles move; 0 = as it is
  double blown;  // m / s, a wind of its own
} look;

typedef struct part {
  const char *heading;
  const char *weights, *head; // takes, or NULL
  double from, seconds, wind; // s, s, m / s
  bool is_muscles;            // they move the faces, with contact
  look looks[NFACE];
  const char *note[NLINE]; // where the artist's own face has nothing to be compared with
} part;

static const part PARTS[NPART] = {
    {.heading = "The same run: a smile whose muscles are painted stiff swings less",
     .head = "run.csv",
     .from = 1,
     .seconds = 3,
     .looks = {{.caption = "neutral"},
               {.caption = "smile, nothing painted", .smiles = true},
               {.caption = "smile, painted 8 times as stiff", .smiles = true, .is_painted = true}}},
    {.heading = "Speech with a still head: physics changes nothing",
     .weights = "phrase.csv",
     .seconds = 4,
     .looks = {{.caption = "the artist's animation", .is_artist = true},
               {.caption = "with mien"},
               {.caption = "a simulation that is not rebalanced", .is_loose = true}},
     .note = {"While the head is still the result", "is the artist's animation, to the last",
              "bit of every vertex in every frame."}},
    {.heading = "Wind of 9 m/s with gusts",
     .seconds = 3,
     .wind = 9,
     .looks = {{.caption = "the artist's pose", .is_artist = true},
               {.caption = "backward Euler"},
               {.caption = "with energy projection", .keeps = true}},
     .note = {"Backward Euler damps what the wind", "stirs up; with its energy kept the",
              "flesh ripples."}},
    {.heading = "Muscles blend two expressions, lips in contact",
     .seconds = 4,
     .is_muscles = true,
     .looks = {{.caption = "a smile, then pursed lips"},
               {.caption = "fat 1.2: passive tissue grows", .fat = 1.2},
               {.caption = "in a wind of 14 m/s", .blown = 14}}},
};

// Muscles that contract at the beginning and at the end of that part.
static const struct {
  const char *muscle; // both sides
  double from, to;
} CONTRACTIONS[] = {{"zygomaticus_major", 0.4, 0},
                    {"zygomaticus_minor", 0.25, 0},
                    {"risorius", 0.3, 0},
                    {"orbicularis_oculi_lower", 0.25, 0},
                    {"orbicularis_oris_upper", 0, 0.4},
                    {"orbicularis_oris_lower", 0, 0.4},
                    {"mentalis", 0, 0.35},
                    {"corrugator_supercilii", 0, 0.35},
                    {"depressor_anguli_oris", 0, 0.2}};

typedef struct reel {
  const demo_reel_def *def;
  mien_rig *rig, *painted;
  mien_face *face, *painted_face;
  picture *skin, *heat;
  mien_state *state[NFACE];
  mien_take *weights_take, *head_take;
  float *weights, *contractions, *artist[NFACE];
  double off[NFACE], most[NFACE]; // mm off the artist's pose: now, so far in this part
  double still;                   // mm, of the last face where the part's still was taken
  int size;                       // pixels of a panel
  render_video *video;
  render_image panel, frame, stills;
  char path[4096];
} reel;

static const char *in_folder(reel *r, const char *name) {
  snprintf(r->path, sizeof r->path, "%s/%s", r->def->folder, name);
  return r->path;
}

// -- setting up -----------------------------------------------------------------------------------

static mien_result make_pictures(reel *r, mien_error *err) {
  const render_angle angle = {.yaw = 24, .pitch = 3, .zoom = 1.25f};
  picture_def def = {.rig = r->rig,
                     .face = r->face,
                     .panels = {{PANEL_SKIN, NULL, angle, false}},
                     .npanel = 1,
                     .width = r->size,
                     .height = r->size,
                     .with_head = true};
  mien_result result = picture_create(&def, &r->skin, err);
  def.panels[0].kind = PANEL_HEAT;
  def.field = "difference";
  def.field_max = 3;
  return result < 0 ? result : picture_create(&def, &r->heat, err);
}

static int open(reel *r) {
  const painted_map maps[] = {{"stiffness", SMILE[0], 8},
                              {"stiffness", SMILE[1], 8},
                              {"volume_stiffness", SMILE[0], 8},
                              {"volume_stiffness", SMILE[1], 8}};
  const mien_settings *settings = &r->def->settings;
  mien_error err;
  r->size = r->def->quick ? 120 : 400;
  r->rig = cli_load_rig(r->def->args, cli_sample(r->def->quick ? "head_small.glb" : "head.glb"));
  if (r->rig) r->painted = painted_rig_create(r->rig, maps, 4);
  if (!r->painted) return CLI_FAILED;
  const mien_rig_info *info = mien_rig_get_info(r->rig);
  mien_face_def with_muscles = settings->face;
  with_muscles.muscles = 1;
  r->weights = calloc((size_t)info->nshape, sizeof *r->weights);
  for (int k = 0; k < NFACE; k++)
    r->artist[k] = malloc(3 * (size_t)info->nvert * sizeof *r->artist[k]);
  if (!r->weights || !r->artist[0] || !r->artist[1] || !r->artist[2])
    return cli_fail("out of memory");
  mien_result result = mien_face_create(r->rig, &with_muscles, NULL, &r->face, &err);
  if (result >= 0)
    result = mien_face_create(r->painted, &settings->face, NULL, &r->painted_face, &err);
  if (result >= 0) result = make_pictures(r, &err);
  if (result < 0) return cli_report(&err, "the reel");
  r->contractions = calloc((size_t)mien_face_get_info(r->face)->nmuscle, sizeof(float));
  return r->contractions ? CLI_DONE : cli_fail("out of memory");
}

static void close_part(reel *r) {
  for (int k = 0; k < NFACE; k++) {
    mien_state_free(r->state[k]);
    r->state[k] = NULL;
  }
  mien_take_free(r->weights_take);
  mien_take_free(r->head_take);
  r->weights_take = r->head_take = NULL;
}

static int open_part(reel *r, const part *p) {
  mien_error err;
  mien_result result = MIEN_OK;
  for (int k = 0; result >= 0 && k < NFACE; k++) {
    const mien_face *face = p->looks[k].is_painted ? r->painted_face : r->face;
    if (!p->looks[k].is_artist) result = mien_state_create(face, NULL, &r->state[k], &err);
    r->off[k] = r->most[k] = 0;
  }
  r->still = -1;
  if (result < 0) return cli_report(&err, "the reel");
  if (p->head) r->head_take = cli_load_take(r->def->args, cli_sample(p->head));
  if (p->head && !r->head_take) return CLI_FAILED;
  if (!p->weights) return CLI_DONE;
  mien_take *take = cli_load_take(r->def->args, cli_sample(p->weights));
  if (!take) return CLI_FAILED;
  result = mien_take_bind(take, r->rig, &r->weights_take, NULL, &err);
  mien_take_free(take);
  return result < 0 ? cli_report(&err, p->weights) : CLI_DONE;
}

// -- one frame ------------------------------------------------------------------------------------

static mien_step_opts opts_of(const reel *r, const part *p, const look *l) {
  mien_step_opts opts = r->def->settings.step;
  opts.dt = 1.0 / FPS;
  opts.rebalance = l->is_loose ? 0 : 1;
  opts.wind[0] += 0.5 * p->wind;
  opts.wind[2] -= 0.87 * p->wind;
  opts.gust = p->wind > 0 ? 0.6 : opts.gust;
  opts.energy_projection = l->keeps;
  opts.wind[0] += l->blown;
  if (l->fat > 0) opts.fat = l->fat;
  if (p->is_muscles) {
    opts.drive = MIEN_DRIVE_MUSCLE;
    opts.contact = MIEN_CONTACT_PLANE;
    opts.damping += 5;
  }
  if (l->keeps) opts.damping += 2, opts.drag += 0.5; // or the wind would put energy in without end
  return opts;
}

// At rest, into the first expression, into the second.
static void contract(reel *r, double share) {
  const mien_face_info *face = mien_face_get_info(r->face);
  double in = fmin(1, 4 * share), over = fmin(1, fmax(0, 2 * share - 0.8));
  for (int m = 0; m < face->nmuscle; m++) {
    r->contractions[m] = 0;
    for (size_t k = 0; k < sizeof CONTRACTIONS / sizeof *CONTRACTIONS; k++)
      if (!strncmp(face->muscles[m].name, CONTRACTIONS[k].muscle, strlen(CONTRACTIONS[k].muscle)))
        r->contractions[m] =
            (float)(in * ((1 - over) * CONTRACTIONS[k].from + over * CONTRACTIONS[k].to));
  }
}

// mm
static double farthest(const float *a, const float *b, int nvert) {
  double most2 = 0;
  for (int i = 0; i < nvert; i++) {
    double d2 = 0;
    for (int c = 0; c < 3; c++) {
      double d = (double)a[3 * (size_t)i + (size_t)c] - b[3 * (size_t)i + (size_t)c];
      d2 += d * d;
    }
    most2 = fmax(most2, d2);
  }
  return 1e3 * sqrt(most2);
}

static mien_result step(reel *r, const part *p, int k, int frame, mien_rigid *head,
                        mien_error *err) {
  const look *l = p->looks + k;
  const mien_rig_info *rig = mien_rig_get_info(r->rig);
  mien_step_opts opts = opts_of(r, p, l);
  mien_input input;
  double time = p->from + (double)frame / FPS;
  mien_input_init(&input);
  memset(r->weights, 0, (size_t)rig->nshape * sizeof *r->weights);
  if (r->weights_take) mien_take_sample(r->weights_take, time, r->weights, NULL, NULL);
  if (r->head_take) mien_take_sample(r->head_take, time, NULL, &input.head, NULL);
  for (int s = 0; l->smiles && s < 2; s++) r->weights[mien_rig_find_shape(r->rig, SMILE[s])] = 1;
  input.weights = (mien_f32s){r->weights, rig->nshape, 1};
  if (p->is_muscles) {
    contract(r, frame / ((r->def->quick ? QUICK : p->seconds * FPS) - 1.0));
    input.contractions = (mien_f32s){r->contractions, mien_face_get_info(r->face)->nmuscle, 1};
  }
  *head = input.head;
  mien_result result = mien_rig_pose(r->rig, r->weights, rig->nshape, r->artist[k], err);
  if (result < 0 || !r->state[k]) return result;
  result = mien_step(r->state[k], &input, &opts, err);
  if (result < 0) return result;
  const float *x = mien_state_get_info(r->state[k])->positions.data;
  r->off[k] = farthest(x, r->artist[k], rig->nvert);
  r->most[k] = fmax(r->most[k], r->off[k]);
  return MIEN_OK;
}

static void write_line(reel *r, double x, double y, double size, bool bold, const char *text) {
  double scale = r->size / 400.0;
  render_type type = {(float)(scale * size), INK, RENDER_LEFT, bold, 0};
  render_text(&r->frame, (float)x, (float)y, type, text);
}

static mien_result draw_face(reel *r, const part *p, int k, mien_rigid head, mien_error *err) {
  const mien_rig_info *rig = mien_rig_get_info(r->rig);
  mien_f32s artist = {r->artist[k], rig->nvert, 3};
  picture_pose pose = {.positions = artist, .reference = artist, .head = head};
  if (r->state[k]) pose.positions = mien_state_get_info(r->state[k])->positions;
  int x = GAP + k * (r->size + GAP), y = HEADING + CAPTION;
  write_line(r, x, HEADING + CAPTION - 8, 13, false, p->looks[k].caption);
  mien_result result = picture_draw(r->skin, &pose, &r->panel, err);
  if (result < 0) return result;
  render_image_blit(&r->frame, &r->panel, x, y, 1);
  y += r->size + CAPTION;
  for (int n = 0; !r->state[k] && n < NLINE && p->note[n]; n++)
    write_line(r, x, y + r->size * (0.1 + 0.065 * n), 13, false, p->note[n]);
  if (!r->state[k]) return MIEN_OK;
  char text[96];
  snprintf(text, sizeof text, "off the %s by %.*f mm at most",
           p->is_muscles ? "neutral" : "artist's pose", r->most[k] > 0 ? 2 : 0, r->most[k]);
  write_line(r, x, y - 8, 11, false, text);
  result = picture_draw(r->heat, &pose, &r->panel, err);
  if (result >= 0) render_image_blit(&r->frame, &r->panel, x, y, 1);
  return result;
}

static mien_result draw_frame(reel *r, const part *p, int frame, mien_error *err) {
  int width = NFACE * (r->size + GAP) + GAP, height = HEADING + 2 * (CAPTION + r->size) + GAP;
  mien_result result = MIEN_OK;
  width += width % 2, height += height % 2; // as videos want it
  if (!r->frame.rgb) result = render_image_create(width, height, PAPER, &r->frame, err);
  if (result < 0) return result;
  render_image_fill(&r->frame, (render_rect){0, 0, width, height}, PAPER, 1);
  write_line(r, GAP, 36, 18, true, p->heading);
  for (int k = 0; result >= 0 && k < NFACE; k++) {
    mien_rigid head;
    result = step(r, p, k, frame, &head, err);
    if (result >= 0) result = draw_face(r, p, k, head, err);
  }
  if (result >= 0 && !r->video) {
    render_video_def def;
    render_video_def_init(&def);
    def.width = width;
    def.height = height;
    def.frame_rate = FPS;
    result = render_video_open(in_folder(r, "reel.mp4"), &def, &r->video, err);
  }
  return result < 0 ? result : render_video_add(r->video, &r->frame, err);
}

// -- the film -------------------------------------------------------------------------------------

// Keeps of each part the frame where its last face is farthest off, one below the other.
static mien_result keep_still(reel *r, int index, mien_error *err) {
  mien_result result = MIEN_OK;
  int w = r->frame.width, h = r->frame.height;
  if (!(r->off[NFACE - 1] > r->still)) return MIEN_OK;
  r->still = r->off[NFACE - 1];
  if (!r->stills.rgb) result = render_image_create(w, NPART * h, PAPER, &r->stills, err);
  if (result >= 0) render_image_blit(&r->stills, &r->frame, 0, index * h, 1);
  return result;
}

static int play(reel *r, int index, cli_progress *progress) {
  const part *p = PARTS + index;
  mien_error err;
  mien_result result = MIEN_OK;
  int nframe = r->def->quick ? QUICK : (int)(p->seconds * FPS), code = open_part(r, p);
  for (int frame = 0; !code && result >= 0 && frame < nframe; frame++) {
    result = draw_frame(r, p, frame, &err);
    if (result >= 0) result = keep_still(r, index, &err);
    cli_progress_show(progress, (index + (frame + 1.0) / nframe) / NPART);
    if (cli_interrupted()) code = cli_fail("stopped");
  }
  close_part(r);
  return result < 0 ? cli_report(&err, "the reel") : code;
}

static int film(reel *r) {
  mien_error err;
  cli_progress progress;
  int code = CLI_DONE;
  cli_progress_start(&progress, "reel");
  cli_catch_interrupt();
  for (int index = 0; !code && index < NPART; index++) code = play(r, index, &progress);
  if (code) {
    render_video_abandon(r->video);
    return code;
  }
  mien_result result = render_video_close(r->video, &err);
  if (result >= 0) result = render_image_save(&r->stills, in_folder(r, "reel.png"), &err);
  return result < 0 ? cli_report(&err, "the reel") : CLI_DONE;
}

int demo_reel(const demo_reel_def *def) {
  reel r = {.def = def};
  int code = open(&r);
  if (!code) code = film(&r);
  render_image_free(&r.panel);
  render_image_free(&r.frame);
  render_image_free(&r.stills);
  picture_free(r.skin);
  picture_free(r.heat);
  mien_face_free(r.face);
  mien_face_free(r.painted_face);
  mien_rig_free(r.rig);
  mien_rig_free(r.painted);
  for (int k = 0; k < NFACE; k++) free(r.artist[k]);
  free(r.weights);
  free(r.contractions);
  return code;
}
