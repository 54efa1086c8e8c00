// What the barrier's descent finds: one minimum by three global steps, energy that falls, statics,
// a gradient that is the energy's slope.
#include "barrier_press.h"

// -- One minimum ----------------------------------------------------------------------------------

// Pressed lips that have settled and now let go: far from the minimum, and the barrier at work.
// They settle once a program. The flesh of the scene is there afterwards, its contacts are those of
// the last step.
static snapshot settle(touch_scene *s) {
  static snapshot held;
  mien_step_opts opts = options(24);
  opts.iterations = 30;
  if (!held.bytes) {
    assert_true(play(s, &opts, BEGIN, STILL_HELD) > 20);
    held = save(s);
  }
  restore(s, &held);
  touch_pose(s, STILL_HELD);
  touch_step(s, &opts);
  touch_pose(s, LETTING_GO);
  return save(s);
}

typedef struct minimum {
  double start, energy; // J
  double off;           // m, from the Woodbury step's
  double way;           // m, that it went from the start
} minimum;

static void find_minima(touch_scene *s, const snapshot *start, int iterations, minimum found[3]) {
  float *x = room(s), *from = room(s);
  mien_step_opts opts = options(24);
  const mien_state_info *info = mien_state_get_info(s->state);
  opts.iterations = iterations;
  for (int step = MIEN_BARRIER_WOODBURY; step <= MIEN_BARRIER_PCG; step++) {
    restore(s, start);
    keep(s, from);
    opts.barrier_step = (mien_barrier_step)step;
    touch_step(s, &opts);
    check_free(s, "global step", step);
    found[step] = (minimum){info->energy_start, info->energy, differ(s, x), differ(s, from)};
    if (step == MIEN_BARRIER_WOODBURY) keep(s, x);
    print_message("%d iterations, global step %d: %.6g of %.6g uJ, %.3g um from the first, which "
                  "went %.3g um\n",
                  iterations, step, 1e6 * info->energy, 1e6 * info->energy_start,
                  step ? 1e6 * found[step].off : 0, 1e6 * found[0].way);
  }
  free(x);
  free(from);
}

// After one iteration the three are in the same place: to float's rounding of the way for the two
// direct ones (they solve one system in float and in double), to a thousandth for conjugate
// gradients, which stop at a thousandth of the residual. Later rounding has led them apart, along a
// valley whose floor is flat: what they must share there is the energy.
static void global_steps_find_one_minimum(void **state) {
  (void)state;
  touch_scene s = head();
  snapshot start = settle(&s);
  minimum one[3], few[3], many[3];
  find_minima(&s, &start, 1, one);
  find_minima(&s, &start, 4, few);
  find_minima(&s, &start, 120, many);
  free(start.bytes);
  touch_free(&s);
  double gained = few[0].start - many[0].energy;
  assert_true(gained > 0.2 * few[0].start); // there was something to find
  for (int step = 1; step < 3; step++) {
    assert_true(few[step].start == few[0].start);
    assert_near(few[step].energy, few[0].energy, 1e-4 * gained); // 1e-5
    assert_true(one[step].off < (step == MIEN_BARRIER_SCHUR ? 1e-4 : 5e-3) * one[0].way);
    assert_near(many[step].energy, many[0].energy, 2e-3 * gained); // 2e-4
  }
}

// From the same start with more and more iterations. A gap below a twentieth of the barrier's reach
// may make the barrier stiffer, and then the energy is another one: such iterates are passed over.
static void energy_never_rises(void **state) {
  (void)state;
  touch_scene s = head();
  const mien_state_info *info = mien_state_get_info(s.state);
  mien_step_opts opts = options(24);
  opts.barrier_stiffness = 4; // gaps stay above where it would stiffen
  play(&s, &opts, BEGIN, HELD + 0.1);
  int count = 0;
  for (int frame = 0; frame < 6; frame++) {
    snapshot start = save(&s);
    double last = INFINITY, stiffened = apart_at_most(&s, &opts);
    for (int k = 1; k <= 10; k++) {
      restore(&s, &start);
      opts.iterations = k;
      touch_step(&s, &opts);
      if (k == 1) last = info->energy_start;
      if (info->least_gap < stiffened) break;
      if (info->energy > last * (1 + 2e-7))
        fail_msg("frame %d, iteration %d: %.9g J after %.9g", frame, k, info->energy, last);
      last = info->energy;
      count++;
    }
    free(start.bytes);
    opts.iterations = 8;
    touch_step(&s, &opts);
  }
  print_message("%d iterations, none of them up\n", count);
  touch_free(&s);
  assert_true(count > 15);
}

