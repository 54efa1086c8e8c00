// Contact by the barrier: no accepted iterate crosses, three global steps find one minimum, energy
// falls, bits and memory, statics, stiffness, starts that cross, the gradient.
#include "scenes/touch.h"
#include "solve/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- What the tests share -------------------------------------------------------------------------

// Of press.csv: lips meet from 0.6 s on, are held from 0.95 to 1.8 s (nothing of the pose moves
// then) and have let go at 2.15 s. All in seconds.
#define MEET 0.6
#define PRESSED 0.9
#define HELD 1.0
#define STILL_HELD 1.75
#define LETTING_GO 1.92
#define RELEASED 2.3

static mien_step_opts options(double fps) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.contact = MIEN_CONTACT_BARRIER;
  opts.dt = 1 / fps;
  return opts;
}

static mien_host one_thread(void) {
  mien_host host;
  mien_host_init(&host);
  host.threads = 1;
  return host;
}

static touch_scene head(void) {
  mien_host host = one_thread();
  return touch_head("press.csv", &host);
}

typedef struct snapshot {
  void *bytes;
  size_t size;
} snapshot;

static snapshot save(const touch_scene *s) {
  snapshot kept = {.size = mien_state_size(s->state)};
  kept.bytes = malloc(kept.size);
  assert_int_equal(mien_state_save(s->state, kept.bytes, kept.size, NULL), MIEN_OK);
  return kept;
}

static void restore(touch_scene *s, const snapshot *kept) {
  assert_int_equal(mien_state_restore(s->state, kept->bytes, kept->size, NULL), MIEN_OK);
}

// What must hold wherever the solver stops.
static void check_free(const touch_scene *s, const char *what, int frame) {
  const mien_state_info *info = mien_state_get_info(s->state);
  assert_true(touch_is_finite(s));
  int64_t count = touch_crossings(s);
  if (count) fail_msg("%s, frame %d: %d pairs cross", what, frame, (int)count);
  if (info->ncontact && !(info->least_gap > 0))
    fail_msg("%s, frame %d: a gap of %g m", what, frame, info->least_gap);
}

// Plays the take from `from` to `to` (s); returns the most contacts of a frame.
static int play(touch_scene *s, const mien_step_opts *opts, double from, double to) {
  const mien_state_info *info = mien_state_get_info(s->state);
  int most = 0;
  int last = (int)(to / opts->dt + 1e-6);
  for (int frame = (int)(from / opts->dt + 1e-6) + 1; frame <= last; frame++) {
    touch_pose(s, frame * opts->dt);
    touch_step(s, opts);
    check_free(s, "playing", frame);
    most = info->ncontact > most ? info->ncontact : most;
  }
  return most;
}

// m, the farthest a flesh vertex is from x
static double differ(const touch_scene *s, const float *x) {
  mien_f32s now = mien_state_get_info(s->state)->flesh;
  double most = 0;
  for (int i = 0; i < 3 * now.count; i++)
    most = fmax(most, fabs((double)now.data[i] - (double)x[i]));
  return most;
}

static void keep(const touch_scene *s, float *x) {
  mien_f32s now = mien_state_get_info(s->state)->flesh;
  memcpy(x, now.data, 3 * (size_t)now.count * sizeof *x);
}

static float *room(const touch_scene *s) {
  return calloc(3 * (size_t)mien_state_get_info(s->state)->flesh.count, sizeof(float));
}

// m, distances below which the barrier may become stiffer: a twentieth of its reach beyond the
// least separation that is kept of everything
static double apart_at_most(const touch_scene *s, const mien_step_opts *opts) {
  const mi_surface *surface = s->state->contacts->surface;
  double reach = mi_contact_lengths_of(s->state, opts).thickness / 2;
  return 0.05 * reach + 2 * (double)surface->vert_offset[0];
}

// -- Nothing crosses ------------------------------------------------------------------------------

