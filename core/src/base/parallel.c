// Fixed chunks over a small pool of threads.
//
// Why not OpenMP: its regions end in a barrier that every thread must reach, and on a machine that
// is busy with other work each barrier waits for the operating system to run a thread that may have
// nothing left to do (a step of 6 ms was seen to take 2 s). Here the caller takes chunks itself
// until none is left and waits only for chunks that another thread has begun. The result does not
// depend on which thread runs a chunk: chunks depend on the count alone.
//
// A child of fork() has the pool's memory but none of its threads: it starts a pool of its own.
//
// The pool is the one thing in the library that belongs to the process, as OpenMP's would: it holds
// no data, only threads that sleep. Two callers at once are fine; the second runs alone.
//
// A host with threads of its own gets the same chunks as jobs. Which host a loop works for is known
// to the public function that was called; it is kept per thread, so that the hundred functions in
// between need not hand it on.
#define _GNU_SOURCE // sched_getaffinity
#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORKERS = 15, SPINS = 4000 };

#ifdef MI_HAVE_THREADS
static struct pool {
  pthread_mutex_t caller; // held by the caller that uses the pool
  pthread_mutex_t lock;   // guards sleeping and waking
  pthread_cond_t wake;
  atomic_uint job;     // counts jobs
  atomic_int is_open;  // the job may be joined
  atomic_int joined;   // workers that asked to join it
  atomic_int inside;   // workers that may touch its fields
  atomic_int sleeping; // workers in pthread_cond_wait
  atomic_int next;     // chunk
  int nworker, wanted;
  bool is_watched; // forget_threads is called in children
  mi_range_fn *fn;
  void *task;
  int count, chunk, nchunk;
} pool = {.caller = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER};

// Resets locks and counters: the child of fork() has one thread, this one.
static void forget_threads(void) {
  pthread_mutex_init(&pool.caller, NULL);
  pthread_mutex_init(&pool.lock, NULL);
  pthread_cond_init(&pool.wake, NULL);
  atomic_store(&pool.is_open, 0);
  atomic_store(&pool.joined, 0);
  atomic_store(&pool.inside, 0);
  atomic_store(&pool.sleeping, 0);
  pool.nworker = 0;
}

static void run_chunks(void) {
  for (;;) {
    int i = atomic_fetch_add(&pool.next, 1);
    if (i >= pool.nchunk) return;
    int begin = i * pool.chunk;
    pool.fn(pool.task, begin, pool.count - begin < pool.chunk ? pool.count : begin + pool.chunk);
  }
}

static void relax(int spin) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
  if (spin % 64 == 63) sched_yield();
}

// Spins for the time between two loops of a step, then sleeps.
static unsigned await_job(unsigned seen) {
  for (int spin = 0; spin < SPINS; spin++) {
    unsigned job = atomic_load(&pool.job);
    if (job != seen) return job;
    relax(spin);
  }
  pthread_mutex_lock(&pool.lock);
  atomic_fetch_add(&pool.sleeping, 1);
  while (atomic_load(&pool.job) == seen) pthread_cond_wait(&pool.wake, &pool.lock);
  atomic_fetch_sub(&pool.sleeping, 1);
  pthread_mutex_unlock(&pool.lock);
  return atomic_load(&pool.job);
}

static void *work(void *nothing) {
  unsigned seen = 0;
  mi_float_enter(); // a thread begins in the mode of the one that made it
  for (;;) {
    seen = await_job(seen);
    // the fields of a job are safe between these two lines: its caller waits for `inside` to be 0
    atomic_fetch_add(&pool.inside, 1);
    if (atomic_load(&pool.is_open) && atomic_load(&pool.job) == seen &&
        atomic_fetch_add(&pool.joined, 1) < pool.wanted)
      run_chunks();
    atomic_fetch_sub(&pool.inside, 1);
  }
  return nothing;
}

static void grow_pool(int workers) {
  if (workers > MOST_WORKERS) workers = MOST_WORKERS;
  if (!pool.is_watched) pool.is_watched = pthread_atfork(NULL, NULL, forget_threads) == 0;
  while (pool.nworker < workers) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL)) return; // fewer threads, same bits
    pthread_detach(thread);
    pool.nworker++;
  }
}

static void open_job(void) {
  atomic_store(&pool.next, 0);
  atomic_store(&pool.joined, 0);
  atomic_store(&pool.is_open, 1);
  atomic_fetch_add(&pool.job, 1);
  if (!atomic_load(&pool.sleeping)) return;
  pthread_mutex_lock(&pool.lock);
  pthread_cond_broadcast(&pool.wake);
  pthread_mutex_unlock(&pool.lock);
}

static void close_job(void) {
  atomic_store(&pool.is_open, 0);
  for (int spin = 0; atomic_load(&pool.inside); spin++) relax(spin);
}

static bool run_on_pool(int threads, int count, int chunk, mi_range_fn *fn, void *task) {
  if (threads < 2 || count <= chunk || pthread_mutex_trylock(&pool.caller)) return false;
  grow_pool(threads - 1);
  pool.wanted = threads - 1;
  pool.fn = fn;
  pool.task = task;
  pool.count = count;
  pool.chunk = chunk;
  pool.nchunk = (count + chunk - 1) / chunk;
  open_job();
  run_chunks();
  close_job();
  pthread_mutex_unlock(&pool.caller);
  return true;
}
#else
static bool run_on_pool(int threads, int count, int chunk, mi_range_fn *fn, void *task) {
  (void)threads, (void)count, (void)chunk, (void)fn, (void)task;
  return false;
}
#endif

typedef struct loop {
  mi_range_fn *fn;
  void *task;
  int count, chunk;
} loop;

// In a thread of the host's, which has its own mode.
static void run_job(void *task, int index) {
  const loop *l = task;
  int begin = index * l->chunk;
  mi_float_mode before = mi_float_enter();
  l->fn(l->task, begin, l->count - begin < l->chunk ? l->count : begin + l->chunk);
  mi_float_leave(before);
}

static _Thread_local const mien_host *host_at_work;

mi_host_entry mi_host_enter(const mien_host *host) {
  mi_host_entry before = {host_at_work, mi_float_enter()};
  host_at_work = host;
  return before;
}

void mi_host_leave(mi_host_entry before) {
  host_at_work = before.host;
  mi_float_leave(before.float_mode);
}

static bool run_by_host(int threads, int count, int chunk, mi_range_fn *fn, void *task) {
  const mien_host *host = host_at_work;
  if (threads < 2 || count <= chunk || !host || !host->parallel_for) return false;
  loop l = {fn, task, count, chunk};
  host->parallel_for(host->user, (count + chunk - 1) / chunk, run_job, &l);
  return true;
}

void mi_parallel(int threads, int count, int chunk, mi_range_fn *fn, void *task) {
  if (run_by_host(threads, count, chunk, fn, task)) return;
  if (run_on_pool(threads, count, chunk, fn, task)) return;
  for (int begin = 0; begin < count; begin += chunk)
    fn(task, begin, count - begin < chunk ? count : begin + chunk);
}

int mi_threads_available(void) {
#ifdef MI_HAVE_THREADS
#if defined(__linux__)
  cpu_set_t allowed; // a farm gives a job some of its processors
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
    return CPU_COUNT(&allowed);
#endif
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (int)count : 1;
#else
  return 1;
#endif
}

double mi_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
