// L1: with the barrier nothing crosses, in no frame of the lip-press sequences and at no iterate in
// between (Li et al. 2023, section 2.2), judged by the exact test, which knows nothing of the
// solver.
#include "reproduce.h"

#include "contact_scene.h"
#include "plot.h"

#include <math.h>
#include <stdlib.h>

typedef struct sequence {
  const char *name, *take, *head; // head NULL = still
  double fps;
  bool quick;       // part of the quick variant
  int at;           // skin vertices simulated, which the others follow; 0 = all
  bool is_actuated; // by muscles and without inertia, as the paper's faces are
} sequence;

static const sequence sequences[] = {
    {"press, 24 fps", "press.csv", NULL, 24, true, 0, false},
    {"press, 60 fps", "press.csv", NULL, 60, false, 0, false},
    {"kiss, 24 fps", "kiss.csv", NULL, 24, false, 0, false},
    {"press on a head being shaken, 24 fps", "press.csv", "shake.csv", 24, false, 0, false},
    {"press, embedded, 24 fps", "press.csv", NULL, 24, false, 2500, false},
    {"press by muscles, quasi-static, embedded", "press.csv", NULL, 24, false, 2500, true}};
enum { NSEQUENCE = sizeof sequences / sizeof *sequences, QUICK_EVERY = 5, MOST_FRAMES = 256 };

typedef struct found {
  int64_t skin, rigid, between,
      off; // pairs that cross: skin, skin and bones; iterates; contact off
  int nframe, ntouching, niterate, noff; // frames; with contacts; iterates; that cross with it off
  int nnear, npushed; // off the pose and within the barrier's reach; of these it pushed in
  int nposed;         // with contacts, and the animation to the bit: nothing was simulated
  int most_contacts;
  double least_gap; // m
} found;

typedef struct curves { // of the first sequence, a frame each
  double off[MOST_FRAMES], on[MOST_FRAMES];
  int count;
} curves;

static int64_t pairs(crossings c) {
  return c.count < 0 ? 1 : c.count; // what is not finite is no success
}

// of the skin that is shown, whether it is simulated or follows
static int64_t skin_pairs(const contact_scene *s) {
  return pairs(contact_scene_shown(s, mien_state_get_info(s->state)->positions.data));
}

// The iterates on the way: the frame from the same start with fewer iterations.
static int look_between(contact_scene *s, int frame, void *start, found *f) {
  int wanted = s->opts.iterations, code = CLI_DONE;
  size_t size = mien_state_size(s->state);
  mien_state_write(s->state, start, size, NULL);
  for (int k = 1; !code && k < wanted; k++) {
    s->opts.iterations = k;
    code = contact_scene_step(s, frame);
    f->between += skin_pairs(s);
    f->niterate++;
    mien_state_read(s->state, start, size, NULL);
  }
  s->opts.iterations = wanted;
  return code;
}

static int play(contact_scene *s, int every, FILE *csv, const sequence *q, found *f, curves *c) {
  const mien_state_info *info = mien_state_get_info(s->state);
  void *start = malloc(mien_state_size(s->state));
  int code = start ? CLI_DONE : cli_fail("out of memory");
  for (int frame = 0; !code && frame < s->nframe; frame++) {
    if (frame % every == 0 && info->ncontact > 0) code = look_between(s, frame, start, f);
    if (!code) code = contact_scene_step(s, frame);
    if (code) break;
    // A pose that crosses nothing comes out as it is, to the bit (claim K1): nothing was pushed
    // there.
    bool is_posed = info->max_offset == 0;
    bool is_near = info->ncontact && !is_posed &&
                   info->least_gap < contact_scene_barrier_reach(s->state, &s->opts);
    f->nnear += is_near, f->nposed += is_posed && info->ncontact > 0;
    double push = contact_scene_take_push(s->state); // N
    f->npushed += is_near && push > 0;
    int64_t skin = skin_pairs(s), rigid = pairs(contact_scene_rigid(s, MIEN_REGION_CONTACT));
    int64_t off = pairs(contact_scene_shown(s, s->artist));
    f->skin += skin, f->rigid += rigid, f->off += off;
    f->noff += off > 0, f->ntouching += info->ncontact > 0, f->nframe++;
    if (info->ncontact > f->most_contacts) f->most_contacts = info->ncontact;
    if (info->ncontact && info->least_gap < f->least_gap) f->least_gap = info->least_gap;
    fprintf(csv, "\"%s\",%d,%lld,%lld,%lld,%d,%.4g,%d,%.3g\n", q->name, frame, (long long)skin,
            (long long)rigid, (long long)off, info->ncontact, 1e6 * info->least_gap, is_near, push);
    if (q != sequences || c->count == MOST_FRAMES) continue;
    c->off[c->count] = (double)off;
    c->on[c->count++] = (double)skin;
  }
  free(start);
  return code;
}

