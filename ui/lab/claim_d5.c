// D5: wind on a face. Backward Euler is nearly static; with projection, and damping to take out
// what the wind puts in, flesh ripples (Dinev, 3.4.2.6, figure 3.30).
#include "curves.h"

#include <math.h>

enum { NWAY = 2, MOST_FRAMES = 96, FIRST = 24 }; // the first second is the onset
static const double FPS = 24;

typedef struct windy {
  mien_rig *rig;
  mien_face *face;
  mien_state *state[NWAY + 1]; // the last is where forces balance, without inertia
} windy;

static mien_step_opts opts_of(int way) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.dt = 1 / FPS;
  opts.wind[0] = 6, opts.wind[2] = -10.4; // m / s, from the front and its right
  opts.gust = 0.5;
  opts.energy_projection = way == 1;
  opts.damping = way == 1 ? 2 : 0; // or the wind would put energy in without end
  opts.drag = way == 1 ? 0.5 : 0;
  if (way == NWAY) opts.integrator = MIEN_INTEGRATOR_QUASI_STATIC;
  return opts;
}

// rms over the skin, mm
static double distance(const mien_state *a, const mien_state *b) {
  mien_f32s x = mien_state_get_info(a)->positions, y = mien_state_get_info(b)->positions;
  double sum = 0;
  for (int i = 0; i < 3 * x.count; i++) {
    double off = (double)x.data[i] - y.data[i];
    sum += off * off;
  }
  return 1e3 * sqrt(sum / x.count);
}

static int play(windy *w, curves *c, double ripple[NWAY]) {
  mien_error err;
  mien_input input;
  mien_input_init(&input);
  for (int k = 0; k <= NWAY; k++)
    if (mien_state_create(w->face, NULL, w->state + k, &err) < 0) return cli_report(&err, "D5");
  for (int frame = 0; frame < c->count; frame++) {
    for (int k = 0; k <= NWAY; k++) {
      mien_step_opts opts = opts_of(k);
      if (mien_step(w->state[k], &input, &opts, &err) < 0) return cli_report(&err, "D5");
    }
    c->x[frame] = (frame + 1) / FPS;
    for (int k = 0; k < NWAY; k++) {
      double off = c->y[k][frame] = distance(w->state[k], w->state[NWAY]);
      if (frame >= FIRST) ripple[k] += off * off / (c->count - FIRST);
    }
  }
  for (int k = 0; k < NWAY; k++) ripple[k] = sqrt(ripple[k]);
  return CLI_DONE;
}

static int run(experiment *e) {
  curves c = {.title = "D5: a face in wind of 12 m/s with gusts",
              .x_label = "s",
              .y_label = "mm rms off where the wind's force would hold it still",
              .name = {"backward Euler", "backward Euler + FEPR, damped"},
              .ncurve = NWAY};
  windy w = {0};
  mien_error err;
  double ripple[NWAY] = {0};
  c.count = e->quick ? 60 : MOST_FRAMES;
  w.rig = cli_load_rig(e->args, cli_sample(e->quick ? "head_small.glb" : "head.glb"));
  int code = w.rig && curves_reserve(&c, MOST_FRAMES) ? CLI_DONE : CLI_FAILED;
  if (!code && mien_face_create(w.rig, NULL, NULL, &w.face, &err) < 0)
    code = cli_report(&err, "D5");
  if (!code) code = play(&w, &c, ripple);
  if (!code && experiment_is_finite(e, "ripples", ripple, NWAY)) {
    e->holds = ripple[1] > 3 * ripple[0] && ripple[1] < 20;
    snprintf(e->ours, sizeof e->ours,
             "after the onset skin ripples %.1f times as far with FEPR: %.3f mm rms, without %.3f",
             ripple[1] / ripple[0], ripple[1], ripple[0]);
    experiment_note(e,
                    "measured against the quasi-static face in the same gusts, which moves with "
                    "them, too; damping %.0f / s, drag %.1f / s with FEPR",
                    opts_of(1).damping, opts_of(1).drag);
  }
  if (!code) code = curves_save(e, "D5", &c);
  curves_free(&c);
  for (int k = 0; k <= NWAY; k++) mien_state_free(w.state[k]);
  mien_face_free(w.face);
  mien_rig_free(w.rig);
  return code;
}

const claim claim_d5 = {
    "D5",
    "Wind on a face: backward Euler is nearly static, with energy projection the flesh ripples",
    "picture (figure 3.30)",
    run,
    .limits = "wind that the face disturbs: it blows the same everywhere",
};
