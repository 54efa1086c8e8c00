// K8: a creature that swells and shrinks, softens and stiffens by large factors while its head is
// shaken (Kozlov et al. fig. 7): everything stays finite and no tetrahedron is inverted.
#include "moments.h"
#include "painted_rig.h"
#include "reproduce.h"

#include "plot.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_FRAMES = 240, NLOOK = 3 };
static const char *const LOOKS[NLOOK] = {"swollen and soft", "in between", "shrunken and stiff"};
static const double FPS = 24, FACTOR = 20;

typedef struct figures {
  double time[MOST_FRAMES], volume[MOST_FRAMES], stiffness[MOST_FRAMES], offset[MOST_FRAMES];
  double inverted[MOST_FRAMES], mended[MOST_FRAMES];
  double least_volume, most_volume, most_offset;
  int nframe, ninverted, nframe_inverted, nmended;
  bool is_finite;
  moments kept;          // of each look, where the skin is farthest off
  double kept_at[NLOOK]; // mm, that far
} figures;

static double volume_of(const mien_face_info *face, const float *p, int *ninverted) {
  double sum = 0;
  *ninverted = 0;
  for (int t = 0; t < face->ntet; t++) {
    const int32_t *tet = face->tets.data + 4 * (size_t)t;
    double e[3][3];
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 3; k++)
        e[c][k] = (double)p[3 * (size_t)tet[c + 1] + (size_t)k] - p[3 * (size_t)tet[0] + (size_t)k];
    double det = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                 e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                 e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    *ninverted += !(det > 0);
    sum += det / 6;
  }
  return sum;
}

static bool keep_moment(const mien_rig *rig, mien_f32s weights, double phase,
                        const mien_state_info *state, float *pose, figures *f) {
  int look = phase > 0.8 ? 0 : phase < -0.8 ? 2 : 1;
  double off = 1e3 * state->max_offset;
  char label[64];
  if (f->kept.now[look] && !(off > f->kept_at[look])) return true;
  f->kept_at[look] = off;
  mien_rig_pose(rig, weights.data, weights.count, pose, NULL);
  snprintf(label, sizeof label, "%s: up to %.1f mm off", LOOKS[look], off);
  return moments_keep(&f->kept, look, state, pose, label);
}

static int shake(const mien_rig *rig, const mien_take *take, int nframe, figures *f) {
  mien_face *face = NULL;
  mien_state *state = NULL;
  mien_error err;
  mien_input input;
  mien_step_opts opts;
  const mien_rig_info *info = mien_rig_get_info(rig);
  float *weights = calloc((size_t)info->nshape, sizeof *weights);
  float *pose = calloc(3 * (size_t)info->nvert, sizeof *pose);
  int swell = mien_rig_find_shape(rig, "swell"), shrink = mien_rig_find_shape(rig, "shrink");
  bool has_memory = weights && pose;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.dt = 1 / FPS;
  opts.gravity[1] = -9.81;
  input.weights = (mien_f32s){weights, info->nshape, 1};
  mien_result result = has_memory ? mien_face_create(rig, NULL, NULL, &face, &err) : MIEN_OK;
  if (has_memory && result >= 0) result = mien_state_create(face, NULL, &state, &err);
  f->is_finite = true;
  f->least_volume = INFINITY;
  for (int frame = 0; has_memory && result >= 0 && frame < nframe; frame++) {
    // swollen, neutral, shrunken and back, twice in five seconds
    double phase = sin(2 * 3.141592653589793 * frame / FPS / 2.5);
    weights[swell] = (float)fmax(0, phase);
    weights[shrink] = (float)fmax(0, -phase);
    mien_take_sample(take, frame / FPS, NULL, &input.head, NULL);
    result = mien_step(state, &input, &opts, &err);
    if (result < 0) break;
    const mien_state_info *s = mien_state_get_info(state);
    int ninverted;
    double volume = volume_of(mien_face_get_info(face), s->flesh.data, &ninverted);
    f->is_finite &= isfinite(volume) && isfinite(s->max_offset);
    f->time[frame] = frame / FPS;
    f->volume[frame] = 1e6 * volume;
    f->stiffness[frame] = 1 + (FACTOR - 1) * (double)weights[shrink];
    f->offset[frame] = 1e3 * s->max_offset;
    f->inverted[frame] = ninverted;
    f->mended[frame] = s->nmended;
    f->ninverted += ninverted;
    f->nframe_inverted += ninverted > 0;
    f->nmended += s->nmended;
    f->least_volume = fmin(f->least_volume, volume);
    f->most_volume = fmax(f->most_volume, volume);
    f->most_offset = fmax(f->most_offset, s->max_offset);
    f->nframe = frame + 1;
    has_memory = keep_moment(rig, input.weights, phase, s, pose, f);
  }
  mien_state_free(state);
  mien_face_free(face);
  free(weights);
  free(pose);
  if (!has_memory) return cli_fail("out of memory");
  return result < 0 ? cli_report(&err, "K8") : CLI_DONE;
}

