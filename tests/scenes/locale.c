#include "scenes/scene.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The Turkish small letter of I is none of ASCII; here no letter has one.
static const char definition[] =
    "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n"
    "LC_CTYPE\ntolower (<U0041>,<U0062>)\nEND LC_CTYPE\n";

bool scene_use_decimal_comma(void) {
  char folder[] = "/tmp/mien_locale_XXXXXX", command[200];
  if (!mkdtemp(folder)) return false;
  snprintf(command, sizeof command, "%s/comma.def", folder);
  FILE *file = fopen(command, "w");
  bool is_written = file && fputs(definition, file) >= 0;
  if (!file || fclose(file) != 0 || !is_written) return false;
  // what it does not define is the C locale's, which is a warning and the exit code 1
  snprintf(command, sizeof command, "localedef -c -i %s/comma.def %s/comma 2>/dev/null", folder,
           folder);
  (void)!system(command);
  setenv("LOCPATH", folder, 1);
  bool is_used = setlocale(LC_ALL, "comma") != NULL;
  snprintf(command, sizeof command, "rm -rf %s", folder);
  (void)!system(command);
  return is_used && !strcmp(localeconv()->decimal_point, ",");
}
