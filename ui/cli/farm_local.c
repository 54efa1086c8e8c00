// Bakes as processes of this machine, some at a time.
#define _GNU_SOURCE
#include "farm.h"
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
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
  int claim; // descriptor of the record's lock
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

static void redirect(const char *path, int to, int flags) {
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (fd >= 0) dup2(fd, to);
}

static void be_bake(const pool *p, const farm_shot *shot, bool resumes) {
  char picture[4096], result[4096], log[4096], threads[16];
  farm_name_file(p->f, shot, "pictures", ".png", picture);
  farm_name_file(p->f, shot, "results", ".json", result);
  farm_name_file(p->f, shot, "logs", ".log", log);
  snprintf(threads, sizeof threads, "%d", p->f->threads);
  setenv("OMP_NUM_THREADS", threads, 1); // pictures are drawn by OpenMP
  prctl(PR_SET_PDEATHSIG, SIGTERM);      // a bake without its farm would leave no record
  redirect(result, STDOUT_FILENO, O_TRUNC);
  redirect(log, STDERR_FILENO, O_APPEND);
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

// The lock of the record, -1 = not now, -2 = never (and the shot has failed).
static int claim(farm_shot *shot) {
  char why[MI_OUTPUT_WHY];
  int fd = mi_output_open(shot->record, MI_OUTPUT_NEW, why);
  if (fd >= 0) return fd;
  if (strstr(why, BUSY)) return -1;
  snprintf(shot->why, sizeof shot->why, "%s", why);
  return -2;
}

static void release(job *j) {
  mi_output_discard(j->claim, j->shot->record);
  close(j->claim);
  *j = (job){0};
}

static void end_failed(pool *p, farm_shot *shot) {
  shot->status = FARM_FAILED;
  farm_note(p->f, "failed", shot);
  fprintf(stderr, "mien: %s: %s\n", shot->path, shot->why);
}

static void start(pool *p, farm_shot *shot, job *j) {
  int k = (int)(shot - p->f->shots);
  int fd = claim(shot);
  if (fd == -1) p->next[k] = cli_clock() + 1; // somebody else's; look again
  if (fd == -2) end_failed(p, shot);
  if (fd < 0) {
    return;
  }
  *j = (job){shot, 0, fd};
  farm_refresh(shot); // done by another farm since we looked
  if (shot->status == FARM_DONE) {
    release(j);
    return;
  }
  farm_note(p->f, shot->attempts ? "retry" : "start", shot);
  fflush(NULL);
  j->child = fork();
  if (j->child == 0) be_bake(p, shot, !p->starts_anew[k]);
  if (j->child > 0) {
    shot->status = FARM_RUNNING;
    return;
  }
  p->next[k] = cli_clock() + 5; // no room for a process now
  release(j);
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

static void finish(pool *p, job *j, int status) {
  farm_shot *shot = j->shot;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  json_t *result = farm_read_result(p->f, shot);
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
  release(j);
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