// The same pose held with steps of 1/24 s until nothing moves, and with steps of a second, where
// inertia is nothing: one equilibrium. Without friction, which remembers the way.
static void long_steps_reach_the_static_solution(void **state) {
  (void)state;
  double energy[2], gap[2], off = 0;
  touch_scene s = head();
  const mien_state_info *info = mien_state_get_info(s.state);
  float *x = room(&s);
  mien_step_opts opts = options(24);
  opts.friction = 0;
  opts.iterations =
      25; // fewer, here and of frames, make it harder: the bounds are of the end alone
  play(&s, &opts, BEGIN, HELD);
  snapshot held = save(&s);
  for (int k = 0; k < 2; k++) {
    restore(&s, &held);
    opts.dt = k ? 1 : opts.dt;
    for (int frame = 0; frame < 25; frame++) {
      touch_step(&s, &opts);
      check_free(&s, "held", frame);
    }
    off = differ(&s, x);
    keep(&s, x);
    energy[k] = info->energy - info->energy_inertia;
    gap[k] = info->least_gap;
  }
  free(held.bytes);
  touch_free(&s);
  free(x);
  print_message(
      "static: %.6g uJ with dt 1/24, %.6g uJ with dt 1, %.3g um apart; gaps %.3g, %.3g um\n",
      1e6 * energy[0], 1e6 * energy[1], 1e6 * off, 1e6 * gap[0], 1e6 * gap[1]);
  assert_near(energy[1], energy[0], 2e-3 * energy[0]); // 3e-4
  // of 5 mm that lips are away from their pose: without friction they may slide along each other
  assert_true(off < 2e-4);
}

// -- The gradient ---------------------------------------------------------------------------------

typedef struct objective {
  const mien_state *state;
  mi_solver *solver;
  mi_contacts *contacts;
  mi_barrier barrier;
  float *position, *gradient; // (nvert x 3) of what can touch; (flesh x 4)
  double *sum;                // (nvert x 3)
} objective;

// All of it at x: flesh, springs, friction and barrier, as a step minimises it.
static double value_at(const objective *o, const float *x, double *barrier) {
  mi_contacts *c = o->contacts;
  mi_energies energies;
  mi_contacts_read(o->state, x, o->position);
  mi_candidates near = mi_broad_find(c->broad, o->position, NULL, o->barrier.d_hat, 1);
  mi_active_find(&c->active, c->surface, &near, o->position, o->barrier.d_hat, 1);
  *barrier = mi_active_energy(&c->active, &o->barrier);
  mi_solver_evaluate(o->solver, x, o->gradient, &energies);
  memset(o->sum, 0, 3 * (size_t)c->nvert * sizeof *o->sum);
  mi_active_gradient(&c->active, &o->barrier, o->position, o->sum);
  for (int i = 0; i < 3 * c->nsoft; i++)
    o->gradient[4 * (size_t)o->solver->iperm[c->flesh[i / 3]] + (size_t)(i % 3)] +=
        (float)o->sum[i];
  return energies.total + *barrier + mi_contacts_add_rows(c, x, o->gradient);
}

