// Bakes as processes of this machine, some at a time.
#define _GNU_SOURCE
#include "farm.h"
#include "io/output.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct job {
  farm_shot *shot; // NULL = free
  pid_t child;
  int claim;  // descriptor of the record's lock
  int result; // of what the bake prints, -1 = not open
} job;

typedef struct pool {
  farm *f;
  job *jobs;
  double *next;      // time of the next attempt                                        (nshot)
  bool *starts_anew; // not with what an earlier bake left                              (nshot)
  char program[4096];
} pool;

static const char BUSY[] = "another program is writing it";

// -- One bake -------------------------------------------------------------------------------------

static void be_bake(const pool *p, const job *j, bool resumes) {
  const farm_shot *shot = j->shot;
  char picture[4096], log[4096], threads[16], why[MI_OUTPUT_WHY];
  farm_name_file(p->f, shot, "pictures", ".png", picture);
  farm_name_file(p->f, shot, "logs", ".log", log);
  snprintf(threads, sizeof threads, "%d", p->f->threads);
  setenv("OMP_NUM_THREADS", threads, 1);  // pictures are drawn by OpenMP
  prctl(PR_SET_PDEATHSIG, SIGTERM);       // a bake without its farm would leave no record
  int words = mi_output_append(log, why); // without a log it speaks where the farm does
  dup2(j->result, STDOUT_FILENO);
  if (words >= 0) dup2(words, STDERR_FILENO);
  const char *const argv[] = {p->program,
                              "bake",
                              shot->path,
                              "--json",
                              "--picture",
                              picture,
                              "--threads",
                              threads,
                              "--progress",
                              "json",
                              resumes ? "--resume" : NULL,
                              NULL};
  execv(p->program, (char *const *)argv);
  _exit(127);
}

// The file under its lock, -1 = not now, -2 = never (and the shot has failed).
static int claim(farm_shot *shot, const char *path) {
  char why[MI_OUTPUT_WHY];
  int fd = mi_output_open(path, MI_OUTPUT_NEW, why);
  if (fd >= 0) return fd;
  if (strstr(why, BUSY)) return -1;
  snprintf(shot->why, sizeof shot->why, "%s", why);
  return -2;
}

static void release(const pool *p, job *j) {
  char result[4096];
  farm_name_file(p->f, j->shot, "results", ".json", result);
  if (j->result >= 0) {
    mi_output_discard(j->result, result);
    close(j->result);
  }
  mi_output_discard(j->claim, j->shot->record);
  close(j->claim);
  *j = (job){0};
}

static void end_failed(pool *p, farm_shot *shot) {
  shot->status = FARM_FAILED;
  farm_note(p->f, "failed", shot);
  cli_fail("%s: %s", shot->path, shot->why);
}

// Both files of a job, or none and when to look again. What an earlier bake printed goes: it would
// be taken for the words of this one.
static bool claim_both(pool *p, farm_shot *shot, job *j) {
  char result[4096];
  farm_name_file(p->f, shot, "results", ".json", result);
  int fd = claim(shot, shot->record);
  *j = (job){shot, 0, fd, -1};
  if (fd >= 0) {
    unlink(result);
    fd = j->result = claim(shot, result);
    if (fd < 0) release(p, j);
  }
  if (fd == -1) p->next[shot - p->f->shots] = cli_clock() + 1; // somebody else's
  if (fd == -2) end_failed(p, shot);
  if (fd < 0) *j = (job){0};
  return fd >= 0;
}

static void start(pool *p, farm_shot *shot, job *j) {
  int k = (int)(shot - p->f->shots);
  if (!claim_both(p, shot, j)) return;
  farm_refresh(shot); // done by another farm since we looked
  if (shot->status == FARM_DONE) {
    release(p, j);
    return;
  }
  farm_note(p->f, shot->attempts ? "retry" : "start", shot);
  fflush(NULL);
  j->child = fork();
  if (j->child == 0) be_bake(p, j, !p->starts_anew[k]);
  if (j->child > 0) {
    shot->status = FARM_RUNNING;
    return;
  }
  p->next[k] = cli_clock() + 5; // no room for a process now
  release(p, j);
}

// -- Its end --------------------------------------------------------------------------------------

