// A job that crashes, eats memory, opens files or never ends does not take its parent with it.
#define _GNU_SOURCE // pipe2
#include "base/child.h"

#include "scenes/scene.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const mi_child_limits little = {.memory = (size_t)64 << 20, .seconds = 1};
static const mi_child_limits alone = {.memory = (size_t)64 << 20, .seconds = 1, .is_alone = true};
static int *told; // shared with the children

static int succeed(void *given) {
  return *(int *)given;
}

static int crash(void *given) {
  (void)given;
  raise(SIGSEGV);
  return 0;
}

static int leave(void *given) {
  (void)given;
  _exit(0); // without an answer, as a library might that calls exit()
}

static int loop(void *given) {
  (void)given;
  struct rlimit more;
  getrlimit(RLIMIT_CPU, &more);
  more.rlim_cur = more.rlim_max; // all that it can give itself
  setrlimit(RLIMIT_CPU, &more);
  signal(SIGXCPU, SIG_IGN);
  volatile int forever = 1;
  while (forever) {
  }
  return 0;
}

// A pipe without a writer holds a reader so.
static int wait_long(void *given) {
  (void)given;
  for (int k = 0; k < 40; k++) sleep(1);
  return 0;
}

// 0 when so much memory was given after all
static int eat(void *given) {
  size_t size = *(size_t *)given;
  char *bytes = malloc(size);
  if (!bytes) return 3;
  memset(bytes, 1, size);
  int is_there = bytes[size - 1];
  free(bytes);
  return is_there ? 0 : 4;
}

static int open_and_print(void *given) {
  (void)given;
  int fd = open("/dev/zero", O_RDONLY);
  dprintf(STDOUT_FILENO, "the job prints\n");
  return fd >= 0;
}

static void tell(int number) {
  *told = number;
}

static void expect(int (*job)(void *), void *given, const mi_child_limits *limits, mi_child_end end,
                   int code) {
  mi_child_result got = mi_child_run(job, given, limits);
  assert_int_equal(got.end, end);
  if (end == MI_CHILD_DONE) assert_int_equal(got.code, code);
}

static void a_child_comes_to_its_end(void **state) {
  (void)state;
  int code = 2;
  expect(succeed, &code, &little, MI_CHILD_DONE, 2);
  expect(crash, NULL, &little, MI_CHILD_CRASHED, 0);
  expect(leave, NULL, &little, MI_CHILD_CRASHED, 0);
  mi_child_limits patient = little;
  patient.patience = 120;
  mi_child_result tired = mi_child_run(loop, NULL, &patient); // before the clock ends it
  assert_true(tired.end == MI_CHILD_TOO_LONG && tired.code != SIGALRM);
  mi_child_limits impatient = little;
  impatient.patience = 1;
  expect(wait_long, NULL, &impatient, MI_CHILD_TOO_LONG, 0);
}

static void its_memory_is_limited(void **state) {
  (void)state;
  size_t small = 1 << 20;
  expect(eat, &small, &little, MI_CHILD_DONE, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  size_t much = (size_t)200 << 20;
  expect(eat, &much, &little, MI_CHILD_DONE, 3);
#endif
}

static void one_that_is_alone_opens_and_prints_nothing(void **state) {
  (void)state;
  int ends[2], before = dup(STDOUT_FILENO);
  char piece[64];
  assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
  fflush(stdout);
  dup2(ends[1], STDOUT_FILENO);
  mi_child_result shut = mi_child_run(open_and_print, NULL, &alone);
  ssize_t silent = read(ends[0], piece, sizeof piece);
  mi_child_result open_one = mi_child_run(open_and_print, NULL, &little);
  ssize_t printed = read(ends[0], piece, sizeof piece);
  dup2(before, STDOUT_FILENO);
  close(before);
  close(ends[0]);
  close(ends[1]);
  assert_true(shut.end == MI_CHILD_DONE && silent < 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  assert_int_equal(shut.code, 0);
#endif
  assert_true(open_one.end == MI_CHILD_DONE && open_one.code == 1 && printed > 0);
}

// Hosts save scenes and show windows in theirs.
static void handlers_of_the_host_are_not_called(void **state) {
  (void)state;
  told = mi_child_share(sizeof *told);
  assert_non_null(told);
  void (*before)(int) = signal(SIGSEGV, tell);
  expect(crash, NULL, &little, MI_CHILD_CRASHED, 0);
  signal(SIGSEGV, before);
  assert_int_equal(*told, 0);
  mi_child_unshare(told, sizeof *told);
}

static int begin_and_wait(void *given) {
  return write(*(int *)given, "x", 1) == 1 ? wait_long(NULL) : 1;
}

// One that is left behind would write its file later, into what was begun since.
static void it_ends_with_its_parent(void **state) {
  (void)state;
  int ends[2];
  char byte;
  assert_int_equal(pipe(ends), 0);
  pid_t parent = fork();
  if (parent == 0) _exit(mi_child_run(begin_and_wait, ends + 1, &little).code);
  close(ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  kill(parent, SIGKILL);
  alarm(25);
  assert_int_equal(read(ends[0], &byte, 1), 0); // its end of the pipe is closed
  alarm(0);
  close(ends[0]);
  assert_int_equal(waitpid(parent, NULL, 0), parent);
}

static void reap_all(int number) {
  (void)number;
  while (waitpid(-1, NULL, WNOHANG) > 0) continue;
}

// A host that ignores its children, or asks for all of them, takes their status away.
static void the_answer_is_known_without_a_status(void **state) {
  (void)state;
  void (*const hosts[])(int) = {SIG_IGN, reap_all};
  for (size_t k = 0; k < 2; k++) {
    int code = 2;
    signal(SIGCHLD, hosts[k]);
    expect(succeed, &code, &little, MI_CHILD_DONE, 2);
    expect(crash, NULL, &little, MI_CHILD_CRASHED, 0);
    signal(SIGCHLD, SIG_DFL);
  }
}

static void large_files_may_take_more(void **state) {
  (void)state;
  mi_child_limits small = mi_child_limits_for(1000);
  mi_child_limits large = mi_child_limits_for((size_t)100 << 20);
  mi_child_limits absurd = mi_child_limits_for(SIZE_MAX);
  assert_true(small.memory < large.memory && large.memory < absurd.memory);
  assert_true(small.seconds < large.seconds && large.seconds < absurd.seconds);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_child_comes_to_its_end),
      cmocka_unit_test(its_memory_is_limited),
      cmocka_unit_test(one_that_is_alone_opens_and_prints_nothing),
      cmocka_unit_test(handlers_of_the_host_are_not_called),
      cmocka_unit_test(it_ends_with_its_parent),
      cmocka_unit_test(the_answer_is_known_without_a_status),
      cmocka_unit_test(large_files_may_take_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
