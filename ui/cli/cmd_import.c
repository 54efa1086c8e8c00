// memrchr
#define _GNU_SOURCE
#include "cli.h"

#include "import_assimp.h"
#include "limited_child.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const cli_option options[] = {
    {"out", 'o', "RIG.glb", "where to write the rig; the default is FILE's name with .glb here"},
    {"take", 0, "OUT.csv", "write the file's shape animation as a take, too"},
    CLI_RIG_OPTIONS,
    {NULL, 0, NULL, NULL},
};

static bool is_folder(const char *path) {
  struct stat info;
  return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static bool has_ending(const char *path, const char *ending) {
  size_t length = strlen(path), tail = strlen(ending);
  return length > tail && !strcasecmp(path + length - tail, ending);
}

// The name of `path` with .glb, in the current folder.
static void name_output(const char *path, char *out, size_t size) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  size_t start = length;
  while (start && path[start - 1] != '/') start--;
  const char *dot = memrchr(path + start, '.', length - start);
  if (dot && dot > path + start && !is_folder(path)) length = (size_t)(dot - path);
  snprintf(out, size, "%.*s.glb", (int)(length - start), path + start);
}

// Reads the file by our own reader, which knows the unit already.
static int read_own(const cli_args *args, const import_job *job, mien_rig **rig, mien_take **take) {
  mien_error err;
  if (mien_rig_import(job->path, job->opts, job->host, rig, &err) < 0)
    return cli_report(&err, job->path);
  if (cli_given(args, "take") && !is_folder(job->path) &&
      mien_take_load(job->path, job->host, take, &err) < 0 && err.code != MIEN_ERR_FORMAT)
    return cli_report(&err, job->path);
  return CLI_DONE;
}

static void print_text(const mien_rig_info *info, const mien_take *take, const char *out) {
  printf("%s: parts %d, shapes %d, vertices %d, triangles %d, %.1f x %.1f x %.1f cm\n",
         cli_shown(out), info->npart, info->nshape, info->nvert, info->ntri,
         100 * (info->box_max[0] - info->box_min[0]), 100 * (info->box_max[1] - info->box_min[1]),
         100 * (info->box_max[2] - info->box_min[2]));
  for (int p = 0; p < info->npart; p++)
    printf("  %s: %d vertices, %d triangles\n", info->parts[p].name, info->parts[p].nvert,
           info->parts[p].ntri);
  if (!take) return;
  const mien_take_info *t = mien_take_get_info(take);
  printf("  animation: %d frames, %.2f s\n", t->nframe, t->end - t->start);
}

// A rig without shapes is no mistake, and seldom meant. Assimp's files and our own hear of it.
static const char *const no_shapes =
    "the file has no shapes: there is nothing to animate the face with";

static void print_json(const mien_rig_info *info, const mien_take *take, const cli_args *args,
                       const char *out) {
  json_t *parts = json_array(), *shapes = json_array(), *notes = json_array();
  for (int i = 0; i < info->npart; i++)
    json_array_append_new(parts, json_string(info->parts[i].name));
  for (int i = 0; i < info->nshape; i++)
    json_array_append_new(shapes, json_string(info->shapes[i].name));
  for (int i = 0; i < info->nremark; i++)
    json_array_append_new(notes, json_string(info->remarks[i]));
  if (!info->nshape) json_array_append_new(notes, json_string(no_shapes));
  json_t *size = json_array();
  for (int k = 0; k < 3; k++)
    json_array_append_new(size, json_real(100.0 * (info->box_max[k] - info->box_min[k])));
  json_t *object =
      json_pack("{s:o, s:i, s:i, s:i, s:o, s:o, s:f, s:o, s:i, s:o}", "out", cli_json_path(out),
                "vertices", info->nvert, "render_vertices", info->nrender, "triangles", info->ntri,
                "parts", parts, "shapes", shapes, "source_unit_m", info->source_unit, "size_cm",
                size, "frames", take ? mien_take_get_info(take)->nframe : 0, "notes", notes);
  const char *take_path = cli_value(args, "take", NULL);
  if (object && take_path) json_object_set_new(object, "take", cli_json_path(take_path));
  cli_print_json(object);
}

