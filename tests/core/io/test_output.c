// Names that are being written: one writer, no links, looked at first, kept when they are worth it.
#include "fixture.h"
#include "io/output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_there(const char *path) {
  struct stat about;
  return lstat(path, &about) == 0;
}

static void put(int fd, const char *text) {
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void expect_text(const char *path, const char *text) {
  size_t size;
  unsigned char *bytes = fixture_read(path, &size);
  assert_int_equal(size, strlen(text));
  assert_memory_equal(bytes, text, size);
  free(bytes);
}

static void the_second_writer_is_refused(void **state) {
  (void)state;
  char why[MI_OUTPUT_WHY];
  const char *path = fixture_path("twice");
  for (int kind = MI_OUTPUT_NEW; kind <= MI_OUTPUT_RESUME; kind++) {
    int first = mi_output_open(path, MI_OUTPUT_NEW, why);
    assert_true(first >= 0);
    put(first, "first");
    assert_int_equal(mi_output_open(path, (mi_output_kind)kind, why), -1);
    assert_text_has(why, "another program is writing it");
    assert_true(mi_output_commit(first, path, why));
    close(first);
    expect_text(path, "first");
  }
}

// Twenty processes at once, again and again: each either writes its own text whole or is refused.
static void one_of_many_processes_wins(void **state) {
  (void)state;
  enum { MANY = 20, ROUNDS = 5 };
  char why[MI_OUTPUT_WHY], text[100];
  const char *path = fixture_path("many");
  for (int round = 0; round < ROUNDS; round++) {
    pid_t child[MANY];
    int nwon = 0;
    for (int k = 0; k < MANY; k++) {
      child[k] = fork();
      if (child[k]) continue;
      int fd = mi_output_open(path, MI_OUTPUT_NEW, why);
      if (fd < 0) _exit(strstr(why, "another program") ? 1 : 2);
      memset(text, 'a' + k, sizeof text);
      for (int half = 0; half < 2; half++) {
        if (write(fd, text, sizeof text / 2) != sizeof text / 2) _exit(3);
        usleep(2000);
      }
      _exit(mi_output_commit(fd, path, why) ? 0 : 4);
    }
    for (int k = 0; k < MANY; k++) {
      int status;
      assert_int_equal(waitpid(child[k], &status, 0), child[k]);
      assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
      nwon += WEXITSTATUS(status) == 0;
    }
    assert_true(nwon >= 1);
    size_t size;
    unsigned char *bytes = fixture_read(path, &size);
    assert_int_equal(size, sizeof text);
    for (size_t i = 1; i < size; i++) assert_int_equal(bytes[i], bytes[0]);
    free(bytes);
  }
  assert_false(is_there(fixture_path("many.part")));
}

// A program that we start would keep the lock after us, and could write.
static void nothing_is_inherited(void **state) {
  (void)state;
  char why[MI_OUTPUT_WHY];
  const char *path = fixture_path("inherited"), *log = fixture_path("inherited.log");
  int fds[3] = {mi_output_open(path, MI_OUTPUT_NEW, why), mi_output_append(log, why), -1};
  close(fds[0]);
  fds[0] = mi_output_open(path, MI_OUTPUT_RESUME, why);
  fds[2] = mi_output_open(fixture_path("inherited2"), MI_OUTPUT_NEW, why);
  for (int k = 0; k < 3; k++) {
    assert_true(fds[k] >= 0 && fcntl(fds[k], F_GETFD) & FD_CLOEXEC);
    close(fds[k]);
  }
}

// A process begun without standard files: what anybody prints there goes into no file of ours.
static void standard_files_are_nobodys(void **state) {
  (void)state;
  char why[MI_OUTPUT_WHY];
  const char *path = fixture_path("standard"), *log = fixture_path("standard.log");
  pid_t child = fork();
  if (child == 0) {
    for (int fd = 0; fd < 3; fd++) close(fd);
    int fds[3] = {mi_output_open(path, MI_OUTPUT_NEW, why), mi_output_append(log, why), -1};
    bool is_locked = mi_output_open(path, MI_OUTPUT_RESUME, why) < 0;
    close(fds[0]);
    fds[2] = mi_output_open(path, MI_OUTPUT_RESUME, why);
    _exit(!(is_locked && fds[0] > 2 && fds[1] > 2 && fds[2] > 2));
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void what_a_dead_writer_left(void **state) {
  (void)state;
  char why[MI_OUTPUT_WHY], three[3];
  const char *path = fixture_path("left"), *part = fixture_path("left.part");
  int fd = mi_output_open(path, MI_OUTPUT_RESUME, why); // nothing was begun: it begins
  assert_true(fd >= 0);
  put(fd, "abc");
  close(fd);
  assert_true(is_there(part));
  fd = mi_output_open(path, MI_OUTPUT_RESUME, why);
  assert_int_equal(read(fd, three, 3), 3);
  assert_memory_equal(three, "abc", 3);
  close(fd);
  fd = mi_output_open(path, MI_OUTPUT_NEW, why);
  assert_int_equal(lseek(fd, 0, SEEK_END), 0);
  mi_output_discard(fd, path);
  close(fd);
  assert_false(is_there(part));
}

static void links_are_not_followed(void **state) {
  (void)state;
  char why[MI_OUTPUT_WHY];
  const char *path = fixture_path("linked"), *part = fixture_path("linked.part");
  const char *victim = fixture_path("victim");
  fixture_write(victim, "precious", 8);
  assert_int_equal(symlink(victim, part), 0);
  for (int kind = MI_OUTPUT_NEW; kind <= MI_OUTPUT_RESUME; kind++) {
    assert_int_equal(mi_output_open(path, (mi_output_kind)kind, why), -1);
    assert_text_has(why, "that is a link");
  }
  unlink(part);
  assert_int_equal(link(victim, part), 0);
  assert_int_equal(mi_output_open(path, MI_OUTPUT_RESUME, why), -1);
  assert_text_has(why, "not one that you began");
  int fd = mi_output_open(path, MI_OUTPUT_NEW, why); // a fresh file takes the name
  assert_true(fd >= 0);
  put(fd, "mine");
  assert_true(mi_output_commit(fd, path, why));
  close(fd);
  expect_text(victim, "precious");
  // a link that has the name itself is replaced, not what it points to
  unlink(path);
  assert_int_equal(symlink(victim, path), 0);
  fd = mi_output_open(path, MI_OUTPUT_NEW, why);
  assert_true(mi_output_commit(fd, path, why));
  close(fd);
  expect_text(victim, "precious");
}

static void the_destination_is_looked_at_first(void **state) {
  (void)state;
  char why[MI_OUTPUT_WHY];
  const char *folder = fixture_path("folder");
  mkdir(folder, 0777);
  assert_int_equal(mi_output_open(folder, MI_OUTPUT_NEW, why), -1);
  assert_text_has(why, "that is a folder");
  assert_false(is_there(fixture_path("folder.part")));
  assert_int_equal(mi_output_open(fixture_path("folder/"), MI_OUTPUT_NEW, why), -1);
  assert_int_equal(mi_output_open("", MI_OUTPUT_NEW, why), -1);
  assert_int_equal(mi_output_open("/dev/null", MI_OUTPUT_NEW, why), -1);
  assert_text_has(why, "not a file");
  assert_int_equal(mi_output_open(fixture_path("absent/x"), MI_OUTPUT_NEW, why), -1);
  assert_text_has(why, "No such file");
  fixture_write(fixture_path("plain"), "x", 1);
  assert_int_equal(mi_output_open(fixture_path("plain/x"), MI_OUTPUT_NEW, why), -1);
  mkdir(fixture_path("blocked.part"), 0777);
  assert_int_equal(mi_output_open(fixture_path("blocked"), MI_OUTPUT_NEW, why), -1);
  char longest[5000];
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  assert_int_equal(mi_output_open(longest, MI_OUTPUT_NEW, why), -1);
}

static void what_was_replaced_gets_no_name(void **state) {
  (void)state;
  char why[MI_OUTPUT_WHY];
  const char *path = fixture_path("taken"), *part = fixture_path("taken.part");
  int fd = mi_output_open(path, MI_OUTPUT_NEW, why);
  assert_true(fd >= 0);
  unlink(part);
  fixture_write(part, "another's", 9);
  assert_false(mi_output_commit(fd, path, why));
  assert_text_has(why, "removed or replaced");
  mi_output_discard(fd, path);
  close(fd);
  expect_text(part, "another's");
  assert_false(is_there(path));
}

static void logs_grow_and_are_no_links(void **state) {
  (void)state;
  char why[MI_OUTPUT_WHY];
  const char *path = fixture_path("log"), *victim = fixture_path("victim");
  unlink(path);
  for (int k = 0; k < 2; k++) {
    int fd = mi_output_append(path, why);
    assert_true(fd >= 0);
    put(fd, "line\n");
    close(fd);
  }
  expect_text(path, "line\nline\n");
  fixture_write(victim, "precious", 8);
  unlink(path);
  assert_int_equal(symlink(victim, path), 0);
  assert_int_equal(mi_output_append(path, why), -1);
  assert_text_has(why, "that is a link");
  unlink(path);
  assert_int_equal(link(victim, path), 0);
  assert_int_equal(mi_output_append(path, why), -1);
  assert_text_has(why, "not one that you began");
  unlink(path);
  assert_int_equal(mkfifo(path, 0666), 0); // without a reader it would be waited for
  alarm(60);
  assert_int_equal(mi_output_append(path, why), -1);
  alarm(0);
  expect_text(victim, "precious");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_second_writer_is_refused),
      cmocka_unit_test(one_of_many_processes_wins),
      cmocka_unit_test(nothing_is_inherited),
      cmocka_unit_test(standard_files_are_nobodys),
      cmocka_unit_test(what_a_dead_writer_left),
      cmocka_unit_test(links_are_not_followed),
      cmocka_unit_test(the_destination_is_looked_at_first),
      cmocka_unit_test(what_was_replaced_gets_no_name),
      cmocka_unit_test(logs_grow_and_are_no_links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
