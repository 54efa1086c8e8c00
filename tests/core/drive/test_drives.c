// What must hold for every drive. Loops over mi_drives.
#include "drive/drive.h"
#include "scenes/heads.h"

#include "base/params.h"

#include <math.h>
#include <string.h>

typedef struct driven {
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_input input;
  mien_step_opts opts;
} driven;

static void open_driven(driven *d, int drive) {
  mien_error err;
  mien_host host;
  mien_host_init(&host);
  host.threads = 1;
  d->rig = head_rig();
  d->face = head_face(true);
  assert_true(mien_state_create(d->face, &host, &d->state, &err) >= 0);
  mien_input_init(&d->input);
  mien_step_opts_init(&d->opts);
  d->opts.drive = (mien_drive)drive;
}

static void close_driven(driven *d) {
  mien_state_free(d->state);
}

static void the_table_has_the_names_of_the_parameter(void **state) {
  (void)state;
  const mien_param *param = mi_param_find("drive");
  int length = 1;
  for (int k = 0; k < mi_ndrive; k++) {
    assert_non_null(mi_drives[k]->rest);
    assert_int_equal(mi_param_find_choice(param, mi_drives[k]->name), k);
  }
  mi_param_choice(param, mi_ndrive, &length);
  assert_int_equal(length, 0);
}

static void the_neutral_stays_to_the_last_bit(void **state) {
  (void)state;
  for (int k = 0; k < mi_ndrive; k++) {
    driven d;
    open_driven(&d, k);
    for (int f = 0; f < 5; f++) assert_true(mien_step(d.state, &d.input, &d.opts, NULL) >= 0);
    const mien_f32s *rest = &mien_rig_get_info(d.rig)->positions;
    const float *now = mien_state_get_info(d.state)->positions.data;
    assert_memory_equal(now, rest->data, 3 * (size_t)rest->count * sizeof *now);
    close_driven(&d);
  }
}

// Flesh that is still is not minimised, so that the test above does not see the elements: here the
// forces of all laws are looked at, with the targets that the drive sets.
static void the_neutral_has_no_force(void **state) {
  (void)state;
  for (int k = 0; k < mi_ndrive; k++) {
    driven d;
    mi_energies energies;
    open_driven(&d, k);
    assert_true(mien_step(d.state, &d.input, &d.opts, NULL) >= 0);
    mi_step_run run = {.state = d.state, .given = &d.input, .input = &d.input, .opts = d.opts};
    mi_solver *solver = d.state->solver;
    size_t size = 4 * (size_t)solver->nvert;
    mi_drive_pose(&run);
    assert_false(run.is_forced);
    mi_integrate_place(d.state, d.state->dynamics.posed);
    mi_drive_rest(&run);
    memcpy(solver->predicted, solver->x, size * sizeof(float));
    mi_solver_evaluate(solver, solver->x, solver->gradient, &energies);
    if (!(energies.total <= 100 * solver->noise))
      fail_msg("%s: %g J at rest", mi_drives[k]->name, energies.total);
    for (size_t i = 0; i < size; i++) assert_near(solver->gradient[i], 0, 1e-4); // N
    close_driven(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_table_has_the_names_of_the_parameter),
                                     cmocka_unit_test(the_neutral_stays_to_the_last_bit),
                                     cmocka_unit_test(the_neutral_has_no_force)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
