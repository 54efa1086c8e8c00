#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "limited_child.h"

#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

child_limits child_limits_for(size_t file_size) {
  size_t most = (size_t)64 << 30; // text grows by a factor of some tens in Assimp
  size_t memory = ((size_t)2 << 30) + (file_size < most / 64 ? 64 * file_size : most);
  return (child_limits){memory, 60 + (int)(file_size < most ? file_size >> 20 : most >> 20)};
}

static void limit(int what, size_t most) {
  struct rlimit now;
  if (getrlimit(what, &now) != 0) return;
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) most = now.rlim_max;
  now.rlim_cur = most;
  setrlimit(what, &now);
}

static size_t address_space(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%lu", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

enum { MOST_WORDS = 1024 };

// `words` is the parent's, too: it repeats in JSON what the child has said.
static void be_child(int (*job)(void *), void *given, const child_limits *limits, char *words) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, (size_t)limits->seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they reserve all of it
  limit(RLIMIT_AS, address_space() + limits->memory);
#else
  (void)address_space;
#endif
  int code = job(given);
  snprintf(words, MOST_WORDS, "%s", cli_said_error());
  fflush(stdout);
  fflush(stderr);
  _exit(code);
}

int child_run(int (*job)(void *given), void *given, const child_limits *limits, const char *who) {
  int status = 0, failure = 0;
  char *words = mmap(NULL, MOST_WORDS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (words == MAP_FAILED) return cli_fail("%s could not be started: %s", who, strerror(errno));
  fflush(stdout);
  fflush(stderr);
  pid_t child = fork();
  if (child == 0) be_child(job, given, limits, words);
  if (child < 0) failure = errno;
  while (!failure && waitpid(child, &status, 0) < 0)
    if (errno != EINTR) failure = errno;
  words[MOST_WORDS - 1] = 0; // a child that went wild may have been there
  if (!failure && WIFEXITED(status)) cli_keep_error(words);
  munmap(words, MOST_WORDS);
  if (failure) return cli_fail("%s could not be run: %s", who, strerror(failure));
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  if (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)
    return cli_fail("%s did not come to an end within %d s or the memory there is", who,
                    limits->seconds);
  return cli_fail("%s crashed (%s) or ran out of its %zu MB; the file is damaged or hostile", who,
                  strsignal(WTERMSIG(status)), limits->memory >> 20);
}
