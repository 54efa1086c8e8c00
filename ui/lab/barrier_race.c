#include "barrier_race.h"

#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PRESSED = 4 }; // of the frames measured: where who measures few begins
static const double FPS = 24, MEET = 0.70, PART = 2.05; // s, of press.csv

// -- One frame ------------------------------------------------------------------------------------

static barrier_times times_of(const mien_state_info *info) {
  barrier_times t = {.global = info->seconds_global,
                     .ccd = info->seconds_ccd,
                     .contact = info->seconds_contact - info->seconds_ccd,
                     .total = info->seconds,
                     .iterations = info->iterations,
                     .searches = info->line_search_steps,
                     .sweeps = info->sweeps,
                     .energy =
                         info->energy_inertia + info->energy_elastic + info->energy_attachment};
  // one evaluation at the start, then one a trial
  double turned_down = (t.searches - t.iterations) / (t.searches + 1);
  double pushed = turned_down * t.contact, local = turned_down * info->seconds_local;
  t.line_search = pushed + local;
  t.contact -= pushed;
  t.rest = t.total - t.contact - t.global - t.ccd - t.line_search;
  return t;
}

static int step(barrier_race *race, mien_state *state, const mien_step_opts *opts, int frame) {
  mien_state *leader = race->scene.state;
  mien_step_opts kept = race->scene.opts;
  race->scene.state = state;
  race->scene.opts = *opts;
  int code = contact_scene_step(&race->scene, frame);
  race->scene.state = leader;
  race->scene.opts = kept;
  return code;
}

static int64_t count_crossings(const barrier_race *race, const mien_state *state) {
  return contact_scene_skin(&race->scene, mien_state_get_info(state)->positions.data).count;
}

static const barrier_leader *leader_of(const barrier_race *race, const barrier_runner *r) {
  int k = race->nleader - 1;
  while (k > 0 && race->leader[k].stiffness != r->stiffness) k--;
  return race->leader + k;
}

static int measure(barrier_race *race, barrier_runner *r, int at, int repeats) {
  mien_step_opts opts = race->scene.opts;
  mien_error err;
  int code = CLI_DONE;
  opts.contact = r->contact;
  opts.barrier_step = r->step;
  opts.barrier_stiffness = r->stiffness;
  if (r->iterations) opts.iterations = r->iterations;
  r->run[at].total = NAN;
  for (int k = 0; !code && k < repeats; k++) {
    if (mien_state_read(r->state, leader_of(race, r)->start, mien_state_size(r->state), &err) < 0)
      return cli_report(&err, r->name);
    code = step(race, r->state, &opts, race->number[at]);
    barrier_times t = times_of(mien_state_get_info(r->state));
    t.push = contact_scene_take_push(r->state);
    t.rows = contact_scene_barrier_rows(r->state);
    if (!(r->run[at].total <= t.total)) r->run[at] = t;
  }
  if (code || r->contact != MIEN_CONTACT_BARRIER) return code;
  int64_t crossing = count_crossings(race, r->state);
  race->ncross += crossing < 0 ? 1 : crossing; // what is not finite is no success
  return CLI_DONE;
}

// -- The race -------------------------------------------------------------------------------------

static int open_leaders(barrier_race *race, const mien_host *host) {
  mien_error err;
  race->leader[race->nleader++] = (barrier_leader){.stiffness = 1, .state = race->scene.state};
  for (int k = 0; k < race->nrunner; k++) {
    double stiffness = race->runner[k].stiffness;
    if (leader_of(race, race->runner + k)->stiffness == stiffness) continue;
    if (race->nleader == BARRIER_LEADERS) return cli_fail("more stiffnesses than leaders");
    barrier_leader *l = race->leader + race->nleader++;
    l->stiffness = stiffness;
    if (mien_state_create(race->scene.face, host, &l->state, &err) < 0)
      return cli_report(&err, race->runner[k].name);
  }
  bool done = true;
  for (int k = 0; k < race->nleader; k++)
    done &= (race->leader[k].start = malloc(mien_state_size(race->scene.state))) != NULL;
  return done ? CLI_DONE : cli_fail("out of memory");
}

static int open(barrier_race *race, const cli_args *args, const barrier_race_def *def) {
  cli_args with = *args;
  mien_step_opts opts;
  mien_host host;
  mien_error err;
  if (def->threads) with.threads = def->threads;
  int code = contact_scene_open(&race->scene, &with, def->rig, "press.csv", "shake.csv");
  if (code) return code;
  cli_host(&with, &host);
  mien_step_opts_init(&opts);
  opts.contact = MIEN_CONTACT_BARRIER;
  contact_scene_start(&race->scene, &opts, FPS);
  size_t most = (size_t)race->scene.nframe;
  race->number = calloc(most, sizeof *race->number);
  race->ncontact = calloc(most, sizeof *race->ncontact);
  bool done = race->number && race->ncontact;
  for (int k = 0; k < race->nrunner; k++) {
    barrier_runner *r = race->runner + k;
    done &= (r->run = calloc(most, sizeof *r->run)) != NULL;
    if (mien_state_create(race->scene.face, &host, &r->state, &err) < 0)
      return cli_report(&err, r->name);
  }
  code = open_leaders(race, &host);
  return code || done ? code : cli_fail("out of memory");
}

