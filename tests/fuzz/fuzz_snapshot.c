// Any bytes as the .state of an unfinished bake: as they are, and as what follows a good header.
// What is refused leaves the state as it was. Run: fuzz_snapshot corpus/state
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mkdtemp
#endif
#include "limited_host.h"
#include "small_face.h"
#include "snapshot_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static mien_state *state;
static snapshot_signature signature;
static char cache[64], path[80], folder[] = "/tmp/mien_fuzz_XXXXXX";
static unsigned char head[256];
static size_t head_size;

static void clean(void) {
  unlink(path);
  rmdir(folder);
}

// The header of a good one is what stands before its snapshot.
static bool set_up(void) {
  state = small_face_state();
  if (!state || !mkdtemp(folder)) return false;
  snprintf(cache, sizeof cache, "%s/c", folder);
  snprintf(path, sizeof path, "%s.state", cache);
  atexit(clean);
  snapshot_sign(&signature, "x", 1);
  bake_tally tally = {.runs = 1};
  if (snapshot_write(cache, 3, &signature, &tally, state) ||
      snapshot_read(cache, &signature, &tally, state) != 3)
    return false;
  bake_tally_free(&tally);
  FILE *file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  head_size = (size_t)ftell(file) - mien_state_size(state);
  rewind(file);
  bool done = head_size <= sizeof head && fread(head, head_size, 1, file) == 1;
  fclose(file);
  return done;
}

static void try_it(const void *first, size_t nfirst, const void *rest, size_t nrest) {
  FILE *file = fopen(path, "wb");
  if (!file) return;
  if (nfirst) fwrite(first, nfirst, 1, file);
  if (nrest) fwrite(rest, nrest, 1, file);
  fclose(file);
  uint64_t before = mien_state_hash(state);
  bake_tally tally = {.runs = 0};
  int next = snapshot_read(cache, &signature, &tally, state);
  bake_tally_free(&tally);
  if (next < 0 && mien_state_hash(state) != before) abort();
  if (next < SNAPSHOT_FOREIGN || next >= 1 << 30) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!state && !set_up()) abort();
  try_it(data, size, NULL, 0);
  try_it(head, head_size, data, size);
  return 0;
}