// Every frame, and in every third one while lips touch the iterates on its way: from the same start
// with at most 1, 2, 3, ... iterations.
static void no_iterate_crosses_at(double fps, double end) {
  enum { MOST = 8 };
  touch_scene s = head();
  const mien_state_info *info = mien_state_get_info(s.state);
  mien_step_opts opts = options(fps);
  int niterate = 0, nframe = 0, most = 0;
  for (int frame = 1; frame <= (int)(end * fps); frame++) {
    snapshot start = save(&s);
    bool looks = frame % 3 == 0 && frame * opts.dt > MEET;
    touch_pose(&s, frame * opts.dt);
    for (int k = 1; k < MOST && looks; k++) {
      opts.iterations = k;
      touch_step(&s, &opts);
      check_free(&s, "on the way", frame);
      niterate += info->iterations == k;
      restore(&s, &start);
    }
    opts.iterations = MOST;
    touch_step(&s, &opts);
    check_free(&s, "frame", frame);
    nframe += info->ncontact > 0;
    most = info->ncontact > most ? info->ncontact : most;
    free(start.bytes);
  }
  print_message("%g fps: %d frames with contacts, at most %d; %d iterates between, all free\n", fps,
                nframe, most, niterate);
  touch_free(&s);
  assert_true(most > 20 && niterate > 30);
}

static void no_iterate_crosses(void **state) {
  (void)state;
  no_iterate_crosses_at(24, RELEASED);
}

static void no_iterate_crosses_at_60_fps(void **state) {
  (void)state;
  no_iterate_crosses_at(60, 1.1);
}

static void rolled_lips_never_cross(void **state) {
  (void)state;
  mien_host host = one_thread();
  touch_scene s = touch_head("kiss.csv", &host);
  mien_step_opts opts = options(24);
  int most = play(&s, &opts, 0, RELEASED);
  touch_free(&s);
  assert_true(most > 20);
}

static void any_stiffness_and_global_step_never_cross(void **state) {
  (void)state;
  static const struct {
    double stiffness;
    mien_barrier_step step;
    double end; // s
  } cases[] = {{0.1, MIEN_BARRIER_WOODBURY, HELD + 0.4}, {10, MIEN_BARRIER_WOODBURY, HELD + 0.4},
               {0.1, MIEN_BARRIER_SCHUR, PRESSED},       {10, MIEN_BARRIER_SCHUR, PRESSED},
               {0.1, MIEN_BARRIER_PCG, PRESSED},         {10, MIEN_BARRIER_PCG, PRESSED}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    touch_scene s = head();
    mien_step_opts opts = options(24);
    opts.barrier_stiffness = cases[k].stiffness;
    opts.barrier_step = cases[k].step;
    int most = play(&s, &opts, 0, cases[k].end);
    touch_free(&s);
    assert_true(most > 10);
  }
}

// Switched on over lips that cross already. What info says: motions were cut short.
static void a_start_that_crosses_is_resolved(void **state) {
  (void)state;
  touch_scene s = head();
  const mien_state_info *info = mien_state_get_info(s.state);
  mien_step_opts opts = options(24);
  opts.contact = MIEN_CONTACT_OFF;
  for (int frame = 1; frame <= (int)(HELD * 24); frame++) {
    touch_pose(&s, frame * opts.dt);
    touch_step(&s, &opts);
  }
  int64_t before = touch_crossings(&s);
  opts.contact = MIEN_CONTACT_BARRIER;
  touch_step(&s, &opts);
  check_free(&s, "switched on", 0);
  print_message("%d pairs crossed, after one step none: %d motions cut short, %d contacts\n",
                (int)before, info->nlimited, info->ncontact);
  assert_true(before > 20);
  assert_true(info->nlimited > 0 && info->ncontact > 5);
  for (int frame = 0; frame < 10; frame++) {
    touch_step(&s, &opts);
    check_free(&s, "switched on", frame + 1);
  }
  touch_free(&s);
}

// -- One minimum ----------------------------------------------------------------------------------

// Pressed lips that have settled and now let go: far from the minimum, and the barrier at work.
static snapshot settle(touch_scene *s) {
  mien_step_opts opts = options(24);
  opts.iterations = 30;
  assert_true(play(s, &opts, 0, STILL_HELD) > 20);
  touch_pose(s, LETTING_GO);
  return save(s);
}

typedef struct minimum {
  double start, energy; // J
  double off;           // m, from the Woodbury step's
} minimum;

static void find_minima(touch_scene *s, const snapshot *start, int iterations, minimum found[3]) {
  float *x = room(s);
  mien_step_opts opts = options(24);
  const mien_state_info *info = mien_state_get_info(s->state);
  opts.iterations = iterations;
  for (int step = MIEN_BARRIER_WOODBURY; step <= MIEN_BARRIER_PCG; step++) {
    restore(s, start);
    opts.barrier_step = (mien_barrier_step)step;
    touch_step(s, &opts);
    check_free(s, "global step", step);
    found[step] = (minimum){info->energy_start, info->energy, differ(s, x)};
    if (step == MIEN_BARRIER_WOODBURY) keep(s, x);
    print_message("%d iterations, global step %d: %.6g of %.6g uJ, %.3g um from the first\n",
                  iterations, step, 1e6 * info->energy, 1e6 * info->energy_start,
                  step ? 1e6 * found[step].off : 0);
  }
  free(x);
}

