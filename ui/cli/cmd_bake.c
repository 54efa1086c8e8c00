// mien bake: a take on a face, frame by frame, into a cache.
#include "bake.h"
#include "bake_info.h"
#include "bake_result.h"
#include "physics.h"
#include "scaled_rig.h"
#include "shot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const cli_option options[] = {
    {"anim", 'a', "TAKE",
     "weights over time: Live Link Face .csv or animated .glb (sample phrase)"},
    {"head", 0, "HEAD.csv", "head motion; replaces the take's own"},
    {"jaw", 0, "JAW.csv",
     "jaw motion in the head's space, in a head's columns; else by the jaw-open weight"},
    {"pose", 0, "POSES.pc2",
     "the rig as a host posed it, frame by frame; weights then move the jaw"},
    {"out", 'o', "CACHE",
     "by its end: .glb is the rig's own file with the bake in it; .usdc, .usda, .abc hold every "
     "mesh "
     "in its own vertex order and space; so does NAME.{mesh}.pc2, a file each; .pc2 is all in one"},
    {"tolerance", 0, "MM",
     "of a .glb: how far a point may be from its frame; smaller adds morph targets (0.05)"},
    {"muscle-take", 0, "MUSCLES.csv",
     "activations over time, of 'mien activations' or by hand: for --drive muscle, or to stiffen "
     "what contracts (--muscle-stiffening 5)"},
    MUSCLE_MESH_OPTIONS,
    {"fps", 'f', "RATE", "frames per second (24)"},
    {"first-frame", 0, "N", "number of the first frame in the cache (1)"},
    {"seconds", 0, "S", "stop after S seconds of the take"},
    {"frames", 0, "A-B", "only these frames into the cache, by their numbers; A- goes to the end"},
    {"run-up", 0, "N",
     "simulate only N frames before A, from rest; without it all of them, for the same bits as "
     "the whole take"},
    {"keys", 0, "KEYS.json", "parameters over time: {\"sticky\": [[1, 0], [24, 1]]}"},
    {"space", 0, "SPACE",
     "head (default): as if the head stood still, for a mesh that its rig or bones move; world: "
     "with the head's motion"},
    {"welded", 0, NULL, "one point per welded vertex instead of per render vertex"},
    {"resume", 0, NULL, "go on with what an earlier bake left, if it left something"},
    {"hash", 0, NULL, "print the hash of the final state as the last line"},
    {"strict", 0, NULL,
     "exit with 1 when a frame is not plausible; the cache is written all the same"},
    {"info", 0, "FILE.csv", "energies, iterations and times of every frame"},
    {"picture", 0, "FILE.png", "the frame whose skin is farthest from the artist's pose"},
    {"progress", 0, "HOW", "on stderr: bar (default), json (an object a line) or none"},
    {"schema", 0, NULL, "print the JSON schema of a shot file, and nothing else"},
    {"map", 0, "NAMES.json", "what the take's channels are called on the rig"},
    CLI_RIG_OPTIONS,
    {NULL, 0, NULL, NULL},
};

static int load_motion(const cli_args *args, const char *option, mien_take **out) {
  if (!cli_given(args, option)) return CLI_DONE;
  *out = cli_load_take(args, cli_value(args, option, NULL));
  if (!*out) return CLI_FAILED;
  if (mien_take_get_info(*out)->head) return CLI_DONE;
  return cli_fail("'%s' holds no head motion", cli_value(args, option, ""));
}

// Angles turn about the rig's pivot.
static int bind_head(bake *b) {
  mien_take *bound = NULL;
  mien_error err;
  mien_result result = mien_take_bind(b->head, b->rig, &bound, NULL, &err);
  mien_take_free(b->head);
  b->head = bound;
  return result < 0 ? cli_report(&err, "head") : CLI_DONE;
}

