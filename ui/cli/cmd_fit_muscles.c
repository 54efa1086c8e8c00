// mien fit-muscles: the muscles of a subject from a neutral and some expressions.
#include "cli.h"
#include "muscle_meshes.h"
#include "muscle_sheet.h"
#include "physics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {"out", 'o', "FACE.glb", "where to write the face with its muscles (default: only report)"},
    {"targets", 't', "SCANS",
     "expressions of the same mesh: a folder of OBJ files (neutral.obj, one per expression) or a "
     ".glb whose shapes they are (default: the rig itself)"},
    {"expressions", 'e', "LIST",
     "which: jawOpen=0.4,mouthSmileLeft+mouthSmileRight,... (all shapes of SCANS; of the rig "
     "itself five)"},
    {"unseen", 0, "LIST",
     "more of them, which are not fitted: how far activations alone come to those"},
    {"picture", 0, "FILE.png",
     "a sheet: each expression, what the muscles make of it, the distance, and both with the "
     "muscles of the atlas"},
    {"resume", 0, "FILE",
     "keeps the fit after each round, and goes on from there to the same result; removed when "
     "FACE.glb is written"},
    MUSCLE_MESH_OPTIONS,
    {NULL, 0, NULL, NULL},
};

static const char USUAL[] = "mouthSmileLeft+mouthSmileRight,jawOpen=0.5,browInnerUp+mouthPucker,"
                            "mouthFrownLeft+mouthFrownRight+browDownLeft+browDownRight,"
                            "cheekPuff+noseSneerLeft+noseSneerRight";

enum { MOST_TARGETS = 64 };

typedef struct expressions {
  mien_muscle_target of[MOST_TARGETS];
  char name[MOST_TARGETS][128];
  int count;
} expressions;

typedef struct fitting {
  const cli_args *args;
  mien_rig *rig, *scans;   // the same when there are none
  mien_face *face, *atlas; // atlas: for the picture, before the fit
  expressions fitted, unseen;
  float *weights;
  mien_settings settings;
  muscle_meshes meshes;
  cli_progress progress;
  char what[128];
} fitting;

static int add_target(fitting *f, const char *name, expressions *to) {
  const mien_rig_info *scans = mien_rig_get_info(f->scans);
  mien_error err;
  if (to->count == MOST_TARGETS) return cli_usage("at most %d expressions", MOST_TARGETS);
  float *at = malloc(3 * (size_t)scans->nvert * sizeof *at);
  if (!at) return cli_fail("out of memory");
  snprintf(to->name[to->count], sizeof to->name[0], "%s", name);
  to->of[to->count] = (mien_muscle_target){to->name[to->count], {at, scans->nvert, 3}};
  to->count++;
  if (mien_rig_pose(f->scans, f->weights, scans->nshape, at, &err) < 0)
    return cli_report(&err, name);
  memset(f->weights, 0, (size_t)scans->nshape * sizeof *f->weights);
  return CLI_DONE;
}

// "a=0.5+b,c": shapes with '+' make one expression
static int read_expressions(fitting *f, const char *list, expressions *to) {
  for (const char *at = list; *at;) {
    size_t length = strcspn(at, ",");
    char whole[256], *part, *rest = NULL;
    snprintf(whole, sizeof whole, "%.*s", (int)length, at);
    char label[128];
    snprintf(label, sizeof label, "%.127s", whole);
    for (part = strtok_r(whole, "+", &rest); part; part = strtok_r(NULL, "+", &rest)) {
      char *equals = strchr(part, '='), *end;
      double weight = equals ? strtod(equals + 1, &end) : 1;
      if (equals && (end == equals + 1 || *end || !isfinite(weight)))
        return cli_usage("'%s' needs a number after '='", part);
      if (equals) *equals = 0;
      int shape = mien_rig_find_shape(f->scans, part);
      if (shape < 0) return cli_fail("there is no shape '%s'", part);
      f->weights[shape] = (float)weight;
    }
    int code = add_target(f, label, to);
    if (code) return code;
    at += length + (at[length] == ',');
  }
  return CLI_DONE;
}

// Expressions are taken from the rig's neutral: one of the scans' own that is elsewhere is told.
static void compare_neutrals(const fitting *f) {
  static const double NEAR = 3e-3; // m, ten times what a scanner is off by
  const mien_rig_info *rig = mien_rig_get_info(f->rig), *scans = mien_rig_get_info(f->scans);
  double farthest = 0;
  for (int i = 0; i < rig->nvert && rig->nvert == scans->nvert; i++) {
    const float *a = rig->positions.data + 3 * (size_t)i,
                *b = scans->positions.data + 3 * (size_t)i;
    double x = (double)(a[0] - b[0]), y = (double)(a[1] - b[1]), z = (double)(a[2] - b[2]);
    farthest = fmax(farthest, sqrt(x * x + y * y + z * z));
  }
  if (farthest > NEAR)
    fprintf(
        stderr,
        "note: the neutral of '%s' is up to %.1f mm from the rig's: is it the subject's neutral, "
        "and are both aligned?\n",
        cli_value(f->args, "targets", ""), 1e3 * farthest);
}

