#include "cli.h"

#include "base/text.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// -- What was said, for --json --------------------------------------------------------------------

static char said_error[1024];
static json_t *said_remarks;
static bool is_json_printed;

static void say(const char *format, va_list args) {
  vsnprintf(said_error, sizeof said_error, format, args);
  mi_text_clean(said_error);
  fprintf(stderr, "mien: %s\n", said_error);
}

const char *cli_said_error(void) {
  return said_error;
}

void cli_keep_error(const char *text) {
  snprintf(said_error, sizeof said_error, "%s", text);
  mi_text_clean(said_error);
}

json_t *cli_said_remarks(void) {
  return said_remarks ? json_incref(said_remarks) : json_array();
}

int cli_fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(format, args);
  va_end(args);
  return CLI_FAILED;
}

int cli_usage(const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(format, args);
  va_end(args);
  return CLI_USAGE;
}

int cli_report(const mien_error *err, const char *doing) {
  return cli_fail("%s: %s", doing, err->text[0] ? err->text : mien_result_name(err->code));
}

void cli_keep_remarks(const char *const *remarks, int count) {
  if (!said_remarks) said_remarks = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(said_remarks, json_string(remarks[i]));
}

void cli_remarks(const char *const *remarks, int count) {
  for (int i = 0; i < count; i++) fprintf(stderr, "note: %s\n", remarks[i]);
  cli_keep_remarks(remarks, count);
}

// File names need not be UTF-8, and JSON must be.
json_t *cli_json_path(const char *path) {
  if (!path) return json_null();
  char *copy = strdup(path);
  if (copy) mi_text_clean(copy);
  json_t *json = copy ? json_string(copy) : NULL;
  free(copy);
  return json;
}

const char *cli_shown(const char *path) {
  static char text[4096];
  snprintf(text, sizeof text, "%s", path);
  mi_text_clean(text);
  return text;
}

void cli_print_json(json_t *object) {
  is_json_printed = true;
  json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
  fputc('\n', stdout);
  json_decref(object);
}

void cli_print_json_error(int code) {
  if (code == CLI_DONE || is_json_printed) return;
  cli_print_json(json_pack("{s:b, s:i, s:s, s:o}", "ok", 0, "exit", code, "error", said_error,
                           "remarks", cli_said_remarks()));
}

double cli_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_start(cli_progress *progress, const char *what) {
  *progress = (cli_progress){
      .what = what, .started = cli_clock(), .shown = -1, .on_terminal = isatty(STDERR_FILENO)};
}

// One object a line, at most four a second, and always the last.
static void show_json(cli_progress *progress, double done, double now, double left) {
  if (done < 1 && now - progress->last < 0.25) return;
  progress->last = now;
  json_t *line =
      json_pack("{s:s, s:f, s:f, s:o}", "progress", progress->what, "done", done, "seconds",
                now - progress->started, "seconds_left", done > 0 ? json_real(left) : json_null());
  json_dumpf(line, stderr, JSON_COMPACT | JSON_REAL_PRECISION(6));
  fputc('\n', stderr);
  json_decref(line);
}

static void show_bar(const cli_progress *progress, double done, double left) {
  enum { WIDTH = 30 };
  char bar[WIDTH + 1];
  int filled = (int)(done * WIDTH);
  for (int i = 0; i < WIDTH; i++) bar[i] = i < filled ? '#' : '.';
  bar[WIDTH] = 0;
  fprintf(stderr, "\r%-12s [%s] %3.0f %%  ", progress->what, bar, 100 * done);
  if (done > 0) fprintf(stderr, "%4.0f s left ", left);
}

// Nothing is said of the time left before something is done: it is not known.
void cli_progress_show(cli_progress *progress, double done) {
  double now = cli_clock(), elapsed = now - progress->started;
  double left = done > 0 ? elapsed * (1 - done) / done : 0;
  if (progress->is_silent) return;
  if (progress->is_json) {
    show_json(progress, done, now, left);
  } else if (progress->on_terminal) {
    if (done < 1 && now - progress->last < 0.1) return;
    progress->last = now;
    show_bar(progress, done, left);
    if (done >= 1) fprintf(stderr, "\r%-12s done in %.1f s%40s\n", progress->what, elapsed, "");
  } else if (done >= 1 || done >= progress->shown + 0.25) {
    progress->shown = done;
    fprintf(stderr, "%s: %.0f %%", progress->what, 100 * done);
    if (done > 0) fprintf(stderr, ", %.0f s left", left);
    fputc('\n', stderr);
  }
}

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

void cli_catch_interrupt(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool cli_interrupted(void) {
  return interrupted;
}