static int load(bake *b) {
  const cli_args *args = b->args;
  mien_host host;
  mien_error err;
  b->stage = "load";
  cli_host(args, &host);
  b->rig = cli_load_rig(args, args->nargument ? args->argument[0] : NULL);
  bool is_muscles = !cli_given(args, "anim") && cli_given(args, "muscle-take");
  mien_take *take = !b->rig ? NULL
                    : is_muscles
                        ? muscle_take_still(args, cli_value(args, "muscle-take", NULL), b->rig)
                        : cli_load_take(args, cli_value(args, "anim", NULL));
  if (!take) return CLI_FAILED;
  b->take = cli_bind_take(args, take, b->rig);
  if (!b->take) return CLI_FAILED;
  int code = load_motion(args, "head", &b->head);
  if (!code && b->head) code = bind_head(b);
  if (!code) code = load_motion(args, "jaw", &b->jaw);
  if (!code) code = pose_file_open(&b->poses, args, cli_value(args, "pose", NULL), b->rig);
  if (code) return code;
  double scale = b->settings.play.space_scale;
  if (scale != 1 && scaled_rig(b->rig, scale, &host, &b->sized, &err) < 0)
    return cli_report(&err, "bake");
  code = muscle_meshes_open(&b->meshes, args, &b->settings.face);
  if (code) return code;
  if (mien_face_create(b->sized ? b->sized : b->rig, &b->settings.face, &host, &b->face, &err) <
          0 ||
      mien_state_create(b->face, &host, &b->state, &err) < 0)
    return cli_report(&err, "bake");
  code = muscle_take_open(&b->muscles, args, cli_value(args, "muscle-take", NULL), b->face);
  if (code) return code;
  const mien_rig_info *rig = mien_rig_get_info(b->rig);
  const mien_face_info *face = mien_face_get_info(b->face);
  cli_keep_remarks(face->remarks, face->nremark);
  b->weights = calloc((size_t)rig->nshape + 1, sizeof *b->weights);
  b->points = calloc(3 * (size_t)rig->nvert + 1, sizeof *b->points);
  b->world = calloc(3 * (size_t)rig->nvert + 1, sizeof *b->world);
  return b->weights && b->points && b->world ? CLI_DONE : cli_fail("out of memory");
}

// -- The cache and its signature ------------------------------------------------------------------

// The bits of a frame depend on build, face, parameters and motion, not on the number of frames.
static bool sign_bake(bake *b) {
  snapshot_signature *signature = &b->signature;
  char json[8192];
  uint64_t face = mien_face_get_info(b->face)->hash;
  int given[6] = {cli_given(b->args, "head"),
                  cli_given(b->args, "jaw"),
                  b->start,
                  b->range.from,
                  cli_given(b->args, "welded"),
                  b->in_world};
  size_t length = mien_settings_write(&b->settings, json, sizeof json);
  if (!snapshot_sign_build(signature)) return false;
  snapshot_sign(signature, &face, sizeof face);
  snapshot_sign(signature, json, length < sizeof json ? length : sizeof json - 1);
  snapshot_sign(signature, &b->fps, sizeof b->fps);
  snapshot_sign(signature, given, sizeof given);
  snapshot_sign_take(signature, b->take);
  snapshot_sign_take(signature, b->head);
  snapshot_sign_take(signature, b->jaw);
  snapshot_sign_take(signature, b->muscles.take);
  for (int i = 0; i < b->keys.ncurve; i++) {
    const param_curve *curve = b->keys.curves + i;
    snapshot_sign(signature, curve->param->name, strlen(curve->param->name));
    snapshot_sign(signature, curve->keys, (size_t)curve->nkey * sizeof *curve->keys);
  }
  if (b->poses.cache) {
    const mien_cache_info *poses = mien_cache_get_info(b->poses.cache);
    size_t count = 3 * (size_t)poses->npoint * (size_t)poses->nframe;
    snapshot_sign(signature, poses->points, count * sizeof *poses->points);
  }
  return true;
}