static int read_targets(fitting *f) {
  const mien_rig_info *scans = mien_rig_get_info(f->scans);
  const char *list = cli_value(f->args, "expressions", NULL);
  int code = CLI_DONE;
  compare_neutrals(f);
  f->weights = calloc((size_t)scans->nshape + 1, sizeof *f->weights);
  if (!f->weights) return cli_fail("out of memory");
  const char *unseen = cli_value(f->args, "unseen", NULL);
  if (unseen) code = read_expressions(f, unseen, &f->unseen);
  if (code) return code;
  if (list || f->scans == f->rig) return read_expressions(f, list ? list : USUAL, &f->fitted);
  for (int s = 0; !code && s < scans->nshape; s++) {
    f->weights[s] = 1;
    code = add_target(f, scans->shapes[s].name, &f->fitted);
  }
  return code;
}

// The library takes no expressions for no fit.
static int check_count(const fitting *f) {
  return f->fitted.count ? CLI_DONE
                         : cli_fail("'%s' holds no expression; muscles are fitted to 2 at least",
                                    cli_value(f->args, "targets", "the rig"));
}

static int on_progress(void *user, const char *what, double done) {
  fitting *f = user;
  if (strncmp(what, "muscles", 7)) return cli_interrupted();
  snprintf(f->what, sizeof f->what, "%s", what);
  f->progress.what = f->what;
  cli_progress_show(&f->progress, fmin(done, 0.999));
  return cli_interrupted();
}

// The same flesh with muscles as the atlas has them.
static int make_atlas(fitting *f) {
  mien_host host;
  mien_error err;
  mien_face_def def = f->settings.face;
  def.muscle_targets = NULL;
  def.nmuscle_target = 0;
  def.muscle_resume = NULL;
  def.muscles = 1;
  def.use_stored = 0; // an earlier fit
  def.blendvolumes = 0;
  cli_host(f->args, &host);
  return mien_face_create(f->rig, &def, &host, &f->atlas, &err) < 0 ? cli_report(&err, "atlas")
                                                                    : CLI_DONE;
}

// Expressions that were not fitted, by activations alone; all of them drawn.
static int judge(fitting *f, muscle_distance *unseen) {
  const char *picture = cli_value(f->args, "picture", NULL);
  muscle_sheet *sheet = NULL;
  if (!picture && !f->unseen.count) return CLI_DONE;
  int code = picture ? make_atlas(f) : CLI_DONE;
  if (!code) code = muscle_sheet_open(f->args, f->face, f->atlas, picture, &sheet);
  muscle_distance fitted;
  for (int k = 0; !code && picture && k < f->fitted.count; k++)
    code = muscle_sheet_add(sheet, f->fitted.of + k, "fitted", &fitted);
  for (int k = 0; !code && k < f->unseen.count; k++)
    code = muscle_sheet_add(sheet, f->unseen.of + k, "unseen", unseen + k);
  if (!code) code = muscle_sheet_save(sheet);
  muscle_sheet_close(sheet);
  return code;
}

static json_t *list_fitted(const fitting *f, double mm[2]) {
  const mien_face_info *face = mien_face_get_info(f->face);
  json_t *rows = json_array();
  mm[0] = mm[1] = 0;
  for (int k = 0; k < f->fitted.count; k++) {
    double to = 1e3 * (double)face->muscle_errors.data[k];
    double from = 1e3 * (double)face->muscle_errors_before.data[k];
    mm[0] += to / f->fitted.count;
    mm[1] += from / f->fitted.count;
    if (!f->args->json) printf("%-48.48s %6.3f mm, atlas %6.3f mm\n", f->fitted.name[k], to, from);
    json_array_append_new(
        rows, json_pack("{s:s, s:f, s:f}", "name", f->fitted.name[k], "mm", to, "mm_atlas", from));
  }
  return rows;
}

static json_t *list_unseen(const fitting *f, const muscle_distance *unseen) {
  json_t *rows = json_array();
  for (int k = 0; k < f->unseen.count; k++) {
    const muscle_distance *d = unseen + k;
    if (!f->args->json)
      printf("%-48.48s %6.3f mm, unseen; %.2f of %.1f mm where it moves\n", f->unseen.name[k],
             1e3 * d->all, 1e3 * d->moving, 1e3 * d->motion);
    json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:f}", "name", f->unseen.name[k], "mm",
                                          1e3 * d->all, "mm_moving", 1e3 * d->moving, "mm_motion",
                                          1e3 * d->motion));
  }
  return rows;
}

