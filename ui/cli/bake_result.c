#include "bake_result.h"

#include "physics.h"
#include "sha256.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// {"file", "bytes", "sha256"}; NULL when the file is not there.
static json_t *describe_file(const char *path) {
  struct stat about;
  char digest[65] = "";
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return NULL;
  bool is_file = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  size_t size = is_file ? (size_t)about.st_size : 0;
  void *bytes = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  close(fd);
  if (!is_file || (size && bytes == MAP_FAILED)) return NULL;
  sha256(size ? bytes : "", size, digest);
  if (size) munmap(bytes, size);
  return json_pack("{s:o, s:I, s:s}", "file", cli_json_path(path), "bytes", (json_int_t)size,
                   "sha256", digest);
}

// A cache named with "{mesh}" is one file for every part that has vertices of its own.
static json_t *describe_cache(const char *path, const mien_rig *rig) {
  static const char gap[] = "{mesh}";
  json_t *files = json_array();
  const char *at = strstr(path, gap);
  if (!at) {
    json_array_append_new(files, describe_file(path));
    return files;
  }
  const mien_rig_info *info = mien_rig_get_info(rig);
  for (int p = 0; p < info->npart; p++) {
    char name[4096], part[256];
    snprintf(part, sizeof part, "%s", info->parts[p].name);
    for (char *c = part; *c; c++)
      if (strchr("/\\:*?\"<>|", *c)) *c = '_';
    snprintf(name, sizeof name, "%.*s%s%s", (int)(at - path), path, part, at + strlen(gap));
    json_array_append_new(files, describe_file(name));
  }
  return files;
}

static void name_hash(const bake_result *r, char hash[20]) {
  snprintf(hash, 20, "%016" PRIx64, mien_state_hash(r->state));
}

static json_t *describe_times(const bake_result *r) {
  const bake_tally *t = r->tally;
  return json_pack("{s:f, s:f, s:f, s:f, s:i}", "setup", r->setup, "bake", t->bake, "cpu", t->cpu,
                   "slowest_step", t->slowest, "slowest_frame", t->slowest_frame);
}

static json_t *describe(const bake_result *r) {
  const bake_tally *t = r->tally;
  bool good = r->code == CLI_DONE, has_frames = r->range.to > 0;
  bool wrote =
      r->out && r->rig && r->range.to > r->range.from && r->done == r->range.to - r->range.from;
  char hash[20] = "";
  struct rusage usage = {0};
  getrusage(RUSAGE_SELF, &usage);
  if (r->state && t->runs) name_hash(r, hash);
  json_t *json = json_pack("{s:b, s:i, s:s, s:s?, s:o, s:o}", "ok", good, "exit", r->code, "stage",
                           r->stage, "error", good ? NULL : cli_said_error(), "shot",
                           cli_json_path(r->shot), "remarks", cli_said_remarks());
  json_t *frames = json_pack(
      "{s:i, s:i, s:o, s:o, s:i, s:o, s:i, s:f}", "frames", r->range.to - r->range.from,
      "frames_done",
      r->out ? r->done
      : good ? r->range.to - r->range.from
             : 0,
      "first_frame", has_frames ? json_integer(r->first_frame + r->range.from) : json_null(),
      "last_frame", has_frames ? json_integer(r->first_frame + r->range.to - 1) : json_null(),
      "run_up", r->range.from - r->range.begin, "resumed_at",
      r->resumed >= 0 ? json_integer(r->first_frame + r->resumed) : json_null(), "runs", t->runs,
      "seconds", r->seconds);
  json_t *found = json_pack(
      "{s:i, s:o, s:f, s:i, s:o, s:f, s:s?, s:o, s:o, s:o, s:s}", "frames_with_inverted_tetrahedra",
      t->inverted, "implausible_frames", bake_remarks_json(&t->remarks), "max_offset_mm",
      1e3 * t->largest_offset, "max_offset_frame", t->largest_frame, "times", describe_times(r),
      "memory_mb", (double)usage.ru_maxrss / 1024, "hash", hash[0] ? hash : NULL, "cache",
      cli_json_path(r->out), "files", wrote ? describe_cache(r->out, r->rig) : json_array(),
      "picture", cli_json_path(r->picture), "build", mien_build_info());
  json_object_update(json, frames);
  json_object_update(json, found);
  json_decref(frames);
  json_decref(found);
  return json;
}

void bake_result_print(const bake_result *r) {
  const bake_tally *t = r->tally;
  if (r->args->json) {
    cli_print_json(describe(r));
    return;
  }
  if (strcmp(r->stage, "judge") && strcmp(r->stage, "done")) return; // the error has been printed
  printf("%d frames, %.2f s", r->range.to - r->range.from, r->seconds);
  if (r->out) printf(", written to %s", cli_shown(r->out));
  printf("; %s, skin up to %.2f mm from the artist's pose, %d frames with inverted tetrahedra\n",
         physics_solver_name(mien_state_get_info(r->state)->solver), 1e3 * t->largest_offset,
         t->inverted);
  const mien_cache_info *cache = r->cache ? mien_cache_get_info(r->cache) : NULL;
  if (cache && cache->is_in_rig)
    printf("%d morph targets added to the rig's meshes; no point is more than %.3f mm from its "
           "frame\n",
           cache->ntarget, 1e3 * cache->error);
  bake_remarks_print(&t->remarks);
  if (!cli_given(r->args, "hash")) return;
  char hash[20];
  name_hash(r, hash);
  printf("%s\n", hash);
}