static int save(const cli_args *args, const mien_rig *rig, const mien_take *take, const char *out) {
  mien_error err;
  const char *take_path = cli_value(args, "take", NULL);
  if (take_path && !take)
    return cli_fail("the file has no shape animation that '--take' could write");
  if (mien_rig_save(rig, NULL, take, out, &err) < 0) return cli_report(&err, out);
  if (take_path && mien_take_save(take, take_path, &err) < 0) return cli_report(&err, take_path);
  return CLI_DONE;
}

typedef struct import_work {
  const cli_args *args;
  const import_job *job;
  const char *out;
  bool is_own; // our own reader reads it
} import_work;

static int work_on(void *given) {
  const import_work *w = given;
  const cli_args *args = w->args;
  mien_rig *rig = NULL;
  mien_take *take = NULL;
  int code = w->is_own ? read_own(args, w->job, &rig, &take) : import_file(w->job, &rig, &take);
  if (code == CLI_DONE) code = save(args, rig, take, w->out);
  if (code == CLI_DONE) {
    const mien_rig_info *info = mien_rig_get_info(rig);
    if (args->json)
      print_json(info, take, args, w->out);
    else
      print_text(info, take, w->out);
    if (!args->json) cli_remarks(info->remarks, info->nremark);
    if (!args->json && !info->nshape) cli_remarks(&no_shapes, 1);
  }
  mien_take_free(take);
  mien_rig_free(rig);
  return code;
}

// A child runs Assimp, so that a crash or a flood of memory does not take this program with it.
static int work_apart(import_work *w) {
  struct stat about;
  mi_child_limits limits =
      mi_child_limits_for(stat(w->job->path, &about) ? 0 : (size_t)about.st_size);
  return child_run(work_on, w, &limits, "Assimp");
}

static int run(const cli_args *args) {
  mien_rig_opts opts;
  mien_host host;
  cli_host(args, &host);
  import_job job = {.path = args->nargument ? args->argument[0] : cli_sample("head.glb"),
                    .opts = &opts,
                    .host = &host};
  if (!cli_rig_options(args, &opts)) return CLI_USAGE;
  char named[4096];
  name_output(job.path, named, sizeof named);
  const char *out = cli_value(args, "out", named);
  if (!has_ending(out, ".glb")) return cli_usage("rigs are .glb files, '%s' is not one", out);
  int code = cli_check_output(args, out);
  if (!code) code = cli_check_output(args, cli_value(args, "take", NULL));
  if (code) return code;
  bool is_own = is_folder(job.path) || has_ending(job.path, ".glb") ||
                has_ending(job.path, ".gltf") || has_ending(job.path, ".vrm") ||
                has_ending(job.path, ".obj");
  import_work w = {args, &job, out, is_own};
  return w.is_own || !import_is_built() ? work_on(&w) : work_apart(&w);
}

const cli_command cli_import = {
    .name = "import",
    .arguments = "[FILE]",
    .summary = "turn an FBX, DAE, OBJ or glTF file, or a folder of OBJ files, into a rig",
    .details =
        "Every mesh in the scene becomes a part of the rig, in its place in the world. Morph "
        "targets\n"
        "become shapes; the same name on several meshes is one shape. The unit and the up axis "
        "are\n"
        "the file's own; when that makes no head the usual units are tried and a note says so.\n"
        "A folder holds neutral.obj and one .obj per shape; one .obj is a neutral alone.\n"
        "Animation is read from FBX and glTF files, not from DAE.\n"
        "\n"
        "With --json: out, vertices, render_vertices, triangles, parts, shapes, source_unit_m,\n"
        "size_cm, frames, notes, and take when one was written.",
    .options = options,
    .most_arguments = 1,
    .run = run,
};
