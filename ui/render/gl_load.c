#include "gl_load.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

rd_gl_table rd_gl;

static const struct function {
  const char *name;
  size_t at; // in the table
} functions[] = {
#define RD_GL_ROW(name) {#name, offsetof(rd_gl_table, name##_)},
    RD_GL_FUNCTIONS(RD_GL_ROW)
#undef RD_GL_ROW
};

static bool is_loaded;

static void load(void) {
  static const char *const libraries[] = {"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"};
  void *library = NULL;
  for (int k = 0; !library && k < 3; k++) library = dlopen(libraries[k], RTLD_LAZY | RTLD_LOCAL);
  if (!library) return;
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    void *found = dlsym(library, functions[k].name);
    if (!found) return;
    memcpy((char *)&rd_gl + functions[k].at, &found, sizeof found);
  }
  is_loaded = true;
}

bool rd_gl_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  return !pthread_once(&once, load) && is_loaded;
}