static void report(const fitting *f, const muscle_distance *unseen) {
  const mien_face_info *face = mien_face_get_info(f->face);
  double mm[2];
  json_t *fitted = list_fitted(f, mm), *others = list_unseen(f, unseen);
  if (f->args->json) {
    cli_print_json(json_pack("{s:i, s:f, s:f, s:f, s:o, s:o}", "muscles", face->nmuscle, "mm",
                             mm[0], "mm_atlas", mm[1], "seconds", face->seconds_muscles, "targets",
                             fitted, "unseen", others));
    return;
  }
  json_decref(fitted);
  json_decref(others);
  printf("%d muscles in %d tetrahedra: %.3f mm on average with their shares fitted, %.3f mm with "
         "those of the atlas; %.1f s\n",
         face->nmuscle, face->ntet, mm[0], mm[1], face->seconds_muscles);
  double sum = 0;
  for (int k = 0; k < f->unseen.count; k++) sum += 1e3 * unseen[k].all / f->unseen.count;
  if (f->unseen.count)
    printf("%d expressions that were not fitted: %.3f mm on average\n", f->unseen.count, sum);
}

static int stopped(const char *resume) {
  if (!resume) return cli_fail("stopped; with --resume FILE a fit keeps its rounds");
  if (access(resume, F_OK)) return cli_fail("stopped before anything was kept in %s", resume);
  return cli_fail("stopped; --resume %s goes on", resume);
}

static int fit(fitting *f) {
  mien_host host;
  mien_error err;
  const char *out = cli_value(f->args, "out", NULL), *kept = cli_value(f->args, "resume", NULL);
  cli_host(f->args, &host);
  host.progress = on_progress;
  host.user = f;
  f->settings.face.muscle_targets = f->fitted.of;
  f->settings.face.nmuscle_target = f->fitted.count;
  f->settings.face.muscle_resume = kept;
  cli_catch_interrupt();
  cli_progress_start(&f->progress, "muscles");
  mien_result result = mien_face_create(f->rig, &f->settings.face, &host, &f->face, &err);
  if (result >= 0) cli_progress_show(&f->progress, 1);
  if (result == MIEN_ERR_CANCELLED) return stopped(kept);
  if (result < 0) return cli_report(&err, "fit-muscles");
  const mien_face_info *info = mien_face_get_info(f->face);
  cli_remarks(info->remarks, info->nremark);
  if (out && mien_rig_save(f->rig, f->face, NULL, out, &err) < 0) return cli_report(&err, out);
  if (out && kept) remove(kept);
  muscle_distance unseen[MOST_TARGETS];
  int code = judge(f, unseen);
  if (code) return code;
  report(f, unseen);
  if (out && !f->args->json) printf("wrote %s\n", cli_shown(out));
  return CLI_DONE;
}

static int run(const cli_args *args) {
  fitting f = {.args = args};
  if (!physics_settings(args, MIEN_CONTACT_OFF, &f.settings)) return CLI_USAGE;
  int code = cli_check_output(args, cli_value(args, "out", NULL));
  if (!code) code = cli_check_output(args, cli_value(args, "picture", NULL));
  if (!code) code = cli_check_output(args, cli_value(args, "resume", NULL));
  if (code) return code;
  f.rig = cli_load_rig(args, args->nargument ? args->argument[0] : NULL);
  f.scans = f.rig && cli_given(args, "targets")
                ? cli_load_rig(args, cli_value(args, "targets", NULL))
                : f.rig;
  code = f.rig && f.scans ? read_targets(&f) : CLI_FAILED;
  if (!code) code = check_count(&f);
  if (!code) code = muscle_meshes_open(&f.meshes, args, &f.settings.face);
  if (!code) code = fit(&f);
  for (int k = 0; k < MOST_TARGETS; k++) {
    free((float *)f.fitted.of[k].positions.data);
    free((float *)f.unseen.of[k].positions.data);
  }
  mien_face_free(f.face);
  mien_face_free(f.atlas);
  muscle_meshes_close(&f.meshes);
  if (f.scans != f.rig) mien_rig_free(f.scans);
  mien_rig_free(f.rig);
  free(f.weights);
  return code;
}

const cli_command cli_fit_muscles = {
    "fit-muscles",
    "[RIG]",
    "find a subject's muscles from expressions",
    "Muscles of the atlas are put under the skin of RIG; how much of each tetrahedron belongs to\n"
    "which muscle is then fitted so that contractions and the jaw make all expressions. FACE.glb\n"
    "is the rig with what was found: 'mien activations' and 'mien bake --drive muscle' use it.\n"
    "Scans must have the rig's vertices in the rig's order, in metres, aligned with its neutral.",
    options,
    1,
    run,
    1 << MIEN_PARAM_FACE,
    NULL};
