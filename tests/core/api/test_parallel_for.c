// A host with threads of its own: all work reaches them, and the bits are those of mien's pool.
#include "scenes/scene.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int ncall, njob;

// Every job on the caller's thread, the last first: an order that no pool has.
static void backwards(void *user, int count, mien_job_fn *job, void *task) {
  atomic_fetch_add((atomic_int *)user, 1);
  atomic_fetch_add(&njob, count);
  for (int i = count - 1; i >= 0; i--) job(task, i);
}

typedef struct crew {
  atomic_int next;
  int count;
  mien_job_fn *job;
  void *task;
} crew;

static void *work(void *given) {
  crew *c = given;
  for (int i; (i = atomic_fetch_add(&c->next, 1)) < c->count;) c->job(c->task, i);
  return NULL;
}

static void with_threads(void *user, int count, mien_job_fn *job, void *task) {
  pthread_t thread[3];
  int nthread = 0;
  crew c = {.count = count, .job = job, .task = task};
  atomic_fetch_add((atomic_int *)user, 1);
  atomic_fetch_add(&njob, count);
  while (nthread < 3 && !pthread_create(thread + nthread, NULL, work, &c)) nthread++;
  work(&c);
  for (int i = 0; i < nthread; i++) pthread_join(thread[i], NULL);
}

typedef struct outcome {
  uint64_t face, state, restored;
  int at_face, at_first, at_steps; // calls of parallel_for
} outcome;

static void step(mien_state *state, int nshape, int frame) {
  float weights[200];
  assert_true(nshape <= 200);
  for (int s = 0; s < nshape; s++) // all shapes at once would cross everywhere
    weights[s] = s % 8 ? 0 : (float)(0.3 + 0.3 * sin(0.4 * frame + s));
  mien_input input;
  mien_step_opts opts;
  mien_error err;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  input.weights = (mien_f32s){weights, nshape, 0};
  opts.contact = MIEN_CONTACT_PLANE;
  opts.sticky = 1;
  if (mien_step(state, &input, &opts, &err) < 0) fail_msg("%s", err.text);
}

static outcome simulate(const mien_host *host) {
  outcome o = {0};
  mien_rig *rig = NULL;
  mien_face *face = NULL;
  mien_state *state = NULL;
  mien_error err;
  int start = atomic_load(&ncall);
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", host, &rig, &err) < 0 ||
      mien_face_create(rig, NULL, host, &face, &err) < 0 ||
      mien_state_create(face, host, &state, &err) < 0)
    fail_msg("%s", err.text);
  int nshape = mien_rig_get_info(rig)->nshape;
  o.face = mien_face_get_info(face)->hash;
  o.at_face = atomic_load(&ncall) - start;
  for (int frame = 0; frame < 3; frame++) {
    step(state, nshape, frame);
    if (!frame) o.at_first = atomic_load(&ncall) - start - o.at_face;
  }
  o.at_steps = atomic_load(&ncall) - start - o.at_face - o.at_first;
  o.state = mien_state_hash(state);
  size_t size = mien_state_size(state);
  void *bytes = malloc(size);
  assert_int_equal(mien_state_write(state, bytes, size, NULL), MIEN_OK);
  mien_state_reset(state);
  assert_int_equal(mien_state_read(state, bytes, size, NULL), MIEN_OK);
  o.restored = mien_state_hash(state);
  free(bytes);
  mien_state_free(state);
  mien_face_free(face);
  mien_rig_free(rig);
  return o;
}

static void the_hosts_threads_give_the_same_bits(void **state) {
  (void)state;
  mien_host host;
  mien_host_init(&host);
  host.threads = 1;
  outcome alone = simulate(&host);
  host.threads = 4;
  outcome pool = simulate(&host);
  assert_true(pool.face == alone.face && pool.state == alone.state);
  assert_int_equal(atomic_load(&ncall), 0);
  static mien_parallel_for_fn *const fns[] = {backwards, with_threads};
  for (int k = 0; k < 2; k++) {
    host.parallel_for = fns[k];
    host.user = &ncall;
    outcome own = simulate(&host);
    assert_true(own.face == alone.face && own.state == alone.state);
    assert_true(own.restored == own.state);
    assert_true(own.at_face > 5 && own.at_first > 5 && own.at_steps > 2 * 5);
  }
  assert_true(atomic_load(&njob) > 2 * atomic_load(&ncall));
}

// With one thread there is nothing to hand out, and another object's host is not asked.
static void a_host_with_one_thread_is_not_asked(void **state) {
  (void)state;
  mien_host host;
  mien_host_init(&host);
  host.threads = 1;
  host.parallel_for = backwards;
  host.user = &ncall;
  int before = atomic_load(&ncall);
  simulate(&host);
  simulate(NULL);
  assert_int_equal(atomic_load(&ncall), before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_hosts_threads_give_the_same_bits),
      cmocka_unit_test(a_host_with_one_thread_is_not_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