// After one iteration the three are in the same place: to a micrometre for the two direct ones
// (they solve one system in float and in double), to ten for conjugate gradients, which stop at a
// thousandth of the residual. Later rounding has led them apart, along a valley whose floor is
// flat: what they must share there is the energy.
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
    assert_near(few[step].energy, few[0].energy, 1e-3 * gained);
    assert_true(one[step].off < (step == MIEN_BARRIER_SCHUR ? 1e-6 : 1e-5));
    assert_near(many[step].energy, many[0].energy, 0.02 * gained);
  }
}

// From the same start with more and more iterations. A gap below a twentieth of the barrier's reach
// may make the barrier stiffer, and then the energy is another one: such iterates are passed over.
static void energy_never_rises(void **state) {
  (void)state;
  touch_scene s = head();
  const mien_state_info *info = mien_state_get_info(s.state);
  mien_step_opts opts = options(24);
  play(&s, &opts, 0, HELD + 0.1);
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
  double energy[2], gap[2];
  float *x = NULL;
  double off = 0;
  for (int k = 0; k < 2; k++) {
    touch_scene s = head();
    const mien_state_info *info = mien_state_get_info(s.state);
    mien_step_opts opts = options(24);
    opts.friction = 0;
    opts.iterations = 25;
    play(&s, &opts, 0, HELD);
    opts.dt = k ? 1 : opts.dt;
    for (int frame = 0; frame < 25; frame++) {
      touch_step(&s, &opts);
      check_free(&s, "held", frame);
    }
    if (!x) x = room(&s);
    off = differ(&s, x);
    keep(&s, x);
    energy[k] = info->energy - info->energy_inertia;
    gap[k] = info->least_gap;
    touch_free(&s);
  }
  free(x);
  print_message(
      "static: %.6g uJ with dt 1/24, %.6g uJ with dt 1, %.3g um apart; gaps %.3g, %.3g um\n",
      1e6 * energy[0], 1e6 * energy[1], 1e6 * off, 1e6 * gap[0], 1e6 * gap[1]);
  assert_near(energy[1], energy[0], 0.02 * energy[0]);
  assert_true(off < 2e-4); // of 5 mm that the lips are away from their pose
}

// -- Bits and memory ------------------------------------------------------------------------------

static uint64_t run(int threads, double restore_at, mien_barrier_step step) {
  mien_host host;
  mien_host_init(&host);
  host.threads = threads;
  touch_scene s = touch_head("press.csv", &host);
  mien_step_opts opts = options(24);
  opts.barrier_step = step;
  int last = step == MIEN_BARRIER_WOODBURY ? (int)(LETTING_GO * 24) + 4 : (int)(PRESSED * 24);
  for (int frame = 1; frame <= last; frame++) {
    if (frame == (int)(restore_at * 24)) touch_move_to_new_state(&s, &host);
    touch_pose(&s, frame * opts.dt);
    touch_step(&s, &opts);
  }
  uint64_t hash = mien_state_hash(s.state);
  touch_free(&s);
  return hash;
}

static void same_bits_for_any_threads(void **state) {
  (void)state;
  for (int step = MIEN_BARRIER_WOODBURY; step <= MIEN_BARRIER_PCG; step++) {
    uint64_t first = run(1, -1, (mien_barrier_step)step);
    if (step == MIEN_BARRIER_WOODBURY) assert_true(run(2, -1, (mien_barrier_step)step) == first);
    assert_true(run(8, -1, (mien_barrier_step)step) == first);
  }
}

// In mid-press, and while the jaw and its teeth are on their way.
static void same_bits_after_restoring(void **state) {
  (void)state;
  uint64_t first = run(1, -1, MIEN_BARRIER_WOODBURY);
  assert_true(run(1, HELD, MIEN_BARRIER_WOODBURY) == first);
  assert_true(run(1, LETTING_GO, MIEN_BARRIER_WOODBURY) == first);
  assert_true(run(1, 0.6, MIEN_BARRIER_WOODBURY) == first);
}