static int draw_creature(experiment *e, const mien_rig *rig, const figures *f) {
  moments_style style = {.title = "K8: the same creature; below, mm off the artist's pose",
                         .most = ceil(1e3 * f->most_offset),
                         .yaw = 28,
                         .pitch = 4,
                         .zoom = 1,
                         .size = e->quick ? 160 : 420};
  experiment_note(e, "the creature where its skin is farthest off: K8_creature.png");
  return moments_save(&f->kept, rig, &style, experiment_path(e, "K8", "_creature.png"));
}

static int save(const experiment *e, const figures *f) {
  FILE *csv = cli_create(experiment_path(e, "K8", ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "time,volume_cm3,stiffness_factor,offset_mm,inverted,mended\n");
  for (int k = 0; k < f->nframe; k++)
    fprintf(csv, "%.6g,%.6g,%.6g,%.6g,%g,%g\n", f->time[k], f->volume[k], f->stiffness[k],
            f->offset[k], f->inverted[k], f->mended[k]);
  int code = cli_commit(csv, experiment_path(e, "K8", ".csv"));
  plot_series series[] = {
      {"skin off the pose, mm", f->time, f->offset, f->nframe, PLOT_LINE, 0},
      {"stiffness, times the neutral's", f->time, f->stiffness, f->nframe, PLOT_LINE, 0},
      {"inverted tetrahedra", f->time, f->inverted, f->nframe, PLOT_LINE, 0}};
  plot p = {.title = "K8: a creature swells, shrinks and stiffens while it is shaken",
            .x_label = "s",
            .y_label = "mm, times, tetrahedra",
            .series = series,
            .nseries = 3};
  mien_error err;
  render_image image = {0};
  mien_result done = code ? MIEN_OK : plot_draw(&p, &image, &err);
  if (!code && done >= 0) done = render_image_save(&image, experiment_path(e, "K8", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "K8") : code;
}

static int run(experiment *e) {
  figures *f = calloc(1, sizeof *f);
  mien_rig *plain = cli_load_rig(e->args, cli_sample("creature.glb")), *rig = NULL;
  mien_take *take = cli_load_take(e->args, cli_sample("shake.csv"));
  static const painted_map maps[] = {{"stiffness", "shrink", FACTOR},
                                     {"volume_stiffness", "shrink", FACTOR},
                                     {"stiffness", "swell", 1 / 3.0},
                                     {"volume_stiffness", "swell", 1 / 3.0}};
  int code = f && plain && take ? CLI_DONE : cli_fail("K8 cannot begin");
  if (!code) rig = painted_rig_create(plain, maps, 4);
  if (!code && !rig) code = CLI_FAILED;
  if (!code) code = shake(rig, take, e->quick ? 60 : 120, f);
  if (!code) {
    e->holds = f->is_finite && f->ninverted == 0 && f->most_volume > 1.5 * f->least_volume;
    snprintf(e->ours, sizeof e->ours,
             "%s, %d inverted in %d frames; volume %.0f to %.0f cm3, stiffness 1/3 to %g times, "
             "skin up to %.0f mm off",
             f->is_finite ? "finite" : "not finite", f->ninverted, f->nframe, 1e6 * f->least_volume,
             1e6 * f->most_volume, FACTOR, 1e3 * f->most_offset);
    experiment_note(e, "motion had inverted %d tetrahedra in all, which were turned back",
                    f->nmended);
    code = save(e, f);
    if (!code) code = draw_creature(e, rig, f);
    moments_free(&f->kept);
  }
  mien_take_free(take);
  mien_rig_free(rig);
  mien_rig_free(plain);
  free(f);
  return code;
}

const claim claim_k8 = {
    "K8",
    "An extreme creature: large changes of volume and stiffness while it shakes; finite, no "
    "inverted tetrahedron",
    "picture",
    run,
    .limits = "how it looks",
};