static void keep_starts(barrier_race *race) {
  for (int k = 0; k < race->nleader; k++)
    mien_state_write(race->leader[k].state, race->leader[k].start,
                     mien_state_size(race->leader[k].state), NULL);
}

static int step_leaders(barrier_race *race, int frame) {
  int code = CLI_DONE;
  for (int k = 0; !code && k < race->nleader; k++) {
    mien_step_opts opts = race->scene.opts;
    opts.barrier_stiffness = race->leader[k].stiffness;
    code = step(race, race->leader[k].state, &opts, frame);
  }
  return code;
}

// The first step of a state makes what the others use.
static int warm_up(barrier_race *race) {
  int code = CLI_DONE;
  race->number[0] = 1;
  keep_starts(race);
  for (int k = 0; !code && k < race->nrunner; k++) {
    barrier_runner first = race->runner[k];
    first.iterations = 1;
    code = measure(race, &first, 0, 1);
  }
  return code;
}

static int repeats_of(const barrier_race_def *def, const barrier_runner *r) {
  if (r->most_frames) return 1;
  bool is_slow = r->contact == MIEN_CONTACT_BARRIER && r->step == MIEN_BARRIER_PCG;
  return is_slow && def->pcg_repeats ? def->pcg_repeats : def->repeats;
}

// More and more iterations until the energy is as low as another runner's.
static int measure_as_low(barrier_race *race, barrier_runner *r, int at, int repeats,
                          double energy) {
  static const int wanted[] = {4, 6, 8, 9, 10, 12, 14, 16, 20, 24, 32};
  barrier_runner longer = *r;
  int code = CLI_DONE;
  for (size_t k = 0; !code && k < sizeof wanted / sizeof *wanted; k++) {
    longer.iterations = wanted[k];
    code = measure(race, &longer, at, repeats);
    if (r->run[at].energy <= energy) break;
  }
  return code;
}

static int measure_frame(barrier_race *race, const barrier_race_def *def, int frame) {
  int code = CLI_DONE, at = race->nframe;
  double energy = 0;
  race->number[at] = frame;
  for (int k = 0; !code && k < race->nrunner; k++) {
    barrier_runner *r = race->runner + k;
    int repeats = repeats_of(def, r);
    if (r->most_frames && (at < PRESSED || at >= PRESSED + r->most_frames))
      r->run[at].total = NAN;
    else
      code = r->is_as_low ? measure_as_low(race, r, at, repeats, energy)
                          : measure(race, r, at, repeats);
    if (!r->is_as_low) energy = r->run[at].energy;
  }
  race->nframe++;
  return code;
}

int barrier_race_run(barrier_race *race, const cli_args *args, const barrier_race_def *def,
                     const barrier_runner *runner, int nrunner) {
  *race = (barrier_race){.nrunner = nrunner};
  memcpy(race->runner, runner, (size_t)nrunner * sizeof *runner);
  int code = open(race, args, def), touching = 0;
  if (!code) code = step_leaders(race, 0);
  if (!code) code = warm_up(race);
  for (int frame = 1; !code && frame < PART * FPS; frame++) {
    keep_starts(race);
    bool measured = frame >= MEET * FPS && touching++ % def->every == 0;
    if (measured) code = measure_frame(race, def, frame);
    if (!code) code = step_leaders(race, frame);
    if (measured)
      race->ncontact[race->nframe - 1] = mien_state_get_info(race->scene.state)->ncontact;
  }
  return code;
}

void barrier_race_close(barrier_race *race) {
  for (int k = 0; k < race->nrunner; k++) {
    mien_state_free(race->runner[k].state);
    free(race->runner[k].run);
  }
  for (int k = 0; k < race->nleader; k++) {
    free(race->leader[k].start);
    if (k) mien_state_free(race->leader[k].state);
  }
  contact_scene_close(&race->scene);
  free(race->number);
  free(race->ncontact);
  *race = (barrier_race){0};
}

// -- What came out --------------------------------------------------------------------------------

barrier_times barrier_race_mean(const barrier_race *race, int runner) {
  enum { NTIME = sizeof(barrier_times) / sizeof(double) };
  union {
    barrier_times times;
    double value[NTIME];
  } mean = {{0}}, one;
  int count = 0;
  for (int f = 0; f < race->nframe; f++) {
    one.times = race->runner[runner].run[f];
    if (isnan(one.times.total)) continue;
    for (int k = 0; k < NTIME; k++) mean.value[k] += one.value[k];
    count++;
  }
  double done = mean.times.iterations, searches = mean.times.searches, sweeps = mean.times.sweeps;
  double push = mean.times.push / count, energy = mean.times.energy / count;
  double rows = mean.times.rows / count;
  double scale = race->scene.opts.iterations / done; // inf without any: not finite is not judged
  for (int k = 0; k < NTIME; k++) mean.value[k] *= scale;
  mean.times.iterations = done / count;
  mean.times.searches = searches / done;
  mean.times.sweeps = sweeps / done;
  mean.times.push = push, mean.times.energy = energy, mean.times.rows = rows;
  return mean.times;
}

