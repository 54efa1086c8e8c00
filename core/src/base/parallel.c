// Fixed chunks over OpenMP. Without OpenMP everything runs on the calling thread, same bits.
#include "base/base.h"

#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

int mi_threads_available(void) {
#ifdef _OPENMP
  int threads = omp_get_num_procs();
  return threads > 0 ? threads : 1;
#else
  return 1;
#endif
}

void mi_parallel(int threads, int count, int chunk, mi_range_fn *fn, void *task) {
  int nchunk = (count + chunk - 1) / chunk;
  if (threads > nchunk) threads = nchunk;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads > 1 ? threads : 1) schedule(static) if (threads > 1)
#endif
  for (int i = 0; i < nchunk; i++) {
    int begin = i * chunk;
    fn(task, begin, count - begin < chunk ? count : begin + chunk);
  }
}

double mi_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
