// mien live: a performer drives a face in real time.
//
//   source (its own threads) -> newest frame -> simulate -> record, send, video
//
// Nothing is queued: a frame that was not used before the next one came is dropped and counted.
#include "live.h"
#include "muscle_drive.h"
#include "muscle_meshes.h"
#include "physics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const cli_option options[] = {
    LIVE_SOURCE_OPTIONS,
    LIVE_SINK_OPTIONS,
    {"fps", 'f', "RATE", "simulated frames per second (30)"},
    {"seconds", 0, "S", "stop after S seconds"},
    {"every", 0, NULL, "of a file: every frame, however long it takes"},
    {"unpaced", 0, NULL, "steps are never cut short to stay in time; so with --record and --every"},
    {"hash", 0, NULL, "print the hash of the final state as the last line"},
    MUSCLE_MESH_OPTIONS,
    {NULL, 0, NULL, NULL},
};

typedef struct live {
  const cli_args *args;
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_settings settings;
  muscle_meshes meshes;
  muscle_drive muscles;
  live_source source;
  live_record *record;
  live_sinks *sinks;
  live_status status;
  live_pace pace;
  live_frame seen, shown; // by the source; put through the words of the record
  double fps, seconds, lost_since;
  bool every;
  int nstep;
  int nremark; // steps that were not plausible; the first one is told when it comes
} live;

static int open_source(live *l) {
  static const char *const kinds[] = {"take", "camera", "video", "livelink", "ifacialmocap", "vmc"};
  enum { NKIND = sizeof kinds / sizeof *kinds };
  int chosen = -1;
  for (int k = 0; k < NKIND; k++) {
    if (!cli_given(l->args, kinds[k])) continue;
    if (chosen >= 0)
      return cli_usage("'--%s' and '--%s' are two sources; choose one", kinds[chosen], kinds[k]);
    chosen = k;
  }
  if (chosen < 0) return cli_usage("where does the performance come from? See mien live --help");
  if (l->every && chosen != 0 && chosen != 2) return cli_usage("'--every' is for files");
  if (chosen == 0) return live_open_take(l->args, l->rig, &l->source);
  return chosen < 3 ? live_open_camera(l->args, l->rig, &l->source)
                    : live_open_stream(l->args, l->rig, &l->source);
}

static int open_all(live *l) {
  mien_host host;
  mien_error err;
  cli_host(l->args, &host);
  l->rig = cli_load_rig(l->args, l->args->nargument ? l->args->argument[0] : NULL);
  if (!l->rig) return CLI_FAILED;
  int code = open_source(l);
  if (code) return code;
  bool has_muscles = l->settings.step.drive == MIEN_DRIVE_MUSCLE;
  if (has_muscles) l->settings.face.muscles = 1;
  code = muscle_meshes_open(&l->meshes, l->args, &l->settings.face);
  if (code) return code;
  if (mien_face_create(l->rig, &l->settings.face, &host, &l->face, &err) < 0 ||
      mien_state_create(l->face, &host, &l->state, &err) < 0)
    return cli_report(&err, "live");
  code = has_muscles ? muscle_drive_open(&l->muscles, l->args, l->rig, l->face) : CLI_DONE;
  if (code) return code;
  size_t nshape = (size_t)mien_rig_get_info(l->rig)->nshape;
  l->seen.weights = calloc(nshape + 1, sizeof(float));
  l->shown.weights = calloc(nshape + 1, sizeof(float));
  if (!l->seen.weights || !l->shown.weights) return cli_fail("out of memory");
  l->seen.head.rotation[3] = 1;
  code = cli_check_output(l->args, cli_value(l->args, "record", NULL));
  if (code) return code;
  code = live_record_open(l->rig, cli_value(l->args, "record", NULL), &l->record);
  return code ? code : live_sinks_open(l->args, l->rig, l->face, l->fps, &l->sinks);
}

