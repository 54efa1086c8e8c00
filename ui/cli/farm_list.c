// Which shots: files, folders that hold a shot.json, lists.
#include "farm.h"
#include "sha256.h"
#include "shot.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// "sq10/sh020/shot.json" -> "sq10_sh020-1a2b3c4d"
static char *name_shot(const char *path) {
  char digest[65], name[128] = "";
  const char *from = path + strlen(path);
  for (int k = 0; k < 3 && from > path;) {
    from--;
    k += *from == '/';
  }
  size_t length = 0;
  for (const char *at = from; *at && length < sizeof name - 1; at++) {
    bool is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                    (*at >= '0' && *at <= '9') || *at == '-' || *at == '_';
    if (is_plain || length) name[length++] = is_plain ? *at : '_';
  }
  name[length] = 0;
  char *end = strstr(name, "_json");
  if (end) *end = 0;
  length = strlen(name);
  if (length > 5 && !strcmp(name + length - 5, "_shot")) name[length - 5] = 0;
  sha256(path, strlen(path), digest);
  char both[160];
  snprintf(both, sizeof both, "%.100s-%.8s", name, digest);
  return strdup(both);
}

static json_t *stamp(const char *path) {
  struct stat about;
  char whole[PATH_MAX];
  if (!realpath(path, whole) || stat(whole, &about) != 0) return NULL;
  return json_pack("[o, I, f]", cli_json_path(whole), (json_int_t)about.st_size,
                   (double)about.st_mtim.tv_sec + 1e-9 * (double)about.st_mtim.tv_nsec);
}

// Finds the name of its record and the files that it reads.
static void look_into(farm_shot *shot) {
  cli_args args = {.command = &cli_bake};
  shot_file file;
  int code = shot_open(shot->path, &args, &file);
  const char *out = code ? NULL : cli_value(&args, "out", NULL);
  shot->stamps = json_array();
  if (code) {
    snprintf(shot->why, sizeof shot->why, "%s", cli_said_error());
    shot->is_hopeless = code == CLI_USAGE;
  } else if (!out) {
    snprintf(shot->why, sizeof shot->why, "%.400s names no outputs.cache", shot->path);
    shot->is_hopeless = true;
    cli_fail("%s", shot->why);
  } else {
    char folder[PATH_MAX], whole[PATH_MAX], record[PATH_MAX + 8];
    snprintf(folder, sizeof folder, "%s", out);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    // the bake reports a folder that is missing
    if (!realpath(slash ? folder : ".", whole)) snprintf(whole, sizeof whole, "%s", folder);
    snprintf(record, sizeof record, "%.3000s/%.1000s.json", whole, slash ? slash + 1 : out);
    shot->record = strdup(record);
    json_array_append_new(shot->stamps, stamp(shot->path));
    for (int i = 0; i < file.ninput; i++)
      json_array_append_new(shot->stamps, stamp(file.inputs[i]));
  }
  if (shot->why[0]) shot->status = FARM_FAILED;
  shot_close(&file);
}

// FNV-1a
static uint64_t key_of(const char *path) {
  uint64_t key = 14695981039346656037u;
  for (; *path; path++) key = (key ^ (unsigned char)*path) * 1099511628211u;
  return key;
}

static bool add_shot(farm *f, const char *path) {
  char inside[PATH_MAX], whole[PATH_MAX];
  struct stat about;
  if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
    snprintf(inside, sizeof inside, "%.4000s/shot.json", path);
    path = inside;
  }
  if (!realpath(path, whole)) {
    cli_fail("the shot '%s' cannot be read: %s", path, strerror(errno));
    return false;
  }
  if (strpbrk(whole, "\r\n")) { // a list has a path a line
    cli_fail("the shot '%s' has a line end in its path", path);
    return false;
  }
  uint64_t key = key_of(whole);
  for (int i = 0; i < f->nshot; i++)
    if (f->shots[i].key == key && !strcmp(f->shots[i].path, whole)) return true; // named twice
  if (!(f->nshot & (f->nshot - 1))) { // room doubles at powers of two
    farm_shot *more = realloc(f->shots, (size_t)(f->nshot ? 2 * f->nshot : 1) * sizeof *more);
    if (more) f->shots = more;
    if (!more) return cli_fail("out of memory") == CLI_DONE;
  }
  farm_shot *shot = f->shots + f->nshot++;
  *shot = (farm_shot){.path = strdup(whole), .key = key, .name = name_shot(whole)};
  return shot->path && shot->name;
}

