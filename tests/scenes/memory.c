#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void scene_assert_near(double value, double expected, double tolerance, const char *file,
                       int line) {
  if (fabs(value - expected) <= tolerance) return;
  print_error("%.17g is not within %g of %.17g\n", value, tolerance, expected);
  _fail(file, line);
}

static void *count_alloc(void *user, size_t size, size_t align) {
  scene_memory *memory = user;
  if (++memory->nalloc == memory->fail_at) return NULL;
  memory->live += size;
  return aligned_alloc(align, (size + align - 1) & ~(align - 1));
}

static void count_release(void *user, void *block, size_t size) {
  scene_memory *memory = user;
  memory->live -= size;
  free(block);
}

mien_host scene_counting_host(scene_memory *memory) {
  mien_host host;
  mien_host_init(&host);
  host.threads = 1; // counts are not atomic
  host.allocator = (mien_allocator){count_alloc, count_release, memory};
  return host;
}

void scene_fail_every_allocation(scene_make_fn *make, void *user) {
  for (int fail_at = 1;; fail_at++) {
    scene_memory memory = {.fail_at = fail_at};
    mien_host host = scene_counting_host(&memory);
    mien_result result = make(&host, user);
    assert_int_equal(memory.live, 0);
    if (result >= 0) {
      assert_true(fail_at > 1); // it must have allocated something through the host
      return;
    }
    assert_int_equal(result, MIEN_ERR_MEMORY);
    assert_true(fail_at < 10000);
  }
}
