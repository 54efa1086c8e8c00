#include "frames_sum.h"

#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEADER = 32 }; // of a .pc2

// Frames of other formats, and of one file for each mesh, wait in a .pc2 beside them.
static FILE *open_part(const char *cache) {
  size_t length = strlen(cache);
  bool is_pc2 = length > 4 && !strcasecmp(cache + length - 4, ".pc2") && !strstr(cache, "{mesh}");
  char path[4096];
  snprintf(path, sizeof path, "%s%s.part", cache, is_pc2 ? "" : ".frames");
  return cli_open_left(path);
}

// FNV-1a, by coordinates instead of bytes: a frame of a large head takes a millisecond.
static uint64_t add(uint64_t value, const uint32_t *words, size_t count) {
  for (size_t i = 0; i < count; i++) value = (value ^ words[i]) * 1099511628211u;
  return value;
}

bool frames_sum_extend(frames_sum *sum, const char *cache, int npoint, int nframe) {
  size_t count = 3 * (size_t)npoint;
  if (sum->nframe == nframe) return true;
  FILE *file = open_part(cache);
  uint32_t *words = malloc(count * sizeof *words);
  bool good =
      file && words &&
      fseeko(file, (off_t)(HEADER + count * sizeof *words * (size_t)sum->nframe), SEEK_SET) == 0;
  for (; good && sum->nframe < nframe; sum->nframe += good) {
    good = fread(words, sizeof *words, count, file) == count;
    if (good) sum->value = add(sum->value, words, count);
  }
  free(words);
  if (file) fclose(file);
  return good;
}
