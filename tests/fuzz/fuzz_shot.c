// Any bytes as a shot file. What is refused has a sentence that begins with the file and is clean
// text; what is accepted names a rig, and its keys are read again. Run: fuzz_shot corpus/shot
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mkdtemp
#endif
#include "limited_host.h"
#include "param_keys.h"
#include "shot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Files that a shot may name stand beside it; what is in them is read by others.
static const char *const beside[] = {"rig.glb", "take.csv", "names.json"};
enum { NBESIDE = sizeof beside / sizeof *beside };
static char folder[] = "/tmp/mien_fuzz_XXXXXX", path[64];
static cli_option options[CLI_MOST];
static cli_command bake = {.name = "bake", .options = options, .settings = -1};

// The presets' folder (ui/cli/files.c), which no shot asks for before it is baked.
const char *cli_sample(const char *name) {
  return name;
}

static void name_beside(int k, char name[64]) {
  snprintf(name, 64, "%s/%s", folder, beside[k]);
}

static void clean(void) {
  char name[64];
  for (int k = 0; k < NBESIDE; k++) {
    name_beside(k, name);
    unlink(name);
  }
  unlink(path);
  rmdir(folder);
}

// The options are those that the table of keys knows.
static bool set_up(void) {
  int count = 0;
  for (const shot_key *row = shot_keys; row->path; row++)
    if (row->option) options[count++] = (cli_option){row->option, 0, "TEXT", ""};
  if (!mkdtemp(folder)) return false;
  atexit(clean);
  snprintf(path, sizeof path, "%s/shot.json", folder);
  for (int k = 0; k < NBESIDE; k++) {
    char name[64];
    name_beside(k, name);
    FILE *file = fopen(name, "wb");
    if (!file || fclose(file)) return false;
  }
  stderr = fopen("/dev/null", "w"); // sentences; the sanitizer writes to the descriptor
  return stderr != NULL;
}

static bool is_clean(const char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 127) return false;
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool is_set_up;
  if (!is_set_up && !set_up()) abort();
  is_set_up = true;
  FILE *file = fopen(path, "wb");
  if (!file) return 0;
  if (size) fwrite(data, size, 1, file);
  fclose(file);
  cli_args args = {.command = &bake};
  shot_file shot;
  int code = shot_open(path, &args, &shot);
  if (code) {
    const char *said = cli_said_error();
    if ((code != CLI_FAILED && code != CLI_USAGE) || !is_clean(said)) abort();
  } else {
    param_keys keys;
    const char *inline_keys = cli_value(&args, "keys", "{}");
    if (args.nargument != 1 || !args.argument[0][0] || shot.ninput < 1) abort();
    if (inline_keys[0] == '{' && !param_keys_open(inline_keys, &keys)) abort();
    if (inline_keys[0] == '{') param_keys_free(&keys);
  }
  shot_close(&shot);
  return 0;
}
