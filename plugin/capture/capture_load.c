// The module with OpenCV in it, found beside the program: in the folder `mien` of its libraries.
#include "capture_module.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const capture_module *loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Folders of libraries, seen from the program's own.
static const char *const FOLDERS[] = {"../lib/mien", "../" MIEN_LIBRARY_FOLDER "/mien"};

// The path of the module, whole and readable, or false.
static bool find_module(char *path, size_t size) {
  char program[1024];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return false;
  program[length] = 0;
  *strrchr(program, '/') = 0;
  for (size_t k = 0; k < sizeof FOLDERS / sizeof *FOLDERS; k++) {
    int written = snprintf(path, size, "%s/%s/" CAPTURE_MODULE_FILE, program, FOLDERS[k]);
    if (written > 0 && (size_t)written < size && !access(path, R_OK)) return true;
  }
  return false;
}

// It stays: OpenCV does not survive being unloaded.
static void load(void) {
  char path[1200];
  void *library = find_module(path, sizeof path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  const capture_module *module = library ? dlsym(library, CAPTURE_MODULE_SYMBOL) : NULL;
  if (module && module->version == CAPTURE_MODULE_VERSION) loaded = module;
}

static const capture_module *get_module(mien_error *err) {
  pthread_once(&once, load);
  if (!loaded)
    capture_fail(err, MIEN_ERR_IO,
                 "this build has no cameras and videos: run './run live', or install "
                 "libopencv-dev and build with -DMIEN_CAPTURE=ON");
  return loaded;
}

int capture_is_built(void) {
  char path[1200];
  return find_module(path, sizeof path);
}

mien_result capture_open_opencv(const capture_def *def, capture_kind kind, capture_source *out,
                                mien_error *err) {
  const capture_module *module = get_module(err);
  return module ? module->open(def, kind, out, err) : MIEN_ERR_IO;
}

mien_result capture_finder_open(const char *file, capture_finder **out, mien_error *err) {
  const capture_module *module = get_module(err);
  return module ? module->finder_open(file, out, err) : MIEN_ERR_IO;
}

int capture_find(void *finder, const mien_image *image, mien_box *box, int most) {
  return loaded->find(finder, image, box, most); // who has a finder has the module
}

void capture_finder_close(capture_finder *finder) {
  if (finder) loaded->finder_close(finder);
}
