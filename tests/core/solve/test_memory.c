// A step that runs out of memory, at whichever of its allocations: it says so, nothing has changed,
// and the step that comes next has the bits of one that never failed.
#include "scenes/touch.h"

enum { MOST_ALLOCATIONS = 4000 };

typedef struct change {
  const char *name;
  mien_solver solver;
  mien_contact contact;
  mien_integrator integrator;
  int substeps;
} change;

// What makes a state take memory in the middle of a take.
static const change changes[] = {
    {"another solver", MIEN_SOLVER_GAUSS_SEIDEL, MIEN_CONTACT_PLANE, 0, 1},
    {"Newton", MIEN_SOLVER_NEWTON, MIEN_CONTACT_OFF, 0, 1},
    {"plain Projective Dynamics", MIEN_SOLVER_PREFACTORED, MIEN_CONTACT_OFF, 0, 1},
    {"contact", MIEN_SOLVER_AUTO, MIEN_CONTACT_PLANE, 0, 1},
    {"the barrier", MIEN_SOLVER_AUTO, MIEN_CONTACT_BARRIER, 0, 1},
    {"another integrator", MIEN_SOLVER_AUTO, MIEN_CONTACT_OFF, MIEN_INTEGRATOR_STABILISED_MIDPOINT,
     1},
    {"substeps", MIEN_SOLVER_AUTO, MIEN_CONTACT_PLANE, 0, 3},
};

typedef struct player {
  scene_memory memory;
  mien_host host;
  touch_scene scene;
} player;

static void open_player(player *p) {
  p->memory = (scene_memory){0};
  p->host = scene_counting_host(&p->memory);
  p->scene = touch_balls(0.002, &p->host);
}

static void close_player(player *p) {
  touch_free(&p->scene);
  assert_int_equal(p->memory.live, 0);
}

static mien_result play(player *p, const change *to, mien_error *err) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.dt = 1.0 / 60;
  opts.iterations = 1;
  if (to) {
    opts.solver = to->solver;
    opts.contact = to->contact;
    opts.integrator = to->integrator;
    opts.substeps = to->substeps;
  }
  p->scene.weights[TOUCH_DOWN] = to ? 0.5f : 0.2f;
  return mien_step(p->scene.state, &p->scene.input, &opts, err);
}

// Returns how many allocations there were to fail.
static int fail_each(player *p, const change *to) {
  uint64_t before = mien_state_hash(p->scene.state);
  for (int n = 1; n < MOST_ALLOCATIONS; n++) {
    mien_error err = {0};
    p->memory.fail_at = p->memory.nalloc + n;
    mien_result result = play(p, to, &err);
    bool has_failed = p->memory.nalloc >= p->memory.fail_at;
    p->memory.fail_at = 0;
    if (!has_failed) {
      assert_true(result >= 0);
      return n - 1;
    }
    if (result != MIEN_ERR_MEMORY || // one that could do without would find other bits
        !err.text[0] || mien_state_hash(p->scene.state) != before)
      fail_msg("%s, allocation %d: %d %s, %s", to->name, n, (int)result, err.text,
               mien_state_hash(p->scene.state) == before ? "nothing changed" : "changed");
  }
  fail_msg("%s has no end", to->name);
  return 0;
}

static void a_step_without_memory_changes_nothing(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
    player failing, other;
    open_player(&failing);
    open_player(&other);
    for (int frame = 0; frame < 2; frame++)
      assert_true(play(&failing, NULL, NULL) >= 0 && play(&other, NULL, NULL) >= 0);
    int count = fail_each(&failing, &changes[k]);
    print_message("%s: %d allocations\n", changes[k].name, count);
    assert_true(count > 0);
    assert_true(play(&other, &changes[k], NULL) >= 0);
    assert_true(mien_state_hash(failing.scene.state) == mien_state_hash(other.scene.state));
    close_player(&failing);
    close_player(&other);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_without_memory_changes_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
