// Programs of an engine: started, waited for, what they print is read.
#include "farm.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

static int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int farm_call(char *const argv[], char *out, size_t size) {
  int ends[2];
  size_t length = 0;
  if (pipe(ends) != 0) return -1;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0); // Ctrl-C is for us; the engine is told in its own way
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(argv[0], argv);
    _exit(127);
  }
  close(ends[1]);
  char piece[4096];
  for (;;) {
    ssize_t got = child > 0 ? read(ends[0], piece, sizeof piece) : 0;
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (ssize_t i = 0; i < got; i++)
      if (length + 1 < size) out[length++] = piece[i]; // the rest is read and dropped
  }
  if (size) out[length] = 0;
  close(ends[0]);
  return child > 0 ? wait_for(child) : -1;
}