// Central differences along ways of half a micrometre at most. Positions are floats: what counts is
// how far they went, not how far they were to go. Each coordinate goes its own random way uphill,
// so that nothing cancels and an error in any part of the gradient is seen.
static double difference_error(const objective *o, uint32_t seed, float *x[3], double *share) {
  const mi_solver *s = o->solver;
  const mi_contacts *c = o->contacts;
  double expected = 0, barrier[3], energy[2];
  memcpy(x[2], s->x, 4 * (size_t)s->nvert * sizeof *x[2]);
  // away from the minimum, where all slopes are nothing, by a tenth of the gaps
  for (int i = 0; i < 3 * c->nsoft; i++)
    x[2][4 * (size_t)s->iperm[c->flesh[i / 3]] + (size_t)(i % 3)] +=
        5e-6f * (float)(2 * mi_random_unit(seed, 1, (uint32_t)i) - 1);
  value_at(o, x[2], barrier + 2);
  for (int k = 0; k < 2; k++) memcpy(x[k], x[2], 4 * (size_t)s->nvert * sizeof *x[k]);
  for (int i = 0; i < 3 * c->nsoft; i++) {
    size_t at = 4 * (size_t)s->iperm[c->flesh[i / 3]] + (size_t)(i % 3);
    float way = copysignf(5e-7f * (float)mi_random_unit(seed, 0, (uint32_t)i), o->gradient[at]);
    x[0][at] -= way;
    x[1][at] += way;
  }
  for (int i = 0; i < 4 * s->nvert; i++)
    expected += (double)o->gradient[i] * ((double)x[1][i] - (double)x[0][i]);
  for (int k = 0; k < 2; k++) energy[k] = value_at(o, x[k], barrier + k);
  *share = (barrier[1] - barrier[0]) / (energy[1] - energy[0]);
  return fabs(energy[1] - energy[0] - expected) / expected;
}

static void the_whole_gradient_is_the_energys_slope(void **state) {
  (void)state;
  touch_scene s = head();
  snapshot start = settle(&s);
  free(start.bytes);
  mien_step_opts opts = options(24);
  mi_solver *solver = s.state->solver;
  mi_contacts *c = s.state->contacts;
  objective o = {.state = s.state, .solver = solver, .contacts = c};
  o.barrier.d_hat = mi_contact_lengths_of(s.state, &opts).thickness / 2;
  o.position = malloc(3 * (size_t)c->nvert * sizeof *o.position);
  o.sum = malloc(3 * (size_t)c->nvert * sizeof *o.sum);
  o.gradient = malloc(4 * (size_t)solver->nvert * sizeof *o.gradient);
  memcpy(o.position, c->x_free, 3 * (size_t)c->nvert * sizeof *o.position);
  float *x[3];
  for (int k = 0; k < 3; k++) x[k] = malloc(4 * (size_t)solver->nvert * sizeof *x[k]);
  // far stiffer than flesh, so that the barrier is most of what changes
  o.barrier.kappa =
      mi_kappa_for_stiffness(50 * (double)solver->diagonal[solver->iperm[c->flesh[0]]],
                             (double)c->surface->vert_area[0], o.barrier.d_hat, 0.5);
  double worst = 0, least_share = INFINITY;
  for (uint32_t seed = 1; seed <= 8; seed++) {
    double share, error = difference_error(&o, seed, x, &share);
    worst = fmax(worst, error);
    least_share = fmin(least_share, share);
  }
  print_message(
      "gradient: error of %.2g at most, the barrier at least %.2g of the change; %d active\n",
      worst, least_share, c->active.count);
  int nactive = c->active.count, nrow = c->nrow; // rows are its friction
  free(o.position);
  free(o.sum);
  free(o.gradient);
  for (int k = 0; k < 3; k++) free(x[k]);
  touch_free(&s);
  assert_true(least_share > 0.3 && nactive > 50 && nrow > 0);
  assert_true(worst < 0.005);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(global_steps_find_one_minimum),
      cmocka_unit_test(energy_never_rises),
      cmocka_unit_test(long_steps_reach_the_static_solution),
      cmocka_unit_test(the_whole_gradient_is_the_energys_slope),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
