// mien doctor: what is here, what is missing, how fast this machine is.
#include "cli.h"

#include "capture.h"
#include "import_assimp.h"
#include "tetrahedra.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const cli_option options[] = {{NULL, 0, NULL, NULL}};

typedef struct check {
  const char *what, *why, *package;
  bool is_there;
} check;

static bool on_path(const char *program) {
  const char *path = getenv("PATH");
  char file[4096];
  while (path && *path) {
    size_t length = strcspn(path, ":");
    snprintf(file, sizeof file, "%.*s/%s", (int)length, path, program);
    if (!access(file, X_OK)) return true;
    path += length + (path[length] == ':');
  }
  return false;
}

static bool is_readable(const char *path) {
  struct stat found;
  return !stat(path, &found) && found.st_size > 0;
}

// Poses the sample head again and again: one number to compare machines by.
static double poses_per_second(const cli_args *args) {
  mien_rig *rig = cli_load_rig(args, NULL);
  if (!rig) return 0;
  const mien_rig_info *info = mien_rig_get_info(rig);
  float *weights = calloc((size_t)info->nshape, sizeof *weights);
  float *out = calloc(3 * (size_t)info->nvert, sizeof *out);
  double best = 0;
  for (int s = 0; weights && s < info->nshape; s++) weights[s] = 0.5f;
  for (int repeat = 0; weights && out && repeat < 5; repeat++) {
    double start = cli_clock();
    for (int i = 0; i < 20; i++) mien_rig_pose(rig, weights, info->nshape, out, NULL);
    double rate = 20 / (cli_clock() - start);
    if (rate > best) best = rate;
  }
  free(weights);
  free(out);
  mien_rig_free(rig);
  return best;
}

static int run(const cli_args *args) {
  const check checks[] = {
      {"sample rigs", "commands without a file use them", "(run ./run build)",
       is_readable(cli_sample("head.glb"))},
      {"ffmpeg", "videos", "ffmpeg", on_path("ffmpeg")},
      {"Assimp", "mien import for FBX and DAE", "libassimp-dev, then rebuild", import_is_built()},
      {"TetGen", "mien attach --flesh volume", "libtet1.5-dev, then rebuild",
       cli_tetrahedralise() != NULL},
      {"OpenCV", "cameras and videos for tracking", "libopencv-dev, then ./run live",
       capture_is_built() != 0},
      {"Blender", "the tests that open our files in it", "blender", on_path("blender")},
  };
  enum { NCHECK = sizeof checks / sizeof *checks };
  double rate = checks[0].is_there ? poses_per_second(args) : 0;
  if (args->json) {
    json_t *list = json_array();
    for (int i = 0; i < NCHECK; i++)
      json_array_append_new(list, json_pack("{s:s, s:b, s:s}", "what", checks[i].what, "there",
                                            checks[i].is_there, "for", checks[i].why));
    cli_print_json(json_pack("{s:s, s:f, s:o}", "build", mien_build_info(), "poses_per_second",
                             rate, "checks", list));
    return CLI_DONE;
  }
  printf("%s, %ld processors\n", mien_build_info(), sysconf(_SC_NPROCESSORS_ONLN));
  for (int i = 0; i < NCHECK; i++)
    printf("  %-12s %-8s %s%s%s\n", checks[i].what, checks[i].is_there ? "yes" : "missing",
           checks[i].why, checks[i].is_there ? "" : ": package ",
           checks[i].is_there ? "" : checks[i].package);
  if (rate > 0) printf("speed: %.0f poses of the sample head per second, all shapes on\n", rate);
  return checks[0].is_there ? CLI_DONE : CLI_FAILED;
}

const cli_command cli_doctor = {"doctor",
                                "",
                                "what is installed, what is missing, how fast this machine is",
                                "Exit code 1 when something that every command needs is missing.",
                                options,
                                0,
                                run,
                                0,
                                NULL};