// The frames to go on with are those that the snapshot vouches for, not others in their place.
static int check_frames(bake *b, int kept) {
  const frames_sum *wanted = &b->tally.frames;
  frames_sum found = {0};
  int npoint = mien_cache_get_info(b->cache)->npoint;
  if (wanted->nframe == kept && frames_sum_extend(&found, b->out, npoint, kept) &&
      found.value == wanted->value)
    return CLI_DONE;
  mien_cache_suspend(b->cache, NULL);
  return cli_fail("the %d frames of '%s' are not those that were written before: they are kept; "
                  "bake it anew without --resume",
                  kept, b->out);
}

// Goes on with the frames that a snapshot of this very bake vouches for; those after it are made
// again, to the same bits. Frames of an unknown bake are left as they are.
static int resume_cache(bake *b, mien_cache_def *def, const mien_host *host) {
  mien_error err;
  int vouched = snapshot_read(b->out, &b->signature, &b->tally, b->state), there = 0;
  int run_up = b->range.from - b->range.begin;
  if (mien_cache_resume(b->out, def, host, &b->cache, &there, &err) < 0)
    return cli_report(&err, b->out);
  if (vouched < 0 && there > 0) {
    mien_cache_suspend(b->cache, NULL);
    return cli_fail(
        vouched == SNAPSHOT_FOREIGN
            ? "'%s' was begun with another face, take or parameters, or by another "
              "build of mien or of a library: %d frames are kept; bake it anew without --resume"
            : "there is no '%s.state' to say whose the %d frames are that were begun: "
              "they are kept; bake it anew without --resume",
        b->out, there);
  }
  // a snapshot ahead of the frames that reached the disk would leave a hole
  bool is_good = vouched > 0 && vouched - run_up <= there;
  int kept = is_good && vouched > run_up ? vouched - run_up : 0;
  int code = is_good ? check_frames(b, kept) : CLI_DONE;
  if (code) return code;
  if (kept < there) {
    def->most_frames = kept;
    mien_cache_suspend(b->cache, NULL);
    mien_cache_free(b->cache);
    b->cache = NULL;
    if (mien_cache_resume(b->out, def, host, &b->cache, &there, &err) < 0)
      return cli_report(&err, b->out);
  }
  if (!is_good) {
    mien_state_reset(b->state);
    bake_tally_free(&b->tally);
    b->tally = (bake_tally){0};
  }
  if (is_good) b->first = b->range.begin + vouched;
  b->is_kept = is_good;
  b->done = kept;
  return CLI_DONE;
}

// Text of so many points is too large to be useful: .usdc holds the same in a quarter.
static int check_text(const bake *b) {
  static const double POINT = 42, MOST = 32e6; // bytes, measured on heads; and of a file
  size_t length = b->out ? strlen(b->out) : 0;
  if (length < 5 || strcasecmp(b->out + length - 5, ".usda")) return CLI_DONE;
  double size = POINT * mien_rig_get_info(b->rig)->nrender * (b->range.to - b->range.from);
  if (size <= MOST) return CLI_DONE;
  return cli_usage("'%s' would be some %.0f MB of text; as .usdc it is the same in %.0f MB", b->out,
                   1e-6 * size, 12e-6 * size / POINT);
}

static int open_cache(bake *b) {
  mien_host host;
  mien_error err;
  mien_cache_def def;
  b->stage = "open";
  int code = bake_info_open(cli_value(b->args, "info", NULL), &b->info);
  if (code || !b->out) return code;
  if (!sign_bake(b)) return cli_fail("this program cannot read its own file");
  cli_host(b->args, &host);
  mien_cache_def_init(&def);
  def.rig = b->rig;
  def.frame_rate = b->fps;
  def.first_frame = b->first_frame + b->range.from;
  def.welded = cli_given(b->args, "welded");
  def.in_world = b->in_world;
  def.tolerance = 1e-3 * b->tolerance;
  if (!b->poses.cache) def.take = b->take;
  def.take_time = mien_take_get_info(b->take)->start + b->range.from / b->fps;
  if (cli_given(b->args, "resume")) {
    code = resume_cache(b, &def, &host);
    if (code) return code;
  } else if (mien_cache_create(b->out, &def, &host, &b->cache, &err) < 0) {
    return cli_report(&err, b->out);
  }
  // the signature of the bake that the frames belong to
  return b->is_kept ? CLI_DONE : snapshot_write(b->out, 0, &b->signature, &b->tally, b->state);
}

