// The frames of a bake: input, step, cache, and a snapshot now and then.
#include "bake.h"
#include "bake_info.h"
#include "scaled_rig.h"

#include <math.h>
#include <string.h>

static void sample_motion(const mien_take *take, double time, mien_rigid *at) {
  mien_take_sample(take, mien_take_get_info(take)->start + time, NULL, at, NULL);
}

// The state's own clock starts where physics begins.
double bake_time_of(const bake *b, int frame) {
  return mien_state_get_info(b->state)->time + (frame < b->start ? 0 : b->start / b->fps);
}

static void read_input(bake *b, int frame, mien_input *input) {
  double time = mien_take_get_info(b->take)->start + frame / b->fps;
  param_keys_at(&b->keys, b->first_frame + frame, &b->settings);
  *input = b->settings.input;
  mien_take_sample(b->take, time, b->weights, &input->head, NULL);
  if (b->head) sample_motion(b->head, frame / b->fps, &input->head);
  input->has_jaw = b->jaw != NULL;
  muscle_take_at(&b->muscles, frame / b->fps, b->settings.step.drive, input);
  if (b->jaw) sample_motion(b->jaw, frame / b->fps, &input->jaw);
  input->weights = (mien_f32s){b->weights, mien_rig_get_info(b->rig)->nshape, 1};
  double scale = b->settings.play.space_scale;
  input->pose = scaled_points(pose_file_at(&b->poses, b->rig, frame), scale, b->points);
  for (int k = 0; k < 3; k++) {
    input->head.translation[k] *= scale;
    input->jaw.translation[k] *= scale;
  }
}

// Before the frame where physics begins the state is put where the animation is. That frame starts
// anew, as in hosts: at rest where the head is. It is then held for the pre-roll.
static mien_result step(bake *b, int frame, const mien_input *input, mien_error *err) {
  mien_step_opts opts = b->settings.step;
  int nheld = (int)ceil(b->settings.play.pre_roll * b->fps - 1e-6);
  if (frame < b->start) opts.solver = MIEN_SOLVER_KINEMATIC;
  if (frame == b->start) mien_state_reset(b->state);
  mien_result result = mien_step(b->state, input, &opts, err);
  for (int k = 0; k < nheld && frame == b->start && result >= 0; k++)
    result = mien_step(b->state, input, &opts, err);
  return result;
}

static int bake_frame(bake *b, int frame) {
  mien_input input;
  mien_error err;
  read_input(b, frame, &input);
  mien_result result = step(b, frame, &input, &err);
  const mien_state_info *state = mien_state_get_info(b->state);
  double scale = b->settings.play.space_scale;
  if (result >= 0 && frame < b->range.from) return CLI_DONE;
  bake_tally_add(&b->tally, b->first_frame + frame, state, scale, result, &err);
  if (!bake_picture_add(&b->picture, b->first_frame + frame, state))
    return cli_fail("out of memory");
  if (result >= 0 && b->cache) {
    mien_f32s points =
        b->in_world ? moved_points(state->positions, &state->head, b->world) : state->positions;
    result = mien_cache_append(b->cache, scaled_points(points, 1 / scale, b->points), &err);
    b->done += result >= 0;
  }
  if (b->info) bake_info_write(b->info, frame, bake_time_of(b, frame), state);
  return result < 0 ? cli_report(&err, "bake") : CLI_DONE;
}

// -- All frames -----------------------------------------------------------------------------------

enum { SNAPSHOT_EVERY = 48 }; // frames

// The frames so far reach the disk before the snapshot that vouches for them.
static int keep_so_far(bake *b, int next) {
  mien_error err;
  if (mien_cache_sync(b->cache, &err) < 0) return cli_report(&err, "bake");
  int npoint = mien_cache_get_info(b->cache)->npoint;
  if (!frames_sum_extend(&b->tally.frames, b->out, npoint, b->done))
    return cli_fail("the frames of '%s' cannot be read back", b->out);
  int code = snapshot_write(b->out, next - b->range.begin, &b->signature, &b->tally, b->state);
  b->is_kept |= !code;
  return code;
}

// A bake that cannot go on keeps what is whole; where nothing is, it leaves nothing.
static int end_early(bake *b, int code) {
  if (!b->cache) return code;
  if (b->done > 0 || b->is_kept) {
    mien_cache_suspend(b->cache, NULL);
    fprintf(stderr, "mien: %d of %d frames are kept; --resume goes on\n", b->done,
            b->range.to - b->range.from);
  } else {
    snapshot_remove(b->out);
  }
  return code;
}

static void start_progress(const bake *b, cli_progress *progress) {
  const char *how = cli_value(b->args, "progress", "bar");
  cli_progress_start(progress, "baking");
  progress->is_json = !strcmp(how, "json");
  progress->is_silent = !strcmp(how, "none");
}

int bake_all(bake *b) {
  mien_error err;
  cli_progress progress;
  b->stage = "bake";
  start_progress(b, &progress);
  cli_catch_interrupt();
  double before = b->tally.bake, cpu_before = b->tally.cpu;
  b->tally.runs++;
  for (int frame = b->first; frame < b->range.to; frame++) {
    int code = bake_frame(b, frame);
    bool stop = cli_interrupted();
    b->tally.bake = before + cli_clock() - progress.started;
    b->tally.cpu = cpu_before + bake_cpu_clock();
    if (!code && b->cache && (stop || frame % SNAPSHOT_EVERY == SNAPSHOT_EVERY - 1))
      code = keep_so_far(b, frame + 1);
    if (!code && stop)
      code = cli_fail("stopped after frame %d of %d to %d", b->first_frame + frame,
                      b->first_frame + b->range.from, b->first_frame + b->range.to - 1);
    if (code) return end_early(b, code);
    cli_progress_show(&progress, (frame + 1.0 - b->first) / (b->range.to - b->first));
  }
  if (!b->cache) return CLI_DONE;
  if (mien_cache_finish(b->cache, &err) < 0) return end_early(b, cli_report(&err, "bake"));
  snapshot_remove(b->out);
  return CLI_DONE;
}