// The first frame begins where the head is, at rest, as in mien bake.
static int simulate(live *l, bool is_new) {
  mien_input input;
  mien_error err;
  mien_step_opts opts = l->settings.step;
  int nshape = mien_rig_get_info(l->rig)->nshape;
  float *weights = l->shown.weights;
  l->shown = l->seen;
  l->shown.weights = weights;
  memcpy(weights, l->seen.weights, (size_t)nshape * sizeof *weights);
  int code = live_record_add(l->record, l->nstep / l->fps, &l->shown);
  if (code) return code;
  input = l->settings.input;
  input.head = l->shown.head;
  input.weights = (mien_f32s){weights, nshape, 1};
  code = muscle_drive_at(&l->muscles, weights, &input);
  if (code) return code;
  if (l->pace.is_on) opts.time_budget = live_pace_budget(&l->pace);
  mien_result result = mien_step(l->state, &input, &opts, &err);
  if (result < 0) return cli_report(&err, "live");
  if (result > 0 && !l->nremark++)
    fprintf(stderr, "%snote: step %d: %s\n", l->status.on_terminal ? "\r\033[K" : "", l->nstep,
            err.text);
  const mien_state_info *state = mien_state_get_info(l->state);
  l->nstep++;
  live_pace_learn(&l->pace, state);
  live_status_add(&l->status, &l->shown, is_new, state->seconds);
  // moments that were left out still count as time
  double time = state->time + (double)l->status.nlate / l->fps;
  return live_sinks_add(l->sinks, &l->shown, state, time, l->every);
}

// The first step sets the solver up, which takes a second on a large face: before the performance.
static int warm_up(live *l) {
  mien_error err;
  mien_step_opts opts = l->settings.step;
  mien_input input = l->settings.input;
  opts.iterations = 1;
  mien_result result = mien_step(l->state, &input, &opts, &err);
  input.head.translation[1] = 1e-3; // so that something moves
  if (result >= 0) result = mien_step(l->state, &input, &opts, &err);
  mien_state_reset(l->state);
  return result < 0 ? cli_report(&err, "live") : CLI_DONE;
}

static void sleep_until(double time) {
  double left = time - cli_clock();
  if (left <= 0) return;
  struct timespec wait = {(time_t)left, (long)(1e9 * (left - floor(left)))};
  nanosleep(&wait, NULL);
}

// One frame, or the end of the performance.
static int advance(live *l, bool *is_over) {
  mien_error err = {0};
  double now = l->nstep / l->fps;
  double until = l->every ? now : -1;
  live_answer answer = l->source.next(l->source.self, 0, until, &l->seen, &err);
  if (answer == LIVE_BROKEN) return cli_report(&err, l->source.name);
  *is_over = answer == LIVE_END;
  if (*is_over) return CLI_DONE;
  if (answer == LIVE_NEW && l->seen.sees_face) l->lost_since = now;
  if (!l->seen.sees_face)
    live_relax(&l->seen, mien_rig_get_info(l->rig)->nshape, now - l->lost_since, 1 / l->fps);
  int code = simulate(l, answer == LIVE_NEW && !l->seen.is_made_up);
  live_status_show(&l->status, &l->seen, &l->source, &l->pace);
  return code;
}

static int perform(live *l) {
  cli_catch_interrupt();
  live_status_start(&l->status);
  fprintf(stderr, "listening to %s; Ctrl-C ends\n", cli_shown(l->source.name));
  double period = 1 / l->fps, tick = cli_clock();
  bool is_over = false;
  int code = CLI_DONE;
  double started = tick;
  while (!code && !is_over && !cli_interrupted()) {
    // a slow machine leaves steps out, and still ends in time
    double played = l->every ? l->nstep / l->fps : cli_clock() - started;
    if (played >= l->seconds - 1e-9) break;
    code = advance(l, &is_over);
    if (l->every) continue;
    tick += period;
    double behind = cli_clock() - tick;
    if (behind > period) { // the face stays with the performer, moments are left out
      double missed = floor(behind / period);
      l->status.nlate += (int64_t)missed;
      tick += missed * period;
    }
    sleep_until(tick);
  }
  return code;
}