static int judge(bake *b) {
  int count = bake_remarks_count(&b->tally.remarks);
  b->stage = "done";
  if (!count || !cli_given(b->args, "strict")) return CLI_DONE;
  b->stage = "judge";
  return cli_fail("%d of %d frames are not plausible (--strict)", count,
                  b->range.to - b->range.from);
}

// -- The call -------------------------------------------------------------------------------------

// False (and a sentence) when an option is wrong.
static bool read_options(bake *b, double *first_frame, double *seconds) {
  const cli_args *args = b->args;
  const char *space = cli_value(args, "space", "head");
  const char *progress = cli_value(args, "progress", "bar");
  const char *wrong = NULL;
  if (!physics_settings(args, MIEN_CONTACT_PLANE, &b->settings) ||
      !cli_number(args, "fps", 1, 10000, 24, &b->fps) ||
      !cli_number(args, "first-frame", -1e6, 1e6, 1, first_frame) ||
      !cli_number(args, "tolerance", 1e-6, 1e3, 0.05, &b->tolerance) ||
      !cli_number(args, "seconds", 0, 1e6, 1e6, seconds) ||
      !param_keys_open(cli_value(args, "keys", NULL), &b->keys))
    return false;
  b->in_world = !strcmp(space, "world");
  if (!b->in_world && strcmp(space, "head")) wrong = "'--space' takes head or world";
  if (strcmp(progress, "bar") && strcmp(progress, "json") && strcmp(progress, "none"))
    wrong = "'--progress' takes bar, json or none";
  if (cli_given(args, "resume") && !cli_given(args, "out")) wrong = "'--resume' needs '--out'";
  bool is_used = b->settings.step.drive == MIEN_DRIVE_MUSCLE ||
                 b->settings.step.muscle_stiffening > 0 || cli_given(args, "keys");
  if (cli_given(args, "muscle-take") && !is_used)
    wrong = "'--muscle-take' needs '--drive muscle', or '--muscle-stiffening' above 0";
  if (wrong) cli_usage("%s", wrong);
  if (b->settings.step.drive == MIEN_DRIVE_MUSCLE || cli_given(args, "muscle-take"))
    b->settings.face.muscles = 1;
  return !wrong;
}

// Which frames there are, and which of them are asked for.
static int choose_frames(bake *b, double seconds) {
  const mien_take_info *take = mien_take_get_info(b->take);
  int nframe, code = frame_count(b->args, take->end - take->start, seconds, b->fps, &nframe);
  if (code) return code;
  int start = (int)fmax(0, b->settings.play.start_frame - (double)b->first_frame);
  if (b->poses.cache && pose_file_count(&b->poses) < nframe) nframe = pose_file_count(&b->poses);
  b->settings.step.dt = 1 / b->fps;
  code = frame_range_read(b->args, b->first_frame, nframe, &b->range);
  // nothing before the start of physics changes a bit after it
  if (b->range.begin < start) b->range.begin = start < b->range.from ? start : b->range.from;
  b->start = start > b->range.begin ? start : b->range.begin;
  b->first = b->range.begin;
  return code;
}

