// Bakes as tasks of Slurm: array jobs, one shot a task. A task is `mien farm --pick`, so locks,
// records and resuming are the same as on one machine; Slurm starts it again when its node is lost.
#include "farm.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 256, SAID = 1 << 16 };

typedef struct queue {
  farm *f;
  long jobs[MOST_JOBS]; // that may still have tasks
  int njob;
  int round;
  char said[SAID]; // by the last tool
  bool is_lost;    // the controller did not answer
} queue;

// -- Jobs that an earlier call left ---------------------------------------------------------------

static void name_jobs(const queue *q, char path[4096]) {
  snprintf(path, 4096, "%s/slurm_jobs.json", q->f->folder);
}

static int write_jobs(const queue *q) {
  char path[4096];
  json_t *list = json_array();
  name_jobs(q, path);
  for (int i = 0; i < q->njob; i++) json_array_append_new(list, json_integer(q->jobs[i]));
  FILE *file = cli_create(path);
  if (file) json_dumpf(list, file, 0);
  json_decref(list);
  return file ? cli_commit(file, path) : CLI_FAILED;
}

static void read_jobs(queue *q) {
  char path[4096];
  name_jobs(q, path);
  json_t *list = cli_load_left(path);
  for (size_t i = 0; i < json_array_size(list) && q->njob < MOST_JOBS; i++)
    q->jobs[q->njob++] = (long)json_integer_value(json_array_get(list, i));
  json_decref(list);
}

// -- Submitting -----------------------------------------------------------------------------------

// The most tasks of an array; Slurm's own default is 1001.
static int most_tasks(queue *q) {
  char *argv[] = {"scontrol", "show", "config", NULL};
  int most = 1001;
  if (farm_call(argv, q->said, sizeof q->said) != 0) return most;
  const char *at = strstr(q->said, "MaxArraySize");
  if (at) sscanf(at, "MaxArraySize = %d", &most);
  return most > 0 ? most : 1;
}

// As one word of a shell, whatever is in it.
static void put_word(FILE *file, const char *text) {
  fputc('\'', file);
  for (; *text; text++) fputs(*text == '\'' ? "'\\''" : (char[2]){*text, 0}, file);
  fputc('\'', file);
}

