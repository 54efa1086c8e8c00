// D10: the fat dial grows passive tissue alone; activations blend as volumetric blendshapes; the
// jaw's five degrees of freedom are found (Dinev, 4.3.1).
#include "curves.h"
#include "muscle_subject.h"

#include <math.h>
#include <string.h>

enum { DIAL = 4, BLENDS = 5 };
static const double FAT[DIAL] = {0.9, 1, 1.1, 1.2};

// Volume against rest of what is at most 5 % muscle and of what is at least 95 %, and the inverted.
static void measure_volumes(const mien_face *face, const float *flesh, double ratio[2]) {
  double now[2] = {0}, was[2] = {0};
  for (int t = 0; t < face->info.ntet; t++) {
    double share = 0;
    mi_vec3 p[4], q[4];
    for (int e = face->muscles.first[t]; e < face->muscles.first[t + 1]; e++)
      share += (double)face->muscles.share[e];
    if (share > 0.05 && share < 0.85) continue;
    for (int c = 0; c < 4; c++) {
      size_t at = 3 * (size_t)face->tets[4 * (size_t)t + (size_t)c];
      p[c] = mi_vec3_load(flesh + at);
      q[c] = mi_vec3_load(face->rest + at);
    }
    now[share >= 0.85] += mi_det(p[0], p[1], p[2], p[3]);
    was[share >= 0.85] += mi_det(q[0], q[1], q[2], q[3]);
  }
  for (int k = 0; k < 2; k++) ratio[k] = now[k] / was[k];
}

static int settle(mien_state *state, const float *activations, int nmuscle, double fat) {
  mien_input input;
  mien_step_opts opts;
  mien_error err;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.drive = MIEN_DRIVE_MUSCLE;
  opts.integrator = MIEN_INTEGRATOR_QUASI_STATIC;
  opts.iterations = 60;
  opts.fat = fat;
  opts.contact = MIEN_CONTACT_PLANE;
  if (activations) input.activations = (mien_f32s){activations, nmuscle, MI_ACTIVATION};
  mien_state_reset(state);
  for (int k = 0; k < 2; k++)
    if (mien_step(state, &input, &opts, &err) < 0) return cli_report(&err, "D10");
  return CLI_DONE;
}

static int turn_dial(experiment *e, const mien_face *face, mien_state *state, curves *c,
                     bool *holds) {
  for (int k = 0; k < DIAL; k++) {
    double ratio[2];
    int code = settle(state, NULL, 0, FAT[k]);
    if (code) return code;
    measure_volumes(face, mien_state_get_info(state)->flesh.data, ratio);
    double wanted = pow(FAT[k], 3) - 1;
    c->x[k] = FAT[k];
    c->y[0][k] = ratio[0];
    c->y[1][k] = ratio[1];
    experiment_note(e, "fat %.1f: passive tissue %.3f times, muscle %.3f times as large", FAT[k],
                    ratio[0], ratio[1]);
    // passive tissue takes at least half of what it wants, muscle at most a third of that
    *holds &= fabs(ratio[0] - 1) >= 0.5 * fabs(wanted) - 1e-6 &&
              fabs(ratio[1] - 1) <= fabs(ratio[0] - 1) / 3 + 1e-6;
  }
  return CLI_DONE;
}

// Between two expressions: nothing inverted, and the way is no detour.
static int blend(const muscle_subject *s, const mien_face *face, mien_state *state,
                 double *opening_error, int *ninverted) {
  mien_activations *solver;
  mien_error err;
  int count = MI_ACTIVATION * face->muscles.count;
  mi_arena arena;
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena_init(&arena, &host);
  float *key[3] = {MI_PUSH(&arena, float, count), MI_PUSH(&arena, float, count),
                   MI_PUSH(&arena, float, count)};
  if (!key[0] || !key[1] || !key[2]) return cli_fail("out of memory");
  if (mien_activations_create(face, NULL, &solver, &err) < 0) return cli_report(&err, "D10");
  const mien_activations_info *info = mien_activations_get_info(solver);
  int code = CLI_DONE;
  for (int k = 0; k < 2; k++) {
    mien_f32s scan = {s->scan[k], face->rig->info.nvert, 3};
    if (mien_activations_solve(solver, scan, 8, &err) < 0) return cli_report(&err, "D10");
    memcpy(key[k], info->activations.data, (size_t)count * sizeof **key);
    *opening_error = fmax(*opening_error, fabs(info->jaw_angles[0] - s->opening[k]));
  }
  for (int k = 0; !code && k < BLENDS; k++) {
    float t = (float)k / (BLENDS - 1);
    for (int i = 0; i < count; i++) key[2][i] = key[0][i] + t * (key[1][i] - key[0][i]);
    code = settle(state, key[2], face->muscles.count, 1);
    *ninverted += mien_state_get_info(state)->ninverted;
  }
  mien_activations_free(solver);
  mi_arena_free(&arena);
  return code;
}

static int run(experiment *e) {
  muscle_subject s;
  mien_state *state = NULL;
  mien_error err;
  bool holds = true;
  double opening_error = 0;
  int ninverted = 0;
  curves c = {.title = "D10: volume against the fat dial",
              .x_label = "fat",
              .y_label = "volume, times rest",
              .name = {"passive tissue", "muscle"},
              .ncurve = 2,
              .count = DIAL};
  int code = muscle_subject_create(e, "head_small.glb", 0, &s);
  if (!code && mien_state_create(s.truth, NULL, &state, &err) < 0) code = cli_report(&err, "D10");
  if (!code && !curves_reserve(&c, DIAL)) code = cli_fail("out of memory");
  if (!code) code = turn_dial(e, s.truth, state, &c, &holds);
  if (!code) code = blend(&s, s.truth, state, &opening_error, &ninverted);
  if (!code) code = curves_save(e, "D10", &c);
  if (!code) {
    e->holds = holds && ninverted == 0 && opening_error < 0.02;
    snprintf(e->ours, sizeof e->ours,
             "fat 1.2: passive tissue %.2f times, muscle %.2f times as large; %d inverted in %d "
             "blends of two expressions; jaw opening found to %.2f degrees",
             c.y[0][DIAL - 1], c.y[1][DIAL - 1], ninverted, BLENDS, opening_error * 57.3);
  }
  curves_free(&c);
  mien_state_free(state);
  muscle_subject_free(&s);
  return code;
}

const claim claim_d10 = {
    "D10",
    "A fat dial of 0.9 to 1.2 grows passive tissue only; activations blend as volumetric "
    "blendshapes; the jaw has five degrees of freedom",
    "picture",
    run,
    .limits =
        "How the fat looks; three of the jaw's degrees of freedom are only seen to stay small.",
};
