#include "snapshot_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct file_header {
  char magic[8];
  int64_t next_frame;
  snapshot_signature signature;
} file_header;

static const char MAGIC[8] = "mienbak2";

static void name_file(const char *cache, const char *end, char path[4096]) {
  snprintf(path, 4096, "%s.state%s", cache, end);
}

bool snapshot_write(const char *cache, int next_frame, const snapshot_signature *signature,
                    const mien_state *state) {
  char path[4096], part[4096];
  size_t size = mien_state_size(state);
  void *bytes = malloc(size);
  file_header head = {.next_frame = next_frame, .signature = *signature};
  memcpy(head.magic, MAGIC, sizeof MAGIC);
  name_file(cache, "", path);
  name_file(cache, ".part", part);
  FILE *file = bytes ? fopen(part, "wb") : NULL;
  bool done = file && mien_state_write(state, bytes, size, NULL) >= 0 &&
              fwrite(&head, sizeof head, 1, file) == 1 && fwrite(bytes, size, 1, file) == 1 &&
              !fflush(file) && !fsync(fileno(file));
  if (file && fclose(file)) done = false;
  done = done && !rename(part, path);
  if (!done) unlink(part);
  free(bytes);
  if (!done) cli_fail("'%s' could not be written", path);
  return done;
}

int snapshot_read(const char *cache, const snapshot_signature *signature, mien_state *state) {
  char path[4096];
  size_t size = mien_state_size(state);
  void *bytes = malloc(size);
  file_header head;
  name_file(cache, "", path);
  FILE *file = bytes ? fopen(path, "rb") : NULL;
  bool is_ours =
      file && fread(&head, sizeof head, 1, file) == 1 && !memcmp(head.magic, MAGIC, sizeof MAGIC);
  bool is_same = is_ours && !memcmp(&head.signature, signature, sizeof *signature);
  bool whole =
      is_same && fread(bytes, size, 1, file) == 1 && mien_state_read(state, bytes, size, NULL) >= 0;
  if (file) fclose(file);
  free(bytes);
  if (is_ours && !is_same) return -1;
  return whole && head.next_frame > 0 && head.next_frame < 1 << 30 ? (int)head.next_frame : 0;
}

void snapshot_remove(const char *cache) {
  char path[4096];
  name_file(cache, "", path);
  unlink(path);
}
