#define _DEFAULT_SOURCE

#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PATH = 4096, MOST_TRIES = 16 };

static int refuse(char why[MI_OUTPUT_WHY], const char *path, const char *reason) {
  snprintf(why, MI_OUTPUT_WHY, "cannot write %.200s: %s", path, reason);
  return -1;
}

bool mi_output_name(const char *path, char *part, size_t size) {
  int length = snprintf(part, size, "%s.part", path);
  return length > 0 && (size_t)length < size;
}

// The folder that a path is in, "." for a bare name.
static void name_folder(const char *path, char folder[MOST_PATH]) {
  snprintf(folder, MOST_PATH, "%s", path);
  char *slash = strrchr(folder, '/');
  if (!slash)
    strcpy(folder, ".");
  else
    slash[slash == folder] = 0;
}

// -- Looking first --------------------------------------------------------------------------------

// In a folder like /tmp only the owner of a file may replace it.
static bool may_replace(const struct stat *folder, const struct stat *there) {
  uid_t me = geteuid();
  return !(folder->st_mode & S_ISVTX) || me == 0 || there->st_uid == me || folder->st_uid == me;
}

static int check_destination(const char *path, char why[MI_OUTPUT_WHY]) {
  char folder[MOST_PATH];
  struct stat above, there, shown;
  size_t length = strlen(path);
  if (length == 0) return refuse(why, path, "it has no name");
  if (path[length - 1] == '/') return refuse(why, path, "that is a folder");
  name_folder(path, folder);
  if (stat(folder, &above) != 0) return refuse(why, path, strerror(errno));
  if (!S_ISDIR(above.st_mode)) return refuse(why, path, strerror(ENOTDIR));
  if (lstat(path, &there) != 0) return errno == ENOENT ? 0 : refuse(why, path, strerror(errno));
  if (stat(path, &shown) == 0 && S_ISDIR(shown.st_mode))
    return refuse(why, path, "that is a folder");
  if (!S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
    return refuse(why, path, "what has that name is not a file");
  if (!may_replace(&above, &there)) return refuse(why, path, "the file there is another user's");
  return 0;
}

// -- Opening --------------------------------------------------------------------------------------

static bool is_same(int fd, const char *part) {
  struct stat open_one, named;
  return fstat(fd, &open_one) == 0 && lstat(part, &named) == 0 && open_one.st_dev == named.st_dev &&
         open_one.st_ino == named.st_ino;
}

// True when no other process has it, or when the file system knows no locks.
static bool lock(int fd) {
  int result;
  do result = flock(fd, LOCK_EX | LOCK_NB);
  while (result != 0 && errno == EINTR);
  return result == 0 || (errno != EWOULDBLOCK && errno != EACCES);
}

static int drop(int fd, char why[MI_OUTPUT_WHY], const char *path, const char *reason) {
  close(fd);
  return refuse(why, path, reason);
}

static bool is_own(const struct stat *about) {
  return S_ISREG(about->st_mode) && about->st_uid == geteuid() && about->st_nlink == 1;
}

// In a process without standard output, what anybody prints would go into the file.
static int open_above(const char *path, int flags) {
  int fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), why = errno;
  close(fd);
  errno = why;
  return above;
}

enum { AGAIN = -2 };

// The state of an existing part file: locked by its writer, left by one that ended, or not ours.
static int open_left(const char *path, const char *part, mi_output_kind kind,
                     char why[MI_OUTPUT_WHY]) {
  static const char busy[] = "another program is writing it";
  struct stat about;
  int fd = open_above(part, O_RDWR | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) return AGAIN;
  if (fd < 0) return refuse(why, part, errno == ELOOP ? "that is a link" : strerror(errno));
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
    return drop(fd, why, part, "that is not a file");
  if (!lock(fd)) return drop(fd, why, path, busy);
  if (!is_same(fd, part)) { // its writer has just finished
    close(fd);
    return AGAIN;
  }
  if (kind == MI_OUTPUT_RESUME) {
    if (is_own(&about)) return fd;
    return drop(fd, why, part, "it is not one that you began");
  }
  int result = unlink(part) == 0 ? AGAIN : refuse(why, part, strerror(errno));
  close(fd);
  return result;
}

int mi_output_open(const char *path, mi_output_kind kind, char why[MI_OUTPUT_WHY]) {
  char part[MOST_PATH];
  why[0] = 0;
  if (!mi_output_name(path, part, sizeof part)) return refuse(why, path, strerror(ENAMETOOLONG));
  if (check_destination(path, why) < 0) return -1;
  for (int k = 0; k < MOST_TRIES; k++) {
    int fd = open_above(part, O_RDWR | O_CREAT | O_EXCL);
    if (fd >= 0 && lock(fd) && is_same(fd, part)) return fd;
    if (fd >= 0) { // somebody was faster between the two
      close(fd);
      continue;
    }
    if (errno != EEXIST) return refuse(why, path, strerror(errno));
    fd = open_left(path, part, kind, why);
    if (fd != AGAIN) return fd;
  }
  return refuse(why, path, "other programs begin and end it all the time");
}

int mi_output_append(const char *path, char why[MI_OUTPUT_WHY]) {
  struct stat about;
  int fd = open_above(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK);
  why[0] = 0;
  if (fd < 0) return refuse(why, path, errno == ELOOP ? "that is a link" : strerror(errno));
  if (fstat(fd, &about) == 0 && is_own(&about)) return fd;
  return drop(fd, why, path, "it is not one that you began");
}

bool mi_output_check(const char *path, char why[MI_OUTPUT_WHY]) {
  char part[MOST_PATH], folder[MOST_PATH];
  struct stat about;
  why[0] = 0;
  if (!mi_output_name(path, part, sizeof part))
    return refuse(why, path, strerror(ENAMETOOLONG)) == 0;
  if (check_destination(path, why) < 0) return false;
  name_folder(path, folder);
  if (access(folder, W_OK | X_OK) != 0) return refuse(why, path, strerror(errno)) == 0;
  if (lstat(part, &about) != 0) return true;
  int fd = open_left(path, part, MI_OUTPUT_RESUME, why);
  if (fd >= 0) close(fd);
  return fd != -1;
}

// -- Ending ---------------------------------------------------------------------------------------

bool mi_output_sync(int fd, const char *path, char why[MI_OUTPUT_WHY]) {
  if (fsync(fd) == 0) return true;
  refuse(why, path, strerror(errno));
  return false;
}

bool mi_output_commit(int fd, const char *path, char why[MI_OUTPUT_WHY]) {
  char part[MOST_PATH], folder[MOST_PATH];
  if (!mi_output_name(path, part, sizeof part)) return false;
  if (!mi_output_sync(fd, path, why)) return false;
  if (!is_same(fd, part)) {
    refuse(why, path, "what was written was removed or replaced meanwhile");
    return false;
  }
  if (rename(part, path) != 0) {
    refuse(why, path, strerror(errno));
    return false;
  }
  // The name, too, must be on the disk; folders that cannot be synced are as they are.
  name_folder(path, folder);
  int above = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (above >= 0) {
    (void)fsync(above);
    close(above);
  }
  return true;
}

void mi_output_discard(int fd, const char *path) {
  char part[MOST_PATH];
  if (mi_output_name(path, part, sizeof part) && is_same(fd, part)) unlink(part);
}