static void free_bake(bake *b) {
  bake_tally_free(&b->tally);
  bake_picture_free(&b->picture);
  param_keys_free(&b->keys);
  mien_cache_free(b->cache);
  pose_file_close(&b->poses);
  muscle_take_close(&b->muscles);
  muscle_meshes_close(&b->meshes);
  mien_state_free(b->state);
  mien_face_free(b->face);
  mien_take_free(b->take);
  mien_take_free(b->head);
  mien_take_free(b->jaw);
  mien_rig_free(b->sized);
  mien_rig_free(b->rig);
  free(b->weights);
  free(b->points);
  free(b->world);
}

static int bake_with(const cli_args *args, const char *shot) {
  bake b = {.args = args,
            .stage = "open",
            .out = cli_value(args, "out", NULL),
            .picture = {.path = cli_value(args, "picture", NULL)}};
  double started = cli_clock(), first_frame, seconds;
  if (!read_options(&b, &first_frame, &seconds)) {
    free_bake(&b);
    return CLI_USAGE;
  }
  b.first_frame = (int)first_frame;
  int code = cli_check_output(args, b.out);
  if (!code) code = cli_check_output(args, b.picture.path);
  if (!code) code = cli_check_output(args, cli_value(args, "info", NULL));
  if (!code) code = load(&b);
  if (!code) code = choose_frames(&b, seconds);
  if (!code) code = check_text(&b);
  if (!code) code = open_cache(&b);
  double setup = cli_clock() - started;
  if (!code) code = bake_all(&b);
  if (b.info) code = bake_info_close(b.info, cli_value(args, "info", NULL), code);
  if (!code) code = bake_picture_write(&b.picture, b.sized ? b.sized : b.rig);
  if (!code) code = judge(&b);
  bool has_frames = b.range.to > b.range.from;
  bake_result result = {.args = args,
                        .shot = shot,
                        .out = b.out,
                        .picture = code ? NULL : b.picture.path,
                        .rig = b.rig,
                        .state = b.state,
                        .cache = b.cache,
                        .tally = &b.tally,
                        .code = code,
                        .stage = b.stage,
                        .first_frame = b.first_frame,
                        .range = b.range,
                        .resumed = b.first > b.range.begin ? b.first : -1,
                        .done = b.done,
                        .seconds =
                            has_frames && b.tally.runs ? bake_time_of(&b, b.range.to - 1) : 0,
                        .setup = setup};
  bake_result_print(&result);
  free_bake(&b);
  return code;
}

static int run(const cli_args *args) {
  const char *path = args->nargument ? args->argument[0] : NULL;
  if (cli_given(args, "schema")) {
    shot_print_schema();
    return CLI_DONE;
  }
  if (!path || !shot_is_named(path)) return bake_with(args, NULL);
  shot_file shot;
  cli_args all = *args;
  int code = shot_open(path, &all, &shot);
  if (!code) code = bake_with(&all, path);
  shot_close(&shot);
  return code;
}

const cli_command cli_bake = {
    "bake",
    "[FACE|SHOT.json]",
    "play a take on a face and write a point cache",
    "FACE is a rig or a face (.glb, or a folder of OBJ files). Without --out nothing is written.\n"
    "SHOT.json holds all of it, with paths relative to itself (docs/shot.md); options given beside "
    "it\n"
    "go before what it says.\n"
    "Ctrl-C, a full disk or a kill leave the frames so far (CACHE.part, or CACHE.frames.part of a\n"
    ".usda) and CACHE.state, with which --resume goes on to the same bits: with the same build,\n"
    "face, take and parameters, or not at all. With nothing begun --resume begins. The info of an\n"
    "unfinished bake is in FILE.csv.part, that of a resumed one begins where it went on. With no "
    "head\n"
    "motion and no gravity or wind the cache is the artist's animation, exactly, wherever that\n"
    "crosses nothing; what crosses is parted by contact (--contact off leaves it). Frames with "
    "skin\n"
    "where no face has it (a fifth of its size off the pose, or faster than 10 m/s against the\n"
    "head) are told at the end with a vertex and the likely cause.",
    options,
    1,
    run,
    PHYSICS_SETTINGS,
    NULL};
