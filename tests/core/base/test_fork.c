// A host forks while other threads use the pool: the child works, with threads of its own.
#include "base/base.h"
#include "scenes/scene.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 20000, CHUNK = 100 };
static atomic_bool is_over;

static void square(void *task, int begin, int end) {
  double *out = task;
  for (int i = begin; i < end; i++) out[i] = (double)i * i;
}

static bool is_right(int nthread) {
  static _Thread_local double out[COUNT];
  mi_parallel(nthread, COUNT, CHUNK, square, out);
  for (int i = 0; i < COUNT; i++)
    if (out[i] != (double)i * i) return false;
  return true;
}

// Of this process; 0 where the system does not tell.
static int count_threads(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *entry; tasks && (entry = readdir(tasks));) count += entry->d_name[0] != '.';
  if (tasks) closedir(tasks);
  return count;
}

// Without its handler the pool would do all the work on one thread: right, but alone.
static bool has_threads(void) {
  int count = count_threads();
  return count == 0 || count == SCENE_CHILD_THREADS;
}

static void *keep_busy(void *nothing) {
  while (!atomic_load(&is_over)) is_right(4);
  return nothing;
}

static void a_child_has_a_pool_of_its_own(void **state) {
  (void)state;
  pthread_t busy;
  assert_true(is_right(4));
  assert_int_equal(pthread_create(&busy, NULL, keep_busy, NULL), 0);
  for (int k = 0; k < 50; k++) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      alarm(20); // a child that hangs is a failure
      bool done = true;
      for (int i = 0; i < 3; i++) done = done && is_right(SCENE_CHILD_THREADS);
      _exit(done && has_threads() ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  atomic_store(&is_over, true);
  pthread_join(busy, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_child_has_a_pool_of_its_own)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
