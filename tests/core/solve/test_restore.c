// A snapshot holds all that a step depends on: a state that did something else in between and is
// restored goes on with the same bits, in every frame, whatever it is made of.
#include "scenes/touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 26, LAST = 32 }; // lips are pressed; springs that break: test_contacts.c

typedef struct way {
  const char *name;
  mien_solver solver;
  mien_contact contact;
  mien_integrator integrator;
  int substeps, energy_projection;
  double sticky;
} way;

static const way ways[] = {
    {"planes, sticky lips", MIEN_SOLVER_DIRECT, MIEN_CONTACT_PLANE, MIEN_INTEGRATOR_BACKWARD_EULER,
     1, 0, 1},
    {"sweeps, planes", MIEN_SOLVER_GAUSS_SEIDEL, MIEN_CONTACT_PLANE, MIEN_INTEGRATOR_BACKWARD_EULER,
     1, 0, 0},
    {"barrier, sticky lips", MIEN_SOLVER_DIRECT, MIEN_CONTACT_BARRIER,
     MIEN_INTEGRATOR_BACKWARD_EULER, 1, 0, 1},
    {"BDF-2 in substeps, planes", MIEN_SOLVER_DIRECT, MIEN_CONTACT_PLANE, MIEN_INTEGRATOR_BDF2, 2,
     0, 1},
    {"energy kept, planes", MIEN_SOLVER_DIRECT, MIEN_CONTACT_PLANE, MIEN_INTEGRATOR_BACKWARD_EULER,
     2, 1, 0},
    {"stabilised midpoint", MIEN_SOLVER_DIRECT, MIEN_CONTACT_OFF,
     MIEN_INTEGRATOR_STABILISED_MIDPOINT, 2, 0, 0},
    {"quasi-static, planes", MIEN_SOLVER_DIRECT, MIEN_CONTACT_PLANE, MIEN_INTEGRATOR_QUASI_STATIC,
     1, 0, 0},
};

static mien_step_opts options_of(const way *w) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.dt = 1.0 / 24;
  opts.solver = w->solver;
  opts.contact = w->contact;
  opts.integrator = w->integrator;
  opts.substeps = w->substeps;
  opts.energy_projection = w->energy_projection;
  opts.sticky = w->sticky;
  return opts;
}

// a head that shakes hard while its lips press, by up to 45 degrees from one frame to the next
static void place(touch_scene *s, int frame) {
  touch_pose(s, frame / 24.0);
  double turn = 0.1 * (frame % 5 - 2);
  s->input.head = (mien_rigid){.rotation = {0, turn, 0, 1}, .translation = {0.01 * turn, 0, 0}};
  double length = sqrt(1 + turn * turn);
  for (int k = 0; k < 4; k++) s->input.head.rotation[k] /= length;
}

// Played straight, then again frame by frame from snapshots, the last frame first: before it is
// restored a state has always been somewhere else.
static void play(const way *w) {
  enum { NFRAME = LAST - FIRST + 1 };
  mien_host host;
  mien_host_init(&host);
  host.threads = 1;
  touch_scene straight = touch_head("press.csv", &host), restored = touch_head("press.csv", &host);
  mien_step_opts opts = options_of(w);
  size_t size = mien_state_size(straight.state);
  char *bytes = malloc(NFRAME * size);
  uint64_t hash[NFRAME];
  int ncontact = 0;
  for (int k = 0; k < NFRAME; k++) {
    assert_int_equal(mien_state_write(straight.state, bytes + (size_t)k * size, size, NULL),
                     MIEN_OK);
    place(&straight, FIRST + k);
    touch_step(&straight, &opts);
    ncontact += mien_state_get_info(straight.state)->ncontact;
    hash[k] = mien_state_hash(straight.state);
  }
  for (int k = NFRAME - 1; k >= 0; k--) {
    assert_int_equal(mien_state_read(restored.state, bytes + (size_t)k * size, size, NULL),
                     MIEN_OK);
    place(&restored, FIRST + k);
    touch_step(&restored, &opts);
    if (mien_state_hash(restored.state) != hash[k])
      fail_msg("%s: frame %d differs after restoring", w->name, FIRST + k);
  }
  print_message("%s: %d contacts in %d frames\n", w->name, ncontact, NFRAME);
  assert_true(w->contact == MIEN_CONTACT_OFF || ncontact > 100);
  free(bytes);
  touch_free(&straight);
  touch_free(&restored);
}

static void restored_states_go_on_with_the_same_bits(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) play(ways + k);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(restored_states_go_on_with_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
