#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

// Sanitizers reserve all addresses, and look at what a pointer shows through pipes of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

mi_child_limits mi_child_limits_for(size_t file_size) {
  size_t most = (size_t)64 << 30; // text grows by a factor of some tens in Assimp
  size_t memory = ((size_t)2 << 30) + (file_size < most / 64 ? 64 * file_size : most);
  int seconds = 60 + (int)((file_size < most ? file_size : most) >> 20);
  return (mi_child_limits){.memory = memory, .seconds = seconds, .patience = 20 * seconds};
}

void *mi_child_share(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void mi_child_unshare(void *memory, size_t size) {
  munmap(memory, size);
}

// -- In the child ---------------------------------------------------------------------------------

static void limit(int what, size_t most) {
  struct rlimit now;
  if (getrlimit(what, &now) != 0) return;
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) most = now.rlim_max;
  now.rlim_cur = now.rlim_max = most;
  setrlimit(what, &now);
}

static size_t address_space(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%lu", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// The host's own handlers would save scenes or show windows.
static void forget_handlers(void) {
  static const int ends[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPIPE, SIGXCPU, SIGALRM};
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) signal(ends[k], SIG_DFL);
}

static void shut_in(void) {
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  if (!IS_SANITIZED) limit(RLIMIT_NOFILE, 0); // those that are open stay so
}

typedef struct answer {
  int is_done, code;
} answer;

// A parent that is killed leaves none behind that would write its file later.
static void end_with_parent(pid_t parent) {
#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(1); // it has ended before we could ask
}

static void be_child(int (*job)(void *), void *given, const mi_child_limits *limits, answer *a,
                     pid_t parent) {
  end_with_parent(parent);
  forget_handlers();
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, (size_t)limits->seconds);
  alarm((unsigned)limits->patience);
  if (!IS_SANITIZED) limit(RLIMIT_AS, address_space() + limits->memory);
  if (limits->is_alone) shut_in();
  a->code = job(given);
  a->is_done = 1;
  _exit(a->code);
}

// -- In the parent --------------------------------------------------------------------------------

// A host that ignores its children, or asks for all of them, leaves no status: the child's own word
// is taken then.
static mi_child_result wait_for(pid_t child, const answer *a) {
  int status;
  while (waitpid(child, &status, 0) < 0) {
    if (errno == EINTR) continue;
    if (a->is_done == 1) return (mi_child_result){MI_CHILD_DONE, a->code & 255};
    return (mi_child_result){MI_CHILD_CRASHED, 0};
  }
  if (WIFEXITED(status) && a->is_done == 1)
    return (mi_child_result){MI_CHILD_DONE, WEXITSTATUS(status)};
  int reason = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  bool is_too_long = reason == SIGXCPU || reason == SIGKILL || reason == SIGALRM;
  return (mi_child_result){is_too_long ? MI_CHILD_TOO_LONG : MI_CHILD_CRASHED, reason};
}

mi_child_result mi_child_run(int (*job)(void *given), void *given, const mi_child_limits *limits) {
  answer *a = mi_child_share(sizeof *a);
  if (!a) return (mi_child_result){MI_CHILD_NOT_BEGUN, errno};
  pid_t parent = getpid(), child = fork();
  if (child == 0) be_child(job, given, limits, a, parent);
  mi_child_result result = {MI_CHILD_NOT_BEGUN, errno};
  if (child > 0) result = wait_for(child, a);
  mi_child_unshare(a, sizeof *a);
  return result;
}
