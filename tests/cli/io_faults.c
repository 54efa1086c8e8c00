// io_faults error|kill|power N COMMAND...: runs a program and lets its N-th write, sync, cut or
// rename of a file fail (no space, or an error of the disk), or kills it before that call, or cuts
// the power there: names are as they were given, but of every file only what was synced is left.
// Whatever library makes the call: the system itself is asked, by ptrace. The last line on stderr
// says whether it came to that. Exit code: the program's; 120 = killed by us; 77 = ptrace is not
// allowed here.
#include <stdio.h>

#if defined(__x86_64__) && defined(__linux__)
#include <errno.h>
#include <fcntl.h>
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

enum { MOST_THREADS = 64, MOST_FILES = 256 };

static struct { // of a thread: in a call, and what that call is to return instead
  pid_t id;
  bool is_inside, is_denied;
  long result;
} threads[MOST_THREADS];
static int nthread, ncall, target;
static bool kills, cuts_power, has_come;

// -- What is on the disk --------------------------------------------------------------------------

static struct { // a file that was written to; that it is open keeps its number from being used anew
  ino_t number;
  int fd;
  char *bytes; // at the last sync
  size_t size;
} files[MOST_FILES];
static int nfile;

static void keep_bytes(int k) {
  struct stat about;
  if (fstat(files[k].fd, &about)) exit(1);
  files[k].size = (size_t)about.st_size;
  files[k].bytes = realloc(files[k].bytes, files[k].size + 1);
  if (!files[k].bytes ||
      pread(files[k].fd, files[k].bytes, files[k].size, 0) != (ssize_t)files[k].size)
    exit(1);
}

// Before it is written to for the first time: what an earlier program left is on the disk.
static int find_file(pid_t id, long fd) {
  char path[64];
  struct stat about;
  snprintf(path, sizeof path, "/proc/%d/fd/%ld", (int)id, fd);
  if (stat(path, &about)) return -1;
  for (int k = 0; k < nfile; k++)
    if (files[k].number == about.st_ino) return k;
  if (nfile == MOST_FILES) exit(1);
  files[nfile].number = about.st_ino;
  files[nfile].fd = open(path, O_RDWR | O_CLOEXEC);
  if (files[nfile].fd < 0) exit(1);
  keep_bytes(nfile);
  return nfile++;
}

static void lose_what_was_not_synced(void) {
  for (int k = 0; k < nfile; k++)
    if (ftruncate(files[k].fd, 0) ||
        pwrite(files[k].fd, files[k].bytes, files[k].size, 0) != (ssize_t)files[k].size)
      exit(1);
}

// -- Calls ----------------------------------------------------------------------------------------

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
    bool is_sync = at.orig_rax == SYS_fsync || at.orig_rax == SYS_fdatasync;
    if (cuts_power && is_sync && at.rax == 0 && is_file(id, (long)at.rdi))
      keep_bytes(find_file(id, (long)at.rdi));
    threads[k].is_denied = false;
    return;
  }
  if (!counts(id, &at)) return;
  bool has_file =
      at.orig_rax != SYS_rename && at.orig_rax != SYS_renameat && at.orig_rax != SYS_renameat2;
  if (cuts_power && has_file) find_file(id, (long)at.rdi);
  if (++ncall != target) return;
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
  cuts_power = !strcmp(argv[1], "power");
  kills = cuts_power || !strcmp(argv[1], "kill");
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
  if (cuts_power && has_come) lose_what_was_not_synced();
  fprintf(stderr, "io_faults: %s after %d calls\n", has_come ? "came" : "did not come", ncall);
  return code;
}
#else
int main(void) {
  fprintf(stderr, "io_faults knows Linux on x86-64 alone\n");
  return 77;
}
#endif
