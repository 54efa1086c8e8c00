#include "cli.h"
#include "io/output.h"

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

bool cli_may_write(const char *path) {
  char why[MI_OUTPUT_WHY];
  bool may = !path || mi_output_check(path, why);
  if (!may) cli_fail("%s", why);
  return may;
}

FILE *cli_create(const char *path) {
  char why[MI_OUTPUT_WHY];
  int fd = mi_output_open(path, MI_OUTPUT_NEW, why);
  FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (fd < 0) cli_fail("%s", why);
  if (fd >= 0 && !file) {
    cli_fail("'%s' could not be written: %s", path, strerror(errno));
    mi_output_discard(fd, path);
    close(fd);
  }
  return file;
}

int cli_commit(FILE *file, const char *path) {
  char why[MI_OUTPUT_WHY] = "";
  bool good = fflush(file) == 0 && !ferror(file);
  if (!good) snprintf(why, sizeof why, "cannot write %.200s: %s", path, strerror(errno));
  good = good && mi_output_commit(fileno(file), path, why);
  if (!good) mi_output_discard(fileno(file), path);
  fclose(file);
  return good ? CLI_DONE : cli_fail("%s", why);
}

void cli_abandon(FILE *file, const char *path) {
  mi_output_discard(fileno(file), path);
  fclose(file);
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