static void steps_allocate_nothing_after_the_first(void **state) {
  (void)state;
  for (int step = MIEN_BARRIER_WOODBURY; step <= MIEN_BARRIER_PCG; step++) {
    scene_memory memory = {0};
    mien_host host = scene_counting_host(&memory);
    touch_scene s = touch_head("press.csv", &host);
    mien_step_opts opts = options(24);
    opts.barrier_step = (mien_barrier_step)step;
    touch_pose(&s, 0);
    touch_step(&s, &opts);
    int before = memory.nalloc;
    int most = play(&s, &opts, 0, PRESSED);
    int after = memory.nalloc;
    touch_free(&s);
    assert_true(most > 10);
    assert_int_equal(after, before);
    assert_int_equal(memory.live, 0);
  }
}

// -- The gradient ---------------------------------------------------------------------------------

typedef struct objective {
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
  for (int i = 0; i < 3 * c->nsoft; i++)
    o->position[i] = x[4 * (size_t)o->solver->place[c->flesh[i / 3]] + (size_t)(i % 3)];
  mi_active_find(&c->active, c->surface, &c->near, o->position, o->barrier.d_hat, 1);
  *barrier = mi_active_energy(&c->active, &o->barrier);
  mi_solver_evaluate(o->solver, x, o->gradient, &energies);
  memset(o->sum, 0, 3 * (size_t)c->nvert * sizeof *o->sum);
  mi_active_gradient(&c->active, &o->barrier, o->position, o->sum);
  for (int i = 0; i < 3 * c->nsoft; i++)
    o->gradient[4 * (size_t)o->solver->place[c->flesh[i / 3]] + (size_t)(i % 3)] +=
        (float)o->sum[i];
  return energies.total + *barrier;
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
    x[2][4 * (size_t)s->place[c->flesh[i / 3]] + (size_t)(i % 3)] +=
        5e-6f * (float)(2 * mi_random_unit(seed, 1, (uint32_t)i) - 1);
  value_at(o, x[2], barrier + 2);
  for (int k = 0; k < 2; k++) memcpy(x[k], x[2], 4 * (size_t)s->nvert * sizeof *x[k]);
  for (int i = 0; i < 3 * c->nsoft; i++) {
    size_t at = 4 * (size_t)s->place[c->flesh[i / 3]] + (size_t)(i % 3);
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
  objective o = {.solver = solver, .contacts = c};
  o.barrier.d_hat = mi_contact_lengths_of(s.state, &opts).thickness / 2;
  o.position = malloc(3 * (size_t)c->nvert * sizeof *o.position);
  o.sum = malloc(3 * (size_t)c->nvert * sizeof *o.sum);
  o.gradient = malloc(4 * (size_t)solver->nvert * sizeof *o.gradient);
  memcpy(o.position, c->safe, 3 * (size_t)c->nvert * sizeof *o.position);
  float *x[3];
  for (int k = 0; k < 3; k++) x[k] = malloc(4 * (size_t)solver->nvert * sizeof *x[k]);
  c->near = mi_broad_find(c->broad, c->safe, NULL, 2 * o.barrier.d_hat, 1);
  // far stiffer than flesh, so that the barrier is most of what changes
  o.barrier.kappa =
      mi_kappa_for_stiffness(50 * (double)solver->diagonal[solver->place[c->flesh[0]]],
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
  int nactive = c->active.count;
  free(o.position);
  free(o.sum);
  free(o.gradient);
  for (int k = 0; k < 3; k++) free(x[k]);
  touch_free(&s);
  assert_true(least_share > 0.3 && nactive > 50);
  assert_true(worst < 0.005);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_iterate_crosses),
      cmocka_unit_test(no_iterate_crosses_at_60_fps),
      cmocka_unit_test(rolled_lips_never_cross),
      cmocka_unit_test(any_stiffness_and_global_step_never_cross),
      cmocka_unit_test(a_start_that_crosses_is_resolved),
      cmocka_unit_test(global_steps_find_one_minimum),
      cmocka_unit_test(energy_never_rises),
      cmocka_unit_test(long_steps_reach_the_static_solution),
      cmocka_unit_test(same_bits_for_any_threads),
      cmocka_unit_test(same_bits_after_restoring),
      cmocka_unit_test(steps_allocate_nothing_after_the_first),
      cmocka_unit_test(the_whole_gradient_is_the_energys_slope),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
