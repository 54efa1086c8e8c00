#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The samples lie in ../share/mien beside the program, installed or not.
const char *cli_sample(const char *name) {
  static char path[4096];
  char program[3072];
  const char *folder = getenv("MIEN_DATA");
  if (folder) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
  }
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = 0;
  char *slash = strrchr(program, '/');
  if (slash) *slash = 0;
  snprintf(path, sizeof path, "%s/../share/mien/%s", program, name);
  return path;
}

void cli_host(const cli_args *args, mien_host *host) {
  mien_host_init(host);
  host->threads = args->threads;
}

mien_rig *cli_load_rig(const cli_args *args, const char *name) {
  mien_host host;
  mien_error err;
  mien_rig *rig = NULL;
  const char *path = name ? name : cli_sample("head.glb");
  cli_host(args, &host);
  mien_rig_opts opts;
  if (!cli_rig_options(args, &opts)) return NULL;
  if (mien_rig_import(path, &opts, &host, &rig, &err) >= 0) return rig;
  cli_report(&err, path);
  return NULL;
}

mien_take *cli_load_take(const cli_args *args, const char *name) {
  mien_host host;
  mien_error err;
  mien_take *take = NULL;
  const char *path = name ? name : cli_sample("phrase.csv");
  cli_host(args, &host);
  if (mien_take_load(path, &host, &take, &err) >= 0) return take;
  cli_report(&err, path);
  return NULL;
}

bool cli_make_folder(const char *path) {
  char part[4096];
  snprintf(part, sizeof part, "%s", path);
  for (char *at = part + 1;; at++) {
    if (*at && *at != '/') continue;
    char kept = *at;
    *at = 0;
    if (mkdir(part, 0777) && errno != EEXIST) {
      cli_fail("the folder '%s' could not be made: %s", part, strerror(errno));
      return false;
    }
    if (!kept) return true;
    *at = kept;
  }
}
