// mien farm: many shots on this machine or on Slurm, each once, with one report.
#include "farm.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {"engine", 0, "NAME", "local (default): processes of this machine; slurm: array jobs"},
    {"out", 'o', "FOLDER", "logs, pictures and report.html (farm)"},
    {"list", 0, "FILE", "shots, one a line, relative to the file"},
    {"jobs", 'j', "N", "local: shots at a time (one for each processor)"},
    {"retries", 0, "N", "attempts after the first one of a shot that failed (2)"},
    {"again", 0, NULL, "bake what is done, too"},
    {"partition", 0, "NAME", "slurm: where to (its default)"},
    {"progress", 0, "HOW", "on stderr: bar (default) or json (an object a line)"},
    {"pick", 0, "K", "only shot K of them, counted from 0: what a task of an engine does"},
    {"no-report", 0, NULL, "write no report: the farm that started the tasks does"},
    {NULL, 0, NULL, NULL},
};

static int make_folders(farm *f) {
  static const char *const kinds[] = {"logs", "results", "pictures"};
  const char *folder = cli_value(f->args, "out", "farm");
  char path[4096];
  for (int k = 0; k < 3; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, kinds[k]);
    if (!cli_make_folder(path)) return CLI_FAILED;
  }
  if (!realpath(folder, path) || strlen(path) >= sizeof f->folder || strchr(path, '\n'))
    return cli_fail("'%s' cannot be a farm's folder", folder);
  memcpy(f->folder, path, strlen(path) + 1);
  return CLI_DONE;
}

static bool read_options(farm *f, bool *is_slurm) {
  const char *engine = cli_value(f->args, "engine", "local");
  double jobs, retries;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  *is_slurm = !strcmp(engine, "slurm");
  if (!cli_number(f->args, "jobs", 1, 1024, processors > 0 ? (double)processors : 1, &jobs) ||
      !cli_number(f->args, "retries", 0, 100, 2, &retries))
    return false;
  if (!*is_slurm && strcmp(engine, "local")) {
    cli_usage("'--engine' takes local or slurm, not '%s'", engine);
    return false;
  }
  f->jobs = (int)jobs;
  f->retries = (int)retries;
  f->threads = f->args->threads ? f->args->threads : 1; // many shots: one processor each
  return true;
}

// Finds the shots that are done already, by this command or another.
static void look_back(farm *f) {
  for (int i = 0; i < f->nshot; i++) {
    farm_shot *shot = f->shots + i;
    if (shot->record && cli_given(f->args, "again")) unlink(shot->record);
    if (shot->status == FARM_WAITING) farm_refresh(shot);
  }
}

static void tell(const farm *f, int code) {
  char report[4096];
  int done = farm_count(f, FARM_DONE), failed = farm_count(f, FARM_FAILED), now = 0;
  for (int i = 0; i < f->nshot; i++) now += f->shots[i].is_new;
  snprintf(report, sizeof report, "%s/report.html", f->folder);
  if (f->args->json) {
    cli_print_json(json_pack("{s:b, s:i, s:s?, s:i, s:i, s:i, s:i, s:o}", "ok", code == CLI_DONE,
                             "exit", code, "error", code ? cli_said_error() : NULL, "shots",
                             f->nshot, "done", done, "baked_now", now, "failed", failed, "report",
                             cli_json_path(report)));
  } else if (!cli_given(f->args, "no-report")) {
    printf("%d shots: %d done (%d of them now), %d failed; %s\n", f->nshot, done, now, failed,
           cli_shown(report));
  }
}

static int run(const cli_args *args) {
  farm f = {.args = args};
  bool is_slurm;
  if (!read_options(&f, &is_slurm)) return CLI_USAGE;
  if (!args->nargument && !cli_given(args, "list"))
    return cli_usage("no shots are named; see 'mien farm --help'");
  int code = farm_list_shots(&f) ? make_folders(&f) : CLI_FAILED;
  if (code) {
    farm_free(&f);
    return code;
  }
  look_back(&f);
  cli_catch_interrupt();
  if (farm_count(&f, FARM_WAITING)) code = is_slurm ? farm_run_slurm(&f) : farm_run_local(&f);
  if (!code && !cli_given(args, "no-report")) code = farm_write_report(&f);
  int failed = farm_count(&f, FARM_FAILED), left = farm_count(&f, FARM_WAITING);
  if (!code && cli_interrupted() && left)
    code = cli_fail("stopped with %d of %d shots left; the same command goes on", left, f.nshot);
  else if (!code && failed)
    code = cli_fail("%d of %d shots failed", failed, f.nshot);
  tell(&f, code);
  farm_free(&f);
  return code;
}

const cli_command cli_farm = {
    "farm",
    "SHOTS...",
    "bake many shots, on this machine or on Slurm",
    "SHOTS are shot files (docs/shot.md) or folders with a shot.json. Each is baked once: what is\n"
    "done has a record beside its cache (CACHE.json) and is not baked again unless the shot or a\n"
    "file that it names has changed. Ctrl-C, a kill or a lost node lose nothing: the same command\n"
    "goes on, in the middle of a take, too. Several farms may work on the same shots at once "
    "where\n"
    "the file system knows locks. Exit code 1 when a shot failed. docs/farm.md tells more.",
    options,
    INT_MAX,
    run,
    0,
    NULL};
