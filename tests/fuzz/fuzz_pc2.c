// Any bytes as a .pc2 cache, and as the part of one that is to be resumed. Run: fuzz_pc2 corpus/pc2
#define _GNU_SOURCE

#include "io/cache.h"
#include "io/io.h"
#include "limited_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void read_it(const char *path, const mien_host *host) {
  mi_arena arena;
  mi_arena_init(&arena, host);
  mi_pc2_frames frames;
  mien_error err;
  if (mi_pc2_read(path, &arena, &frames, &err) >= 0) {
    float last = 0;
    for (int64_t i = 0; i < (int64_t)frames.nframe * frames.def.npoint * 3; i++)
      last = frames.points[i];
    if (last == 1) putchar(0); // the points must be there to be read
  }
  mi_arena_free(&arena);
}

static void resume_it(const char *path, const mien_host *host) {
  mi_pc2_def def = {.npoint = 2, .start = 0, .step = 1};
  mi_pc2 *pc2;
  int nframe;
  mien_error err;
  if (mi_pc2_resume(path, &def, -1, host, &pc2, &nframe, &err) < 0) return;
  const float points[6] = {0};
  mi_pc2_append(pc2, &(mien_f32s){points, 2, 3}, &err);
  mi_pc2_suspend(pc2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mien_host host;
  char folder[] = "/tmp/mien-fuzz-XXXXXX", whole[64], part[64];
  if (!make_limited_host(&host) || !mkdtemp(folder)) return 0;
  snprintf(whole, sizeof whole, "%s/a.pc2", folder);
  snprintf(part, sizeof part, "%s/a.pc2.part", folder);
  FILE *file = fopen(part, "wb");
  if (file) {
    fwrite(data, 1, size, file);
    fclose(file);
    read_it(part, &host);
    resume_it(whole, &host);
  }
  remove(part);
  rmdir(folder);
  return 0;
}