// "#!/bin/sh" with the options of sbatch and the call of one task.
static int write_script(const queue *q, const char *path, const char *list, int first) {
  char program[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  FILE *file = cli_create(path);
  if (!file) return CLI_FAILED;
  program[length > 0 ? length : 0] = 0;
  fprintf(file,
          "#!/bin/sh\n#SBATCH --job-name=mien\n#SBATCH --requeue\n#SBATCH --open-mode=append\n"
          "#SBATCH --cpus-per-task=%d\nexec ",
          q->f->threads);
  put_word(file, program);
  fputs(" farm --list ", file);
  put_word(file, list);
  fprintf(
      file,
      " --pick $((%d + SLURM_ARRAY_TASK_ID)) --jobs 1 --threads %d --retries 0 --no-report --out ",
      first, q->f->threads);
  put_word(file, q->f->folder);
  fputc('\n', file);
  return cli_commit(file, path);
}

static int submit_array(queue *q, const char *list, int first, int count) {
  char script[4096], array[64], log[4096], *end;
  snprintf(script, sizeof script, "%s/slurm_%d_%d.sh", q->f->folder, q->round, first);
  snprintf(array, sizeof array, "--array=0-%d", count - 1);
  snprintf(log, sizeof log, "--output=%s/logs/slurm_%%A_%%a.log", q->f->folder);
  int code = write_script(q, script, list, first);
  if (code) return code;
  const char *partition = cli_value(q->f->args, "partition", NULL);
  char choice[256];
  snprintf(choice, sizeof choice, "--partition=%s", partition ? partition : "");
  char *argv[] = {
      "sbatch", "--parsable", array, log, partition ? choice : script, partition ? script : NULL,
      NULL};
  if (farm_call(argv, q->said, sizeof q->said) != 0)
    return cli_fail("sbatch refused the job: %.300s", q->said);
  long job = strtol(q->said, &end, 10);
  if (end == q->said) return cli_fail("sbatch told no number of a job: %.300s", q->said);
  q->jobs[q->njob++] = job;
  return write_jobs(q);
}

// All waiting shots, in as many arrays as Slurm wants.
static int submit(queue *q) {
  char list[4096];
  int count = 0, most = most_tasks(q);
  snprintf(list, sizeof list, "%s/slurm_%d_%ld_%d.txt", q->f->folder, q->round, (long)time(NULL),
           (int)getpid());
  FILE *file = cli_create(list);
  if (!file) return CLI_FAILED;
  for (int i = 0; i < q->f->nshot; i++) {
    if (q->f->shots[i].status != FARM_WAITING) continue;
    fprintf(file, "%s\n", q->f->shots[i].path);
    count++;
  }
  int code = cli_commit(file, list);
  for (int first = 0; first < count && !code; first += most) {
    if (q->njob == MOST_JOBS) return cli_fail("more than %d array jobs are needed", MOST_JOBS);
    code = submit_array(q, list, first, count - first < most ? count - first : most);
  }
  q->round++;
  return code;
}

// -- Waiting --------------------------------------------------------------------------------------

static void name_all(const queue *q, char *text, size_t size) {
  size_t length = 0;
  text[0] = 0;
  for (int i = 0; i < q->njob && length < size - 24; i++)
    length += (size_t)snprintf(text + length, size - length, "%s%ld", i ? "," : "", q->jobs[i]);
}

// Whether tasks are left. A controller that does not answer is waited for.
static bool is_queued(queue *q) {
  char ids[MOST_JOBS * 24];
  if (!q->njob) return false;
  name_all(q, ids, sizeof ids);
  char *argv[] = {"squeue", "--noheader", "--format=%i", "--jobs", ids, NULL};
  int code = farm_call(argv, q->said, sizeof q->said);
  bool is_known = code == 0 || strstr(q->said, "Invalid job id");
  if (!is_known && !q->is_lost) {
    q->said[strcspn(q->said, "\n")] = 0;
    fprintf(stderr, "mien: Slurm does not answer; waiting: %s\n", cli_shown(q->said));
  }
  q->is_lost = !is_known;
  if (!is_known) return true;
  return code == 0 && strspn(q->said, " \n") != strlen(q->said);
}

static void pause_for(double seconds) {
  for (double end = cli_clock() + seconds; cli_clock() < end && !cli_interrupted();)
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

static void look_for_records(queue *q) {
  for (int i = 0; i < q->f->nshot; i++) {
    farm_shot *shot = q->f->shots + i;
    if (shot->status != FARM_WAITING) continue;
    farm_refresh(shot);
    shot->is_new |= shot->status == FARM_DONE;
  }
}

static void wait_for_all(queue *q, cli_progress *progress) {
  double pause = q->f->nshot > 1000 ? 10 : 1;
  for (bool is_left = true; is_left && !cli_interrupted();) {
    is_left = is_queued(q);
    look_for_records(q);
    farm_show(q->f, progress);
    if (is_left) pause_for(pause);
  }
  if (!cli_interrupted()) q->njob = 0;
}

static void cancel(queue *q) {
  char ids[MOST_JOBS][24];
  char *argv[MOST_JOBS + 2] = {"scancel"};
  for (int i = 0; i < q->njob; i++) {
    snprintf(ids[i], sizeof ids[i], "%ld", q->jobs[i]);
    argv[i + 1] = ids[i];
  }
  if (q->njob) farm_call(argv, q->said, sizeof q->said);
  while (q->njob && is_queued(q)) // their last frames reach the disk
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
  q->njob = 0;
  look_for_records(q);
}

// Shots whose task is gone and which are not done: tried again, or failed.
static void judge(queue *q) {
  for (int i = 0; i < q->f->nshot; i++) {
    farm_shot *shot = q->f->shots + i;
    if (shot->status != FARM_WAITING) continue;
    json_t *result = farm_read_result(q->f, shot);
    farm_fail(shot, result, (int)json_integer_value(json_object_get(result, "exit")));
    json_decref(result);
    if (++shot->attempts <= q->f->retries && !shot->is_hopeless) continue;
    shot->status = FARM_FAILED;
    cli_fail("%s: %s", shot->path, shot->why);
  }
}

int farm_run_slurm(farm *f) {
  char *argv[] = {"sinfo", "--noheader", NULL};
  queue *q = calloc(1, sizeof *q);
  if (!q) return cli_fail("out of memory");
  q->f = f;
  int code = farm_call(argv, q->said, sizeof q->said);
  if (code == 127)
    code = cli_fail("there is no Slurm here: sinfo is not installed");
  else if (code)
    code = cli_fail("Slurm does not answer: %.300s", q->said);
  cli_progress progress;
  cli_progress_start(&progress, "farm");
  progress.is_json = !strcmp(cli_value(f->args, "progress", ""), "json");
  read_jobs(q);
  if (!code && q->njob) wait_for_all(q, &progress); // an earlier call's tasks are not begun twice
  while (!code && farm_count(f, FARM_WAITING) && !cli_interrupted()) {
    code = submit(q);
    if (!code) wait_for_all(q, &progress);
    if (!code && !cli_interrupted()) judge(q);
  }
  if (cli_interrupted()) cancel(q);
  write_jobs(q);
  free(q);
  return code;
}
