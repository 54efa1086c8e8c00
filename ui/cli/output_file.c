// Files of the command line get their name when they are whole.
#include "cli.h"
#include "io/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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