static void report(const live *l, double seconds) {
  static const char *const stages[LIVE_STAGES] = {"track", "fit", "simulate", "all"};
  const live_status *s = &l->status;
  char hash[20];
  snprintf(hash, sizeof hash, "%016" PRIx64, mien_state_hash(l->state));
  if (l->args->json) {
    json_t *times = json_object();
    for (int k = 0; k < LIVE_STAGES; k++)
      json_object_set_new(times, stages[k],
                          json_pack("{s:f, s:f, s:f}", "median_ms",
                                    live_status_percentile(s, k, 0.5), "p95_ms",
                                    live_status_percentile(s, k, 0.95), "p99_ms",
                                    live_status_percentile(s, k, 0.99)));
    cli_print_json(json_pack(
        "{s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:i, s:f, s:o, s:s}", "steps", (json_int_t)s->nstep,
        "source_frames", (json_int_t)s->nframe, "fps", (double)s->nstep / seconds, "dropped",
        (json_int_t)l->source.ndropped(l->source.self), "late", (json_int_t)s->nlate, "undelivered",
        (json_int_t)live_sinks_ndropped(l->sinks), "cut_short", (json_int_t)l->pace.ncut,
        "implausible", l->nremark, "iterations",
        (double)l->pace.niteration / fmax(1, (double)l->pace.nstep), "stages", times, "hash",
        hash));
    return;
  }
  printf("%lld steps, %.1f a second; %lld frames of the source, %lld dropped, %lld steps late\n",
         (long long)s->nstep, (double)s->nstep / seconds, (long long)s->nframe,
         (long long)l->source.ndropped(l->source.self), (long long)s->nlate);
  for (int k = 0; k < LIVE_STAGES; k++)
    printf("%-9s median %.1f ms, 95 %% below %.1f ms\n", stages[k],
           live_status_percentile(s, k, 0.5), live_status_percentile(s, k, 0.95));
  if (l->muscles.count)
    printf("muscles   %.1f ms a step on average; skin %.2f mm from the performer's pose\n",
           1e3 * l->muscles.seconds / l->muscles.count, 1e3 * l->muscles.error / l->muscles.count);
  if (l->nremark) printf("%d steps were not plausible\n", l->nremark);
  if (l->pace.ncut)
    printf("%lld steps cut short to stay in time: %.1f iterations a step\n",
           (long long)l->pace.ncut, (double)l->pace.niteration / (double)l->pace.nstep);
  if (cli_given(l->args, "hash")) printf("%s\n", hash);
}

static int run(const cli_args *args) {
  live l = {.args = args, .every = cli_given(args, "every")};
  if (!physics_settings(args, MIEN_CONTACT_PLANE, &l.settings) ||
      !cli_number(args, "fps", 1, 1000, 30, &l.fps) ||
      !cli_number(args, "seconds", 0, 1e6, 1e6, &l.seconds))
    return CLI_USAGE;
  l.settings.step.dt = 1 / l.fps;
  bool has_budget = l.settings.step.time_budget > 0, is_kept = cli_given(args, "record");
  if (has_budget && is_kept)
    fprintf(stderr, "mien: with a time budget the recording does not bake to the same bits\n");
  // Results that must bake again to the same bits must not depend on the machine's speed.
  l.pace = live_pace_start(l.fps, !has_budget && !is_kept && !l.every &&
                                      !cli_given(args, "unpaced") && !cli_given(args, "hash"));
  int code = open_all(&l);
  if (!code) code = warm_up(&l);
  double started = cli_clock();
  if (!code) code = perform(&l);
  double seconds = cli_clock() - started;
  live_status_end(&l.status);
  if (!code) report(&l, fmax(seconds, 1e-9));
  int closed = live_sinks_close(l.sinks);
  if (!code) code = closed;
  live_status_free(&l.status);
  int kept = live_record_close(l.record, l.nstep > 0);
  if (l.source.close) l.source.close(l.source.self);
  mien_state_free(l.state);
  muscle_drive_close(&l.muscles);
  mien_face_free(l.face);
  muscle_meshes_close(&l.meshes);
  mien_rig_free(l.rig);
  free(l.seen.weights);
  free(l.shown.weights);
  return code ? code : kept;
}

const cli_command cli_live = {
    "live",
    "[FACE]",
    "drive a face live: from a camera, a phone, another program or a take",
    "FACE is a rig or a face (.glb). Sockets listen on this machine alone unless --listen says\n"
    "otherwise. A performer who is lost leaves a natural expression that relaxes; the stream goes\n"
    "on when it comes back. On a machine that is too slow for --fps, steps end early: softer "
    "motion\n"
    "instead of a late face; the status line says how many. --record keeps what was simulated:\n"
    "mien bake FACE --anim FILE.csv with the same --fps and options gives the same bits; with\n"
    "--drive muscle and --muscle-take of 'mien activations FILE.csv --fps RATE'.",
    options,
    1,
    run,
    PHYSICS_SETTINGS,
    NULL};
