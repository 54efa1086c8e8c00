// mien farm: many shots, each baked once, by processes of this machine or by Slurm.
//
// A shot is done when its record says so: CACHE.json beside the cache, what `mien bake --json`
// printed and the sizes and times of the files that were read. The farm that bakes a shot
// holds the lock of its record (io/output.h) as long, so two farms never bake the same one; a
// killed one leaves the lock open and CACHE.part to resume. A task of Slurm is `mien farm` with one
// shot.
#ifndef MIEN_CLI_FARM_H
#define MIEN_CLI_FARM_H

#include "cli.h"

#include <stddef.h>
#include <stdint.h>

typedef enum farm_status { FARM_WAITING, FARM_RUNNING, FARM_DONE, FARM_FAILED } farm_status;

typedef struct farm_shot {
  char *path;     // absolute
  uint64_t key;   // of the path: shots with different ones differ
  char *name;     // for people and file names: the end of the path and some digits
  char *record;   // absolute; NULL = the shot is wrong and has none
  json_t *stamps; // of the files it reads: [path, bytes, time]
  farm_status status;
  bool is_new;      // baked by this call, not before
  int attempts;     // that failed
  bool is_hopeless; // another attempt would fail alike
  json_t *result;   // of the last bake, or NULL
  char why[512];    // it failed
} farm_shot;

typedef struct farm {
  const cli_args *args;
  farm_shot *shots;
  int nshot;
  char folder[3072]; // absolute: logs, results, pictures, the report
  int jobs, threads, retries;
} farm;

// farm_list.c: every shot named; wrong ones are there with their reason. False after a sentence.
bool farm_list_shots(farm *f);
void farm_free(farm *f);

// farm_record.c
void farm_refresh(farm_shot *shot); // FARM_DONE when its record holds
// The record out of what a bake printed; takes `result` over.
json_t *farm_make_record(const farm_shot *shot, json_t *result);
// The result that the last bake of the shot printed, NULL = nothing; and where it is.
json_t *farm_read_result(const farm *f, const farm_shot *shot);
void farm_name_file(const farm *f, const farm_shot *shot, const char *kind, const char *end,
                    char path[4096]); // FOLDER/kind/name + end
void farm_fail(farm_shot *shot, const json_t *result, int code);
// A line in FOLDER/journal.txt: time, host, process, what, shot.
void farm_note(const farm *f, const char *what, const farm_shot *shot);
int farm_count(const farm *f, farm_status status);

// farm_local.c, farm_slurm.c: until every shot is done or has failed, or Ctrl-C. CLI_FAILED when
// they could not work at all.
int farm_run_local(farm *f);
int farm_run_slurm(farm *f);
void farm_show(const farm *f, cli_progress *progress);

// farm_report.c: FOLDER/report.html and report.json
int farm_write_report(const farm *f);

// farm_tool.c: runs a program; what it printed on both streams. Its exit code, -1 = not started.
int farm_call(char *const argv[], char *out, size_t size);

#endif
