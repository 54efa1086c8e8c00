// All that is known of a shot: its record beside the cache, the result of its last bake, the
// journal.
#include "farm.h"
#include "io/output.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void farm_name_file(const farm *f, const farm_shot *shot, const char *kind, const char *end,
                    char path[4096]) {
  snprintf(path, 4096, "%s/%s/%s%s", f->folder, kind, shot->name, end);
}

// The files are there, as large as the bake left them: beside the record, whose folder's name need
// not be UTF-8 as what it says is.
static bool files_hold(const char *record, const json_t *files) {
  size_t i;
  json_t *file;
  json_array_foreach(files, i, file) {
    struct stat about;
    char path[4096];
    const char *said = json_string_value(json_object_get(file, "file"));
    const char *slash = said ? strrchr(said, '/') : NULL, *above = strrchr(record, '/');
    int folder = above ? (int)(above + 1 - record) : 0;
    snprintf(path, sizeof path, "%.*s%s", folder, record, slash ? slash + 1 : said ? said : "");
    if (!said || stat(path, &about) != 0 ||
        about.st_size != json_integer_value(json_object_get(file, "bytes")))
      return false;
  }
  return json_array_size(files) > 0;
}

void farm_refresh(farm_shot *shot) {
  if (!shot->record || shot->status == FARM_DONE) return;
  json_t *record = cli_load_left(shot->record);
  bool holds = json_is_true(json_object_get(record, "ok")) &&
               json_equal(json_object_get(record, "stamps"), shot->stamps) &&
               files_hold(shot->record, json_object_get(record, "files"));
  if (!holds) {
    json_decref(record);
    return;
  }
  json_decref(shot->result);
  shot->result = record;
  shot->status = FARM_DONE;
}

json_t *farm_make_record(const farm_shot *shot, json_t *result) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  json_object_set(result, "stamps", shot->stamps);
  json_object_set_new(result, "host", json_string(host));
  json_object_set_new(result, "failed_attempts", json_integer(shot->attempts));
  json_object_set_new(result, "finished", json_integer((json_int_t)time(NULL)));
  return result;
}

json_t *farm_read_result(const farm *f, const farm_shot *shot) {
  char path[4096];
  farm_name_file(f, shot, "results", ".json", path);
  return cli_load_left(path);
}

void farm_fail(farm_shot *shot, const json_t *result, int code) {
  const char *why = json_string_value(json_object_get(result, "error"));
  const char *stage = json_string_value(json_object_get(result, "stage"));
  if (why)
    snprintf(shot->why, sizeof shot->why, "%s", why);
  else if (code > 128)
    snprintf(shot->why, sizeof shot->why, "the bake was ended by signal %d (%s)", code - 128,
             strsignal(code - 128));
  else
    snprintf(shot->why, sizeof shot->why, "the bake ended with %d and no word", code);
  // an error of the call or of the physics will come again
  shot->is_hopeless = code == CLI_USAGE || (stage && !strcmp(stage, "judge"));
}

void farm_note(const farm *f, const char *what, const farm_shot *shot) {
  char path[4096], line[1024], host[256] = "", when[32] = "", why[MI_OUTPUT_WHY];
  time_t now = time(NULL);
  struct tm at;
  gethostname(host, sizeof host - 1);
  if (gmtime_r(&now, &at)) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &at);
  int length =
      snprintf(line, sizeof line, "%s %s %d %s %s\n", when, host, (int)getpid(), what, shot->name);
  snprintf(path, sizeof path, "%s/journal.txt", f->folder);
  int fd = mi_output_append(path, why);
  if (fd < 0) return;
  ssize_t written = write(fd, line, (size_t)length); // whole lines, beside other farms
  (void)written;                                     // a farm goes on without its journal
  close(fd);
}

int farm_count(const farm *f, farm_status status) {
  int count = 0;
  for (int i = 0; i < f->nshot; i++) count += f->shots[i].status == status;
  return count;
}

void farm_show(const farm *f, cli_progress *progress) {
  int ended = farm_count(f, FARM_DONE) + farm_count(f, FARM_FAILED);
  cli_progress_show(progress, (double)ended / f->nshot);
}
