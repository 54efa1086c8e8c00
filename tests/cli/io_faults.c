// io_faults error|kill N COMMAND...: runs a program and lets its N-th write, sync, cut or rename of
// a file fail (no space, or an error of the disk), or kills it before that call. Whatever library
// makes the call: the system itself is asked, by ptrace. The last line on stderr says whether it
// came to that. Exit code: the program's; 120 = killed by us; 77 = ptrace is not allowed here.
#include <stdio.h>

#if defined(__x86_64__) && defined(__linux__)
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_THREADS = 64 };

static struct { // of a thread: in a call, and what that call is to return instead
  pid_t id;
  bool is_inside, is_denied;
  long result;
} threads[MOST_THREADS];
static int nthread, ncall, target;
static bool kills, has_come;

static int find_thread(pid_t id) {
  for (int k = 0; k < nthread; k++)
    if (threads[k].id == id) return k;
  if (nthread == MOST_THREADS) exit(1);
  threads[nthread].id = id;
  return nthread++;
}

static bool is_file(pid_t id, long fd) {
  char path[64];
  struct stat about;
  snprintf(path, sizeof path, "/proc/%d/fd/%ld", (int)id, fd);
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static bool counts(pid_t id, const struct user_regs_struct *at) {
  switch (at->orig_rax) {
  case SYS_write:
  case SYS_pwrite64:
  case SYS_writev:
  case SYS_fsync:
  case SYS_fdatasync:
  case SYS_ftruncate:
    return is_file(id, (long)at->rdi);
  case SYS_rename:
  case SYS_renameat:
  case SYS_renameat2:
    return true;
  default:
    return false;
  }
}

// At the way in or out of a call.
static void look(pid_t id, pid_t main_id) {
  int k = find_thread(id);
  struct user_regs_struct at;
  if (ptrace(PTRACE_GETREGS, id, 0, &at)) return;
  threads[k].is_inside = !threads[k].is_inside;
  if (!threads[k].is_inside) {
    if (threads[k].is_denied) {
      at.rax = (unsigned long long)threads[k].result;
      ptrace(PTRACE_SETREGS, id, 0, &at);
    }
    threads[k].is_denied = false;
    return;
  }
  if (!counts(id, &at) || ++ncall != target) return;
  has_come = true;
  if (kills) {
    kill(main_id, SIGKILL);
    return;
  }
  bool is_write = at.orig_rax == SYS_write || at.orig_rax == SYS_pwrite64;
  threads[k].is_denied = true;
  threads[k].result = is_write ? -ENOSPC : -EIO;
  at.orig_rax = (unsigned long long)-1; // no call at all
  ptrace(PTRACE_SETREGS, id, 0, &at);
}

static int follow(pid_t child) {
  for (;;) {
    int status, pass = 0;
    pid_t id = waitpid(-1, &status, __WALL);
    if (id < 0) return 1;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (id != child) continue;
      return WIFEXITED(status) ? WEXITSTATUS(status) : kills && has_come ? 120 : 121;
    }
    int what = WSTOPSIG(status);
    if (what == (SIGTRAP | 0x80))
      look(id, child);
    else if (what != SIGTRAP && what != SIGSTOP)
      pass = what;
    ptrace(PTRACE_SYSCALL, id, 0, pass);
  }
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  kills = !strcmp(argv[1], "kill");
  target = atoi(argv[2]);
  pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, 0, 0)) _exit(77);
    raise(SIGSTOP);
    execvp(argv[3], argv + 3);
    _exit(127);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) < 0 || WIFEXITED(status)) return 77;
  ptrace(PTRACE_SETOPTIONS, child, 0,
         PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEFORK |
             PTRACE_O_EXITKILL);
  ptrace(PTRACE_SYSCALL, child, 0, 0);
  int code = follow(child);
  fprintf(stderr, "io_faults: %s after %d calls\n", has_come ? "came" : "did not come", ncall);
  return code;
}
#else
int main(void) {
  fprintf(stderr, "io_faults knows Linux on x86-64 alone\n");
  return 77;
}
#endif
