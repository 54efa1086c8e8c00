// Files of the command line get their name when they are whole.
#include "cli.h"
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same_file(const char *a, const char *b) {
  struct stat one, other;
  return a && a != b && !stat(a, &one) && !stat(b, &other) && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

int cli_check_output(const cli_args *args, const char *path) {
  char why[MI_OUTPUT_WHY];
  bool is_named = false;
  if (!path) return CLI_DONE;
  for (int i = 0; args && i < args->nargument; i++)
    is_named |= is_same_file(args->argument[i], path);
  for (int i = 0; args && i < CLI_MOST; i++) is_named |= is_same_file(args->value[i], path);
  if (is_named)
    return cli_usage("'%s' would be written over itself; choose another name for what is made",
                     path);
  return mi_output_check(path, why) ? CLI_DONE : cli_fail("%s", why);
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

FILE *cli_open_left(const char *path) {
  struct stat about;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool is_file = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  FILE *file = is_file ? fdopen(fd, "rb") : NULL;
  if (fd >= 0 && !file) close(fd);
  return file;
}

json_t *cli_load_left(const char *path) {
  FILE *file = cli_open_left(path);
  json_t *json = file ? json_loadf(file, 0, NULL) : NULL;
  if (file) fclose(file);
  return json;
}
