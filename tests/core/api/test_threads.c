// One face, eight states in eight threads, with a pool that all of them want: the bits of one
// alone. A host that forks while they step gets them in the child, too.
#include "scenes/scene.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NTHREAD = 8, NSTEP = 3 };

typedef struct job {
  const mien_rig *rig;
  const mien_face *face;
  mien_solver solver;
  int nthread;
  uint64_t hash;
  bool is_good;
} job;

static void *play(void *given) {
  job *j = given;
  mien_state *state = NULL;
  mien_host host;
  mien_input input;
  mien_step_opts opts;
  int nshape = mien_rig_get_info(j->rig)->nshape;
  float *weights = calloc((size_t)nshape, sizeof *weights);
  mien_host_init(&host);
  host.threads = j->nthread;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.solver = j->solver;
  opts.iterations = 2;
  opts.contact = MIEN_CONTACT_PLANE;
  opts.offline_after = 2; // from then on by the factor, however long that takes
  for (int s = 0; s < nshape; s++) weights[s] = 0.05f * (float)(s % 4);
  input.weights = (mien_f32s){weights, nshape, 1};
  j->is_good = weights && mien_state_create(j->face, &host, &state, NULL) >= 0;
  for (int k = 0; k < NSTEP && j->is_good; k++) {
    input.head.translation[0] = 0.02 * k;
    j->is_good = mien_step(state, &input, &opts, NULL) >= 0;
  }
  if (j->is_good) j->hash = mien_state_hash(state);
  mien_state_free(state);
  free(weights);
  return NULL;
}

static mien_rig *rig;
static mien_face *face;

static int open_face(void **state) {
  (void)state;
  return mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", NULL, &rig, NULL) < 0 ||
         mien_face_create(rig, NULL, NULL, &face, NULL) < 0;
}

static int close_face(void **state) {
  (void)state;
  mien_face_free(face);
  mien_rig_free(rig);
  return 0;
}

static void eight_states_in_eight_threads(void **state) {
  (void)state;
  static const mien_solver solvers[] = {MIEN_SOLVER_AUTO, MIEN_SOLVER_GAUSS_SEIDEL_OFFLINE};
  for (int k = 0; k < 2; k++) {
    job alone = {rig, face, solvers[k], 3, 0, false}, jobs[NTHREAD];
    pthread_t thread[NTHREAD];
    play(&alone);
    assert_true(alone.is_good);
    for (int t = 0; t < NTHREAD; t++) {
      jobs[t] = (job){rig, face, solvers[k], 3, 0, false};
      assert_int_equal(pthread_create(thread + t, NULL, play, jobs + t), 0);
    }
    for (int t = 0; t < NTHREAD; t++) {
      pthread_join(thread[t], NULL);
      assert_true(jobs[t].is_good);
      assert_true(jobs[t].hash == alone.hash);
    }
  }
}

static atomic_bool is_over;
static atomic_int nplayed;

static void *keep_playing(void *given) {
  job j = *(const job *)given;
  while (!atomic_load(&is_over)) {
    play(&j);
    atomic_fetch_add(&nplayed, 1);
  }
  return NULL;
}

static void a_child_of_a_fork_steps(void **state) {
  (void)state;
  job alone = {rig, face, MIEN_SOLVER_AUTO, 3, 0, false};
  pthread_t busy;
  play(&alone);
  assert_int_equal(pthread_create(&busy, NULL, keep_playing, &alone), 0);
  for (int k = 0; k < 5; k++) {
    usleep(1000 * (useconds_t)(7 * k)); // at different moments of a step
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      alarm(120); // a child that hangs is a failure
      job own = alone;
      own.nthread = SCENE_CHILD_THREADS;
      play(&own);
      _exit(own.is_good && own.hash == alone.hash ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  atomic_store(&is_over, true);
  pthread_join(busy, NULL);
  assert_true(atomic_load(&nplayed) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(eight_states_in_eight_threads),
                                     cmocka_unit_test(a_child_of_a_fork_steps)};
  return cmocka_run_group_tests(tests, open_face, close_face);
}
