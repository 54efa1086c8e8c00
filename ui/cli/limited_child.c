#include "limited_child.h"

#include "cli.h"

#include <errno.h>
#include <string.h>

enum { MOST_WORDS = 1024 };

typedef struct told_job {
  int (*job)(void *given);
  void *given;
  char *words; // the parent's, too: it repeats in JSON what the child has said
} told_job;

static int do_and_tell(void *given) {
  const told_job *t = given;
  int code = t->job(t->given);
  snprintf(t->words, MOST_WORDS, "%s", cli_said_error());
  fflush(stdout);
  fflush(stderr);
  return code;
}

static int report(mi_child_result ended, const mi_child_limits *limits, const char *who) {
  switch (ended.end) {
  case MI_CHILD_DONE:
    return ended.code;
  case MI_CHILD_NOT_BEGUN:
    return cli_fail("%s could not be run: %s", who, strerror(ended.code));
  case MI_CHILD_TOO_LONG:
    return cli_fail("%s did not come to an end within %d s or the memory there is", who,
                    limits->seconds);
  case MI_CHILD_CRASHED:
    break;
  }
  return cli_fail("%s crashed (%s) or ran out of its %zu MB; the file is damaged or hostile", who,
                  strsignal(ended.code), limits->memory >> 20);
}

int child_run(int (*job)(void *given), void *given, const mi_child_limits *limits,
              const char *who) {
  told_job told = {job, given, mi_child_share(MOST_WORDS)};
  if (!told.words) return cli_fail("%s could not be started: %s", who, strerror(errno));
  fflush(stdout);
  fflush(stderr);
  mi_child_result ended = mi_child_run(do_and_tell, &told, limits);
  told.words[MOST_WORDS - 1] = 0; // a child that went wild may have been there
  if (ended.end == MI_CHILD_DONE) cli_keep_error(told.words);
  mi_child_unshare(told.words, MOST_WORDS);
  return report(ended, limits, who);
}