// One path a line, relative to the list; empty lines and those with # are left out.
static bool add_list(farm *f, const char *path) {
  char line[PATH_MAX], whole[2 * PATH_MAX];
  FILE *file = fopen(path, "r");
  if (!file) {
    cli_fail("the list '%s' cannot be read: %s", path, strerror(errno));
    return false;
  }
  const char *slash = strrchr(path, '/');
  bool is_good = true;
  while (is_good && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\r\n")] = 0;
    if (!line[0] || line[0] == '#') continue;
    int above = line[0] != '/' && slash ? (int)(slash + 1 - path) : 0;
    snprintf(whole, sizeof whole, "%.*s%s", above, path, line);
    is_good = add_shot(f, whole);
  }
  fclose(file);
  return is_good;
}

static int by_record(const void *a, const void *b) {
  const farm_shot *const *x = a, *const *y = b;
  int order = strcmp((*x)->record ? (*x)->record : "", (*y)->record ? (*y)->record : "");
  return order ? order : (*x > *y) - (*x < *y);
}

// Two shots that write the same cache would undo each other.
static bool refuse_same_caches(farm *f) {
  farm_shot **order = malloc(((size_t)f->nshot + 1) * sizeof *order);
  if (!order) return cli_fail("out of memory") == CLI_DONE;
  for (int i = 0; i < f->nshot; i++) order[i] = f->shots + i;
  qsort(order, (size_t)f->nshot, sizeof *order, by_record);
  for (int i = 1; i < f->nshot; i++) {
    farm_shot *shot = order[i];
    if (!shot->record || !order[i - 1]->record || strcmp(shot->record, order[i - 1]->record))
      continue;
    snprintf(shot->why, sizeof shot->why, "%.200s writes the same cache as %.200s", shot->path,
             order[i - 1]->path);
    cli_fail("%s", shot->why);
    shot->status = FARM_FAILED;
    shot->is_hopeless = true;
  }
  free(order);
  return true;
}

// Keeps one shot of the list, as a task of an engine asks.
static bool pick(farm *f) {
  double k;
  if (!cli_given(f->args, "pick")) return true;
  if (!cli_number(f->args, "pick", 0, f->nshot - 1, 0, &k)) return false;
  for (int i = 0; i < f->nshot; i++) {
    if (i == (int)k) continue;
    free(f->shots[i].path);
    free(f->shots[i].name);
  }
  f->shots[0] = f->shots[(int)k];
  f->nshot = 1;
  return true;
}

bool farm_list_shots(farm *f) {
  const char *list = cli_value(f->args, "list", NULL);
  bool is_good = !list || add_list(f, list);
  for (int i = 0; i < f->args->nargument && is_good; i++)
    is_good = add_shot(f, f->args->argument[i]);
  if (!is_good) return false;
  if (!f->nshot) {
    cli_usage("no shots are named; see 'mien farm --help'");
    return false;
  }
  if (!pick(f)) return false;
  for (int i = 0; i < f->nshot; i++) look_into(f->shots + i);
  return refuse_same_caches(f);
}

void farm_free(farm *f) {
  for (int i = 0; i < f->nshot; i++) {
    farm_shot *shot = f->shots + i;
    json_decref(shot->stamps);
    json_decref(shot->result);
    free(shot->path);
    free(shot->name);
    free(shot->record);
  }
  free(f->shots);
}
