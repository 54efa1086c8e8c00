#include "snapshot_file.h"

#include "needed_libraries.h"
#include "sha256.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct file_header {
  char magic[8];
  int64_t next_frame;
  snapshot_signature signature;
  int64_t tally_size; // bytes of JSON before the state
} file_header;

enum { MOST_TALLY = 1 << 26 };

void snapshot_sign(snapshot_signature *signature, const void *bytes, size_t size) {
  char own[65], *digits = signature->digits;
  char both[sizeof signature->digits + sizeof own];
  sha256(bytes, size, own);
  snprintf(both, sizeof both, "%s%s", digits, own);
  sha256(both, strlen(both), digits);
}

void snapshot_sign_take(snapshot_signature *signature, const mien_take *take) {
  if (!take) return;
  const mien_take_info *info = mien_take_get_info(take);
  size_t nframe = (size_t)info->nframe, nchannel = (size_t)info->nchannel;
  snapshot_sign(signature, info->times, nframe * sizeof *info->times);
  if (info->weights)
    snapshot_sign(signature, info->weights, nframe * nchannel * sizeof *info->weights);
  if (info->head) snapshot_sign(signature, info->head, nframe * sizeof *info->head);
}

static void sign_library(void *signature, const void *bytes, size_t size) {
  snapshot_sign(signature, bytes, size);
}

bool snapshot_sign_build(snapshot_signature *signature) {
  FILE *file = fopen("/proc/self/exe", "rb");
  struct stat about;
  void *bytes = NULL;
  if (file && fstat(fileno(file), &about) == 0) bytes = malloc((size_t)about.st_size);
  bool is_read = bytes && fread(bytes, (size_t)about.st_size, 1, file) == 1;
  if (is_read) snapshot_sign(signature, bytes, (size_t)about.st_size);
  if (file) fclose(file);
  free(bytes);
  needed_libraries(sign_library, signature);
  snapshot_sign(signature, mien_build_info(), strlen(mien_build_info()));
  return is_read;
}

static const char MAGIC[8] = "mienbak4";

static void name_file(const char *cache, char path[4096]) {
  snprintf(path, 4096, "%s.state", cache);
}

int snapshot_write(const char *cache, int next_frame, const snapshot_signature *signature,
                   const bake_tally *tally, const mien_state *state) {
  char path[4096];
  size_t size = mien_state_size(state);
  void *bytes = malloc(size);
  json_t *json = bake_tally_json(tally);
  char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
  file_header head = {.next_frame = next_frame, .signature = *signature};
  json_decref(json);
  if (text) head.tally_size = (int64_t)strlen(text);
  memcpy(head.magic, MAGIC, sizeof MAGIC);
  name_file(cache, path);
  FILE *file = bytes ? cli_create(path) : NULL;
  if (!file) {
    free(text);
    free(bytes);
    return bytes ? CLI_FAILED : cli_fail("out of memory");
  }
  mien_error err;
  int code = mien_state_write(state, bytes, size, &err) < 0 ? cli_report(&err, path) : CLI_DONE;
  if (!code) { // a write that failed shows when it is committed
    fwrite(&head, sizeof head, 1, file);
    if (text) fwrite(text, (size_t)head.tally_size, 1, file);
    fwrite(bytes, size, 1, file);
    code = cli_commit(file, path);
  } else {
    cli_abandon(file, path);
  }
  free(text);
  free(bytes);
  return code;
}

// The tally after the header; false when the file is cut or not what was written.
static bool read_tally(FILE *file, int64_t size, bake_tally *tally) {
  if (size < 0 || size > MOST_TALLY) return false;
  char *text = malloc((size_t)size + 1);
  bool is_read = text && (!size || fread(text, (size_t)size, 1, file) == 1);
  json_t *json = is_read ? json_loadb(text, (size_t)size, 0, NULL) : NULL;
  free(text);
  if (json) bake_tally_read(tally, json);
  json_decref(json);
  return json != NULL;
}

int snapshot_read(const char *cache, const snapshot_signature *signature, bake_tally *tally,
                  mien_state *state) {
  char path[4096];
  size_t size = mien_state_size(state);
  void *bytes = malloc(size);
  file_header head;
  name_file(cache, path);
  FILE *file = bytes ? cli_open_left(path) : NULL;
  bool is_one =
      file && fread(&head, sizeof head, 1, file) == 1 && !memcmp(head.magic, MAGIC, sizeof MAGIC);
  bool is_same = is_one && !memcmp(&head.signature, signature, sizeof *signature);
  bool is_whole = is_same && head.next_frame >= 0 && head.next_frame < 1 << 30 &&
                  read_tally(file, head.tally_size, tally) && fread(bytes, size, 1, file) == 1 &&
                  fgetc(file) == EOF && mien_state_read(state, bytes, size, NULL) >= 0;
  if (file) fclose(file);
  free(bytes);
  if (is_whole) return (int)head.next_frame;
  return is_one && !is_same ? SNAPSHOT_FOREIGN : SNAPSHOT_NONE;
}

void snapshot_remove(const char *cache) {
  char path[4096];
  name_file(cache, path);
  unlink(path);
}
