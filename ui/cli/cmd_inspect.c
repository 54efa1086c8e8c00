#include "cli.h"

#include "inspect.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const cli_option options[] = {
    {"take", 0, "TAKE", "of a rig: which of its shapes a take's channels drive"},
    {"map", 0, "NAMES.json", "what the take's channels are called on the rig"},
    CLI_RIG_OPTIONS,
    {NULL, 0, NULL, NULL},
};

typedef enum file_kind { FILE_RIG, FILE_TAKE, FILE_CACHE, FILE_FOREIGN, FILE_MISSING } file_kind;

// By what is in it; a text that nothing else claims is a take.
static file_kind kind_of(const char *path) {
  struct stat info;
  char start[12] = "";
  if (!stat(path, &info) && S_ISDIR(info.st_mode)) return FILE_RIG;
  FILE *file = fopen(path, "rb");
  if (!file) return FILE_MISSING;
  size_t got = fread(start, 1, sizeof start, file);
  fclose(file);
  if (got >= 4 && !memcmp(start, "glTF", 4)) return FILE_RIG;
  if (got == 12 && !memcmp(start, "POINTCACHE2", 12)) return FILE_CACHE;
  const char *dot = strrchr(path, '.');
  static const char *const rigs[] = {".glb", ".gltf", ".vrm", ".obj"};
  for (size_t k = 0; dot && k < sizeof rigs / sizeof *rigs; k++)
    if (!strcasecmp(dot, rigs[k])) return FILE_RIG;
  if (dot && !strcasecmp(dot, ".pc2")) return FILE_CACHE;
  if (dot && !strcasecmp(dot, ".csv")) return FILE_TAKE;
  return FILE_FOREIGN;
}

static json_t *read_rig(const cli_args *args, const char *path, const mien_host *host,
                        mien_error *err) {
  mien_rig *rig = NULL;
  mien_take *animation = NULL;
  mien_error none;
  mien_rig_opts opts;
  if (!cli_rig_options(args, &opts)) return json_null();
  if (mien_rig_import(path, &opts, host, &rig, err) < 0) return NULL;
  struct stat info;
  if (!stat(path, &info) && !S_ISDIR(info.st_mode)) mien_take_load(path, host, &animation, &none);
  json_t *report = inspect_rig(rig, animation, host);
  const char *wanted = cli_value(args, "take", NULL);
  mien_take *take = wanted ? cli_load_take(args, wanted) : NULL;
  if (take) take = cli_bind_take(args, take, rig);
  if (take) json_object_set_new(report, "matching", inspect_matching(rig, take));
  if (wanted && !take) {
    json_decref(report);
    report = json_null();
  }
  mien_take_free(take);
  mien_take_free(animation);
  mien_rig_free(rig);
  return report;
}

static json_t *read_take(const char *path, const mien_host *host, mien_error *err) {
  mien_take *take = NULL;
  if (mien_take_load(path, host, &take, err) < 0) return NULL;
  json_t *report = inspect_take(take);
  mien_take_free(take);
  return report;
}

static json_t *read_cache(const char *path, const mien_host *host, mien_error *err) {
  mien_cache *cache = NULL;
  if (mien_cache_load(path, host, &cache, err) < 0) return NULL;
  json_t *report = inspect_cache(cache);
  mien_cache_free(cache);
  return report;
}

static int run(const cli_args *args) {
  const char *path = args->nargument ? args->argument[0] : cli_sample("head.glb");
  mien_host host;
  mien_error err = {.code = MIEN_ERR_MEMORY};
  json_t *report = NULL;
  cli_host(args, &host);
  switch (kind_of(path)) {
  case FILE_RIG:
    report = read_rig(args, path, &host, &err);
    break;
  case FILE_TAKE:
    report = read_take(path, &host, &err);
    break;
  case FILE_CACHE:
    report = read_cache(path, &host, &err);
    break;
  case FILE_MISSING:
    return cli_fail("%s: %s", path, strerror(errno));
  case FILE_FOREIGN:
    return cli_fail("%s: neither a rig (.glb, .gltf, .vrm, .obj or a folder of .obj files) nor a "
                    ".csv take nor a .pc2 cache; 'mien import' turns FBX and DAE files into rigs",
                    path);
  }
  if (!report) return cli_report(&err, path);
  if (json_is_null(report)) return CLI_FAILED; // said already
  json_object_set_new(report, "file", cli_json_path(path));
  if (args->json) {
    cli_print_json(report);
  } else {
    inspect_print(report);
    json_decref(report);
  }
  return CLI_DONE;
}

const cli_command cli_inspect = {
    .name = "inspect",
    .arguments = "[FILE]",
    .summary = "describe a rig, a face, a take or a point cache, and list its defects",
    .details =
        "FILE is a .glb, a folder of .obj files, a .csv take or a .pc2 cache; the sample head "
        "when\n"
        "none is given. A rig is made into a face, too, to see whether its mouth and jaw are "
        "found.\n"
        "\n"
        "Keys with --json; lengths are in the unit their key ends with.\n"
        "  always   file, kind (rig, face, take, cache), warnings\n"
        "  rig      name, source_unit_m, vertices, render_vertices, triangles, has_uvs, "
        "has_colours,\n"
        "           size_cm, box_min_cm, box_max_cm, landmarks, remarks\n"
        "           parts: name, kind, vertices, triangles, open_edges, open_borders,\n"
        "             non_manifold_edges, flipped_edges, flat_triangles, isolated_vertices\n"
        "           shapes: name, vertices, largest_mm     maps: name, width, min, max\n"
        "           animation (or null): channels, frames, frame_rate, seconds\n"
        "           jaw (or null): hinge_cm, axis, open_degrees\n"
        "           flesh (or null): mouth, slit_vertices, skin_vertices, vertices, tetrahedra,\n"
        "             attached, thinned, left_out_triangles, regions, thickness_mm (least, mean,\n"
        "             most), quality_min, volume_cm3, mass_g\n"
        "  take     name, frames, start, end, frame_rate, channels: name, min, max\n"
        "           head (or null): largest_way_cm, largest_turn_degrees\n"
        "  cache    points, frames, first_frame, box_min_cm, box_max_cm, largest_change_mm",
    .options = options,
    .most_arguments = 1,
    .run = run,
};