static void add(barrier_times *sum, const barrier_times *t) {
  double *to = (double *)sum;
  const double *from = (const double *)t;
  for (size_t k = 0; k < sizeof *sum / sizeof *to; k++) to[k] += from[k];
}

barrier_pair barrier_race_compare(const barrier_race *race, int first, int second) {
  barrier_pair pair = {.is_as_low = true};
  for (int f = 0; f < race->nframe; f++) {
    const barrier_times *a = race->runner[first].run + f, *b = race->runner[second].run + f;
    if (isnan(a->total) || isnan(b->total)) continue;
    add(&pair.first, a);
    add(&pair.second, b);
    pair.is_as_low = pair.is_as_low && b->energy <= a->energy;
    pair.nframe++;
  }
  return pair;
}

bool barrier_race_pushes(const barrier_race *race, int runner) {
  int nframe = 0, npushed = 0;
  for (int f = 0; f < race->nframe; f++) {
    const barrier_times *t = race->runner[runner].run + f;
    nframe += !isnan(t->total);
    npushed += !isnan(t->total) && t->push > 0;
  }
  return npushed > 0 && 2 * npushed >= nframe;
}

static void note_table(experiment *e, const barrier_race *race) {
  int contacts = 0;
  for (int f = 0; f < race->nframe; f++) contacts += race->ncontact[f];
  experiment_note(e, "%d frames measured, %.0f contacts on average; a frame of %d iterations, ms:",
                  race->nframe, (double)contacts / race->nframe, race->scene.opts.iterations);
  experiment_note(e, "%-24s %8s %8s %8s %8s %8s %8s   %s", "", "contact", "global", "CCD", "search",
                  "rest", "total", "iterations done; trials, CG steps of one; rows; N; mJ left");
  for (int k = 0; k < race->nrunner; k++) {
    barrier_times t = barrier_race_mean(race, k);
    experiment_note(
        e, "%-24s %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f   %.1f; %.2f, %.1f; %.0f; %.2f; %.4f",
        race->runner[k].name, 1e3 * t.contact, 1e3 * t.global, 1e3 * t.ccd, 1e3 * t.line_search,
        1e3 * t.rest, 1e3 * t.total, t.iterations, t.searches, t.sweeps, t.rows, t.push,
        1e3 * t.energy);
  }
  experiment_note(e, "pairs of triangles that cross after the barrier's steps: %lld, by exact test",
                  (long long)race->ncross);
}

static int write_csv(const experiment *e, const barrier_race *race, const char *id) {
  FILE *csv = cli_create(experiment_path(e, id, ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "frame,contacts,runner,ms,contact,global,ccd,line_search,rest,iterations,trials,"
               "cg_steps\n");
  for (int f = 0; f < race->nframe; f++)
    for (int k = 0; k < race->nrunner; k++) {
      const barrier_times *t = race->runner[k].run + f;
      if (isnan(t->total)) continue;
      fprintf(csv, "%d,%d,\"%s\",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%g,%g,%g\n", race->number[f],
              race->ncontact[f], race->runner[k].name, 1e3 * t->total, 1e3 * t->contact,
              1e3 * t->global, 1e3 * t->ccd, 1e3 * t->line_search, 1e3 * t->rest, t->iterations,
              t->searches, t->sweeps);
    }
  return cli_commit(csv, experiment_path(e, id, ".csv"));
}

static int draw(const experiment *e, const barrier_race *race, const char *id, const char *title) {
  plot_series series[BARRIER_RUNNERS];
  mien_error err;
  render_image image = {0};
  size_t n = (size_t)race->nframe;
  double *value = malloc((n + 1) * (BARRIER_RUNNERS + 1) * sizeof *value), *x = value;
  if (!value) return cli_fail("out of memory");
  for (size_t f = 0; f < n; f++) x[f] = race->number[f];
  for (int k = 0; k < race->nrunner; k++) {
    double *y = value + (size_t)(k + 1) * n;
    for (size_t f = 0; f < n; f++) {
      const barrier_times *t = race->runner[k].run + f;
      y[f] = 1e3 * t->total * race->scene.opts.iterations / t->iterations;
    }
    series[k] = (plot_series){.name = race->runner[k].name,
                              .x = x,
                              .y = y,
                              .count = race->nframe,
                              .style = race->runner[k].most_frames ? PLOT_DOTS : PLOT_LINE};
  }
  plot p = {.title = title,
            .x_label = "frame of the take, 24 a second",
            .y_label = "ms of a frame of 8 iterations",
            .series = series,
            .nseries = race->nrunner,
            .log_y = 1};
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, id, ".png"), &err);
  render_image_free(&image);
  free(value);
  return done < 0 ? cli_report(&err, id) : CLI_DONE;
}

int barrier_race_report(experiment *e, const barrier_race *race, const char *id,
                        const char *title) {
  note_table(e, race);
  int code = write_csv(e, race, id);
  return code ? code : draw(e, race, id, title);
}
