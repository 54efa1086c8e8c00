// mien fit-muscles: the muscles of a subject from a neutral and some expressions.
#include "cli.h"
#include "muscle_meshes.h"
#include "physics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"out", 'o', "FACE.glb", "where to write the face with its muscles (default: only report)"},
    {"targets", 't', "SCANS",
     "expressions of the same mesh: a folder of OBJ files (neutral.obj, one per expression) or a "
     ".glb whose shapes they are (default: the rig itself)"},
    {"expressions", 'e', "LIST",
     "which: jawOpen=0.4,mouthSmileLeft+mouthSmileRight,... (all shapes of SCANS; of the rig "
     "itself five)"},
    {"resume", 0, "FILE", "keeps the fit after each round, and goes on from there"},
    MUSCLE_MESH_OPTIONS,
    {NULL, 0, NULL, NULL},
};

static const char USUAL[] = "mouthSmileLeft+mouthSmileRight,jawOpen=0.5,browInnerUp+mouthPucker,"
                            "mouthFrownLeft+mouthFrownRight+browDownLeft+browDownRight,"
                            "cheekPuff+noseSneerLeft+noseSneerRight";

enum { MOST_TARGETS = 64 };

typedef struct fitting {
  const cli_args *args;
  mien_rig *rig, *scans; // the same when there are none
  mien_face *face;
  mien_muscle_target targets[MOST_TARGETS];
  char name[MOST_TARGETS][128];
  int ntarget;
  float *weights;
  mien_settings settings;
  muscle_meshes meshes;
  cli_progress progress;
  char what[128];
} fitting;

static int add_target(fitting *f, const char *name) {
  const mien_rig_info *scans = mien_rig_get_info(f->scans);
  mien_error err;
  if (f->ntarget == MOST_TARGETS) return cli_usage("at most %d expressions", MOST_TARGETS);
  float *at = malloc(3 * (size_t)scans->nvert * sizeof *at);
  if (!at) return cli_fail("out of memory");
  snprintf(f->name[f->ntarget], sizeof f->name[0], "%s", name);
  f->targets[f->ntarget] = (mien_muscle_target){f->name[f->ntarget], {at, scans->nvert, 3}};
  f->ntarget++;
  if (mien_rig_pose(f->scans, f->weights, scans->nshape, at, &err) < 0)
    return cli_report(&err, name);
  memset(f->weights, 0, (size_t)scans->nshape * sizeof *f->weights);
  return CLI_DONE;
}

// "a=0.5+b,c": shapes with '+' make one expression
static int read_expressions(fitting *f, const char *list) {
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
    int code = add_target(f, label);
    if (code) return code;
    at += length + (at[length] == ',');
  }
  return CLI_DONE;
}

static int read_targets(fitting *f) {
  const mien_rig_info *scans = mien_rig_get_info(f->scans);
  const char *list = cli_value(f->args, "expressions", NULL);
  int code = CLI_DONE;
  f->weights = calloc((size_t)scans->nshape + 1, sizeof *f->weights);
  if (!f->weights) return cli_fail("out of memory");
  if (list || f->scans == f->rig) return read_expressions(f, list ? list : USUAL);
  for (int s = 0; !code && s < scans->nshape; s++) {
    f->weights[s] = 1;
    code = add_target(f, scans->shapes[s].name);
  }
  return code;
}

// The library takes no expressions for no fit.
static int check_count(const fitting *f) {
  return f->ntarget ? CLI_DONE
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

static void report(const fitting *f) {
  const mien_face_info *face = mien_face_get_info(f->face);
  double before = 0, after = 0;
  json_t *rows = json_array();
  for (int k = 0; k < f->ntarget; k++) {
    double from = 1e3 * (double)face->muscle_errors_before.data[k];
    double to = 1e3 * (double)face->muscle_errors.data[k];
    before += from / f->ntarget;
    after += to / f->ntarget;
    if (!f->args->json) printf("%-48.48s %6.3f mm, atlas %6.3f mm\n", f->name[k], to, from);
    json_array_append_new(
        rows, json_pack("{s:s, s:f, s:f}", "name", f->name[k], "mm", to, "mm_atlas", from));
  }
  if (f->args->json) {
    cli_print_json(json_pack("{s:i, s:f, s:f, s:f, s:o}", "muscles", face->nmuscle, "mm", after,
                             "mm_atlas", before, "seconds", face->seconds_muscles, "targets",
                             rows));
    return;
  }
  json_decref(rows);
  printf("%d muscles in %d tetrahedra: %.3f mm on average with their shares fitted, %.3f mm with "
         "those of the atlas; %.1f s\n",
         face->nmuscle, face->ntet, after, before, face->seconds_muscles);
}

static int fit(fitting *f) {
  mien_host host;
  mien_error err;
  const char *out = cli_value(f->args, "out", NULL);
  cli_host(f->args, &host);
  host.progress = on_progress;
  host.user = f;
  f->settings.face.muscle_targets = f->targets;
  f->settings.face.nmuscle_target = f->ntarget;
  f->settings.face.muscle_resume = cli_value(f->args, "resume", NULL);
  cli_catch_interrupt();
  cli_progress_start(&f->progress, "muscles");
  mien_result result = mien_face_create(f->rig, &f->settings.face, &host, &f->face, &err);
  if (result >= 0) cli_progress_show(&f->progress, 1);
  if (result == MIEN_ERR_CANCELLED && f->settings.face.muscle_resume)
    return cli_fail("stopped; --resume %s goes on", f->settings.face.muscle_resume);
  if (result < 0) return cli_report(&err, "fit-muscles");
  const mien_face_info *info = mien_face_get_info(f->face);
  cli_remarks(info->remarks, info->nremark);
  report(f);
  if (out && mien_rig_save(f->rig, f->face, NULL, out, &err) < 0) return cli_report(&err, out);
  if (out && !f->args->json) printf("wrote %s\n", out);
  return CLI_DONE;
}

static int run(const cli_args *args) {
  fitting f = {.args = args};
  if (!physics_settings(args, MIEN_CONTACT_OFF, &f.settings)) return CLI_USAGE;
  int code = cli_check_output(args, cli_value(args, "out", NULL));
  if (code) return code;
  f.rig = cli_load_rig(args, args->nargument ? args->argument[0] : NULL);
  f.scans = f.rig && cli_given(args, "targets")
                ? cli_load_rig(args, cli_value(args, "targets", NULL))
                : f.rig;
  code = f.rig && f.scans ? read_targets(&f) : CLI_FAILED;
  if (!code) code = check_count(&f);
  if (!code) code = muscle_meshes_open(&f.meshes, args, &f.settings.face);
  if (!code) code = fit(&f);
  for (int k = 0; k < f.ntarget; k++) free((float *)f.targets[k].positions.data);
  mien_face_free(f.face);
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