static int run_sequence(experiment *e, const sequence *q, FILE *csv, found *all, curves *c) {
  contact_scene s;
  mien_step_opts opts;
  found f = {.least_gap = INFINITY};
  mien_step_opts_init(&opts);
  opts.contact = MIEN_CONTACT_BARRIER;
  int code =
      contact_scene_open(&s, e->args, e->quick ? "head_small.glb" : "head.glb", q->take, q->head);
  if (q->is_actuated) {
    opts.drive = MIEN_DRIVE_MUSCLE;
    opts.integrator = MIEN_INTEGRATOR_QUASI_STATIC;
  }
  if (!code && q->is_actuated) code = contact_scene_by_muscles(&s, e->args, q->at);
  if (!code && q->at && !q->is_actuated) code = contact_scene_simulate_at(&s, e->args, q->at);
  if (!code) contact_scene_start(&s, &opts, q->fps);
  if (!code) code = play(&s, e->quick ? QUICK_EVERY : 1, csv, q, &f, c);
  contact_scene_close(&s);
  if (code) return code;
  experiment_note(
      e,
      "%-40s %lld pairs cross in %d frames (%d with contacts, at most %d; the barrier "
      "pushed in %d of %d within its reach, %d are the animation to the bit), %lld in %d "
      "iterates between; with bones %lld; blendshapes alone: %lld in %d frames; least "
      "gap %.1f um",
      q->name, (long long)f.skin, f.nframe, f.ntouching, f.most_contacts, f.npushed, f.nnear,
      f.nposed, (long long)f.between, f.niterate, (long long)f.rigid, (long long)f.off, f.noff,
      1e6 * f.least_gap);
  all->skin += f.skin, all->rigid += f.rigid, all->between += f.between, all->off += f.off;
  all->nframe += f.nframe, all->niterate += f.niterate, all->noff += f.noff;
  all->ntouching += f.ntouching, all->npushed += f.npushed, all->nnear += f.nnear;
  return CLI_DONE;
}

static int draw(const experiment *e, const curves *c) {
  plot_series series[] = {{.name = "blendshapes alone", .y = c->off, .count = c->count},
                          {.name = "with the barrier", .y = c->on, .count = c->count}};
  plot p = {.title = "L1: pairs of triangles that cross, pressed lips",
            .x_label = "frame, 24 a second",
            .y_label = "pairs",
            .series = series,
            .nseries = 2};
  mien_error err;
  render_image image = {0};
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, "L1", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "L1") : CLI_DONE;
}

static int run(experiment *e) {
  found all = {0};
  curves *c = calloc(1, sizeof *c);
  FILE *csv = c ? cli_create(experiment_path(e, "L1", ".csv")) : NULL;
  int code = csv ? CLI_DONE : c ? CLI_FAILED : cli_fail("out of memory");
  if (csv)
    fprintf(
        csv,
        "sequence,frame,skin,skin_and_bones,blendshapes_alone,contacts,gap_um,is_near,push_n\n");
  for (int k = 0; !code && k < NSEQUENCE; k++)
    if (sequences[k].quick || !e->quick) code = run_sequence(e, sequences + k, csv, &all, c);
  if (csv && code) cli_abandon(csv, experiment_path(e, "L1", ".csv"));
  if (csv && !code) code = cli_commit(csv, experiment_path(e, "L1", ".csv"));
  if (!code) code = draw(e, c);
  free(c);
  if (code) return code;
  // planes cross nothing, either: it must have been the barrier
  e->holds = !all.skin && !all.rigid && !all.between && all.off > 0 && all.nnear > 10 &&
             all.npushed == all.nnear;
  snprintf(
      e->ours, sizeof e->ours,
      "%lld pairs cross in %d frames, %lld in %d iterates between; the barrier pushed in %d of "
      "%d within its reach; blendshapes alone: %lld in %d frames",
      (long long)(all.skin + all.rigid), all.nframe, (long long)all.between, all.niterate,
      all.npushed, all.nnear, (long long)all.off, all.noff);
  return CLI_DONE;
}

const claim claim_l1 = {
    "L1",
    "Barrier contact on the embedded surface: no intersection at any iterate, by a line search "
    "bounded by separating directions",
    "guaranteed",
    run,
    .limits = "skin that follows and touches: what can touch is simulated as it is shown",
};