static bool write_record(const job *j, json_t *result) {
  char why[MI_OUTPUT_WHY];
  json_t *record = farm_make_record(j->shot, result);
  bool good = json_dumpfd(record, j->claim, JSON_INDENT(1)) == 0 &&
              mi_output_commit(j->claim, j->shot->record, why);
  if (!good)
    snprintf(j->shot->why, sizeof j->shot->why, "the record could not be written: %s", why);
  return good;
}

static void end_bad(pool *p, farm_shot *shot, const json_t *result, int code) {
  int k = (int)(shot - p->f->shots);
  farm_fail(shot, result, code);
  shot->status = FARM_WAITING;
  if (strstr(shot->why, BUSY)) { // a bake by hand has the cache
    p->next[k] = cli_clock() + 2;
    return;
  }
  if (strstr(shot->why, "without --resume")) { // what is left is of another shot or build
    p->starts_anew[k] = true;
    return;
  }
  shot->attempts++;
  p->next[k] = cli_clock() + 0.5 * shot->attempts;
  if (shot->attempts > p->f->retries || shot->is_hopeless) end_failed(p, shot);
}

// Reads what the bake printed; NULL when it is not whole or not on the disk.
static json_t *take_result(const pool *p, job *j) {
  char path[4096], why[MI_OUTPUT_WHY];
  farm_name_file(p->f, j->shot, "results", ".json", path);
  if (!mi_output_commit(j->result, path, why)) return NULL;
  close(j->result);
  j->result = -1;
  return farm_read_result(p->f, j->shot);
}

static void finish(pool *p, job *j, int status) {
  farm_shot *shot = j->shot;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  json_t *result = take_result(p, j);
  bool good = code == CLI_DONE && json_is_true(json_object_get(result, "ok"));
  if (good && write_record(j, result)) {
    close(j->claim);
    *j = (job){0};
    json_decref(shot->result);
    shot->result = result;
    shot->status = FARM_DONE;
    shot->is_new = true;
    farm_note(p->f, "done", shot);
    return;
  }
  release(p, j);
  if (cli_interrupted()) {
    shot->status = FARM_WAITING;
    farm_note(p->f, "stopped", shot);
  } else {
    end_bad(p, shot, good ? NULL : result, good ? CLI_FAILED : code);
  }
  json_decref(result);
}

static bool reap(pool *p) {
  bool any = false;
  for (int i = 0; i < p->f->jobs; i++) {
    int status;
    if (!p->jobs[i].shot || waitpid(p->jobs[i].child, &status, WNOHANG) <= 0) continue;
    finish(p, p->jobs + i, status);
    any = true;
  }
  return any;
}

// -- All ------------------------------------------------------------------------------------------

static void fill(pool *p) {
  double now = cli_clock();
  int at = 0;
  for (int i = 0; i < p->f->jobs; i++) {
    for (; at < p->f->nshot && !p->jobs[i].shot; at++)
      if (p->f->shots[at].status == FARM_WAITING && now >= p->next[at])
        start(p, p->f->shots + at, p->jobs + i);
  }
}

static void stop_all(pool *p) {
  for (int i = 0; i < p->f->jobs; i++)
    if (p->jobs[i].shot) kill(p->jobs[i].child, SIGTERM);
  while (farm_count(p->f, FARM_RUNNING)) {
    if (!reap(p)) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
}

int farm_run_local(farm *f) {
  pool p = {.f = f,
            .jobs = calloc((size_t)f->jobs, sizeof *p.jobs),
            .next = calloc((size_t)f->nshot, sizeof *p.next),
            .starts_anew = calloc((size_t)f->nshot, sizeof *p.starts_anew)};
  ssize_t length = readlink("/proc/self/exe", p.program, sizeof p.program - 1);
  int code = p.jobs && p.next && p.starts_anew && length > 0 ? CLI_DONE : cli_fail("out of memory");
  cli_progress progress;
  cli_progress_start(&progress, "farm");
  progress.is_json = !strcmp(cli_value(f->args, "progress", ""), "json");
  while (!code && farm_count(f, FARM_WAITING) + farm_count(f, FARM_RUNNING) && !cli_interrupted()) {
    fill(&p);
    if (reap(&p))
      farm_show(f, &progress);
    else
      nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
  if (!code) stop_all(&p);
  free(p.jobs);
  free(p.next);
  free(p.starts_anew);
  return code;
}
